//! Traces: what a session was about, what was tried, and how it went. What a lesson can be drawn from.
//!
//! Must never shorten: the reasoning holds every argument and every result whole. [`Trace::passes`] cuts it into pieces for
//! a reader with little room, [`Trace::view`] leaves out by request only, and marks each place.

mod build;
mod corrections;
mod failures;
mod segment;
mod target;
mod view;
mod work;

#[cfg(test)]
pub(crate) mod build_tests;
#[cfg(test)]
mod view_tests;

use serde::Serialize;

use engross_transcript::SessionText;

pub use build::{Options, SkipReason, build};
pub use corrections::Correction;
pub use failures::{FailedCall, Recovery, WorkedCall};
pub use segment::{Segment, SegmentKind};
pub use target::{command_of, is_path};
pub use view::{Cleaning, ShortenedTrace};

/// A session retold. The first six keys are those that learners of this family read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trace {
    /// The first words of a person.
    pub question: String,
    /// Everything on the way from the root to the leaf, in order; empty unless it was asked for.
    pub reasoning: String,
    /// The last words of a model on that way.
    pub answer: String,
    /// Skills of the book that the model named.
    pub skill_ids: Vec<String>,
    /// How it went, in figures.
    pub feedback: String,
    /// The right answer, where a trace that was given knows it; else `null`.
    pub ground_truth: Option<String>,
    /// What those six do not hold.
    pub extra: TraceDetails,
    /// The parts of `reasoning`.
    #[serde(skip)]
    pub segments: Vec<Segment>,
}

/// What else is known about a session.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct TraceDetails {
    /// The session's id.
    pub session: Option<String>,
    /// The session it was forked from.
    pub parent: Option<String>,
    /// The folder it worked in.
    pub cwd: Option<String>,
    /// The models that spoke.
    pub models: Vec<String>,
    /// All words of persons, in order.
    pub user_turns: Vec<SessionText>,
    /// How often tools were called.
    pub calls: u64,
    /// Calls that failed.
    pub failures: Vec<FailedCall>,
    /// Where a person set the agent right.
    pub corrections: Vec<Correction>,
    /// How often the model was stopped or failed.
    pub stopped: u64,
    /// Steps that were tried on branches that were left.
    pub abandoned: u64,
    /// Steps before those that this trace is about, already learnt from.
    pub before: u64,
    /// What persons said in this trace.
    #[serde(skip)]
    pub said: Vec<PersonWords>,
    /// The skills that the model named, each with the line of each mention.
    #[serde(skip)]
    pub mentions: Vec<(String, u64)>,
    /// Whether it went well, where somebody has said so.
    #[serde(skip)]
    pub went_well: Option<bool>,
    /// Hash of how the work began, with its times: the same for copies and forks of a session.
    #[serde(skip)]
    pub work: String,
}

/// Words of a person.
#[derive(Debug, Clone, PartialEq)]
pub struct PersonWords {
    /// The line.
    pub line: u64,
    /// Its entry.
    pub entry: String,
    /// The words.
    pub text: SessionText,
}
