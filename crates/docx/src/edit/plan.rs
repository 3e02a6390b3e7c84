//! From an operation to the changes it needs, in the coordinates of the batch's start. Changes nothing.

use crate::edit::base::Base;
use crate::edit::claims::Claim;
use crate::edit::content::{Syntax, read_content};
use crate::edit::hints::near;
use crate::edit::hunks::{Hunk, hunks};
use crate::edit::looks::{phrases, unheeded_marks};
use crate::edit::phrase::find_phrase;
use crate::edit::target::find_paragraph;
use crate::error::{Refusal, RefusalCode};
use crate::model::OBJECT;
use crate::ops::{Edit, Occurrence, Operation, Place, Where};
use crate::read::{excerpt, without_object_labels};
use crate::text::{StyledText, adapt};

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
            let words = hunks(base.text(index), &content, 0);
            let hunks = phrases(base, index, words);
            let remark =
                unheeded_marks(base, (index, index), 0, &content, &hunks).then(|| UNHEEDED.to_owned());
            let change = TextChange { first: index, last: index, hunks, claim: Claim::Whole };
            Ok(Planned { plan: Plan::Text(vec![change]), remark })
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

fn modify_text(base: &mut Base<'_>, place: Option<usize>, phrase: &Phrase<'_>) -> Result<Planned, Refusal> {
    let original = without_object_labels(&phrase.original.replace("\r\n", "\n"));
    let chosen = find_phrase(base, place, &original, phrase.occurrence)?;
    let mut changes = Vec::new();
    let mut folded = false;
    let mut unheeded = false;
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
        unheeded |= unheeded_marks(base, (hit.first, hit.last), hit.range.start, &new, &hunks);
        changes.push(TextChange { first: hit.first, last: hit.last, hunks, claim: Claim::Text(hit.range) });
    }
    let remarks: Vec<&str> =
        [folded.then_some(FOLDED), unheeded.then_some(UNHEEDED)].into_iter().flatten().collect();
    let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
    Ok(Planned { plan: Plan::Text(changes), remark })
}

const FOLDED: &str = "matched after treating quotes, dashes, spaces and ellipses alike; the document's own characters were kept";
const UNHEEDED: &str = "the look of words that stay was not changed: Markdown counts for new words only, so bold or italic was not added";
