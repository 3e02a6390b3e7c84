//! The whole text of a paragraph as it shall be, and what plans of texts have in common.

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::hunks::hunks;
use crate::edit::looks::{phrases, unheeded_marks};
use crate::edit::plan::step::{Step, TextChange};
use crate::model::OBJECT;
use crate::text::StyledText;

/// What is said when words were found in another typography.
pub(super) const FOLDED: &str = "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept";

/// The steps that give a paragraph the text `content`; what stays the same stays untouched.
pub(super) fn styled_text(base: &mut Base<'_>, index: usize, content: &StyledText) -> Vec<Step> {
    let words = hunks(base.text(index), content, 0);
    let hunks = phrases(base, index, words);
    let looks = unheeded_marks(base, (index, index), 0, content, &hunks);
    let change = TextChange { first: index, last: index, hunks, claim: Claim::Whole };
    std::iter::once(Step::Text(change)).chain(looks).collect()
}

/// A text without the marks of its objects.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}
