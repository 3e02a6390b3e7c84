//! The comments of the second document that the first has not: which they are, and what the parts of the first must hold for them.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engross_xml::{Document, NodeId, QName};

use super::parts::Importer;
use super::redliner::is_link;
use crate::names::{
    AUTHOR, COMMENT, DATE, HYPERLINK, ID, P, PARA_ID, TEXT_ID, W15_AUTHOR, W15_COMMENT_EX, W15_PARA_ID,
    W15_PERSON,
};
use crate::parts::parse;

/// Parts that tell more of comments.
const BESIDE: [&str; 4] = ["commentsExtended", "commentsIds", "commentsExtensible", "people"];

fn comments_in(document: &Document) -> Vec<NodeId> {
    document.children(document.root()).filter(|node| document.name(*node) == COMMENT).collect()
}

/// Who said what: the same comment in both documents.
fn said(document: &Document, comment: NodeId) -> (String, String, String) {
    let value = |name: QName| document.attribute(comment, name).unwrap_or_default().into_owned();
    let texts = document.descendants(comment).filter(|node| document.name(*node) == crate::names::T);
    (value(AUTHOR), value(DATE), texts.map(|text| document.element_text(text).into_owned()).collect())
}

impl Importer {
    fn comment_trees(&mut self) -> Option<(Option<(String, Document)>, Document)> {
        let theirs = self.related("comments", true)?;
        let theirs = parse(&self.after, &theirs, &self.limits).ok()?;
        let ours = match self.related("comments", false) {
            Some(part) => Some((part.clone(), parse(&self.before, &part, &self.limits).ok()?)),
            None => None,
        };
        Some((ours, theirs))
    }

    /// Comments of the document after that the one before has not: their ids there, and here.
    pub(super) fn new_comments(&mut self) -> BTreeMap<String, String> {
        let Some((ours, theirs)) = self.comment_trees() else { return BTreeMap::new() };
        let id = |document: &Document, node: NodeId| {
            document.attribute(node, ID).unwrap_or_default().trim().to_owned()
        };
        let Some((_, ours)) = ours else {
            return comments_in(&theirs)
                .into_iter()
                .map(|node| (id(&theirs, node), id(&theirs, node)))
                .collect();
        };
        let own = comments_in(&ours);
        let known: HashSet<_> = own.iter().map(|node| said(&ours, *node)).collect();
        let mut next = own.iter().filter_map(|node| id(&ours, *node).parse::<i64>().ok()).max().unwrap_or(-1);
        let new = comments_in(&theirs).into_iter().filter(|node| !known.contains(&said(&theirs, *node)));
        new.map(|node| {
            next += 1;
            (id(&theirs, node), next.to_string())
        })
        .collect()
    }

    /// How many comments of the document before the one after has not.
    pub(super) fn gone_comments(&mut self) -> usize {
        let Some(ours) = self.related("comments", false) else { return 0 };
        let Ok(ours) = parse(&self.before, &ours, &self.limits) else { return 0 };
        let theirs =
            self.related("comments", true).and_then(|part| parse(&self.after, &part, &self.limits).ok());
        let kept: HashSet<_> = theirs
            .iter()
            .flat_map(|tree| comments_in(tree).into_iter().map(|node| said(tree, node)))
            .collect();
        comments_in(&ours).into_iter().filter(|node| !kept.contains(&said(&ours, *node))).count()
    }

    /// Puts the comments with these ids, which are those that they have here, into the parts of the document before.
    pub(super) fn bring_comments(&mut self, wanted: &BTreeSet<String>) {
        let new = self.new_comments();
        let Some((ours, theirs)) = self.comment_trees() else { return };
        let Some((part, mut tree)) = ours else {
            for kind in std::iter::once("comments").chain(BESIDE) {
                if self.related(kind, false).is_none() {
                    self.bring_part(kind);
                }
            }
            return;
        };
        let paragraph_ids = |document: &Document, top: NodeId| -> Vec<String> {
            let own = document.descendants(top).filter(|node| document.name(*node) == P);
            own.filter_map(|node| document.attribute(node, PARA_ID))
                .map(std::borrow::Cow::into_owned)
                .collect()
        };
        let taken: HashSet<String> = paragraph_ids(&tree, tree.root()).into_iter().collect();
        let mut threads: BTreeSet<String> = BTreeSet::new();
        let mut authors: BTreeSet<String> = BTreeSet::new();
        for comment in comments_in(&theirs) {
            let id = theirs.attribute(comment, ID).unwrap_or_default().trim().to_owned();
            let Some(own) = new.get(&id).filter(|own| wanted.contains(*own)) else { continue };
            let copy = tree.import(&theirs, comment).node;
            tree.set_attribute(copy, ID, own);
            let nodes: Vec<NodeId> = tree.descendants(copy).collect();
            for node in nodes {
                let leads = tree.raw_attributes(node).any(|(name, ..)| is_link(&tree, name));
                match tree.name(node) {
                    HYPERLINK if leads => tree.unwrap(node),
                    _ if leads => tree.detach(node),
                    _ => {}
                }
                if tree.attribute(node, PARA_ID).is_some_and(|id| taken.contains(&*id)) {
                    tree.remove_attribute(node, PARA_ID);
                    tree.remove_attribute(node, TEXT_ID);
                }
            }
            threads.extend(paragraph_ids(&tree, copy));
            authors.extend(theirs.attribute(comment, AUTHOR).map(std::borrow::Cow::into_owned));
            let root = tree.root();
            tree.append(root, copy);
        }
        self.before.set_part(&part, tree.write());
        self.bring_rows("commentsExtended", (W15_COMMENT_EX, W15_PARA_ID), &threads);
        self.bring_rows("people", (W15_PERSON, W15_AUTHOR), &authors);
    }

    /// Rows of a part beside the comments that are about these; the whole part where the document before has none.
    fn bring_rows(&mut self, kind: &str, (row, key): (QName, QName), wanted: &BTreeSet<String>) {
        let (Some(theirs), ours) = (self.related(kind, true), self.related(kind, false)) else { return };
        let Some(ours) = ours else {
            self.bring_part(kind);
            return;
        };
        let (Ok(theirs), Ok(mut tree)) =
            (parse(&self.after, &theirs, &self.limits), parse(&self.before, &ours, &self.limits))
        else {
            return;
        };
        let rows = |document: &Document| -> Vec<NodeId> {
            document.children(document.root()).filter(|node| document.name(*node) == row).collect()
        };
        let id = |document: &Document, node: NodeId| {
            document.attribute(node, key).unwrap_or_default().into_owned()
        };
        let known: HashSet<String> = rows(&tree).into_iter().map(|node| id(&tree, node)).collect();
        for node in rows(&theirs) {
            let own = id(&theirs, node);
            if wanted.contains(&own) && !known.contains(&own) {
                let copy = tree.import(&theirs, node).node;
                let root = tree.root();
                tree.append(root, copy);
            }
        }
        self.before.set_part(&ours, tree.write());
    }
}
