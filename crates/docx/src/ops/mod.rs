//! The operation language: one JSON for the command line, HTTP, MCP, the browser and models.
//!
//! `parse` reads it strictly: an unknown operation or field is refused, naming the nearest known one.

mod address;
mod batch;
mod blocks;
mod controls;
mod edits;
mod fields;
mod format;
mod language;
mod list_rows;
mod objects;
mod operation;
mod parts;
mod references;
mod repair;
mod result;
mod review_rows;
mod schema;
mod search;
mod text_rows;

pub use batch::{Batch, OwnPolicy, parse_batch, parse_operations};
pub use blocks::{Borders, BreakKind, CellRange, PageSetup, TableFormat};
pub use controls::{ControlName, ControlPlace, ControlValue};
pub use format::{Alignment, LineSpacing, ParagraphFormat, RunFormat, Vertical};
pub use language::{field_tables, text_field};
pub use objects::{ImageChange, ObjectAction, ObjectEdit};
pub use operation::{
    Address, CommentPolicy, Edit, ListKind, NumberStyle, Occurrence, Operation, Place, ReferencePolicy,
    TableAction, Where,
};
pub use parts::{PageKind, PropertyChanges, PropertyValue, StoryKind};
pub use references::{ReferenceEdit, ReferenceTarget, ShownPart, Spot};
pub use repair::{RepairedOperations, is_same_name, repair_operations};
pub(crate) use result::{Change, OperationOutcome, Outcome};
pub use result::{OperationResult, Proof, ProofBase, ProofState, Status, Summary, Tracking};
pub use schema::operations_schema;
pub use search::{FieldPolicy, Needle, Search, SearchScope};

#[cfg(test)]
mod batch_tests;
#[cfg(test)]
mod repair_tests;
#[cfg(test)]
mod schema_tests;
