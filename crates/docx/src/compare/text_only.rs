//! What differs between the texts of two documents, without a redline: for a look, and for git.
//!
//! Must never look at formatting, tables or pictures, and must never write a document.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::changes::{ChangeKind, ChangeSubject, DocumentChange, settle_subjects};
use super::{CompareError, ComparedView};
use crate::document::WordDocument;
use crate::error::Error;
use crate::limits::Limits;
use crate::model::View;
use crate::read::ReadOptions;
use crate::signature::number_of;
use crate::text::pairing::{WordBag, equal_pairs, gaps, similar_pairs};
use crate::text::typed_numbers::typed_number;
use crate::text::{diff, tokens};

/// How alike two paragraphs must be to be one that was changed.
const LEAST_ALIKE: f32 = 0.3;

/// Letters of a shortest text that is known elsewhere.
const SHORTEST: usize = 24;

/// Characters of a longest context.
const CONTEXT: usize = 48;

/// A paragraph that says something.
struct Line {
    address: String,
    text: String,
}

/// The changes of words between two documents, in order. A change stands at its place in the document after; what is gone, at the one
/// that it had before.
///
/// # Errors
/// When one of them is no Word document, or passes a limit.
pub fn text_changes(
    before: Vec<u8>,
    after: Vec<u8>,
    view: ComparedView,
    limits: &Limits,
) -> Result<Vec<DocumentChange>, CompareError> {
    if before == after {
        return Ok(Vec::new());
    }
    let of = |is_after: bool| move |error: Error| CompareError { error, is_after };
    let before = stories(before, view, limits).map_err(of(false))?;
    let after = stories(after, view, limits).map_err(of(true))?;
    let mut changes = Vec::new();
    let known: BTreeSet<&String> = before.iter().map(|(story, _)| story).collect();
    let gone = before.iter().filter(|(story, _)| after.iter().all(|(other, _)| other != story));
    let all = after.iter().map(|(story, lines)| (story, lines.as_slice()));
    for (story, lines) in all.chain(gone.map(|(story, _)| (story, [].as_slice()))) {
        let old = before.iter().find(|(other, _)| other == story && known.contains(other));
        compare_lines(old.map_or(&[], |(_, lines)| lines), lines, &mut changes);
    }
    settle_subjects(&mut changes);
    Ok(changes)
}

/// The paragraphs of each story, in order.
fn stories(bytes: Vec<u8>, view: ComparedView, limits: &Limits) -> Result<Vec<(String, Vec<Line>)>, Error> {
    let view = match view {
        ComparedView::Accepted => View::Accepted,
        ComparedView::Original => View::Original,
        ComparedView::AsIs => View::Markup,
    };
    let story = Some("everywhere".to_owned());
    let options = ReadOptions { view, story, labels: false, fingerprints: false, ..ReadOptions::default() };
    let mut stories: Vec<(String, Vec<Line>)> = Vec::new();
    for paragraph in WordDocument::open(bytes, limits)?.read(&options)?.paragraphs {
        let (address, text) = (paragraph.address, paragraph.text);
        // Programs number notes anew: all of a kind are one text, in which each has its place.
        let story = address.rsplit_once('/').map_or("", |(story, _)| story);
        let story = match story.split_once(':') {
            Some((kind @ ("footnote" | "endnote"), _)) => kind.to_owned(),
            _ => story.to_owned(),
        };
        match stories.last_mut().filter(|(last, _)| *last == story) {
            Some((_, lines)) => lines.push(Line { address, text }),
            None => stories.push((story, vec![Line { address, text }])),
        }
    }
    Ok(stories)
}

fn compare_lines(old: &[Line], new: &[Line], changes: &mut Vec<DocumentChange>) {
    let keys = |lines: &[Line]| lines.iter().map(|line| number_of(25, &line.text)).collect::<Vec<_>>();
    let (old_keys, new_keys) = (keys(old), keys(new));
    let pairs = equal_pairs(&old_keys, &new_keys);
    let parts = gaps(&pairs, (old.len(), new.len()));
    let moved = moved(&parts, (old, &old_keys), (new, &new_keys));
    for (old_part, new_part) in parts {
        let is_open = |at: &usize| !moved.iter().any(|(from, _)| from == at);
        let is_open_after = |at: &usize| !moved.iter().any(|(_, to)| to == at);
        let ours: Vec<usize> = old_part.clone().filter(is_open).collect();
        let theirs: Vec<usize> = new_part.clone().filter(is_open_after).collect();
        let bags = |lines: &[Line], places: &[usize]| -> Vec<WordBag> {
            places.iter().filter_map(|at| lines.get(*at)).map(|line| bag(&line.text)).collect()
        };
        let (our_bags, their_bags) = (bags(old, &ours), bags(new, &theirs));
        let similarity = |one: usize, other: usize| match (our_bags.get(one), their_bags.get(other)) {
            (Some(one), Some(other)) => one.similarity(other),
            _ => 0.0,
        };
        // First those that say the same but for the number that was typed before them.
        let counted = equal_pairs(&behind_numbers(old, &ours, 24), &behind_numbers(new, &theirs, 26));
        let mut alike = counted.clone();
        for (one, other) in gaps(&counted, (ours.len(), theirs.len())) {
            let (row, column) = (one.start, other.start);
            let within = |at: usize, there: usize| similarity(row + at, column + there);
            let found = similar_pairs((one.len(), other.len()), LEAST_ALIKE, within);
            alike.extend(found.into_iter().map(|(at, there)| (row + at, column + there)));
        }
        let partner: HashMap<usize, usize> =
            alike.iter().filter_map(|(one, other)| Some((*theirs.get(*other)?, *ours.get(*one)?))).collect();
        let kept: BTreeSet<usize> = partner.values().copied().collect();
        for line in old_part.filter(|at| !kept.contains(at)).filter_map(|at| Some((at, old.get(at)?))) {
            let to = moved.iter().find(|(from, _)| *from == line.0).and_then(|(_, to)| new.get(*to));
            changes.extend(whole(line.1, ChangeKind::Deletion, to));
        }
        for (at, line) in new_part.filter_map(|at| Some((at, new.get(at)?))) {
            match partner.get(&at).and_then(|own| old.get(*own)) {
                Some(own) => words(own, line, changes),
                None => {
                    let from = moved.iter().find(|(_, to)| *to == at).and_then(|(from, _)| old.get(*from));
                    changes.extend(whole(line, ChangeKind::Insertion, from));
                }
            }
        }
    }
}

/// What paragraphs say behind a typed number, as numbers; one without such a number has one of its own, which `side` tells from those
/// of the other document.
fn behind_numbers(lines: &[Line], places: &[usize], side: u8) -> Vec<u64> {
    let number = |at: &usize| {
        let text = lines.get(*at).map_or("", |line| line.text.as_str());
        let rest = typed_number(text).and_then(|number| text.get(number.len..));
        match rest.filter(|rest| rest.contains(char::is_alphabetic)) {
            Some(rest) => number_of(23, rest),
            None => number_of(side, &at.to_string()),
        }
    };
    places.iter().map(number).collect()
}

/// Paragraphs without a partner that say the same elsewhere, each once.
fn moved(
    parts: &[(Range<usize>, Range<usize>)],
    (old, old_keys): (&[Line], &[u64]),
    (new, new_keys): (&[Line], &[u64]),
) -> Vec<(usize, usize)> {
    let mut alone: HashMap<u64, (Vec<usize>, Vec<usize>)> = HashMap::new();
    let is_long = |lines: &[Line], at: usize| {
        lines.get(at).is_some_and(|line| line.text.chars().take(SHORTEST).count() == SHORTEST)
    };
    for (old_part, new_part) in parts {
        for at in old_part.clone().filter(|at| is_long(old, *at)) {
            alone.entry(old_keys.get(at).copied().unwrap_or_default()).or_default().0.push(at);
        }
        for at in new_part.clone().filter(|at| is_long(new, *at)) {
            alone.entry(new_keys.get(at).copied().unwrap_or_default()).or_default().1.push(at);
        }
    }
    let only = |(old, new): (Vec<usize>, Vec<usize>)| match (old.as_slice(), new.as_slice()) {
        ([one], [other]) => Some((*one, *other)),
        _ => None,
    };
    alone.into_values().filter_map(only).collect()
}

/// A paragraph that comes or goes; none for an empty one.
fn whole(line: &Line, kind: ChangeKind, counterpart: Option<&Line>) -> Option<DocumentChange> {
    let change = DocumentChange { is_paragraph: true, ..change(&line.address) };
    let counterpart = counterpart.map(|line| line.address.clone());
    let text = line.text.clone();
    match kind {
        _ if line.text.is_empty() => None,
        ChangeKind::Deletion => Some(DocumentChange { kind, before: text, counterpart, ..change }),
        _ => Some(DocumentChange { kind, after: text, counterpart, ..change }),
    }
}

/// The words in which two paragraphs differ.
fn words(old: &Line, new: &Line, changes: &mut Vec<DocumentChange>) {
    for hunk in diff(&old.text, &new.text) {
        let before = old.text.get(hunk.old).unwrap_or_default().to_owned();
        let after = new.text.get(hunk.new.clone()).unwrap_or_default().to_owned();
        let kind = match (before.is_empty(), after.is_empty()) {
            (true, _) => ChangeKind::Insertion,
            (_, true) => ChangeKind::Deletion,
            _ => ChangeKind::Replacement,
        };
        let lead = new.text.get(..hunk.new.start).unwrap_or_default();
        let from = lead
            .char_indices()
            .rev()
            .nth(CONTEXT)
            .and_then(|(at, _)| Some(at + lead.get(at..)?.find(' ')? + 1));
        let trail = new.text.get(hunk.new.end..).unwrap_or_default();
        let to = trail.char_indices().nth(CONTEXT).and_then(|(at, _)| trail.get(..at)?.rfind(' '));
        let lead = lead.get(from.unwrap_or_default()..).unwrap_or_default().to_owned();
        let trail = trail.get(..to.unwrap_or(trail.len())).unwrap_or_default().to_owned();
        changes.push(DocumentChange { kind, before, after, lead, trail, ..change(&new.address) });
    }
}

fn change(address: &str) -> DocumentChange {
    DocumentChange {
        kind: ChangeKind::Replacement,
        subject: ChangeSubject::Words,
        address: address.to_owned(),
        before: String::new(),
        after: String::new(),
        is_paragraph: false,
        counterpart: None,
        author: String::new(),
        lead: String::new(),
        trail: String::new(),
    }
}

fn bag(text: &str) -> WordBag {
    let words = tokens(text).into_iter().filter_map(|range| text.get(range));
    WordBag::of(
        words.filter(|word| word.contains(char::is_alphanumeric)).map(|word| number_of(22, word)).collect(),
    )
}
