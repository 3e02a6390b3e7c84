//! What a refusal names: the candidates of an ambiguous place, and what is nearest to one that is not there.
//!
//! Must never choose for the caller.

use crate::edit::snapshot::StorySnapshot;
use crate::model::{Paragraph, View};
use crate::read::excerpt;
use crate::text::{find, nearest};

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
    let count = snapshot.paragraphs.len();
    // Each search compares the whole story.
    if snapshot.suggestions == 0 {
        return String::new();
    }
    snapshot.suggestions -= 1;
    for index in 0..count {
        snapshot.text(index);
    }
    let scored = nearest(text, (0..count).map(|index| snapshot.known_text(index)), 3);
    let best: Vec<usize> = scored.into_iter().map(|near| near.index).collect();
    if best.is_empty() { String::new() } else { format!("; nearest: {}", candidates(snapshot, &best)) }
}

/// Whether a text stands in the paragraph only as somebody's pending deletion.
pub(crate) fn is_deleted_text(snapshot: &StorySnapshot<'_>, index: usize, text: &str) -> bool {
    snapshot.paragraphs.get(index).is_some_and(|node| {
        let all = Paragraph::read(snapshot.document(), *node, View::Original, snapshot.fields.get(node)).text;
        !find(&all, text).is_empty()
    })
}
