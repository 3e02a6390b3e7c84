//! The text of a paragraph or a phrase as it shall be.

use crate::edit::content::{Syntax, read_content};
use crate::edit::hunks::hunks;
use crate::edit::phrase::find_phrase;
use crate::edit::plan::step::{Plan, Step, TextChange};
use crate::edit::run_formats::{phrases, unheeded_marks};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::touched::TouchedRange;
use crate::error::Refusal;
use crate::model::OBJECT;
use crate::ops::Occurrence;
use crate::read::without_object_labels;
use crate::text::{StyledText, adapt};

/// A phrase to be replaced, and what by.
pub(super) struct Phrase<'a> {
    pub(super) original: &'a str,
    pub(super) replacement: &'a str,
    pub(super) occurrence: Option<Occurrence>,
    pub(super) syntax: Syntax,
}

pub(super) fn modify_text(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    phrase: &Phrase<'_>,
) -> Result<Plan, Refusal> {
    let original = without_object_labels(&phrase.original.replace("\r\n", "\n"));
    let chosen = find_phrase(snapshot, place, &original, phrase.occurrence)?;
    let mut steps = Vec::new();
    let mut formats = Vec::new();
    let mut folded = false;
    for hit in chosen {
        folded |= !hit.exact;
        let joined = snapshot.joined(hit.first, hit.last);
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
        let hunks = if crosses { hunks } else { phrases(snapshot, hit.first, hunks) };
        formats.extend(unheeded_marks(snapshot, (hit.first, hit.last), hit.range.start, &new, &hunks));
        steps.push(Step::Text(TextChange {
            first: hit.first,
            last: hit.last,
            hunks,
            range: TouchedRange::Text(hit.range),
        }));
    }
    steps.append(&mut formats);
    Ok(Plan { steps, remark: folded.then(|| FOLDED.to_owned()), found: None })
}

/// What is said when words were found in another typography.
pub(super) const FOLDED: &str = "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept";

/// The steps that give a paragraph the text `content`; what stays the same stays untouched.
pub(super) fn styled_text(snapshot: &mut StorySnapshot<'_>, index: usize, content: &StyledText) -> Vec<Step> {
    let words = hunks(snapshot.text(index), content, 0);
    let hunks = phrases(snapshot, index, words);
    let formats = unheeded_marks(snapshot, (index, index), 0, content, &hunks);
    let change = TextChange { first: index, last: index, hunks, range: TouchedRange::Whole };
    std::iter::once(Step::Text(change)).chain(formats).collect()
}

/// A text without the marks of its objects.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}
