//! From an operation to the changes it needs, in the coordinates of the batch's start. Changes nothing.

use std::ops::Range;

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::content::{PARAGRAPH_BREAK, Syntax, read_content};
use crate::edit::hunks::{Hunk, hunks};
use crate::edit::target::{candidates, find_paragraph, is_deleted_text, near};
use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::ops::{Edit, Occurrence, Operation, Place, Where};
use crate::read::{excerpt, without_object_labels};
use crate::text::{StyledText, adapt, find};

/// Text changes of paragraphs that stand together.
#[derive(Debug, Clone)]
pub(crate) struct TextChange {
    /// First paragraph, from 0.
    pub(crate) first: usize,
    /// Last paragraph; more than one when the change crosses borders.
    pub(crate) last: usize,
    /// In bytes of their texts joined by [`PARAGRAPH_BREAK`], in order.
    pub(crate) hunks: Vec<Hunk>,
    pub(crate) claim: Claim,
}

/// What an operation comes down to.
#[derive(Debug, Clone)]
pub(crate) enum Plan {
    Text(Vec<TextChange>),
    Insert { index: usize, side: Where, content: StyledText, style: Option<String> },
    Delete { index: usize },
}

/// A plan, and what people should know about how it was found.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) plan: Plan,
    pub(crate) remark: Option<String>,
}

pub(crate) fn plan(base: &mut Base<'_>, operation: &Operation) -> Result<Planned, Refusal> {
    let syntax = if operation.plain { Syntax::Plain } else { Syntax::Markdown };
    let plain = |plan| Planned { plan, remark: None };
    match &operation.edit {
        Edit::ModifyText { place, original, replacement, occurrence } => {
            let phrase = Phrase { original, replacement, occurrence: *occurrence, syntax };
            let place = place.as_ref().map(|place| guarded(base, place, operation)).transpose()?;
            modify_text(base, place, &phrase)
        }
        Edit::EditParagraph { place, content } => {
            let index = guarded(base, place, operation)?;
            let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
            let hunks = hunks(base.text(index), &content, 0);
            Ok(plain(Plan::Text(vec![TextChange { first: index, last: index, hunks, claim: Claim::Whole }])))
        }
        Edit::Append { place, content } => {
            let index = guarded(base, place, operation)?;
            let at = base.text(index).len();
            addition(index, at, content, syntax).map(plain)
        }
        Edit::Prepend { place, content } => {
            let index = guarded(base, place, operation)?;
            addition(index, 0, content, syntax).map(plain)
        }
        Edit::InsertParagraph { place, side, content, style } => {
            let index = guarded(base, place, operation)?;
            let style = match style {
                Some(style) => Some(known_style(base, style)?),
                None => None,
            };
            let content = read_content(&without_object_labels(content.trim_matches(['\n', '\r'])), syntax)?;
            Ok(plain(Plan::Insert { index, side: *side, content, style }))
        }
        Edit::DeleteParagraph { place } => {
            Ok(plain(Plan::Delete { index: guarded(base, place, operation)? }))
        }
    }
}

fn guarded(base: &mut Base<'_>, place: &Place, operation: &Operation) -> Result<usize, Refusal> {
    let index = find_paragraph(base, place)?;
    if let Some(expected) = &operation.expected_text {
        let actual = visible(base.text(index));
        if actual != visible(&without_object_labels(expected)) {
            return Err(Refusal::new(
                RefusalCode::ExpectedTextMismatch,
                format!(
                    "P{} says '{}', not the expected text; read it again{}",
                    index + 1,
                    excerpt(&actual),
                    near(base, expected)
                ),
            ));
        }
    }
    Ok(index)
}

fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}

fn addition(index: usize, at: usize, content: &str, syntax: Syntax) -> Result<Plan, Refusal> {
    let new = read_content(&without_object_labels(content), syntax)?;
    let hunks = if new.text.is_empty() { vec![] } else { vec![Hunk { range: at..at, new }] };
    Ok(Plan::Text(vec![TextChange { first: index, last: index, hunks, claim: Claim::Text(at..at) }]))
}

fn known_style(base: &Base<'_>, style: &str) -> Result<String, Refusal> {
    base.styles.id_of(style).map(str::to_owned).ok_or_else(|| {
        Refusal::new(
            RefusalCode::StyleNotFound,
            format!(
                "the document has no paragraph style '{}'; leave 'style' out to take the neighbour's",
                excerpt(style)
            ),
        )
    })
}

struct Phrase<'a> {
    original: &'a str,
    replacement: &'a str,
    occurrence: Option<Occurrence>,
    syntax: Syntax,
}

/// A hit of a phrase.
#[derive(Debug, Clone)]
struct Hit {
    first: usize,
    last: usize,
    /// In bytes of the joined text.
    range: Range<usize>,
    exact: bool,
}

fn modify_text(base: &mut Base<'_>, place: Option<usize>, phrase: &Phrase<'_>) -> Result<Planned, Refusal> {
    let original = without_object_labels(&phrase.original.replace("\r\n", "\n"));
    let mut hits = hits_inside(base, place, &original);
    if hits.is_empty() && original.contains('\n') {
        hits = hits_across(base, place, &original);
    }
    if hits.is_empty() {
        return Err(not_found(base, place, &original));
    }
    let chosen = choose(base, hits, phrase)?;
    let mut changes = Vec::new();
    let mut folded = false;
    for hit in chosen {
        folded |= !hit.exact;
        let joined = base.joined(hit.first, hit.last);
        let found = joined.get(hit.range.clone()).unwrap_or_default().to_owned();
        // Across paragraphs, a single line end in the request stands for the border, as it does in the search.
        let crosses = hit.first != hit.last;
        let replacement = without_object_labels(&phrase.replacement.replace("\r\n", "\n"));
        let replacement =
            if crosses { replacement.replace("\n\n", "\n").replace('\n', "\n\n") } else { replacement };
        let visible_found = visible(&found);
        let adapted = if hit.exact { replacement } else { adapt(&visible_found, &original, &replacement) };
        let new = read_content(&adapted, phrase.syntax)?;
        let hunks = hunks(&found, &new, hit.range.start);
        changes.push(TextChange { first: hit.first, last: hit.last, hunks, claim: Claim::Text(hit.range) });
    }
    let remark = folded.then(|| {
        "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept".to_owned()
    });
    Ok(Planned { plan: Plan::Text(changes), remark })
}

fn hits_inside(base: &mut Base<'_>, place: Option<usize>, original: &str) -> Vec<Hit> {
    let range = match place {
        Some(index) => index..index + 1,
        None => 0..base.paragraphs.len(),
    };
    let mut hits: Vec<Hit> = Vec::new();
    for index in range {
        hits.extend(find(base.text(index), original).into_iter().map(|found| Hit {
            first: index,
            last: index,
            range: found.range,
            exact: found.exact,
        }));
    }
    // One exact hit makes the tolerant ones noise.
    if hits.iter().any(|hit| hit.exact) {
        hits.retain(|hit| hit.exact);
    }
    hits
}

/// Hits of a phrase with line ends that stand for borders between paragraphs of one container.
fn hits_across(base: &mut Base<'_>, place: Option<usize>, original: &str) -> Vec<Hit> {
    let lines: Vec<&str> = original.split('\n').filter(|line| !line.is_empty()).collect();
    let needle = lines.join(&PARAGRAPH_BREAK.to_string());
    let starts = match place {
        Some(index) => index..index + 1,
        None => 0..base.paragraphs.len(),
    };
    let mut hits = Vec::new();
    for first in starts {
        let last = first + lines.len().saturating_sub(1);
        if lines.len() < 2
            || last >= base.paragraphs.len()
            || !(first..last).all(|index| base.flows_on(index))
        {
            continue;
        }
        let joined = base.joined(first, last);
        let borders = lines.len() - 1;
        let crosses = |range: &Range<usize>| {
            joined.get(range.clone()).is_some_and(|text| text.matches(PARAGRAPH_BREAK).count() == borders)
        };
        hits.extend(
            find(&joined, &needle).into_iter().filter(|found| crosses(&found.range)).map(|found| Hit {
                first,
                last,
                range: found.range,
                exact: found.exact,
            }),
        );
    }
    hits
}

fn choose(base: &mut Base<'_>, hits: Vec<Hit>, phrase: &Phrase<'_>) -> Result<Vec<Hit>, Refusal> {
    match (hits.len(), phrase.occurrence) {
        (_, Some(Occurrence::All)) | (1, None) => Ok(hits),
        (_, Some(Occurrence::Last)) => Ok(hits.into_iter().next_back().into_iter().collect()),
        (count, Some(Occurrence::Nth(number))) => {
            let hit = number.checked_sub(1).and_then(|at| hits.into_iter().nth(at));
            hit.map(|hit| vec![hit]).ok_or_else(|| {
                Refusal::new(
                    RefusalCode::TextNotFound,
                    format!(
                        "'{}' occurs {count} times, so there is no occurrence {number}",
                        excerpt(phrase.original)
                    ),
                )
            })
        }
        (count, None) => {
            let mut places: Vec<usize> = hits.iter().map(|hit| hit.first).collect();
            places.dedup();
            Err(Refusal::new(
                RefusalCode::AmbiguousTarget,
                format!(
                    "'{}' occurs {count} times, in {}; say which by 'occurrence' (a number, \"last\" or \"all\") or name the paragraph",
                    excerpt(phrase.original),
                    candidates(base, &places)
                ),
            ))
        }
    }
}

fn not_found(base: &mut Base<'_>, place: Option<usize>, original: &str) -> Refusal {
    let range = match place {
        Some(index) => index..index + 1,
        None => 0..base.paragraphs.len(),
    };
    if let Some(index) = range.clone().find(|index| is_deleted_text(base, *index, original)) {
        return Refusal::new(
            RefusalCode::TextDeleted,
            format!(
                "'{}' stands in P{} only as a pending deletion; reject that deletion first, or insert the text anew",
                excerpt(original),
                index + 1
            ),
        );
    }
    let (place, elsewhere) = match place {
        Some(index) => {
            let others: Vec<usize> = (0..base.paragraphs.len())
                .filter(|other| *other != index && !find(base.text(*other), original).is_empty())
                .collect();
            let elsewhere = if others.is_empty() {
                String::new()
            } else {
                format!("; it stands in {}", candidates(base, &others))
            };
            (format!("P{} says '{}' and", index + 1, excerpt(base.text(index))), elsewhere)
        }
        None => ("the body".to_owned(), String::new()),
    };
    let near = if elsewhere.is_empty() { near(base, original) } else { elsewhere };
    Refusal::new(
        RefusalCode::TextNotFound,
        format!(
            "{place} does not contain '{}'{near}; quote the text exactly as it was read",
            excerpt(original)
        ),
    )
}
