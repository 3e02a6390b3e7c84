//! Tracked edits: from an operation to marked-up runs.
//!
//! | File | Question it answers |
//! |---|---|
//! | `batch` | what becomes of one operation after the other? |
//! | `base` | how did the story read before the batch? |
//! | `plan`, `target`, `phrase`, `hunks`, `content`, `looks` | which text of which paragraph becomes what? |
//! | `hints` | what is near a place that is not there? |
//! | `claims` | does an earlier operation already change it? |
//! | `draft` | how is a plan written, and what shall the paragraphs say then (`expected`)? |
//! | `paragraphs`, `borders` | the same for whole paragraphs: where may they stand, and what runs into what? |
//! | `rows` | which rows, cells and tables came with the batch? |
//! | `ids` | which revision ids are free, and which are ours? |
//! | `splice`, `insertion`, `marks`, `deletions`, `pen` | how do deletions, insertions, paragraph borders, paragraphs that go and revisions look in the tree? |
//! | `evidence` | can it be rejected and accepted? |
//! | `tidy` | what of it was never there for a later batch? |

mod anchors;
mod base;
mod batch;
mod borders;
mod claims;
pub(crate) mod content;
mod deletions;
mod draft;
mod evidence;
mod expected;
mod formats;
mod hints;
mod hunks;
mod ids;
mod insertion;
mod looks;
mod marks;
mod moves;
mod paragraphs;
mod pen;
mod phrase;
mod plan;
mod properties;
mod rows;
mod splice;
mod supplies;
mod tables;
mod target;
mod tidy;

pub(crate) use anchors::{marker, reference};
pub(crate) use base::Sheets;
pub(crate) use batch::{BatchRun, Signature};
pub(crate) use content::{read_plain_or_markdown as read_content, split_at_breaks};
pub(crate) use ids::{Ids, free_ids};
pub(crate) use pen::Pen;
pub(crate) use pen::write_pieces;
pub(crate) use supplies::{NewComment, NewList, Supplies};
