//! Text that one deleted and then inserted again at the same place: it stays, and nothing is deleted or inserted.
//!
//! Whole words only, and only where they look the same. Must never be asked about revisions of two authors.

use std::collections::HashSet;

use engross_xml::{Document, NodeId, NodeKind};

use crate::canon::normal_form;
use crate::edit::revision_writer::text_leaf;
use crate::model::effective_text;
use crate::names::{DEL, DEL_TEXT, P, R_PR, R_PR_CHANGE, RUN, T};
use crate::revisions::{Selection, Side, resolve_paragraphs};
use crate::text::tokens;

/// A character and the number of the formatting it has.
type Sign = (char, usize);

/// Takes the words at the beginning and the end of a deletion and an insertion beside each other that are the same in both out of
/// both.
pub(crate) fn put_back(document: &mut Document, one: NodeId, other: NodeId) {
    let (deletion, insertion) = if document.name(one) == DEL { (one, other) } else { (other, one) };
    let mut looks = Vec::new();
    let Some(deleted) = signs(document, deletion, &mut looks) else { return };
    let Some(inserted) = signs(document, insertion, &mut looks) else { return };
    // Most of them have nothing in common, and words need not be looked for.
    if deleted.first() != inserted.first() && deleted.last() != inserted.last() {
        return;
    }
    let (front, back) = common_words(&deleted, &inserted);
    let is_word = |sign: &Sign| sign.0.is_alphanumeric();
    let same = deleted.iter().take(front).chain(deleted.iter().rev().take(back));
    if deleted != inserted && !same.into_iter().any(is_word) {
        return;
    }
    let kept_front = cut_front(document, deletion, front);
    let kept_back = cut_back(document, deletion, deleted.len() - front, back);
    let gone =
        [cut_front(document, insertion, front), cut_back(document, insertion, inserted.len() - front, back)];
    for piece in gone.into_iter().flatten() {
        document.detach(piece);
    }
    // What stays stands before and behind whatever is left of the two.
    let (first, last) = if one == deletion { (deletion, insertion) } else { (insertion, deletion) };
    if let Some(piece) = kept_front.filter(|piece| *piece != first) {
        document.insert_before(first, piece);
    }
    if let Some(piece) = kept_back.filter(|piece| *piece != last) {
        document.insert_after(last, piece);
    }
    let kept: HashSet<NodeId> = [kept_front, kept_back].into_iter().flatten().collect();
    for hollow in [deletion, insertion] {
        if !kept.contains(&hollow) && document.first_child(hollow).is_none() {
            document.detach(hollow);
        }
    }
    let paragraph = kept
        .iter()
        .next()
        .and_then(|piece| document.ancestors(*piece).find(|above| document.name(*above) == P));
    if let Some(paragraph) = paragraph {
        resolve_paragraphs(document, &[paragraph], Side::Reject, Selection::Only(&kept));
    }
}

/// The characters of a wrapper that holds nothing but runs of text.
fn signs(document: &Document, wrapper: NodeId, looks: &mut Vec<Vec<u8>>) -> Option<Vec<Sign>> {
    let mut signs = Vec::new();
    for run in document.children(wrapper).filter(|child| document.kind(*child) == NodeKind::Element) {
        if document.name(run) != RUN {
            return None;
        }
        let properties = document.child(run, R_PR);
        if properties.is_some_and(|properties| document.child(properties, R_PR_CHANGE).is_some()) {
            return None;
        }
        let look = properties.map(|properties| normal_form(document, properties)).unwrap_or_default();
        let number = looks.iter().position(|known| *known == look).unwrap_or_else(|| {
            looks.push(look);
            looks.len() - 1
        });
        for leaf in document.children(run).filter(|child| document.kind(*child) == NodeKind::Element) {
            match document.name(leaf) {
                R_PR => {}
                T | DEL_TEXT => signs.extend(effective_text(document, leaf).chars().map(|c| (c, number))),
                _ => return None,
            }
        }
    }
    (!signs.is_empty()).then_some(signs)
}

/// How many signs at the beginning and at the end are the same, whole words only.
fn common_words(left: &[Sign], right: &[Sign]) -> (usize, usize) {
    let shorter = left.len().min(right.len());
    let (left_borders, right_borders) = (borders(left), borders(right));
    let mut front = left.iter().zip(right).take_while(|(one, other)| one == other).count();
    while !(left_borders.contains(&front) && right_borders.contains(&front)) {
        front -= 1;
    }
    let same = left.iter().rev().zip(right.iter().rev()).take_while(|(one, other)| one == other).count();
    let mut back = same.min(shorter - front);
    while !(left_borders.contains(&(left.len() - back)) && right_borders.contains(&(right.len() - back))) {
        back -= 1;
    }
    (front, back)
}

/// Where words begin and end, in characters; at both ends at least.
fn borders(signs: &[Sign]) -> HashSet<usize> {
    let text: String = signs.iter().map(|sign| sign.0).collect();
    let mut at = 0;
    let ends = tokens(&text).into_iter().map(|token| {
        at += text.get(token).map_or(0, |token| token.chars().count());
        at
    });
    std::iter::once(0).chain(ends).collect()
}

/// Cuts the first `count` characters off a wrapper; gives the wrapper that holds them, before it.
fn cut_front(document: &mut Document, wrapper: NodeId, count: usize) -> Option<NodeId> {
    if count == 0 {
        return None;
    }
    let shell = document.copy_shallow(wrapper);
    document.insert_before(wrapper, shell);
    let mut left = count;
    while left > 0
        && let Some(run) = document.first_child(wrapper)
    {
        let length = length(document, run);
        if length > left {
            let front = cut_run(document, run, left);
            document.append(shell, front);
            break;
        }
        document.append(shell, run);
        left -= length;
    }
    Some(shell)
}

/// Cuts the last `count` of `length` characters off a wrapper; gives the wrapper that holds them, behind it.
fn cut_back(document: &mut Document, wrapper: NodeId, length: usize, count: usize) -> Option<NodeId> {
    if count == 0 {
        return None;
    }
    // All that is before them is cut off, and changes places with the wrapper's rest.
    let back = document.copy_shallow(wrapper);
    document.insert_after(wrapper, back);
    let children: Vec<NodeId> = document.children(wrapper).collect();
    for child in children {
        document.append(back, child);
    }
    if let Some(front) = cut_front(document, back, length - count) {
        while let Some(child) = document.first_child(front) {
            document.append(wrapper, child);
        }
        document.detach(front);
    }
    Some(back)
}

fn length(document: &Document, run: NodeId) -> usize {
    let leaves = document.children(run).filter(|leaf| matches!(document.name(*leaf), T | DEL_TEXT));
    leaves.map(|leaf| effective_text(document, leaf).chars().count()).sum()
}

/// Cuts the first `count` characters off a run; gives the run that holds them, which is nowhere yet.
fn cut_run(document: &mut Document, run: NodeId, count: usize) -> NodeId {
    let front = document.copy_shallow(run);
    if let Some(properties) = document.child(run, R_PR) {
        let copy = document.copy(properties);
        document.append(front, copy);
    }
    let mut left = count;
    let leaves: Vec<NodeId> =
        document.children(run).filter(|leaf| matches!(document.name(*leaf), T | DEL_TEXT)).collect();
    for leaf in leaves {
        let text = effective_text(document, leaf).into_owned();
        let here = text.chars().count();
        if here <= left {
            document.append(front, leaf);
            left -= here;
            continue;
        }
        if left > 0 {
            let at = text.char_indices().nth(left).map_or(text.len(), |(at, _)| at);
            let (before, after) = text.split_at(at);
            let name = document.name(leaf);
            let cut = text_leaf(document, name, before);
            document.append(front, cut);
            let rest = text_leaf(document, name, after);
            document.insert_before(leaf, rest);
            document.detach(leaf);
        }
        break;
    }
    front
}
