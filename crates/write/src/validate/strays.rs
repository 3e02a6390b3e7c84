//! Finds what a model put between the lines of a file, or around all of it: calls of tools, numbers of lines, a wrapping in another
//! format, words about going on, lines once more.
//!
//! Must never say more than that a file looks so. A hint is asked about once, and who sends the same again means it.

use std::collections::HashMap;

use super::common::own_number;
use super::drift::drift;
use super::{ContentFinding, FileKind, FindingSeverity, Subject};
use crate::cleaning::{is_notice, is_part_mark};
use crate::codes;
use crate::joint::Joint;

/// Lines in a row that bear their own number.
const NUMBERED: usize = 4;
/// Lines at each side of a joint in which a notice stands.
const NEAR: usize = 3;
/// Lines before a joint of which some may come once more behind it.
const BEFORE: usize = 40;
/// Lines that come once more, and what they weigh together.
const AGAIN: usize = 3;
const WEIGHT: usize = 40;
/// Elements that models put around a file.
const AROUND: [&str; 11] = [
    "file",
    "content",
    "file_content",
    "document",
    "output",
    "answer",
    "code",
    "artifact",
    "antArtifact",
    "response",
    "result",
];
/// References of markup that are no chance.
const ESCAPED: usize = 3;

/// What stands in the file that is not of it, wherever it was gone on with.
pub(super) fn strays(kind: FileKind, subject: &Subject<'_>) -> Vec<ContentFinding> {
    let bytes = subject.bytes;
    let text = String::from_utf8_lossy(bytes);
    let mut found: Vec<(usize, &str)> = Vec::new();
    let is_data = matches!(kind, FileKind::Json | FileKind::JsonLines);
    if kind != FileKind::Tsv
        && let Some(line) = numbered(&text)
    {
        found.push((line, "each line from here on begins with its own number"));
    }
    if is_json_around(&text, is_data) {
        found.push((1, "the content is wrapped into a JSON object: write it as it is"));
    }
    if is_json_text(&text) {
        found.push((
            1,
            "the content is written as a text of JSON, with quotes around it and \\n for line ends",
        ));
    }
    if let Some(line) = foreign_element(&text).filter(|_| kind != FileKind::Xml) {
        found.push((line, "this closes an element that nothing opens: it was put around the content"));
    }
    if let Some(line) = second_file(&text) {
        found.push((line, "another file begins here: each file is begun by a call of its own"));
    }
    if kind != FileKind::Xml && is_element_around(&text, kind == FileKind::Html) {
        found.push((1, "the content is wrapped into an element: write it as it is"));
    }
    if !is_data && is_one_escaped_line(&text) {
        found.push((1, "the lines are separated by \\n instead of line ends"));
    }
    if matches!(kind, FileKind::Code(_))
        && let Some(line) = escaped_code(&text)
    {
        found.push((line, "characters are written as references of HTML (&lt;, &gt;, &amp;)"));
    }
    if let Some(line) = outline_before(&text) {
        found.push((line, "an outline stands before the text itself"));
    }
    if let Some((line, message)) = end_notice(&text) {
        found.push((line, message));
    }
    let was_there = |line: &usize| {
        let own = text.lines().nth(line - 1).unwrap_or_default().trim();
        !own.is_empty() && subject.old.is_some_and(|old| memchr::memmem::find(old, own.as_bytes()).is_some())
    };
    let found = found.into_iter().filter(|(line, _)| !was_there(line));
    let mut findings: Vec<ContentFinding> = found.map(|(line, what)| finding(bytes, line, what)).collect();
    if let Some(line) = text.lines().position(is_call).map(|at| at + 1).filter(|line| !was_there(line)) {
        let message = "the line calls a tool: within the content of a file that is not done, it only stands in the file";
        findings.push(ContentFinding { severity: FindingSeverity::Hint, ..finding(bytes, line, message) });
    }
    findings
}

/// What stands around `joints`, where the file was gone on with.
#[must_use]
pub fn strays_at(kind: FileKind, bytes: &[u8], joints: &[Joint]) -> Vec<ContentFinding> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.split('\n').collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for joint in joints {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len());
        let line = |at: usize| memchr::memchr_iter(b'\n', bytes.get(..at).unwrap_or_default()).count();
        let (at, cut) = (place(joint.proven), place(joint.cut));
        let first = line(at);
        let cut_line = line(cut) - first;
        let (before, behind) = lines.split_at(first.min(lines.len()));
        let full = |line: &(usize, &&str)| !line.1.trim().is_empty();
        let near_before = before.iter().enumerate().rev().filter(full).take(NEAR);
        let near_behind =
            behind.iter().enumerate().filter(full).take(NEAR + 1).map(|(at, line)| (first + at, line));
        if let Some((at, _)) =
            near_before.chain(near_behind).find(|(_, line)| is_notice(line) || is_part_mark(line))
        {
            found.push((
                at + 1,
                "the file was gone on with here, and the line says so: it is not of the file",
            ));
        }
        if let Some(line) = escaped_from(&text, at) {
            found.push((
                line,
                "the file was gone on with before, and from here on characters are references of HTML",
            ));
        }
        let behind_ends =
            behind.split_last().filter(|(last, _)| last.is_empty()).map_or(behind, |(_, rest)| rest);
        found.extend(
            drift(kind, before, behind_ends, cut_line).into_iter().map(|(at, what)| (first + at + 1, what)),
        );
        if let Some(at) = again(before, behind) {
            found.push((
                first + at + 1,
                "the file was gone on with just before, and lines from before that come once more here",
            ));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(line, _)| *line);
    found.into_iter().take(5).map(|(line, what)| finding(bytes, line, what)).collect()
}

/// What says that the content of the file `name` is a difference from nothing, with marks before its lines.
#[must_use]
pub fn diff_stray(name: &str, bytes: &[u8]) -> Option<ContentFinding> {
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    if ["diff", "patch"].iter().any(|own| extension.eq_ignore_ascii_case(own)) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes.get(..bytes.len().min(64 << 10)).unwrap_or_default());
    let head = ["--- ", "+++ ", "@@ -", "diff --git ", "index ", "new file mode "];
    let is_head = |line: &&str| head.iter().any(|mark| line.starts_with(mark));
    let mut lines = text.lines().skip_while(|line| line.trim().is_empty());
    let heads = lines.by_ref().take_while(is_head).count();
    let has_hunk = text.lines().take(heads + 1).any(|line| line.starts_with("@@ -"));
    let is_marked = text
        .lines()
        .skip(heads + 1)
        .all(|line| line.is_empty() || line.starts_with(['+', '-', ' ', '@', '\\']));
    let message = "the content is a difference, with + before its lines: write the file as it is to be";
    (has_hunk && is_marked).then(|| finding(bytes, 1, message))
}

fn finding(bytes: &[u8], line: usize, message: &str) -> ContentFinding {
    ContentFinding::new(codes::PROMPT_ARTEFACT.name, FindingSeverity::Warning, message).at(bytes, line, 0)
}

/// Whether the line is a call of a tool as models without tools are told to make it.
fn is_call(line: &str) -> bool {
    let call = line.strip_prefix("CALL ").and_then(|call| call.split_once(' '));
    call.is_some_and(|(name, arguments)| {
        name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(arguments.trim()).is_ok()
    })
}

/// The first of some lines in a row that begin with their own number, apart from the line by a mark.
fn numbered(text: &str) -> Option<usize> {
    let mut run = 0;
    for (number, line) in (1usize..).zip(text.lines()) {
        run = if own_number(line) == Some(number) { run + 1 } else { 0 };
        if run == NUMBERED {
            return Some(number + 1 - NUMBERED);
        }
    }
    None
}

/// Whether all of it is an object that has the content as a text.
fn is_json_around(text: &str, is_data: bool) -> bool {
    let text = text.trim();
    if !text.starts_with('{') || !text.ends_with('}') {
        return false;
    }
    let Ok(serde_json::Value::Object(fields)) = serde_json::from_str(text) else { return false };
    const CONTENT: [&str; 5] = ["content", "file_content", "raw_content", "text", "code"];
    const ABOUT: [&str; 9] = [
        "target_file",
        "path",
        "file",
        "filename",
        "file_path",
        "file_name",
        "operation",
        "language",
        "intent",
    ];
    let knows = |name: &String| CONTENT.contains(&name.as_str()) || ABOUT.contains(&name.as_str());
    let content = CONTENT.iter().find_map(|name| fields.get(*name)?.as_str());
    let names = fields.keys().any(|name| ABOUT.contains(&name.as_str()));
    fields.keys().all(knows) && content.is_some_and(|content| content.contains('\n')) && (names || !is_data)
}

/// Whether its first line opens an element that is said around files, and its last one closes that.
fn is_element_around(text: &str, is_html: bool) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let (Some(first), Some(last)) = (lines.next(), lines.next_back()) else { return false };
    let Some(inside) = first.strip_prefix('<').and_then(|inside| inside.strip_suffix('>')) else {
        return false;
    };
    let name = inside.split([' ', '\t']).next().unwrap_or_default();
    let is_its_own = is_html && ["output", "code"].contains(&name);
    AROUND.contains(&name) && !is_its_own && last == format!("</{name}>")
}

/// Whether all of it is a text of JSON that has lines.
fn is_json_text(text: &str) -> bool {
    let text = text.trim();
    text.len() > 60
        && text.starts_with('"')
        && text.ends_with('"')
        && serde_json::from_str::<String>(text).is_ok_and(|content| content.trim().contains('\n'))
}

/// The last line, where it closes an element that is said around files, and that nothing opens.
fn foreign_element(text: &str) -> Option<usize> {
    let (number, last) = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).last()?;
    let name = last.trim().strip_prefix("</")?.strip_suffix('>')?;
    let opens = || text.contains(&format!("<{name}>")) || text.contains(&format!("<{name} "));
    (AROUND.contains(&name) && !opens()).then_some(number)
}

/// A line that names another file between marks, where it is the only one of its kind and not the first line.
fn second_file(text: &str) -> Option<usize> {
    let is_mark = |c: char| matches!(c, '=' | '-' | '*' | '>' | '<' | '~' | ' ');
    let names = |line: &str| {
        let line = line.trim();
        let bare = line.trim_matches(is_mark);
        let bare =
            ["File: ", "file: ", "Datei: "].iter().find_map(|word| bare.strip_prefix(word)).unwrap_or(bare);
        let is_marked = ["===", "---", "***", ">>>", "~~~"]
            .iter()
            .any(|mark| line.starts_with(mark) && line.len() > bare.len() + 6);
        let extension = bare.rsplit_once('.').map_or("", |(_, extension)| extension);
        let is_name = !bare.contains(char::is_whitespace)
            && (1..=5).contains(&extension.len())
            && extension.chars().all(char::is_alphanumeric)
            && extension.contains(char::is_alphabetic);
        is_marked && is_name
    };
    let mut named = (1usize..).zip(text.lines()).filter(|(_, line)| names(line));
    let (number, _) = named.next()?;
    let is_behind = text.lines().take(number - 1).any(|line| !line.trim().is_empty());
    (is_behind && named.next().is_none()).then_some(number)
}

/// Whether lines are only told by `\n`: the text has one line, and some of these.
fn is_one_escaped_line(text: &str) -> bool {
    let text = text.trim();
    !text.contains('\n') && text.matches("\\n").count() >= 3 && text.len() > 60
}

/// The first line with references of HTML, where nothing behind it is written without them.
fn escaped_code(text: &str) -> Option<usize> {
    let names = ["&lt;", "&gt;", "&amp;"];
    let at = names.iter().filter_map(|name| text.find(name)).min()?;
    let behind = text.get(at..).unwrap_or_default();
    let count: usize = names.iter().map(|name| behind.matches(name).count()).sum();
    let plain = behind.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "");
    let is_all = !plain.contains(['<', '>']);
    (count >= ESCAPED && is_all).then(|| text.get(..at).unwrap_or_default().matches('\n').count() + 1)
}

/// The first line behind byte `at` with a reference of HTML for what was written as it is before, and never is any more.
fn escaped_from(text: &str, at: usize) -> Option<usize> {
    let (before, behind) = text.split_at_checked(at)?;
    let is_escaped = |(name, plain): &(&str, char)| {
        // The line that was cut may begin as it did.
        let from = behind.find(name).unwrap_or_default();
        let rest = behind.get(from..).unwrap_or_default();
        let other = ["&lt;", "&gt;", "&amp;", "&quot;"]
            .iter()
            .fold(rest.to_owned(), |text, name| text.replace(name, ""));
        !before.contains(*name)
            && before.contains(*plain)
            && behind.contains(*name)
            && !other.contains(*plain)
    };
    let found = [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&')].into_iter().filter(is_escaped);
    let first = found.filter_map(|(name, _)| behind.find(name)).min()?;
    Some(text.get(..at + first)?.matches('\n').count() + 1)
}

/// The first line, where it heads an outline that a rule or such words part from the text.
fn outline_before(text: &str) -> Option<usize> {
    let mut lines = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let (number, first) = lines.next()?;
    let bare = first.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let is_head =
        ["outline", "my outline", "file outline", "plan", "my plan", "gliederung", "plan du fichier", "大纲"];
    let is_item = |line: &str| {
        let line = line.trim_start();
        line.starts_with(['-', '*', '•']) || line.starts_with(|c: char| c.is_ascii_digit())
    };
    if !is_head.contains(&bare.as_str()) {
        return None;
    }
    let behind = lines.map(|(_, line)| line).find(|line| !is_item(line) || line.trim() == "---")?;
    let lower = behind.trim().to_lowercase();
    let parts =
        lower == "---" || (lower.ends_with(':') && (lower.contains("file") || lower.contains("text")));
    parts.then_some(number)
}

/// The last line, where it says that the file ends.
fn end_notice(text: &str) -> Option<(usize, &'static str)> {
    let (number, last) = (1usize..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).last()?;
    let last = last.trim();
    let bare = last.trim_matches(|c: char| !c.is_alphabetic()).to_lowercase();
    let says = [
        "end of file",
        "end of document",
        "eof",
        "ende der datei",
        "ende des dokuments",
        "fin du fichier",
        "fin del archivo",
        "文件结束",
    ];
    if super::common::is_artefact(last) && last.starts_with('<') {
        return Some((number, "the line is a token of the format of a model"));
    }
    // What ends with this word may have begun so.
    let is_known = text.matches(last).count() > 1;
    (says.contains(&bare.as_str()) && !is_known)
        .then_some((number, "the line says that the file ends, and is not of it"))
}

/// Where behind a joint the lines come once more that stand before it, up to it.
fn again(before: &[&str], behind: &[&str]) -> Option<usize> {
    let full = |lines: &[&str]| -> Vec<(usize, String)> {
        let lines = lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
        lines.map(|(at, line)| (at, line.trim().to_owned())).collect()
    };
    let (before, behind) = (full(before), full(behind));
    let before = before.get(before.len().saturating_sub(BEFORE)..).unwrap_or_default();
    // The line that was cut, and what follows; it may stand at the end of the lines that come again.
    let joint = behind.first()?.1.as_str();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    before.iter().for_each(|(_, line)| *counts.entry(line).or_default() += 1);
    for from in 1..=NEAR.min(behind.len()) {
        for start in 0..before.len() {
            let run = before.get(start..)?;
            let next = behind.get(from..)?;
            let is_run = run.len() >= AGAIN
                && next.len() > run.len()
                && run.iter().zip(next).all(|((_, one), (_, other))| one == other);
            let weight: usize = run.iter().map(|(_, line)| line.len()).sum();
            let ends = next.get(run.len()).is_some_and(|(_, line)| line == joint);
            let tells = run.iter().any(|(_, line)| counts.get(line.as_str()) == Some(&1));
            if is_run && weight >= WEIGHT && ends && tells {
                return behind.get(from).map(|(at, _)| *at);
            }
        }
    }
    None
}
