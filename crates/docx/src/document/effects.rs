//! What edits do beyond the words that they change: numbers that move, references that lead nowhere, terms that mean
//! something else.
//!
//! Compares the body as it read before with how it reads when all changes are accepted, and looks in all stories for who refers to
//! it. Must never change the document, and
//! only reports; people judge whether it matters.

use std::collections::{BTreeMap, HashMap};

use engross_xml::NodeId;
use serde::Serialize;

use super::WordDocument;
use super::referrers::Referrer;
use crate::model::{Paragraph, View, fields_at_start, mark_revisions, paragraphs};
use crate::names::{BOOKMARK_END, BOOKMARK_START, DEL, ID, MOVE_FROM, NAME, T};
use crate::numbering::{Counter, paragraph_numbering};

/// How many of each kind are reported.
const MOST: usize = 100;

/// How the body read at some time.
#[derive(Debug, Clone)]
pub struct Survey {
    /// By paragraph: its marker and its text.
    paragraphs: HashMap<NodeId, (Option<String>, String)>,
    /// By name of a bookmark: how many characters stand in it.
    bookmarks: BTreeMap<String, usize>,
    /// By term: the text that defines it.
    terms: BTreeMap<String, String>,
}

/// What edits did besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Effects {
    /// Paragraphs whose number is another one now.
    pub renumbered: Vec<NumberChange>,
    /// Typed references (`Section 4.2`) to numbers that are others now.
    pub stale_references: Vec<Reference>,
    /// Fields and links whose target has no text any more.
    pub dangling_references: Vec<Reference>,
    /// Defined terms that came, went, or are defined in other words.
    pub defined_terms: Vec<DefinedTerm>,
}

/// A paragraph with another number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NumberChange {
    /// `P12`, as the document counts now.
    pub address: String,
    /// The number it showed.
    pub from: String,
    /// The number it shows when all is accepted.
    pub to: String,
}

/// A reference to something that is not there, or elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reference {
    /// Where it stands.
    pub address: String,
    /// What it names: a bookmark, or the words as typed.
    pub names: String,
    /// The number that is meant now, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
}

/// A term that a document defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DefinedTerm {
    /// The term.
    pub term: String,
    /// What became of its definition.
    pub change: TermChange,
    /// The paragraphs that use it.
    pub used: Vec<String>,
}

/// What became of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TermChange {
    /// It was not there.
    Added,
    /// It is gone.
    Removed,
    /// It has other words.
    Changed,
}

impl Effects {
    /// Whether there is nothing to report.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl WordDocument {
    /// How the body reads now, to be compared later.
    #[must_use]
    pub fn survey(&self) -> Survey {
        let nodes = paragraphs(&self.tree, self.body);
        let fields = fields_at_start(&self.tree, &nodes);
        let mut terms = BTreeMap::new();
        let mut counter = Counter::new(&self.numbering, &self.styles);
        let mut paragraphs = HashMap::with_capacity(nodes.len());
        for node in nodes {
            let text = Paragraph::read(&self.tree, node, View::Accepted, fields.get(&node)).text;
            for term in defined(&text) {
                terms.entry(term).or_insert_with(|| text.clone());
            }
            // A paragraph whose end goes takes no number with it; while it is pending, Word counts it.
            let goes =
                mark_revisions(&self.tree, node).any(|mark| matches!(self.tree.name(mark), DEL | MOVE_FROM));
            let list = paragraph_numbering(&self.tree, node, &self.styles, &self.numbering).filter(|_| !goes);
            let marker = list.and_then(|(number, level)| counter.next(number, level));
            let marker = marker.filter(|marker| !marker.bullet).map(|marker| marker.text);
            paragraphs.insert(node, (marker, text));
        }
        Survey { paragraphs, bookmarks: self.bookmarks(), terms }
    }

    /// What the edits since `before` did besides.
    #[must_use]
    pub fn effects(&self, before: &Survey) -> Effects {
        let now = self.survey();
        let nodes = paragraphs(&self.tree, self.body);
        let mut effects = Effects::default();
        let mut moved: BTreeMap<String, String> = BTreeMap::new();
        for (index, node) in nodes.iter().enumerate() {
            let (Some((old, _)), Some((new, text))) = (before.paragraphs.get(node), now.paragraphs.get(node))
            else {
                continue;
            };
            // What is deleted shows no number to anybody.
            let (Some(old), Some(new)) = (old, new) else { continue };
            if old == new || text.is_empty() {
                continue;
            }
            moved.insert(bare(old).to_owned(), bare(new).to_owned());
            if effects.renumbered.len() < MOST {
                let address = format!("P{}", index + 1);
                effects.renumbered.push(NumberChange { address, from: old.clone(), to: new.clone() });
            }
        }
        let referrers = self.referrers();
        let texts: Vec<(String, &str)> =
            referrers.iter().map(|referrer| (referrer.address.clone(), referrer.text.as_str())).collect();
        effects.stale_references = stale(&texts, &moved);
        effects.dangling_references = dangling(&referrers, before, &now);
        effects.defined_terms = changed_terms(before, &now, &texts);
        effects
    }

    /// How many characters that are not deleted stand in each bookmark.
    fn bookmarks(&self) -> BTreeMap<String, usize> {
        let tree = &self.tree;
        let mut open: Vec<(String, String)> = Vec::new();
        let mut found: BTreeMap<String, usize> = BTreeMap::new();
        let attribute = |node, name| tree.attribute(node, name).unwrap_or_default().into_owned();
        let mut nodes = tree.descendants(self.body);
        while let Some(node) = nodes.next() {
            match tree.name(node) {
                BOOKMARK_START => {
                    let name = attribute(node, NAME);
                    found.entry(name.clone()).or_default();
                    open.push((attribute(node, ID), name));
                }
                BOOKMARK_END => {
                    let id = attribute(node, ID);
                    open.retain(|(known, _)| *known != id);
                }
                DEL | MOVE_FROM => nodes.skip_below(node),
                T if !open.is_empty() => {
                    let length = tree.element_text(node).chars().count();
                    for (_, name) in &open {
                        *found.entry(name.clone()).or_default() += length;
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// Fields and links to bookmarks that had text and have none.
fn dangling(referrers: &[Referrer], before: &Survey, now: &Survey) -> Vec<Reference> {
    let had = |name: &str| before.bookmarks.get(name).is_some_and(|length| *length > 0);
    let has = |name: &str| now.bookmarks.get(name).is_some_and(|length| *length > 0);
    let lost = |name: &&String| had(name) && !has(name);
    let of = |referrer: &Referrer| {
        let address = referrer.address.clone();
        let names: Vec<&String> = referrer.bookmarks.iter().filter(lost).collect();
        names
            .into_iter()
            .map(move |name| Reference { address: address.clone(), names: name.clone(), now: None })
            .collect::<Vec<_>>()
    };
    referrers.iter().flat_map(of).take(MOST).collect()
}

/// A marker without what surrounds its number.
fn bare(marker: &str) -> &str {
    marker.trim().trim_end_matches('.')
}

/// Words that a number follows when a text refers to a provision.
const BEFORE_NUMBERS: &[&str] =
    &["Section", "Sections", "Clause", "Clauses", "Article", "Articles", "Paragraph", "Paragraphs", "§"];

fn stale(texts: &[(String, &str)], moved: &BTreeMap<String, String>) -> Vec<Reference> {
    let mut found = Vec::new();
    if moved.is_empty() {
        return found;
    }
    for (address, text) in texts {
        let words: Vec<&str> = text.split(|c: char| c.is_whitespace()).collect();
        for pair in words.windows(2) {
            let (Some(word), Some(number)) = (pair.first(), pair.get(1)) else { continue };
            let is_word = BEFORE_NUMBERS.iter().any(|known| word.eq_ignore_ascii_case(known));
            let number = number.trim_end_matches([',', ';', '.', ':']);
            if let Some(now) = moved.get(number).filter(|_| is_word && found.len() < MOST) {
                let names = format!("{word} {number}");
                found.push(Reference { address: address.clone(), names, now: Some(now.clone()) });
            }
        }
    }
    found
}

/// The terms that a text defines: quoted, and followed by *means* or *has the meaning*, or alone in brackets.
fn defined(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('\u{201C}') {
        let Some(behind) = rest.get(start + '\u{201C}'.len_utf8()..) else { break };
        let Some(end) = behind.find('\u{201D}') else { break };
        let (term, after) = behind.split_at(end);
        let after = after.strip_prefix('\u{201D}').unwrap_or(after);
        let before = rest.get(..start).unwrap_or_default().trim_end();
        let verb = after.trim_start();
        let means = ["means", "shall mean", "has the meaning", "have the meaning", "mean "]
            .iter()
            .any(|word| verb.starts_with(word));
        let bracketed = after.starts_with(')')
            && (before.ends_with('(') || before.ends_with("(the") || before.ends_with("(a"));
        if (means || bracketed) && !term.is_empty() && term.chars().count() <= 80 {
            found.push(term.to_owned());
        }
        rest = after;
    }
    found
}

fn changed_terms(before: &Survey, now: &Survey, texts: &[(String, &str)]) -> Vec<DefinedTerm> {
    let mut found = Vec::new();
    let all = before.terms.keys().chain(now.terms.keys().filter(|term| !before.terms.contains_key(*term)));
    for term in all.take(10 * MOST) {
        let change = match (before.terms.get(term), now.terms.get(term)) {
            (Some(_), None) => TermChange::Removed,
            (None, Some(_)) => TermChange::Added,
            (Some(old), Some(new)) if old != new => TermChange::Changed,
            _ => continue,
        };
        let used =
            texts.iter().filter(|(_, text)| text.contains(term.as_str())).map(|(address, _)| address.clone());
        found.push(DefinedTerm { term: term.clone(), change, used: used.take(MOST).collect() });
        if found.len() == MOST {
            break;
        }
    }
    found
}
