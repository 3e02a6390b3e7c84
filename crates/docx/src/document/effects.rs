//! What edits do beyond the words that they change: numbers that move, references that lead nowhere, terms that mean
//! something else.
//!
//! Compares the body as it read before with how it reads when all changes are accepted, and looks in all stories for who refers to
//! it. Must never change the document, and
//! only reports; people judge whether it matters.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use engross_xml::NodeId;
use serde::Serialize;

use super::WordDocument;
use crate::model::View;
use crate::references::{PlacedStory, References, StoryTrees};

/// How many of each kind are reported; how many more there are is said besides.
const MOST: usize = 100;

/// How the body read at some time.
#[derive(Debug, Clone)]
pub struct Survey {
    /// By numbered paragraph: its marker, and whether it has text. What a long document says is not kept a second time.
    labels: HashMap<NodeId, (String, bool)>,
    /// Bookmarks of all stories, and those with something in them.
    bookmarks: BTreeSet<String>,
    filled: BTreeSet<String>,
    /// By term: the text that defines it.
    terms: BTreeMap<String, String>,
    /// Tables of contents that did not list what they should.
    outdated_contents: BTreeSet<NodeId>,
    /// Fields that showed something else than they should, by part and node, with what they should show.
    outdated_fields: HashMap<(String, NodeId), String>,
}

/// What edits did besides.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Effects {
    /// Paragraphs whose number is another one now.
    pub renumbered: Vec<NumberChange>,
    /// Typed references (`Section 4.2`) to provisions whose number is another once all pending changes are accepted.
    pub stale_references: Vec<Reference>,
    /// Fields and links whose target has no text any more.
    pub dangling_references: Vec<Reference>,
    /// Defined terms that came, went, or are defined in other words.
    pub defined_terms: Vec<DefinedTerm>,
    /// How many fields show a number or words that these edits made outdated; `update_fields` mends them, and those that
    /// were outdated before.
    #[serde(skip_serializing_if = "is_zero")]
    pub fields_to_update: usize,
    /// Tables of contents whose lines are not those of the headings any more, which their next update mends; `update_fields` does
    /// that at once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outdated_contents: Vec<String>,
    /// How many more there are of what is listed above.
    #[serde(skip_serializing_if = "More::is_nothing")]
    pub more: More,
}

/// How many effects there are besides those that are listed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct More {
    /// Paragraphs with another number.
    pub renumbered: usize,
    /// Typed references.
    pub stale_references: usize,
    /// Fields and links.
    pub dangling_references: usize,
    /// Terms.
    pub defined_terms: usize,
}

impl More {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
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
#[serde(rename_all = "camelCase")]
pub struct Reference {
    /// Where it stands.
    pub address: String,
    /// What it names: a bookmark, or the words as typed.
    pub names: String,
    /// The number that is meant now, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub now: Option<String>,
    /// What it should say, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub should_say: Option<String>,
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
        let trees = self.story_trees();
        let references = self.references(&trees, View::Accepted);
        self.survey_of(&trees, &references)
    }

    fn survey_of(&self, trees: &StoryTrees<'_>, references: &References) -> Survey {
        let mut survey = Survey {
            labels: HashMap::new(),
            bookmarks: BTreeSet::new(),
            filled: BTreeSet::new(),
            terms: BTreeMap::new(),
            outdated_contents: self
                .outdated_contents(references)
                .into_iter()
                .map(|(table, _)| table)
                .collect(),
            outdated_fields: outdated_fields(trees, references),
        };
        if let Some(PlacedStory { story, labels, .. }) = references.stories.first() {
            for (at, node) in story.paragraphs.iter().enumerate() {
                let text = story.model(&self.tree, at).map_or_else(String::new, |model| model.text);
                for term in defined(&text) {
                    survey.terms.entry(term).or_insert_with(|| text.clone());
                }
                if let Some(label) = labels.of(at) {
                    survey.labels.insert(*node, (label.text.clone(), !text.is_empty()));
                }
            }
        }
        for name in references.fields().filter_map(|(.., field)| field.instruction.bookmark()) {
            let Some(target) = references.target(name) else { continue };
            if survey.bookmarks.insert(name.to_owned()) && !references.content(trees, &target).is_empty() {
                survey.filled.insert(name.to_owned());
            }
        }
        survey
    }

    /// What the edits since `before` did besides.
    #[must_use]
    pub fn effects(&self, before: &Survey) -> Effects {
        let trees = self.story_trees();
        let references = self.references(&trees, View::Accepted);
        let now = self.survey_of(&trees, &references);
        let mut more = More::default();
        let renumbered = renumbered(before, &now, &references);
        let stale = self.stale_references(&trees, &references).into_iter().filter_map(|stale| {
            let story = &references.stories.get(stale.story)?.story;
            Some(Reference {
                address: story.address(stale.paragraph),
                names: stale.says,
                should_say: stale.now.as_ref().map(|now| format!("{} {now}", stale.word)),
                now: stale.now,
            })
        });
        let (dangling, mut outdated_contents) = dangling(&references, before, &now);
        for (table, address) in self.outdated_contents(&references) {
            if !before.outdated_contents.contains(&table) && !outdated_contents.contains(&address) {
                outdated_contents.push(address);
            }
        }
        let terms = changed_terms(before, &now, &trees, &references);
        Effects {
            renumbered: bounded(renumbered, &mut more.renumbered),
            stale_references: bounded(stale.collect(), &mut more.stale_references),
            dangling_references: bounded(dangling, &mut more.dangling_references),
            defined_terms: bounded(terms, &mut more.defined_terms),
            fields_to_update: fields_to_update(before, &now),
            outdated_contents,
            more,
        }
    }
}

/// As many as are listed; says how many more there are.
fn bounded<T>(mut all: Vec<T>, more: &mut usize) -> Vec<T> {
    *more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    all
}

fn renumbered(before: &Survey, now: &Survey, references: &References) -> Vec<NumberChange> {
    let Some(body) = references.stories.first() else { return Vec::new() };
    let change = |(at, node): (usize, &NodeId)| {
        let ((old, _), (new, has_text)) = (before.labels.get(node)?, now.labels.get(node)?);
        let change = NumberChange { address: body.story.address(at), from: old.clone(), to: new.clone() };
        // What is deleted shows no number to anybody.
        (old != new && *has_text).then_some(change)
    };
    body.story.paragraphs.iter().enumerate().filter_map(change).collect()
}

/// Fields and links to bookmarks that were there, or had text, and are not or have none; and the tables of contents among them.
fn dangling(references: &References, before: &Survey, now: &Survey) -> (Vec<Reference>, Vec<String>) {
    let is_lost = |name: &str| {
        (before.bookmarks.contains(name) && !now.bookmarks.contains(name))
            || (before.filled.contains(name) && !now.filled.contains(name))
    };
    let mut found: Vec<Reference> = Vec::new();
    let mut contents: Vec<String> = Vec::new();
    for (_, placed, field) in references.fields() {
        let Some(name) = field.instruction.bookmark().filter(|name| is_lost(name)) else { continue };
        let address = placed.story.address(field.first);
        if placed.story.is_in_contents(field) {
            if !contents.contains(&address) {
                contents.push(address);
            }
        } else if !found.iter().any(|known| known.address == address && known.names == name) {
            found.push(Reference { address, names: name.to_owned(), now: None, should_say: None });
        }
    }
    (found, contents)
}

fn outdated_fields(trees: &StoryTrees<'_>, references: &References) -> HashMap<(String, NodeId), String> {
    let outdated = references.outdated(trees).into_iter().filter_map(|outdated| {
        let part = references.stories.get(outdated.story)?.part.clone();
        Some(((part, outdated.field.form.begin()), outdated.expected))
    });
    outdated.collect()
}

/// How many fields show something else than they should, and did not before or should show something else again.
fn fields_to_update(before: &Survey, now: &Survey) -> usize {
    now.outdated_fields
        .iter()
        .filter(|(field, expected)| before.outdated_fields.get(*field) != Some(*expected))
        .count()
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

fn changed_terms(
    before: &Survey,
    now: &Survey,
    trees: &StoryTrees<'_>,
    references: &References,
) -> Vec<DefinedTerm> {
    let all = before.terms.keys().chain(now.terms.keys().filter(|term| !before.terms.contains_key(*term)));
    let change = |term: &String| match (before.terms.get(term), now.terms.get(term)) {
        (Some(_), None) => Some((term.clone(), TermChange::Removed)),
        (None, Some(_)) => Some((term.clone(), TermChange::Added)),
        (Some(old), Some(new)) if old != new => Some((term.clone(), TermChange::Changed)),
        _ => None,
    };
    let changed: Vec<(String, TermChange)> = all.filter_map(change).collect();
    if changed.is_empty() {
        return Vec::new();
    }
    let texts: Vec<(String, String)> = references
        .stories
        .iter()
        .flat_map(|placed| {
            let tree = trees.tree(&placed.part);
            let text =
                move |at| placed.story.model(tree, at).map(|model| (placed.story.address(at), model.text));
            (0..placed.story.paragraphs.len()).filter_map(text)
        })
        .collect();
    let used = |term: &str| {
        let uses = texts.iter().filter(|(_, text)| text.contains(term)).map(|(address, _)| address.clone());
        uses.take(MOST).collect()
    };
    changed.into_iter().map(|(term, change)| DefinedTerm { used: used(&term), term, change }).collect()
}
