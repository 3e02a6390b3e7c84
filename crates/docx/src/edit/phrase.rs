//! Finding the phrase that an operation means, in one paragraph, the whole body, or across the borders of paragraphs.

use std::ops::Range;

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::hints::{candidates, is_deleted_text, near};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::ops::Occurrence;
use crate::read::excerpt;
use crate::text::find;

/// A hit of a phrase.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// In bytes of the joined text.
    pub(crate) range: Range<usize>,
    pub(crate) exact: bool,
}

/// The hits that are meant.
pub(crate) fn find_phrase(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    original: &str,
    occurrence: Option<Occurrence>,
) -> Result<Vec<Hit>, Refusal> {
    let mut hits = hits_inside(snapshot, place, original);
    if original.contains('\n') && !hits.iter().any(|hit| hit.exact) {
        let across = hits_across(snapshot, place, original);
        let exact: Vec<Hit> = across.iter().filter(|hit| hit.exact).cloned().collect();
        // As inside of paragraphs: one exact hit makes the tolerant ones noise.
        if !exact.is_empty() {
            hits = exact;
        } else if hits.is_empty() {
            hits = across;
        }
    }
    if hits.is_empty() {
        return Err(not_found(snapshot, place, original));
    }
    choose(snapshot, hits, original, occurrence)
}

fn hits_inside(snapshot: &mut StorySnapshot<'_>, place: Option<usize>, original: &str) -> Vec<Hit> {
    let range = match place {
        Some(index) => index..index + 1,
        None => 0..snapshot.paragraphs.len(),
    };
    search(snapshot, range, original)
}

/// Hits in single paragraphs. One exact hit makes the tolerant ones noise, so those are only looked for without it.
pub(crate) fn search(snapshot: &mut StorySnapshot<'_>, paragraphs: Range<usize>, phrase: &str) -> Vec<Hit> {
    let mut hits = Vec::new();
    let take = |snapshot: &mut StorySnapshot<'_>, index: usize, hits: &mut Vec<Hit>| {
        let found = find(snapshot.text(index), phrase).into_iter();
        hits.extend(found.map(|found| Hit {
            first: index,
            last: index,
            range: found.range,
            exact: found.exact,
        }));
    };
    for index in paragraphs.clone() {
        let text = snapshot.text(index);
        // Folding every paragraph for every phrase would cost the whole document each time. Across an object even an
        // exact hit cannot be seen by its bytes.
        if text.contains(phrase) || text.contains(OBJECT) {
            take(snapshot, index, &mut hits);
        }
    }
    if hits.iter().any(|hit| hit.exact) {
        hits.retain(|hit| hit.exact);
        return hits;
    }
    hits.clear();
    for index in paragraphs {
        take(snapshot, index, &mut hits);
    }
    hits
}

/// Hits of a phrase with line ends that stand for borders between paragraphs of one container.
fn hits_across(snapshot: &mut StorySnapshot<'_>, place: Option<usize>, original: &str) -> Vec<Hit> {
    let lines: Vec<&str> = original.split('\n').filter(|line| !line.is_empty()).collect();
    let needle = lines.join(&PARAGRAPH_BREAK.to_string());
    let starts = match place {
        Some(index) => index..index + 1,
        None => 0..snapshot.paragraphs.len(),
    };
    let mut hits = Vec::new();
    for first in starts {
        let last = first + lines.len().saturating_sub(1);
        if lines.len() < 2
            || last >= snapshot.paragraphs.len()
            || !(first..last).all(|index| snapshot.flows_on(index))
        {
            continue;
        }
        let joined = snapshot.joined(first, last);
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

fn choose(
    snapshot: &mut StorySnapshot<'_>,
    hits: Vec<Hit>,
    original: &str,
    occurrence: Option<Occurrence>,
) -> Result<Vec<Hit>, Refusal> {
    match (hits.len(), occurrence) {
        (_, Some(Occurrence::All)) | (1, None) => Ok(hits),
        (_, Some(Occurrence::Last)) => Ok(hits.into_iter().next_back().into_iter().collect()),
        (count, Some(Occurrence::Nth(number))) => {
            let hit = number.checked_sub(1).and_then(|at| hits.into_iter().nth(at));
            hit.map(|hit| vec![hit]).ok_or_else(|| {
                Refusal::new(
                    RefusalCode::TextNotFound,
                    format!(
                        "'{}' occurs {count} times, so there is no occurrence {number}",
                        excerpt(original)
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
                    excerpt(original),
                    candidates(snapshot, &places)
                ),
            ))
        }
    }
}

fn not_found(snapshot: &mut StorySnapshot<'_>, place: Option<usize>, original: &str) -> Refusal {
    let range = match place {
        Some(index) => index..index + 1,
        None => 0..snapshot.paragraphs.len(),
    };
    if let Some(index) = range.clone().find(|index| is_deleted_text(snapshot, *index, original)) {
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
            let others: Vec<usize> = (0..snapshot.paragraphs.len())
                .filter(|other| *other != index && !find(snapshot.text(*other), original).is_empty())
                .collect();
            let elsewhere = if others.is_empty() {
                String::new()
            } else {
                format!("; it stands in {}", candidates(snapshot, &others))
            };
            (format!("P{} says '{}' and", index + 1, excerpt(snapshot.text(index))), elsewhere)
        }
        None => (snapshot.name().to_owned(), String::new()),
    };
    let near = if elsewhere.is_empty() { near(snapshot, original) } else { elsewhere };
    Refusal::new(
        RefusalCode::TextNotFound,
        format!(
            "{place} does not contain '{}'{near}; quote the text exactly as it was read",
            excerpt(original)
        ),
    )
}
