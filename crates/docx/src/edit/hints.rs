//! What a refusal names: the candidates of an ambiguous place, and what is nearest to one that is not there.
//!
//! Must never choose for the caller.

use std::ops::Range;

use crate::edit::snapshot::StorySnapshot;
use crate::read::excerpt;
use crate::sections::Sections;
use crate::text::Finder;

/// At most this many candidates are named.
const CANDIDATES: usize = 5;

/// Names some paragraphs with the start of their text.
pub(crate) fn candidates(snapshot: &mut StorySnapshot<'_>, indices: &[usize]) -> String {
    let mut named: Vec<String> = Vec::new();
    for index in indices.iter().take(CANDIDATES) {
        named.push(format!("P{} '{}'", index + 1, excerpt(snapshot.text(*index))));
    }
    if indices.len() > CANDIDATES {
        named.push("…".to_owned());
    }
    named.join(", ")
}

/// "; nearest are …" for a text that was not found, or nothing.
pub(crate) fn near(snapshot: &mut StorySnapshot<'_>, text: &str) -> String {
    if snapshot.suggestions == 0 {
        return String::new();
    }
    snapshot.suggestions -= 1;
    let best = snapshot.nearest(text, 3);
    if best.is_empty() { String::new() } else { format!("; nearest: {}", candidates(snapshot, &best)) }
}

/// The first paragraph of a range in which a text stands only as somebody's pending deletion.
pub(crate) fn deleted_in(
    snapshot: &mut StorySnapshot<'_>,
    paragraphs: &Range<usize>,
    finder: &Finder,
) -> Option<usize> {
    let texts = snapshot.deleted_texts().iter().filter(|(index, _)| paragraphs.contains(index));
    texts.filter(|(_, text)| !finder.find(text).is_empty()).map(|(index, _)| *index).next()
}

/// "; the section it lies in is headed by P…" for a paragraph that heads none, or nothing.
pub(crate) fn near_heading(snapshot: &mut StorySnapshot<'_>, sections: &Sections, index: usize) -> String {
    let heading = sections.heading_of(index).map(|heading| heading.index);
    heading.map_or_else(String::new, |heading| {
        format!("; it lies in the section of {}", candidates(snapshot, &[heading]))
    })
}
