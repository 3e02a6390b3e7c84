//! `engross skills`: the lessons that were learnt, and what a person says about them.

mod report;
mod review;

use std::fmt::Write as _;

use engross_documents::change::printable;
use engross_learn::Error;
use engross_learn::disk::{BookFile, export_folder};
use engross_learn::skillbook::render::toon;
use engross_learn::skillbook::{
    Book, Effect, Skill, SkillOperation, SkillStatus, import, markdown, to_hybrid,
};
use engross_protocol::{Exit, Failure};
use serde_json::{Value, json};

use super::CommandEnd;
use super::book::book_paths;
use super::synced::counted;
use crate::cli::{BookArgs, ExportArgs, FormatArg, SkillsArgs, SkillsCommand};
use crate::output::{Output, note, print};
use engross_compose::files::read_text;
use engross_compose::settings::Environment;
use engross_compose::skillbook::{settle_all, skill_value as value};

/// The book, after what a person should know of its files was said.
fn told(mut book: BookFile) -> BookFile {
    for said in std::mem::take(&mut book.notes) {
        note(&format!("note: {said}"));
    }
    book
}

pub(crate) fn run(
    args: &SkillsArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let read = |book: &BookArgs| -> Result<BookFile, Failure> {
        Ok(told(BookFile::read(book_paths(book, environment)?)?))
    };
    let open = |book: &BookArgs| -> Result<BookFile, Failure> {
        Ok(told(BookFile::open(book_paths(book, environment)?)?))
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
            output.answer(&value(skill), || review::told(skill, &book.journal))?;
        }
        SkillsCommand::Pin(args) => {
            let operation = SkillOperation::Pin { id: args.skill.id.clone(), on: !args.off };
            change(&mut open(&args.skill.book)?, &[operation], output)?;
        }
        SkillsCommand::Retire(args) => {
            change(&mut open(&args.book)?, &[SkillOperation::Remove { id: args.id.clone() }], output)?;
        }
        SkillsCommand::Review(args) => return review::run(args, &mut open(&args.book)?, output),
        SkillsCommand::Report(args) => report::run(args, &read(&args.book)?, output)?,
        SkillsCommand::Export(args) => match &args.output {
            Some(folder) => {
                let mut book = open(&args.book)?;
                let changed = export_folder(&mut book, folder)?;
                book.finish()?;
                note(&format!("{} written in {}", counted(changed.len(), "skill file"), folder.display()));
            }
            None => export(args, &read(&args.book)?)?,
        },
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
        // The command line asks for a folder with it.
        FormatArg::Skill => String::new(),
    };
    print(&text)
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
