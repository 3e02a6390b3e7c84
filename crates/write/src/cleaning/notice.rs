//! Recognises lines by which a model says that its text stops here, or goes on.
//!
//! Must never decide alone that a line goes: what may be content is asked about, or comes again.

/// The longest line that is looked at, in bytes.
const LONGEST: usize = 240;
/// Lines at the end of an answer that are looked at.
const LINES: usize = 3;

/// What says that the text goes on in another message, in lower case.
const NOTICES: &[&str] = &[
    "continued",
    "continuing from",
    "continuation of",
    "to be continued",
    "continue in the next",
    "continues in the next",
    "cont'd",
    "cont.",
    "next message",
    "next response",
    "output limit",
    "token limit",
    "length limit",
    "output truncated",
    "response truncated",
    "truncated here",
    "[truncated",
    "(truncated",
    "<truncated",
    "end of part",
    "ende von teil",
    "fin de la partie",
    "fortsetzung",
    "fortgesetzt",
    "wird fortgesetzt",
    "suite dans",
    "à suivre",
    "suite du fichier",
    "continuará",
    "continuación",
    "continua nel",
    "未完待续",
    "续",
    "接上",
    "続く",
    "つづく",
];

/// What asks whether to go on.
const QUESTIONS: &[&str] = &[
    "like me to continue",
    "want me to continue",
    "shall i continue",
    "should i continue",
    "me to go on",
    "shall i go on",
    "should i go on",
    "say \"continue\"",
    "type \"continue\"",
    "reply \"continue\"",
    "say 'continue'",
    "reply with continue",
    "soll ich fortfahren",
    "soll ich weiter",
    "voulez-vous que je continue",
    "souhaitez-vous que je",
    "quieres que contin",
    "desea que contin",
    "是否继续",
    "要我继续",
    "我继续吗",
    "続けますか",
];

/// Whether the line, in brackets, emphasised, or as a comment, says that the text goes on elsewhere, or goes on here.
pub(crate) fn is_notice(line: &str) -> bool {
    let line = line.trim();
    let marks = [
        "//", "#", "--", "/*", "<!--", ";", "%", "*", "_", "(", "[", "{", "（", "【", "...", "…", "=", "~",
        ">",
    ];
    let is_marked = marks.iter().any(|mark| line.starts_with(mark));
    let ends = line.trim_end_matches(['*', '_', ' ', '#', '=', '-', '.', ':']);
    let is_bracketed = ends.ends_with([')', ']', '）', '】']);
    let lower = line.to_lowercase().replace('’', "'");
    let words = lower.split_whitespace().count();
    line.len() <= LONGEST && words <= 16 && says(&lower, NOTICES) && (is_marked || is_bracketed)
}

/// Whether the line, between marks, only says that a part of an answer begins or ends here.
pub(crate) fn is_part_mark(line: &str) -> bool {
    let line = line.trim();
    let is_mark = |c: char| !c.is_alphanumeric();
    let bare = line.trim_matches(is_mark).to_lowercase();
    let mut words = bare.split_whitespace();
    let is_part =
        words.next().is_some_and(|word| ["part", "teil", "partie", "parte", "section"].contains(&word));
    let is_number = words.next().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    let is_marked =
        ["---", "===", "***", "[", "(", "<!--", "**[", "**("].iter().any(|mark| line.starts_with(mark));
    let rest: Vec<&str> = words.collect();
    is_marked
        && is_part
        && is_number
        && (rest.is_empty() || rest.first() == Some(&"of") || rest.first() == Some(&"von"))
}

/// Whether the line asks the reader whether to go on, or how.
fn is_question(line: &str) -> bool {
    let lower = line.trim().to_lowercase().replace('’', "'").replace(['“', '”'], "\"");
    lower.len() <= LONGEST && says(&lower, QUESTIONS)
}

fn says(lower: &str, phrases: &[&str]) -> bool {
    phrases.iter().any(|phrase| lower.contains(phrase))
}

/// How many of the last bytes of `text` are only said to the reader, from the beginning of a line on, and the first line of them.
pub(crate) fn said_at_end(text: &[u8]) -> (usize, String) {
    let mut from = text.len();
    let mut first = String::new();
    let mut rest = text;
    for _ in 0..LINES {
        let end = rest.trim_ascii_end();
        let start = memchr::memrchr(b'\n', end).map_or(0, |newline| newline + 1);
        let Some(line) = end.get(start..).filter(|_| start > 0) else { break };
        let line = String::from_utf8_lossy(line);
        if is_notice(&line) || is_question(&line) {
            (from, first) = (start, line.trim().chars().take(120).collect());
        } else if !is_rule(&line) {
            break;
        }
        rest = rest.get(..start).unwrap_or_default();
    }
    (text.len() - from, first)
}

/// Whether the line is drawn between a text and words about it.
fn is_rule(line: &str) -> bool {
    let line = line.trim();
    line.len() >= 3 && (line.bytes().all(|byte| byte == b'-') || line.bytes().all(|byte| byte == b'*'))
}
