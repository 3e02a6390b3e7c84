//! `engross skills review`: what waits for a person, with its evidence, and what the person says.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};

use engross_documents::change::printable;
use engross_learn::disk::BookFile;
use engross_learn::skillbook::journal::BookJournal;
use engross_learn::skillbook::{Skill, SkillOperation, SkillStatus, conflicts};
use engross_protocol::{Exit, Failure};
use serde_json::{Value, json};

use super::super::CommandEnd;
use super::super::synced::counted;
use super::{change, value, word};
use crate::cli::{ReasonArg, ReviewArgs};
use crate::output::{Output, note, print, prompt};
use engross_compose::skillbook::{edited, settle_all};

/// So many sources of a skill are shown.
const SOURCES: usize = 5;

pub(super) fn run(args: &ReviewArgs, book: &mut BookFile, output: Output) -> Result<CommandEnd, Failure> {
    let operations = decided(args, book);
    if !operations.is_empty() {
        change(book, &operations, output)?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    if let Some(section) = args.accept_section.first() {
        note(&format!("nothing that could be accepted unread waits in {}", printable(section)));
    }
    let waiting: Vec<Skill> =
        book.journal.book.skills().filter(|skill| is_wanted(skill, args)).cloned().collect();
    let conflicts = conflicts(&book.journal.book);
    if output.json || !std::io::stdin().is_terminal() {
        let shown: Vec<Value> = waiting.iter().map(value).collect();
        output.answer(&json!({"waiting": shown, "conflicts": conflicts}), || {
            let mut text: String = waiting.iter().map(|skill| told(skill, &book.journal) + "\n").collect();
            for conflict in &conflicts {
                let _ = writeln!(text, "{} and {} say the opposite", conflict.one, conflict.other);
            }
            let _ = writeln!(
                text,
                "{} to decide about, with --accept ID, --retire ID, --edit ID=WORDS and --decline ID",
                counted(waiting.len(), "skill")
            );
            text
        })?;
        // What was found in files that somebody changed is kept.
        book.finish()?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    for conflict in &conflicts {
        note(&format!("{} and {} say the opposite; retire one of them", conflict.one, conflict.other));
    }
    let mut is_changed = false;
    for (number, skill) in waiting.iter().enumerate() {
        print(&format!("\n({} of {})\n{}", number + 1, waiting.len(), told(skill, &book.journal)))?;
        let Some(decision) = asked(skill)? else { continue };
        match decision {
            Decision::Quit => break,
            Decision::Do(operations) => {
                settle_all(book, &operations)?;
                book.save()?;
                is_changed = true;
            }
        }
    }
    book.finish()?;
    if is_changed {
        note("engross agents-md sync shows this to agents; engross learn does so too");
    }
    Ok(CommandEnd::With(Exit::Done))
}

/// What the command line decides.
fn decided(args: &ReviewArgs, book: &BookFile) -> Vec<SkillOperation> {
    let accept = |id: &String| SkillOperation::Accept { id: id.clone() };
    let mut operations: Vec<SkillOperation> = args.accept.iter().map(accept).collect();
    operations.extend(args.retire.iter().map(|id| SkillOperation::Remove { id: id.clone() }));
    operations.extend(args.decline.iter().map(|id| SkillOperation::Decline { id: id.clone() }));
    for (id, words) in &args.edit {
        operations.extend(edited(id, words));
    }
    for section in &args.accept_section {
        // What is doubtful is accepted by its id only: it has to be read.
        let waiting = book.journal.book.skills().filter(|skill| {
            skill.section == *section && skill.status == SkillStatus::Candidate && skill.quarantine.is_empty()
        });
        operations.extend(waiting.map(|skill| accept(&skill.id)));
    }
    operations
}

fn is_wanted(skill: &Skill, args: &ReviewArgs) -> bool {
    let is_proposed = skill.revision.is_some() && skill.status == SkillStatus::Active;
    let is_waiting = matches!(skill.status, SkillStatus::Candidate | SkillStatus::Quarantined) || is_proposed;
    let is_of_section = args.section.as_ref().is_none_or(|section| *section == skill.section);
    let is_of_reason = args.because.is_none_or(|reason| match reason {
        ReasonArg::Once => skill.status == SkillStatus::Candidate,
        ReasonArg::Doubt => skill.status == SkillStatus::Quarantined,
        ReasonArg::Proposal => {
            is_proposed || skill.quarantine.contains(&engross_learn::skillbook::Quarantine::Proposal)
        }
    });
    is_waiting && is_of_section && is_of_reason
}

enum Decision {
    Do(Vec<SkillOperation>),
    Quit,
}

/// What the person says; `None` to decide later.
fn asked(skill: &Skill) -> Result<Option<Decision>, Failure> {
    let id = || skill.id.clone();
    let is_proposed = skill.status == SkillStatus::Active;
    loop {
        prompt(if is_proposed {
            "Take over what is proposed (a), leave it as it is (d), write it anew (e), decide later (Enter), stop (q)? "
        } else {
            "Show it to agents (a), take it out (r), write it anew (e), decide later (Enter), stop (q)? "
        });
        let Some(line) = line()? else { return Ok(Some(Decision::Quit)) };
        return Ok(match line.as_str() {
            "" => None,
            "q" => Some(Decision::Quit),
            "a" => Some(Decision::Do(vec![SkillOperation::Accept { id: id() }])),
            "d" if is_proposed => Some(Decision::Do(vec![SkillOperation::Decline { id: id() }])),
            "r" if !is_proposed => Some(Decision::Do(vec![SkillOperation::Remove { id: id() }])),
            "e" => {
                prompt("Its new words: ");
                match line_of_words()? {
                    Some(words) => Some(Decision::Do(edited(&skill.id, &words).to_vec())),
                    None => continue,
                }
            }
            _ => continue,
        });
    }
}

fn line_of_words() -> Result<Option<String>, Failure> {
    Ok(line()?.filter(|words| !words.is_empty()))
}

/// A line of standard input; `None` at its end.
fn line() -> Result<Option<String>, Failure> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).map_err(|error| {
        Failure::new(Exit::Io, "READ_FAILED", format!("standard input cannot be read: {error}"))
    })?;
    Ok((read > 0).then(|| line.trim().to_owned()))
}

/// A skill for people, with where each observation stands.
pub(super) fn told(skill: &Skill, journal: &BookJournal) -> String {
    let total = skill.total();
    let mut text = format!(
        "{} ({}, {})\n  {}\n",
        skill.id,
        word(skill.status),
        printable(&skill.section),
        printable(&skill.content)
    );
    for (name, said) in
        [("why", &skill.justification), ("evidence", &skill.evidence), ("otherwise", &skill.issue)]
    {
        if !said.is_empty() {
            let _ = writeln!(text, "  {name}: {}", printable(said));
        }
    }
    if let Some(revision) = &skill.revision {
        let from = if revision.from.is_empty() { String::new() } else { format!(" in {}", revision.from) };
        let _ = match revision.content.as_str() {
            "" => writeln!(text, "  proposed{}: take it out", printable(&from)),
            words => writeln!(text, "  proposed{}: {}", printable(&from), printable(words)),
        };
    }
    for doubt in &skill.quarantine {
        let doubt = serde_json::to_value(doubt).unwrap_or_default();
        let _ = writeln!(text, "  doubtful: {}", doubt.as_str().unwrap_or_default().replace('_', " "));
    }
    let _ = writeln!(
        text,
        "  helped {}, harmed {}, neither {}; from {}",
        total.helpful,
        total.harmful,
        total.neutral,
        counted(skill.sessions(), "session")
    );
    for source in skill.sources.iter().take(SOURCES) {
        let session = source.trace.split('#').next().unwrap_or_default();
        let file = journal.sessions.get(session).map_or(source.trace.as_str(), |mark| mark.file.as_str());
        let line = if source.seen.line > 0 { format!(":{}", source.seen.line) } else { String::new() };
        let _ = writeln!(text, "    {}{line}: {}", printable(file), printable(&source.evidence));
    }
    text
}
