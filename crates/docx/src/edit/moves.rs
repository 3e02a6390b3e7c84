//! Paragraphs that move: what stood there is marked as moved away, and a copy of it as moved here, both under one name
//! (ISO/IEC 29500-1 §17.13.5.21 – .28).

use std::borrow::Cow;
use std::collections::HashMap;

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::edit::expected::NewText;
use crate::edit::long_fields::write_all_long;
use crate::edit::marks::insert_paragraph_at_end;
use crate::edit::pending_parts::{MovedBookmark, NoteContent};
use crate::edit::references::{bookmark_end, bookmark_start};
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, is_range_marker, is_revision_wrapper, next_paragraph};
use crate::names::{
    BOOKMARK_END, BOOKMARK_START, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE,
    ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID, INS, MOVE_FROM, MOVE_FROM_RANGE_END, MOVE_FROM_RANGE_START,
    MOVE_TO, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, NAME, O_MATH, O_MATH_PARA, P, P_PR, RUN, SDT, SECT_PR,
    SUB_DOC, TXBX_CONTENT,
};
use crate::ops::Where;
use crate::revisions::is_property_change;
use crate::text::NoteKind;

impl TreeEditor<'_> {
    pub(super) fn write_move(
        &mut self,
        (first, last): (usize, usize),
        (to, side): (usize, Where),
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let form = self.move_form(last);
        let sources: Vec<NodeId> =
            (first..=last).filter_map(|index| self.snapshot.paragraphs.get(index).copied()).collect();
        for (index, node) in (first..).zip(&sources) {
            self.refuse_unmovable(index, *node)?;
            write_all_long(self.snapshot.tree, *node);
        }
        let gap = if side == Where::After { to + 1 } else { to };
        let (to, side) = self.spot(to, side)?;
        let texts: Vec<String> = (first..=last).map(|index| self.snapshot.text(index).to_owned()).collect();
        let name = format!("move{}", self.ids.peek());
        let bookmarks = self.moved_bookmarks(&sources);
        let (count, mut opened) = (sources.len(), None);
        for (number, (source, text)) in sources.iter().zip(texts).enumerate() {
            let (before, position) = self.place(to, side, gap);
            let target = self.snapshot.paragraphs.get(to).copied();
            let mut writer = self.writer(author);
            let properties = writer.copy_paragraph_properties(*source);
            let paragraph = match (before, target) {
                (Some(before), _) => {
                    let paragraph = writer.document.new_element(P);
                    if let Some(properties) = properties {
                        writer.document.append(paragraph, properties);
                    }
                    writer.document.insert_before(before, paragraph);
                    writer.mark_paragraph(paragraph, form.inserted());
                    paragraph
                }
                (None, Some(target)) => {
                    insert_paragraph_at_end(&mut writer, target, properties, &[])?;
                    target
                }
                (None, None) => return Ok(WriteOutcome::Nothing("there is no paragraph beside it")),
            };
            copy_moved(&mut writer, *source, paragraph, (form, &bookmarks));
            if number + 1 == count {
                close_bookmarks(&mut writer, paragraph, (form, &bookmarks));
            }
            if number == 0 && form == MoveForm::Marked {
                opened = Some(open_range(&mut writer, paragraph, MOVE_TO_RANGE_START, &name));
            }
            if let Some(id) = opened.as_ref().filter(|_| number + 1 == count) {
                close_range(&mut writer, paragraph, MOVE_TO_RANGE_END, id);
            }
            self.new_beside(to, side).insert(position, NewText { gap, text });
        }
        if form == MoveForm::DeletedAndInserted {
            let mut remark = "written as a deletion and an insertion, since the last paragraph of a place cannot be marked as moved";
            for index in first..=last {
                if let WriteOutcome::DoneWith(more) = self.write_deletion(index, None, author)? {
                    remark = more;
                }
            }
            return Ok(WriteOutcome::DoneWith(remark));
        }
        let mut writer = self.writer(author);
        let mut opened = None;
        for (number, source) in sources.iter().enumerate() {
            wrap_moved(&mut writer, *source);
            writer.mark_paragraph(*source, MOVE_FROM);
            if number == 0 {
                opened = Some(open_range(&mut writer, *source, MOVE_FROM_RANGE_START, &name));
            }
            if let Some(id) = opened.as_ref().filter(|_| number + 1 == count) {
                close_range(&mut writer, *source, MOVE_FROM_RANGE_END, id);
            }
        }
        for index in first..=last {
            self.expect(index).own = Vec::new();
        }
        Ok(WriteOutcome::Done)
    }

    /// How paragraphs up to `last` move.
    fn move_form(&self, last: usize) -> MoveForm {
        let tree = &*self.snapshot.tree;
        let has_next = self.snapshot.paragraphs.get(last).is_some_and(|node| {
            next_paragraph(tree, *node).is_some_and(|next| tree.parent(next) == tree.parent(*node))
        });
        if has_next { MoveForm::Marked } else { MoveForm::DeletedAndInserted }
    }

    /// Bookmarks of moved paragraphs that references lead to: each gets a copy of another name, since two cannot have one name and
    /// what was deleted must have its own again when the move is rejected.
    fn moved_bookmarks(&mut self, sources: &[NodeId]) -> MovedMarkers {
        let mut markers = MovedMarkers::default();
        let tree = &*self.snapshot.tree;
        let mut starts: Vec<(NodeId, String, String)> = Vec::new();
        let mut ends: HashMap<String, NodeId> = HashMap::new();
        let attribute = |node, name| tree.attribute(node, name).unwrap_or_default().into_owned();
        for node in sources.iter().flat_map(|source| tree.descendants(*source)) {
            match tree.name(node) {
                BOOKMARK_START => starts.push((node, attribute(node, ID), attribute(node, NAME))),
                BOOKMARK_END => {
                    ends.insert(attribute(node, ID), node);
                }
                _ => {}
            }
        }
        // A bookmark over whole paragraphs ends at the start of the next one.
        let behind: Vec<String> = sources.last().map_or_else(Vec::new, |last| ends_behind(tree, *last));
        for (start, id, old) in starts {
            let end = ends.get(&id).copied();
            if !self.pending.referenced.contains(&old.to_lowercase())
                || end.is_none() && !behind.contains(&id)
            {
                continue;
            }
            let mut new = self.pending.bookmark_name();
            if old.starts_with("_Toc") {
                new = new.replace("_Ref", "_Toc");
            }
            let id = self.ids.take();
            markers.by_source.insert(start, (id, Some(new.clone())));
            match end {
                Some(end) => {
                    markers.by_source.insert(end, (id, None));
                }
                None => markers.open_at_end.push(id),
            }
            self.pending.bookmarks.push(MovedBookmark { old, new });
        }
        markers
    }

    fn refuse_unmovable(&mut self, index: usize, node: NodeId) -> Result<(), Refusal> {
        let why = |what: &str| {
            Refusal::new(
                RefusalCode::MoveRefused,
                format!(
                    "P{} {what}, so it cannot be moved as a tracked change; delete it and insert its text",
                    index + 1
                ),
            )
        };
        let model =
            Paragraph::read(self.snapshot.tree, node, self.snapshot.view, self.snapshot.fields.get(&node));
        if model.fields_at_end > 0 || model.closes_outer_field || self.snapshot.fields.contains_key(&node) {
            return Err(why("holds only a part of a field"));
        }
        if self.own_chain(index).len() > 1 || self.expected.contains_key(&index) {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                format!("an earlier operation of this batch changes P{}", index + 1),
            ));
        }
        let tree = &*self.snapshot.tree;
        for below in tree.descendants(node) {
            let name = tree.name(below);
            match name {
                SECT_PR => return Err(why("ends a section")),
                COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END => {
                    return Err(why("carries a comment"));
                }
                TXBX_CONTENT | SUB_DOC => return Err(why("holds a text of its own")),
                SDT => return Err(why("holds a content control")),
                _ if is_revision_wrapper(name) || is_property_change(name) => {
                    return Err(why("holds pending revisions"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Ends of bookmarks between a paragraph and the first content behind it, by `w:id`.
fn ends_behind(tree: &Document, paragraph: NodeId) -> Vec<String> {
    let mut found = Vec::new();
    let mut take = |node: NodeId| {
        if tree.name(node) == BOOKMARK_END {
            found.extend(tree.attribute(node, ID).map(Cow::into_owned));
        }
    };
    let mut at = tree.next(paragraph);
    while let Some(node) = at {
        match tree.name(node) {
            P => {
                let content = tree.children(node).filter(|child| tree.name(*child) != P_PR);
                let is_marker = |child: &NodeId| {
                    is_range_marker(tree.name(*child)) || tree.kind(*child) != NodeKind::Element
                };
                content.take_while(is_marker).for_each(&mut take);
                break;
            }
            name if is_range_marker(name) || tree.kind(node) != NodeKind::Element => take(node),
            _ => break,
        }
        at = tree.next(node);
    }
    found
}

/// How a move is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MoveForm {
    /// As moved away and moved here.
    Marked,
    /// The last border of a container stays, so its last paragraph cannot move away: it is deleted, and its copy inserted.
    DeletedAndInserted,
}

impl MoveForm {
    /// What marks the copy.
    fn inserted(self) -> QName {
        match self {
            Self::Marked => MOVE_TO,
            Self::DeletedAndInserted => INS,
        }
    }
}

/// Opens the range of a move at the start of a paragraph. Gives its id.
pub(crate) fn open_range(
    writer: &mut RevisionWriter<'_>,
    paragraph: NodeId,
    name: QName,
    of: &str,
) -> String {
    let start = writer.revision(name);
    writer.document.set_attribute(start, NAME, of);
    match writer.document.child(paragraph, P_PR) {
        Some(properties) => writer.document.insert_after(properties, start),
        None => writer.document.prepend(paragraph, start),
    }
    writer.document.attribute(start, ID).unwrap_or_default().into_owned()
}

/// Ends the range of a move at the end of a paragraph.
pub(crate) fn close_range(writer: &mut RevisionWriter<'_>, paragraph: NodeId, name: QName, id: &str) {
    let end = writer.document.new_element(name);
    writer.document.set_attribute(end, ID, id);
    writer.document.append(paragraph, end);
}

fn is_content(name: QName) -> bool {
    matches!(name, RUN | O_MATH | O_MATH_PARA)
}

/// Marks the content of an element as moved away.
fn wrap_moved(writer: &mut RevisionWriter<'_>, parent: NodeId) {
    let children: Vec<NodeId> = writer.document.children(parent).collect();
    let mut open: Option<NodeId> = None;
    for child in children {
        let name = writer.document.name(child);
        if is_content(name) {
            let wrapper = match open {
                Some(wrapper) => wrapper,
                None => {
                    let wrapper = writer.revision(MOVE_FROM);
                    writer.document.insert_before(child, wrapper);
                    wrapper
                }
            };
            open = Some(wrapper);
            writer.document.append(wrapper, child);
        } else if writer.document.kind(child) == NodeKind::Element {
            open = None;
            if name != P_PR && !is_range_marker(name) {
                wrap_moved(writer, child);
            }
        }
    }
}

/// Which markers of bookmarks get a copy where their text moves to.
#[derive(Debug, Default)]
struct MovedMarkers {
    /// By marker: the id of the copy, and its name if it is a start.
    by_source: HashMap<NodeId, (i64, Option<String>)>,
    /// Ids of copies that end with the text.
    open_at_end: Vec<i64>,
}

fn close_bookmarks(
    writer: &mut RevisionWriter<'_>,
    paragraph: NodeId,
    (form, markers): (MoveForm, &MovedMarkers),
) {
    if markers.open_at_end.is_empty() {
        return;
    }
    let wrapper = writer.revision(form.inserted());
    writer.document.append(paragraph, wrapper);
    for id in &markers.open_at_end {
        let end = bookmark_end(writer, *id);
        writer.document.append(wrapper, end);
    }
}

/// Copies content to where it moves. Of range markup only the bookmarks that references lead to have a copy. Two marks cannot have
/// one note, so a note is copied with its mark.
fn copy_moved(
    writer: &mut RevisionWriter<'_>,
    from: NodeId,
    to: NodeId,
    (form, markers): (MoveForm, &MovedMarkers),
) {
    let children: Vec<NodeId> = writer.document.children(from).collect();
    let mut open: Option<NodeId> = None;
    for child in children {
        let name = writer.document.name(child);
        if is_content(name) {
            let wrapper = moved_wrapper(writer, to, &mut open, form);
            let copy = writer.document.copy(child);
            copy_notes(writer, copy);
            drop_range_markers(writer.document, copy);
            writer.document.append(wrapper, copy);
        } else if let Some((id, name)) = markers.by_source.get(&child) {
            let wrapper = moved_wrapper(writer, to, &mut open, form);
            let marker = match name {
                Some(name) => bookmark_start(writer, *id, name),
                None => bookmark_end(writer, *id),
            };
            writer.document.append(wrapper, marker);
        } else if writer.document.kind(child) == NodeKind::Element && name != P_PR && !is_range_marker(name) {
            open = None;
            let shell = writer.document.copy_shallow(child);
            writer.document.append(to, shell);
            copy_moved(writer, child, shell, (form, markers));
        }
    }
}

/// The open move target at the end of an element, begun when there is none.
fn moved_wrapper(
    writer: &mut RevisionWriter<'_>,
    to: NodeId,
    open: &mut Option<NodeId>,
    form: MoveForm,
) -> NodeId {
    *open.get_or_insert_with(|| {
        let wrapper = writer.revision(form.inserted());
        writer.document.append(to, wrapper);
        wrapper
    })
}

/// Takes bookmarks and the like out of a copy of an equation or a text box: two cannot have one name.
fn drop_range_markers(document: &mut Document, copy: NodeId) {
    let markers: Vec<NodeId> =
        document.descendants(copy).filter(|node| is_range_marker(document.name(*node))).collect();
    markers.into_iter().for_each(|marker| document.detach(marker));
}

/// Gives the marks of notes in a copy notes of their own.
fn copy_notes(writer: &mut RevisionWriter<'_>, copy: NodeId) {
    let marks: Vec<(NodeId, NoteKind)> = writer
        .document
        .descendants(copy)
        .filter_map(|node| match writer.document.name(node) {
            FOOTNOTE_REFERENCE => Some((node, NoteKind::Footnote)),
            ENDNOTE_REFERENCE => Some((node, NoteKind::Endnote)),
            _ => None,
        })
        .collect();
    for (mark, kind) in marks {
        let known = writer.document.attribute(mark, ID).and_then(|id| id.trim().parse().ok());
        let Some(known) = known else { continue };
        let new = writer.pending.note(kind, NoteContent::CopyOf(known));
        writer.document.set_attribute(mark, ID, &new.to_string());
    }
}
