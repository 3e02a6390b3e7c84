//! Finding the paragraph an operation means. A target that does not fit is refused with what is near; nothing is
//! guessed.

use crate::edit::hints::{candidates, near};
use crate::edit::phrase::paragraphs_with;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::model::Barrier;
use crate::names::{FALLBACK, PARA_ID};
use crate::ops::{Address, Occurrence, Place};
use crate::read::{excerpt, fingerprint};

/// The paragraph of a place, counted from 0.
pub(crate) fn find_paragraph(snapshot: &mut StorySnapshot<'_>, place: &Place) -> Result<usize, Refusal> {
    match find_paragraphs(snapshot, place)?.as_slice() {
        [only] => Ok(*only),
        _ => Err(Refusal::new(
            RefusalCode::AmbiguousTarget,
            "'occurrence' means several paragraphs here; name one".to_owned(),
        )),
    }
}

fn find_paragraphs(snapshot: &mut StorySnapshot<'_>, place: &Place) -> Result<Vec<usize>, Refusal> {
    let count = snapshot.paragraphs.len();
    let one = |index: Option<usize>| index.filter(|index| *index < count).map(|index| vec![index]);
    match &place.address {
        Address::Number(number) => snapshot.index_of_number(*number).map(|index| vec![index]),
        Address::First => one(Some(0)).ok_or_else(empty_story),
        Address::Last => one(count.checked_sub(1)).ok_or_else(empty_story),
        Address::Any if count == 1 => Ok(vec![0]),
        Address::Any => Err(Refusal::new(
            RefusalCode::AmbiguousTarget,
            format!("{} has {count} paragraphs; say which, as {}P1", snapshot.name(), snapshot.prefix),
        )),
        Address::Provision(number) => {
            let hits = snapshot.provisions(number);
            pick(
                snapshot,
                hits,
                place,
                &format!("no paragraph of {} has the number {number}", snapshot.name()),
            )
        }
        Address::ParagraphId(id) => {
            let wanted = |index: &usize| {
                snapshot.paragraphs.get(*index).is_some_and(|node| {
                    let document = snapshot.document();
                    document.attribute(*node, PARA_ID).is_some_and(|own| own.eq_ignore_ascii_case(id))
                        && !document.ancestors(*node).any(|above| document.name(above) == FALLBACK)
                })
            };
            let hits: Vec<usize> = (0..count).filter(wanted).collect();
            pick(snapshot, hits, place, &format!("no paragraph of {} has the paraId {id}", snapshot.name()))
        }
        Address::Fingerprint(wanted) => {
            let hits = (0..count).filter(|index| fingerprint(snapshot.text(*index)) == *wanted).collect();
            pick(
                snapshot,
                hits,
                place,
                &format!("no paragraph of {} has the fingerprint {wanted}", snapshot.name()),
            )
        }
        Address::Text(text) => {
            let hits = paragraphs_with(snapshot, text);
            let near = if hits.is_empty() { near(snapshot, text) } else { String::new() };
            let message = format!("no paragraph of {} contains '{}'{near}", snapshot.name(), excerpt(text));
            pick(snapshot, hits, place, &message)
        }
    }
}

fn empty_story() -> Refusal {
    Refusal::new(RefusalCode::TargetNotFound, "the story has no paragraph")
}

fn pick(
    snapshot: &mut StorySnapshot<'_>,
    hits: Vec<usize>,
    place: &Place,
    none: &str,
) -> Result<Vec<usize>, Refusal> {
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
        (several, None) => {
            // A line of a table of contents only repeats another paragraph.
            let own: Vec<usize> =
                several.iter().copied().filter(|index| has_words_of_its_own(snapshot, *index)).collect();
            if own.len() == 1 {
                return Ok(own);
            }
            Err(Refusal::new(
                RefusalCode::AmbiguousTarget,
                format!(
                    "{} paragraphs fit: {}; say which by 'occurrence' or by number",
                    several.len(),
                    candidates(snapshot, several)
                ),
            ))
        }
    }
}

/// Whether a paragraph says anything that no field says for it.
fn has_words_of_its_own(snapshot: &StorySnapshot<'_>, index: usize) -> bool {
    snapshot.paragraph(index).is_some_and(|paragraph| {
        paragraph.visible().any(|atom| {
            let words = paragraph.text.get(atom.range.clone()).unwrap_or_default();
            !words.trim().is_empty() && !matches!(atom.barrier, Some(Barrier::Field(_)))
        })
    })
}
