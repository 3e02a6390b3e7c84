//! Tells pieces of work apart: copies and forks of a session begin alike, down to their times.

use std::borrow::Cow;

use engross_transcript::stats::sha;
use engross_transcript::{StepKind, TranscriptStep};

/// So many steps at the beginning tell which work it is.
const STEPS: usize = 3;

/// Hash of how a session began: its first steps with their times, or with their ids where they have none.
pub(super) fn work_of(path: &[&TranscriptStep]) -> String {
    let mut begin = String::new();
    for step in path.iter().take(STEPS) {
        let when = match (&step.timestamp, &step.entry) {
            (Some(time), _) => time.to_string(),
            (None, entry) => entry.as_deref().unwrap_or_default().to_owned(),
        };
        let text = match &step.what {
            StepKind::User { text, .. } | StepKind::Thinking(text) | StepKind::Assistant { text, .. } => {
                text.whole()
            }
            StepKind::Call(call) => call.arguments.whole(),
            _ => Cow::Borrowed(""),
        };
        begin.push_str(&when);
        begin.push('\0');
        begin.push_str(&text);
        begin.push('\0');
    }
    sha(begin.as_bytes())
}
