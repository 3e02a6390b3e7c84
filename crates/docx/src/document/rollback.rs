//! All that a batch can change, to be kept or put back as a whole.

use std::collections::{BTreeMap, BTreeSet};

use engross_xml::TreeCheckpoint;

use super::WordDocument;
use crate::canon::IgnoredMarkup;
use crate::edit::Ids;
use crate::numbering::Numbering;
use crate::package::Package;
use crate::parts::Relationship;
use crate::styles::Styles;

/// All that a batch can change, as it was before it.
pub(super) struct Before {
    styles: Styles,
    tree: TreeCheckpoint,
    others: BTreeMap<String, TreeCheckpoint>,
    package: Package,
    relationships: Vec<Relationship>,
    ids: Ids,
    edited: BTreeSet<String>,
    touched: BTreeSet<String>,
    ignored: IgnoredMarkup,
    numbering: Numbering,
    resolved: bool,
    is_rebased: bool,
}

impl WordDocument {
    /// Takes note of all that a batch can change; to be ended by `commit` or `roll_back`.
    pub(super) fn state(&mut self) -> Before {
        Before {
            tree: self.tree.checkpoint(),
            others: self.others.iter_mut().map(|(part, tree)| (part.clone(), tree.checkpoint())).collect(),
            package: self.package.clone(),
            relationships: self.relationships.clone(),
            ids: self.ids.clone(),
            edited: self.edited.clone(),
            touched: self.touched.clone(),
            ignored: self.ignored.clone(),
            styles: self.styles.clone(),
            numbering: self.numbering.clone(),
            resolved: self.resolved,
            is_rebased: self.is_rebased,
        }
    }

    pub(super) fn commit(&mut self, before: Before) {
        self.tree.commit(before.tree);
        for (part, checkpoint) in before.others {
            if let Some(tree) = self.others.get_mut(&part) {
                tree.commit(checkpoint);
            }
        }
    }

    pub(super) fn roll_back(&mut self, before: Before) {
        self.tree.rollback(before.tree);
        self.others.retain(|part, _| before.others.contains_key(part));
        for (part, checkpoint) in before.others {
            if let Some(tree) = self.others.get_mut(&part) {
                tree.rollback(checkpoint);
            }
        }
        self.package = before.package;
        self.relationships = before.relationships;
        self.ids = before.ids;
        self.edited = before.edited;
        self.touched = before.touched;
        self.ignored = before.ignored;
        self.styles = before.styles;
        self.numbering = before.numbering;
        self.resolved = before.resolved;
        self.is_rebased = before.is_rebased;
    }
}
