//! Finding what an operation looks for, in one paragraph, the whole story, or across the borders of paragraphs.
//!
//! Must never choose among hits: that is `choice`.

use std::ops::Range;

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::hints::{candidates, deleted_in, near};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::read::excerpt;
use crate::text::{Finder, MatchRules};

/// A hit of a phrase.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) first: usize,
    pub(crate) last: usize,
    /// In bytes of the joined text.
    pub(crate) range: Range<usize>,
    pub(crate) exact: bool,
}

/// All hits, at least one.
pub(crate) fn find_hits(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    finder: &Finder,
) -> Result<Vec<Hit>, Refusal> {
    let range = match place {
        Some(index) => index..index + 1,
        None => 0..snapshot.paragraphs.len(),
    };
    let mut hits = search(snapshot, range, finder);
    let crosses = finder.phrase().is_some_and(|phrase| phrase.contains('\n'));
    if crosses && !hits.iter().any(|hit| hit.exact) {
        let across = hits_across(snapshot, place, finder);
        let exact: Vec<Hit> = across.iter().filter(|hit| hit.exact).cloned().collect();
        // As inside of paragraphs: one exact hit makes the tolerant ones noise.
        if !exact.is_empty() {
            hits = exact;
        } else if hits.is_empty() {
            hits = across;
        }
    }
    if hits.is_empty() {
        return Err(not_found(snapshot, place, finder));
    }
    Ok(hits)
}

/// Hits in single paragraphs. One exact hit makes the tolerant ones noise.
pub(crate) fn search(
    snapshot: &mut StorySnapshot<'_>,
    paragraphs: Range<usize>,
    finder: &Finder,
) -> Vec<Hit> {
    let indices =
        if paragraphs.len() == 1 { paragraphs.clone().collect() } else { snapshot.candidates(finder) };
    let mut hits = Vec::new();
    for index in indices.into_iter().filter(|index| paragraphs.contains(index)) {
        let found = finder.find(snapshot.text(index)).into_iter();
        hits.extend(found.map(|found| Hit {
            first: index,
            last: index,
            range: found.range,
            exact: found.exact,
        }));
    }
    if hits.iter().any(|hit| hit.exact) {
        hits.retain(|hit| hit.exact);
    }
    hits
}

/// The paragraphs in which words stand.
pub(crate) fn paragraphs_with(snapshot: &mut StorySnapshot<'_>, words: &str) -> Vec<usize> {
    let finder = Finder::words(words, MatchRules::default());
    let all = 0..snapshot.paragraphs.len();
    let mut found: Vec<usize> = search(snapshot, all, &finder).into_iter().map(|hit| hit.first).collect();
    found.dedup();
    found
}

/// Hits of a phrase with line ends that stand for borders between paragraphs of one container.
fn hits_across(snapshot: &mut StorySnapshot<'_>, place: Option<usize>, finder: &Finder) -> Vec<Hit> {
    let lines: Vec<&str> =
        finder.phrase().unwrap_or_default().split('\n').filter(|line| !line.is_empty()).collect();
    let needle = finder.with_words(lines.join(&PARAGRAPH_BREAK.to_string()));
    let starts = match (place, lines.first()) {
        (Some(index), _) => vec![index],
        (None, Some(line)) => snapshot.phrase_candidates(line),
        (None, None) => Vec::new(),
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
            needle.find(&joined).into_iter().filter(|found| crosses(&found.range)).map(|found| Hit {
                first,
                last,
                range: found.range,
                exact: found.exact,
            }),
        );
    }
    hits
}

fn not_found(snapshot: &mut StorySnapshot<'_>, place: Option<usize>, finder: &Finder) -> Refusal {
    let all = 0..snapshot.paragraphs.len();
    let range = match place {
        Some(index) => index..index + 1,
        None => all.clone(),
    };
    let shown = excerpt(finder.shown());
    if let Some(index) = deleted_in(snapshot, &range, finder) {
        return Refusal::new(
            RefusalCode::TextDeleted,
            format!(
                "'{shown}' stands in P{} only as a pending deletion; reject that deletion first, or insert the text anew",
                index + 1
            ),
        );
    }
    let (place, elsewhere) = match place {
        Some(index) => {
            let mut others: Vec<usize> =
                search(snapshot, all, finder).into_iter().map(|hit| hit.first).collect();
            others.dedup();
            others.retain(|other| *other != index);
            let elsewhere = if others.is_empty() {
                String::new()
            } else {
                format!("; it stands in {}", candidates(snapshot, &others))
            };
            (format!("P{} says '{}' and", index + 1, excerpt(snapshot.text(index))), elsewhere)
        }
        None => (snapshot.name().to_owned(), String::new()),
    };
    let Some(phrase) = finder.phrase() else {
        let message = format!("{place} has nothing that fits the pattern '{shown}'{elsewhere}");
        return Refusal::new(RefusalCode::TextNotFound, message);
    };
    let near = if elsewhere.is_empty() { near(snapshot, phrase) } else { elsewhere };
    Refusal::new(
        RefusalCode::TextNotFound,
        format!("{place} does not contain '{shown}'{near}; quote the text exactly as it was read"),
    )
}
