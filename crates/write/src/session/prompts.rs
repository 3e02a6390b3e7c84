//! The prompts for the model.
//!
//! Short, and the same for the same thing: a model that is told how to end ends.

use std::fmt::Write as _;

use super::options::{BeginOptions, Escape, WriteOperation};
use super::state::{Prompt, PromptKind, WriteReceipt};
use crate::codes;
use crate::continuation::{Anchor, JoinError, Overlap, Seam};
use crate::framing::{EndQuestion, Terminator};
use crate::patch::PatchError;
use crate::validate::{ContentFinding, FileKind, FindingSeverity, ValidationReport};

/// The most findings that the model is told.
const FINDINGS: usize = 5;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The end line of a session from 80 random bits. The caller draws again if the line is in the old file.
#[must_use]
pub fn marker(random: [u8; 10]) -> String {
    let bits = random.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let digit = |place: u32| char::from(ALPHABET[(bits >> (5 * place) & 31) as usize]);
    format!("END-{}", (0..16).rev().map(digit).collect::<String>())
}

pub(super) fn begin(options: &BeginOptions, marker: &str) -> Prompt {
    let what = match options.operation {
        WriteOperation::Create | WriteOperation::Overwrite => "the whole content of",
        WriteOperation::Append => "the content to append to",
        WriteOperation::Patch => "the new text for the patch of",
    };
    let how = match options.kind() {
        FileKind::Docx => "as Markdown: the Word document is made of it",
        _ => "as plain text: it is streamed to the file as it is",
    };
    let mut text = format!(
        "Now write {what} {} {how}. No explanation before or after it, no code fence around it. ",
        options.target_file
    );
    text.push_str(&how_to_end(options.terminator, marker));
    if options.escape == Some(Escape::Backslash) {
        text.push_str(" If a line of the content is itself an end line, write a backslash before it.");
    }
    Prompt { kind: PromptKind::Begin, text }
}

fn how_to_end(terminator: Terminator, marker: &str) -> String {
    match terminator {
        Terminator::Auto => {
            format!(
                "End with the line {marker} alone; a last line DONE alone is understood too, if nothing follows it."
            )
        }
        Terminator::Sentinel => format!("End with the line {marker} alone."),
        Terminator::Done => "End with the line DONE alone.".to_owned(),
        Terminator::None => "Say when it is complete.".to_owned(),
    }
}

fn end_line(terminator: Terminator, marker: &str) -> String {
    match terminator {
        Terminator::Done => "DONE".to_owned(),
        Terminator::Auto | Terminator::Sentinel | Terminator::None => marker.to_owned(),
    }
}

pub(super) fn idle(options: &BeginOptions, marker: &str) -> Prompt {
    let end = match options.terminator {
        Terminator::Sentinel => marker,
        _ => "DONE",
    };
    let text = format!("If you're finished, reply {end} on its own line; otherwise continue.");
    Prompt { kind: PromptKind::Idle, text }
}

pub(super) fn resume(
    options: &BeginOptions,
    marker: &str,
    anchor: &Anchor,
    unclean: Option<JoinError>,
) -> Prompt {
    let mut text = String::new();
    if let Some(unclean) = unclean {
        _ = write!(text, "That was not taken: {unclean}. ");
    }
    _ = write!(
        text,
        "{} is not complete: {} bytes have come, the last in line {}. They end with:\n{}\n\n",
        options.target_file, anchor.offset, anchor.line, anchor.text
    );
    if options.continuation.overlap == Overlap::Dedupe && !anchor.repeat.trim().is_empty() {
        _ = write!(
            text,
            "First repeat exactly this, then go on from its last character:\n{}\n\n",
            anchor.repeat
        );
    } else {
        text.push_str("Go on with the very next character. Repeat nothing. ");
    }
    let end = how_to_end(options.terminator, marker);
    _ = write!(
        text,
        "No words before it, no code fence around it. {end} If nothing is missing, write only the end line."
    );
    Prompt { kind: PromptKind::Continue, text }
}

/// Asks for the rest of a file, from the beginning of the line that was cut. `may_have_ended`: the answer ended by itself.
pub(super) fn resume_at_seam(
    options: &BeginOptions,
    marker: &str,
    (anchor, seam): (Anchor, Option<Seam<'_>>),
    may_have_ended: bool,
    unclean: Option<JoinError>,
) -> Prompt {
    let mut text = String::new();
    if let Some(unclean) = unclean {
        _ = write!(text, "That was not taken: {unclean}. ");
    }
    let end = how_to_end(options.terminator, marker);
    let (bytes, line) = (anchor.offset, anchor.line);
    let file = &options.target_file;
    _ = if may_have_ended {
        write!(
            text,
            "{file} is not complete as far as can be told: {bytes} bytes have come, the last in line {line}, and no end line. \
             If nothing is missing, reply with the end line alone. Otherwise go on: "
        )
    } else {
        write!(
            text,
            "{file} is not complete: it was cut off in line {line}, after {bytes} bytes. What you wrote stands above, up to that line. Go on with it. "
        )
    };
    let repeat = seam.as_ref().map_or(anchor.text, Seam::repeat);
    if repeat.is_empty() {
        text.push_str("Begin it anew, from its first character. ");
    } else {
        _ = write!(text, "First repeat exactly this, then go on from its last character:\n{repeat}\n\n");
    }
    _ = write!(text, "No words before it, no code fence around it. {end}");
    Prompt { kind: PromptKind::Continue, text }
}

/// Adds why the file was cut, when it came too near to a text that is somebody's.
pub(super) fn in_own_words(prompt: &mut Prompt) {
    prompt.text.push_str(
        " The provider stopped the answer because it came too near to a published text: from there on use words of your own.",
    );
}

pub(super) fn ambiguous(options: &BeginOptions, marker: &str, question: EndQuestion) -> Prompt {
    let place = match (question.followed, question.fenced) {
        (true, _) => "and more text follows it",
        (false, true) => "inside a code fence that is still open",
        (false, false) => "at the end",
    };
    let text = format!(
        "{}: line {} is DONE, {place}. If the file ends before that line, reply only DONE. \
         If that line and all that follows are part of the file and it is complete, reply only {}. Otherwise go on with the file.",
        options.target_file,
        question.line,
        end_line(options.terminator, marker)
    );
    Prompt { kind: PromptKind::Ambiguous, text }
}

pub(super) fn empty(options: &BeginOptions, marker: &str) -> Prompt {
    let text = format!(
        "No content has come for {}. Write all of it now. {}",
        options.target_file,
        how_to_end(options.terminator, marker)
    );
    Prompt { kind: PromptKind::Repair, text }
}

pub(super) fn repair(
    options: &BeginOptions,
    marker: &str,
    report: &ValidationReport,
    is_two: bool,
    left: u32,
) -> Prompt {
    let mut text = format!("{} was not written, it has errors:\n", options.target_file);
    let is_told = |finding: &&ContentFinding| {
        let asked = [codes::ONLY_A_PART.name, codes::PROMPT_ARTEFACT.name];
        finding.severity == FindingSeverity::Error || asked.contains(&finding.code.as_str())
    };
    for finding in report.findings.iter().filter(is_told).take(FINDINGS) {
        _ = writeln!(text, "line {}, column {}: {}", finding.line, finding.column, finding.message);
        for line in &finding.context {
            _ = writeln!(text, "  | {line}");
        }
    }
    if report.missing_part().is_some() {
        text.push_str("Send all of it; if this is all, send the same once more. ");
    } else if is_two {
        text.push_str("If these are two files, send only this one; if it is one, send the same once more. ");
    }
    if options.operation == WriteOperation::Append {
        text.push_str("Write all that is to be appended again. ");
    } else {
        _ = write!(
            text,
            "Send a patch rather than the whole file: call WritePlanTool_begin with target_file \"{}\", operation \"patch\" \
             and patch {{\"type\":\"replace_lines\",\"start_line\":N,\"end_line\":M}}, then write only the new lines. \
             Or write the whole content again. ",
            options.target_file
        );
    }
    if report.stray().is_some() {
        text.push_str("Should these lines be of the file, begin it anew with validate \"off\". ");
    }
    _ = write!(text, "{} {left} tries are left.", how_to_end(options.terminator, marker));
    Prompt { kind: PromptKind::Repair, text }
}

pub(super) fn patch_again(options: &BeginOptions, marker: &str, error: &PatchError, left: u32) -> Prompt {
    let text = format!(
        "The patch of {} was not applied: {error}. Call WritePlanTool_begin with another patch, then write its text. {} \
         {left} tries are left.",
        options.target_file,
        how_to_end(options.terminator, marker)
    );
    Prompt { kind: PromptKind::Repair, text }
}

pub(super) fn receipt(receipt: &WriteReceipt) -> Prompt {
    let mut text = format!(
        "{} is written: {} bytes, {} lines, sha256 {}.",
        receipt.path, receipt.bytes, receipt.lines, receipt.sha256
    );
    for warning in &receipt.warnings {
        _ = write!(text, "\n{}: {}", warning.code, warning.message);
    }
    Prompt { kind: PromptKind::Receipt, text }
}
