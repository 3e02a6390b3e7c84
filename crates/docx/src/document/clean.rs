//! A version of a document to be handed out: without revisions, without comments, and without what tells who worked on it.
//!
//! | Taken away | By |
//! |---|---|
//! | all revisions: they are accepted, in every story, and marks of moves go; the small picture of the first page | always |
//! | comments with their parts, ranges and marks, and the list of people | unless they are kept |
//! | author, date and initials of kept comments, the list of people; `w:rsid*`; creator, last editor, manager, company; custom properties that no field shows | when it is to be anonymous |
//!
//! Must never take away text, nor what a field shows.

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::new_parts::{CORE_PART, CUSTOM_PART, EXTENDED_PART};
use crate::error::Error;
use crate::names::{
    AUTHOR, COMMENT, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, CP_LAST_MODIFIED_BY,
    CU_PROPERTY, DATE, DC_CREATOR, EP_COMPANY, EP_MANAGER, INITIALS, INSTR, INSTR_TEXT, N_NAME, R_PR, RSID,
    RSIDS, RUN,
};
use crate::revisions::Side;

/// Relationships that lead to comments and to what stands beside them.
const COMMENT_PARTS: [&str; 5] =
    ["comments", "commentsExtended", "commentsIds", "commentsExtensible", "people"];

/// Who wrote what nobody is to know of.
const NOBODY: &str = "Author";

/// What stays in a clean version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CleanOptions {
    /// Comments stay.
    pub keep_comments: bool,
    /// Nothing says who worked on it.
    pub anonymous: bool,
}

impl WordDocument {
    /// Makes a clean version of the document. Gives how many revisions it accepted.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn clean(&mut self, options: CleanOptions) -> Result<usize, Error> {
        let accepted = self.resolve_all(Side::Accept)?;
        // Other parts of the file are written as well.
        self.resolved = true;
        // It shows the first page as it was.
        if let Some(picture) = self.property_part_of("thumbnail")? {
            self.remove_part(&picture)?;
        }
        if !options.keep_comments {
            self.remove_comments()?;
        }
        if options.anonymous {
            self.remove_authors(options.keep_comments)?;
        }
        Ok(accepted)
    }

    fn remove_comments(&mut self) -> Result<(), Error> {
        let parts = self.comment_parts();
        for name in self.all_story_parts().into_iter().filter(|name| !parts.contains(name)) {
            let tree = self.load_mut(&name)?;
            let root = tree.root();
            let marks: Vec<NodeId> = tree
                .descendants(root)
                .filter(|node| {
                    matches!(tree.name(*node), COMMENT_RANGE_START | COMMENT_RANGE_END | COMMENT_REFERENCE)
                })
                .collect();
            for mark in marks {
                let run = tree.parent(mark).filter(|run| tree.name(*run) == RUN);
                tree.detach(mark);
                if let Some(run) = run.filter(|run| is_hollow(tree, *run)) {
                    tree.detach(run);
                }
            }
        }
        for part in parts {
            self.remove_part(&part)?;
        }
        Ok(())
    }

    fn comment_parts(&self) -> Vec<String> {
        let beside = self.relationships.iter().filter(|own| !own.external);
        beside
            .filter(|own| COMMENT_PARTS.contains(&own.kind.as_str()) && self.package.contains(&own.target))
            .map(|own| own.target.clone())
            .collect()
    }

    fn all_story_parts(&self) -> Vec<String> {
        std::iter::once(self.main_name.clone()).chain(self.other_story_parts()).collect()
    }

    fn remove_authors(&mut self, has_comments: bool) -> Result<(), Error> {
        let mut parts = self.all_story_parts();
        parts.extend(["settings", "styles", "numbering"].iter().filter_map(|kind| self.related_name(kind)));
        let mut shown = BTreeSet::new();
        for name in parts {
            let tree = self.load_mut(&name)?;
            let root = tree.root();
            let nodes: Vec<NodeId> = tree.descendants(root).collect();
            for node in nodes {
                let marks: Vec<_> = tree
                    .raw_attributes(node)
                    .filter(|(_, qualified, _)| {
                        qualified.rsplit(':').next().is_some_and(|local| local.starts_with("rsid"))
                    })
                    .map(|(attribute, ..)| attribute)
                    .collect();
                marks.into_iter().for_each(|attribute| tree.remove_attribute(node, attribute));
                match tree.name(node) {
                    RSIDS | RSID => tree.detach(node),
                    COMMENT => {
                        tree.set_attribute(node, AUTHOR, NOBODY);
                        tree.set_attribute(node, INITIALS, "A");
                        tree.remove_attribute(node, DATE);
                    }
                    INSTR_TEXT => {
                        shown.insert(tree.element_text(node).to_lowercase());
                    }
                    _ => {
                        if let Some(code) = tree.attribute(node, INSTR) {
                            shown.insert(code.to_lowercase());
                        }
                    }
                }
            }
            self.touched.insert(name);
        }
        if has_comments && let Some(people) = self.related_name("people") {
            self.remove_part(&people)?;
        }
        for (kind, names) in
            [(CORE_PART, [DC_CREATOR, CP_LAST_MODIFIED_BY]), (EXTENDED_PART, [EP_COMPANY, EP_MANAGER])]
        {
            let Some(part) = self.property_part(kind)? else { continue };
            let tree = self.load_mut(&part)?;
            let root = tree.root();
            for name in names {
                if let Some(node) = tree.child(root, name) {
                    tree.detach(node);
                }
            }
            self.touched.insert(part);
        }
        if let Some(part) = self.property_part(CUSTOM_PART)? {
            let tree = self.load_mut(&part)?;
            let root = tree.root();
            let is_shown = |name: &str| {
                let name = name.to_lowercase();
                shown.iter().any(|code| code.contains("docproperty") && code.contains(&name))
            };
            let hidden: Vec<NodeId> = tree
                .children(root)
                .filter(|node| tree.name(*node) == CU_PROPERTY)
                .filter(|node| !is_shown(&tree.attribute(*node, N_NAME).unwrap_or_default()))
                .collect();
            hidden.into_iter().for_each(|node| tree.detach(node));
            if tree.children(root).any(|node| tree.name(node) == CU_PROPERTY) {
                self.touched.insert(part);
            } else {
                self.remove_part(&part)?;
            }
        }
        Ok(())
    }
}

/// Whether a run says nothing.
fn is_hollow(tree: &Document, run: NodeId) -> bool {
    tree.children(run).all(|child| match tree.name(child) {
        R_PR => true,
        engross_xml::QName::NONE => tree.text(child).trim().is_empty(),
        _ => false,
    })
}
