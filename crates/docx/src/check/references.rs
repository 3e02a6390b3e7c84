//! Findings about ids that lead nowhere or stand for two things: styles, numbering, comment threads, ranges, controls
//! and drawings (ISO/IEC 29500-1 §17.3.1.27, §17.9, §17.13.4, §17.13.7, §17.5.2.18, §20.4.2.5).

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, Name, NodeId};

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::paragraphs;
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, BOOKMARK_START, CID_COMMENT_ID, CID_PARA_ID, COMMENT, COMMENT_RANGE_END,
    COMMENT_RANGE_START, DOC_PR, ID, N_LOWER_ID, NUM, NUM_ID, NUM_PR, P_STYLE, PARA_ID, PERM_END, PERM_START,
    R_STYLE, SDT_PR, STYLE, STYLE_ID, TBL_STYLE, VAL, W15_COMMENT_EX, W15_PARA_ID, W15_PARA_ID_PARENT,
};
use crate::styles::value_of;

use super::findings::Findings;
use super::order::check_part;
use super::part::CheckedPart;
use super::rules::Rule;
use super::walk::Walk;

/// What the parts without text define. A part that is not there, or cannot be read, forbids nothing.
#[derive(Debug, Default)]
pub(super) struct Known {
    styles: Option<HashSet<String>>,
    numbers: Option<HashSet<String>>,
}

impl Known {
    /// Reads styles, numbering and settings, and looks at them.
    pub(super) fn of(document: &WordDocument, findings: &mut Findings) -> Result<Self, Error> {
        let mut known = Self::default();
        for kind in ["styles", "numbering", "settings"] {
            let Some((name, tree)) = related(document, kind)? else { continue };
            check_part(&tree, &name, findings);
            match kind {
                "styles" => known.styles = Some(styles(&tree, &name, findings)),
                "numbering" => known.numbers = Some(numbers(&tree, &name, findings)),
                _ => {}
            }
        }
        Ok(known)
    }
}

/// Ids that stand for one thing, and ranges with two ends.
#[derive(Debug, Default)]
pub(super) struct Ids {
    controls: HashSet<String>,
    drawings: HashSet<String>,
    /// Of the part.
    bookmarks: HashSet<String>,
    /// Of the part, by id: starts minus ends, and where.
    comments: HashMap<String, (i64, NodeId)>,
    /// Of the part, by id: starts minus ends, and where.
    permissions: HashMap<String, (i64, NodeId)>,
}

impl Ids {
    pub(super) fn start_part(&mut self) {
        self.bookmarks.clear();
        self.comments.clear();
        self.permissions.clear();
    }
}

impl Walk<'_> {
    pub(super) fn references(&mut self, node: NodeId, name: Name) {
        match name {
            P_STYLE | R_STYLE | TBL_STYLE => self.style(node),
            NUM_PR => self.number(node),
            COMMENT_RANGE_START | COMMENT_RANGE_END => {
                let id = self.attribute(node, ID);
                let by = if name == COMMENT_RANGE_START { 1 } else { -1 };
                self.ids.comments.entry(id).or_insert((0, node)).0 += by;
            }
            PERM_START | PERM_END => {
                let id = self.attribute(node, ID);
                let by = if name == PERM_START { 1 } else { -1 };
                self.ids.permissions.entry(id).or_insert((0, node)).0 += by;
            }
            BOOKMARK_START => {
                let id = self.attribute(node, ID);
                if !id.is_empty() && !self.ids.bookmarks.insert(id.clone()) {
                    self.find(Rule::BookmarkIdDuplicate, node, || {
                        format!("the id {id} is given to two bookmarks")
                    });
                }
            }
            SDT_PR => {
                let id = value_of(self.document, node, ID).unwrap_or_default();
                if !id.is_empty() && !self.ids.controls.insert(id.clone()) {
                    self.find(Rule::ControlIdDuplicate, node, || {
                        format!("the id {id} is given to two content controls")
                    });
                }
            }
            DOC_PR => {
                let id = self.attribute(node, N_LOWER_ID);
                if !id.is_empty() && !self.ids.drawings.insert(id.clone()) {
                    self.find(Rule::DrawingIdDuplicate, node, || {
                        format!("the id {id} is given to two drawings")
                    });
                }
            }
            _ => {}
        }
    }

    /// What can only be told when the whole part was seen.
    pub(super) fn end_references(&mut self) {
        for (id, node) in super::structure::unpaired(&self.ids.comments) {
            self.find(Rule::CommentRangeUnpaired, node, || {
                format!("the range of comment {id} lacks its start or its end")
            });
        }
        for (id, node) in super::structure::unpaired(&self.ids.permissions) {
            self.find(Rule::PermissionUnpaired, node, || {
                format!("the range {id} that may be edited lacks its start or its end")
            });
        }
    }

    fn style(&mut self, node: NodeId) {
        let id = self.attribute(node, VAL);
        if self.known.styles.as_ref().is_some_and(|styles| !styles.contains(&id)) {
            self.find(Rule::StyleMissing, node, || format!("the style '{id}' is not there"));
        }
    }

    fn number(&mut self, node: NodeId) {
        let id = value_of(self.document, node, NUM_ID).unwrap_or_default();
        // Zero says: no number.
        let is_some = !id.is_empty() && id != "0";
        if is_some && self.known.numbers.as_ref().is_some_and(|numbers| !numbers.contains(&id)) {
            self.find(Rule::NumberingMissing, node, || format!("the numbering {id} is not there"));
        }
    }
}

fn styles(tree: &Document, part: &str, findings: &mut Findings) -> HashSet<String> {
    let mut ids = HashSet::new();
    for node in tree.children(tree.root()).filter(|node| tree.name(*node) == STYLE) {
        let id = tree.attribute(node, STYLE_ID).unwrap_or_default().into_owned();
        if !id.is_empty() && !ids.insert(id.clone()) {
            let message = || format!("two styles have the id '{id}'");
            findings.add(Rule::StyleIdDuplicate, || part.to_owned(), message);
        }
    }
    ids
}

fn numbers(tree: &Document, part: &str, findings: &mut Findings) -> HashSet<String> {
    let (mut definitions, mut numbers) = (HashSet::new(), HashSet::new());
    for node in tree.children(tree.root()) {
        let (ids, attribute) = match tree.name(node) {
            ABSTRACT_NUM => (&mut definitions, ABSTRACT_NUM_ID),
            NUM => (&mut numbers, NUM_ID),
            _ => continue,
        };
        let id = tree.attribute(node, attribute).unwrap_or_default().into_owned();
        if !ids.insert(id.clone()) {
            let message = || format!("the id {id} is given to two numberings");
            findings.add(Rule::NumberingIdDuplicate, || part.to_owned(), message);
        }
    }
    for node in tree.children(tree.root()).filter(|node| tree.name(*node) == NUM) {
        let definition = value_of(tree, node, ABSTRACT_NUM_ID).unwrap_or_default();
        if !definitions.contains(&definition) {
            let id = tree.attribute(node, NUM_ID).unwrap_or_default().into_owned();
            let message =
                || format!("numbering {id} follows the definition {definition}, which is not there");
            findings.add(Rule::NumberingUndefined, || part.to_owned(), message);
        }
    }
    numbers
}

/// Whether what the newer parts say of comments is about comments that are there.
pub(super) fn check_threads(
    document: &WordDocument,
    parts: &[CheckedPart<'_>],
    findings: &mut Findings,
) -> Result<(), Error> {
    let mut keys = HashSet::new();
    for part in parts {
        let tree = part.document;
        for comment in tree.children(tree.root()).filter(|node| tree.name(*node) == COMMENT) {
            let ids = paragraphs(tree, comment).into_iter();
            keys.extend(
                ids.filter_map(|paragraph| Some(tree.attribute(paragraph, PARA_ID)?.to_ascii_uppercase())),
            );
        }
    }
    for (kind, entry, ids) in [
        ("commentsExtended", W15_COMMENT_EX, &[W15_PARA_ID, W15_PARA_ID_PARENT][..]),
        ("commentsIds", CID_COMMENT_ID, &[CID_PARA_ID][..]),
    ] {
        let Some((name, tree)) = related(document, kind)? else { continue };
        for node in tree.children(tree.root()).filter(|node| tree.name(*node) == entry) {
            let named = ids.iter().filter_map(|id| tree.attribute(node, *id));
            for id in named.filter(|id| !keys.contains(&id.to_ascii_uppercase())) {
                let message = || format!("it names a comment whose paragraph is {id}, which is not there");
                findings.add(Rule::CommentThreadUnresolved, || name.clone(), message);
            }
        }
    }
    Ok(())
}

/// A part that the main part relates to, as it is now. One that is no XML is a finding of its own.
fn related<'a>(
    document: &'a WordDocument,
    kind: &str,
) -> Result<Option<(String, std::borrow::Cow<'a, Document>)>, Error> {
    let Some(name) = document.related_name(kind) else { return Ok(None) };
    match document.story_tree(&name) {
        Ok(tree) => Ok(Some((name, tree))),
        Err(Error::Xml { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
