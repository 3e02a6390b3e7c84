//! Where inserted text goes, and which formatting it takes.
//!
//! Between two runs there can be several places: inside a link, behind a field, in somebody's insertion. The place
//! with the fewest wrappers wins, and of equal ones the first, so text typed behind a link stays outside of it.

use engross_xml::{Document, NodeId, NodeKind};

use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::{Chain, Cursor, cut_before, cut_leaf, next_element, refuse_barrier};
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    Atom, AtomKind, Barrier, Paragraph, barrier_inside, is_range_marker, is_revision_wrapper,
};
use crate::names::{
    COMMENT_REFERENCE, DEL, FLD_CHAR, FLD_CHAR_TYPE, FLD_SIMPLE, HYPERLINK, INS, MOVE_FROM, MOVE_TO, P, P_PR,
    R_PR, SDT,
};
use crate::styles::Styles;

/// A place for new text, and the `w:rPr` whose formatting it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) cursor: Cursor,
    pub(crate) like: Option<NodeId>,
}

/// The place right behind a deletion just made, for the text that replaces it.
pub(crate) fn behind(writer: &mut RevisionWriter<'_>, deletion: NodeId) -> Place {
    let like = writer.document.first_child(deletion).and_then(|run| writer.document.child(run, R_PR));
    let parent = writer.document.parent(deletion).unwrap_or(deletion);
    let cursor = Cursor { parent, before: writer.document.next(deletion) };
    Place { cursor: lift(writer, cursor), like }
}

/// The place right before a deletion just made.
pub(crate) fn before(writer: &mut RevisionWriter<'_>, deletion: NodeId) -> Place {
    let like = writer.document.first_child(deletion).and_then(|run| writer.document.child(run, R_PR));
    let parent = writer.document.parent(deletion).unwrap_or(deletion);
    Place { cursor: lift(writer, Cursor { parent, before: Some(deletion) }), like }
}

/// The place at byte `at` of the chain's text, where nothing is deleted.
pub(crate) fn between(
    writer: &mut RevisionWriter<'_>,
    chain: Chain<'_>,
    at: usize,
    styles: &Styles,
) -> Result<Place, Refusal> {
    let mut paragraph = chain.read(writer);
    let inside = |atom: &&Atom| atom.kind == AtomKind::Text && atom.range.start < at && at < atom.range.end;
    let split = paragraph.visible().find(inside).cloned();
    if let Some(atom) = split {
        if let Some(barrier) = &atom.barrier {
            return Err(refuse_barrier(barrier));
        }
        cut_leaf(writer, &atom, 0..at - atom.range.start);
        paragraph = chain.read(writer);
    }
    let Some((left, right)) = gap(writer, &paragraph, at) else {
        return empty_paragraph(writer, chain, &paragraph);
    };
    let field = left.and_then(|left| paragraph.atoms.get(left)).map_or_else(
        || chain.fields.and_then(|fields| fields.guarded()).map(|name| Barrier::Field(name.to_owned())),
        |atom| if atom.fields > 0 { atom.barrier.clone() } else { None },
    );
    let left = left.and_then(|left| paragraph.atoms.get(left)).cloned();
    let right = right.and_then(|right| paragraph.atoms.get(right)).cloned();
    let cursor = cursor_between(writer, left.as_ref(), right.as_ref());
    if let Some(barrier) = field.or_else(|| barrier_inside(writer.document, cursor.parent)) {
        return Err(refuse_barrier(&barrier));
    }
    let like = formats(writer, &paragraph, at, cursor, styles);
    Ok(Place { cursor: lift(writer, cursor), like })
}

/// Cuts other people's revisions at the cursor, so that ours stands beside and not inside them.
pub(crate) fn lift(writer: &mut RevisionWriter<'_>, cursor: Cursor) -> Cursor {
    let mut cursor = cursor;
    while matches!(writer.document.name(cursor.parent), INS | DEL | MOVE_FROM | MOVE_TO)
        && let Some(above) = writer.document.parent(cursor.parent)
    {
        let wrapper = cursor.parent;
        let is_element = |node: &NodeId| writer.document.kind(*node) == NodeKind::Element;
        // White space of an indented file is no content: a piece of nothing else would be left behind.
        let from =
            cursor.before.and_then(|node| Some(node).filter(is_element).or(next_element(writer, node)));
        cursor = match from {
            None => Cursor { parent: above, before: writer.document.next(wrapper) },
            Some(before) if writer.document.children(wrapper).find(is_element) == Some(before) => {
                Cursor { parent: above, before: Some(wrapper) }
            }
            Some(before) => {
                let rest = writer.copy_wrapper_shell(wrapper);
                writer.document.insert_after(wrapper, rest);
                let mut next = Some(before);
                while let Some(node) = next {
                    next = writer.document.next(node);
                    writer.document.append(rest, node);
                }
                Cursor { parent: above, before: Some(rest) }
            }
        };
    }
    cursor
}

/// The place outside of a link that has nothing on one side of the cursor.
pub(crate) fn outside_links(writer: &RevisionWriter<'_>, cursor: Cursor) -> Result<Cursor, Refusal> {
    let mut cursor = cursor;
    while writer.document.name(cursor.parent) == HYPERLINK
        && let Some(above) = writer.document.parent(cursor.parent)
    {
        let link = cursor.parent;
        // What is deleted, and marks between runs, are no words of the link.
        let holds_words = |node: &NodeId| {
            let name = writer.document.name(*node);
            writer.document.kind(*node) == NodeKind::Element && name != DEL && !is_range_marker(name)
        };
        let is_behind = |node: &NodeId| {
            cursor.before.is_some_and(|before| {
                *node == before
                    || writer
                        .document
                        .children(link)
                        .skip_while(|child| *child != before)
                        .any(|child| child == *node)
            })
        };
        let words: Vec<bool> =
            writer.document.children(link).filter(holds_words).map(|node| is_behind(&node)).collect();
        cursor = match (words.contains(&true), words.contains(&false)) {
            (false, _) => Cursor { parent: above, before: writer.document.next(link) },
            (true, false) => Cursor { parent: above, before: Some(link) },
            (true, true) => {
                return Err(Refusal::new(
                    RefusalCode::InvalidContent,
                    "the place is inside a link, and a link cannot stand in another; name all words of that link",
                ));
            }
        };
    }
    Ok(cursor)
}

/// Puts a detached node at a cursor.
pub(crate) fn put(writer: &mut RevisionWriter<'_>, cursor: Cursor, node: NodeId) {
    match cursor.before {
        Some(before) => writer.document.insert_before(before, node),
        None => writer.document.append(cursor.parent, node),
    }
}

/// The neighbouring atoms between which new text goes: the gap with the fewest wrappers.
fn gap(
    writer: &RevisionWriter<'_>,
    paragraph: &Paragraph,
    at: usize,
) -> Option<(Option<usize>, Option<usize>)> {
    let atoms = &paragraph.atoms;
    let shown = |atom: &Atom| atom.visible && !atom.range.is_empty();
    let left = atoms.iter().rposition(|atom| shown(atom) && atom.range.end <= at);
    let right = atoms.iter().position(|atom| shown(atom) && atom.range.start >= at);
    let first = match (left, right) {
        (None, None) => return None,
        (None, Some(right)) => {
            // At the start of the text: directly before its first run, behind anything silent.
            // A field around that run is left outside too.
            let first = atoms.iter().take(right).position(|atom| atom.fields > 0).unwrap_or(right);
            return Some((first.checked_sub(1), Some(first)));
        }
        (Some(left), _) => left,
    };
    let last = right.unwrap_or(atoms.len());
    let cost = |index: usize| {
        let left = atoms.get(index);
        let fields = left.map_or(0, |atom| atom.fields);
        let shared = match (left, atoms.get(index + 1)) {
            (Some(left), Some(right)) => shared_wrappers(writer, left.run, right.run),
            _ => 0,
        };
        fields + shared
    };
    let mut best = first;
    for index in first..last {
        let better = cost(index) < cost(best);
        // Behind what this batch already put here, so that two insertions keep their order. The mark of a comment may stand
        // between.
        let ours = |atom: &Atom| atom.inserted.is_some() && !atom.visible;
        let is_mark = |atom: &Atom| writer.document.name(atom.node) == COMMENT_REFERENCE;
        let behind_ours = cost(index) == cost(best)
            && atoms.get(best + 1..=index).is_some_and(|between| {
                between.last().is_some_and(ours) && between.iter().all(|atom| ours(atom) || is_mark(atom))
            });
        if better || behind_ours {
            best = index;
        }
    }
    Some((Some(best), Some(best + 1).filter(|next| *next < atoms.len())))
}

fn is_nesting(writer: &RevisionWriter<'_>, node: NodeId) -> bool {
    matches!(writer.document.name(node), HYPERLINK | SDT | FLD_SIMPLE)
}

fn shared_wrappers(writer: &RevisionWriter<'_>, left: NodeId, right: NodeId) -> usize {
    let around_right: Vec<NodeId> = writer.document.ancestors(right).collect();
    writer
        .document
        .ancestors(left)
        .take_while(|node| writer.document.name(*node) != P)
        .filter(|node| is_nesting(writer, *node) && around_right.contains(node))
        .count()
}

fn cursor_between(writer: &mut RevisionWriter<'_>, left: Option<&Atom>, right: Option<&Atom>) -> Cursor {
    match (left, right) {
        (Some(left), Some(right)) if left.run == right.run => {
            let run = cut_before(writer, right.node);
            let parent = writer.document.parent(run).unwrap_or(run);
            Cursor { parent, before: Some(run) }
        }
        (Some(left), right) => {
            let around: Vec<NodeId> =
                right.map(|right| writer.document.ancestors(right.run).collect()).unwrap_or_default();
            let mut node = left.run;
            while let Some(above) = writer.document.parent(node)
                && writer.document.name(above) != P
                && !around.contains(&above)
            {
                node = above;
            }
            let parent = writer.document.parent(node).unwrap_or(node);
            Cursor { parent, before: writer.document.next(node) }
        }
        (None, Some(right)) => {
            let mut node = right.run;
            while let Some(above) = writer.document.parent(node)
                && writer.document.name(above) != P
            {
                node = above;
            }
            let parent = writer.document.parent(node).unwrap_or(node);
            Cursor { parent, before: Some(node) }
        }
        (None, None) => Cursor { parent: writer.document.root(), before: None },
    }
}

/// How many complex fields begin below a node that do not end there, less those that end.
fn fields_opened(document: &Document, node: NodeId) -> i32 {
    let marks = document.descendants(node).filter(|below| document.name(*below) == FLD_CHAR);
    marks
        .map(|mark| match document.attribute(mark, FLD_CHAR_TYPE).as_deref() {
            Some("begin") => 1,
            Some("end") => -1,
            _ => 0,
        })
        .sum()
}

/// A paragraph without text: behind its properties and markers, and behind fields that show nothing.
fn empty_paragraph(
    writer: &mut RevisionWriter<'_>,
    chain: Chain<'_>,
    paragraph: &Paragraph,
) -> Result<Place, Refusal> {
    let barrier = match paragraph.atoms.last() {
        Some(atom) => atom.barrier.clone(),
        None => chain.fields.and_then(|fields| fields.guarded()).map(|name| Barrier::Field(name.to_owned())),
    };
    if let Some(barrier) = barrier {
        return Err(refuse_barrier(&barrier));
    }
    let parent = paragraph.node;
    let mark =
        writer.document.child(parent, P_PR).and_then(|properties| writer.document.child(properties, R_PR));
    let (mut last, mut depth, mut is_behind) = (None, 0, false);
    for child in writer.document.children(parent) {
        let name = writer.document.name(child);
        let opened = fields_opened(writer.document, child);
        is_behind |= name == P_PR || is_range_marker(name) || is_revision_wrapper(name) || opened < 0;
        depth += opened;
        if is_behind && depth <= 0 {
            (last, is_behind) = (Some(child), false);
        }
    }
    let before = match last {
        Some(last) => writer.document.next(last),
        None => writer.document.first_child(parent),
    };
    Ok(Place { cursor: Cursor { parent, before }, like: mark })
}

/// The run properties that text typed at the cursor takes: those of the text before it, else of the text behind.
fn formats(
    writer: &RevisionWriter<'_>,
    paragraph: &Paragraph,
    at: usize,
    cursor: Cursor,
    styles: &Styles,
) -> Option<NodeId> {
    let document = &*writer.document;
    let wrappers: Vec<NodeId> = std::iter::once(cursor.parent)
        .chain(document.ancestors(cursor.parent))
        .take_while(|node| document.name(*node) != P)
        .filter(|node| is_nesting(writer, *node))
        .collect();
    let properties = |atom: &Atom| document.child(atom.run, R_PR);
    let fits = |atom: &&Atom| {
        let own = document.ancestors(atom.run).take_while(|node| document.name(*node) != P);
        let outside = own.filter(|node| is_nesting(writer, *node)).all(|node| wrappers.contains(&node));
        // Inside a link its style belongs to all of its text; outside it must not spread.
        let reference = wrappers.is_empty()
            && properties(atom).is_some_and(|format| styles.is_reference_format(document, format));
        outside && !reference
    };
    let text =
        |atom: &&Atom| matches!(atom.kind, AtomKind::Text | AtomKind::Character(_)) && !atom.range.is_empty();
    let before = paragraph.visible().filter(|atom| atom.range.end <= at).filter(text).filter(fits).last();
    let behind = || paragraph.visible().filter(|atom| atom.range.start >= at).filter(text).find(fits);
    match before.or_else(behind) {
        Some(atom) => properties(atom),
        None => document.child(paragraph.node, P_PR).and_then(|properties| document.child(properties, R_PR)),
    }
}
