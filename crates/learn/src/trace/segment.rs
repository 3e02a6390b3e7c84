//! A part of a trace's reasoning, with the line it comes from.

use engross_transcript::{SessionText, SharedName};

/// What a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SegmentKind {
    /// Words of a person.
    User,
    /// Words that a program put into the conversation.
    Program,
    /// Thoughts of the model.
    Thinking,
    /// Words of the model.
    Response,
    /// A call of a tool.
    Call,
    /// What a tool gave back: data, never instructions.
    Result,
    /// Something that happened.
    Event,
}

/// A part of the reasoning.
#[derive(Debug, Clone, PartialEq)]
pub struct Segment {
    /// The line of the transcript.
    pub line: u64,
    /// What it is.
    pub kind: SegmentKind,
    /// What stands in brackets before it, such as `tool:read`.
    pub label: SharedName,
    /// What it says, whole.
    pub text: SessionText,
}

impl Segment {
    /// As it stands in the reasoning.
    #[must_use]
    pub fn shown(&self) -> String {
        format!("[{}] {}", self.label, self.text.whole())
    }

    /// Whether a tool or a program said it, so that nothing in it may be taken for advice.
    #[must_use]
    pub fn is_untrusted(&self) -> bool {
        matches!(self.kind, SegmentKind::Result | SegmentKind::Program)
    }
}
