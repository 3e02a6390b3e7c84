//! Where a comment stands: the two ends of its range and its mark.
//!
//! They stand outside of revisions, so that whatever becomes of those the comment keeps its place.

use std::ops::Range;

use engross_xml::NodeId;

use crate::edit::draft::{Draft, Written};
use crate::edit::insertion::{lift, put};
use crate::edit::pen::Pen;
use crate::edit::splice::{Cursor, cut_out};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, is_id_since, is_revision_wrapper};
use crate::names::{
    COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, ID, INS, P, R_PR, R_STYLE, RUN, VAL,
};
use crate::text::StyledText;

impl Draft<'_> {
    /// Puts a comment on parts of paragraphs that follow each other.
    pub(super) fn write_comment(
        &mut self,
        places: &[(usize, Range<usize>)],
        content: &StyledText,
        author: &str,
    ) -> Result<Written, Refusal> {
        let (Some(first), Some(last)) = (places.first(), places.last()) else {
            return Ok(Written::Nothing("there is nothing to comment on"));
        };
        if self.is_gone(first.0) || self.is_gone(last.0) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                "an earlier operation of this batch deletes the paragraph; comment on one that stays",
            ));
        }
        let date = self.date;
        let id = self.supplies.comment(author, date, content.clone(), None);
        let look = self.base.styles.character_id_of("annotation reference").map(str::to_owned);
        let (_, end) = self.ends(last, author);
        let mut pen = self.pen(author);
        let mark = reference(&mut pen, id, look.as_deref());
        put(&mut pen, end, mark);
        let range_end = marker(&mut pen, COMMENT_RANGE_END, id);
        pen.document.insert_before(mark, range_end);
        let (start, behind) = self.ends(first, author);
        let mut pen = self.pen(author);
        let range_start = marker(&mut pen, COMMENT_RANGE_START, id);
        if start == behind && first.0 == last.0 {
            // In an empty paragraph both ends are one place.
            pen.document.insert_before(range_end, range_start);
        } else {
            put(&mut pen, start, range_start);
        }
        Ok(Written::Done)
    }

    /// The places before and behind a part of a paragraph.
    fn ends(&mut self, (index, range): &(usize, Range<usize>), author: &str) -> (Cursor, Cursor) {
        let nodes = self.own_chain(*index);
        let fields = self.base.context(*index);
        let view = self.base.view;
        let mut pen = self.pen(author);
        let paragraph = Paragraph::read_chain(pen.document, &nodes, view, fields.as_ref());
        let mut runs = cut_out(&mut pen, &paragraph, range.clone());
        if runs.is_empty() {
            // Objects alone.
            runs = paragraph.overlapping(range.clone()).map(|atom| atom.run).collect();
        }
        match (runs.first().copied(), runs.last().copied()) {
            (Some(first), Some(last)) => {
                let start = outside(&pen, first);
                let parent = pen.document.parent(start).unwrap_or(start);
                let start = lift(&mut pen, Cursor { parent, before: Some(start) });
                let last = behind_replacement(&pen, outside(&pen, last));
                let parent = pen.document.parent(last).unwrap_or(last);
                let before = pen.document.next(last);
                (start, lift(&mut pen, Cursor { parent, before }))
            }
            _ => {
                let parent = paragraph.node;
                let end = Cursor { parent, before: None };
                (end, end)
            }
        }
    }
}

/// The node itself, or the revision of this batch around it, which must not be cut.
fn outside(pen: &Pen<'_>, node: NodeId) -> NodeId {
    pen.document
        .ancestors(node)
        .take_while(|above| pen.document.name(*above) != P)
        .filter(|above| {
            is_revision_wrapper(pen.document.name(*above)) && is_id_since(pen.document, *above, pen.since)
        })
        .last()
        .unwrap_or(node)
}

/// The comment is on what the batch puts in the place of the text, too.
fn behind_replacement(pen: &Pen<'_>, node: NodeId) -> NodeId {
    let ours =
        |node: NodeId, name| pen.document.name(node) == name && is_id_since(pen.document, node, pen.since);
    match pen.document.next(node) {
        Some(next) if ours(node, DEL) && ours(next, INS) => next,
        _ => node,
    }
}

/// An end of a comment's range.
pub(crate) fn marker(pen: &mut Pen<'_>, name: engross_xml::Name, id: i64) -> NodeId {
    let node = pen.document.new_element(name);
    pen.document.set_attribute(node, ID, &id.to_string());
    node
}

/// The run with a comment's mark.
pub(crate) fn reference(pen: &mut Pen<'_>, id: i64, style: Option<&str>) -> NodeId {
    let run = pen.document.new_element(RUN);
    if let Some(style) = style {
        let properties = pen.document.new_element(R_PR);
        let look = pen.document.new_element(R_STYLE);
        pen.document.set_attribute(look, VAL, style);
        pen.document.append(properties, look);
        pen.document.append(run, properties);
    }
    let mark = marker(pen, COMMENT_REFERENCE, id);
    pen.document.append(run, mark);
    run
}
