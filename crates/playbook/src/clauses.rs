//! Which part of a document a position is about: by headings, by the words that begin a paragraph, by defined terms.
//!
//! Must never ask a model. A heading that only shares a word with a position is none of its clause.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::playbook::PlaybookPosition;
use crate::text::{DocumentText, TextParagraph, find};

/// The most words of a heading that stands at the beginning of its paragraph.
const TITLE_WORDS: usize = 10;

/// Words that say nothing of what a clause is about.
const EMPTY: &[&str] =
    &["a", "an", "and", "by", "clause", "for", "in", "of", "on", "or", "section", "the", "to"];

/// The part of a document that a position is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Clause {
    /// The heading, or the words by which it was found.
    pub(crate) title: String,
    /// The numbers of its paragraphs.
    pub(crate) range: Range<usize>,
    score: usize,
}

/// The clause of each position, in their order.
pub(crate) fn clauses_of(text: &DocumentText, positions: &[PlaybookPosition]) -> Vec<Option<Clause>> {
    positions.iter().map(|position| clause_of(text, position)).collect()
}

fn clause_of(text: &DocumentText, position: &PlaybookPosition) -> Option<Clause> {
    let names: Vec<&str> =
        std::iter::once(&position.name).chain(&position.also).map(String::as_str).collect();
    let score = |title: &str| names.iter().map(|name| likeness(name, title)).max().unwrap_or(0);
    let mut best: Option<Clause> = None;
    let mut consider = |title: &str, range: Range<usize>, score: usize| {
        let is_better = best
            .as_ref()
            .is_none_or(|best| score > best.score || (score == best.score && best.range.start > range.start));
        if score > 0 && is_better {
            best = Some(Clause { title: title.to_owned(), range, score });
        }
    };
    for heading in &text.headings {
        let title = title_of(&heading.text);
        consider(title, heading.from..heading.to + 1, score(title));
    }
    // Where paragraphs are not numbered, their first words may be their heading.
    for paragraph in &text.paragraphs {
        if let Some(title) = run_in_title(&paragraph.text) {
            // A sentence that begins like a title is none.
            let is_title = names.iter().any(|name| words(title).len() <= words(name).len() + 1);
            let score = if is_title { score(title).saturating_sub(1) } else { 0 };
            consider(title, paragraph.index..paragraph.index + 1, score);
        }
    }
    best.or_else(|| definition_of(text, &names))
}

/// The definition of a term that is called like the clause.
fn definition_of(text: &DocumentText, names: &[&str]) -> Option<Clause> {
    let is_definition = |paragraph: &&TextParagraph| {
        names.iter().any(|name| {
            ["means", "shall mean", "has the meaning", "is defined as"]
                .iter()
                .any(|verb| find(&paragraph.text, &format!("\"{name}\" {verb}"), false).is_some())
        })
    };
    let paragraph = text.paragraphs.iter().find(is_definition)?;
    let title = names.first().copied().unwrap_or_default().to_owned();
    Some(Clause { title, range: paragraph.index..paragraph.index + 1, score: 1 })
}

/// How much a title is that of a clause: 0 for not at all.
fn likeness(name: &str, title: &str) -> usize {
    let (name, title) = (words(name), words(title));
    if name.is_empty() || title.is_empty() {
        0
    } else if name == title {
        5
    } else if name.is_subset(&title) && title.len() <= name.len() + 3 {
        4
    } else if title.is_subset(&name) && 2 * title.len() >= name.len() {
        3
    } else {
        0
    }
}

/// The words of a name that count, in the form in which they are compared.
fn words(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).filter(|word| !EMPTY.contains(&word.as_str()));
    let words = words.filter(|word| !word.chars().all(char::is_numeric));
    words.map(|word| singular(&word)).collect()
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(rest) if rest.len() > 3 && !rest.ends_with('s') => match rest.strip_suffix("ie") {
            Some(stem) => format!("{stem}y"),
            None => rest.to_owned(),
        },
        _ => word.to_owned(),
    }
}

/// The title of a heading: all of it, or what stands before the first full stop of a long one.
fn title_of(heading: &str) -> &str {
    if heading.split_whitespace().count() <= TITLE_WORDS {
        heading
    } else {
        run_in_title(heading).unwrap_or_default()
    }
}

/// The words at the beginning of a paragraph that are its heading: short, and with a mark behind them.
fn run_in_title(text: &str) -> Option<&str> {
    let text = text.trim_start();
    // A number that is typed, such as `7.` or `7.1`, is not the end of the title.
    let numbered =
        text.trim_start_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '.' | ')' | '('));
    let start = text.len() - numbered.trim_start().len();
    let rest = text.get(start..)?;
    let end = rest.find(['.', ':', '–', '—', '\t', '\n']).or_else(|| {
        let is_short = rest.split_whitespace().count() <= TITLE_WORDS;
        is_short.then_some(rest.len())
    })?;
    let title = rest.get(..end)?.trim();
    let count = title.split_whitespace().count();
    (1..=TITLE_WORDS).contains(&count).then_some(title)
}
