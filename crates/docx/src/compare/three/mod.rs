//! A redline of two documents that came from one: both sides' changes in the document that they began with.
//!
//! | File | Question it answers |
//! |---|---|
//! | `mod` | what do both sides say, and does the redline give back all three documents? |
//! | `sides` | what became of each block of the base on one side? |
//! | `meeting` | what becomes of a block that one side changed, or both? |
//! | `taking` | how does content of the other redline come into this one? |
//!
//! The redline of the first side is the ground. What only the second side changed is taken over from its own redline, markup and
//! author included; words of one paragraph that both sides changed in different places are typed into it. Where both changed the
//! same, the first side's change stays, and a comment says what the other wanted. Must never drop a change in silence.

mod meeting;
mod sides;
mod taking;

use std::collections::BTreeSet;

use engross_xml::{Document, NodeId};
use serde::Serialize;
use serde_json::json;

use self::meeting::{ConflictPlace, Meeting, Ours};
use super::document::Source;
use super::parts::{Importer, notes_in};
use super::report::Limitation;
use super::{CompareError, CompareOptions, ComparedView, Comparison, Granularity, changes_of, compare};
use crate::document::{EditOptions, WordDocument};
use crate::edit::free_ids;
use crate::error::Error;
use crate::exchange::differences;
use crate::limits::Limits;
use crate::model::paragraphs;
use crate::names::{BODY, W, W_URI};
use crate::ops::{ProofState, Tracking, parse_batch};
use crate::package::Package;
use crate::parts::parse;
use crate::revisions::{Choice, Side};

/// How two sides are brought together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeOptions {
    /// The authors of the two sides' changes.
    pub authors: [String; 2],
    /// Date of the changes, as RFC 3339 with whole seconds.
    pub date: String,
    /// In which state documents that have revisions are compared.
    pub view: ComparedView,
    /// The least that a change of text replaces.
    pub granularity: Granularity,
}

/// A place that both sides changed, each in another way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MergeConflict {
    /// The paragraph in the redline: `P12`; for another story its part.
    pub address: String,
    /// What the first side says there; its change is the one in the redline.
    pub one: String,
    /// What the second side says there; empty where it took the text away.
    pub other: String,
}

/// Both sides in one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedDocument {
    /// The redline.
    pub bytes: Vec<u8>,
    /// Places where the second side's change is not in it but in a comment.
    pub conflicts: Vec<MergeConflict>,
    /// How many places both sides changed alike; the redline has the first side's change.
    pub agreed: usize,
    /// Differences that are no tracked changes.
    pub limitations: Vec<Limitation>,
    /// What was proven of the redline.
    pub proof: MergeProof,
}

/// What was proven of a redline of two sides, on its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MergeProof {
    /// Rejecting all gives the document that both began with.
    pub base: ProofState,
    /// Accepting the first side's changes and rejecting the second's gives the first side's document.
    pub one: ProofState,
    /// The other way round; not applicable where the sides met.
    pub other: ProofState,
}

/// Brings two documents that came from one into a redline of it.
///
/// ```
/// use engross_docx::{ComparedView, Granularity, Limits, MergeOptions, compare_three, from_markdown};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let make = |text: &str| from_markdown(text, None, &Limits::default());
/// let base = make("Pay in ten days.\n\nLaw of Ohio.")?;
/// let one = make("Pay in thirty days.\n\nLaw of Ohio.")?;
/// let other = make("Pay in ten days.\n\nLaw of Texas.")?;
/// let options = MergeOptions {
///     authors: ["Ada".to_owned(), "Bob".to_owned()],
///     date: "2026-01-31T09:30:00Z".to_owned(),
///     view: ComparedView::Accepted,
///     granularity: Granularity::Word,
/// };
/// let merged = compare_three(base, one, other, &options, &Limits::default())?;
/// assert!(merged.conflicts.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn compare_three(
    base: Vec<u8>,
    one: Vec<u8>,
    other: Vec<u8>,
    options: &MergeOptions,
    limits: &Limits,
) -> Result<MergedDocument, CompareError> {
    let of = |is_after: bool| move |error: Error| CompareError { error, is_after };
    let ground = Source::open(base, options.view, limits).map_err(of(false))?;
    let [first, second] = &options.authors;
    let side = |bytes: Vec<u8>, author: &String, moves: bool| {
        let options = CompareOptions {
            author: author.clone(),
            date: options.date.clone(),
            view: options.view,
            keep_revisions: false,
            formatting: true,
            moves,
            granularity: options.granularity,
        };
        compare(ground.package.source().to_vec(), bytes, &options, limits)
    };
    if one == other {
        return agreed(side(one, first, true)?, limits).map_err(of(true));
    }
    // Content that moves elsewhere in the second redline is taken over block by block, so it goes here and comes there.
    let (one, other) = (side(one, first, true)?, side(other, second, false)?);
    bring_together(&ground, one.bytes, other.bytes, options, limits)
        .map(|mut merged| {
            merged.limitations.extend(one.limitations);
            merged.limitations.extend(other.limitations);
            merged
        })
        .map_err(of(true))
}

/// Both sides are one document: its redline is theirs.
fn agreed(made: Comparison, limits: &Limits) -> Result<MergedDocument, Error> {
    let agreed = changes_of(made.bytes.clone(), limits)?.len();
    let proof =
        MergeProof { base: made.proof.reject, one: made.proof.accept, other: ProofState::NotApplicable };
    let (bytes, limitations) = (made.bytes, made.limitations);
    Ok(MergedDocument { bytes, conflicts: Vec::new(), agreed, limitations, proof })
}

fn bring_together(
    ground: &Source,
    one: Vec<u8>,
    other: Vec<u8>,
    options: &MergeOptions,
    limits: &Limits,
) -> Result<MergedDocument, Error> {
    let one_redline = WordDocument::open(one.clone(), limits)?;
    let other_redline = WordDocument::open(other.clone(), limits)?;
    let (ours, theirs) = (Package::open(one, &limits.package)?, Package::open(other, &limits.package)?);
    let main = ground.main_name.clone();
    let mut importer =
        Importer::new(ours.clone(), theirs.clone(), (main.clone(), main.clone()), &limits.xml)?;
    let main_tree = parse(&ours, &main, &limits.xml)?;
    importer.keep_clear_of(&main_tree);
    let mut ids = free_ids(&ours, &main_tree)?;
    let mut found = MergeFindings::default();
    let mut notes = BTreeSet::new();
    for part in story_parts(ground, limits)? {
        if !ours.contains(&part) || !theirs.contains(&part) {
            continue;
        }
        let base = parse(&ground.package, &part, &limits.xml)?;
        let mut tree = parse(&ours, &part, &limits.xml)?;
        let other = parse(&theirs, &part, &limits.xml)?;
        tree.ensure_prefix(W, "w", W_URI);
        let mut meeting = Meeting::new(
            Ours { tree: &mut tree, importer: &mut importer, ids: &mut ids, part: &part },
            (&base, &ground.package),
            (&other, &theirs),
            limits,
        )?;
        for (mine, source, their) in containers(meeting.tree(), &base, &other, part == main) {
            meeting.containers(source, mine, their);
        }
        if part == main {
            meeting.last_section();
        }
        let met = meeting.finish();
        notes.extend(met.notes);
        found.agreed += met.agreed;
        found.limitations.extend(met.limitations);
        if part == main {
            let all = paragraphs(&tree, tree.child(tree.root(), BODY).unwrap_or(tree.root()));
            let number = |node: NodeId| all.iter().position(|paragraph| *paragraph == node).map(|at| at + 1);
            let typed = met.typed.into_iter();
            found.typed = typed.filter_map(|(node, text)| Some((number(node)?, text))).collect();
            for ConflictPlace { paragraph, anchor, one, other } in met.conflicts {
                found.anchors.push(anchor.and_then(number));
                let address = paragraph.and_then(number).map_or_else(String::new, |at| format!("P{at}"));
                found.conflicts.push(MergeConflict { address, one, other });
            }
        } else {
            for ConflictPlace { one, other, .. } in met.conflicts {
                found.anchors.push(None);
                found.conflicts.push(MergeConflict { address: part.clone(), one, other });
            }
        }
        if !tree.is_clean(tree.root()) {
            importer.before.set_part(&part, tree.write());
        }
    }
    taking::take_notes(&mut importer, &mut ids, &notes, limits)?;
    importer.finish()?;
    let bytes = told(importer.before.write()?, &found, options, limits)?;
    let proof = prove(&bytes, ground, (&one_redline, &other_redline), options, &found, limits)?;
    let mut limitations = found.limitations;
    let have_met = !found.conflicts.is_empty() || found.agreed > 0;
    let is_other_open = !have_met && proof.other != ProofState::Holds;
    if proof.base != ProofState::Holds || proof.one != ProofState::Holds || is_other_open {
        let difference = "it could not be proven that this redline gives back the documents";
        limitations.push(Limitation::left("", difference));
    }
    Ok(MergedDocument { bytes, conflicts: found.conflicts, agreed: found.agreed, limitations, proof })
}

/// What came of all parts.
#[derive(Default)]
struct MergeFindings {
    /// Paragraphs of the body, from 1, that shall say something else once more.
    typed: Vec<(usize, String)>,
    conflicts: Vec<MergeConflict>,
    /// For each conflict the paragraph of the body for its comment.
    anchors: Vec<Option<usize>>,
    agreed: usize,
    limitations: Vec<Limitation>,
}

/// The main part and the parts of its stories.
fn story_parts(ground: &Source, limits: &Limits) -> Result<Vec<String>, Error> {
    let mut parts = vec![ground.main_name.clone()];
    for own in crate::parts::relationships(&ground.package, &ground.main_name, &limits.xml)? {
        let is_story = matches!(own.kind.as_str(), "header" | "footer" | "footnotes" | "endnotes");
        if is_story && !own.external && ground.package.contains(&own.target) && !parts.contains(&own.target) {
            parts.push(own.target);
        }
    }
    Ok(parts)
}

/// The containers of blocks that the three have of a part: this redline's, the base's, the other redline's.
fn containers(
    mine: &Document,
    base: &Document,
    other: &Document,
    is_main: bool,
) -> Vec<(NodeId, NodeId, NodeId)> {
    if is_main {
        let body = |document: &Document| document.child(document.root(), BODY);
        return body(mine)
            .zip(body(base))
            .zip(body(other))
            .map(|((a, b), c)| (a, b, c))
            .into_iter()
            .collect();
    }
    let (own, source, their) = (notes_in(mine), notes_in(base), notes_in(other));
    if source.is_empty() && !base.local_name(base.name(base.root())).ends_with("notes") {
        return vec![(mine.root(), base.root(), other.root())];
    }
    let mut ids: Vec<&String> = source.keys().collect();
    ids.sort();
    ids.into_iter().filter_map(|id| Some((*own.get(id)?, *source.get(id)?, *their.get(id)?))).collect()
}

/// The redline with the words that are typed into it, and a comment at each conflict.
fn told(
    bytes: Vec<u8>,
    found: &MergeFindings,
    options: &MergeOptions,
    limits: &Limits,
) -> Result<Vec<u8>, Error> {
    let [first, second] = &options.authors;
    let mut batch = Vec::new();
    for (paragraph, text) in &found.typed {
        batch.push(
            json!({"op": "edit_paragraph", "paragraphIndex": paragraph, "newContent": text, "plain": true}),
        );
    }
    for (conflict, anchor) in found.conflicts.iter().zip(&found.anchors) {
        let Some(number) = anchor else { continue };
        let is_here = conflict.address == format!("P{number}");
        let what = if is_here { "this" } else { "the paragraph that is struck beside this" };
        let said = match conflict.other.is_empty() {
            true => {
                format!("Both sides changed {what}. {second} takes it away; the change of {first} stands.")
            }
            false => format!(
                "Both sides changed {what}. The change of {first} stands; {second} has: {}",
                conflict.other
            ),
        };
        batch.push(json!({"op": "insert_comment", "paragraphIndex": number, "commentContent": said}));
    }
    if batch.is_empty() {
        return Ok(bytes);
    }
    let mut document = WordDocument::open(bytes, limits)?;
    let signature = EditOptions { author: second.clone(), date: options.date.clone() };
    document.apply(&parse_batch(&json!(batch))?, &signature)?;
    Ok(document.save(Tracking::Tracked)?.bytes)
}

fn prove(
    bytes: &[u8],
    ground: &Source,
    (one, other): (&WordDocument, &WordDocument),
    options: &MergeOptions,
    found: &MergeFindings,
    limits: &Limits,
) -> Result<MergeProof, Error> {
    let merged = WordDocument::open(bytes.to_vec(), limits)?;
    let base = WordDocument::open(ground.package.source().to_vec(), limits)?;
    let state = |holds: bool| if holds { ProofState::Holds } else { ProofState::NotApplicable };
    let only = |rejected: &String| -> Result<WordDocument, Error> {
        let mut document = merged.clone();
        let choice = Choice { author: Some(rejected.clone()), ..Choice::default() };
        document.resolve(Side::Reject, &choice)?;
        document.resolve_all(Side::Accept)?;
        Ok(document)
    };
    let [first, second] = &options.authors;
    let are_two = first != second;
    let is_same = |merged: &WordDocument, side: &WordDocument| -> Result<bool, Error> {
        Ok(differences(merged, side, Some(Side::Accept))?.is_empty())
    };
    let met = !found.conflicts.is_empty() || found.agreed > 0;
    Ok(MergeProof {
        base: state(differences(&merged, &base, Some(Side::Reject))?.is_empty()),
        one: state(are_two && is_same(&only(second)?, one)?),
        other: state(are_two && !met && is_same(&only(first)?, other)?),
    })
}

/// The document that both sides make together: a redline of two sides with all changes accepted but those at conflicts, which stay
/// tracked beside their comments.
///
/// # Errors
/// When the redline cannot be read.
pub fn merged(redline: &MergedDocument, limits: &Limits) -> Result<Vec<u8>, Error> {
    let mut document = WordDocument::open(redline.bytes.clone(), limits)?;
    let open: BTreeSet<&str> = redline.conflicts.iter().map(|conflict| conflict.address.as_str()).collect();
    let settled: Vec<String> = document
        .revisions()?
        .into_iter()
        .filter(|placed| !open.contains(placed.address.as_str()))
        .map(|placed| placed.id)
        .collect();
    if !settled.is_empty() {
        document.resolve(Side::Accept, &Choice { ids: settled, ..Choice::default() })?;
    }
    Ok(document.save(Tracking::Tracked)?.bytes)
}
