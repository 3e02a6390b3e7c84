//! The proof of the whole part, on the bytes that are about to be written.
//!
//! The bytes are parsed afresh. Rejecting one's own revisions must give the source's tree, in which earlier ones that the
//! session adopted are rejected, too; accepting them must give the texts that the session means; and the part breaks no rule that
//! the source keeps. Nothing of the session's own tree takes part in the first and the last.

use std::collections::HashMap;

use engross_xml::{Document, Limits, NodeId, NodeKind};

use crate::canon::{IgnoredMarkup, normal_form_without};
use crate::error::Error;
use crate::model::{
    FieldContext, OwnRevisions, Paragraph, View, fields_at_start, mark_revisions, next_paragraph, paragraphs,
};
use crate::names::{
    BODY, CELL_DEL, COMMENT, COMMENTS, DEL, DOCUMENT, ENDNOTE, ENDNOTES, FOOTNOTE, FOOTNOTES, FTR, HDR,
    MOVE_FROM, SDT, SDT_CONTENT, TBL, TC, TC_PR, TR, TR_PR, VOCABULARY,
};
use crate::ops::{Proof, ProofBase, ProofState, Tracking};
use crate::read::{excerpt, text_boxes};
use crate::revisions::{Selection, Side, keeps_struck_words, resolve};
use crate::rules::{Definitions, new_fault};

/// A session's state, as far as the proof needs it.
pub(crate) struct EditedPart<'a> {
    /// The part as the session has it.
    pub(crate) live: &'a Document,
    /// Which revisions are one's own.
    pub(crate) own: &'a OwnRevisions,
    /// Name of the part.
    pub(crate) part: &'a str,
    /// Comments that the session wrote or took away.
    pub(crate) ignored: &'a IgnoredMarkup,
    /// What other parts define.
    pub(crate) known: &'a Definitions,
}

/// Proves `written`, the new bytes of the part, and gives them back. `source` is the part as it was opened, parsed afresh.
pub(crate) fn prove(
    mut source: Document,
    edited: &EditedPart<'_>,
    written: Vec<u8>,
    tracking: Tracking,
    limits: &Limits,
) -> Result<(Proof, Vec<u8>), Error> {
    let parse = |written: Vec<u8>| {
        Document::parse(written, &VOCABULARY, limits)
            .map_err(|source| Error::Xml { part: edited.part.to_owned(), source })
    };
    let mut fresh = parse(written)?;
    let root = fresh.root();
    let selection = Selection::Own(edited.own);
    let failed = |side| move |(address, message)| Error::ProofFailed { side, address, message };
    // The rules are asked before anything is resolved, and told after: what cannot be taken back is worse.
    let fault = new_fault(&source, &fresh, edited.part, edited.known);
    if edited.own.has_adopted() {
        // Before all of one's own rounds.
        let root = source.root();
        resolve(&mut source, root, Side::Reject, selection);
    }
    let reject = match tracking {
        Tracking::Untracked => ProofState::NotApplicable,
        Tracking::Tracked => {
            resolve(&mut fresh, root, Side::Reject, selection);
            compare(&source, source.root(), &fresh, root, edited.ignored).map_err(failed("reject"))?;
            ProofState::Holds
        }
    };
    if let Some(fault) = fault {
        let difference = (fault.address, format!("{}: {}", fault.code, fault.message));
        return Err(failed("rules")(difference));
    }
    // Trees of a long document are large, and so is what it takes to put one back: it is parsed anew.
    drop(source);
    if reject == ProofState::Holds {
        fresh = parse(fresh.into_source())?;
    }
    let root = fresh.root();
    resolve(&mut fresh, root, Side::Accept, selection);
    compare_texts(edited, &fresh).map_err(failed("accept"))?;
    let base = if edited.own.has_adopted() { ProofBase::BeforeOwn } else { ProofBase::Source };
    Ok((Proof { reject, accept: ProofState::Holds, base }, fresh.into_source()))
}

type Difference = (String, String);

/// Compares two trees in their normal form, block by block; blocks with equal bytes need no closer look.
fn compare(
    left: &Document,
    left_node: NodeId,
    right: &Document,
    right_node: NodeId,
    ignored: &IgnoredMarkup,
) -> Result<(), Difference> {
    if let (Some(one), Some(other)) = (left.source(left_node), right.source(right_node))
        && one == other
    {
        return Ok(());
    }
    let name = left.name(left_node);
    let holds_blocks = matches!(name, DOCUMENT | BODY | TBL | TR | TC | SDT | SDT_CONTENT)
        || matches!(name, HDR | FTR | FOOTNOTES | FOOTNOTE | ENDNOTES | ENDNOTE | COMMENTS | COMMENT);
    if holds_blocks && name == right.name(right_node) {
        let children = |document: &Document, node: NodeId| -> Vec<NodeId> {
            // Properties of a row or cell that hold nothing are as good as none.
            let is_hollow = |child: NodeId| {
                matches!(document.name(child), TR_PR | TC_PR) && document.first_child(child).is_none()
            };
            document
                .children(node)
                .filter(|child| document.kind(*child) == NodeKind::Element)
                .filter(|child| !ignored.holds(document, *child) && !is_hollow(*child))
                .collect()
        };
        let (ours, theirs) = (children(left, left_node), children(right, right_node));
        if ours.len() == theirs.len() {
            for (one, other) in ours.into_iter().zip(theirs) {
                compare(left, one, right, other, ignored)?;
            }
            return Ok(());
        }
        let message =
            format!("<{}> has {} parts instead of {}", left.local_name(name), theirs.len(), ours.len());
        return Err((address_of(left, left_node), message));
    }
    if normal_form_without(left, left_node, ignored) == normal_form_without(right, right_node, ignored) {
        return Ok(());
    }
    Err((address_of(left, left_node), format!("<{}> differs from the source", left.local_name(name))))
}

fn address_of(document: &Document, node: NodeId) -> String {
    let numbered = paragraphs(document, document.root());
    let inside =
        |paragraph: &NodeId| *paragraph == node || document.ancestors(*paragraph).any(|above| above == node);
    numbered.iter().position(inside).map_or_else(|| "the document".to_owned(), |at| format!("P{}", at + 1))
}

/// Compares the accepted document with what the session's own tree shows as accepted.
fn compare_texts(edited: &EditedPart<'_>, accepted: &Document) -> Result<(), Difference> {
    compare_story(edited, main_story(edited.live), accepted, main_story(accepted))?;
    let (live, kept) = (boxes(edited.live, edited.own), boxes(accepted, edited.own));
    if live.len() != kept.len() {
        let message = format!("there are {} text boxes instead of {}", kept.len(), live.len());
        return Err(("the document".to_owned(), message));
    }
    live.into_iter().zip(kept).try_for_each(|(live, kept)| compare_story(edited, live, accepted, kept))
}

fn main_story(document: &Document) -> NodeId {
    document.child(document.root(), BODY).unwrap_or(document.root())
}

/// The text boxes that stay when the session's revisions are accepted.
fn boxes(document: &Document, own: &OwnRevisions) -> Vec<NodeId> {
    let goes = |node: NodeId| {
        document.ancestors(node).any(|above| {
            document.name(above) == DEL && Selection::Own(own).holds(document, above)
                || is_deleted_block(document, above, own)
        })
    };
    text_boxes(document).into_iter().filter(|node| !goes(*node)).collect()
}

/// Whether the session deletes a row or cell.
fn is_deleted_block(document: &Document, node: NodeId, own: &OwnRevisions) -> bool {
    let (properties, mark) = match document.name(node) {
        TR => (TR_PR, DEL),
        TC => (TC_PR, CELL_DEL),
        _ => return false,
    };
    let mark = document.child(node, properties).and_then(|properties| document.child(properties, mark));
    mark.is_some_and(|mark| Selection::Own(own).holds(document, mark))
}

/// The paragraphs below a root that do not go with a row or cell.
fn staying_paragraphs(document: &Document, root: NodeId, own: &OwnRevisions) -> Vec<NodeId> {
    let goes = |node: &NodeId| {
        document
            .ancestors(*node)
            .take_while(|above| *above != root)
            .any(|above| is_deleted_block(document, above, own))
    };
    paragraphs(document, root).into_iter().filter(|node| !goes(node)).collect()
}

fn compare_story(
    edited: &EditedPart<'_>,
    live: NodeId,
    accepted: &Document,
    root: NodeId,
) -> Result<(), Difference> {
    let meant = meant_paragraphs(edited, live);
    let nodes = paragraphs(accepted, root);
    let fields = fields_at_start(accepted, &nodes);
    if meant.len() != nodes.len() {
        let message = format!("there are {} paragraphs instead of {}", nodes.len(), meant.len());
        return Err(("the document".to_owned(), message));
    }
    for (at, (node, meant)) in nodes.iter().zip(meant).enumerate() {
        let got = || Paragraph::read(accepted, *node, View::Accepted, fields.get(node)).text;
        let same = match &meant {
            ParagraphDemand::Source(source) => accepted.source(*node) == Some(source),
            ParagraphDemand::Text(text) => got() == *text,
        };
        if !same {
            let wanted = match meant {
                ParagraphDemand::Source(_) => "its source".to_owned(),
                ParagraphDemand::Text(text) => format!("'{}'", excerpt(&text)),
            };
            return Err((
                format!("P{}", at + 1),
                format!("it says '{}' instead of {wanted}", excerpt(&got())),
            ));
        }
    }
    Ok(())
}

/// What a paragraph of the accepted document shall be.
enum ParagraphDemand<'a> {
    /// The bytes it had.
    Source(&'a str),
    /// This text.
    Text(String),
}

fn meant_paragraphs<'a>(edited: &EditedPart<'a>, root: NodeId) -> Vec<ParagraphDemand<'a>> {
    let tree = edited.live;
    let nodes = staying_paragraphs(tree, root, edited.own);
    let fields = fields_at_start(tree, &nodes);
    let selection = Selection::Own(edited.own);
    let mut meant = Vec::with_capacity(nodes.len());
    let mut pending: Vec<NodeId> = Vec::new();
    // Whether the next paragraph takes in what is left of others, bookmarks for example: a table between them can be gone.
    let mut takes_in = false;
    for node in nodes {
        // What lost its border before a table or the end of a container goes on nowhere.
        if pending.last().is_some_and(|last| next_paragraph(tree, *last) != Some(node)) {
            let left = stranded(edited, &pending, &fields);
            takes_in = left.is_none();
            meant.extend(left);
            pending.clear();
        }
        // A paragraph whose border this session deleted goes on in the next one.
        let border_gone = mark_revisions(tree, node)
            .any(|mark| matches!(tree.name(mark), DEL | MOVE_FROM) && selection.holds(tree, mark));
        if border_gone {
            pending.push(node);
            continue;
        }
        let has_earlier =
            || edited.own.has_adopted() && tree.descendants(node).any(|below| edited.own.holds(tree, below));
        let is_alone = pending.is_empty() && !std::mem::take(&mut takes_in);
        if is_alone
            && let Some(source) = tree.source(node)
            && !has_earlier()
        {
            meant.push(ParagraphDemand::Source(source));
            continue;
        }
        pending.push(node);
        meant.push(ParagraphDemand::Text(joined_text(tree, &pending, &fields)));
        pending.clear();
    }
    meant.extend(stranded(edited, &pending, &fields));
    meant
}

/// Paragraphs without a border behind them and without one to join: they are one, or go if nothing is left in them. What somebody
/// else deletes is left.
fn stranded<'a>(
    edited: &EditedPart<'_>,
    nodes: &[NodeId],
    fields: &HashMap<NodeId, FieldContext>,
) -> Option<ParagraphDemand<'a>> {
    let (tree, selection) = (edited.live, Selection::Own(edited.own));
    let text = joined_text(tree, nodes, fields);
    let is_kept = !text.is_empty() || nodes.iter().any(|node| keeps_struck_words(tree, *node, selection));
    is_kept.then_some(ParagraphDemand::Text(text))
}

fn joined_text(tree: &Document, nodes: &[NodeId], fields: &HashMap<NodeId, FieldContext>) -> String {
    let context = nodes.first().and_then(|node| fields.get(node));
    Paragraph::read_chain(tree, nodes, View::Accepted, context).text
}
