//! Carries out the operations on bookmarks, fields and references, when all others of the batch are written.
//!
//! Must never insert a reference that leads nowhere or shows a wrong number.

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::run::{Anchor, Run};
use crate::edit::RevisionWriter;
use crate::edit::references::{
    FieldText, bookmark_paragraph, bookmark_words, insert_field, replace_words, set_result,
};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::View;
use crate::ops::{
    Change, Occurrence, OperationOutcome, Outcome, ReferenceEdit, ReferenceTarget, ShownPart, Spot,
};
use crate::read::excerpt;
use crate::references::{Bookmark, NumberContext, References, Words};
use crate::text::find;

/// A paragraph of the document as it is now.
struct TargetPlace {
    /// The place of its story in the list of references.
    story: usize,
    paragraph: usize,
}

impl WordDocument {
    /// Carries out one operation.
    pub(super) fn reference_operation(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        edit: &ReferenceEdit,
    ) -> Result<(), Error> {
        let address = run.anchors.get(&index).map(|anchor| anchor.address.clone());
        let applied = Outcome::Applied(Change::default());
        run.set(index, OperationOutcome { address, ..OperationOutcome::from(applied) });
        let done = match edit {
            ReferenceEdit::Update { typed } => self.update(run, index, *typed)?,
            ReferenceEdit::InsertBookmark { text, name, .. } => {
                self.insert_bookmark(run, index, text.as_deref(), name)?
            }
            ReferenceEdit::InsertCrossReference { spot, to, show } => {
                self.insert_cross_reference(run, index, (spot, to, *show))?
            }
            ReferenceEdit::InsertContents { side, levels, title, .. } => match anchor_of(run, index) {
                Ok(anchor) => {
                    self.insert_contents(run, index, &anchor, (*side, *levels, title.as_deref()))?
                }
                Err(refusal) => Err(refusal),
            },
            ReferenceEdit::InsertField { spot, instruction, result } => {
                let field = FieldText {
                    instruction: instruction.clone(),
                    result: result.clone().unwrap_or_default(),
                    is_dirty: result.is_none(),
                };
                self.insert_at(run, index, spot, &field)?
            }
        };
        if let Err(refusal) = done {
            let refused = run.refused(index, refusal);
            run.set(index, refused);
        }
        Ok(())
    }

    /// Lets fields show what they should, and typed references, too.
    fn update(&mut self, run: &mut Run<'_>, index: usize, typed: bool) -> Result<Result<(), Refusal>, Error> {
        let mut count = 0;
        let mut left: Vec<String> = Vec::new();
        if typed {
            let mut changes = Vec::new();
            {
                let trees = self.story_trees();
                let accepted = self.references(&trees, View::Accepted);
                for stale in self.stale_references(&trees, &accepted) {
                    let Some(placed) = accepted.stories.get(stale.story) else { continue };
                    let address = placed.story.address(stale.paragraph);
                    match (stale.now, placed.story.words(stale.paragraph, stale.range)) {
                        (Some(now), Some(words)) => changes.push((placed.part.clone(), address, words, now)),
                        _ => left.push(format!("{address} says {}, which is gone", stale.says)),
                    }
                }
            }
            // From the end, so that places before a change stay true.
            for (part, address, words, now) in changes.into_iter().rev() {
                match self.write_for(run, index, &part, |writer| replace_words(writer, &words, &now))? {
                    Ok(()) => count += 1,
                    Err(refusal) => left.push(format!("{address}: {}", refusal.message)),
                }
            }
        }
        let own = self.ids.own().clone();
        let mut changes: Vec<(String, String, Vec<NodeId>, String)> = Vec::new();
        {
            let trees = self.story_trees();
            let accepted = self.references(&trees, View::Accepted);
            for outdated in accepted.outdated(&trees) {
                let Some(placed) = accepted.stories.get(outdated.story) else { continue };
                let leaves = outdated.result.iter().map(|leaf| leaf.node).collect();
                let address = placed.story.address(outdated.field.first);
                changes.push((placed.part.clone(), address, leaves, outdated.expected));
            }
        }
        for (part, address, leaves, text) in changes {
            match self.write_for(run, index, &part, |writer| set_result(writer, &leaves, &text, &own))? {
                Ok(()) => count += 1,
                Err(why) => left.push(format!("{address}: the field cannot be changed, since {why}")),
            }
        }
        let contents = self.update_contents(run, index)?;
        count += contents.changed;
        left.extend(contents.left);
        let more = left.len().saturating_sub(LEFT_SHOWN);
        left.truncate(LEFT_SHOWN);
        if more > 0 {
            left.push(format!("and {more} more"));
        }
        let remark = match (count, left.is_empty()) {
            (0, true) => "all of them say what they should".to_owned(),
            (_, true) => format!("{count} changed"),
            _ => format!("{count} changed; left as they are: {}", left.join("; ")),
        };
        if count == 0 {
            run.set(index, Outcome::NoChange { remark: Some(remark) });
        } else if let Some(done) = run.outcomes.get_mut(index) {
            done.outcome.add_remark(&remark);
        }
        Ok(Ok(()))
    }

    fn insert_bookmark(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        text: Option<&str>,
        name: &str,
    ) -> Result<Result<(), Refusal>, Error> {
        let anchor = match anchor_of(run, index) {
            Ok(anchor) => anchor,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let spot = {
            let trees = self.story_trees();
            let accepted = self.references(&trees, View::Accepted);
            // One in text that a revision deletes or moves away has its name, too.
            if accepted.target(name).is_some() || trees.has_bookmark(name) {
                let message = format!("there is a bookmark '{name}' already; give another name");
                return Ok(Err(Refusal::new(RefusalCode::InvalidContent, message)));
            }
            words_in(trees.tree(&anchor.part), &accepted, &anchor, text, None)
        };
        let written = match (text, spot) {
            (None, _) => self.write_for(run, index, &anchor.part, |writer| {
                bookmark_paragraph(writer, anchor.element(writer.document), name);
                Ok::<(), Refusal>(())
            })?,
            (Some(_), Ok(words)) => {
                self.write_for(run, index, &anchor.part, |writer| bookmark_words(writer, &words, name))?
            }
            (Some(_), Err(refusal)) => Err(refusal),
        };
        Ok(written)
    }

    fn insert_cross_reference(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        (spot, to, show): (&Spot, &ReferenceTarget, ShownPart),
    ) -> Result<Result<(), Refusal>, Error> {
        let anchor = match anchor_of(run, index) {
            Ok(anchor) => anchor,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let target = run.targets.get(&index).cloned();
        let mut known: Option<String> = None;
        let result;
        {
            let trees = self.story_trees();
            let accepted = self.references(&trees, View::Accepted);
            let from = found(trees.tree(&anchor.part), &accepted, &anchor);
            let place = match (to, &target) {
                (ReferenceTarget::Bookmark(name), _) => {
                    known = Some(name.clone());
                    accepted.target(name).map(|found| TargetPlace {
                        story: found.story,
                        paragraph: found.owner.unwrap_or(found.bookmark.first),
                    })
                }
                (ReferenceTarget::Place(_), Some(target)) => {
                    if run.gone.contains(&(target.part.clone(), target.paragraph)) {
                        let message = "the paragraph that it shall lead to is deleted by this batch; name one that stays";
                        return Ok(Err(Refusal::new(RefusalCode::ReferenceBroken, message)));
                    }
                    let place = found(trees.tree(&target.part), &accepted, target);
                    known = place.as_ref().and_then(|place| own_bookmark(&accepted, place));
                    place
                }
                _ => None,
            };
            let (Some(place), Some(from)) = (place, from) else {
                let message = "there is no such bookmark or paragraph to refer to; name another, or insert the bookmark first";
                return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, message)));
            };
            let words = match (to, &known) {
                (ReferenceTarget::Bookmark(_), Some(name)) => accepted.target(name).map(|target| {
                    accepted
                        .content(&trees, &target)
                        .iter()
                        .map(|leaf| leaf.text.as_str())
                        .collect::<String>()
                }),
                _ => accepted
                    .stories
                    .get(place.story)
                    .map(|placed| placed.story.text(trees.tree(&placed.part), place.paragraph)),
            };
            result = shown(&accepted, &place, &from, show, &words.unwrap_or_default());
        }
        let result = match result {
            Ok(result) => result,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let (name, new) = match (known, target) {
            (Some(name), _) => (name, None),
            (None, Some(target)) => (run.pending.bookmark_name(), Some(target)),
            (None, None) => return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, "nothing to refer to"))),
        };
        let instruction = match show {
            ShownPart::Number => format!("REF {name} \\r \\h"),
            ShownPart::NumberFull => format!("REF {name} \\w \\h"),
            ShownPart::Text => format!("REF {name} \\h"),
            ShownPart::Page => format!("PAGEREF {name} \\h"),
            ShownPart::AboveBelow => format!("REF {name} \\p \\h"),
        };
        let field = FieldText { instruction, result, is_dirty: show == ShownPart::Page };
        let inserted = self.insert_at(run, index, spot, &field)?;
        let Some(target) = new.filter(|_| inserted.is_ok()) else { return Ok(inserted) };
        // Last, so that a reference that finds no place leaves no bookmark behind.
        self.write_for(run, index, &target.part, |writer| {
            bookmark_paragraph(writer, target.element(writer.document), &name);
            Ok::<(), Refusal>(())
        })
    }

    /// Puts a field into the paragraph that the operation names.
    fn insert_at(
        &mut self,
        run: &mut Run<'_>,
        index: usize,
        spot: &Spot,
        field: &FieldText,
    ) -> Result<Result<(), Refusal>, Error> {
        let anchor = match anchor_of(run, index) {
            Ok(anchor) => anchor,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let words = {
            let trees = self.story_trees();
            let accepted = self.references(&trees, View::Accepted);
            let text = spot.instead_of.as_deref().or(spot.after.as_deref());
            words_in(trees.tree(&anchor.part), &accepted, &anchor, text, spot.occurrence)
        };
        let words = match words {
            Ok(words) => words,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let styles = self.styles.clone();
        let replaces = spot.instead_of.is_some();
        self.write_for(run, index, &anchor.part, |writer: &mut RevisionWriter<'_>| {
            insert_field(writer, &words, replaces, field, &styles)
        })
    }
}

/// How many references that could not be changed are told.
const LEFT_SHOWN: usize = 10;

fn anchor_of(run: &Run<'_>, index: usize) -> Result<Anchor, Refusal> {
    let missing = || Refusal::new(RefusalCode::TargetNotFound, "there is no such paragraph");
    let anchor = run.anchors.get(&index).cloned().ok_or_else(missing)?;
    if run.gone.contains(&(anchor.part.clone(), anchor.paragraph)) {
        let message =
            "an earlier operation of this batch deletes or moves the paragraph; name one that stays";
        return Err(Refusal::new(RefusalCode::OverlappingOperations, message));
    }
    Ok(anchor)
}

/// Where a paragraph of before the batch is now.
fn found(tree: &Document, accepted: &References, anchor: &Anchor) -> Option<TargetPlace> {
    let element = anchor.element(tree);
    accepted.stories.iter().enumerate().filter(|(_, placed)| placed.part == anchor.part).find_map(
        |(story, placed)| {
            let paragraph = placed.story.paragraphs.iter().position(|node| *node == element)?;
            Some(TargetPlace { story, paragraph })
        },
    )
}

/// The words of a paragraph that an operation means; its end without any.
fn words_in(
    tree: &Document,
    accepted: &References,
    anchor: &Anchor,
    text: Option<&str>,
    occurrence: Option<Occurrence>,
) -> Result<Words, Refusal> {
    let gone = || Refusal::new(RefusalCode::TargetNotFound, "the paragraph is in no text that can be edited");
    let place = found(tree, accepted, anchor).ok_or_else(gone)?;
    let story = &accepted.stories.get(place.story).ok_or_else(gone)?.story;
    let own = story.model(tree, place.paragraph).map_or_else(String::new, |model| model.text);
    let Some(text) = text else {
        return story.words(place.paragraph, own.len()..own.len()).ok_or_else(gone);
    };
    let hits = find(&own, text);
    let hit = match (hits.len(), occurrence) {
        (1, _) | (_, Some(Occurrence::Nth(1))) => hits.first(),
        (_, Some(Occurrence::Nth(number))) => hits.get(number.saturating_sub(1)),
        (_, Some(Occurrence::Last)) => hits.last(),
        (0, _) => None,
        (count, _) => {
            let message = format!(
                "'{}' occurs {count} times in the paragraph; say which by 'occurrence' (a number, \"first\" or \"last\")",
                excerpt(text)
            );
            return Err(Refusal::new(RefusalCode::AmbiguousTarget, message));
        }
    };
    let missing = || {
        let message = format!(
            "the paragraph says '{}', not '{}'; quote it as it was read",
            excerpt(&own),
            excerpt(text)
        );
        Refusal::new(RefusalCode::TextNotFound, message)
    };
    let range = hit.ok_or_else(missing)?.range.clone();
    story.words(place.paragraph, range).ok_or_else(gone)
}

/// A bookmark of a reference around all of a paragraph that is there already.
fn own_bookmark(accepted: &References, place: &TargetPlace) -> Option<String> {
    let story = &accepted.stories.get(place.story)?.story;
    let fits = |bookmark: &&Bookmark| {
        bookmark.name.starts_with("_Ref")
            && story.owner(bookmark.first) == Some(place.paragraph)
            && bookmark.first == bookmark.last
            && accepted.target(&bookmark.name).is_some_and(|target| target.bookmark == *bookmark)
    };
    story.bookmarks.iter().find(fits).map(|bookmark| bookmark.name.clone())
}

/// What a new reference shows.
fn shown(
    accepted: &References,
    place: &TargetPlace,
    from: &TargetPlace,
    show: ShownPart,
    words: &str,
) -> Result<String, Refusal> {
    let is_here = place.story == from.story;
    let number = |context| {
        let placed = accepted.stories.get(place.story)?;
        placed.labels.reference(place.paragraph, context, is_here.then_some(from.paragraph))
    };
    let refusal = |message: &str| Refusal::new(RefusalCode::TargetNotFound, message.to_owned());
    let no_number =
        || refusal("that paragraph has no automatic number to show; say \"show\": \"text\" or \"page\"");
    match show {
        ShownPart::Number => number(NumberContext::Relative).ok_or_else(no_number),
        ShownPart::NumberFull => number(NumberContext::Full).ok_or_else(no_number),
        ShownPart::Text if words.trim().is_empty() => Err(refusal("that place has no words to show")),
        ShownPart::Text => Ok(words.replace(crate::model::OBJECT, "")),
        // Only Word knows pages; the field is marked so that it looks.
        ShownPart::Page => Ok("1".to_owned()),
        ShownPart::AboveBelow if !is_here => Err(refusal("only a place in the same text is above or below")),
        ShownPart::AboveBelow => {
            Ok(if place.paragraph < from.paragraph { "above" } else { "below" }.to_owned())
        }
    }
}
