//! Where a comment stands: the two ends of its range and its mark.
//!
//! They stand outside of revisions, so that whatever becomes of those the comment keeps its place.

use std::ops::Range;

use engross_xml::NodeId;

use crate::edit::insertion::{lift, outside_links, put};
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::{Cursor, cut_out};
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, is_id_since, is_revision_wrapper};
use crate::names::{
    COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, ID, INS, P, R_PR, R_STYLE, RUN, VAL,
};
use crate::text::StyledText;

impl TreeEditor<'_> {
    /// Puts a comment on parts of paragraphs that follow each other.
    pub(super) fn write_comment(
        &mut self,
        places: &[(usize, Range<usize>)],
        content: &StyledText,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok(WriteOutcome::Nothing("there is nothing to comment on"));
        };
        if self.is_gone(first.0) || self.is_gone(last.0) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "an earlier operation of this batch deletes the paragraph; comment on one that stays",
            ));
        }
        let date = self.date;
        let id = self.pending.comment(author, date, content.clone(), None);
        let format = self.snapshot.styles.character_id_of("annotation reference").map(str::to_owned);
        let (_, end) = self.ends(last, author);
        let mut writer = self.writer(author);
        let mark = reference(&mut writer, id, format.as_deref());
        put(&mut writer, end, mark);
        let range_end = marker(&mut writer, COMMENT_RANGE_END, id);
        writer.document.insert_before(mark, range_end);
        let (start, behind) = self.ends(first, author);
        let mut writer = self.writer(author);
        let range_start = marker(&mut writer, COMMENT_RANGE_START, id);
        if start == behind && first.0 == last.0 {
            // In an empty paragraph both ends are one place.
            writer.document.insert_before(range_end, range_start);
        } else {
            put(&mut writer, start, range_start);
        }
        Ok(WriteOutcome::Done)
    }

    /// The places before and behind a part of a paragraph.
    fn ends(&mut self, (index, range): &(usize, Range<usize>), author: &str) -> (Cursor, Cursor) {
        let nodes = self.own_chain(*index);
        let fields = self.snapshot.context(*index);
        let view = self.snapshot.view;
        let mut writer = self.writer(author);
        let paragraph = Paragraph::read_chain(writer.document, &nodes, view, fields.as_ref());
        let mut runs = cut_out(&mut writer, &paragraph, range.clone());
        if runs.is_empty() {
            // Objects alone.
            runs = paragraph.overlapping(range.clone()).map(|atom| atom.run).collect();
        }
        match (runs.first().copied(), runs.last().copied()) {
            (Some(first), Some(last)) => {
                let start = outside(&writer, first);
                let parent = writer.document.parent(start).unwrap_or(start);
                let start = beside(&mut writer, Cursor { parent, before: Some(start) });
                let last = behind_replacement(&writer, outside(&writer, last));
                let parent = writer.document.parent(last).unwrap_or(last);
                let before = writer.document.next(last);
                (start, beside(&mut writer, Cursor { parent, before }))
            }
            _ => {
                let parent = paragraph.node;
                let end = Cursor { parent, before: None };
                (end, end)
            }
        }
    }
}

/// The place beside the revisions of others, and beside a link that begins or ends there.
fn beside(writer: &mut RevisionWriter<'_>, cursor: Cursor) -> Cursor {
    let cursor = lift(writer, cursor);
    outside_links(writer, cursor).unwrap_or(cursor)
}

/// The node itself, or the revision of this batch around it, which must not be cut.
fn outside(writer: &RevisionWriter<'_>, node: NodeId) -> NodeId {
    writer
        .document
        .ancestors(node)
        .take_while(|above| writer.document.name(*above) != P)
        .filter(|above| {
            is_revision_wrapper(writer.document.name(*above))
                && is_id_since(writer.document, *above, writer.since)
        })
        .last()
        .unwrap_or(node)
}

/// The comment is on what the batch puts in the place of the text, too.
fn behind_replacement(writer: &RevisionWriter<'_>, node: NodeId) -> NodeId {
    let ours = |node: NodeId, name| {
        writer.document.name(node) == name && is_id_since(writer.document, node, writer.since)
    };
    match writer.document.next(node) {
        Some(next) if ours(node, DEL) && ours(next, INS) => next,
        _ => node,
    }
}

/// An end of a comment's range.
pub(crate) fn marker(writer: &mut RevisionWriter<'_>, name: engross_xml::QName, id: i64) -> NodeId {
    let node = writer.document.new_element(name);
    writer.document.set_attribute(node, ID, &id.to_string());
    node
}

/// The run with a comment's mark.
pub(crate) fn reference(writer: &mut RevisionWriter<'_>, id: i64, style: Option<&str>) -> NodeId {
    let run = writer.document.new_element(RUN);
    if let Some(style) = style {
        let properties = writer.document.new_element(R_PR);
        let format = writer.document.new_element(R_STYLE);
        writer.document.set_attribute(format, VAL, style);
        writer.document.append(properties, format);
        writer.document.append(run, properties);
    }
    let mark = marker(writer, COMMENT_REFERENCE, id);
    writer.document.append(run, mark);
    run
}
