//! A document as a comparison sees it: its package without revisions, its main part, and what its stories say.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId, NodeKind};

use super::kept::lay_open;
use super::parts::{Importer, notes_in};
use super::report::Limitation;
use super::sections::{PageStory, sections_of};
use crate::document::WordDocument;
use crate::error::Error;
use crate::limits::Limits;
use crate::model::is_revision_wrapper;
use crate::names::{BODY, DOCUMENT, FOOTER_REFERENCE, HEADER_REFERENCE, P, SECT_PR, W, W_URI};
use crate::ops::Tracking;
use crate::package::{Error as PackageError, Package};
use crate::parts::{parse, relationships};
use crate::revisions::{Selection, Side, is_move_or_custom_range, is_property_change, resolve};
use crate::signature::{Signer, Targets};

/// In which state documents with tracked changes are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum ComparedView {
    /// All their changes are done.
    #[default]
    Accepted,
    /// No change is done.
    Original,
    /// All text that they show: what was inserted is there, and what was deleted, too.
    AsIs,
}

/// A document that is ready to be compared.
pub(super) struct Source {
    pub(super) package: Package,
    pub(super) main_name: String,
    pub(super) main: Document,
    pub(super) body: NodeId,
    /// Of a document whose revisions were laid open.
    kept: Option<Box<KeptSource>>,
}

/// What a document with revisions was, and what the redline must give back of it.
struct KeptSource {
    bytes: Vec<u8>,
    plain: Source,
}

impl Source {
    pub(super) fn open(bytes: Vec<u8>, view: ComparedView, limits: &Limits) -> Result<Self, Error> {
        let source = Self::read(bytes, limits)?;
        if !source.has_revisions(limits)? {
            return Ok(source);
        }
        match view {
            ComparedView::Accepted => source.resolved(Side::Accept, limits),
            ComparedView::Original => source.resolved(Side::Reject, limits),
            ComparedView::AsIs => {
                // Records of formatting are done; there is no text of both in them.
                source.laid_open(false, limits)?.resolved(Side::Accept, limits)
            }
        }
    }

    /// Opens a document whose revisions come back into the redline. `side` is what the redline must give back of it.
    pub(super) fn open_kept(bytes: Vec<u8>, side: Side, limits: &Limits) -> Result<Self, Error> {
        let source = Self::read(bytes, limits)?;
        if !source.has_revisions(limits)? {
            return Ok(source);
        }
        let bytes = source.package.source().to_vec();
        let (open, plain) = (source.laid_open(true, limits)?, source.resolved(side, limits)?);
        Ok(Self { kept: Some(Box::new(KeptSource { bytes, plain })), ..open })
    }

    /// The properties of the last section.
    fn section(&self) -> Option<NodeId> {
        self.main.children(self.body).filter(|node| self.main.name(*node) == SECT_PR).last()
    }

    /// Takes over the last section of another document, without what it leads to.
    fn take_section(&mut self, from: &Document, section: NodeId) {
        let copy = self.main.import(from, section).node;
        let references: Vec<NodeId> = self
            .main
            .children(copy)
            .filter(|node| matches!(self.main.name(*node), HEADER_REFERENCE | FOOTER_REFERENCE))
            .collect();
        references.into_iter().for_each(|node| self.main.detach(node));
        self.main.append(self.body, copy);
        if let Some(kept) = &mut self.kept {
            kept.plain.take_section(from, section);
        }
    }

    /// What rejecting, or accepting, all of the redline gives.
    pub(super) fn plain(&self) -> &Self {
        self.kept.as_ref().map_or(self, |kept| &kept.plain)
    }

    pub(super) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// The file, when nothing differs.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.kept.as_ref().map_or_else(|| self.package.source().to_vec(), |kept| kept.bytes.clone())
    }

    fn resolved(&self, side: Side, limits: &Limits) -> Result<Self, Error> {
        let mut document = WordDocument::open(self.package.source().to_vec(), limits)?;
        document.resolve_all(side)?;
        let bytes = document.save(Tracking::Tracked)?.bytes;
        let source = Self::read(bytes, limits)?;
        if !source.has_revisions(limits)? {
            return Ok(source);
        }
        // Marks around controls that came or went alone are no revisions to a list of them.
        let mut package = source.package.clone();
        for part in source.stories(limits)? {
            let mut tree = parse(&package, &part, &limits.xml)?;
            let root = tree.root();
            resolve(&mut tree, root, side, Selection::All);
            package.set_part(&part, tree.write());
        }
        Self::read(package.write()?, limits)
    }

    fn laid_open(&self, noted: bool, limits: &Limits) -> Result<Self, Error> {
        let mut package = self.package.clone();
        for part in self.stories(limits)? {
            let mut tree = parse(&package, &part, &limits.xml)?;
            if !has_revisions(&tree) {
                continue;
            }
            tree.ensure_prefix(W, "w", W_URI);
            lay_open(&mut tree, noted);
            package.set_part(&part, tree.write());
        }
        Self::read(package.write()?, limits)
    }

    /// The main part, headers, footers and notes.
    fn stories(&self, limits: &Limits) -> Result<Vec<String>, Error> {
        let mut parts = vec![self.main_name.clone()];
        for own in relationships(&self.package, &self.main_name, &limits.xml)? {
            let is_story = matches!(own.kind.as_str(), "header" | "footer" | "footnotes" | "endnotes");
            if is_story && !own.external && self.package.contains(&own.target) && !parts.contains(&own.target)
            {
                parts.push(own.target);
            }
        }
        Ok(parts)
    }

    fn read(bytes: Vec<u8>, limits: &Limits) -> Result<Self, Error> {
        let package = Package::open(bytes, &limits.package)?;
        let main_name = relationships(&package, "", &limits.xml)?
            .into_iter()
            .find(|own| own.kind == "officeDocument" && !own.external)
            .map(|own| own.target)
            .filter(|target| package.contains(target))
            .ok_or(Error::NoMainPart)?;
        let mut main = parse(&package, &main_name, &limits.xml)?;
        let root = main.root();
        let not_ours = || Error::NotWordprocessing {
            part: main_name.clone(),
            root: main.qualified_name(root).to_owned(),
        };
        if main.name(root) != DOCUMENT {
            return Err(not_ours());
        }
        let body = main.child(root, BODY).ok_or_else(not_ours)?;
        // Word shows a body without blocks as an empty paragraph, and what deletes or inserts all leaves one.
        let mut blocks = main.children(body).filter(|node| main.kind(*node) == NodeKind::Element);
        let first = blocks.next();
        if first.is_none_or(|first| main.name(first) == SECT_PR) {
            main.ensure_prefix(W, "w", W_URI);
            let paragraph = main.new_element(P);
            main.prepend(body, paragraph);
        }
        Ok(Self { package, main_name, main, body, kept: None })
    }

    fn has_revisions(&self, limits: &Limits) -> Result<bool, Error> {
        if has_revisions(&self.main) {
            return Ok(true);
        }
        for part in self.stories(limits)?.into_iter().skip(1) {
            if has_revisions(&parse(&self.package, &part, &limits.xml)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn has_revisions(document: &Document) -> bool {
    document.descendants(document.root()).any(|node| {
        let name = document.name(node);
        is_revision_wrapper(name)
            || is_property_change(name)
            || is_cell_mark(name)
            || is_move_or_custom_range(name)
    })
}

fn is_cell_mark(name: engross_xml::QName) -> bool {
    use crate::names::{CELL_DEL, CELL_INS, CELL_MERGE};
    matches!(name, CELL_INS | CELL_DEL | CELL_MERGE)
}

/// Lets two documents both have a last section, since no tracked change tells that it comes or goes. Says whether one had none.
pub(super) fn share_section(before: &mut Source, after: &mut Source) -> Option<Limitation> {
    match (before.section(), after.section()) {
        (Some(section), None) => {
            after.take_section(&before.main, section);
            let difference = "the second document says nothing of its pages; the first one's setup stays";
            Some(Limitation::left("sections", difference))
        }
        (None, Some(section)) => {
            before.take_section(&after.main, section);
            let difference = "the first document says nothing of its pages; the second one's setup is taken";
            Some(Limitation::applied("sections", difference))
        }
        _ => None,
    }
}

/// What the stories of a document say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) body: Vec<u64>,
    /// What headers and footers say that say something, section by section.
    pub(super) pages: Vec<BTreeMap<PageStory, Vec<u64>>>,
}

impl Meaning {
    /// Reads it from a main part, which may have been changed in memory. Notes and pages are read by `part`.
    pub(super) fn read(
        importer: &mut Importer,
        main: &Document,
        (is_after, with_controls): (bool, bool),
        part: &mut dyn FnMut(&mut Importer, &str) -> Result<Document, Error>,
    ) -> Result<Self, Error> {
        let name = if is_after { importer.mains.1.clone() } else { importer.mains.0.clone() };
        let targets = targets_with_notes(importer, &name, is_after, part)?;
        let body = main.child(main.root(), BODY).unwrap_or(main.root());
        let body = Signer { with_controls, ..Signer::new(main, &targets) }.blocks(body);
        let mut pages = Vec::new();
        let relations = importer.relations_of(&name, is_after).list.clone();
        let mut known: HashMap<String, Vec<u64>> = HashMap::new();
        for section in sections_of(main) {
            let mut shown = BTreeMap::new();
            for (kind, (id, _)) in section.shows {
                let Some(own) = relations.iter().find(|own| own.id == id) else { continue };
                if !known.contains_key(&own.target) {
                    let tree = part(importer, &own.target)?;
                    let targets = importer.targets(&own.target, is_after);
                    let says_something = says_something(&tree, tree.root());
                    let blocks = Signer { with_controls, ..Signer::new(&tree, &targets) }.blocks(tree.root());
                    known.insert(own.target.clone(), if says_something { blocks } else { Vec::new() });
                }
                if let Some(blocks) = known.get(&own.target).filter(|blocks| !blocks.is_empty()) {
                    shown.insert(kind, blocks.clone());
                }
            }
            pages.push(shown);
        }
        Ok(Self { body, pages })
    }
}

/// What the references of a part lead to, notes among them.
pub(super) fn targets_with_notes(
    importer: &mut Importer,
    name: &str,
    is_after: bool,
    part: &mut dyn FnMut(&mut Importer, &str) -> Result<Document, Error>,
) -> Result<Targets, Error> {
    let mut targets = importer.targets(name, is_after);
    for is_footnote in [true, false] {
        let Some(notes) = importer.note_part(is_footnote, is_after) else { continue };
        let tree = match part(importer, &notes) {
            Ok(tree) => tree,
            // Where earlier revisions are kept, the document before may be asked once the redline has notes that it had not.
            Err(Error::Package(PackageError::PartNotFound { .. })) => continue,
            Err(error) => return Err(error),
        };
        let own = importer.targets(&notes, is_after);
        let signer = Signer::new(&tree, &own);
        for (id, node) in notes_in(&tree) {
            let number = crate::signature::number_of(41, &format!("{:?}", signer.blocks(node)));
            targets.notes.insert((is_footnote, id), number);
        }
    }
    Ok(targets)
}

/// Whether a story has a word or an object in it.
pub(super) fn says_something(document: &Document, root: NodeId) -> bool {
    use crate::names::{DRAWING, FLD_CHAR, FLD_SIMPLE, OBJECT, PICT, SYM, T};
    document.descendants(root).any(|node| match document.name(node) {
        T => !document.element_text(node).is_empty(),
        DRAWING | PICT | OBJECT | FLD_CHAR | FLD_SIMPLE | SYM => true,
        _ => false,
    })
}
