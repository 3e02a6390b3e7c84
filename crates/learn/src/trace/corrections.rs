//! Finds the places where a person corrected the agent: the most valuable words of a transcript.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use engross_transcript::{Speaker, StepKind, TranscriptStep};

/// A person's words that set the agent right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Correction {
    /// The line they stand in.
    pub line: u64,
    /// The words.
    pub text: String,
    /// What the agent had said or done before.
    pub about: String,
}

/// How people begin when they disagree, and what they say when they want it otherwise for good.
static WORDS: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?ix)
        ^\s*(no[,.!\s]|nope|wrong\b|stop\b|that'?s\ (not|wrong)|that\ is\ (not|wrong)|not\ (like\ )?that|
             don'?t\b|do\ not\b|never\b|actually\b|i\ (said|meant|asked|told)|again[:,]|undo\b|revert\b|
             please\ (don'?t|do\ not|always|never|use)|use\ .{1,80}\ instead|nein\b|non\b)
        |\b(instead\ of|rather\ than|not\ what\ i|you\ should(n'?t|\ not|\ have)?|you\ forgot|you\ must|
             from\ now\ on|in\ (the\ )?future|always\ use|never\ use|next\ time|remember\ (to|that))\b",
    )
    .ok()
});

/// The corrections among `steps`, in order.
pub(super) fn corrections(steps: &[&TranscriptStep]) -> Vec<Correction> {
    let mut about: Option<&TranscriptStep> = None;
    let mut corrections = Vec::new();
    for step in steps {
        match &step.what {
            StepKind::User { text, origin: Speaker::Person } => {
                let Some(about) = about.take() else { continue };
                let text = text.whole();
                if is_correction(&text) {
                    let (text, about) = (text.into_owned(), said_in(about));
                    corrections.push(Correction { line: step.line, text, about });
                }
            }
            StepKind::Assistant { origin: Speaker::Model, .. } | StepKind::Call(_) => about = Some(step),
            _ => {}
        }
    }
    corrections
}

fn said_in(step: &TranscriptStep) -> String {
    match &step.what {
        StepKind::Assistant { text, .. } => text.whole().into_owned(),
        StepKind::Call(call) => format!("{} {}", call.tool, call.arguments.whole()),
        _ => String::new(),
    }
}

/// Whether the words disagree.
pub(crate) fn is_correction(text: &str) -> bool {
    WORDS.as_ref().is_some_and(|words| words.is_match(text))
}
