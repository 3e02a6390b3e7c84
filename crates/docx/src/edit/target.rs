//! Finding the paragraph an operation means. A target that does not fit is refused with what is near; nothing is
//! guessed.

use crate::edit::base::Base;
use crate::edit::phrase::search;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, View};
use crate::names::{FALLBACK, PARA_ID};
use crate::ops::{Address, Occurrence, Place};
use crate::read::{excerpt, fingerprint};
use crate::text::{find, nearest};

/// At most this many candidates are named.
const CANDIDATES: usize = 5;

/// The paragraph of a place, counted from 0.
pub(crate) fn find_paragraph(base: &mut Base<'_>, place: &Place) -> Result<usize, Refusal> {
    match find_paragraphs(base, place)?.as_slice() {
        [only] => Ok(*only),
        _ => Err(Refusal::new(
            RefusalCode::AmbiguousTarget,
            "'occurrence' means several paragraphs here; name one".to_owned(),
        )),
    }
}

fn find_paragraphs(base: &mut Base<'_>, place: &Place) -> Result<Vec<usize>, Refusal> {
    let count = base.paragraphs.len();
    let one = |index: Option<usize>| index.filter(|index| *index < count).map(|index| vec![index]);
    match &place.address {
        Address::Number(number) => one(number.checked_sub(1)).ok_or_else(|| {
            Refusal::new(
                RefusalCode::TargetNotFound,
                format!("there is no P{number}; the body has {count} paragraphs, P1 to P{count}"),
            )
        }),
        Address::First => one(Some(0)).ok_or_else(empty_body),
        Address::Last => one(count.checked_sub(1)).ok_or_else(empty_body),
        Address::OtherStory(address) => Err(Refusal::new(
            RefusalCode::StoryNotEditable,
            format!("'{address}' is not in the body; only the body and its tables can be edited so far"),
        )),
        Address::ParagraphId(id) => {
            let wanted = |index: &usize| {
                base.paragraphs.get(*index).is_some_and(|node| {
                    let document = base.document();
                    document.attribute(*node, PARA_ID).is_some_and(|own| own.eq_ignore_ascii_case(id))
                        && !document.ancestors(*node).any(|above| document.name(above) == FALLBACK)
                })
            };
            let hits: Vec<usize> = (0..count).filter(wanted).collect();
            pick(base, hits, place, &format!("no paragraph of the body has the paraId {id}"))
        }
        Address::Fingerprint(wanted) => {
            let hits = (0..count).filter(|index| fingerprint(base.text(*index)) == *wanted).collect();
            pick(base, hits, place, &format!("no paragraph of the body has the fingerprint {wanted}"))
        }
        Address::Text(text) => {
            let mut hits: Vec<usize> =
                search(base, 0..count, text).into_iter().map(|hit| hit.first).collect();
            hits.dedup();
            let near = if hits.is_empty() { near(base, text) } else { String::new() };
            let message = format!("no paragraph of the body contains '{}'{near}", excerpt(text));
            pick(base, hits, place, &message)
        }
    }
}

fn empty_body() -> Refusal {
    Refusal::new(RefusalCode::TargetNotFound, "the body has no paragraph")
}

fn pick(base: &mut Base<'_>, hits: Vec<usize>, place: &Place, none: &str) -> Result<Vec<usize>, Refusal> {
    match (hits.as_slice(), place.occurrence) {
        ([], _) => Err(Refusal::new(RefusalCode::TargetNotFound, none.to_owned())),
        (_, Some(Occurrence::All)) | ([_], None) => Ok(hits),
        (_, Some(Occurrence::Last)) => Ok(hits.last().copied().into_iter().collect()),
        (all, Some(Occurrence::Nth(number))) => match all.get(number - 1) {
            Some(index) => Ok(vec![*index]),
            None => Err(Refusal::new(
                RefusalCode::TargetNotFound,
                format!("only {} paragraphs fit, so there is no number {number}", all.len()),
            )),
        },
        (several, None) => Err(Refusal::new(
            RefusalCode::AmbiguousTarget,
            format!(
                "{} paragraphs fit: {}; say which by 'occurrence' or by number",
                several.len(),
                candidates(base, several)
            ),
        )),
    }
}

/// Names some paragraphs with the start of their text.
pub(crate) fn candidates(base: &mut Base<'_>, indices: &[usize]) -> String {
    let mut named: Vec<String> = Vec::new();
    for index in indices.iter().take(CANDIDATES) {
        named.push(format!("P{} '{}'", index + 1, excerpt(base.text(*index))));
    }
    if indices.len() > CANDIDATES {
        named.push("…".to_owned());
    }
    named.join(", ")
}

/// "; nearest are …" for a text that was not found, or nothing.
pub(crate) fn near(base: &mut Base<'_>, text: &str) -> String {
    let count = base.paragraphs.len();
    // Each look compares the whole story.
    if base.suggestions == 0 {
        return String::new();
    }
    base.suggestions -= 1;
    for index in 0..count {
        base.text(index);
    }
    let scored = nearest(text, (0..count).map(|index| base.known_text(index)), 3);
    let best: Vec<usize> = scored.into_iter().map(|near| near.index).collect();
    if best.is_empty() { String::new() } else { format!("; nearest: {}", candidates(base, &best)) }
}

/// Whether a text stands in the paragraph only as somebody's pending deletion.
pub(crate) fn is_deleted_text(base: &Base<'_>, index: usize, text: &str) -> bool {
    base.paragraphs.get(index).is_some_and(|node| {
        let all = Paragraph::read(base.document(), *node, View::Original, base.fields.get(node)).text;
        !find(&all, text).is_empty()
    })
}
