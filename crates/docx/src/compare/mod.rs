//! A redline of two documents: the document before, with tracked changes that make it the one after.
//!
//! | File | Question it answers |
//! |---|---|
//! | `document` | what are the two documents without their revisions, and what do they say? |
//! | `kept`, `kept_markup` | what is of earlier authors' revisions, and how does it come back? |
//! | `moves`, `moved` | which of the blocks that belong together (`text/pairing`) stand elsewhere? |
//! | `granularity` | how much of a text gives way together? |
//! | `homes` | which paragraphs stay themselves, although another has a word of them? |
//! | `stream`, `ops` | which words of paragraphs stay, go and come? |
//! | `redliner`, `segment`, `cuts`, `content`, `blocks`, `tables`, `sections` | how does the tree become a redline? |
//! | `parts`, `relations`, `definitions` | what must the document get for what is new in it? |
//! | `stories`, `pages` | which notes, headers and footers belong together? |
//! | `brought`, `brought_comments`, `positions` | which bookmarks and comments come over, and where do they stand? |
//! | `report` | what is no tracked change? |
//! | `text_only` | which words differ, when no redline is wanted? |
//! | `side_by_side` | what has each of the two of a paragraph? |
//! | `three/` | how do two sides come together that began with one document? |
//! | `changes`, `contexts`, `borders` | what are the changes, as a list for people and programs? |
//!
//! Rejecting all changes gives the document before, accepting them the one after: that is proven on the bytes to be written. When
//! a close comparison does not hold, a coarser one is written. Must never do I/O.

mod blocks;
mod borders;
mod brought;
mod brought_comments;
mod changes;
mod content;
mod contexts;
mod cuts;
mod definitions;
mod document;
mod granularity;
mod homes;
mod kept;
mod kept_markup;
mod moved;
mod moves;
mod ops;
mod pages;
mod parts;
mod positions;
mod redliner;
mod relations;
mod report;
mod sections;
mod segment;
mod side_by_side;
mod stories;
mod stream;
mod tables;
mod text_only;
mod three;

use engross_xml::Document;

use self::document::{Meaning, Source, share_section, targets_with_notes};
use self::parts::Importer;
use self::redliner::{Closeness, Manner, Redliner, Sides};
use crate::edit::{Ids, free_ids};
use crate::error::Error;
use crate::limits::Limits;
use crate::ops::{Proof, ProofState};
use crate::package::Package;
use crate::parts::parse;
use crate::revisions::{Selection, Side, resolve};

pub use self::changes::{ChangeKind, ChangeSubject, DocumentChange, changes_of, counts_by_story};
pub use self::document::ComparedView;
pub use self::granularity::Granularity;
pub use self::report::Limitation;
pub use self::side_by_side::{ComparedParagraph, TextFate, side_by_side};
pub use self::text_only::text_changes;
pub use self::three::{MergeConflict, MergeOptions, MergeProof, MergedDocument, compare_three, merged};

/// How two documents are compared.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CompareOptions {
    /// Author of the changes.
    pub author: String,
    /// Date of the changes, as RFC 3339 with whole seconds.
    pub date: String,
    /// In which state documents that have revisions are compared.
    pub view: ComparedView,
    /// Whether the revisions that the documents have stay in the redline, with their authors. Rejecting all then gives the document
    /// before without its revisions, accepting all the one after with all of its done, whatever the view.
    pub keep_revisions: bool,
    /// Whether paragraphs that stand elsewhere are moves; else they go there and come here.
    pub moves: bool,
    /// The least that a change of text replaces.
    pub granularity: Granularity,
    /// Whether formatting is compared. Without, it stays as in the document before.
    pub formatting: bool,
}

/// A redline, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// The redline. The bytes of the document before when nothing differs.
    pub bytes: Vec<u8>,
    /// Differences that are no tracked changes.
    pub limitations: Vec<Limitation>,
    /// Whether rejecting gives the document before, and accepting the one after.
    pub proof: Proof,
}

/// A comparison that could not be made, and because of which document.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct CompareError {
    /// What is wrong.
    #[source]
    pub error: Error,
    /// Whether it is the document after.
    pub is_after: bool,
}

/// Makes a redline of two documents.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn compare(
    before: Vec<u8>,
    after: Vec<u8>,
    options: &CompareOptions,
    limits: &Limits,
) -> Result<Comparison, CompareError> {
    if before == after {
        let proof = Proof { reject: ProofState::Holds, accept: ProofState::Holds, ..Proof::default() };
        return Ok(Comparison { bytes: before, limitations: Vec::new(), proof });
    }
    let of = |is_after: bool| move |error: Error| CompareError { error, is_after };
    let open = |bytes: Vec<u8>, side: Side| match options.keep_revisions {
        true => Source::open_kept(bytes, side, limits),
        false => Source::open(bytes, options.view, limits),
    };
    let mut before = open(before, Side::Reject).map_err(of(false))?;
    let mut after = open(after, Side::Accept).map_err(of(true))?;
    let section = share_section(&mut before, &mut after);
    let mut last = None;
    for closeness in [Closeness::Words(options.granularity), Closeness::Paragraphs, Closeness::Whole] {
        let sides = (&before, &after);
        let comparison =
            compare_closely(sides, options, closeness, section.clone(), limits).map_err(of(false))?;
        let is_proven =
            comparison.proof.accept == ProofState::Holds && comparison.proof.reject == ProofState::Holds;
        if is_proven {
            return Ok(comparison);
        }
        last = last.or(Some(comparison));
    }
    last.ok_or(CompareError { error: Error::NoMainPart, is_after: false })
}

fn compare_closely(
    (before, after): (&Source, &Source),
    options: &CompareOptions,
    closeness: Closeness,
    section: Option<Limitation>,
    limits: &Limits,
) -> Result<Comparison, Error> {
    let names = (before.main_name.clone(), after.main_name.clone());
    let mut importer =
        Importer::new(before.package.clone(), after.package.clone(), names.clone(), &limits.xml)?;
    importer.keep_clear_of(&before.main);
    importer.without_formats = !options.formatting;
    let mut ids = free_ids(&before.package, &before.main)?;
    let targets =
        targets_with_notes(&mut importer, &names.0, false, &mut part_before(&before.package, limits))?;
    let after_targets =
        targets_with_notes(&mut importer, &names.1, true, &mut part_before(&after.package, limits))?;
    let meant_before =
        Meaning::read(&mut importer, &before.main, (false, true), &mut part_before(&before.package, limits))?;
    let meant_after =
        Meaning::read(&mut importer, &after.main, (true, true), &mut part_before(&after.package, limits))?;
    let mut limitations = Vec::new();
    if !options.formatting {
        limitations.push(Limitation::left("", "formatting is not compared, as asked for"));
    } else {
        limitations.extend(importer.changed_definitions());
    }
    limitations.extend(section);
    let is_same = meant_before == meant_after;
    if is_same && !brought::has_new_marks(&before.main, &after.main, &mut importer) {
        let bytes = before.bytes();
        let proof = Proof { reject: ProofState::Holds, accept: ProofState::Holds, ..Proof::default() };
        return Ok(Comparison { bytes, limitations, proof });
    }
    let keeps_revisions = before.is_kept() || after.is_kept();
    let mut tree = before.main.clone();
    let sections = (sections::sections_of(&tree), sections::sections_of(&after.main));
    let manner = Manner {
        signature: (&options.author, &options.date),
        closeness,
        with_moves: options.moves && !keeps_revisions,
        keeps_revisions,
    };
    let sides = Sides {
        names: (&names.0, &names.1),
        tree: &mut tree,
        after: &after.main,
        targets: &targets,
        after_targets: &after_targets,
    };
    let mut redliner = Redliner::new(sides, &mut importer, &mut ids, manner);
    redliner.limitations = limitations;
    redliner.compare_containers(before.body, after.body);
    let last = |document: &Document, body| {
        document.children(body).filter(|node| document.name(*node) == crate::names::SECT_PR).last()
    };
    if let Some((one, other)) = last(redliner.tree, before.body).zip(last(&after.main, after.body)) {
        redliner.compare_sections(one, other);
    }
    redliner.compare_pages(&sections.0, &sections.1, limits)?;
    redliner.bring_marks();
    let notes = std::mem::take(&mut redliner.notes);
    let limitations = std::mem::take(&mut redliner.limitations);
    let mut context =
        stories::StoryContext { importer: &mut importer, ids: &mut ids, manner, limits, limitations };
    context.compare_notes(&notes, &tree)?;
    let mut limitations = context.limitations;
    importer.before.set_part(&names.0, tree.write());
    importer.finish()?;
    if keeps_revisions {
        put_back_all(&mut importer, &mut ids, limits)?;
    }
    let bytes = importer.before.write()?;
    let meant = match keeps_revisions {
        true => (
            Meaning::read(
                &mut importer,
                &before.plain().main,
                (false, true),
                &mut part_before(&before.plain().package, limits),
            )?,
            Meaning::read(
                &mut importer,
                &after.plain().main,
                (true, true),
                &mut part_before(&after.plain().package, limits),
            )?,
        ),
        false => (meant_before, meant_after),
    };
    let plain = (before.plain(), after.plain());
    let (proof, limitation) = prove(&bytes, &mut importer, plain, (&meant.0, &meant.1), limits)?;
    limitations.extend(limitation);
    Ok(Comparison { bytes, limitations, proof })
}

/// Puts earlier authors' revisions back into all stories.
fn put_back_all(importer: &mut Importer, ids: &mut Ids, limits: &Limits) -> Result<(), Error> {
    let main = importer.mains.0.clone();
    let mut parts = vec![main.clone()];
    for own in &importer.relations_of(&main, false).list {
        let is_story = ["header", "footer", "footnotes", "endnotes"].iter().any(|kind| own.is_kind(kind));
        if is_story && !own.external && !parts.contains(&own.target) {
            parts.push(own.target.clone());
        }
    }
    for part in parts.into_iter().filter(|part| importer.before.contains(part)).collect::<Vec<_>>() {
        let mut tree = parse(&importer.before, &part, &limits.xml)?;
        if kept::is_laid_open(&tree) {
            kept_markup::put_back(&mut tree, ids);
            importer.before.set_part(&part, tree.write());
        }
    }
    Ok(())
}

fn part_before<'a>(
    package: &'a Package,
    limits: &'a Limits,
) -> impl FnMut(&mut Importer, &str) -> Result<Document, Error> + 'a {
    |_, name| parse(package, name, &limits.xml)
}

/// Reads the redline afresh, and what it says when its changes are rejected and accepted.
fn prove(
    bytes: &[u8],
    importer: &mut Importer,
    (before, after): (&Source, &Source),
    (meant_before, meant_after): (&Meaning, &Meaning),
    limits: &Limits,
) -> Result<(Proof, Option<Limitation>), Error> {
    let package = Package::open(bytes.to_vec(), &limits.package)?;
    let names = importer.mains.clone();
    let mut fresh = Importer::new(package.clone(), after.package.clone(), names.clone(), &limits.xml)?;
    fresh.without_formats = importer.without_formats;
    let settled = |mut tree: Document, side: Side| -> Document {
        let root = tree.root();
        resolve(&mut tree, root, side, Selection::All);
        tree
    };
    let resolved = |name: &str, side: Side| Ok(settled(parse(&package, name, &limits.xml)?, side));
    let main = parse(&package, &names.0, &limits.xml)?;
    let (rejected, accepted) = (settled(main.clone(), Side::Reject), settled(main, Side::Accept));
    let mut holds = |with_controls: bool| -> Result<(bool, bool), Error> {
        let mut state = |main: &Document, side: Side| {
            Meaning::read(&mut fresh, main, (false, with_controls), &mut |_, name| resolved(name, side))
        };
        let (rejected, accepted) = (state(&rejected, Side::Reject)?, state(&accepted, Side::Accept)?);
        let reject = if with_controls {
            rejected == *meant_before
        } else {
            let (package, names) = (before.package.clone(), names.clone());
            let mut original = Importer::new(package, after.package.clone(), names, &limits.xml)?;
            original.without_formats = importer.without_formats;
            let source = &mut part_before(&before.package, limits);
            rejected == Meaning::read(&mut original, &before.main, (false, with_controls), source)?
        };
        let accept = if with_controls && !importer.has_new_lists {
            accepted == *meant_after
        } else {
            // Lists that were brought over are known by the number that they have now.
            let source = &mut part_before(&after.package, limits);
            accepted == Meaning::read(importer, &after.main, (true, with_controls), source)?
        };
        Ok((reject, accept))
    };
    let exact = holds(true)?;
    let (reject, accept) = if exact == (true, true) { exact } else { holds(false)? };
    let side = |holds: bool| if holds { ProofState::Holds } else { ProofState::NotApplicable };
    let proof = Proof { reject: side(reject), accept: side(accept), ..Proof::default() };
    let limitation = match (exact, reject && accept) {
        ((true, true), _) => None,
        (_, true) => {
            Some(Limitation::left("controls", "a content control came or went around text that did neither"))
        }
        _ => Some(Limitation::left("", "it could not be proven that this redline gives back both documents")),
    };
    Ok((proof, limitation))
}
