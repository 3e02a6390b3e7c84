//! `engross skills`: the lessons that were learnt, and what a person says about them.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal};

use engross_documents::change::printable;
use engross_learn::Error;
use engross_learn::disk::BookFile;
use engross_learn::skillbook::render::toon;
use engross_learn::skillbook::{
    Author, Book, Effect, Observation, SettleContext, Skill, SkillOperation, SkillStatus, conflicts, import,
    markdown, score, settle, to_hybrid,
};
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use serde_json::{Value, json};

use super::CommandEnd;
use super::synced::counted;
use crate::cli::{BookArgs, ExportArgs, FormatArg, ReviewArgs, SkillsArgs, SkillsCommand};
use crate::compose::skillbook::book_paths;
use crate::files::read_text;
use crate::output::{Output, note, print, prompt};
use crate::settings::Environment;

pub(crate) fn run(
    args: &SkillsArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let read = |book: &BookArgs| -> Result<BookFile, Failure> {
        Ok(BookFile::read(book_paths(book, environment)?)?)
    };
    let open = |book: &BookArgs| -> Result<BookFile, Failure> {
        Ok(BookFile::open(book_paths(book, environment)?)?)
    };
    match &args.command {
        SkillsCommand::List(args) => {
            let book = read(&args.book)?;
            let is_wanted = |skill: &&Skill| args.all || skill.status != SkillStatus::Retired;
            let skills: Vec<&Skill> = book.journal.book.skills().filter(is_wanted).collect();
            let shown: Vec<Value> = skills.iter().map(|skill| value(skill)).collect();
            output.answer(&json!({"skills": shown}), || list(&skills))?;
        }
        SkillsCommand::Show(args) => {
            let book = read(&args.book)?;
            let skill = find(&book.journal.book, &args.id)?;
            output.answer(&value(skill), || told(skill))?;
        }
        SkillsCommand::Pin(args) => {
            let operation = SkillOperation::Pin { id: args.skill.id.clone(), on: !args.off };
            change(&mut open(&args.skill.book)?, &[operation], output)?;
        }
        SkillsCommand::Retire(args) => {
            change(&mut open(&args.book)?, &[SkillOperation::Remove { id: args.id.clone() }], output)?;
        }
        SkillsCommand::Review(args) => return review(args, &mut open(&args.book)?, output),
        SkillsCommand::Export(args) => export(args, &read(&args.book)?)?,
        SkillsCommand::Import(args) => {
            let text = read_text(&args.file)?;
            let import = import(&text).map_err(|reason| {
                let path = args.file.display().to_string();
                Failure::from(Error::Invalid { kept: path.clone(), path, reason })
            })?;
            let mut book = open(&args.book)?;
            let records = book.journal.book.merge(&import);
            let count = records.len();
            for record in records {
                book.add(record);
            }
            book.finish()?;
            let answer = json!({"dialect": import.dialect, "changes": count, "repairs": import.repairs});
            output.answer(&answer, || {
                let mut text = format!("Taken over: {}\n", counted(count, "change"));
                for repair in &import.repairs {
                    let _ = writeln!(text, "mended: {}", printable(repair));
                }
                text
            })?;
        }
    }
    Ok(CommandEnd::With(Exit::Done))
}

fn find<'a>(book: &'a Book, id: &str) -> Result<&'a Skill, Failure> {
    let unknown = || {
        Failure::new(
            Exit::Refused,
            "SKILL_UNKNOWN",
            format!("there is no skill '{id}'; engross skills list names them"),
        )
    };
    book.get(id).ok_or_else(unknown)
}

/// Does what a person asks for: all of it, or nothing.
fn change(book: &mut BookFile, operations: &[SkillOperation], output: Output) -> Result<(), Failure> {
    let effects = settle_all(book, operations)?;
    book.finish()?;
    output.answer(&json!({"effects": effects}), || match effects.as_slice() {
        [Effect::Unchanged] => "it was so before\n".to_owned(),
        _ => "done\n".to_owned(),
    })
}

fn settle_all(book: &mut BookFile, operations: &[SkillOperation]) -> Result<Vec<Effect>, Failure> {
    let context = SettleContext {
        by: Author::Person,
        trace: "person",
        session: "person",
        seen: Observation::unknown(),
        now: SystemClock.millis(),
        doubts: &|_| Vec::new(),
    };
    let mut effects = Vec::new();
    let mut records = Vec::new();
    for operation in operations {
        let verdict = settle(&book.journal.book, operation, &context);
        if let Effect::Refused(refused) = verdict.effect {
            return Err(Failure::new(Exit::Refused, refused.code, refused.message));
        }
        effects.push(verdict.effect);
        records.extend(verdict.records);
    }
    for record in records {
        book.add(record);
    }
    Ok(effects)
}

fn review(args: &ReviewArgs, book: &mut BookFile, output: Output) -> Result<CommandEnd, Failure> {
    let accepted = args.accept.iter().map(|id| SkillOperation::Accept { id: id.clone() });
    let retired = args.retire.iter().map(|id| SkillOperation::Remove { id: id.clone() });
    let operations: Vec<SkillOperation> = accepted.chain(retired).collect();
    if !operations.is_empty() {
        change(book, &operations, output)?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    let is_waiting =
        |skill: &&Skill| matches!(skill.status, SkillStatus::Candidate | SkillStatus::Quarantined);
    let waiting: Vec<Skill> = book.journal.book.skills().filter(is_waiting).cloned().collect();
    let conflicts = conflicts(&book.journal.book);
    if output.json || !std::io::stdin().is_terminal() {
        let shown: Vec<Value> = waiting.iter().map(value).collect();
        output.answer(&json!({"waiting": shown, "conflicts": conflicts}), || {
            let mut text: String = waiting.iter().map(|skill| told(skill) + "\n").collect();
            for conflict in &conflicts {
                let _ = writeln!(text, "{} and {} say the opposite", conflict.one, conflict.other);
            }
            let _ = writeln!(
                text,
                "{} to decide about, with --accept ID and --retire ID",
                counted(waiting.len(), "skill")
            );
            text
        })?;
        return Ok(CommandEnd::With(Exit::Done));
    }
    for conflict in &conflicts {
        note(&format!("{} and {} say the opposite; retire one of them", conflict.one, conflict.other));
    }
    let mut is_changed = false;
    for (number, skill) in waiting.iter().enumerate() {
        print(&format!("\n({} of {})\n{}", number + 1, waiting.len(), told(skill)))?;
        let Some(operation) = asked(skill)? else { continue };
        match operation {
            Decision::Quit => break,
            Decision::Do(operation) => {
                settle_all(book, &[operation])?;
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

enum Decision {
    Do(SkillOperation),
    Quit,
}

/// What the person says; `None` to decide later.
fn asked(skill: &Skill) -> Result<Option<Decision>, Failure> {
    loop {
        prompt("Show it to agents (a), take it out (r), decide later (Enter), stop (q)? ");
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let read = read.map_err(|error| {
            Failure::new(Exit::Io, "READ_FAILED", format!("standard input cannot be read: {error}"))
        })?;
        return Ok(match line.trim() {
            _ if read == 0 => Some(Decision::Quit),
            "" => None,
            "q" => Some(Decision::Quit),
            "a" => Some(Decision::Do(SkillOperation::Accept { id: skill.id.clone() })),
            "r" => Some(Decision::Do(SkillOperation::Remove { id: skill.id.clone() })),
            _ => continue,
        });
    }
}

fn export(args: &ExportArgs, book: &BookFile) -> Result<(), Failure> {
    let book = &book.journal.book;
    let text = match args.format {
        FormatArg::Json => format!("{:#}\n", to_hybrid(book)),
        FormatArg::Markdown => markdown(book),
        FormatArg::Toon => {
            let shown: Vec<&Skill> =
                book.skills().filter(|skill| skill.status == SkillStatus::Active).collect();
            format!("{}\n", toon(&shown))
        }
    };
    print(&text)
}

fn value(skill: &Skill) -> Value {
    let total = skill.total();
    json!({
        "id": skill.id, "section": skill.section, "content": skill.content, "status": skill.status,
        "quarantine": skill.quarantine, "pinned": skill.is_pinned, "author": skill.author,
        "justification": skill.justification, "evidence": skill.evidence,
        "helpful": total.helpful, "harmful": total.harmful, "neutral": total.neutral,
        "sessions": skill.sessions(), "sources": skill.sources, "score": score(skill, SystemClock.millis()),
    })
}

fn word(status: SkillStatus) -> &'static str {
    match status {
        SkillStatus::Active => "shown",
        SkillStatus::Candidate => "seen once",
        SkillStatus::Quarantined => "waits",
        SkillStatus::Retired => "retired",
    }
}

fn list(skills: &[&Skill]) -> String {
    let mut text = String::new();
    for skill in skills {
        let total = skill.total();
        let pinned = if skill.is_pinned { " pinned" } else { "" };
        let _ = writeln!(
            text,
            "{}  {}{pinned}  +{} -{}  {}",
            skill.id,
            word(skill.status),
            total.helpful,
            total.harmful,
            printable(&skill.content)
        );
    }
    let _ = writeln!(text, "{}", counted(skills.len(), "skill"));
    text
}

fn told(skill: &Skill) -> String {
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
    for source in skill.sources.iter().take(5) {
        let _ = writeln!(text, "    {}: {}", printable(&source.trace), printable(&source.evidence));
    }
    text
}
