//! Word documents on their way from a file to a file: opened, edited, proven, kept as a checkpoint, delivered with a receipt.
//!
//! The one service behind the command line, chats and the server. There are two ways in: an [`InputFile`] is a file that a
//! person names, a [`Workspace`] is a folder of documents that a session may edit. Both keep what they replace in a
//! [`CheckpointStore`] and answer with the same [`Receipt`]. Must never know a command line, HTTP, SQL or a model; folders and
//! destinations are handed in. Everything here blocks.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let nda = folder.path().join("nda.docx");
//! # std::fs::write(&nda, include_bytes!("../../../examples/nda.docx"))?;
//! # let redline = folder.path().join("nda.redline.docx");
//! use engross_docx::ops::{Summary, parse_batch};
//! use engross_docx::{EditOptions, Tracking};
//! use engross_documents::{Destination, InputFile, Receipt};
//! use engross_protocol::SystemClock;
//!
//! let (input, mut document) = InputFile::open(&nda)?;
//! let batch = parse_batch(&serde_json::json!([
//!     {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}
//! ]))?;
//! let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
//! let operations = document.apply(&batch, &options)?;
//!
//! // The document is proven on the bytes that are written; nothing is written that does not hold.
//! let destination = Destination::NewFile(redline.clone());
//! let delivery = input.deliver(&document, Tracking::Tracked, &destination, &SystemClock)?;
//! let receipt = Receipt::new(
//!     input.path().display().to_string(), Summary::of(&operations), operations, Some(delivery), Vec::new(),
//! );
//! assert_eq!(receipt.summary.applied, 1);
//! assert!(redline.exists());
//! # Ok(())
//! # }
//! ```
//!
//! | File | Question it answers |
//! |---|---|
//! | `delivery` | how does a document come from a file that a person names, and where does its result go? |
//! | `workspace` | which documents has a folder, and how is one read, edited, put, removed? |
//! | `checkpoints` | what was a document before each change? |
//! | `changes` | what differs between two of its states? |
//! | `isolation` | where are documents from outside worked on before they are opened here? |
//! | `document_job` | how is work on a document told to another process, and done there? |
//! | `listener` | who is told what agents write? |
//! | `written` | what was written into which file, and which revisions in it are one's own? |
//! | `pictures` | which files does content name, and what is in them? |
//! | `redline` | what differs between two documents? |
//! | `receipt` | what does the caller get? |
//! | `change`, `report`, `differences`, `listing` | how do people and agents read a change, a receipt, what differs, what is in a document? |
//! | `signature` | which authors and dates may changes have? |
//! | `error` | what can go wrong? |

pub mod change;
mod changes;
mod checkpoints;
pub mod codes;
mod delivery;
pub mod differences;
mod document_job;
mod error;
mod isolation;
mod listener;
pub mod listing;
mod naming;
mod pictures;
mod receipt;
mod redline;
pub mod report;
pub mod signature;
mod workspace;
mod written;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod changes_tests;
#[cfg(test)]
mod checkpoints_tests;
#[cfg(test)]
mod delivery_tests;
#[cfg(test)]
mod isolation_tests;
#[cfg(test)]
mod pictures_tests;
#[cfg(test)]
mod workspace_tests;

pub use changes::{Losses, RevisionKey, TakenBack, losses, new_revisions, without_change_set};
pub use checkpoints::{Checkpoint, CheckpointStore, Checkpoints};
pub use delivery::{Delivery, Destination, InputFile};
pub use document_job::{DocumentJob, EditJob, JobEnd, JobReply, carry_out};
pub use error::{Error, document_failure, document_row};
pub use isolation::{DocumentIsolation, IsolatedCompareError, JobInterruption, JobRunner};
pub use listener::{DeliveryListener, WrittenDocument};
pub use naming::{check_name, check_name_of_new, result_ending, word_kind};
pub use pictures::{pictures_of, read_pictures};
pub use receipt::{ReadReport, Receipt, has_result, has_worked, terse_operations};
pub use redline::{
    MergeReport, MergedFile, Redline, RedlineReport, TextReport, merge, redline, text_differences,
};
pub use workspace::{Application, DocumentEdit, EditWork, OWN_FOLDER, OpenDocument, StopSignal, Workspace};
