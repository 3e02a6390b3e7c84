//! Files that a message names with `@`: the model is given what is in them.
//!
//! Must never change a file, or take a word for a file that is not there.

use std::path::Path;

use engross_docx::read::{ReadOptions, notation};
use engross_docx::{Limits, WordDocument};

use engross_compose::files::by_path;

/// Bytes of a largest file.
const LARGEST: u64 = 256 << 10;

/// Bytes of a largest document, which is read before it is known how long its text is.
const LARGEST_DOCUMENT: u64 = 64 << 20;

/// What became of a message and the files that it names.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct AttachedFiles {
    /// The message as the model reads it.
    pub(super) text: String,
    /// What was attached, for the person: path and bytes.
    pub(super) files: Vec<(String, usize)>,
    /// What could not be, and why.
    pub(super) problems: Vec<String>,
}

/// The paths that a message names, each once: `@notes.md`, `@"a b.txt"`, `@a\ b.txt`.
pub(super) fn mentions(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut rest = text;
    let mut before = None;
    while let Some(at) = rest.find('@') {
        let (head, tail) = rest.split_at(at);
        before = head.chars().next_back().or(before);
        let tail = tail.get(1..).unwrap_or_default();
        let begins =
            before.is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '[' | ',' | '"'));
        before = Some('@');
        rest = tail;
        if !begins {
            continue;
        }
        let (path, length) = path_at(tail);
        rest = tail.get(length..).unwrap_or_default();
        before = tail.get(..length).and_then(|taken| taken.chars().next_back()).or(before);
        if !path.is_empty() && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The path at the beginning of a text, and how many bytes it takes.
fn path_at(text: &str) -> (String, usize) {
    if let Some(quoted) = text.strip_prefix('"') {
        let end = quoted.find('"').unwrap_or(quoted.len());
        return (quoted.get(..end).unwrap_or_default().to_owned(), (end + 2).min(text.len()));
    }
    let mut path = String::new();
    let mut characters = text.char_indices();
    let mut end = text.len();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => path.extend(characters.next().map(|(_, escaped)| escaped)),
            blank if blank.is_whitespace() => {
                end = at;
                break;
            }
            other => path.push(other),
        }
    }
    (path, end)
}

/// Reads the files that a message names. Blocks.
pub(super) fn attach(text: &str) -> AttachedFiles {
    let mut attached = AttachedFiles { text: text.to_owned(), files: Vec::new(), problems: Vec::new() };
    for named in mentions(text) {
        let trimmed = named.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '"']);
        let read = match content(&named) {
            Err(Unreadable::Missing) if trimmed != named => {
                content(trimmed).map(|content| (trimmed, content))
            }
            read => read.map(|content| (named.as_str(), content)),
        };
        match read {
            Ok((path, content)) => {
                attached.text.push_str(&format!("\n\n<file path=\"{path}\">\n{content}"));
                if !content.ends_with('\n') {
                    attached.text.push('\n');
                }
                attached.text.push_str("</file>");
                attached.files.push((path.to_owned(), content.len()));
            }
            // `@alice` is no file, and was not meant to be one.
            Err(Unreadable::Missing) if !trimmed.contains(['/', '.']) => {}
            Err(Unreadable::Missing) => attached.problems.push(format!("there is no file {trimmed}")),
            Err(Unreadable::Other(problem)) => attached.problems.push(problem),
        }
    }
    attached
}

enum Unreadable {
    Missing,
    Other(String),
}

/// What the model is given of a file.
fn content(named: &str) -> Result<String, Unreadable> {
    let path = Path::new(named);
    let is_document = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("docx"));
    let read = if is_document {
        by_path::read(path, LARGEST_DOCUMENT).map(|(bytes, _)| bytes)
    } else {
        by_path::read_text(path, LARGEST).map(String::into_bytes)
    };
    let bytes = read.map_err(|error| match error.code() {
        "NOT_FOUND" => Unreadable::Missing,
        _ => Unreadable::Other(error.to_string()),
    })?;
    if !is_document {
        return String::from_utf8(bytes).map_err(|_| Unreadable::Other(format!("{named} is no text")));
    }
    let opened = WordDocument::open(bytes, &Limits::default());
    let reading = opened.and_then(|document| document.read(&ReadOptions::default()));
    let text = reading.map(|reading| notation(&reading, &[]));
    let text = text.map_err(|error| Unreadable::Other(format!("{named}: {error}")))?;
    let fits = text.len() as u64 <= LARGEST;
    if fits { Ok(text) } else { Err(Unreadable::Other(format!("{named} is too long to be attached"))) }
}
