//! Writes references and bookmarks as tracked changes.
//!
//! A bookmark is no revision (ISO/IEC 29500-1 §17.13.6), but its two ends may stand in an insertion like all range markup. So new
//! bookmarks stand in insertions of ours: who rejects those gets the source without them. A field is replaced as a whole, since
//! a change inside of its code is read differently by different programs.
//!
//! Must never decide which reference changes.

use engross_xml::{NodeId, NodeKind};

use crate::edit::content::Piece;
use crate::edit::evidence::NestedInsertion;
use crate::edit::insertion::{behind, between, lift, put};
use crate::edit::long_fields::write_long;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::{Chain, Cursor, cut_before, cut_out, delete, next_element, wrap_neighbours};
use crate::error::{Refusal, RefusalCode};
use crate::model::{OwnRevisions, is_range_marker, is_revision_wrapper};
use crate::names::{
    ANCHOR, BOOKMARK_END, BOOKMARK_START, DEL, DIRTY, FLD_CHAR, FLD_CHAR_TYPE, HYPERLINK, ID, INS, INSTR,
    INSTR_TEXT, MOVE_FROM, MOVE_TO, NAME, P, P_PR, R_PR, R_STYLE, RUN, T, XML_SPACE,
};
use crate::references::{FieldForm, Words};
use crate::styles::Styles;

/// Why a reference cannot be changed as a tracked change.
pub(crate) type Obstacle = &'static str;

const SPREAD: Obstacle = "it goes over several paragraphs, or over the edge of a link or content control";
const EMPTY: Obstacle = "it shows nothing";
const PENDING: Obstacle = "a pending change or another field stands inside of it";
const NESTED: Obstacle =
    "it stands in a link, a content control or the like that a pending insertion put there";

impl From<NestedInsertion> for Obstacle {
    fn from(_: NestedInsertion) -> Self {
        NESTED
    }
}

/// Lets a reference lead to another bookmark.
pub(crate) fn retarget(
    writer: &mut RevisionWriter<'_>,
    form: FieldForm,
    code: &str,
    bookmark: &str,
    own: &OwnRevisions,
) -> Result<(), Obstacle> {
    if is_own(writer, form, own) {
        set_target(writer, form, code, bookmark);
        return Ok(());
    }
    match form {
        FieldForm::Simple(field) => {
            let form = written_long(writer, field);
            retarget(writer, form, code, bookmark, own)
        }
        FieldForm::Link(link) => {
            let runs = runs_of_link(writer, link)?;
            let copies = copies(writer, &runs);
            wrap_neighbours(writer, &runs);
            let shell = writer.document.copy_shallow(link);
            writer.document.set_attribute(shell, ANCHOR, bookmark);
            let insertion = insertion_of(writer, &copies);
            writer.document.append(shell, insertion);
            writer.document.insert_after(link, shell);
            Ok(())
        }
        FieldForm::Complex { begin, separate, end } => {
            let runs = runs_of_field(writer, (begin, separate, end))?;
            let copies = copies(writer, &runs);
            set_code(writer, &copies, code);
            replace(writer, &runs, &copies);
            Ok(())
        }
    }
}

/// A simple field in the form that can be deleted as a tracked change.
fn written_long(writer: &mut RevisionWriter<'_>, field: NodeId) -> FieldForm {
    let long = write_long(writer.document, field);
    FieldForm::Complex { begin: long.begin, separate: Some(long.separate), end: Some(long.end) }
}

/// Makes a reference the plain text that it shows.
pub(crate) fn unlink(writer: &mut RevisionWriter<'_>, form: FieldForm) -> Result<(), Obstacle> {
    match form {
        FieldForm::Simple(field) => {
            let form = written_long(writer, field);
            unlink(writer, form)
        }
        FieldForm::Link(link) => {
            let runs = runs_of_link(writer, link)?;
            let copies = copies(writer, &runs);
            for copy in &copies {
                // The style of a link belongs to the link.
                if let Some(properties) = writer.document.child(*copy, R_PR)
                    && let Some(style) = writer.document.child(properties, R_STYLE)
                {
                    writer.document.detach(style);
                }
            }
            wrap_neighbours(writer, &runs);
            let insertion = insertion_of(writer, &copies);
            writer.document.insert_after(link, insertion);
            Ok(())
        }
        FieldForm::Complex { begin, separate, end } => {
            let runs = runs_of_field(writer, (begin, separate, end))?;
            // Behind the code stands what the field shows.
            let shown = match separate.and_then(|separate| writer.document.parent(separate)) {
                Some(run) => runs.iter().position(|known| *known == run).map_or(runs.len(), |at| at + 1),
                None => runs.len(),
            };
            let result = runs.get(shown..runs.len().saturating_sub(1)).unwrap_or_default().to_vec();
            let copies = copies(writer, &result);
            replace(writer, &runs, &copies);
            Ok(())
        }
    }
}

/// Gives the result of a field another text. `leaves` are what it shows now, in order.
pub(crate) fn set_result(
    writer: &mut RevisionWriter<'_>,
    leaves: &[NodeId],
    text: &str,
    own: &OwnRevisions,
) -> Result<(), Obstacle> {
    let first = *leaves.first().ok_or(EMPTY)?;
    let is_text = |leaf: &NodeId| {
        let run = writer.document.parent(*leaf);
        writer.document.name(*leaf) == T && run.is_some_and(|run| writer.document.name(run) == RUN)
    };
    if !leaves.iter().all(is_text) {
        return Err(PENDING);
    }
    if leaves.iter().all(|leaf| is_in_own_insertion(writer, *leaf, own)) {
        let leaf = writer.text_leaf(T, text);
        writer.document.insert_before(first, leaf);
        for leaf in leaves {
            writer.document.detach(*leaf);
        }
        return Ok(());
    }
    let runs: Vec<NodeId> = leaves.iter().map(|leaf| isolate(writer, *leaf)).collect();
    let like = runs.first().and_then(|run| writer.document.child(*run, R_PR));
    let piece = Piece::plain(text);
    let inserted = writer.inserted_runs(&[piece], like);
    let deletion = wrap_neighbours(writer, &runs).ok_or(EMPTY)?;
    let place = behind(writer, deletion);
    for insertion in inserted {
        put(writer, place.cursor, insertion);
    }
    Ok(())
}

/// A start of a bookmark.
pub(crate) fn bookmark_start(writer: &mut RevisionWriter<'_>, id: i64, name: &str) -> NodeId {
    let start = writer.document.new_element(BOOKMARK_START);
    writer.document.set_attribute(start, ID, &id.to_string());
    writer.document.set_attribute(start, NAME, name);
    start
}

/// An end of a bookmark.
pub(crate) fn bookmark_end(writer: &mut RevisionWriter<'_>, id: i64) -> NodeId {
    let end = writer.document.new_element(BOOKMARK_END);
    writer.document.set_attribute(end, ID, &id.to_string());
    end
}

/// Puts a bookmark around all that a paragraph says.
pub(crate) fn bookmark_paragraph(writer: &mut RevisionWriter<'_>, paragraph: NodeId, name: &str) {
    let before = writer.document.children(paragraph).find(|child| {
        writer.document.kind(*child) == NodeKind::Element && writer.document.name(*child) != P_PR
    });
    bookmark_between(
        writer,
        Cursor { parent: paragraph, before },
        Cursor { parent: paragraph, before: None },
        name,
    );
}

/// Puts a bookmark between two places, which are outside of all revisions.
pub(crate) fn bookmark_between(writer: &mut RevisionWriter<'_>, from: Cursor, to: Cursor, name: &str) {
    let id = writer.ids.take();
    let insertion = |writer: &mut RevisionWriter<'_>, marker: NodeId| {
        let insertion = writer.revision(INS);
        writer.document.append(insertion, marker);
        insertion
    };
    let end = bookmark_end(writer, id);
    let end = insertion(writer, end);
    put(writer, to, end);
    // Around nothing, as in an empty paragraph, it begins before it ends all the same.
    let is_empty = (from.parent, from.before) == (to.parent, to.before);
    let start = bookmark_start(writer, id, name);
    let start = insertion(writer, start);
    put(writer, Cursor { before: if is_empty { Some(end) } else { from.before }, ..from }, start);
}

fn chain_of<'a>(words: &'a Words, nodes: &'a [NodeId]) -> Chain<'a> {
    Chain { nodes, fields: words.fields.as_ref(), view: words.view }
}

/// A field to be inserted.
#[derive(Debug, Clone)]
pub(crate) struct FieldText {
    pub(crate) instruction: String,
    pub(crate) result: String,
    /// Whether Word shall compute it when it opens the document.
    pub(crate) is_dirty: bool,
}

/// Gives words another text.
pub(crate) fn replace_words(
    writer: &mut RevisionWriter<'_>,
    words: &Words,
    text: &str,
) -> Result<(), Refusal> {
    let nodes = [words.paragraph];
    let deletion = delete(writer, chain_of(words, &nodes), words.range.clone(), true)?;
    let Some(deletion) = deletion else {
        return Err(Refusal::new(RefusalCode::TextNotFound, "the words are not there any more"));
    };
    let place = behind(writer, deletion.first);
    let piece = Piece::plain(text);
    for insertion in writer.inserted_runs(&[piece], place.like) {
        put(writer, place.cursor, insertion);
    }
    Ok(())
}

/// Puts a bookmark around words.
pub(crate) fn bookmark_words(
    writer: &mut RevisionWriter<'_>,
    words: &Words,
    name: &str,
) -> Result<(), Refusal> {
    let nodes = [words.paragraph];
    let paragraph = chain_of(words, &nodes).read(writer);
    let runs = cut_out(writer, &paragraph, words.range.clone());
    let (Some(first), Some(last)) = (runs.first().copied(), runs.last().copied()) else {
        return Err(Refusal::new(RefusalCode::TextNotFound, "there are no words to mark"));
    };
    let parent = writer.document.parent(last).unwrap_or(words.paragraph);
    let before = writer.document.next(last);
    let to = lift(writer, Cursor { parent, before });
    let parent = writer.document.parent(first).unwrap_or(words.paragraph);
    let from = lift(writer, Cursor { parent, before: Some(first) });
    bookmark_between(writer, from, to, name);
    Ok(())
}

/// Puts a field behind words, or in their place.
pub(crate) fn insert_field(
    writer: &mut RevisionWriter<'_>,
    words: &Words,
    replaces: bool,
    field: &FieldText,
    styles: &Styles,
) -> Result<(), Refusal> {
    let nodes = [words.paragraph];
    let deletion = match replaces {
        true => delete(writer, chain_of(words, &nodes), words.range.clone(), true)?,
        false => None,
    };
    let place = match deletion {
        Some(deletion) => behind(writer, deletion.first),
        None => between(writer, chain_of(words, &nodes), words.range.end, styles)?,
    };
    let insertion = writer.revision(INS);
    for part in [FieldPart::Begin, FieldPart::Code, FieldPart::Separate, FieldPart::Result, FieldPart::End] {
        if part == FieldPart::Result && field.result.is_empty() {
            continue;
        }
        let run = writer.run_like(place.like, &field.result);
        let leaf = match part {
            FieldPart::Result => None,
            FieldPart::Code => {
                let leaf = writer.text_leaf(INSTR_TEXT, &format!(" {} ", field.instruction.trim()));
                Some(leaf)
            }
            FieldPart::Begin | FieldPart::Separate | FieldPart::End => {
                let leaf = writer.document.new_element(FLD_CHAR);
                let kind = match part {
                    FieldPart::Begin => "begin",
                    FieldPart::Separate => "separate",
                    _ => "end",
                };
                writer.document.set_attribute(leaf, FLD_CHAR_TYPE, kind);
                if field.is_dirty && part == FieldPart::Begin {
                    writer.document.set_attribute(leaf, DIRTY, "true");
                }
                Some(leaf)
            }
        };
        if let Some(leaf) = leaf {
            let content: Vec<NodeId> =
                writer.document.children(run).filter(|child| writer.document.name(*child) != R_PR).collect();
            for node in content {
                writer.document.detach(node);
            }
            writer.document.append(run, leaf);
        }
        writer.document.append(insertion, run);
    }
    put(writer, place.cursor, insertion);
    Ok(())
}

/// The runs of a field, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldPart {
    Begin,
    Code,
    Separate,
    Result,
    End,
}

/// Whether all of a reference is an insertion of this session, which may be changed without a trace.
fn is_own(writer: &RevisionWriter<'_>, form: FieldForm, own: &OwnRevisions) -> bool {
    let is_own = |node: NodeId| is_in_own_insertion(writer, node, own);
    match form {
        FieldForm::Complex { begin, end, .. } => is_own(begin) && end.is_some_and(is_own),
        FieldForm::Simple(node) | FieldForm::Link(node) => {
            let below = writer.document.descendants(node);
            let mut runs = below.filter(|below| writer.document.name(*below) == RUN).peekable();
            runs.peek().is_some() && runs.all(is_own)
        }
    }
}

fn is_in_own_insertion(writer: &RevisionWriter<'_>, node: NodeId, own: &OwnRevisions) -> bool {
    let document = &*writer.document;
    document
        .ancestors(node)
        .take_while(|above| document.name(*above) != P)
        .any(|above| matches!(document.name(above), INS | MOVE_TO) && own.holds(document, above))
}

fn set_target(writer: &mut RevisionWriter<'_>, form: FieldForm, code: &str, bookmark: &str) {
    match form {
        FieldForm::Simple(field) => writer.document.set_attribute(field, INSTR, code),
        FieldForm::Link(link) => writer.document.set_attribute(link, ANCHOR, bookmark),
        FieldForm::Complex { begin, end, .. } => {
            let Some(container) =
                writer.document.ancestors(begin).find(|above| writer.document.name(*above) == P)
            else {
                return;
            };
            let all: Vec<NodeId> = writer.document.descendants(container).collect();
            let from = all.iter().position(|node| *node == begin).unwrap_or_default();
            let to = end.and_then(|end| all.iter().position(|node| *node == end)).unwrap_or(all.len());
            set_code(writer, all.get(from..to).unwrap_or_default(), code);
        }
    }
}

/// Puts `code` into the first piece of code in these nodes, and takes the others out.
fn set_code(writer: &mut RevisionWriter<'_>, nodes: &[NodeId], code: &str) {
    let mut pieces: Vec<NodeId> = Vec::new();
    for node in nodes {
        let below = std::iter::once(*node).chain(writer.document.descendants(*node));
        pieces.extend(below.filter(|below| writer.document.name(*below) == INSTR_TEXT));
    }
    pieces.dedup();
    let mut rest = pieces.into_iter();
    if let Some(first) = rest.next() {
        while let Some(child) = writer.document.first_child(first) {
            writer.document.detach(child);
        }
        let text = writer.document.new_text(code);
        writer.document.append(first, text);
        writer.document.set_attribute(first, XML_SPACE, "preserve");
    }
    for piece in rest {
        writer.document.detach(piece);
    }
}

/// The runs of a field from its first to its last character, cut off what stands beside them. Its characters stand in runs of
/// their own then, so that code and result can be told apart.
fn runs_of_field(
    writer: &mut RevisionWriter<'_>,
    (begin, separate, end): (NodeId, Option<NodeId>, Option<NodeId>),
) -> Result<Vec<NodeId>, Obstacle> {
    let last = isolate(writer, end.ok_or(SPREAD)?);
    if let Some(separate) = separate {
        isolate(writer, separate);
    }
    let mut runs = Vec::new();
    let mut at = Some(isolate(writer, begin));
    while let Some(node) = at {
        match writer.document.name(node) {
            RUN => runs.push(node),
            DEL | MOVE_FROM => {}
            name if is_range_marker(name) || writer.document.kind(node) != NodeKind::Element => {}
            _ => return Err(PENDING),
        }
        if node == last {
            let beginnings = runs.iter().filter(|run| begins_field(writer, **run)).count();
            return if beginnings == 1 { Ok(runs) } else { Err(PENDING) };
        }
        at = writer.document.next(node);
    }
    Err(SPREAD)
}

/// Cuts a leaf out of its run. Gives the run that holds nothing else then.
pub(crate) fn isolate(writer: &mut RevisionWriter<'_>, leaf: NodeId) -> NodeId {
    if let Some(next) = next_element(writer, leaf) {
        cut_before(writer, next);
    }
    cut_before(writer, leaf)
}

/// The field characters of a run.
fn characters(writer: &RevisionWriter<'_>, run: NodeId) -> Vec<NodeId> {
    writer.document.children(run).filter(|leaf| writer.document.name(*leaf) == FLD_CHAR).collect()
}

fn begins_field(writer: &RevisionWriter<'_>, run: NodeId) -> bool {
    characters(writer, run)
        .into_iter()
        .any(|leaf| writer.document.attribute(leaf, FLD_CHAR_TYPE).as_deref() == Some("begin"))
}

fn runs_of_link(writer: &RevisionWriter<'_>, link: NodeId) -> Result<Vec<NodeId>, Obstacle> {
    let document = &*writer.document;
    let parent = document.parent(link).map(|parent| document.name(parent));
    if parent.is_none_or(|parent| parent == HYPERLINK || is_revision_wrapper(parent)) {
        return Err(PENDING);
    }
    let mut runs = Vec::new();
    for child in document.children(link).filter(|child| document.kind(*child) == NodeKind::Element) {
        match document.name(child) {
            RUN if characters(writer, child).is_empty() => runs.push(child),
            name if is_range_marker(name) || matches!(name, DEL | MOVE_FROM) => {}
            _ => return Err(PENDING),
        }
    }
    if runs.is_empty() { Err(PENDING) } else { Ok(runs) }
}

fn copies(writer: &mut RevisionWriter<'_>, runs: &[NodeId]) -> Vec<NodeId> {
    runs.iter().map(|run| writer.copy_run(*run)).collect()
}

fn insertion_of(writer: &mut RevisionWriter<'_>, runs: &[NodeId]) -> NodeId {
    let insertion = writer.revision(INS);
    for run in runs {
        writer.document.append(insertion, *run);
    }
    insertion
}

/// Deletes runs, and inserts others behind them.
fn replace(writer: &mut RevisionWriter<'_>, runs: &[NodeId], new: &[NodeId]) {
    let last = runs.last().copied();
    wrap_neighbours(writer, runs);
    let Some(deletion) = last.and_then(|last| writer.document.parent(last)).filter(|_| !new.is_empty())
    else {
        return;
    };
    let insertion = insertion_of(writer, new);
    let place = behind(writer, deletion);
    put(writer, place.cursor, insertion);
}
