//! A story as numbered paragraphs.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};
use serde::Serialize;

use crate::model::{Paragraph, Placement, View, fields_at_start, mark_revisions, placements};
use crate::names::{
    COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, ID, INS, MOVE_FROM, MOVE_TO, PARA_ID,
};
use crate::numbering::{Counter, Numbering, paragraph_numbering};
use crate::read::inline_labels::{LabelSources, Labeller};
use crate::read::labels::fingerprint;
use crate::revisions::list;
use crate::styles::Styles;

/// What to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReadOptions {
    /// Which revisions count as done: [`View::Accepted`], [`View::Original`] or [`View::Markup`].
    pub view: View,
    /// Name of the story or its kind, or `everywhere`; without, the body, or everywhere for a search.
    pub story: Option<String>,
    /// Only paragraphs that contain this text, case and typography aside.
    pub search: Option<String>,
    /// Instead of a text: a regular expression that a paragraph fits, case aside.
    pub pattern: Option<String>,
    /// Where to begin: a cursor of an earlier reading, or an address.
    pub from: Option<String>,
    /// At most so many paragraphs.
    pub limit: Option<usize>,
    /// At most so many bytes of text and tags; one paragraph at least.
    pub max_bytes: Option<usize>,
    /// Whether fields, links, controls and pictures say what they are; without, texts of two documents can be compared.
    pub labels: bool,
    /// Whether each paragraph has the fingerprint of its text, for those who name it by that; it costs a third of a reading.
    pub fingerprints: bool,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            view: View::Accepted,
            story: None,
            search: None,
            pattern: None,
            from: None,
            limit: None,
            max_bytes: None,
            labels: true,
            fingerprints: true,
        }
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reading {
    /// Token of the document's state; a batch can insist on it by `expectedRevision`.
    pub revision: String,
    /// `accepted`, `original` or `markup`.
    pub view: &'static str,
    /// The stories of the document and their sizes; of a reading that begins at the start, where there is more than the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stories: Vec<StorySize>,
    /// The paragraphs. Those that revisions take away in the view are not shown; numbers stay.
    pub paragraphs: Vec<ParagraphReading>,
    /// Where the next reading begins; `null` at the end.
    pub cursor: Option<String>,
    /// How many paragraphs the story has.
    pub total: usize,
    /// Where a search that found nothing would have found something: text that a pending revision deletes or inserts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A story and how long it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorySize {
    /// `body`, `header:default@1`, `footnote:3`.
    pub name: String,
    /// How many paragraphs the accepted view shows.
    pub paragraphs: usize,
    /// How many characters they have.
    pub characters: usize,
}

/// A paragraph and what surrounds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ParagraphReading {
    /// `P12`, or with the story as `footnote:3/P1`.
    pub address: String,
    /// Its number in the story, from 1.
    pub index: usize,
    /// Its style, as shown in the notation; `null` when the document has no styles.
    pub style: Option<String>,
    /// Level of its list, from 0.
    pub list_level: Option<u8>,
    /// The visible list marker.
    pub marker: Option<String>,
    /// Whether the marker is a bullet.
    pub bullet: bool,
    /// Its place in the nearest table.
    pub table: Option<TablePlace>,
    /// The numbered provision it belongs to, for text that has no number itself.
    pub section: Option<String>,
    /// Its text in the view. Objects and breaks appear as labels such as `⟦footnote 3⟧` and `⟦br⟧`.
    pub text: String,
    /// Ids of the tracked changes in it.
    pub revisions: Vec<String>,
    /// Ids of the comments that are anchored in it.
    pub comments: Vec<String>,
    /// `w14:paraId`, if it has one.
    pub para_id: Option<String>,
    /// Tells its text from others; empty, and left out of JSON, where it was not asked for.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
}

/// A place in a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TablePlace {
    /// Number of the table in the story, from 1; nested tables count.
    pub id: usize,
    /// Row, from 0.
    pub row: usize,
    /// Position of the cell in its row, from 0.
    pub column: usize,
}

impl From<Placement> for TablePlace {
    fn from(place: Placement) -> Self {
        Self { id: place.table, row: place.row, column: place.column }
    }
}

/// What a reading draws on besides the story.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub(crate) document: &'a Document,
    pub(crate) styles: &'a Styles,
    pub(crate) numbering: &'a Numbering,
    /// Names revisions as `revisions` does.
    pub(crate) revision_names: &'a dyn Fn(i64) -> String,
    /// None where only objects are labelled, and all of a kind alike.
    pub(crate) labels: Option<LabelSources<'a>>,
    pub(crate) fingerprints: bool,
}

/// What a reading tells of a paragraph besides its text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadDetail {
    /// Whether objects, fields, links and controls say what they are.
    pub(crate) labels: bool,
    pub(crate) fingerprints: bool,
}

impl ReadDetail {
    /// Nothing.
    pub(crate) const NONE: Self = Self { labels: false, fingerprints: false };
}

/// Reads the paragraphs below `root` that the view shows, and counts all. `prefix` names the story in addresses; empty for the
/// body.
pub(crate) fn read_story(
    sources: Sources<'_>,
    root: NodeId,
    prefix: &str,
    view: View,
) -> (Vec<ParagraphReading>, usize) {
    let Sources { document, styles, numbering, .. } = sources;
    let placed = placements(document, root);
    let nodes: Vec<NodeId> = placed.iter().map(|(node, _)| *node).collect();
    let fields = fields_at_start(document, &nodes);
    let labeller = Labeller::new(document, root, view, sources.labels);
    let mut counter = Counter::new(numbering, styles);
    let mut revisions: HashMap<NodeId, Vec<String>> = HashMap::new();
    for revision in list(document, root) {
        if let (Some(paragraph), Some(id)) = (revision.paragraph, revision.stamp.id) {
            revisions.entry(paragraph).or_default().push((sources.revision_names)(id));
        }
    }
    let mut open_comments: Vec<String> = Vec::new();
    let mut section: Option<String> = None;
    let total = placed.len();
    let mut readings = Vec::with_capacity(total);
    for (at, (node, place)) in placed.into_iter().enumerate() {
        let paragraph = Paragraph::read(document, node, view, fields.get(&node));
        // A paragraph whose end is not in the view is part of the next one, and shows no number.
        let ends = has_end(document, node, view);
        let list = paragraph_numbering(document, node, styles, numbering).filter(|_| ends);
        let marker = list.and_then(|(id, level)| counter.next(id, level));
        let style_id = styles.of_paragraph(document, node);
        let bullet = marker.as_ref().is_some_and(|marker| marker.bullet);
        let own_marker = marker.as_ref().map(|marker| marker.text.clone()).filter(|text| !text.is_empty());
        if place.is_none()
            && !bullet
            && let Some(marker) = &own_marker
        {
            section = Some(marker.trim_end_matches(['.', ')', ':']).to_owned());
        }
        // A heading without a number ends the provision above it.
        if own_marker.is_none() && style_id.is_some_and(|style| styles.outline_level(style).is_some()) {
            section = None;
        }
        let comments = comments_of(document, node, &mut open_comments);
        if !ends && paragraph.text.is_empty() {
            revisions.remove(&node);
            continue;
        }
        let belongs = own_marker.is_none() && place.is_none();
        let number = at + 1;
        let style = style_id.map(|id| styles.label(id));
        readings.push(ParagraphReading {
            address: if prefix.is_empty() { format!("P{number}") } else { format!("{prefix}/P{number}") },
            index: number,
            style,
            list_level: list.map(|(_, level)| level),
            marker: own_marker,
            bullet,
            table: place.map(TablePlace::from),
            section: section.clone().filter(|_| belongs),
            text: labeller.text(&paragraph, fields.contains_key(&node)),
            revisions: revisions.remove(&node).unwrap_or_default(),
            comments,
            para_id: document.attribute(node, PARA_ID).map(std::borrow::Cow::into_owned),
            fingerprint: if sources.fingerprints { fingerprint(&paragraph.text) } else { String::new() },
        });
    }
    (readings, total)
}

/// Whether the end of a paragraph is in the view.
pub(crate) fn has_end(document: &Document, node: NodeId, view: View) -> bool {
    let mut marks = mark_revisions(document, node).map(|mark| document.name(mark));
    match view {
        View::Accepted => !marks.any(|name| matches!(name, DEL | MOVE_FROM)),
        View::Original => !marks.any(|name| matches!(name, INS | MOVE_TO)),
        View::Markup | View::Before(_) => true,
    }
}

/// Comments whose range or mark touches the paragraph, in order.
fn comments_of(document: &Document, paragraph: NodeId, open: &mut Vec<String>) -> Vec<String> {
    let mut found = open.clone();
    for node in document.descendants(paragraph) {
        let name = document.name(node);
        if !matches!(name, COMMENT_RANGE_START | COMMENT_RANGE_END | COMMENT_REFERENCE) {
            continue;
        }
        let id = document.attribute(node, ID).unwrap_or_default().into_owned();
        match name {
            COMMENT_RANGE_START => open.push(id.clone()),
            COMMENT_RANGE_END => open.retain(|known| *known != id),
            _ => {}
        }
        if !found.contains(&id) {
            found.push(id);
        }
    }
    found
}
