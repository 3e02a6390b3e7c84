//! What became of a delivered change, by what stands in its place now.
//!
//! Must never guess: where its surroundings are gone or stand twice, nothing is known of it.

use super::change::DeliveredChange;

/// Words of the longest text that can stand in a change's place.
const LONGEST: usize = 24;

/// A paragraph as it reads now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ParagraphViews {
    /// With all tracked changes accepted.
    pub accepted: String,
    /// With all tracked changes rejected.
    pub original: String,
}

/// What became of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeFate {
    /// It still waits.
    Pending,
    /// It stands for good.
    Accepted,
    /// What stood there before stands there again.
    Rejected,
    /// Other words stand there.
    Reworded(String),
    /// That cannot be said.
    Unclear,
}

/// What became of `change` in a document of these paragraphs.
#[must_use]
pub fn fate_of(change: &DeliveredChange, paragraphs: &[ParagraphViews]) -> ChangeFate {
    let places: Vec<(String, Option<String>)> = paragraphs
        .iter()
        .flat_map(|paragraph| {
            let now = between(&paragraph.accepted, change);
            let before = between(&paragraph.original, change);
            let original = (before.len() == now.len()).then_some(before);
            now.into_iter()
                .enumerate()
                .map(move |(at, now)| (now, original.as_ref().and_then(|before| before.get(at).cloned())))
        })
        .collect();
    let [(now, before)] = places.as_slice() else { return ChangeFate::Unclear };
    match before {
        _ if *now == change.old => ChangeFate::Rejected,
        Some(before) if *now == change.new && *before == change.new => ChangeFate::Accepted,
        _ if *now == change.new => ChangeFate::Pending,
        _ => ChangeFate::Reworded(now.clone()),
    }
}

/// What stands between the surroundings of a change, wherever they stand. Without words on a side, it is the paragraph's end.
fn between(text: &str, change: &DeliveredChange) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (before, after): (Vec<&str>, Vec<&str>) =
        (change.before.split_whitespace().collect(), change.after.split_whitespace().collect());
    if before.is_empty() && after.is_empty() {
        return Vec::new();
    }
    let begins: Vec<usize> = match before.len() {
        0 => vec![0],
        count => (0..words.len())
            .filter(|at| words.get(*at..at + count) == Some(&before))
            .map(|at| at + count)
            .collect(),
    };
    let mut found = Vec::new();
    for begin in begins {
        let ends: Vec<usize> = match after.len() {
            0 => vec![words.len()],
            count => (begin..words.len()).filter(|at| words.get(*at..at + count) == Some(&after)).collect(),
        };
        // The nearest end: what follows it is another place.
        if let Some(end) = ends.first()
            && end - begin <= LONGEST
            && let Some(middle) = words.get(begin..*end)
        {
            found.push(middle.join(" "));
        }
    }
    found
}
