//! Tracked edits: from an operation to marked-up runs.
//!
//! | File | Question it answers |
//! |---|---|
//! | `batch` | what becomes of one operation after the other? |
//! | `snapshot` | how did the story read before the batch? |
//! | `plan`, `target`, `phrase`, `choice`, `hunks`, `content`, `run_formats` | which text of which paragraph becomes what? |
//! | `hints` | what is near a place that is not there? |
//! | `touched` | does an earlier operation already change it? |
//! | `tree_editor` | how is a plan written, and what shall the paragraphs say then (`expected`)? |
//! | `paragraphs`, `borders` | the same for whole paragraphs: where may they stand, and what runs into what? |
//! | `rows` | which rows, cells and tables came with the batch? |
//! | `columns`, `column_edits`, `tables` | how do columns, cells, rows and tables come and go? |
//! | `tracked_properties`, `property_order` | how do properties of tables and sections change with a record? |
//! | `ids` | which revision ids are free, and which are ours? |
//! | `splice`, `insertion`, `marks`, `deletions`, `revision_writer` | how do deletions, insertions, paragraph borders, paragraphs that go and revisions look in the tree? |
//! | `whole_fields`, `long_fields` | which fields go with the text around them, and what is a simple one instead? |
//! | `references`, `contents` | how do bookmarks, fields that lead elsewhere, and lines of contents look in the tree? |
//! | `inserted`, `link_pieces`, `objects`, `pictures`, `built_in` | what do links, notes and pictures in new content need, and how are they written? |
//! | `evidence` | can it be rejected and accepted? |
//! | `coalesce` | what of it was never there for a later batch? |

mod anchors;
mod batch;
mod borders;
mod built_in;
mod choice;
mod coalesce;
mod column_edits;
mod columns;
pub(crate) mod content;
pub(crate) mod contents;
pub(crate) mod control_values;
mod controls;
mod deletions;
pub(crate) mod evidence;
mod expected;
mod fallback;
mod formats;
mod hints;
mod hunks;
mod ids;
mod inserted;
mod insertion;
mod link_pieces;
mod links;
mod long_fields;
mod marks;
mod moves;
mod note_order;
mod objects;
mod others;
mod paragraphs;
#[cfg(test)]
mod paragraphs_tests;
mod pending_parts;
mod phrase;
mod pictures;
mod plan;
mod prompts;
mod properties;
mod property_order;
mod put_back;
pub(crate) mod references;
mod revision_writer;
mod rows;
mod run_formats;
mod section_breaks;
mod snapshot;
mod splice;
mod tables;
mod target;
mod touched;
mod tracked_properties;
mod tree_editor;
mod whole_fields;

pub(crate) use self::note_order::{note_order, place_note};
pub(crate) use anchors::{marker, reference};
pub(crate) use batch::{BatchRun, Signature};
pub(crate) use built_in::BuiltInStyle;
pub(crate) use content::pieces;
pub(crate) use content::{read_plain_or_markdown as read_content, split_at_breaks};
pub(crate) use fallback::FallbackCopies;
pub(crate) use ids::{Ids, free_ids};
pub(crate) use long_fields::write_long;
pub(crate) use marks::{change_properties, delete_mark, next_block};
pub(crate) use moves::{close_range, open_range};
pub(crate) use others::join_insertions_of_others;
pub(crate) use pending_parts::{
    CurrentPart, GivenFiles, ListBeside, ListLevel, MovedBookmark, NewComment, NewList, NewNote,
    NewRelationship, NoteContent, PendingParts,
};
pub(crate) use revision_writer::RevisionWriter;
pub(crate) use revision_writer::write_pieces;
pub(crate) use snapshot::{StorySnapshot, StyleContext};
pub(crate) use splice::{cut_before, wrap_neighbours};
pub(crate) use target::find_paragraph;
