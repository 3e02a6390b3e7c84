//! Deletions inside a paragraph: cutting runs where a change begins and ends, and marking what is between.
//!
//! Positions are bytes of the paragraph's text as it was before the batch ([`View::Before`]); they stay true however
//! many changes of the batch went before, since a tracked change removes nothing.

use std::ops::Range;

use engross_xml::{NodeId, NodeKind};

use crate::edit::hunks::is_object;
use crate::edit::long_fields::write_long;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::whole_fields::{fields_taken, simple_fields};
use crate::error::{Refusal, RefusalCode};
use crate::model::{Atom, AtomKind, Barrier, FieldContext, Paragraph, View, effective_text, needs_preserve};
use crate::names::{COMMENT_REFERENCE, DEL_TEXT, P, R_PR, T, XML_SPACE};

/// A place in the tree: before `before` in `parent`, or at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) parent: NodeId,
    pub(crate) before: Option<NodeId>,
}

/// The paragraphs that were one before the batch, and the fields around them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chain<'a> {
    pub(crate) nodes: &'a [NodeId],
    pub(crate) fields: Option<&'a FieldContext>,
    pub(crate) view: View,
}

impl Chain<'_> {
    pub(crate) fn read(&self, writer: &RevisionWriter<'_>) -> Paragraph {
        Paragraph::read_chain(writer.document, self.nodes, self.view, self.fields)
    }
}

/// Refuses an edit of text that must not be edited.
pub(crate) fn check_barriers<'a>(atoms: impl Iterator<Item = &'a Atom>) -> Result<(), Refusal> {
    for atom in atoms {
        if let Some(barrier) = &atom.barrier {
            return Err(refuse_barrier(barrier));
        }
    }
    Ok(())
}

pub(crate) fn refuse_barrier(barrier: &Barrier) -> Refusal {
    match barrier {
        Barrier::Field(name) => Refusal::new(
            RefusalCode::FieldEditRefused,
            format!(
                "the text is the result of a {name} field, which the field's next update would overwrite; \
                 edit the text around it or what the field refers to, or delete it whole with words beside it"
            ),
        ),
        Barrier::ContentControl(why) => Refusal::new(
            RefusalCode::ContentControlLocked,
            format!("the text lies in a content control that cannot be typed into: {why}"),
        ),
        Barrier::Move => Refusal::new(
            RefusalCode::MoveRevision,
            "the text is part of a tracked move; accept or reject the move first".to_owned(),
        ),
    }
}

/// What was deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deletion {
    /// The first deletion made.
    pub(crate) first: NodeId,
    /// Whether a field went as a whole.
    pub(crate) takes_field: bool,
}

/// Marks the text of `range` as deleted, with the fields that lie in it. Inline objects within it stay.
pub(crate) fn delete(
    writer: &mut RevisionWriter<'_>,
    chain: Chain<'_>,
    range: Range<usize>,
    is_replaced: bool,
) -> Result<Option<Deletion>, Refusal> {
    let mut paragraph = chain.read(writer);
    let taken = |writer: &RevisionWriter<'_>, paragraph: &Paragraph| match chain.fields {
        Some(outer) if outer.depth() > 0 => Vec::new(),
        _ => fields_taken(writer.document, paragraph, &range, is_replaced),
    };
    let mut fields = taken(writer, &paragraph);
    let simple = simple_fields(writer.document, &paragraph, &fields);
    if !simple.is_empty() {
        for field in simple {
            write_long(writer.document, field);
        }
        paragraph = chain.read(writer);
        fields = taken(writer, &paragraph);
    }
    let goes = |index: usize| fields.iter().any(|field| field.atoms.contains(&index));
    let takes_object = is_object(&paragraph.text, &range);
    let is_text = |atom: &Atom| {
        (takes_object || atom.kind != AtomKind::Object)
            && atom.visible
            && atom.range.start < range.end
            && atom.range.end > range.start
    };
    let atoms = paragraph.atoms.iter().enumerate();
    check_barriers(atoms.filter(|(index, atom)| is_text(atom) && !goes(*index)).map(|(_, atom)| atom))?;
    let is_mark =
        |writer: &RevisionWriter<'_>, atom: &Atom| writer.document.name(atom.node) == COMMENT_REFERENCE;
    let atoms = paragraph.atoms.iter().enumerate();
    let chosen: Vec<&Atom> = atoms
        .filter(|(index, atom)| is_text(atom) || goes(*index) && !is_mark(writer, atom))
        .map(|(_, atom)| atom)
        .collect();
    let runs = cut_out_atoms(writer, chosen, &range);
    let first = wrap_neighbours(writer, &runs);
    Ok(first.map(|first| Deletion { first, takes_field: !fields.is_empty() }))
}

/// Cuts runs so that the text of `range` stands in runs of its own, which are given in order. Objects are left out.
pub(crate) fn cut_out(
    writer: &mut RevisionWriter<'_>,
    paragraph: &Paragraph,
    range: Range<usize>,
) -> Vec<NodeId> {
    let texts = paragraph.overlapping(range.clone()).filter(|atom| atom.kind != AtomKind::Object);
    cut_out_atoms(writer, texts.collect(), &range)
}

/// The same for chosen leaves, of which text beyond `range` stays.
fn cut_out_atoms(writer: &mut RevisionWriter<'_>, atoms: Vec<&Atom>, range: &Range<usize>) -> Vec<NodeId> {
    let mut leaves = Vec::new();
    for atom in atoms {
        let from = range.start.clamp(atom.range.start, atom.range.end) - atom.range.start;
        let to = range.end.clamp(atom.range.start, atom.range.end) - atom.range.start;
        leaves.push((cut_leaf(writer, atom, from..to), atom.run));
    }
    let mut runs: Vec<NodeId> = Vec::new();
    let mut at = 0;
    while let Some((first, run)) = leaves.get(at).copied() {
        let mut last = first;
        // Leaves of one run that follow each other directly are cut out together.
        while let Some((leaf, same)) = leaves.get(at + 1).copied()
            && same == run
            && next_element(writer, last) == Some(leaf)
        {
            last = leaf;
            at += 1;
        }
        let cut = cut_run(writer, first, last);
        runs.push(cut);
        // What is left of the run now stands in the copy behind the cut.
        if let Some(rest) = writer.document.next(cut) {
            for (leaf, owner) in leaves.iter_mut().skip(at + 1) {
                if *owner == run && writer.document.parent(*leaf) == Some(rest) {
                    *owner = rest;
                }
            }
        }
        at += 1;
    }
    runs
}

/// Wraps runs into as few deletions as their places allow. Gives the first.
pub(crate) fn wrap_neighbours(writer: &mut RevisionWriter<'_>, runs: &[NodeId]) -> Option<NodeId> {
    let mut first = None;
    let mut at = 0;
    while at < runs.len() {
        let mut end = at + 1;
        while end < runs.len()
            && runs.get(end - 1).and_then(|run| next_element(writer, *run)) == runs.get(end).copied()
        {
            end += 1;
        }
        let wrapper = writer.wrap_deleted(runs.get(at..end).unwrap_or_default());
        first = first.or(wrapper);
        at = end;
    }
    first
}

/// Cuts a text leaf so that the bytes `range` of its text stand in a leaf of their own, which is returned.
pub(crate) fn cut_leaf(writer: &mut RevisionWriter<'_>, atom: &Atom, range: Range<usize>) -> NodeId {
    let text = effective_text(writer.document, atom.node).into_owned();
    if atom.kind != AtomKind::Text || (range.start == 0 && range.end >= text.len()) {
        return atom.node;
    }
    let name = if writer.document.name(atom.node) == DEL_TEXT { DEL_TEXT } else { T };
    let mut pieces = [(0..range.start, false), (range.clone(), true), (range.end..text.len(), false)]
        .into_iter()
        .filter_map(|(piece, wanted)| text.get(piece).map(|piece| (piece.to_owned(), wanted)))
        .filter(|(piece, wanted)| *wanted || !piece.is_empty());
    let mut cut = atom.node;
    let mut after = atom.node;
    // The first piece keeps the element, so that attributes we do not know survive.
    if let Some((piece, wanted)) = pieces.next() {
        while let Some(child) = writer.document.first_child(atom.node) {
            writer.document.detach(child);
        }
        let characters = writer.document.new_text(&piece);
        writer.document.append(atom.node, characters);
        if needs_preserve(&piece) {
            writer.document.set_attribute(atom.node, XML_SPACE, "preserve");
        }
        if wanted {
            cut = atom.node;
        }
    }
    for (piece, wanted) in pieces {
        let leaf = writer.text_leaf(name, &piece);
        writer.document.insert_after(after, leaf);
        after = leaf;
        if wanted {
            cut = leaf;
        }
    }
    cut
}

/// Cuts the run of the leaves `first..=last` so that they stand in a run of their own, which is returned.
fn cut_run(writer: &mut RevisionWriter<'_>, first: NodeId, last: NodeId) -> NodeId {
    if let Some(after) = next_element(writer, last) {
        cut_before(writer, after);
    }
    cut_before(writer, first)
}

/// The next sibling, white space of an indented file passed over.
pub(crate) fn next_element(writer: &RevisionWriter<'_>, node: NodeId) -> Option<NodeId> {
    let mut at = writer.document.next(node);
    while let Some(next) = at.filter(|next| writer.document.kind(*next) != NodeKind::Element) {
        at = writer.document.next(next);
    }
    at
}

/// Cuts a run before one of its leaves. Gives the run that now begins with the leaf.
pub(crate) fn cut_before(writer: &mut RevisionWriter<'_>, leaf: NodeId) -> NodeId {
    let Some(run) = writer.document.parent(leaf) else { return leaf };
    // An equation or similar object is its own run.
    if writer.document.name(run) == P {
        return leaf;
    }
    let is_leaf = |child: &NodeId| {
        writer.document.kind(*child) == NodeKind::Element && writer.document.name(*child) != R_PR
    };
    let first = writer.document.children(run).find(is_leaf);
    if first == Some(leaf) {
        return run;
    }
    let right = writer.copy_run_shell(run);
    writer.document.insert_after(run, right);
    let mut next = Some(leaf);
    while let Some(node) = next {
        next = writer.document.next(node);
        writer.document.append(right, node);
    }
    right
}
