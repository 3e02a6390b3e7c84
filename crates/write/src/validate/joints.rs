//! Looks at the places where a file was gone on with: whether brackets and indentation go on as they were.
//!
//! Must never judge a text by rules that its beginning does not keep: what is wrong before the first joint already is a
//! matter of the language, or of its author.

use super::lexis::{CodeLine, CodeReading, Lexis, read};
use super::{ContentFinding, FileKind, FindingSeverity, Language};
use crate::codes;
use crate::joint::Joint;

/// Lines that are looked at before a joint, and behind it.
const AROUND: usize = 60;
/// Indented lines before a joint that make a style.
const STYLE: usize = 3;
/// Lines without indentation behind a joint that are no chance, where blanks mean nothing by themselves.
const BARE: usize = 4;
/// Findings that are reported.
const FINDINGS: usize = 5;

/// What does not go on behind `joints`, where the file `name` was gone on with.
#[must_use]
pub fn joints(name: &str, bytes: &[u8], joints: &[Joint]) -> Vec<ContentFinding> {
    let mut places: Vec<usize> =
        joints.iter().filter_map(|joint| usize::try_from(joint.proven).ok()).collect();
    places.retain(|joint| *joint > 0 && *joint < bytes.len());
    places.sort_unstable();
    let Some(first) = places.first().copied() else { return Vec::new() };
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let extension =
        file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase()).unwrap_or_default();
    let kind = FileKind::of_name(name);
    if matches!(
        kind,
        FileKind::Csv | FileKind::Tsv | FileKind::Markdown | FileKind::Docx | FileKind::JsonLines
    ) {
        return Vec::new();
    }
    let lexis = Lexis::of_extension(&extension);
    let reading = lexis.map_or_else(|| plain(bytes), |lexis| read(bytes, lexis));
    let mut wrong: Vec<(usize, &str)> = Vec::new();
    // Where a grammar is at hand, it knows better.
    let has_grammar = cfg!(feature = "code") && matches!(kind, FileKind::Code(_));
    if lexis.is_some() && !has_grammar {
        wrong.extend(brackets(&reading, first));
    }
    let is_python = kind == FileKind::Code(Language::Python);
    if is_python {
        wrong.extend(blocks(&reading, first));
    }
    let means = if is_python || kind == FileKind::Yaml { Blanks::Mean } else { Blanks::Show };
    let is_text = kind == FileKind::Text && lexis.is_none();
    if !is_text {
        wrong.extend(places.iter().filter_map(|joint| indentation(&reading, *joint, means)));
    }
    wrong.sort_unstable();
    wrong.dedup_by_key(|(at, _)| *at);
    let finding = |(at, message): (usize, &str)| {
        let message = format!("the file was gone on with in the middle, and {message}");
        ContentFinding::new(codes::SYNTAX_ERROR.name, FindingSeverity::Error, message).at_byte(bytes, at)
    };
    wrong.into_iter().take(FINDINGS).map(finding).collect()
}

/// What blanks at the beginning of a line are in a language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Blanks {
    /// They say what belongs together.
    Mean,
    /// They only show it.
    Show,
}

/// The lines of a text of which nothing more is known.
fn plain(bytes: &[u8]) -> CodeReading<'_> {
    let mut start = 0;
    let lines = bytes.split_inclusive(|byte| *byte == b'\n').map(|text| {
        let line = CodeLine { start, text, depth: 0, is_inside: false, last: None };
        start += text.len();
        line
    });
    CodeReading { lines: lines.collect(), ..CodeReading::default() }
}

/// Brackets that closed and opened well up to the first joint, and do not to the end.
fn brackets(reading: &CodeReading<'_>, first: usize) -> Option<(usize, &'static str)> {
    match (reading.stray, reading.open.last()) {
        (Some(stray), _) if stray < first => None,
        (Some(stray), _) => Some((stray, "this bracket closes none that is open")),
        (None, Some(open)) => Some((*open, "this bracket is not closed")),
        (None, None) => None,
    }
}

/// The first line behind the joint whose indentation Python does not take, if it takes all before.
fn blocks(reading: &CodeReading<'_>, first: usize) -> Option<(usize, &'static str)> {
    let mut stack = vec![0];
    let (mut opens, mut goes_on) = (false, false);
    for line in &reading.lines {
        let text = line.text.trim_ascii();
        let is_code = !text.is_empty() && line.last.is_some() && !line.is_inside && line.depth == 0;
        if is_code && !goes_on {
            let indent = indent(line.text);
            let current = stack.last().copied().unwrap_or_default();
            let problem = if opens && indent <= current {
                Some("a block that was opened has no indented line")
            } else if indent > current && !opens {
                Some("this line is indented, and no block was opened")
            } else {
                while stack.last().is_some_and(|level| *level > indent) {
                    stack.pop();
                }
                if indent > stack.last().copied().unwrap_or_default() && opens {
                    stack.push(indent);
                }
                let is_outside = indent == 0 && (text.starts_with(b"return") || text.starts_with(b"yield "));
                match stack.last() {
                    Some(level) if *level != indent => Some("the indentation of this line fits no block"),
                    _ if is_outside => Some("this line is in no function"),
                    _ => None,
                }
            };
            if let Some(problem) = problem {
                return (line.start >= first).then_some((line.start, problem));
            }
        }
        if line.last.is_some() {
            opens = line.last == Some(b':');
            goes_on = text.ends_with(b"\\");
        }
    }
    None
}

/// Blanks at the beginning of a line.
fn indent(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if *byte == b'\t' { 8 } else { 1 }).sum()
}

/// Whether the lines behind the joint lost the indentation that those before it have, or have another.
fn indentation(reading: &CodeReading<'_>, joint: usize, blanks: Blanks) -> Option<(usize, &'static str)> {
    let is_line =
        |line: &&CodeLine<'_>| !line.is_inside && !line.text.trim_ascii().is_empty() && !is_apart(line.text);
    let at = reading.lines.partition_point(|line| line.start < joint);
    let (before, behind) = reading.lines.split_at(at);
    let before: Vec<&CodeLine<'_>> = before.iter().rev().filter(is_line).take(AROUND).collect();
    // The line that was cut is proven to be as it was.
    let behind: Vec<&CodeLine<'_>> = behind.iter().filter(is_line).skip(1).take(AROUND).collect();
    let begins = |lines: &[&CodeLine<'_>], with: u8| {
        lines.iter().filter(|line| line.text.first() == Some(&with)).count()
    };
    let (spaces, tabs) = (begins(&before, b' '), begins(&before, b'\t'));
    let (then_spaces, then_tabs) = (begins(&behind, b' '), begins(&behind, b'\t'));
    let first = behind.first()?;
    if (spaces >= STYLE && tabs == 0 && then_tabs > 0 && then_spaces == 0)
        || (tabs >= STYLE && spaces == 0 && then_spaces > 0 && then_tabs == 0)
    {
        return Some((first.start, "its lines are indented by other blanks from here on"));
    }
    if then_spaces + then_tabs > 0 || spaces + tabs < STYLE {
        return None;
    }
    let within = |line: &&&CodeLine<'_>| line.depth > 0 && !closes(line.text);
    let bare = match blanks {
        Blanks::Mean => 2 * (spaces + tabs) >= before.len() && behind.len() > 1,
        Blanks::Show if before.iter().any(|line| line.depth > 0) => {
            let inner: Vec<_> = before.iter().filter(within).collect();
            let is_indented = |line: &&&&CodeLine<'_>| indent(line.text) > 0;
            inner.len() >= STYLE
                && inner.iter().all(|line| is_indented(&line))
                && behind.iter().any(|line| within(&line))
        }
        Blanks::Show => 2 * (spaces + tabs) >= before.len() && behind.len() >= BARE,
    };
    bare.then_some((first.start, "no line is indented from here on"))
}

/// Whether the line closes brackets before all else.
fn closes(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(|first| b")}]".contains(first))
}

/// Whether the line stands at the left whatever is around it: directives, labels.
fn is_apart(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    text.starts_with(b"#") || (!line.starts_with(b" ") && text.ends_with(b":") && !text.contains(&b' '))
}
