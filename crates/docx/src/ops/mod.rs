//! The operation language: one JSON for the command line, HTTP, MCP, the browser and models.
//!
//! | File | Question it answers |
//! |---|---|
//! | `place`, `search`, `format`, `lists`, `blocks`, `controls`, `objects`, `parts`, `references` | where, and what: the types of an edit |
//! | `edit`, `operation` | what shall be done, and what is said besides it? |
//! | `fields`, `address` | how is a value of JSON read? |
//! | `rows` | which operations are there, with which fields, and how are they read? |
//! | `language` | the table of all of them |
//! | `batch`, `repair` | how is a batch read, strictly or as models send it? |
//! | `schema` | the language for models |
//! | `result` | what became of an operation? |
//!
//! `parse` reads it strictly: an unknown operation or field is refused, naming the nearest known one.

mod address;
mod batch;
mod blocks;
mod controls;
mod edit;
mod fields;
mod format;
mod language;
mod lists;
mod objects;
mod operation;
mod parts;
mod place;
mod references;
mod repair;
mod result;
mod rows;
mod schema;
mod search;

pub use batch::{Batch, OwnPolicy, parse_batch, parse_operations};
pub use blocks::{Borders, BreakKind, CellRange, PageSetup, TableAction, TableFormat};
pub use controls::{ControlName, ControlPlace, ControlValue};
pub use edit::{CommentPolicy, Edit};
pub use format::{Alignment, LineSpacing, ParagraphFormat, RunFormat, Vertical};
pub use language::{field_tables, text_field};
pub use lists::{ListKind, NumberStyle};
pub use objects::{ImageChange, ObjectAction, ObjectEdit};
pub use operation::{Operation, ReferencePolicy};
pub use parts::{PageKind, PropertyChanges, PropertyValue, StoryKind};
pub use place::{Address, Occurrence, Place, Where};
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
