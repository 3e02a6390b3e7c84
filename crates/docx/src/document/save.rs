//! From the session's trees to proven bytes.

use engross_xml::{Document, NodeId};

use super::{SavedDocument, WordDocument};
use crate::edit::join_insertions_of_others;
use crate::error::Error;
use crate::lost_parts::drop_lost_parts;
use crate::names::{P, SECT_PR};
use crate::ops::{Proof, ProofBase, Tracking};
use crate::parts;
use crate::proof::{self, EditedPart};
use crate::revisions::{Selection, Side, resolve};

impl WordDocument {
    /// The package with one empty paragraph in place of all that the body says; its section stays, and with it headers, footers
    /// and page layout. For templates, which become documents by it: nothing is tracked or proven.
    pub(crate) fn emptied(mut self) -> Result<Vec<u8>, Error> {
        let paragraph = self.tree.new_element(P);
        let said: Vec<NodeId> = self.tree.children(self.body).collect();
        let section = said.iter().copied().rfind(|node| self.tree.name(*node) == SECT_PR);
        match section {
            Some(section) => self.tree.insert_before(section, paragraph),
            None => self.tree.append(self.body, paragraph),
        }
        for node in said.into_iter().filter(|node| Some(*node) != section) {
            self.tree.detach(node);
        }
        self.package.set_part(&self.main_name, self.tree.write());
        drop_lost_parts(&mut self.package, &self.main_name, &self.limits.xml)?;
        parts::make_document(&mut self.package, &self.main_name, &self.limits.xml)?;
        Ok(self.package.write()?)
    }

    /// The same as a document in which all is new: nobody's numbers, bookmarks and files are in it.
    pub(crate) fn into_new(self) -> Self {
        Self { is_new: true, ..self }
    }

    /// The bytes that were opened with another main part.
    pub(crate) fn with_main(&self, tree: &Document) -> Result<Vec<u8>, Error> {
        let mut package = self.package.clone();
        package.set_part(&self.main_name, tree.write());
        Ok(package.write()?)
    }

    /// Writes the document, after proving on the bytes to be written that this session's edits can be rejected and
    /// accepted.
    ///
    /// # Errors
    /// [`Error::ProofFailed`]; then nothing must be written.
    pub fn save(&self, tracking: Tracking) -> Result<SavedDocument, Error> {
        let nothing = Proof::default();
        if self.edited.is_empty() && self.touched.is_empty() && !self.resolved && !self.is_rebased {
            return Ok(SavedDocument { bytes: self.package.source().to_vec(), proof: nothing });
        }
        let mut package = self.package.clone();
        let known = self.defined();
        let mut proof = nothing;
        let mut changed = Vec::new();
        let main = (&self.main_name, &self.tree);
        for (name, tree) in std::iter::once(main).chain(&self.others) {
            let edited = self.edited.contains(name);
            if !self.resolved && !edited && !self.touched.contains(name) {
                continue;
            }
            let mut written = match tracking {
                Tracking::Untracked if !self.edited.is_empty() => self.untracked(tree),
                _ => tree.write(),
            };
            if !self.resolved && edited {
                let own = self.ids.own();
                let source = parts::parse(&self.package, name, &self.limits.xml)?;
                let known = &known;
                let edited = EditedPart { live: tree, own, part: name, ignored: &self.ignored, known };
                (proof, written) = proof::prove(source, &edited, written, tracking, &self.limits.xml)?;
                if self.is_rebased && proof.base == ProofBase::Source {
                    proof.base = ProofBase::Resolved;
                }
            }
            package.set_part(name, written);
            changed.push(name);
        }
        for name in changed {
            drop_lost_parts(&mut package, name, &self.limits.xml)?;
        }
        if tracking == Tracking::Untracked && !self.edited.is_empty() {
            self.drop_struck_notes(&mut package)?;
        }
        Ok(SavedDocument { bytes: package.write()?, proof })
    }

    fn untracked(&self, tree: &Document) -> Vec<u8> {
        let mut tree = tree.clone();
        let root = tree.root();
        let first = self.ids.own().first();
        join_insertions_of_others(&mut tree, first);
        resolve(&mut tree, root, Side::Accept, Selection::IdsFrom(first));
        tree.write()
    }
}
