//! The Word document engine: read, tracked edits, accept, reject, proof.
//!
//! Bytes and dates come in, bytes come out. An edit is an operation of a small JSON language ([`ops`]); it becomes tracked changes
//! that people accept or reject in Word. Whatever is saved was proven on the bytes to be written: rejecting every change gives
//! back the source, accepting every change gives the requested text.
//!
//! ```
//! use engross_docx::ops::{Status, parse_batch};
//! use engross_docx::read::ReadOptions;
//! use engross_docx::revisions::Side;
//! use engross_docx::{EditOptions, Limits, Tracking, WordDocument, from_markdown};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A document to work on; std::fs::read("contract.docx") gives another.
//! let bytes = from_markdown("The fee is due within thirty days.", None, &Limits::default())?;
//! let mut document = WordDocument::open(bytes, &Limits::default())?;
//!
//! let batch = parse_batch(&serde_json::json!([
//!     {"op": "modify_text", "originalText": "thirty", "replacementText": "sixty"},
//!     {"op": "delete_paragraph", "paragraphIndex": 9}
//! ]))?;
//! let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
//! let results = document.apply(&batch, &options)?;
//! assert_eq!(results[0].status, Status::Applied);
//! assert_eq!(results[1].code.as_deref(), Some("TARGET_NOT_FOUND"));
//! assert_eq!(document.revisions()?.len(), 2); // one deletion, one insertion
//!
//! let redline = document.save(Tracking::Tracked)?.bytes;
//! let mut reviewed = WordDocument::open(redline, &Limits::default())?;
//! reviewed.resolve_all(Side::Accept)?;
//! let text = &reviewed.read(&ReadOptions::default())?.paragraphs[0].text;
//! assert_eq!(text, "The fee is due within sixty days.");
//! # Ok(())
//! # }
//! ```
//!
//! Bytes that are no Word document are an [`Error`], with a stable code:
//!
//! ```
//! use engross_docx::{Limits, WordDocument};
//!
//! let error = WordDocument::open(b"%PDF-1.7".to_vec(), &Limits::default()).unwrap_err();
//! assert_eq!(error.code(), "NOT_A_ZIP");
//! ```
//!
//! # API boundary
//!
//! What this page lists is the whole face of the crate; all other modules are private and change without notice. JSON that is
//! read and written here (operations, results, findings, codes) never changes its names.
//!
//! Must never: do I/O, ask the clock, use randomness, start a thread, panic. The same input gives the same output everywhere.

mod canon;
mod check;
pub mod codes;
mod compare;
mod document;
mod edit;
mod error;
mod exchange;
mod flat_opc;
mod from_markdown;
pub mod html;
mod limits;
mod lost_parts;
mod markdown;
mod model;
#[expect(dead_code, reason = "the vocabulary of the format; not every name is asked for")]
mod names;
mod numbering;
pub mod ops;
mod package;
mod parts;
mod proof;
pub mod read;
mod references;
pub mod revisions;
mod rules;
mod sections;
mod signature;
mod styles;
mod text;

pub use check::{check, guards};
pub use compare::{
    ChangeKind, ChangeSubject, CompareError, CompareOptions, ComparedParagraph, ComparedView, Comparison,
    DocumentChange, Granularity, Limitation, MergeConflict, MergeOptions, MergeProof, MergedDocument,
    TextFate, changes_of, compare, compare_three, counts_by_story, merged, side_by_side, text_changes,
};
pub use document::{
    CleanOptions, ControlReading, DefinedTerm, EditOptions, Effects, MarkdownReading, More, NumberChange,
    OutlineEntry, OwnRecord, PlacedComment, Properties, Reference, SavedDocument, StyleReading, Survey,
    TermChange, WordDocument,
};
pub use error::{Error, Refusal, RefusalCode};
pub use exchange::{Difference, EditStep, NewTextFormat, TextSpan, differences, edit_steps};
pub use flat_opc::{flat_opc, is_flat_opc};
pub use from_markdown::{MadeDocument, from_markdown, from_markdown_with, picture_names};
pub use limits::Limits;
pub use ops::Tracking;
pub use package::{Error as PackageError, Limits as PackageLimits, Package};
pub use revisions::PlacedRevision;
pub use rules::{CODES, Finding, Severity};
pub use text::{Hunk, diff};

/// What the fuzz targets reach besides.
#[cfg(any(test, feature = "fuzzing"))]
#[doc(hidden)]
pub mod fuzzing {
    pub use crate::model::is_revision_wrapper;
    pub use crate::names::{B, ID, VOCABULARY, W, W_URI};
    pub use crate::revisions::fuzzing::{Selection, list, resolve};
}

// The fuzz targets name the crate as others do.
#[cfg(test)]
extern crate self as engross_docx;

#[cfg(test)]
mod fuzz_replay_tests;
#[cfg(test)]
mod markdown_tests;
#[cfg(test)]
mod sections_tests;
#[cfg(test)]
mod styles_tests;
