//! The rules that a part with text keeps (ECMA-376, ISO/IEC 29500-1), and what breaks them.
//!
//! `engross check` reports every break; the proof of a session asks whether its own edits brought a new one. Must never look at
//! a package: its callers say what its other parts define.

mod fields;
mod findings;
mod known;
mod ledger;
mod new_fault;
mod order;
mod part;
mod properties;
mod references;
mod revisions;
mod rule;
mod schema;
mod structure;
mod walk;

pub use findings::Finding;
pub(crate) use findings::{Counts, Findings};
pub(crate) use known::Definitions;
pub(crate) use new_fault::new_fault;
pub(crate) use part::CheckedPart;
pub(crate) use revisions::is_revision;
pub(crate) use rule::Rule;
pub use rule::{CODES, Severity};
pub(crate) use walk::Checks;

#[cfg(test)]
mod new_fault_tests;
