//! The operation language: one JSON for the command line, HTTP, MCP, the browser and models.
//!
//! `parse` reads it strictly: an unknown operation or field is refused, naming the nearest known one.

mod batch;
mod operation;
mod result;
mod schema;

pub use batch::{Batch, parse_batch, parse_operations};
pub use operation::{Address, Edit, Occurrence, Operation, Place, Where};
pub use result::{OperationResult, Proof, ProofState, Status, Summary, Tracking};
pub use schema::operations_schema;

#[cfg(test)]
mod batch_tests;
