//! The changes of a redline as a list, and what a person wants to know of them first.

use std::collections::{BTreeMap, HashMap, HashSet};

use engross_xml::{Document, NodeId, NodeKind};

use super::borders::{BorderOwner, owner_of};
use super::contexts::around;
use crate::document::WordDocument;
use crate::error::Error;
use crate::limits::Limits;
use crate::model::effective_text;
use crate::names::{
    BR, DEL_INSTR_TEXT, DEL_TEXT, DRAWING, ENDNOTE_REFERENCE, FALLBACK, FOOTNOTE_REFERENCE, INSTR_TEXT,
    MOVE_FROM, O_MATH, O_MATH_PARA, OBJECT, P_PR, PICT, R_PR, SYM, T, TAB, TYPE,
};
use crate::read::{label_of_kind, without_object_labels};
use crate::revisions::{PlacedRevision, RevisionKind, moves};
use crate::text::typed_numbers::typed_number;

/// What a change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Text gives way to other text.
    Replacement,
    /// Text comes.
    Insertion,
    /// Text goes.
    Deletion,
    /// Text, a paragraph, a table or a section looks different.
    Formatting,
    /// A row or a cell comes.
    TableInsertion,
    /// A row or a cell goes.
    TableDeletion,
    /// A content control is put around what it holds.
    ControlInsertion,
    /// A content control is taken from around what it holds.
    ControlDeletion,
}

/// What a changed text is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeSubject {
    /// An amount of money or a share.
    Amount,
    /// A day, a month, a year, or a period.
    Date,
    /// Another number.
    Number,
    /// A term that the document defines, or a name: words in quotes or in capitals.
    Term,
    /// Other words.
    Words,
    /// A number that was typed before a clause and is counted anew, or a reference that follows it.
    Numbering,
    /// No text.
    Layout,
}

/// A change of a redline.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentChange {
    /// What it does.
    pub kind: ChangeKind,
    /// What it is about.
    pub subject: ChangeSubject,
    /// The paragraph, as `P12` or `footnote:3/P1`.
    pub address: String,
    /// The text that goes.
    pub before: String,
    /// The text that comes.
    pub after: String,
    /// Whether the border behind the paragraph comes or goes, too.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub is_paragraph: bool,
    /// Of a text that moves: where its other end stands, that at which it comes or at which it goes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub counterpart: Option<String>,
    /// Whose it is.
    pub author: String,
    /// Of a change of words: what stands in front of them afterwards, as far as it tells what they are about.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub lead: String,
    /// And what stands behind them.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub trail: String,
}

/// The changes of a redline, in order.
///
/// # Errors
/// When the redline cannot be read.
pub fn changes_of(redline: Vec<u8>, limits: &Limits) -> Result<Vec<DocumentChange>, Error> {
    let document = WordDocument::open(redline, limits)?;
    let mut trees: HashMap<String, Document> = HashMap::new();
    let mut changes: Vec<DocumentChange> = Vec::new();
    let mut last: Option<PlacedRevision> = None;
    // Of each change its part, its first and its last element.
    let mut nodes: Vec<(String, NodeId, NodeId)> = Vec::new();
    // By part: the name of the move that an element is of. By name: the changes at which it goes and comes.
    let mut moved: HashMap<String, HashMap<NodeId, String>> = HashMap::new();
    let mut ends: HashMap<(String, String), [Vec<usize>; 2]> = HashMap::new();
    // Borders that stand before the paragraph that comes or goes with them.
    let mut waiting: HashMap<(String, NodeId), PlacedRevision> = HashMap::new();
    for mut placed in document.revisions()? {
        if !trees.contains_key(&placed.part) {
            let tree = document.part_tree(&placed.part)?;
            let names = moves(&tree).into_iter();
            let by_node =
                names.flat_map(|(name, nodes)| nodes.into_iter().map(move |node| (node, name.clone())));
            moved.insert(placed.part.clone(), by_node.collect());
            trees.insert(placed.part.clone(), tree);
        }
        if is_of_text(placed.revision.kind)
            && let Some(tree) = trees.get(&placed.part)
        {
            placed.revision.text = said(tree, placed.revision.node);
        }
        if let Some(paragraph) = placed.revision.paragraph
            && let Some(comes) = border_comes(placed.revision.kind)
            && let Some(tree) = trees.get(&placed.part)
        {
            match owner_of(tree, paragraph, comes) {
                BorderOwner::Paragraph => {}
                BorderOwner::Next(next) => {
                    // Only one waits for a paragraph; another is told where it stands.
                    let place = (placed.part.clone(), next);
                    if let Some(other) = waiting.insert(place, placed) {
                        alone(other, &mut changes, &mut nodes);
                        last = None;
                    }
                    continue;
                }
                BorderOwner::Nobody => {
                    alone(placed, &mut changes, &mut nodes);
                    last = None;
                    continue;
                }
            }
        }
        let place = placed.revision.paragraph.map(|paragraph| (placed.part.clone(), paragraph));
        if let Some(border) = place.and_then(|place| waiting.remove(&place)) {
            let border = PlacedRevision { address: placed.address.clone(), ..border };
            alone(border.clone(), &mut changes, &mut nodes);
            last = Some(border);
        }
        let joins = last.as_ref().filter(|last| last.part == placed.part && last.address == placed.address);
        let follows = joins.is_some_and(|last| {
            let tree = trees.get(&placed.part);
            tree.is_some_and(|tree| is_next(tree, last.revision.node, placed.revision.node))
        });
        // Words that change on the way stand between those that move.
        let name = moved.get(&placed.part).and_then(|moved| moved.get(&placed.revision.node));
        let leaves =
            trees.get(&placed.part).is_some_and(|tree| matches!(tree.name(placed.revision.node), MOVE_FROM));
        if matches!(placed.revision.kind, RevisionKind::MoveFrom | RevisionKind::MoveTo)
            && let Some(name) = name
            && let Some([goes, comes]) = ends.get(&(placed.part.clone(), name.clone()))
            && let Some(change) =
                if leaves { goes.last() } else { comes.last() }.and_then(|at| changes.get_mut(*at))
            && !change.before.is_empty() | !change.after.is_empty()
        {
            let side = if leaves { &mut change.before } else { &mut change.after };
            side.push_str(&placed.revision.text);
            last = Some(placed);
            continue;
        }
        let known = changes.len();
        add(&mut changes, &placed, joins.map(|last| last.revision.kind), follows);
        match nodes.last_mut().filter(|_| changes.len() == known) {
            Some((_, _, end)) => *end = placed.revision.node,
            None => nodes.push((placed.part.clone(), placed.revision.node, placed.revision.node)),
        }
        if let (Some(name), Some(at)) = (name, changes.len().checked_sub(1)) {
            let [goes, comes] = ends.entry((placed.part.clone(), name.clone())).or_default();
            let own = if leaves { goes } else { comes };
            own.push(at);
        }
        last = Some(placed);
    }
    // A border whose paragraph has no revision of its own is a change all the same.
    let mut left: Vec<PlacedRevision> = waiting.into_values().collect();
    left.sort_by(|one, other| {
        (&one.part, &one.address, &one.id).cmp(&(&other.part, &other.address, &other.id))
    });
    left.into_iter().for_each(|border| alone(border, &mut changes, &mut nodes));
    for [goes, comes] in ends.into_values() {
        let places = |own: &[usize]| own.first().and_then(|at| changes.get(*at)).map(|it| it.address.clone());
        let (from, to) = (places(&goes), places(&comes));
        for (own, other) in [(goes, to), (comes, from)] {
            for at in own {
                if let Some(change) = changes.get_mut(at) {
                    change.counterpart.clone_from(&other);
                }
            }
        }
    }
    for (change, (part, first, end)) in changes.iter_mut().zip(nodes) {
        if let Some(tree) = trees.get(&part).filter(|_| is_text(change) && !change.is_paragraph) {
            (change.lead, change.trail) = around(tree, first, end);
        }
    }
    settle_subjects(&mut changes);
    Ok(changes)
}

/// Adds a change that goes on no other.
fn alone(
    placed: PlacedRevision,
    changes: &mut Vec<DocumentChange>,
    nodes: &mut Vec<(String, NodeId, NodeId)>,
) {
    add(changes, &placed, None, false);
    nodes.push((placed.part, placed.revision.node, placed.revision.node));
}

fn is_of_text(kind: RevisionKind) -> bool {
    use RevisionKind as K;
    matches!(kind, K::Insertion | K::Deletion | K::MoveFrom | K::MoveTo)
}

/// What a revision says, and in brackets what is no text: a note, a picture, a formula.
fn said(tree: &Document, node: NodeId) -> String {
    let mut text = String::new();
    let mut has_code = false;
    let mut below = tree.descendants(node);
    while let Some(node) = below.next() {
        match tree.name(node) {
            T | DEL_TEXT => text.push_str(&effective_text(tree, node)),
            TAB => text.push('\t'),
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE | DRAWING | PICT | OBJECT | SYM | O_MATH | O_MATH_PARA => {
                text.push_str(&label_of_kind(tree, node));
                below.skip_below(node);
            }
            INSTR_TEXT | DEL_INSTR_TEXT => has_code = true,
            BR => text.push_str(match tree.attribute(node, TYPE).as_deref() {
                Some("page") => "⟦page break⟧",
                _ => "⟦br⟧",
            }),
            FALLBACK | P_PR | R_PR => below.skip_below(node),
            _ => {}
        }
    }
    // What a field shows tells more than how it is counted.
    if text.is_empty() && has_code { "⟦field code⟧".to_owned() } else { text }
}

/// Whether a border comes; none for what is no border.
fn border_comes(kind: RevisionKind) -> Option<bool> {
    match kind {
        RevisionKind::ParagraphInsertion => Some(true),
        RevisionKind::ParagraphDeletion => Some(false),
        _ => None,
    }
}

/// Says of each change what it is about.
pub(super) fn settle_subjects(changes: &mut [DocumentChange]) {
    for change in changes.iter_mut() {
        change.subject = subject_of(change);
    }
    number_anew(changes);
}

/// Tells numbers of clauses, which are counted anew when a clause comes or goes, from numbers that mean something; references to them
/// are numbers that became another just as a clause's did.
fn number_anew(changes: &mut [DocumentChange]) {
    let mut counted: HashSet<(String, String)> = HashSet::new();
    for change in changes.iter_mut().filter(|change| is_text(change) && !change.is_paragraph) {
        let [old, new] = [&change.before, &change.after].map(|text| {
            let whole = format!("{}{text}{}", change.lead, change.trail);
            let end = change.lead.len() + text.trim_end().len();
            let own = typed_number(&whole).filter(|number| end <= number.len);
            own.map(|number| bare_number(whole.get(..number.len).unwrap_or_default()))
        });
        if let (Some(old), Some(new)) = (old, new) {
            // `5.1` for `4.1` says that 5 is what 4 was.
            for (old, new) in prefixes(&old).zip(prefixes(&new)) {
                counted.insert((old.to_owned(), new.to_owned()));
            }
            change.subject = ChangeSubject::Numbering;
        }
    }
    let places: HashMap<&str, &DocumentChange> = changes
        .iter()
        .filter(|change| change.counterpart.is_some() && change.kind == ChangeKind::Insertion)
        .map(|change| (change.address.as_str(), change))
        .collect();
    let own = |text: &str| typed_number(text).and_then(|own| text.get(..own.len)).map(bare_number);
    for change in changes.iter().filter(|change| change.kind == ChangeKind::Deletion) {
        let there = change.counterpart.as_deref().and_then(|address| places.get(address));
        if let Some((old, new)) = there.and_then(|there| Some((own(&change.before)?, own(&there.after)?))) {
            counted.insert((old, new));
        }
    }
    let is_reference = |change: &&mut DocumentChange| {
        change.subject == ChangeSubject::Number && change.kind == ChangeKind::Replacement
    };
    for change in changes.iter_mut().filter(is_reference) {
        let whole = |text: &str| {
            let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
            let head = change.lead.trim_end_matches(is_of_number).len();
            let tail = change.trail.len() - change.trail.trim_start_matches(is_of_number).len();
            let (head, tail) = (change.lead.get(head..), change.trail.get(..tail));
            bare_number(&format!("{}{text}{}", head.unwrap_or_default(), tail.unwrap_or_default()))
        };
        if counted.contains(&(whole(&change.before), whole(&change.after))) {
            change.subject = ChangeSubject::Numbering;
        }
    }
}

/// A number without what stands around it: `5.1` of `5.1. `.
fn bare_number(text: &str) -> String {
    text.trim().trim_matches(['.', '(', ')', ':']).to_owned()
}

/// `5.1.2`, `5.1`, `5`.
fn prefixes(number: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(number), |number| number.rsplit_once('.').map(|(above, _)| above))
}

fn is_text(change: &DocumentChange) -> bool {
    matches!(change.kind, ChangeKind::Replacement | ChangeKind::Insertion | ChangeKind::Deletion)
}

fn add(
    changes: &mut Vec<DocumentChange>,
    placed: &PlacedRevision,
    before: Option<RevisionKind>,
    follows: bool,
) {
    use RevisionKind as K;
    let text = placed.revision.text.clone();
    let kind = placed.revision.kind;
    let is_border = |kind| matches!(kind, K::ParagraphInsertion | K::ParagraphDeletion);
    let comes = matches!(kind, K::Insertion | K::MoveTo);
    let goes = matches!(kind, K::Deletion | K::MoveFrom);
    let is_move = |kind| matches!(kind, K::MoveFrom | K::MoveTo);
    let is_alike = before.is_none_or(|before| is_border(before) || is_move(before) == is_move(kind));
    if (comes || goes)
        && is_alike
        && let Some(last) = changes.last_mut().filter(|last| last.author == placed.revision.stamp.author)
    {
        let same = if comes { ChangeKind::Insertion } else { ChangeKind::Deletion };
        let is_open = follows || before.is_some_and(is_border);
        if is_open && last.kind == same {
            let side = if comes { &mut last.after } else { &mut last.before };
            side.push_str(&text);
            return;
        }
        let is_other = follows && matches!(last.kind, ChangeKind::Insertion | ChangeKind::Deletion);
        if is_other || follows && last.kind == ChangeKind::Replacement {
            last.kind = ChangeKind::Replacement;
            let side = if comes { &mut last.after } else { &mut last.before };
            side.push_str(&text);
            return;
        }
    }
    let (kind, is_paragraph) = match kind {
        K::Insertion | K::MoveTo => (ChangeKind::Insertion, false),
        K::Deletion | K::MoveFrom => (ChangeKind::Deletion, false),
        K::ParagraphInsertion => (ChangeKind::Insertion, true),
        K::ParagraphDeletion => (ChangeKind::Deletion, true),
        K::RowInsertion | K::CellInsertion => (ChangeKind::TableInsertion, false),
        K::RowDeletion | K::CellDeletion => (ChangeKind::TableDeletion, false),
        K::ControlInsertion => (ChangeKind::ControlInsertion, false),
        K::ControlDeletion => (ChangeKind::ControlDeletion, false),
        _ => (ChangeKind::Formatting, false),
    };
    let (before, after) = match kind {
        ChangeKind::Deletion | ChangeKind::ControlDeletion => (text, String::new()),
        ChangeKind::Formatting => (text.clone(), text),
        _ => (String::new(), text),
    };
    changes.push(DocumentChange {
        kind,
        subject: ChangeSubject::Layout,
        address: placed.address.clone(),
        before,
        after,
        is_paragraph,
        counterpart: None,
        author: placed.revision.stamp.author.clone(),
        lead: String::new(),
        trail: String::new(),
    });
}

/// Whether an element follows another directly.
fn is_next(tree: &Document, first: NodeId, second: NodeId) -> bool {
    let mut at = tree.next(first);
    while let Some(node) = at.filter(|node| tree.kind(*node) != NodeKind::Element) {
        at = tree.next(node);
    }
    at == Some(second)
}

fn subject_of(change: &DocumentChange) -> ChangeSubject {
    let texts = [&change.before, &change.after];
    if !is_text(change) || texts.iter().all(|text| without_object_labels(text).trim().is_empty()) {
        return ChangeSubject::Layout;
    }
    // The same words, which a field makes no more, or a link leads from elsewhere.
    if texts[0].trim() == texts[1].trim() {
        return ChangeSubject::Layout;
    }
    // A whole clause is words, whatever it holds.
    if change.is_paragraph || texts.iter().any(|text| text.split_whitespace().count() > 12) {
        return ChangeSubject::Words;
    }
    let holds = |test: &dyn Fn(&str) -> bool| texts.iter().any(|text| test(text));
    let has_digit = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    let words = |text: &str| -> Vec<String> {
        text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect()
    };
    let is_amount = |text: &str| {
        text.contains(['€', '$', '£', '¥', '%'])
            || words(text).iter().any(|word| AMOUNT_WORDS.contains(&word.as_str()))
    };
    let is_date =
        |text: &str| words(text).iter().any(|word| DATE_WORDS.contains(&word.as_str()) || is_year(word));
    let is_number =
        |text: &str| has_digit(text) || words(text).iter().any(|word| NUMBER_WORDS.contains(&word.as_str()));
    // `EUR` before a number makes an amount of it, `days` behind it a period.
    let has_number = holds(&|text| has_digit(text) || is_number(text));
    let beside = |count: usize| {
        let lead = change.lead.split_whitespace().rev().take(count);
        lead.chain(change.trail.split_whitespace().take(count)).collect::<Vec<_>>().join(" ")
    };
    let near = beside(1);
    let is_near = |test: &dyn Fn(&str) -> bool| has_number && test(&near);
    let is_term = |text: &str| {
        let starts_large = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
        text.contains(['“', '”', '"', '„']) || text.split_whitespace().any(starts_large)
    };
    if holds(&is_amount) || is_near(&is_amount) {
        ChangeSubject::Amount
    } else if holds(&is_date) || is_near(&is_date) {
        ChangeSubject::Date
    } else if holds(&is_number) {
        ChangeSubject::Number
    } else if holds(&is_term) {
        ChangeSubject::Term
    } else {
        ChangeSubject::Words
    }
}

fn is_year(word: &str) -> bool {
    word.len() == 4
        && (word.starts_with("19") || word.starts_with("20"))
        && word.chars().all(|c| c.is_ascii_digit())
}

const AMOUNT_WORDS: &[&str] =
    &["eur", "usd", "gbp", "chf", "euro", "euros", "dollar", "dollars", "percent", "million", "billion"];

const DATE_WORDS: &[&str] = &[
    "january",
    "february",
    "march",
    "april",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "day",
    "days",
    "week",
    "weeks",
    "month",
    "months",
    "year",
    "years",
    "quarter",
    "januar",
    "februar",
    "märz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "tag",
    "tage",
    "tagen",
    "monat",
    "monate",
    "jahr",
    "jahre",
];

const NUMBER_WORDS: &[&str] = &[
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "fifteen", "twenty", "thirty", "forty", "fifty", "sixty", "ninety", "hundred", "thousand",
];

/// How many changes there are of each kind, by story.
#[must_use]
pub fn counts_by_story(changes: &[DocumentChange]) -> BTreeMap<String, BTreeMap<ChangeKind, usize>> {
    let mut counts: BTreeMap<String, BTreeMap<ChangeKind, usize>> = BTreeMap::new();
    for change in changes {
        let story = change.address.rsplit_once('/').map_or("body", |(story, _)| story);
        *counts.entry(story.to_owned()).or_default().entry(change.kind).or_default() += 1;
    }
    counts
}
