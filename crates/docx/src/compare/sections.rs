//! Sections: their properties, and which header and footer each of them shows.

use std::collections::BTreeMap;

use engross_xml::{Document, NodeId, NodeKind};

use super::redliner::Redliner;
use crate::names::{FOOTER_REFERENCE, HEADER_REFERENCE, R_ID, SECT_PR, SECT_PR_CHANGE, TYPE};
use crate::read::is_section;

/// A header or footer: `true` for a header, and its type.
pub(super) type PageStory = (bool, String);

/// A section with what it shows.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) node: NodeId,
    /// The relationship of each header and footer, and whether the section itself names it.
    pub(super) shows: BTreeMap<PageStory, (String, bool)>,
}

/// The sections of a document, in order.
pub(super) fn sections_of(document: &Document) -> Vec<Section> {
    let mut shown: BTreeMap<PageStory, (String, bool)> = BTreeMap::new();
    let mut sections = Vec::new();
    for node in document.descendants(document.root()).filter(|node| is_section(document, *node)) {
        // A section without one goes on with that of the section before (ISO/IEC 29500-1 §17.10.1).
        shown.values_mut().for_each(|(_, is_own)| *is_own = false);
        for reference in document.children(node) {
            let name = document.name(reference);
            if matches!(name, HEADER_REFERENCE | FOOTER_REFERENCE) {
                let kind =
                    document.attribute(reference, TYPE).unwrap_or_else(|| "default".into()).into_owned();
                let id = document.attribute(reference, R_ID).unwrap_or_default().into_owned();
                shown.insert((name == HEADER_REFERENCE, kind), (id, true));
            }
        }
        sections.push(Section { node, shows: shown.clone() });
    }
    sections
}

impl Redliner<'_> {
    /// Properties of two sections that belong together, with a record. Headers and footers are compared later.
    pub(super) fn compare_sections(&mut self, before: NodeId, after: NodeId) {
        self.sections.push((before, after));
        if self.before_signer().properties(Some(before)) == self.after_signer().properties(Some(after)) {
            return;
        }
        let is_reference = |document: &Document, node: NodeId| {
            matches!(document.name(node), HEADER_REFERENCE | FOOTER_REFERENCE)
        };
        let children = |document: &Document, node: NodeId| -> Vec<NodeId> {
            let own = document.children(node).filter(|child| document.kind(*child) == NodeKind::Element);
            own.filter(|child| !is_reference(document, *child)).collect()
        };
        let is_record = |document: &Document, node: &NodeId| document.name(*node) == SECT_PR_CHANGE;
        let (mut ours, mut theirs) = (children(self.tree, before), children(self.after, after));
        theirs.retain(|child| !is_record(self.after, child));
        // An earlier author's record keeps what was there first.
        if let Some(earlier) = ours.iter().copied().find(|child| is_record(self.tree, child)) {
            ours.retain(|child| *child != earlier);
            ours.into_iter().for_each(|child| self.tree.detach(child));
            for child in theirs {
                let copy = self.import(child);
                self.tree.insert_before(earlier, copy);
            }
            return;
        }
        let mut writer = self.writer();
        let record = writer.revision(SECT_PR_CHANGE);
        let old = writer.document.new_element(SECT_PR);
        writer.document.append(record, old);
        for child in ours {
            writer.document.append(old, child);
        }
        for child in theirs {
            let copy = self.import(child);
            self.tree.append(before, copy);
        }
        self.tree.append(before, record);
        self.sign_as_there(record, Some(after), SECT_PR_CHANGE);
    }

    /// Lets a section show a header or footer. No revision can tell of that.
    pub(super) fn show(&mut self, section: NodeId, story: &PageStory, id: &str) {
        let name = if story.0 { HEADER_REFERENCE } else { FOOTER_REFERENCE };
        let known = self.tree.children(section).find(|node| {
            self.tree.name(*node) == name
                && self.tree.attribute(*node, TYPE).unwrap_or_else(|| "default".into()) == story.1.as_str()
        });
        let reference = match known {
            Some(known) => known,
            None => {
                let new = self.tree.new_element(name);
                self.tree.set_attribute(new, TYPE, &story.1);
                self.tree.prepend(section, new);
                new
            }
        };
        self.tree.ensure_prefix(
            crate::names::R,
            "r",
            "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        );
        self.tree.set_attribute(reference, R_ID, id);
    }
}
