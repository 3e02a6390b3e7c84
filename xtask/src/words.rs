//! `cargo xtask words`: counts the words that `docs/glossary.md` has replaced, and names of types that break its rules.
//!
//! Must never change a file. The test beside it holds every count at zero.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::{Error, Result, root, say};

/// Identifiers and words that went, in code and in prose. A trailing `*` stands for any ending.
const REPLACED: &[&str] = &[
    "Heard",
    "Said",
    "Poured",
    "poured",
    "Tell",
    "Told",
    "Teller",
    "Desk",
    "Pen",
    "Sheets",
    "Supplies",
    "TextLook",
    "ParagraphLook",
    "tidy",
    "Aside",
    "Claim",
    "Lane",
    "Lanes",
    "Places",
    "Order",
    "Face",
    "Slot",
    "Live",
    "Held",
    "Placed",
    "go_on*",
    "Answering",
    "Listening",
    "Mind",
    "LastWords",
    "Wrong",
    "Oddities",
    "whoever",
    "Whoever",
    "Base",
    "Draft",
];

/// Past participles that do not end in `-ed`.
const IRREGULAR: &[&str] = &[
    "Told", "Held", "Kept", "Found", "Said", "Heard", "Written", "Sent", "Begun", "Shown", "Known", "Given",
    "Taken", "Made", "Gone", "Done", "Broken", "Chosen", "Drawn", "Met", "Lost", "Left", "Bound", "Built",
    "Brought", "Caught", "Thrown", "Put",
];

/// Nouns that end as a participle does.
const NOUNS: &[&str] = &["Seed", "Feed", "Speed", "Need", "Shed", "Bed", "Reed", "Deed"];

/// Names of public types that mean the same kind of thing in every crate.
const COMMON: &[&str] = &["Error", "Result", "Limits", "Options", "Config"];

/// Files that name the replaced words on purpose.
const NOT_COUNTED: &[&str] = &["docs/glossary.md", "xtask/src/words.rs", "CHANGELOG.md"];

/// A place where a rule is broken.
pub(crate) struct Breach {
    /// The rule, or the word.
    pub(crate) what: String,
    /// The file and its line.
    pub(crate) place: String,
}

/// Prints each count; anything but zero is an error.
pub(crate) fn run() -> Result<()> {
    let breaches = breaches()?;
    let mut counts: BTreeMap<&str, usize> = REPLACED.iter().map(|word| (*word, 0)).collect();
    for breach in &breaches {
        *counts.entry(&breach.what).or_default() += 1;
        say(&format!("{}: {}", breach.place, breach.what));
    }
    for (what, count) in &counts {
        say(&format!("{count:>6}  {what}"));
    }
    if breaches.is_empty() { Ok(()) } else { Err(Error::Missed(format!("{} breaches", breaches.len()))) }
}

/// Every place that breaks a rule of the glossary.
#[expect(clippy::disallowed_methods, reason = "a chore reads files of the repository")]
pub(crate) fn breaches() -> Result<Vec<Breach>> {
    let mut files = Vec::new();
    for folder in ["crates", "bench", "xtask", "fuzz", "docs", "web", "examples"] {
        collect(&root().join(folder), &mut files)?;
    }
    files.extend(
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"].map(|page| root().join(page)),
    );
    let mut breaches = Vec::new();
    let mut public: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for path in files {
        let shown = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
        if NOT_COUNTED.contains(&shown.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
        for (number, line) in text.lines().enumerate() {
            let place = format!("{shown}:{}", number + 1);
            let text = if shown.ends_with(".rs") { without_strings(line) } else { without_code(line) };
            let is_code = shown.ends_with(".rs") && !line.trim_start().starts_with("//");
            // Types are written in capitals; so is the first word of a sentence.
            let counts = |word: &&str| is_code || word.starts_with(char::is_lowercase);
            for word in words(&text).filter_map(replaced).filter(counts) {
                breaches.push(Breach { what: word.to_owned(), place: place.clone() });
            }
            let Some((name, is_public)) = shown.ends_with(".rs").then(|| type_of(line)).flatten() else {
                continue;
            };
            if is_participle(name) {
                breaches.push(Breach {
                    what: format!("the type {name} is a bare participle"),
                    place: place.clone(),
                });
            }
            if is_public
                && !COMMON.contains(&name)
                && shown.starts_with("crates/")
                && !shown.contains("/tests/")
            {
                let owner = shown.split('/').nth(1).unwrap_or_default().to_owned();
                public.entry(name.to_owned()).or_default().insert(owner);
            }
        }
    }
    for (name, owners) in public.into_iter().filter(|(_, owners)| owners.len() > 1) {
        let owners: Vec<String> = owners.into_iter().collect();
        breaches.push(Breach {
            what: format!("the public type {name} stands in several crates"),
            place: owners.join(", "),
        });
    }
    Ok(breaches)
}

/// The replaced word that `word` is.
fn replaced(word: &str) -> Option<&'static str> {
    let is = |known: &&&str| {
        known.strip_suffix('*').map_or(word == **known, |start| {
            word.strip_prefix(start).is_some_and(|end| end.is_empty() || end.starts_with('_'))
        })
    };
    REPLACED.iter().find(is).copied()
}

/// The line without what stands in quotes.
fn without_strings(line: &str) -> String {
    line.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The line without what stands in backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The words of a line: letters, digits and underscores.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !character.is_alphanumeric() && character != '_')
        .filter(|word| !word.is_empty())
}

/// The type that a line defines, and whether other crates may see it.
fn type_of(line: &str) -> Option<(&str, bool)> {
    let line = line.trim_start();
    let (is_public, line) = match line.strip_prefix("pub") {
        None => (false, line),
        Some(rest) if rest.starts_with('(') => (false, rest.split_once(") ")?.1),
        Some(rest) => (true, rest.trim_start()),
    };
    let rest = ["struct ", "enum ", "trait ", "type "].iter().find_map(|kind| line.strip_prefix(kind))?;
    words(rest).next().map(|name| (name, is_public))
}

/// Whether a name is one word, and that a past participle.
fn is_participle(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    is_one_word && !NOUNS.contains(&name) && (name.ends_with("ed") || IRREGULAR.contains(&name))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(folder).map_err(Error::file(folder))? {
        let path = entry.map_err(Error::file(folder))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if path.is_dir() {
            if !["target", "node_modules", "corpus", "artifacts_found", "scenarios"].contains(&name.as_str())
            {
                collect(&path, files)?;
            }
        } else if [".rs", ".md", ".ts"].iter().any(|ending| name.ends_with(ending)) {
            files.push(path);
        }
    }
    Ok(())
}
