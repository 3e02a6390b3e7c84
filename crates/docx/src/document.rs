//! A Word document in memory: the one door to the engine.
//!
//! Must never do I/O: bytes and dates come in, bytes come out.

use engross_xml::{Document, Limits as XmlLimits, NodeId};
use sha2::{Digest, Sha256};

use crate::edit::{BatchRun, Ids, Signature, free_ids};
use crate::error::{Error, RefusalCode};
use crate::model::{View, paragraphs};
use crate::names::{BODY, DOCUMENT, W, W_URI};
use crate::numbering::Numbering;
use crate::ops::{Batch, OperationResult, Proof, ProofState, Status, Tracking};
use crate::package::{Limits as PackageLimits, Package};
use crate::parts::{self, Relationship, relationships};
use crate::proof::{self, Edited};
use crate::read::{
    ReadOptions, Reading, Sources, StoryPart, find_stories, hexadecimal, read_story, story_root,
};
use crate::revisions::{
    Comment, PlacedRevision, Revision, Selection, Side, comments, list, name_revisions, resolve,
};
use crate::styles::Styles;
use crate::text::find;

/// Bounds on what is opened.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Bounds on the container.
    pub package: PackageLimits,
    /// Bounds on each part.
    pub xml: XmlLimits,
}

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
pub struct Saved {
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

/// A Word document.
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
    /// Revisions from here on are this session's.
    first_id: i64,
    /// Resolved on purpose: the proof of edits does not apply.
    resolved: bool,
}

impl WordDocument {
    /// Opens the bytes of a `.docx` file.
    ///
    /// # Errors
    /// When they are no package, no Word document, or pass a limit.
    pub fn open(bytes: Vec<u8>, limits: &Limits) -> Result<Self, Error> {
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
            first_id: ids.peek(),
            ids,
            resolved: false,
        })
    }

    /// Token of the document's present state: 64 hexadecimal digits over its main part.
    #[must_use]
    pub fn revision(&self) -> String {
        hexadecimal(&Sha256::digest(self.tree.write()))
    }

    /// Number of paragraphs of the body.
    #[must_use]
    pub fn paragraph_count(&self) -> usize {
        paragraphs(&self.tree, self.body).len()
    }

    /// Reads a story.
    ///
    /// # Errors
    /// When there is no such story or cursor, or another part cannot be read.
    pub fn read(&self, options: &ReadOptions) -> Result<Reading, Error> {
        let name = |id: i64| id.to_string();
        let mut all = Vec::new();
        let sources = Sources {
            document: &self.tree,
            styles: &self.styles,
            numbering: &self.numbering,
            revision_names: &name,
        };
        match options.story.as_deref() {
            None | Some("body") => all = read_story(sources, self.body, "", options.view),
            Some(wanted) => {
                for (story, part) in self.stories_named(wanted)? {
                    let document = part.as_ref().unwrap_or(&self.tree);
                    if let Some(root) = story_root(document, &story) {
                        all.extend(read_story(
                            Sources { document, ..sources },
                            root,
                            &story.name,
                            options.view,
                        ));
                    }
                }
            }
        }
        let total = all.len();
        if let Some(from) = &options.from {
            let number = from.trim_start_matches('[').trim_end_matches(']');
            let start = all.iter().position(|paragraph| {
                paragraph.address == number || paragraph.address.strip_prefix('P') == Some(number)
            });
            let Some(start) = start else { return Err(Error::InvalidCursor { cursor: from.clone() }) };
            all.drain(..start);
        }
        if let Some(search) = &options.search {
            let wanted = search.to_lowercase();
            all.retain(|paragraph| !find(&paragraph.text.to_lowercase(), &wanted).is_empty());
        }
        let mut cursor = None;
        if let Some(limit) = options.limit.filter(|limit| *limit < all.len()) {
            cursor = all.get(limit).map(|paragraph| paragraph.address.clone());
            all.truncate(limit);
        }
        let view = match options.view {
            View::Original => "original",
            View::Markup => "markup",
            _ => "accepted",
        };
        Ok(Reading { revision: self.revision(), view, paragraphs: all, cursor, total })
    }

    /// Applies a batch to the body. Each operation is applied and proven, or leaves no trace.
    ///
    /// # Errors
    /// When the batch was made for another state of the document; single operations are refused in their results.
    pub fn apply(&mut self, batch: &Batch, options: &EditOptions) -> Result<Vec<OperationResult>, Error> {
        if let Some(expected) = &batch.expected_revision {
            let actual = self.revision();
            if *expected != actual {
                return Err(Error::StaleRevision { expected: expected.clone(), actual });
            }
        }
        if self.tree.rebinds_root_prefix() && self.rebinds_main_prefix() {
            return Err(Error::UnsupportedNamespaces { part: self.main_name.clone() });
        }
        let author = batch.author.as_deref().unwrap_or(&options.author);
        let date = batch.date.as_deref().unwrap_or(&options.date);
        let checkpoint = batch.atomic.then(|| (self.tree.checkpoint(), self.ids.clone()));
        let mut run =
            BatchRun::new(&mut self.tree, self.body, &self.styles, &mut self.ids, Signature { author, date });
        let mut results = Vec::with_capacity(batch.operations.len());
        for (index, operation) in batch.operations.iter().enumerate() {
            results.push(run.run(index, operation));
        }
        run.finish(self.first_id, &mut results);
        if let Some((checkpoint, ids)) = checkpoint {
            if results.iter().any(|result| matches!(result.status, Status::Refused | Status::Failed)) {
                self.tree.rollback(checkpoint);
                self.ids = ids;
                take_back(&mut results);
            } else {
                self.tree.commit(checkpoint);
            }
        }
        Ok(results)
    }

    /// Accepts or rejects every revision of every story. Gives how many.
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn resolve_all(&mut self, side: Side) -> Result<usize, Error> {
        let root = self.tree.root();
        let mut resolved = resolve(&mut self.tree, root, side, Selection::All);
        for name in self.other_story_parts() {
            let mut part = parts::parse(&self.package, &name, &self.limits.xml)?;
            let root = part.root();
            let count = resolve(&mut part, root, side, Selection::All);
            if count > 0 {
                self.package.set_part(&name, part.write());
            }
            resolved += count;
        }
        self.resolved |= resolved > 0;
        Ok(resolved)
    }

    /// Every revision of the document, story by story.
    ///
    /// # Errors
    /// When another part of the document cannot be read.
    pub fn revisions(&self) -> Result<Vec<PlacedRevision>, Error> {
        let mut found: Vec<(String, String, Revision)> = Vec::new();
        let mut take = |document: &Document, root: NodeId, part: &str, prefix: &str| {
            let numbers = crate::revisions::numbers(&paragraphs(document, root));
            for revision in list(document, root) {
                let number = revision.paragraph.and_then(|paragraph| numbers.get(&paragraph));
                let address = match number {
                    Some(number) if prefix.is_empty() => format!("P{number}"),
                    Some(number) => format!("{prefix}/P{number}"),
                    None => prefix.to_owned(),
                };
                found.push((part.to_owned(), address, revision));
            }
        };
        take(&self.tree, self.body, &self.main_name, "");
        let stories = self.stories()?;
        let mut seen = Vec::new();
        for story in stories.iter().filter(|story| story.part != self.main_name) {
            // A header shared by sections is one part.
            if story.key.is_empty() && seen.contains(&story.part) {
                continue;
            }
            seen.push(story.part.clone());
            let part = parts::parse(&self.package, &story.part, &self.limits.xml)?;
            if let Some(root) = story_root(&part, story) {
                take(&part, root, &story.part, &story.name);
            }
        }
        Ok(name_revisions(found))
    }

    /// Every comment, with its place in the body.
    ///
    /// # Errors
    /// When the comments part cannot be read.
    pub fn comments(&self) -> Result<Vec<PlacedComment>, Error> {
        let Some(part) = self.related("comments")? else { return Ok(Vec::new()) };
        let numbers = crate::revisions::numbers(&paragraphs(&self.tree, self.body));
        Ok(comments(&part, &self.tree, self.body)
            .into_iter()
            .map(|comment| {
                let number = comment.paragraph.and_then(|paragraph| numbers.get(&paragraph));
                PlacedComment {
                    address: number.map_or_else(String::new, |number| format!("P{number}")),
                    comment,
                }
            })
            .collect())
    }

    /// Writes the document, after proving on the bytes to be written that this session's edits can be rejected and
    /// accepted.
    ///
    /// # Errors
    /// [`Error::ProofFailed`]; then nothing must be written.
    pub fn save(&self, tracking: Tracking) -> Result<Saved, Error> {
        let nothing = Proof { reject: ProofState::NotApplicable, accept: ProofState::NotApplicable };
        let edited = self.ids.peek() > self.first_id;
        if !edited && !self.resolved {
            return Ok(Saved { bytes: self.package.source().to_vec(), proof: nothing });
        }
        let written = match tracking {
            Tracking::Untracked if edited => {
                let mut tree = self.tree.clone();
                let root = tree.root();
                resolve(&mut tree, root, Side::Accept, Selection::IdsFrom(self.first_id));
                tree.write()
            }
            _ => self.tree.write(),
        };
        let proof = if self.resolved {
            nothing
        } else {
            let source = parts::parse(&self.package, &self.main_name, &self.limits.xml)?;
            let edited = Edited {
                source: &source,
                live: &self.tree,
                body: self.body,
                first_id: self.first_id,
                part: &self.main_name,
            };
            proof::prove(&edited, &written, tracking, &self.limits.xml)?
        };
        let mut package = self.package.clone();
        package.set_part(&self.main_name, written);
        Ok(Saved { bytes: package.write()?, proof })
    }

    /// Parses the part that the main part relates to by `kind`, if there is one.
    pub(crate) fn related(&self, kind: &str) -> Result<Option<Document>, Error> {
        let target = self
            .relationships
            .iter()
            .find(|relationship| relationship.kind == kind && !relationship.external);
        match target.filter(|target| self.package.contains(&target.target)) {
            Some(target) => parts::parse(&self.package, &target.target, &self.limits.xml).map(Some),
            None => Ok(None),
        }
    }

    fn stories(&self) -> Result<Vec<StoryPart>, Error> {
        find_stories(&self.package, (&self.main_name, &self.tree), &self.relationships, &self.limits.xml)
    }

    /// Stories of that name (`footnote:3`), or of that kind (`footnotes`), with their part unless it is the main one.
    fn stories_named(&self, wanted: &str) -> Result<Vec<(StoryPart, Option<Document>)>, Error> {
        let stories = self.stories()?;
        let kind = wanted.strip_suffix("es").filter(|kind| *kind == "textbox").or(wanted.strip_suffix('s'));
        let fits = |story: &&StoryPart| {
            story.name == wanted || kind.is_some_and(|kind| story.name.split(':').next() == Some(kind))
        };
        let chosen: Vec<StoryPart> = stories.iter().filter(fits).cloned().collect();
        if chosen.is_empty() {
            let mut known: Vec<&str> =
                std::iter::once("body").chain(stories.iter().map(|s| s.name.as_str())).collect();
            known.truncate(20);
            return Err(Error::UnknownStory { name: wanted.to_owned(), known: known.join(", ") });
        }
        let load = |story: StoryPart| {
            let part = if story.part == self.main_name {
                None
            } else {
                Some(parts::parse(&self.package, &story.part, &self.limits.xml)?)
            };
            Ok((story, part))
        };
        chosen.into_iter().map(load).collect()
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

    /// Whether an element below the root binds the very prefix that new elements would use.
    fn rebinds_main_prefix(&self) -> bool {
        let root = self.tree.root();
        let prefix = self.tree.qualified_name(root).split_once(':').map_or("", |(prefix, _)| prefix);
        let declaration = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        let on_root =
            self.tree.raw_attributes(root).find(|(_, name, _)| *name == declaration).map(|(.., uri)| uri);
        self.tree.descendants(self.body).any(|node| {
            self.tree.raw_attributes(node).any(|(_, name, uri)| name == declaration && Some(uri) != on_root)
        })
    }
}

/// Of an atomic batch that was taken back, nothing is applied.
fn take_back(results: &mut [OperationResult]) {
    let applied = results.iter_mut().filter(|result| result.status == Status::Applied);
    for result in applied {
        result.status = Status::Refused;
        result.code = Some(RefusalCode::NotAttempted.as_str().to_owned());
        result.message =
            Some("taken back, because another operation of this atomic batch was refused".to_owned());
        result.revision_ids.clear();
        result.after = None;
    }
}
