//! Which revisions a person means: by id, author, kind or place.
//!
//! Must never widen a choice: what fits nothing chooses nothing, except that the two ends of a move go together, and those of a
//! content control.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId, QName};

use super::controls;
use super::list::PlacedRevision;
use super::list::RevisionKind;
use crate::names::{
    ALTERNATE_CONTENT, CELL_DEL, CELL_INS, FALLBACK, ID, MOVE_FROM, MOVE_FROM_RANGE_END,
    MOVE_FROM_RANGE_START, MOVE_TO, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, NAME, P_PR, R_PR, TBL,
    TBL_GRID_CHANGE, TC_PR_CHANGE,
};

/// What must hold of a revision to be meant. An empty choice means every one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// Names of revisions, as `revisions` lists them; any of them.
    pub ids: Vec<String>,
    /// Its author, case and outer white space aside.
    pub author: Option<String>,
    /// Any of these kinds.
    pub kinds: Vec<RevisionKind>,
    /// Where it stands.
    pub range: Option<Range>,
}

/// Paragraphs of one story, both ends included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// Name of the story; empty for the body.
    pub story: String,
    /// The first paragraph, from 1.
    pub first: usize,
    /// The last.
    pub last: usize,
}

impl Range {
    /// Reads `P3-P9`, `P3`, `footnote:3/P1-P2` or `footnote:3` for all of a story; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (story, places) = match text.rsplit_once('/') {
            Some((story, places)) => (story, places),
            None if text.contains(':') => (text, ""),
            None => ("", text),
        };
        let whole = Self { story: story.to_owned(), first: 1, last: usize::MAX };
        if places.is_empty() {
            return (!story.is_empty()).then_some(whole);
        }
        let number =
            |place: &str| place.trim().trim_start_matches(['P', 'p']).parse().ok().filter(|n: &usize| *n > 0);
        let (first, last) = match places.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(places)?, number(places)?),
        };
        (first <= last).then_some(Self { first, last, ..whole })
    }

    fn holds(&self, address: &str) -> bool {
        let (story, place) = match address.rsplit_once('/') {
            Some((story, place)) => (story, place),
            None if address.starts_with('P') => ("", address),
            None => return false,
        };
        let number = place.strip_prefix('P').and_then(|number| number.parse::<usize>().ok());
        story == self.story && number.is_some_and(|number| (self.first..=self.last).contains(&number))
    }
}

impl Choice {
    /// Whether every revision is meant.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == Self::default()
    }

    /// Whether the revision is meant.
    #[must_use]
    pub fn holds(&self, placed: &PlacedRevision) -> bool {
        let same_author = |author: &String| {
            author.trim().to_lowercase() == placed.revision.stamp.author.trim().to_lowercase()
        };
        (self.ids.is_empty() || self.ids.contains(&placed.id))
            && self.author.as_ref().is_none_or(same_author)
            && (self.kinds.is_empty() || self.kinds.contains(&placed.revision.kind))
            && self.range.as_ref().is_none_or(|range| range.holds(&placed.address))
    }
}

impl RevisionKind {
    /// What it does, as people are told: `Row inserted`.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Insertion | Self::MoveTo => "Inserted",
            Self::Deletion | Self::MoveFrom => "Deleted",
            Self::ParagraphInsertion => "Paragraph end inserted",
            Self::ParagraphDeletion => "Paragraph end deleted",
            Self::Formatting => "Formatted",
            Self::ParagraphFormatting => "Paragraph formatted",
            Self::SectionFormatting => "Section formatted",
            Self::TableFormatting => "Table formatted",
            Self::RowInsertion => "Row inserted",
            Self::RowDeletion => "Row deleted",
            Self::CellInsertion => "Cell inserted",
            Self::CellDeletion => "Cell deleted",
            Self::CellMerge => "Cells merged or split",
            Self::Numbering => "Numbering changed",
            Self::ControlInsertion => "Content control inserted",
            Self::ControlDeletion => "Content control removed",
        }
    }

    /// The kinds that a word means: a name as listed (`insertion`), or `ins`, `del`, `move`, `format`, `row`, `cell`, `control`,
    /// `paragraph` for several. Nothing for a word that means none.
    #[must_use]
    pub fn named(word: &str) -> Vec<Self> {
        use RevisionKind as K;
        match word.trim().to_lowercase().replace('-', "_").as_str() {
            "ins" => vec![
                K::Insertion,
                K::ParagraphInsertion,
                K::RowInsertion,
                K::CellInsertion,
                K::ControlInsertion,
            ],
            "del" => {
                vec![K::Deletion, K::ParagraphDeletion, K::RowDeletion, K::CellDeletion, K::ControlDeletion]
            }
            "move" => vec![K::MoveFrom, K::MoveTo],
            "format" => {
                vec![
                    K::Formatting,
                    K::ParagraphFormatting,
                    K::SectionFormatting,
                    K::TableFormatting,
                    K::Numbering,
                ]
            }
            "row" => vec![K::RowInsertion, K::RowDeletion],
            "cell" => vec![K::CellInsertion, K::CellDeletion, K::CellMerge],
            "control" => vec![K::ControlInsertion, K::ControlDeletion],
            "paragraph" => vec![K::ParagraphInsertion, K::ParagraphDeletion],
            one => serde_json::from_value(serde_json::Value::String(one.to_owned())).into_iter().collect(),
        }
    }
}

/// Adds to the chosen elements of one part what goes with them: the other end of a move with the marks of its ranges,
/// and the old-style copy of a text box.
pub(crate) fn complete(document: &Document, chosen: &mut HashSet<NodeId>) {
    if chosen.is_empty() {
        return;
    }
    let moves = moves(document);
    let names: HashSet<&String> = moves
        .iter()
        .filter(|(_, nodes)| nodes.iter().any(|node| chosen.contains(node)))
        .map(|(name, _)| name)
        .collect();
    let with_them: Vec<NodeId> =
        names.into_iter().filter_map(|name| moves.get(name)).flatten().copied().collect();
    chosen.extend(with_them);
    let ends = controls::with_them(document, chosen);
    chosen.extend(ends);
    let grids = grids_of(document, chosen);
    chosen.extend(grids);
    let copies: Vec<NodeId> = chosen.iter().flat_map(|node| copies_of(document, *node)).collect();
    chosen.extend(copies);
}

/// The records of grids whose tables have no cell left that is pending and was not chosen: a record bears no author, so nobody
/// could choose it.
fn grids_of(document: &Document, chosen: &HashSet<NodeId>) -> Vec<NodeId> {
    let mut pending: HashMap<NodeId, (bool, Vec<NodeId>)> = HashMap::new();
    for node in document.descendants(document.root()) {
        let name = document.name(node);
        let is_cell = matches!(name, CELL_INS | CELL_DEL | TC_PR_CHANGE);
        if !is_cell && name != TBL_GRID_CHANGE {
            continue;
        }
        let Some(table) = document.ancestors(node).find(|above| document.name(*above) == TBL) else {
            continue;
        };
        let (all, records) = pending.entry(table).or_insert_with(|| (true, Vec::new()));
        match is_cell {
            true => *all &= chosen.contains(&node),
            false => records.push(node),
        }
    }
    let touches = |table: &NodeId| {
        chosen.iter().any(|node| {
            matches!(document.name(*node), CELL_INS | CELL_DEL | TC_PR_CHANGE)
                && document.ancestors(*node).any(|above| above == *table)
        })
    };
    let whole =
        pending.into_iter().filter(|(table, (all, records))| *all && !records.is_empty() && touches(table));
    whole.flat_map(|(_, (_, records))| records).collect()
}

/// By name of a move: its wrappers, marks and range ends.
pub(crate) fn moves(document: &Document) -> HashMap<String, Vec<NodeId>> {
    let mut found: HashMap<String, Vec<NodeId>> = HashMap::new();
    let mut open: Vec<(bool, String, String)> = Vec::new();
    for node in document.descendants(document.root()) {
        let name = document.name(node);
        let text = |attribute| document.attribute(node, attribute).unwrap_or_default().into_owned();
        let is_from = matches!(name, MOVE_FROM | MOVE_FROM_RANGE_START | MOVE_FROM_RANGE_END);
        match name {
            MOVE_FROM_RANGE_START | MOVE_TO_RANGE_START => {
                let known = found.entry(text(NAME)).or_default();
                known.push(node);
                // The mark of the paragraph that the range begins in stands before it.
                let mark = if is_from { MOVE_FROM } else { MOVE_TO };
                known.extend(paragraph_mark(document, node, mark));
                open.push((is_from, text(ID), text(NAME)));
            }
            MOVE_FROM_RANGE_END | MOVE_TO_RANGE_END => {
                let id = text(ID);
                let at = open.iter().rposition(|(from, known, _)| *from == is_from && *known == id);
                if let Some(at) = at {
                    let (.., name) = open.remove(at);
                    found.entry(name).or_default().push(node);
                }
            }
            MOVE_FROM | MOVE_TO => {
                if let Some((.., name)) = open.iter().rfind(|(from, ..)| *from == is_from) {
                    found.entry(name.clone()).or_default().push(node);
                }
            }
            _ => {}
        }
    }
    found
}

/// The revision of this kind of the paragraph mark of the paragraph that `node` stands in.
fn paragraph_mark(document: &Document, node: NodeId, kind: QName) -> Option<NodeId> {
    let paragraph = document.parent(node)?;
    let look = document.child(document.child(paragraph, P_PR)?, R_PR)?;
    document.child(look, kind)
}

/// Elements of the fallback beside the choice in which `node` stands that record the same revision.
fn copies_of(document: &Document, node: NodeId) -> Vec<NodeId> {
    let Some(alternate) = document.ancestors(node).find(|above| document.name(*above) == ALTERNATE_CONTENT)
    else {
        return Vec::new();
    };
    let id = document.attribute(node, ID);
    let same =
        |other: &NodeId| document.name(*other) == document.name(node) && document.attribute(*other, ID) == id;
    document
        .children(alternate)
        .filter(|child| document.name(*child) == FALLBACK)
        .flat_map(|fallback| document.descendants(fallback))
        .filter(same)
        .collect()
}
