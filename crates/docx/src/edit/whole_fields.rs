//! Fields that an edit takes as a whole: a field whose result lies in a deletion goes with it, instruction and all.
//!
//! Must never take half a field, nor one whose result is only replaced: its next update would bring the old words back.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::model::{Atom, AtomKind, Barrier, Paragraph, barrier_around_fields};
use crate::names::{FLD_CHAR, FLD_CHAR_TYPE, FLD_SIMPLE, P};

/// A field that begins and ends in one paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WholeField {
    /// Its atoms: of a complex one from the character that begins it to the one that ends it.
    pub(crate) atoms: Range<usize>,
    /// Bytes of the paragraph's text that are its result.
    pub(crate) text: Range<usize>,
}

/// The fields of a paragraph that can be taken whole and that nobody may type into, outermost only.
fn whole_fields(document: &Document, paragraph: &Paragraph) -> Vec<WholeField> {
    let mut found = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut index = 0;
    while let Some(atom) = paragraph.atoms.get(index) {
        let simple = if atom.fields == 0 && open.is_empty() { simple_field(document, atom) } else { None };
        if let Some(simple) = simple {
            let rest = paragraph.atoms.get(index..).unwrap_or_default();
            let count = rest.iter().take_while(|atom| simple_field(document, atom) == Some(simple)).count();
            let own = rest.get(..count).unwrap_or_default();
            let atoms = index..index + count;
            found.extend(result_of(document, own).map(|text| WholeField { atoms: atoms.clone(), text }));
            index = atoms.end;
            continue;
        }
        index += 1;
        if document.name(atom.node) != FLD_CHAR {
            continue;
        }
        let index = index - 1;
        match document.attribute(atom.node, FLD_CHAR_TYPE).as_deref() {
            Some("begin") => open.push(index),
            Some("end") => {
                let Some(begin) = open.pop() else { continue };
                let own = paragraph.atoms.get(begin..=index).unwrap_or_default();
                // One inside of another goes with that; one that goes on from another paragraph is not whole here.
                if open.is_empty() && atom.fields == 0 {
                    found.extend(
                        result_of(document, own).map(|text| WholeField { atoms: begin..index + 1, text }),
                    );
                }
            }
            _ => {}
        }
    }
    found
}

/// The outermost simple field around an atom.
fn simple_field(document: &Document, atom: &Atom) -> Option<NodeId> {
    let above = document.ancestors(atom.run).take_while(|above| document.name(*above) != P);
    above.filter(|above| document.name(*above) == FLD_SIMPLE).last()
}

/// The simple fields among fields and inside of them, outermost only.
pub(crate) fn simple_fields(
    document: &Document,
    paragraph: &Paragraph,
    fields: &[WholeField],
) -> Vec<NodeId> {
    let atoms = fields.iter().flat_map(|field| paragraph.atoms.get(field.atoms.clone()).unwrap_or_default());
    let mut found: Vec<NodeId> = atoms.filter_map(|atom| simple_field(document, atom)).collect();
    found.dedup();
    found
}

/// The text of a field that can go as a whole.
fn result_of(document: &Document, atoms: &[Atom]) -> Option<Range<usize>> {
    let mut text: Option<Range<usize>> = None;
    for atom in atoms {
        let controlled =
            || document.parent(atom.run).and_then(|parent| barrier_around_fields(document, parent)).is_some();
        // What others delete or move is not ours to take, and an object within has a place of its own.
        if atom.deleted.is_some() || atom.kind == AtomKind::Object || controlled() {
            return None;
        }
        if atom.visible && !atom.range.is_empty() {
            if !matches!(atom.barrier, Some(Barrier::Field(_))) {
                return None;
            }
            let start = text.as_ref().map_or(atom.range.start, |text| text.start);
            text = Some(start..atom.range.end);
        }
    }
    text
}

/// The fields that go when the text of `range` goes: those that lie in it, and if other text comes instead, reach not as far as
/// it does.
pub(crate) fn fields_taken(
    document: &Document,
    paragraph: &Paragraph,
    range: &Range<usize>,
    is_replaced: bool,
) -> Vec<WholeField> {
    let is_in = |field: &WholeField| range.start <= field.text.start && field.text.end <= range.end;
    let is_less = |field: &WholeField| !is_replaced || field.text != *range;
    whole_fields(document, paragraph).into_iter().filter(|field| is_in(field) && is_less(field)).collect()
}
