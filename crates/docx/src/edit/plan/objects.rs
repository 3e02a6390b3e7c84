//! Links, notes and pictures where words are: what is put there, what takes the place of what is there, and what goes.
//!
//! Must never write: what objects need beside the story is found by `edit/objects`, and written by `edit/inserted`.

use std::ops::Range;

use engross_xml::NodeId;

use crate::edit::choice::{barrier_around, choose};
use crate::edit::content::{Syntax, read_content, split_at_breaks};
use crate::edit::hunks::{Hunk, hunks};
use crate::edit::links::{link_around, links_of, stretches};
use crate::edit::pending_parts::PendingParts;
use crate::edit::phrase::find_hits;
use crate::edit::plan::blocks::{self, NewContent};
use crate::edit::plan::phrases::{finder_of, remarks};
use crate::edit::plan::step::{ListWish, NewParagraphs, Plan, Step, TextChange};
use crate::edit::plan::{guarded, guarded_if_given};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::touched::TouchedRange;
use crate::error::{Refusal, RefusalCode};
use crate::model::{AtomKind, Control, ControlKind, alternative_text, pictures};
use crate::names::SDT;
use crate::ops::{Address, ImageChange, ObjectAction, ObjectEdit, Operation, Search, Where};
use crate::text::{Image, InlineObject, LineEnds, LinkDestination, LinkSpan, OBJECT, StyledText, literal};

/// Hits within one paragraph each.
type Hits = Vec<(usize, Range<usize>)>;

pub(super) fn plan_objects(
    snapshot: &mut StorySnapshot<'_>,
    pending: &mut PendingParts,
    operation: &Operation,
    edit: &ObjectEdit,
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let place = guarded_if_given(snapshot, edit.place.as_ref(), operation)?;
    let search = edit.search.as_ref();
    match (&edit.action, search) {
        (ObjectAction::InsertLink(target), Some(search)) => insert_link(snapshot, place, search, target),
        (ObjectAction::EditLink { text, target }, _) => {
            change_links(snapshot, place, search, (text.as_deref(), target.as_ref()))
        }
        (ObjectAction::RemoveLink, _) => {
            change_links(snapshot, place, search, (None, Some(&LinkDestination::Nowhere)))
        }
        (ObjectAction::InsertNote { kind, content }, _) => {
            let content = read_content(content.trim(), syntax)?;
            if content.text.trim().is_empty() {
                return Err(Refusal::new(
                    RefusalCode::InvalidContent,
                    "the note is empty; give it some text",
                ));
            }
            let mut new = StyledText::default();
            new.push_object(InlineObject::Note(*kind, split_at_breaks(&content)));
            put_behind(snapshot, (place, search), &new)
        }
        (ObjectAction::EditNote(content), _) => {
            let last = snapshot.paragraphs.len().saturating_sub(1);
            let content = NewContent { text: content, syntax, ends: LineEnds::Breaks, continues: false };
            blocks::replace(snapshot, pending, (0, last), content)
        }
        (ObjectAction::InsertImage { side, image }, _) => {
            known_file(pending, &image.source)?;
            let mut new = StyledText::default();
            new.push_object(InlineObject::Image(image.clone()));
            match (side, &edit.place) {
                (Some(side), Some(place)) => {
                    let index = guarded(snapshot, place, operation)?;
                    Ok(vec![own_paragraph((index, *side), new)].into())
                }
                _ => put_behind(snapshot, (place, search), &new),
            }
        }
        (ObjectAction::EditImage { number, change }, _) => {
            let (index, at, node) = picture(snapshot, edit, place, *number)?;
            edit_image(snapshot, pending, (index, at, node), change)
        }
        (ObjectAction::DeleteImage { number }, _) => {
            let (index, at, _) = picture(snapshot, edit, place, *number)?;
            Ok(vec![change(index, at..at + OBJECT.len_utf8(), StyledText::default())].into())
        }
        (ObjectAction::InsertLink(_), None) => {
            Err(Refusal::new(RefusalCode::InvalidOperation, "insert_link needs words to link"))
        }
    }
}

fn own_paragraph((index, side): (usize, Where), content: StyledText) -> Step {
    let (list, settings) = (ListWish::Outside, Vec::new());
    Step::Insert(NewParagraphs { index, side, content, style: None, list, settings, goes_on: false })
}

fn change(index: usize, range: Range<usize>, new: StyledText) -> Step {
    let touched = TouchedRange::Text(range.clone());
    Step::Text(TextChange { first: index, last: index, hunks: vec![Hunk { range, new }], range: touched })
}

/// The hits that are meant, each within one paragraph, and what is said of how they were found.
fn hits(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    search: &Search,
) -> Result<(Hits, Option<String>), Refusal> {
    let finder = finder_of(search)?;
    let all = find_hits(snapshot, place, &finder)?;
    let found = choose(snapshot, all, (search, &finder), |snapshot, hit| {
        if hit.first != hit.last {
            return Err(Refusal::new(
                RefusalCode::TextNotFound,
                "the words cross the end of a paragraph; name those of one",
            ));
        }
        takes_objects(snapshot, hit.first, &hit.range)?;
        Ok(((hit.first, hit.range.clone()), barrier_around(snapshot, hit)))
    })?;
    Ok((found.chosen, remarks(found.folded, found.left)))
}

/// Refuses words of a form's field that takes nothing but text.
fn takes_objects(snapshot: &StorySnapshot<'_>, index: usize, range: &Range<usize>) -> Result<(), Refusal> {
    let document = snapshot.document();
    let Some(paragraph) = snapshot.paragraph(index) else { return Ok(()) };
    let around = |run| document.ancestors(run).filter(|above| document.name(*above) == SDT);
    let mut controls = paragraph.overlapping(range.clone()).flat_map(|atom| around(atom.run));
    let is_plain = |node: NodeId| {
        !matches!(Control::of(document, node).kind(), ControlKind::RichText | ControlKind::Group)
    };
    match controls.find(|node| is_plain(*node)) {
        None => Ok(()),
        Some(_) => Err(Refusal {
            place: Some(index),
            ..Refusal::new(
                RefusalCode::ObjectEditRefused,
                format!(
                    "the words of P{} stand in a content control that takes nothing but text; fill_control changes it",
                    index + 1
                ),
            )
        }),
    }
}

fn insert_link(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    search: &Search,
    target: &LinkDestination,
) -> Result<Plan, Refusal> {
    let (hits, remark) = hits(snapshot, place, search)?;
    let mut steps = Vec::new();
    for (index, range) in hits {
        if link_around(snapshot, index, &range).is_some() {
            return Err(Refusal {
                place: Some(index),
                ..Refusal::new(
                    RefusalCode::InvalidContent,
                    format!(
                        "the words of P{} are in a link already; use edit_link to lead it elsewhere",
                        index + 1
                    ),
                )
            });
        }
        steps.push(linked(snapshot, index, &range, target));
    }
    Ok(Plan { steps, remark, found: None })
}

/// The words become a link; each stretch of one formatting keeps its own.
fn linked(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    range: &Range<usize>,
    target: &LinkDestination,
) -> Step {
    let text = snapshot.text(index).to_owned();
    let hunk = |range: Range<usize>| {
        let words = text.get(range.clone()).unwrap_or_default();
        Hunk { range, new: as_link(words, target) }
    };
    let hunks = stretches(snapshot, index, range).into_iter().map(hunk).collect();
    let touched = TouchedRange::Text(range.clone());
    Step::Text(TextChange { first: index, last: index, hunks, range: touched })
}

fn as_link(words: &str, target: &LinkDestination) -> StyledText {
    let mut text = literal(words);
    text.links.push(LinkSpan { range: 0..words.len(), target: target.clone() });
    text
}

fn change_links(
    snapshot: &mut StorySnapshot<'_>,
    place: Option<usize>,
    search: Option<&Search>,
    (text, target): (Option<&str>, Option<&LinkDestination>),
) -> Result<Plan, Refusal> {
    let (hits, remark) = match search {
        Some(search) => hits(snapshot, place, search)?,
        None => (vec![only_link(snapshot, place.unwrap_or_default())?], None),
    };
    let mut steps = Vec::new();
    let mut last = None;
    for (index, range) in hits {
        let Some(link) = link_around(snapshot, index, &range) else {
            return Err(Refusal {
                place: Some(index),
                ..Refusal::new(
                    RefusalCode::TargetNotFound,
                    format!("the words of P{} are in no link; insert_link makes one of them", index + 1),
                )
            });
        };
        // Two hits in one link are one link.
        if last.replace(link.node) == Some(link.node) {
            continue;
        }
        let words = snapshot.text(index).get(link.range.clone()).unwrap_or_default().to_owned();
        steps.push(match (text, target) {
            // Words that change within a link stay in it.
            (Some(text), None) => {
                let hunks = hunks(&words, &literal(text), link.range.start);
                let range = TouchedRange::Text(link.range);
                Step::Text(TextChange { first: index, last: index, hunks, range })
            }
            (Some(text), Some(target)) => change(index, link.range, as_link(text, target)),
            (None, Some(target)) => linked(snapshot, index, &link.range, target),
            (None, None) => continue,
        });
    }
    Ok(Plan { steps, remark, found: None })
}

/// The text of the one link of a paragraph.
fn only_link(snapshot: &mut StorySnapshot<'_>, index: usize) -> Result<(usize, Range<usize>), Refusal> {
    let text = snapshot.text(index).to_owned();
    let links = links_of(snapshot, index);
    match links.as_slice() {
        [link] => Ok((index, link.range.clone())),
        links => {
            let words = links.iter().map(|link| text.get(link.range.clone()).unwrap_or_default());
            let words: Vec<String> =
                words.map(|words| format!("'{}'", crate::read::excerpt(words))).collect();
            let known = if words.is_empty() {
                "no link".to_owned()
            } else {
                format!("links on {}", words.join(", "))
            };
            Err(Refusal::new(
                RefusalCode::AmbiguousTarget,
                format!("P{} has {known}; name words of the link by 'linkText'", index + 1),
            ))
        }
    }
}

/// Puts new content behind words, or at the end of a paragraph.
fn put_behind(
    snapshot: &mut StorySnapshot<'_>,
    (place, search): (Option<usize>, Option<&Search>),
    new: &StyledText,
) -> Result<Plan, Refusal> {
    let (places, remark) = match search {
        Some(search) => {
            let (hits, remark) = hits(snapshot, place, search)?;
            (hits.into_iter().map(|(index, range)| (index, range.end)).collect::<Vec<_>>(), remark)
        }
        None => {
            let index = place.unwrap_or_default();
            (vec![(index, snapshot.text(index).len())], None)
        }
    };
    let steps = places.into_iter().map(|(index, at)| change(index, at..at, new.clone())).collect();
    Ok(Plan { steps, remark, found: None })
}

fn known_file(pending: &PendingParts, source: &str) -> Result<(), Refusal> {
    if source.starts_with("data:") || pending.files.contains_key(source) {
        return Ok(());
    }
    Err(Refusal::new(
        RefusalCode::InvalidContent,
        format!(
            "the file '{}' is not there; name a PNG, JPEG or GIF beneath the folder, or send its bytes as 'data'",
            crate::read::excerpt(source)
        ),
    ))
}

/// The paragraph of a picture, the place of the picture in its text, and its element.
fn picture(
    snapshot: &mut StorySnapshot<'_>,
    edit: &ObjectEdit,
    place: Option<usize>,
    number: Option<usize>,
) -> Result<(usize, usize, NodeId), Refusal> {
    let all = located(snapshot);
    // A place that names a whole story says only where pictures count.
    let names_paragraph = edit.place.as_ref().is_some_and(|place| place.address != Address::Any);
    let place = place.filter(|_| names_paragraph);
    let here: Vec<&(usize, usize, NodeId)> =
        all.iter().filter(|(index, ..)| place.is_none_or(|place| place == *index)).collect();
    let chosen = match number {
        Some(number) => all.get(number - 1).filter(|found| place.is_none_or(|place| place == found.0)),
        None => here.first().copied().filter(|_| here.len() == 1),
    };
    chosen.copied().ok_or_else(|| {
        let known: Vec<String> = all
            .iter()
            .enumerate()
            .take(8)
            .map(|(at, (index, _, node))| {
                let words = alternative_text(snapshot.document(), *node);
                format!(
                    "{} in {}P{} \"{}\"",
                    at + 1,
                    snapshot.prefix,
                    index + 1,
                    crate::read::excerpt(&words)
                )
            })
            .collect();
        let known = match known.is_empty() {
            true => format!("{} has no pictures", snapshot.name()),
            false => format!("{} has {} pictures: {}", snapshot.name(), all.len(), known.join(", ")),
        };
        Refusal::new(RefusalCode::TargetNotFound, format!("that names no one picture; {known}"))
    })
}

/// The pictures of a story in order, each with its paragraph and its place in the paragraph's text.
fn located(snapshot: &StorySnapshot<'_>) -> Vec<(usize, usize, NodeId)> {
    let document = snapshot.document();
    let mut found = Vec::new();
    for index in 0..snapshot.paragraphs.len() {
        let Some(node) = snapshot.paragraphs.get(index) else { continue };
        let own = pictures(document, *node);
        if own.is_empty() {
            continue;
        }
        let Some(paragraph) = snapshot.paragraph(index) else { continue };
        for picture in own {
            let holds =
                |above: NodeId| above == picture || document.ancestors(picture).any(|node| node == above);
            let mut objects = paragraph.visible().filter(|atom| atom.kind == AtomKind::Object);
            if let Some(atom) = objects.find(|atom| holds(atom.node)) {
                found.push((index, atom.range.start, picture));
            }
        }
    }
    found
}

fn edit_image(
    snapshot: &StorySnapshot<'_>,
    pending: &mut PendingParts,
    (index, at, node): (usize, usize, NodeId),
    change_of: &ImageChange,
) -> Result<Plan, Refusal> {
    if let Some(source) = &change_of.source {
        known_file(pending, source)?;
    }
    let document = snapshot.document();
    if document.name(node) != crate::names::DRAWING {
        return Err(Refusal::new(
            RefusalCode::ObjectEditRefused,
            format!(
                "the picture of P{} is written in an old way (VML); delete it and insert it anew",
                index + 1
            ),
        ));
    }
    let alternative = change_of.alternative.clone().unwrap_or_else(|| alternative_text(document, node));
    let image = Image {
        source: change_of.source.clone().unwrap_or_default(),
        alternative,
        size: change_of.size,
        like: Some(pending.copied(node)),
    };
    let mut new = StyledText::default();
    new.push_object(InlineObject::Image(image));
    Ok(vec![change(index, at..at + OBJECT.len_utf8(), new)].into())
}
