//! A phrase in the place of another.

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::content::{Syntax, read_content};
use crate::edit::hunks::hunks;
use crate::edit::looks::{phrases, unheeded_marks};
use crate::edit::phrase::find_phrase;
use crate::edit::plan::step::{Planned, Step, TextChange};
use crate::edit::plan::texts::{FOLDED, visible};
use crate::error::Refusal;
use crate::ops::Occurrence;
use crate::read::without_object_labels;
use crate::text::adapt;

/// A phrase to be replaced, and what by.
pub(super) struct Phrase<'a> {
    pub(super) original: &'a str,
    pub(super) replacement: &'a str,
    pub(super) occurrence: Option<Occurrence>,
    pub(super) syntax: Syntax,
}

pub(super) fn modify_text(
    base: &mut Base<'_>,
    place: Option<usize>,
    phrase: &Phrase<'_>,
) -> Result<Planned, Refusal> {
    let original = without_object_labels(&phrase.original.replace("\r\n", "\n"));
    let chosen = find_phrase(base, place, &original, phrase.occurrence)?;
    let mut steps = Vec::new();
    let mut looks = Vec::new();
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
        let hunks = if crosses { hunks } else { phrases(base, hit.first, hunks) };
        looks.extend(unheeded_marks(base, (hit.first, hit.last), hit.range.start, &new, &hunks));
        steps.push(Step::Text(TextChange {
            first: hit.first,
            last: hit.last,
            hunks,
            claim: Claim::Text(hit.range),
        }));
    }
    steps.append(&mut looks);
    Ok(Planned { steps, remark: folded.then(|| FOLDED.to_owned()), found: None })
}
