//! A Word document in memory: the one door to the engine.
//!
//! | File | Door |
//! |---|---|
//! | `mod` | opening, comments |
//! | `reading` | stories as numbered paragraphs, searches |
//! | `apply`, `routes`, `run`, `rollback` | batches of operations |
//! | `scope` | searches in several stories |
//! | `controls` | content controls: their list, which are meant, the data they are bound to |
//! | `headers`, `properties` | headers and footers that are new or shared; title, author and the like |
//! | `html` | the document as HTML |
//! | `clean` | a version without revisions, comments and authors |
//! | `style_list` | the styles there are |
//! | `effects`, `references` | what edits do beyond the words they change, and what refers to what |
//! | `cross_references`, `contents` | operations on bookmarks, fields and references; tables of contents |
//! | `settle`, `judge` | what becomes of references to text that moves or goes |
//! | `resolve` | listing, accepting and rejecting revisions |
//! | `threads`, `comment_xml`, `lists`, `settings`, `new_parts` | comments, definitions of lists, settings, and parts that are new |
//! | `own` | which earlier revisions are one's own |
//! | `lost_notes` | notes that go with their marks |
//! | `content_parts`, `style_xml` | notes, pictures, links and styles that new content needs |
//! | `save` | proof and bytes |
//!
//! Must never do I/O: bytes and dates come in, bytes come out.

mod apply;
mod clean;
mod comment_xml;
mod content_parts;
mod contents;
mod controls;
mod cross_references;
mod definitions;
mod effects;
mod headers;
mod html;
mod judge;
mod lists;
mod lost_notes;
mod markdown;
mod new_parts;
mod outline;
mod own;
mod properties;
mod reading;
pub(crate) mod references;
mod resolve;
mod rollback;
mod routes;
mod run;
mod save;
mod scope;
mod settings;
mod settle;
mod style_list;
mod style_xml;
mod threads;

pub use clean::CleanOptions;
pub use controls::ControlReading;
pub use effects::{DefinedTerm, Effects, More, NumberChange, Reference, Survey, TermChange};
pub use markdown::MarkdownReading;
pub use outline::OutlineEntry;
pub use own::OwnRecord;
pub use properties::Properties;
pub use style_list::StyleReading;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use engross_xml::{Document, NodeId};
use sha2::{Digest, Sha256};

use crate::canon::IgnoredMarkup;
use crate::edit::{GivenFiles, Ids, free_ids};
use crate::error::Error;
use crate::flat_opc::{is_flat_opc, package_of};
use crate::limits::Limits;
use crate::model::paragraphs;
use crate::names::{BODY, DOCUMENT, VOCABULARY, W, W_URI};
use crate::numbering::Numbering;
use crate::ops::Proof;
use crate::package::Package;
use crate::parts::{self, Relationship, relationships};
use crate::read::{StoryPart, find_stories, hexadecimal, shown_headers};
use crate::revisions::{Comment, CommentRow, comments};
use crate::styles::Styles;

/// Who edits, when, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOptions {
    /// Author of the revisions.
    pub author: String,
    /// Date of the revisions, as RFC 3339 with whole seconds.
    pub date: String,
}

/// A document's new bytes, and what was proven about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedDocument {
    /// The whole file. Identical to the source when nothing changed.
    pub bytes: Vec<u8>,
    /// What holds of them.
    pub proof: Proof,
}

/// A comment with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedComment {
    /// `P12`; empty when its anchor is not in the body.
    pub address: String,
    /// The comment.
    pub comment: Comment,
}

impl From<&PlacedComment> for CommentRow {
    fn from(placed: &PlacedComment) -> Self {
        let PlacedComment { address, comment } = placed.clone();
        Self::new(address, comment)
    }
}

/// A Word document.
///
/// ```
/// use engross_docx::read::{ReadOptions, notation};
/// use engross_docx::{Limits, WordDocument, from_markdown};
///
/// # fn main() -> Result<(), engross_docx::Error> {
/// let bytes = from_markdown("# Terms\n\nPay at once.", None, &Limits::default())?;
/// let document = WordDocument::open(bytes, &Limits::default())?;
/// let reading = document.read(&ReadOptions::default())?;
/// assert_eq!(reading.paragraphs[1].address, "P2");
/// assert!(notation(&reading, &[]).contains("Pay at once."));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct WordDocument {
    pub(crate) package: Package,
    pub(crate) limits: Limits,
    pub(crate) main_name: String,
    pub(crate) tree: Document,
    pub(crate) body: NodeId,
    pub(crate) relationships: Vec<Relationship>,
    styles: Styles,
    numbering: Numbering,
    ids: Ids,
    /// What the caller wrote into this file before.
    record: OwnRecord,
    /// Resolved on purpose: the proof of edits does not apply.
    resolved: bool,
    /// Whether the package's parts are no more those that were opened, since revisions were resolved before edits.
    is_rebased: bool,
    /// Parts besides the main one that the session has changed, as they are now.
    others: BTreeMap<String, Document>,
    /// Parts that hold edits of this session, the main one among them.
    edited: BTreeSet<String>,
    /// Parts that changed in ways that are no tracked changes.
    touched: BTreeSet<String>,
    /// Comments and notes of this session.
    ignored: IgnoredMarkup,
    /// Whether all that it says is new.
    is_new: bool,
    /// Files that content may name.
    files: GivenFiles,
}

/// In the place of a story's name: the body and all others.
const EVERYWHERE: &str = "everywhere";

type LoadedStory<'a> = (StoryPart, Option<Cow<'a, Document>>);

impl WordDocument {
    /// Opens the bytes of a `.docx` file, or of a package as one XML file (Flat OPC).
    ///
    /// # Errors
    /// When they are no package, no Word document, or pass a limit.
    pub fn open(bytes: Vec<u8>, limits: &Limits) -> Result<Self, Error> {
        let bytes = if is_flat_opc(&bytes) { package_of(bytes, limits)? } else { bytes };
        let package = Package::open(bytes, &limits.package)?;
        let main_name = relationships(&package, "", &limits.xml)?
            .into_iter()
            .find(|relationship| relationship.kind == "officeDocument" && !relationship.external)
            .map(|relationship| relationship.target)
            .filter(|target| package.contains(target))
            .ok_or(Error::NoMainPart)?;
        let mut tree = parts::parse(&package, &main_name, &limits.xml)?;
        let root = tree.root();
        let not_ours = || Error::NotWordprocessing {
            part: main_name.clone(),
            root: tree.qualified_name(root).to_owned(),
        };
        if tree.name(root) != DOCUMENT {
            return Err(not_ours());
        }
        let body = tree.child(root, BODY).ok_or_else(not_ours)?;
        let relationships = relationships(&package, &main_name, &limits.xml)?;
        let optional = |kind: &str| -> Result<Option<Document>, Error> {
            let target =
                relationships.iter().find(|relationship| relationship.kind == kind && !relationship.external);
            match target.filter(|target| package.contains(&target.target)) {
                Some(target) => parts::parse(&package, &target.target, &limits.xml).map(Some),
                None => Ok(None),
            }
        };
        let styles = Styles::parse(optional("styles")?.as_ref());
        let numbering = Numbering::parse(optional("numbering")?.as_ref());
        let ids = free_ids(&package, &tree)?;
        tree.ensure_prefix(W, "w", W_URI);
        Ok(Self {
            package,
            limits: limits.clone(),
            main_name,
            tree,
            body,
            relationships,
            styles,
            numbering,
            ids,
            record: OwnRecord::default(),
            resolved: false,
            is_rebased: false,
            others: BTreeMap::new(),
            edited: BTreeSet::new(),
            touched: BTreeSet::new(),
            ignored: IgnoredMarkup::default(),
            is_new: false,
            files: GivenFiles::new(),
        })
    }

    /// The bytes that were opened; of Flat OPC the package that it holds.
    #[must_use]
    pub fn source(&self) -> &[u8] {
        self.package.source()
    }

    /// Token of the document's present state: 64 hexadecimal digits over its main part and its other stories. What is saved has the same.
    #[must_use]
    pub fn revision(&self) -> String {
        let mut digest = Sha256::new();
        digest.update(self.tree.write());
        // A header that no section shows may be one that a saved document has no more.
        let shown = shown_headers(&self.tree, &self.relationships);
        let is_hidden = |name: &String| {
            let mut own = self.relationships.iter().filter(|own| !own.external && own.target == *name);
            own.any(|own| matches!(own.kind.as_str(), "header" | "footer")) && !shown.contains(name)
        };
        for name in self.other_story_parts().into_iter().filter(|name| !is_hidden(name)) {
            digest.update([0]);
            digest.update(name.as_bytes());
            digest.update([0]);
            match self.others.get(&name) {
                Some(tree) => digest.update(tree.write()),
                // A part that cannot be unpacked cannot be changed either.
                None => digest.update(self.package.part(&name).unwrap_or_default()),
            }
        }
        hexadecimal(&digest.finalize())
    }

    /// A part as it is now, for those who walk it themselves.
    pub(crate) fn part_tree(&self, name: &str) -> Result<Document, Error> {
        if name == self.main_name {
            return Ok(self.tree.clone());
        }
        self.story_tree(name).map(Cow::into_owned)
    }

    /// The tree of the main part, its body, and its styles.
    pub(crate) fn main(&self) -> (&Document, NodeId, &Styles) {
        (&self.tree, self.body, &self.styles)
    }

    /// The relationships of a part; of the main one for an empty name.
    pub(crate) fn relationships_of(&self, part: &str) -> Result<Vec<Relationship>, Error> {
        match part.is_empty() {
            true => Ok(self.relationships.clone()),
            false => relationships(&self.package, part, &self.limits.xml),
        }
    }

    /// Gives files that the content of later batches may name, pictures above all: what it calls each, and its bytes. The engine
    /// reads none itself; [`Operation::file_names`](crate::ops::Operation::file_names) tells which an operation wants.
    pub fn give_files(&mut self, files: BTreeMap<String, Vec<u8>>) {
        self.files.extend(files.into_iter().map(|(name, bytes)| (name, bytes.into())));
    }

    /// Number of paragraphs of the body.
    #[must_use]
    pub fn paragraph_count(&self) -> usize {
        paragraphs(&self.tree, self.body).len()
    }

    /// Every comment, with its place in the body.
    ///
    /// # Errors
    /// When the comments part cannot be read.
    pub fn comments(&self) -> Result<Vec<PlacedComment>, Error> {
        let Some(part) = self.related("comments")? else { return Ok(Vec::new()) };
        let numbers = crate::revisions::numbers(&paragraphs(&self.tree, self.body));
        let mut placed: Vec<PlacedComment> = comments(&part, &self.tree, self.body)
            .into_iter()
            .map(|comment| {
                let number = comment.paragraph.and_then(|paragraph| numbers.get(&paragraph));
                PlacedComment {
                    address: number.map_or_else(String::new, |number| format!("P{number}")),
                    comment,
                }
            })
            .collect();
        self.name_threads(&mut placed)?;
        Ok(placed)
    }

    /// Parses the part that the main part relates to by `kind`, if there is one.
    pub(crate) fn related(&self, kind: &str) -> Result<Option<Cow<'_, Document>>, Error> {
        self.related_name(kind).map(|name| self.story_tree(&name)).transpose()
    }

    /// Name of the part that the main part relates to by `kind`, if there is one.
    pub(crate) fn related_name(&self, kind: &str) -> Option<String> {
        let target = self
            .relationships
            .iter()
            .find(|relationship| relationship.kind == kind && !relationship.external);
        target.map(|target| target.target.clone()).filter(|target| self.package.contains(target))
    }

    /// A part besides the main one as it is now.
    pub(crate) fn story_tree(&self, name: &str) -> Result<Cow<'_, Document>, Error> {
        match self.others.get(name) {
            Some(tree) => Ok(Cow::Borrowed(tree)),
            None => parts::parse(&self.package, name, &self.limits.xml).map(Cow::Owned),
        }
    }

    /// The tree of a part, to be changed; it is loaded when it was not yet.
    fn load_mut(&mut self, name: &str) -> Result<&mut Document, Error> {
        if name == self.main_name {
            return Ok(&mut self.tree);
        }
        if !self.others.contains_key(name) {
            let mut tree = parts::parse(&self.package, name, &self.limits.xml)?;
            let root = tree.name(tree.root());
            if VOCABULARY.namespaces().first().is_some_and(|uris| uris.contains(&tree.namespace_uri(root))) {
                tree.ensure_prefix(W, "w", W_URI);
            }
            self.others.insert(name.to_owned(), tree);
        }
        self.others.get_mut(name).ok_or(Error::NoMainPart)
    }

    pub(crate) fn stories(&self) -> Result<Vec<StoryPart>, Error> {
        find_stories((&self.main_name, &self.tree), &self.relationships, |part| {
            let is_there = self.others.contains_key(part) || self.package.contains(part);
            is_there.then(|| self.story_tree(part)).transpose()
        })
    }

    /// Parts besides the main one that hold text.
    pub(crate) fn other_story_parts(&self) -> Vec<String> {
        let kinds = ["header", "footer", "footnotes", "endnotes", "comments"];
        let mut parts: Vec<String> = self
            .relationships
            .iter()
            .filter(|relationship| kinds.contains(&relationship.kind.as_str()) && !relationship.external)
            .map(|relationship| relationship.target.clone())
            .filter(|target| self.package.contains(target))
            .collect();
        parts.sort();
        parts.dedup();
        parts
    }
}
