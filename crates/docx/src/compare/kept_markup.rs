//! Puts earlier authors' revisions back into a redline, around its own.
//!
//! What somebody inserted and this comparison deletes is a deletion within that insertion; what somebody deleted stays deleted by
//! them; what comes from the other document as somebody's insertion is that person's. Must never touch what nothing was noted of.

use engross_xml::{Document, NodeId, NodeKind, QName};

use super::kept::{KeptState, Reviser, is_insertion, marks_of};
use crate::edit::{Ids, PendingParts, RevisionWriter};
use crate::model::is_revision_wrapper;
use crate::names::{CELL_DEL, CELL_INS, DEL, ID, INS, KEPT_REVISION, P, TC, TC_PR, TR, TR_PR};
use crate::styles::Styles;

/// Turns what was noted back into revisions.
pub(super) fn put_back(tree: &mut Document, ids: &mut Ids) {
    let noted: Vec<NodeId> =
        tree.descendants(tree.root()).filter(|node| tree.attribute(*node, KEPT_REVISION).is_some()).collect();
    let mut markup = KeptMarkup { tree, ids };
    let mut group: Vec<NodeId> = Vec::new();
    for node in noted {
        if matches!(markup.tree.name(node), P | TR | TC) {
            markup.mark(node);
            continue;
        }
        let follows = group.last().is_some_and(|last| {
            markup.next_element(*last) == Some(node)
                && KeptState::of(markup.tree, *last) == KeptState::of(markup.tree, node)
        });
        if !follows {
            markup.wrap(&std::mem::take(&mut group));
        }
        group.push(node);
    }
    markup.wrap(&group);
}

struct KeptMarkup<'a> {
    tree: &'a mut Document,
    ids: &'a mut Ids,
}

impl KeptMarkup<'_> {
    /// A row of neighbours with one state.
    fn wrap(&mut self, nodes: &[NodeId]) {
        let Some(first) = nodes.first().copied() else { return };
        let state = KeptState::of(self.tree, first);
        nodes.iter().for_each(|node| self.tree.remove_attribute(*node, KEPT_REVISION));
        let own = self.tree.parent(first).filter(|parent| is_revision_wrapper(self.tree.name(*parent)));
        let is_gone = self.tree.ancestors(first).skip(1).any(|above| self.tree.name(above) == DEL);
        match own.map(|own| (own, self.tree.name(own))) {
            Some((own, DEL)) => {
                let deletion = self.alone(own, nodes);
                if let Some(deleted) = &state.deleted {
                    deleted.sign(self.tree, deletion);
                }
                if let Some(inserted) = &state.inserted {
                    self.around(&[deletion], INS, inserted);
                }
            }
            Some((own, _)) => {
                let insertion = self.alone(own, nodes);
                if let Some(inserted) = &state.inserted {
                    inserted.sign(self.tree, insertion);
                }
                if let Some(deleted) = &state.deleted {
                    self.around(nodes, DEL, deleted);
                }
            }
            None => {
                let inserted = state.inserted.as_ref().map(|by| self.around(nodes, INS, by));
                if let Some(deleted) = state.deleted.as_ref().filter(|_| !is_gone) {
                    self.around(nodes, DEL, deleted);
                }
                debug_assert!(inserted.is_none_or(|node| self.tree.parent(node).is_some()));
            }
        }
    }

    /// Writes revisions of somebody; they need no parts of the package, nor its styles.
    fn writer<'b>(
        &'b mut self,
        by: &'b Reviser,
        pending: &'b mut PendingParts,
        styles: &'b Styles,
    ) -> RevisionWriter<'b> {
        let since = self.ids.own().first();
        let (author, date) = (&by.author, by.date.as_deref().unwrap_or_default());
        RevisionWriter { document: self.tree, ids: self.ids, author, date, since, pending, styles }
    }

    /// Puts neighbours into a revision of somebody.
    fn around(&mut self, nodes: &[NodeId], kind: QName, by: &Reviser) -> NodeId {
        let (mut pending, styles) = (PendingParts::default(), Styles::default());
        let mut writer = self.writer(by, &mut pending, &styles);
        let wrapper = match kind {
            DEL => writer.wrap_deleted(nodes),
            _ => None,
        };
        let wrapper = match wrapper {
            Some(wrapper) => wrapper,
            None => {
                let wrapper = writer.revision(kind);
                if let Some(first) = nodes.first() {
                    writer.document.insert_before(*first, wrapper);
                }
                nodes.iter().for_each(|node| writer.document.append(wrapper, *node));
                wrapper
            }
        };
        by.sign(self.tree, wrapper);
        wrapper
    }

    /// Cuts a revision of this comparison so that these nodes have one for themselves.
    fn alone(&mut self, wrapper: NodeId, nodes: &[NodeId]) -> NodeId {
        let children: Vec<NodeId> = self.tree.children(wrapper).collect();
        let at = |node: Option<&NodeId>| children.iter().position(|child| Some(child) == node);
        let (Some(start), Some(end)) = (at(nodes.first()), at(nodes.last())) else { return wrapper };
        let is_element = |node: &&NodeId| self.tree.kind(**node) == NodeKind::Element;
        let before = children.get(..start).unwrap_or_default();
        let behind = children.get(end + 1..).unwrap_or_default();
        let (has_before, has_behind) =
            (before.iter().any(|node| is_element(&node)), behind.iter().any(|node| is_element(&node)));
        if has_before {
            let copy = self.shell(wrapper);
            self.tree.insert_before(wrapper, copy);
            before.iter().for_each(|node| self.tree.append(copy, *node));
        }
        if has_behind {
            let copy = self.shell(wrapper);
            self.tree.insert_after(wrapper, copy);
            behind.iter().for_each(|node| self.tree.append(copy, *node));
        }
        wrapper
    }

    fn shell(&mut self, wrapper: NodeId) -> NodeId {
        let copy = self.tree.copy_shallow(wrapper);
        let id = self.ids.take().to_string();
        self.tree.set_attribute(copy, ID, &id);
        copy
    }

    /// A paragraph's border, a row or a cell.
    fn mark(&mut self, owner: NodeId) {
        let state = KeptState::of(self.tree, owner);
        self.tree.remove_attribute(owner, KEPT_REVISION);
        let own = |markup: &Self, insertion: bool| {
            let marks = marks_of(markup.tree, owner)?;
            markup.tree.children(marks).find(|mark| {
                let name = markup.tree.name(*mark);
                (is_revision_wrapper(name) || matches!(name, CELL_INS | CELL_DEL))
                    && is_insertion(name) == insertion
            })
        };
        for (by, insertion) in [(&state.inserted, true), (&state.deleted, false)] {
            let Some(by) = by else { continue };
            match own(self, insertion) {
                Some(mark) => by.sign(self.tree, mark),
                None => self.add_mark(owner, insertion, by),
            }
        }
    }

    fn add_mark(&mut self, owner: NodeId, insertion: bool, by: &Reviser) {
        let (mut pending, styles) = (PendingParts::default(), Styles::default());
        let mut writer = self.writer(by, &mut pending, &styles);
        let name = writer.document.name(owner);
        let mark = if name == P {
            let kind = if insertion { INS } else { DEL };
            writer.mark_paragraph(owner, kind);
            marks_of(writer.document, owner).and_then(|marks| writer.document.child(marks, kind))
        } else {
            let kind = match (name, insertion) {
                (TC, true) => CELL_INS,
                (TC, false) => CELL_DEL,
                (_, true) => INS,
                (_, false) => DEL,
            };
            let mark = writer.revision(kind);
            super::tables::put_mark(writer.document, owner, if name == TC { TC_PR } else { TR_PR }, mark);
            Some(mark)
        };
        if let Some(mark) = mark {
            by.sign(self.tree, mark);
        }
    }

    fn next_element(&self, node: NodeId) -> Option<NodeId> {
        let mut next = self.tree.next(node);
        while let Some(node) = next.filter(|node| self.tree.kind(*node) != NodeKind::Element) {
            next = self.tree.next(node);
        }
        next
    }
}
