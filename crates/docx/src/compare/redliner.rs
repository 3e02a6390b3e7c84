//! The hand that turns a part of the document before into its redline, with content that comes from the document after.
//!
//! All markup of revisions is `edit`'s. What is copied from the other document loses its ids and is given the references that
//! mean the same here.

use engross_xml::{Document, NodeId, QName};

use super::granularity::Granularity;
use super::kept::{KeptState, Reviser};
use super::moved::Moves;
use super::parts::Importer;
use super::report::Limitation;
use crate::edit::{Ids, PendingParts, RevisionWriter};
use crate::names::{
    ABSTRACT_NUM_ID, BOOKMARK_END, BOOKMARK_START, COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE,
    DOC_PR, ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID, IGNORABLE, LAST_RENDERED_PAGE_BREAK, MC, N_LOWER_ID,
    NUM_ID, P_PR, P_PR_CHANGE, P_STYLE, PARA_ID, PERM_END, PERM_START, PROOF_ERR, R_PR, R_PR_CHANGE, R_STYLE,
    SDT_PR, SECT_PR, TBL_STYLE, TEXT_ID, VAL, W, W_URI,
};
use crate::revisions::is_property_change;
use crate::signature::{Signer, Targets};
use crate::styles::Styles;

/// How closely two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closeness {
    /// Word by word, or by what stands around the words.
    Words(Granularity),
    /// What differs is replaced, paragraph by paragraph.
    Paragraphs,
    /// Everything is replaced.
    Whole,
}

/// A note that both documents have, or that is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotePair {
    pub(super) is_footnote: bool,
    /// Its `w:id` before, and whether it is new there.
    pub(super) before: String,
    pub(super) is_new: bool,
    pub(super) after: String,
}

/// How two documents are compared, and whose the redline is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Manner<'a> {
    /// Author and date of what the redline tracks.
    pub(super) signature: (&'a str, &'a str),
    pub(super) closeness: Closeness,
    pub(super) with_moves: bool,
    /// Whether earlier authors' revisions were laid open, and come back into the redline.
    pub(super) keeps_revisions: bool,
}

/// A part with its partner, by name, and what each of them leads to.
pub(super) struct Sides<'a> {
    pub(super) names: (&'a str, &'a str),
    pub(super) tree: &'a mut Document,
    pub(super) after: &'a Document,
    pub(super) targets: &'a Targets,
    pub(super) after_targets: &'a Targets,
}

/// A part that is becoming a redline.
pub(super) struct Redliner<'a> {
    pub(super) tree: &'a mut Document,
    pub(super) after: &'a Document,
    pub(super) targets: &'a Targets,
    pub(super) after_targets: &'a Targets,
    /// The names of the two parts.
    pub(super) names: (&'a str, &'a str),
    pub(super) importer: &'a mut Importer,
    pub(super) ids: &'a mut Ids,
    pub(super) manner: Manner<'a>,
    pub(super) moves: Moves,
    /// How many moves there are.
    pub(super) moved: i64,
    /// What the hand that writes new content of its own asks for; copies need none of it.
    pub(super) pending: PendingParts,
    pub(super) styles: Styles,
    pub(super) notes: Vec<NotePair>,
    /// Sections that belong together.
    pub(super) sections: Vec<(NodeId, NodeId)>,
    pub(super) limitations: Vec<Limitation>,
}

impl<'a> Redliner<'a> {
    pub(super) fn new(
        sides: Sides<'a>,
        importer: &'a mut Importer,
        ids: &'a mut Ids,
        manner: Manner<'a>,
    ) -> Self {
        let Sides { names, tree, after, targets, after_targets } = sides;
        tree.ensure_prefix(W, "w", W_URI);
        Self {
            tree,
            after,
            targets,
            after_targets,
            names,
            importer,
            ids,
            manner,
            moves: Moves::default(),
            moved: 0,
            pending: PendingParts::default(),
            styles: Styles::default(),
            notes: Vec::new(),
            sections: Vec::new(),
            limitations: Vec::new(),
        }
    }
}

impl Redliner<'_> {
    pub(super) fn before_signer(&self) -> Signer<'_> {
        Signer::new(self.tree, self.targets)
    }

    pub(super) fn after_signer(&self) -> Signer<'_> {
        Signer::new(self.after, self.after_targets)
    }

    pub(super) fn writer(&mut self) -> RevisionWriter<'_> {
        let since = self.ids.own().first();
        RevisionWriter {
            document: self.tree,
            ids: self.ids,
            author: self.manner.signature.0,
            date: self.manner.signature.1,
            since,
            pending: &mut self.pending,
            styles: &self.styles,
        }
    }

    /// A copy of a node of the document after, attached to nothing.
    pub(super) fn import(&mut self, node: NodeId) -> NodeId {
        let imported = self.tree.import(self.after, node);
        if !imported.declared.is_empty() {
            ignore_as_there(self.tree, self.after, &imported.declared);
        }
        self.adopt(imported.node);
        imported.node
    }

    /// What earlier revisions make of something that both documents have.
    pub(super) fn settle(&mut self, ours: NodeId, theirs: NodeId) {
        if self.manner.keeps_revisions {
            let (before, after) = (KeptState::of(self.tree, ours), KeptState::of(self.after, theirs));
            KeptState::met(before, after).write(self.tree, ours);
        }
    }

    fn adopt(&mut self, top: NodeId) {
        let nodes: Vec<NodeId> = self.tree.descendants(top).collect();
        for node in nodes {
            let name = self.tree.name(node);
            match name {
                BOOKMARK_START
                | BOOKMARK_END
                | COMMENT_RANGE_START
                | COMMENT_RANGE_END
                | COMMENT_REFERENCE
                | PROOF_ERR
                | PERM_START
                | PERM_END
                | LAST_RENDERED_PAGE_BREAK => {
                    self.tree.detach(node);
                    continue;
                }
                name if is_property_change(name) => {
                    self.tree.detach(node);
                    continue;
                }
                NUM_ID => self.replace_value(node, VAL, Importer::list),
                P_STYLE | R_STYLE | TBL_STYLE => {
                    self.replace_value(node, VAL, Importer::style);
                }
                FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => {
                    let after = self.tree.attribute(node, ID).unwrap_or_default().into_owned();
                    let is_footnote = name == FOOTNOTE_REFERENCE;
                    let before = self.importer.new_note(is_footnote);
                    self.tree.set_attribute(node, ID, &before);
                    self.notes.push(NotePair { is_footnote, before, is_new: true, after });
                }
                DOC_PR => {
                    let id = self.importer.drawing_id();
                    self.tree.set_attribute(node, N_LOWER_ID, &id);
                }
                ID if self.tree.parent(node).is_some_and(|above| self.tree.name(above) == SDT_PR) => {
                    self.tree.detach(node);
                    continue;
                }
                ABSTRACT_NUM_ID | QName::NONE => continue,
                _ => {}
            }
            for name in [PARA_ID, TEXT_ID] {
                self.tree.remove_attribute(node, name);
            }
            self.adopt_links(node);
        }
    }

    fn adopt_links(&mut self, node: NodeId) {
        let links: Vec<(QName, String)> = self
            .tree
            .raw_attributes(node)
            .filter(|(name, ..)| is_link(self.tree, *name))
            .map(|(name, _, value)| (name, value.to_owned()))
            .collect();
        for (name, id) in links {
            let own = self.importer.link(self.names.0, self.names.1, &id);
            self.tree.set_attribute(node, name, &own);
        }
    }

    fn replace_value(&mut self, node: NodeId, name: QName, with: impl FnOnce(&mut Importer, &str) -> String) {
        let value = self.tree.attribute(node, name).unwrap_or_default().into_owned();
        let own = with(self.importer, &value);
        if own != value {
            self.tree.set_attribute(node, name, &own);
        }
    }

    /// Gives a run, or the mark whose properties are `owner`, the formatting that `theirs` has, tracked.
    pub(super) fn change_format(&mut self, owner: NodeId, theirs: Option<NodeId>) {
        let wanted = theirs.and_then(|theirs| self.after.child(theirs, R_PR));
        let new = match wanted {
            Some(wanted) => self.import(wanted),
            None => self.tree.new_element(R_PR),
        };
        let old = self.tree.child(owner, R_PR);
        let earlier = old.and_then(|old| self.tree.child(old, R_PR_CHANGE));
        match old {
            Some(old) => {
                self.tree.insert_before(old, new);
                self.tree.detach(old);
            }
            None => {
                let behind = self
                    .tree
                    .children(owner)
                    .find(|child| matches!(self.tree.name(*child), SECT_PR | P_PR_CHANGE))
                    .filter(|_| self.tree.name(owner) == P_PR);
                match behind {
                    Some(behind) => self.tree.insert_before(behind, new),
                    None if self.tree.name(owner) == P_PR => self.tree.append(owner, new),
                    None => self.tree.prepend(owner, new),
                }
            }
        }
        // There is one record, and an earlier author's keeps what was there first.
        if let Some(earlier) = earlier {
            self.tree.append(new, earlier);
            return;
        }
        let mut writer = self.writer();
        let record = writer.revision(R_PR_CHANGE);
        let before = match old {
            Some(old) => old,
            None => writer.document.new_element(R_PR),
        };
        writer.document.append(record, before);
        writer.document.append(new, record);
        self.sign_as_there(record, wanted, R_PR_CHANGE);
    }

    /// Gives a record the author who made the same change in the document after, when somebody did.
    pub(super) fn sign_as_there(&mut self, record: NodeId, theirs: Option<NodeId>, name: QName) {
        let theirs = theirs.filter(|_| self.manner.keeps_revisions);
        if let Some(theirs) = theirs.and_then(|properties| self.after.child(properties, name)) {
            Reviser::of(self.after, theirs).sign(self.tree, record);
        }
    }
}

/// Prefixes that a reader of the other document may ignore may be ignored here.
pub(super) fn ignore_as_there(tree: &mut Document, after: &Document, prefixes: &[String]) {
    let theirs = after.attribute(after.root(), IGNORABLE).unwrap_or_default().into_owned();
    let root = tree.root();
    let mut ours = tree.attribute(root, IGNORABLE).unwrap_or_default().into_owned();
    let mut is_new = false;
    for prefix in theirs.split_whitespace().filter(|prefix| prefixes.iter().any(|own| own == prefix)) {
        if !ours.split_whitespace().any(|known| known == prefix) {
            ours = format!("{ours} {prefix}").trim().to_owned();
            is_new = true;
        }
    }
    if is_new {
        tree.ensure_prefix(MC, "mc", "http://schemas.openxmlformats.org/markup-compatibility/2006");
        tree.set_attribute(root, IGNORABLE, &ours);
    }
}

/// Whether an attribute leads to another part.
pub(super) fn is_link(document: &Document, name: QName) -> bool {
    name != QName::NONE
        && document.namespace_uri(name)
            == "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
}
