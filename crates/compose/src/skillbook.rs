//! The files of learning that several commands use: the skillbook, and the instructions that show it; and what a person says of a lesson.
//!
//! Must never open or save one: it says where they are, and changes what somebody has open.

use std::path::{Path, PathBuf};

use engross_learn::disk::{BookFile, BookPaths};
use engross_learn::skillbook::{
    Author, Effect, Observation, SettleContext, Skill, SkillOperation, score, settle, to_iso,
};
use engross_protocol::{Clock, Exit, Failure, SystemClock};
use serde_json::{Value, json};

use crate::settings::Environment;

/// The files of the skillbook.
/// The skillbook of this name, or the usual one.
pub fn book_paths(named: Option<&Path>, environment: &Environment) -> Result<BookPaths, Failure> {
    let json = match named {
        Some(path) => path.to_owned(),
        None => workspace(environment)?.join("ace_skillbook.json"),
    };
    Ok(BookPaths { json })
}

/// The files that show the lessons.
pub fn instructions(named: &[PathBuf], environment: &Environment) -> Result<Vec<PathBuf>, Failure> {
    if named.is_empty() { Ok(vec![workspace(environment)?.join("AGENTS.md")]) } else { Ok(named.to_vec()) }
}

/// The file that holds what the block leaves out, as the block names it.
pub fn rest(book: &BookFile) -> String {
    let path = book.paths().markdown();
    path.file_name().map(Path::new).unwrap_or(&path).display().to_string()
}

fn workspace(environment: &Environment) -> Result<PathBuf, Failure> {
    match environment.get("OPENCLAW_WORKSPACE") {
        Some(folder) => Ok(PathBuf::from(folder)),
        None => Ok(home(environment)?.join("workspace")),
    }
}

/// OpenClaw's home.
pub fn home(environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(home) = environment.get("OPENCLAW_HOME") {
        return Ok(PathBuf::from(home));
    }
    let dirs = directories::UserDirs::new().ok_or_else(|| {
        Failure::new(Exit::Usage, "USAGE", "there is no home folder; set OPENCLAW_HOME, or name the files")
    })?;
    Ok(dirs.home_dir().join(".openclaw"))
}

/// Does what a person says of lessons, all of it or nothing; [`BookFile::save`] keeps it.
pub fn settle_all(book: &mut BookFile, operations: &[SkillOperation]) -> Result<Vec<Effect>, Failure> {
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
    // Each operation sees what those before it did.
    let mut after = book.journal.book.clone();
    for operation in operations {
        let verdict = settle(&after, operation, &context);
        if let Effect::Refused(refused) = verdict.effect {
            return Err(Failure::new(Exit::Refused, refused.code, refused.message));
        }
        effects.push(verdict.effect);
        for record in &verdict.records {
            after.apply(record.clone());
        }
        records.extend(verdict.records);
    }
    for record in records {
        book.add(record);
    }
    Ok(effects)
}

/// New words for a skill, which is shown with them.
pub fn edited(id: &str, words: &str) -> [SkillOperation; 2] {
    let update = SkillOperation::Update {
        id: id.to_owned(),
        section: None,
        content: Some(words.to_owned()),
        justification: None,
        evidence: None,
    };
    [update, SkillOperation::Accept { id: id.to_owned() }]
}

/// A lesson for programs.
pub fn skill_value(skill: &Skill) -> Value {
    let total = skill.total();
    json!({
        "id": skill.id, "section": skill.section, "content": skill.content, "status": skill.status,
        "quarantine": skill.quarantine, "pinned": skill.is_pinned, "author": skill.author,
        "justification": skill.justification, "evidence": skill.evidence,
        "helpful": total.helpful, "harmful": total.harmful, "neutral": total.neutral,
        "sessions": skill.sessions(), "sources": skill.sources, "revision": skill.revision,
        "created": to_iso(skill.created), "updated": to_iso(skill.updated), "score": score(skill, SystemClock.millis()),
    })
}
