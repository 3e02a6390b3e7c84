//! Playbooks: what a person wants of each clause, answered for a document with a verdict, a citation, and a tracked change or
//! comment with its reason.
//!
//! Must never read or write a file, give a verdict of a model without a citation that is in the document, or change a text but by
//! the engine's operations. A model is asked at most twice.
//!
//! ```text
//! playbook ──► positions ─┐                    ┌─► judgement ─► operations ─► engine ─► report
//! document ──► text ──────┴─► clauses ─► model ┘ (checked: else asked once more, else unanswered)
//! ```
//!
//! | File | Question it answers |
//! |---|---|
//! | `playbook` | which positions does a playbook hold, and on which line is it wrong? |
//! | `text` | what does a document say, and where are these words in it? |
//! | `clauses` | which part of a document is a position about? |
//! | `question` | what is the model asked? |
//! | `answer` | what did it answer, and does that hold? |
//! | `edits` | which operations follow from a judgement? |
//! | `review` | what becomes of each position, from the first look to the last? |
//! | `report` | how do people and programs read it? |

mod answer;
mod clauses;
pub mod codes;
mod edits;
mod playbook;
mod question;
pub mod report;
mod review;
mod text;

#[cfg(test)]
mod clauses_tests;
#[cfg(test)]
mod playbook_tests;
#[cfg(test)]
mod report_tests;
#[cfg(test)]
mod review_tests;

pub use playbook::{Playbook, PlaybookError, PlaybookPosition};
pub use report::{
    Citation, ClausePlace, ClauseVerdict, PositionProblem, PositionReport, ReviewReport, VerdictSource,
};
pub use review::{ReviewError, ReviewPlan, plan, plan_with, planned, review, review_with};
