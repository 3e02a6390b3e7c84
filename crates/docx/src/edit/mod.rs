//! Tracked edits: from an operation to marked-up runs.
//!
//! `target` finds the place, `hunks` the smallest change, `splice`, `insertion` and `marks` write it with the `pen`;
//! `batch` runs one operation after the other and has `evidence` prove each.

mod batch;
mod claims;
pub(crate) mod content;
mod evidence;
mod hunks;
mod insertion;
mod marks;
mod pen;
mod plan;
mod splice;
mod target;
mod tidy;

pub(crate) use batch::{BatchRun, Signature};
pub(crate) use pen::Ids;
