//! The proof of one operation, on the paragraphs it concerns and their neighbours.
//!
//! Rejecting what the batch wrote must give back the very paragraphs; accepting it must give the requested texts. Both
//! are tried on the live tree by the same code that accepts and rejects for people, and taken back.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId};

use crate::canon::{IgnoredMarkup, form_key, normal_form_without};
use crate::edit::tree_editor::NewBlock;
use crate::error::{Refusal, RefusalCode};
use crate::model::{FieldContext, OwnRevisions, Paragraph, RevisionStamp, TableGrid, View, paragraphs};
use crate::names::{INS, P, TBL};
use crate::read::excerpt;
use crate::revisions::{Selection, Side, keeps_struck_words, resolve, resolve_paragraphs};

/// What a proof needs to know.
pub(crate) struct Evidence<'a> {
    /// The paragraphs as they were before the batch.
    pub(crate) originals: &'a [NodeId],
    /// Keys of their normal forms from then.
    pub(crate) forms: &'a [u64],
    /// What stands in their places now.
    pub(crate) chains: &'a [Vec<NodeId>],
    /// The texts that are wanted.
    pub(crate) texts: &'a [String],
    /// Comments that the session wrote.
    pub(crate) ignored: &'a IgnoredMarkup,
    /// What the batch put there besides paragraphs.
    pub(crate) blocks: &'a [NewBlock],
}

/// Checks both sides.
pub(crate) fn check(
    document: &mut Document,
    evidence: &Evidence<'_>,
    fields: &HashMap<NodeId, FieldContext>,
    (own, first_id): (&OwnRevisions, i64),
) -> Result<(), Refusal> {
    let live: Vec<NodeId> = evidence.chains.iter().flatten().copied().collect();
    let selection = Selection::IdsFrom(first_id);
    // New tables between them come and go with them.
    let holders: HashSet<Option<NodeId>> = live.iter().map(|node| document.parent(*node)).collect();
    let beside = evidence.blocks.iter().filter(|block| document.name(block.node) == TBL);
    let beside = beside.filter(|block| holders.contains(&document.parent(block.node)));
    let tables: Vec<NodeId> = beside.flat_map(|block| paragraphs(document, block.node)).collect();
    let all: Vec<NodeId> = live.iter().copied().chain(tables).collect();

    let checkpoint = document.checkpoint();
    resolve_paragraphs(document, &all, Side::Reject, selection);
    let left: Vec<NodeId> = live.iter().copied().filter(|node| is_there(document, *node)).collect();
    let same = left == evidence.originals
        && evidence.originals.len() == evidence.forms.len()
        && left
            .iter()
            .zip(evidence.forms)
            .all(|(node, form)| form_key(document, *node, evidence.ignored) == *form);
    document.rollback(checkpoint);
    if !same {
        return Err(Refusal::new(
            RefusalCode::ProofFailed,
            "rejecting this edit would not give back the source, so it was taken back; please report this document",
        ));
    }

    let contexts: Vec<Option<&FieldContext>> = evidence
        .chains
        .iter()
        .zip(evidence.originals)
        .flat_map(|(chain, original)| chain.iter().map(|_| fields.get(original)))
        .collect();
    let struck: Vec<bool> = live.iter().map(|node| keeps_struck_words(document, *node, selection)).collect();
    let checkpoint = document.checkpoint();
    resolve_paragraphs(document, &all, Side::Accept, selection);
    let left: Vec<(String, bool)> = live
        .iter()
        .zip(contexts)
        .zip(struck)
        .filter(|((node, _), _)| is_there(document, **node))
        .map(|((node, context), struck)| {
            (Paragraph::read(document, *node, View::Accepted, context).text, struck)
        })
        .collect();
    document.rollback(checkpoint);
    // One that goes before a table stays while struck words of others are in it, and says nothing.
    let said: Vec<&String> =
        left.iter().filter(|(text, struck)| !(*struck && text.is_empty())).map(|(text, _)| text).collect();
    let is_so = said.into_iter().eq(evidence.texts.iter());
    let texts: Vec<String> = left.into_iter().map(|(text, _)| text).collect();
    if is_so || texts == evidence.texts {
        return live
            .iter()
            .try_for_each(|node| refuse_nested(document, *node, own, selection))
            .map_err(Refusal::from);
    }
    let at = texts.iter().zip(evidence.texts).position(|(left, right)| left != right);
    let at = at.unwrap_or(texts.len().min(evidence.texts.len()));
    let show = |texts: &[String]| {
        texts.get(at).map_or_else(|| "nothing".to_owned(), |text| format!("'{}'", excerpt(text)))
    };
    Err(Refusal::new(
        RefusalCode::ProofFailed,
        format!(
            "accepting this edit would give {} instead of {}, so it was taken back; please report this document",
            show(&texts),
            show(evidence.texts)
        ),
    ))
}

/// A new insertion inside another author's: it has to stand beside, and what lies between them, such as a link or a content control,
/// cannot be cut in two.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NestedInsertion {
    /// The insertion that was there.
    outer: RevisionStamp,
}

impl From<NestedInsertion> for Refusal {
    fn from(nested: NestedInsertion) -> Self {
        let RevisionStamp { author, id, .. } = nested.outer;
        let id = id.map_or_else(String::new, |id| format!(" (revision {id})"));
        let message = format!(
            "the text lies in a link, a content control or the like that a pending insertion by {author}{id} put there, and a \
             tracked change there would stand inside theirs; accept or reject that insertion first"
        );
        Self::new(RefusalCode::InsideInsertion, message)
    }
}

/// Refuses new insertions beneath `root` that stand inside another author's. One inside one's own is a part of it when the batch ends
/// ([`crate::edit::coalesce`]).
pub(crate) fn refuse_nested(
    document: &Document,
    root: NodeId,
    own: &OwnRevisions,
    new: Selection<'_>,
) -> Result<(), NestedInsertion> {
    let is_insertion = |node: &NodeId| document.name(*node) == INS && document.first_child(*node).is_some();
    for node in document.descendants(root).filter(is_insertion) {
        if !new.holds(document, node) {
            continue;
        }
        let mut above = document.ancestors(node).take_while(|above| document.name(*above) != P);
        if let Some(other) = above.find(is_insertion).filter(|other| !own.is_pair(document, (*other, node))) {
            return Err(NestedInsertion { outer: RevisionStamp::of(document, other) });
        }
    }
    Ok(())
}

/// Checks rows, cells and tables that an operation put there: rejecting takes them away, accepting keeps their texts.
pub(crate) fn check_blocks(
    document: &mut Document,
    blocks: &[NewBlock],
    first_id: i64,
) -> Result<(), Refusal> {
    let selection = Selection::IdsFrom(first_id);
    for block in blocks {
        let nodes = paragraphs(document, block.node);
        let checkpoint = document.checkpoint();
        resolve_paragraphs(document, &nodes, Side::Reject, selection);
        let stays = is_there(document, block.node);
        document.rollback(checkpoint);
        let checkpoint = document.checkpoint();
        resolve_paragraphs(document, &nodes, Side::Accept, selection);
        let texts: Vec<String> = paragraphs(document, block.node)
            .into_iter()
            .map(|node| Paragraph::read(document, node, View::Accepted, None).text)
            .collect();
        let goes = !is_there(document, block.node);
        document.rollback(checkpoint);
        if stays || goes || texts != block.texts {
            return Err(Refusal::new(
                RefusalCode::ProofFailed,
                "the new row, column or table could not be rejected or accepted whole, so it was taken back; \
                 please report this document",
            ));
        }
    }
    Ok(())
}

/// A table before an operation changes its columns or properties: what rejecting the batch gives, and whether its grid fits its cells
/// once the batch is accepted.
pub(crate) struct TableEvidence {
    table: NodeId,
    rejected: Vec<u8>,
    fits: bool,
}

impl TableEvidence {
    pub(crate) fn of(document: &mut Document, table: NodeId, ignored: &IgnoredMarkup, first_id: i64) -> Self {
        let selection = Selection::IdsFrom(first_id);
        let checkpoint = document.checkpoint();
        resolve(document, table, Side::Reject, selection);
        let rejected = normal_form_without(document, table, ignored);
        document.rollback(checkpoint);
        let checkpoint = document.checkpoint();
        resolve(document, table, Side::Accept, selection);
        let fits = TableGrid::read(document, table, |_| true).is_sound();
        document.rollback(checkpoint);
        Self { table, rejected, fits }
    }

    /// Whether the same holds after the operation.
    pub(crate) fn check(
        &self,
        document: &mut Document,
        ignored: &IgnoredMarkup,
        first_id: i64,
    ) -> Result<(), Refusal> {
        let now = Self::of(document, self.table, ignored, first_id);
        if now.rejected != self.rejected {
            return Err(Refusal::new(
                RefusalCode::ProofFailed,
                "rejecting this edit would not give back the table, so it was taken back; please report this document",
            ));
        }
        if self.fits && !now.fits {
            return Err(Refusal::new(
                RefusalCode::ProofFailed,
                "the columns of the table would not fit its cells, so it was taken back; please report this document",
            ));
        }
        Ok(())
    }
}

/// Whether a node still stands in the document.
fn is_there(document: &Document, node: NodeId) -> bool {
    document.ancestors(node).any(|above| above == document.root())
}
