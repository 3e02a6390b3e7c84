//! Finds text that does not belong into any file: elisions, markers, chatter.

use super::{ContentFinding, FileKind, FindingSeverity, Subject, Validator};
use crate::cleaning::{is_closing, is_end_word, is_opening, is_sentence};
use crate::codes;

/// What is said of a line that is an end line or a token: within a file it may be meant, so nobody is asked.
pub(super) const TOKEN_LINE: &str = "the line is of a conversation with a model, not of the file";
/// Findings of one sort that are reported.
const EACH: usize = 5;
/// The longest line that can be an elision, in bytes.
const ELISION: usize = 160;

/// The checks that any file gets; some depend on what it is.
pub(super) struct CommonChecks(pub(super) FileKind);

impl Validator for CommonChecks {
    fn name(&self) -> &'static str {
        "common"
    }

    fn check(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let mut findings = Vec::new();
        let mut counts = [0; 5];
        for (number, line) in (1..).zip(subject.bytes.split(|byte| *byte == b'\n')) {
            let text = String::from_utf8_lossy(line);
            for (sort, found) in self.line(&text, subject.marker).into_iter().enumerate() {
                let Some((code, severity, message)) = found else { continue };
                counts[sort] += 1;
                if counts[sort] <= EACH && !was_there(subject.old, line) {
                    findings.push(ContentFinding::new(code, severity, message).at(subject.bytes, number, 0));
                }
            }
        }
        findings.extend(self.said(subject));
        findings
    }
}

type CommonFinding = Option<(&'static str, FindingSeverity, &'static str)>;

impl CommonChecks {
    /// Words to the reader in the first or last lines.
    fn said(&self, subject: &Subject<'_>) -> Vec<ContentFinding> {
        let is_code = matches!(
            self.0,
            FileKind::Code(_) | FileKind::Json | FileKind::JsonLines | FileKind::Csv | FileKind::Tsv
        );
        let lines = || {
            (1usize..)
                .zip(subject.bytes.split(|byte| *byte == b'\n'))
                .filter(|(_, line)| !line.trim_ascii().is_empty())
        };
        let first = lines().next();
        let heads = lines().nth(1).is_some_and(|(_, line)| line.starts_with(b"# "));
        let wraps = |line: &str| heads && self.0 == FileKind::Markdown && line.trim() == "```";
        let mut last: Vec<(usize, &[u8])> = lines().collect::<Vec<_>>().into_iter().rev().take(2).collect();
        last.reverse();
        let is_fence = |line: &str| is_code && (line.starts_with("```") || line.starts_with("~~~"));
        let opens =
            |line: &str| wraps(line) || is_opening(line) || (is_code && is_sentence(line)) || is_fence(line);
        let closes = |line: &str| {
            is_closing(line) || is_end_word(line) || (is_code && is_sentence(line)) || is_fence(line)
        };
        let found = first.into_iter().filter(|(_, line)| opens(&String::from_utf8_lossy(line)));
        let found = found.chain(last.into_iter().filter(|(_, line)| closes(&String::from_utf8_lossy(line))));
        let mut findings: Vec<ContentFinding> = Vec::new();
        for (number, line) in found {
            let is_known = findings.iter().any(|finding| finding.line == number as u64);
            if !is_known && !was_there(subject.old, line) {
                let message = "the line is said to the reader, and is not of the file";
                let finding =
                    ContentFinding::new(codes::PROMPT_ARTEFACT.name, FindingSeverity::Error, message);
                findings.push(finding.at(subject.bytes, number, 0));
            }
        }
        findings
    }

    fn line(&self, line: &str, marker: Option<&str>) -> [CommonFinding; 5] {
        let is_prose = matches!(self.0, FileKind::Markdown | FileKind::Text | FileKind::Html);
        let text = line.trim();
        let conflict = line.starts_with("<<<<<<< ") || line.starts_with(">>>>>>> ");
        let marked = marker.is_some_and(|marker| line.contains(marker));
        [
            marked.then_some((
                codes::MARKER_IN_CONTENT.name,
                FindingSeverity::Error,
                "the end marker of the session stands in a line with other text",
            )),
            is_elision(text, is_prose).then_some((
                codes::ELISION.name,
                FindingSeverity::Warning,
                "the line stands for text that was left out",
            )),
            conflict.then_some((
                codes::CONFLICT_MARKER.name,
                FindingSeverity::Warning,
                "this is the marker of a merge conflict",
            )),
            is_mojibake(text).then_some((
                codes::MOJIBAKE.name,
                FindingSeverity::Warning,
                "the text was decoded wrongly",
            )),
            is_artefact(text).then_some((
                codes::PROMPT_ARTEFACT.name,
                // A file about models may have it.
                FindingSeverity::Hint,
                TOKEN_LINE,
            )),
        ]
    }
}

fn was_there(old: Option<&[u8]>, line: &[u8]) -> bool {
    old.is_some_and(|old| memchr::memmem::find(old, line).is_some())
}

/// A comment, or in prose a line in brackets, that says that the rest is as before.
pub(super) fn is_elision(text: &str, is_prose: bool) -> bool {
    let comment = ["//", "#", "--", "/*", "<!--", ";", "%", "*"].iter().any(|mark| text.starts_with(mark));
    let bracketed = text.starts_with(['(', '[']) && text.ends_with([')', ']']);
    if text.len() > ELISION || !(comment || (is_prose && bracketed) || text.starts_with("...")) {
        return false;
    }
    let lower = text.to_lowercase();
    let dots = lower.contains("...") || lower.contains('…');
    let remains = [
        "rest of",
        "remaining",
        "existing code",
        "previous code",
        "other code",
        "same as before",
        "same as above",
    ];
    let stays = [
        "unchanged",
        "remains the same",
        "remain the same",
        "stays the same",
        "stay the same",
        "stays as it is",
        "stay as they are",
        "omitted for brevity",
        "goes here",
        "as before",
        "bleibt unverändert",
        "bleiben unverändert",
        "bleibt wie",
        "reste inchangé",
        "sin cambios",
        "保持不变",
    ];
    let phrase = |phrases: &[&str]| phrases.iter().any(|phrase| lower.contains(phrase));
    (dots && (phrase(&remains) || phrase(&stays))) || (phrase(&["rest of", "remaining"]) && phrase(&stays))
}

/// The number that the line begins with, where a mark parts it from the rest.
pub(super) fn own_number(line: &str) -> Option<usize> {
    let own = line.trim_start().trim_start_matches('L');
    let digits = own.bytes().take_while(u8::is_ascii_digit).count();
    let (count, rest) = own.split_at(digits);
    let is_marked = rest.is_empty() || rest.starts_with([':', '|', '\t', '→']) || rest.starts_with(" |");
    count.parse().ok().filter(|_| is_marked)
}

/// Two characters that come from UTF-8 read as Latin-1 or Windows-1252.
fn is_mojibake(text: &str) -> bool {
    [
        "Ã¤",
        "Ã¶",
        "Ã¼",
        "ÃŸ",
        "Ã©",
        "Ã¨",
        "Ã±",
        "Ã§",
        "Ã¡",
        "Ã³",
        "â€™",
        "â€œ",
        "â€\u{9d}",
        "â€“",
        "â€”",
        "ï»¿",
        "Â ",
    ]
    .iter()
    .any(|wrong| text.contains(wrong))
}

/// Whether the line is an end line, or a token of the format of models.
pub(super) fn is_artefact(text: &str) -> bool {
    let tokens = [
        "<|im_start|>",
        "<|im_end|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "[/INST]",
        "</think>",
        "<think>",
        "<tool_call>",
        "</tool_call>",
        "</s>",
        "<|end|>",
        "<|user|>",
        "<|assistant|>",
        "<end_of_turn>",
        "<｜end▁of▁sentence｜>",
    ];
    let ends = |token: &&str| text.ends_with(*token) && (text.starts_with('<') || token.starts_with("<|"));
    text == "DONE" || tokens.iter().any(|token| text == *token || ends(token))
}
