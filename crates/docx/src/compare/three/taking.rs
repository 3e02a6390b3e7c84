//! Content of the other redline, markup included, as content of this one.
//!
//! What the base has goes by its ids in both; what is new gets new ids, and what it leads to is brought over.

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId, QName};

use super::meeting::Meeting;
use crate::compare::parts::{Importer, notes_in};
use crate::compare::redliner::{ignore_as_there, is_link};
use crate::edit::Ids;
use crate::error::Error;
use crate::limits::Limits;
use crate::model::is_revision_wrapper;
use crate::names::{
    DOC_PR, ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID, N_LOWER_ID, NUM_ID, P_STYLE, R_STYLE, TBL_STYLE, VAL,
};
use crate::parts::parse;
use crate::revisions::is_property_change;

impl Meeting<'_> {
    /// A copy of a node of the other redline, attached to nothing.
    pub(super) fn take(&mut self, node: NodeId, is_new: bool) -> NodeId {
        let imported = self.ours.tree.import(self.other, node);
        ignore_as_there(self.ours.tree, self.other, &imported.declared);
        let nodes: Vec<NodeId> = self.ours.tree.descendants(imported.node).collect();
        for node in nodes {
            self.adopt(node, is_new);
        }
        imported.node
    }

    fn adopt(&mut self, node: NodeId, is_new: bool) {
        let name = self.ours.tree.name(node);
        let value =
            |tree: &Document, attribute| tree.attribute(node, attribute).unwrap_or_default().into_owned();
        match name {
            NUM_ID => {
                let id = value(self.ours.tree, VAL);
                if id != "0" && !self.is_known_list(&id) {
                    let own = self.ours.importer.list(&id);
                    self.ours.tree.set_attribute(node, VAL, &own);
                }
            }
            P_STYLE | R_STYLE | TBL_STYLE => {
                let style = value(self.ours.tree, VAL);
                let own = self.ours.importer.style(&style);
                self.ours.tree.set_attribute(node, VAL, &own);
            }
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => {
                let (id, is_footnote) = (value(self.ours.tree, ID), name == FOOTNOTE_REFERENCE);
                if !self.is_known_note(is_footnote, &id) {
                    let own = self.ours.importer.new_note(is_footnote);
                    self.ours.tree.set_attribute(node, ID, &own);
                    self.met.notes.push((is_footnote, id, own));
                }
            }
            DOC_PR if is_new => {
                let id = self.ours.importer.drawing_id();
                self.ours.tree.set_attribute(node, N_LOWER_ID, &id);
            }
            _ => {}
        }
        renumber(self.ours.tree, self.ours.ids, node);
        adopt_links(self.ours.tree, self.ours.importer, self.ours.part, node);
    }
}

/// Gives a tracked change an id that nothing here has.
fn renumber(tree: &mut Document, ids: &mut Ids, node: NodeId) {
    let name = tree.name(node);
    let is_cell_mark = matches!(tree.local_name(name), "cellIns" | "cellDel" | "cellMerge");
    if (is_revision_wrapper(name) || is_property_change(name) || is_cell_mark)
        && tree.attribute(node, ID).is_some()
    {
        let id = ids.take().to_string();
        tree.set_attribute(node, ID, &id);
    }
}

fn adopt_links(tree: &mut Document, importer: &mut Importer, part: &str, node: NodeId) {
    let links: Vec<(QName, String)> = tree
        .raw_attributes(node)
        .filter(|(name, ..)| is_link(tree, *name))
        .map(|(name, _, value)| (name, value.to_owned()))
        .collect();
    for (name, id) in links {
        let own = importer.link(part, part, &id);
        if own != id {
            tree.set_attribute(node, name, &own);
        }
    }
}

/// Brings new notes over: whether a footnote, the id there and the id here.
pub(super) fn take_notes(
    importer: &mut Importer,
    ids: &mut Ids,
    notes: &BTreeSet<(bool, String, String)>,
    limits: &Limits,
) -> Result<(), Error> {
    for is_footnote in [true, false] {
        let mut wanted = notes.iter().filter(|(own, ..)| *own == is_footnote).peekable();
        let theirs = importer.note_part(is_footnote, true).filter(|_| wanted.peek().is_some());
        let Some(theirs) = theirs else { continue };
        let other = parse(&importer.after, &theirs, &limits.xml)?;
        let (ours, mut tree) = match importer.note_part(is_footnote, false) {
            Some(ours) => (ours.clone(), parse(&importer.before, &ours, &limits.xml)?),
            None => {
                let kind = if is_footnote { "footnotes" } else { "endnotes" };
                let Some(ours) = importer.bring_part(kind) else { continue };
                let mut tree = parse(&importer.before, &ours, &limits.xml)?;
                notes_in(&tree).into_values().for_each(|node| tree.detach(node));
                (ours, tree)
            }
        };
        let known = notes_in(&other);
        for (_, there, here) in wanted {
            let Some(source) = known.get(there).copied() else { continue };
            let copy = tree.import(&other, source).node;
            tree.set_attribute(copy, ID, here);
            let nodes: Vec<NodeId> = tree.descendants(copy).collect();
            for node in nodes.into_iter().filter(|node| *node != copy) {
                renumber(&mut tree, ids, node);
                adopt_links(&mut tree, importer, &ours, node);
            }
            let root = tree.root();
            tree.append(root, copy);
        }
        importer.before.set_part(&ours, tree.write());
    }
    Ok(())
}
