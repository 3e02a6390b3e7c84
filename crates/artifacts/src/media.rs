//! Finds the files outside the scope that an agent's answer names as its own.
//!
//! Must never look at the disk, nor guess: only `MEDIA:` tokens and the fields for media count.

use percent_encoding::percent_decode_str;
use serde_json::Value;

const TOKEN: &str = "MEDIA:";

/// How deep a result is looked through.
const DEPTH: usize = 16;

/// The paths behind `MEDIA:` in a text, in their order, each once.
///
/// A path in quotes or backticks ends with them; any other one ends at a blank, without the punctuation before it. Where the token
/// begins its line and its first word has no extension, blanks belong to the path up to the first word that has one, as OpenClaw
/// reads it. A word that merely ends in `MEDIA:` is no token.
#[must_use]
pub fn media_tokens(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut before = None;
    while let Some((head, tail)) = rest.split_once(TOKEN) {
        let previous = head.chars().next_back().or(before);
        if !previous.is_some_and(|c: char| c.is_alphanumeric() || c == '_') {
            let begins_line = head.rsplit('\n').next().unwrap_or_default().trim().is_empty();
            push(&mut found, path_at_start(tail, begins_line));
        }
        before = Some(':');
        rest = tail;
    }
    found
}

/// The paths that a result names: `mediaUrl`, `mediaUrls`, at any depth, and the tokens in its texts `output`, `text` and
/// `message`. In their order, each once.
#[must_use]
pub fn media_references(result: &Value) -> Vec<String> {
    let mut found = Vec::new();
    look(result, DEPTH, &mut found);
    found
}

fn look(value: &Value, depth: usize, found: &mut Vec<String>) {
    if depth == 0 {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("mediaUrl", Value::String(url)) => push(found, url),
                    ("mediaUrls", Value::Array(urls)) => {
                        urls.iter().filter_map(Value::as_str).for_each(|url| push(found, url));
                    }
                    ("output" | "text" | "message", Value::String(text)) => {
                        media_tokens(text).iter().for_each(|path| push(found, path));
                    }
                    _ => look(value, depth - 1, found),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| look(value, depth - 1, found)),
        _ => {}
    }
}

fn path_at_start(text: &str, begins_line: bool) -> &str {
    let text = text.trim_start_matches([' ', '\t']);
    let line = text.lines().next().unwrap_or_default();
    for (open, close) in [('"', '"'), ('\'', '\''), ('`', '`'), ('<', '>')] {
        if let Some((quoted, _)) = line.strip_prefix(open).and_then(|rest| rest.split_once(close)) {
            return quoted;
        }
    }
    let word = trimmed(line.split(char::is_whitespace).next().unwrap_or_default());
    if !begins_line || !word.starts_with(['/', '~', '.']) || has_extension(word) {
        return word;
    }
    let own = line.split(TOKEN).next().unwrap_or_default();
    let up_to_word_at = |at: usize| {
        let end =
            own.get(at..).and_then(|rest| rest.find(char::is_whitespace)).map_or(own.len(), |end| at + end);
        trimmed(own.get(..end).unwrap_or_default())
    };
    let blanks = own.match_indices(char::is_whitespace).map(|(at, blank)| at + blank.len());
    let mut longer = blanks.map(up_to_word_at);
    longer.find(|path| has_extension(path)).unwrap_or(word)
}

fn trimmed(word: &str) -> &str {
    word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '`', '>', '*'])
}

/// Whether the last word of a path ends as names of files do.
fn has_extension(path: &str) -> bool {
    let name = path.rsplit(['/', ' ', '\t']).next().unwrap_or_default();
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=10).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

fn push(found: &mut Vec<String>, reference: &str) {
    let reference = reference.trim();
    let path = match reference.strip_prefix("file://") {
        // A host is there only in theory.
        Some(url) => {
            percent_decode_str(url.strip_prefix("localhost").unwrap_or(url)).decode_utf8_lossy().into_owned()
        }
        None => reference.to_owned(),
    };
    if !path.is_empty() && !found.contains(&path) {
        found.push(path);
    }
}
