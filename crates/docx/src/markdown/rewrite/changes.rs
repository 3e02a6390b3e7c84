//! How a block of the body comes to say something else: by edits of its words, its notes and pictures, its cells.

use std::ops::Range;

use engross_xml::NodeId;

use super::keys::text_of;
use super::texts::{
    bare, edges, in_typography_of, inline, numberless, without_known_objects, without_number,
};
use super::{Rewriter, Tells, in_body};
use crate::model::pictures;
use crate::names::{ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID};
use crate::ops::{Address, Edit, ObjectAction, ObjectEdit, Occurrence, Place, RunFormat, Search};
use crate::read::excerpt;
use crate::text::{
    Block, BlockKind, InlineObject, Item, ItemMarker, Marks, NoteKind, PlacedObject, StyledText, Table, diff,
    literal, write_blocks,
};

impl Rewriter<'_> {
    /// Makes a block say what the new one says.
    pub(super) fn change(&mut self, at: usize, new: &Block<StyledText>) {
        let Some(old) = self.old.get(at) else { return };
        let place = in_body(old.range.0);
        match (&old.block.kind, &new.kind) {
            (BlockKind::Table(table), BlockKind::Table(wanted)) => {
                let (table, wanted) = (table.clone(), wanted.clone());
                self.change_table(at, &table, &wanted);
                return;
            }
            (BlockKind::Code(code), BlockKind::Code(wanted)) if code == wanted => return,
            (BlockKind::Rule, BlockKind::Rule) => return,
            _ => {}
        }
        if !self.is_same_form(&old.block, new) {
            let (first, last, free) = (old.range.0, old.range.1, old.is_free());
            if !free {
                self.unheeded(at);
                return;
            }
            let end = (last > first).then(|| in_body(last));
            let content = write_blocks(&[numberless(new.clone(), &old.source.number)]);
            self.rewrite.edits.push(Edit::Replace { place, end, content, continues: true });
            return;
        }
        let (Some(text), Some(wanted)) = (text_of(&old.block), text_of(new)) else { return };
        let (text, wanted) = (text.clone(), wanted.clone());
        let number = old.source.number.clone();
        let nodes = old.source.paragraphs.clone();
        let edges = text_of(&old.read).map(|read| edges(bare(read, &number), &bare(&text, &number)));
        let text = bare(&text, &number);
        let wanted = if number.is_empty() { wanted } else { without_number(&wanted, &number) };
        let wanted = task_box(new, in_typography_of(&text, wanted));
        let text = task_box(&old.block, text);
        if text == wanted {
            return;
        }
        if old.is_result || old.source.is_part {
            self.unheeded(at);
            return;
        }
        self.change_text(place, &nodes, (&text, wanted), edges.unwrap_or_default());
    }

    /// Makes paragraphs with the text `text` say `wanted`. `edges` is white space that they begin and end with.
    fn change_text(
        &mut self,
        place: Place,
        nodes: &[NodeId],
        (text, wanted): (&StyledText, StyledText),
        (lead, tail): (String, String),
    ) {
        let (mut wanted, kept) = without_known_objects(&text.objects, &wanted);
        self.change_objects(nodes, &text.objects, &kept);
        let (known, _) = without_known_objects(&text.objects, text);
        if known == wanted {
            return;
        }
        // Where objects stand in the paragraph, words before them are not found by their text alone.
        let lost = lost_formatting(&known, &wanted);
        let is_heeded = self.tells.formats && text.objects.is_empty();
        if !lost.is_empty() && !is_heeded {
            self.remark(&format!(
                "formatting taken away from words that stay is not heeded ('{}'); use format_text",
                excerpt(&known.text)
            ));
        }
        let plainer: Vec<Edit> = lost
            .into_iter()
            .filter(|_| is_heeded)
            .map(|(range, marks)| {
                let words = known.text.get(range.clone()).unwrap_or_default();
                let before = known.text.get(..range.end).unwrap_or_default();
                let mut search = Search::words(words);
                search.occurrence = Some(Occurrence::Nth(before.matches(words).count().max(1)));
                Edit::FormatText { place: Some(place.clone()), search: Some(search), format: without(marks) }
            })
            .collect();
        let has_notes = wanted.objects.iter().any(|placed| matches!(placed.object, InlineObject::Note(..)));
        let mut whole = literal(&lead);
        whole.append(std::mem::take(&mut wanted));
        whole.append(literal(&tail));
        let content = inline(&whole);
        self.rewrite.edits.push(match has_notes {
            // Only blocks define what notes say.
            true => Edit::Replace { place, end: None, content, continues: true },
            false => Edit::EditParagraph { place, content },
        });
        self.rewrite.edits.extend(plainer);
    }

    /// Takes pictures away that the new text does not have, and makes notes say what they say there.
    fn change_objects(&mut self, nodes: &[NodeId], known: &[PlacedObject], kept: &[Option<InlineObject>]) {
        let document = self.old.document;
        let own = |node: &NodeId| document.ancestors(*node).any(|above| nodes.contains(&above));
        let all = pictures(document, self.old.body);
        let own_pictures: Vec<usize> =
            (0..).zip(&all).filter(|(_, node)| own(node)).map(|(at, _)| at).collect();
        let notes: Vec<(NoteKind, String)> = nodes
            .iter()
            .flat_map(|node| document.descendants(*node))
            .filter_map(|node| {
                let kind = match document.name(node) {
                    FOOTNOTE_REFERENCE => NoteKind::Footnote,
                    ENDNOTE_REFERENCE => NoteKind::Endnote,
                    _ => return None,
                };
                Some((kind, document.attribute(node, ID)?.into_owned()))
            })
            .collect();
        let (mut pictures, mut notes) = (own_pictures.into_iter(), notes.into_iter());
        for (placed, kept) in known.iter().zip(kept) {
            let action = match (&placed.object, kept) {
                (InlineObject::Image(_), kept) => {
                    let number = pictures.next();
                    if kept.is_some() {
                        continue;
                    }
                    let Some(number) = number else { continue };
                    (None, ObjectAction::DeleteImage { number: Some(number + 1) })
                }
                (InlineObject::Note(kind, said), kept) => {
                    let Some((own, id)) = notes.next() else { continue };
                    match kept {
                        None => {
                            self.remark("a note whose mark the new text does not have stays");
                            continue;
                        }
                        Some(InlineObject::Note(_, wanted)) if own == *kind && wanted != said => {
                            let story = match own {
                                NoteKind::Footnote => format!("footnote:{id}"),
                                NoteKind::Endnote => format!("endnote:{id}"),
                            };
                            let paragraphs: Vec<String> = wanted.iter().map(inline).collect();
                            let place = Place { story: Some(story), address: Address::Any, occurrence: None };
                            (Some(place), ObjectAction::EditNote(paragraphs.join("\n\n")))
                        }
                        Some(_) => continue,
                    }
                }
            };
            let (place, action) = action;
            self.rewrite.edits.push(Edit::Object(ObjectEdit { place, search: None, action }));
        }
    }

    fn change_table(&mut self, at: usize, table: &Table<StyledText>, wanted: &Table<StyledText>) {
        if table.rows == wanted.rows {
            return;
        }
        let Some(old) = self.old.get(at) else { return };
        let shape = |table: &Table<StyledText>| table.rows.iter().map(Vec::len).collect::<Vec<_>>();
        let (first, last) = old.range;
        if shape(table) != shape(wanted) {
            let content = write_blocks(&[Block::new(BlockKind::Table(wanted.clone()))]);
            let end = (last > first).then(|| in_body(last));
            self.rewrite.edits.push(Edit::Replace { place: in_body(first), end, content, continues: false });
            return;
        }
        let cells = old.source.cells.clone();
        let places = cells.iter().flatten();
        let pairs = table.rows.iter().flatten().zip(wanted.rows.iter().flatten());
        let changed: Vec<(StyledText, StyledText, Vec<NodeId>)> = pairs
            .zip(places)
            .filter(|((text, wanted), _)| text != wanted)
            .map(|((text, wanted), nodes)| (text.clone(), wanted.clone(), nodes.clone()))
            .collect();
        for (text, wanted, nodes) in changed {
            let wanted = in_typography_of(&text, wanted);
            let range = nodes.first().zip(nodes.last());
            let range = range
                .and_then(|(a, b)| self.old.numbers.get(a).copied().zip(self.old.numbers.get(b).copied()));
            let Some((first, last)) = range else {
                self.remark("a cell that is part of another is told as a cell of its own; what is new in it is left out");
                continue;
            };
            if text == wanted {
                continue;
            }
            if first == last {
                self.change_text(in_body(first), &nodes, (&text, wanted), Default::default());
            } else {
                let content = inline(&wanted).replace('\n', "\n\n");
                let edit = Edit::Replace {
                    place: in_body(first),
                    end: Some(in_body(last)),
                    content,
                    continues: true,
                };
                self.rewrite.edits.push(edit);
            }
        }
    }

    /// Whether two blocks differ in their words alone, as far as the new text tells.
    fn is_same_form(&self, old: &Block<StyledText>, new: &Block<StyledText>) -> bool {
        let Tells { headings, items, .. } = self.tells;
        match (&old.kind, &new.kind) {
            (BlockKind::Heading(a, _), BlockKind::Heading(b, _)) => a == b && old.quote == new.quote,
            (BlockKind::Item(a), BlockKind::Item(b)) => {
                let is_bullet = |item: &Item<StyledText>| item.marker == ItemMarker::Bullet;
                a.level == b.level && is_bullet(a) == is_bullet(b)
            }
            (BlockKind::Heading(..), BlockKind::Paragraph(_)) => !headings,
            (BlockKind::Item(_), BlockKind::Paragraph(_)) => !items,
            (BlockKind::Paragraph(_), BlockKind::Paragraph(_)) => old.quote == new.quote,
            (BlockKind::Term(_) | BlockKind::Definition(_), BlockKind::Paragraph(_)) => true,
            (one, other) => {
                std::mem::discriminant(one) == std::mem::discriminant(other) && text_of(old).is_some()
            }
        }
    }
}

/// The text of a task with the box that Word has for its state.
fn task_box(block: &Block<StyledText>, text: StyledText) -> StyledText {
    let BlockKind::Item(Item { task: Some(done), .. }) = &block.kind else { return text };
    let mut whole = literal(if *done { "☒ " } else { "☐ " });
    whole.append(text);
    whole
}

/// The words that both texts have and that are formatted in the first and not in the second, with what they lose.
fn lost_formatting(known: &StyledText, wanted: &StyledText) -> Vec<(Range<usize>, Marks)> {
    let mut lost: Vec<(Range<usize>, Marks)> = Vec::new();
    if known.spans.is_empty() {
        return lost;
    }
    let mut note = |old: Range<usize>, new_start: usize| {
        let text = known.text.get(old.clone()).unwrap_or_default();
        let mut open = false;
        for (offset, c) in text.char_indices() {
            let at = old.start + offset;
            let gone = difference(known.marks_at(at), wanted.marks_at(new_start + offset));
            let end = at + c.len_utf8();
            match lost.last_mut().filter(|_| open) {
                Some((range, marks)) if *marks == gone => range.end = end,
                _ if gone == Marks::default() => {
                    open = false;
                    continue;
                }
                _ => lost.push((at..end, gone)),
            }
            open = true;
        }
    };
    let (mut at, mut new_at) = (0, 0);
    for hunk in diff(&known.text, &wanted.text) {
        note(at..hunk.old.start, new_at);
        (at, new_at) = (hunk.old.end, hunk.new.end);
    }
    note(at..known.text.len(), new_at);
    let is_seen =
        |range: &Range<usize>| known.text.get(range.clone()).is_some_and(|words| !words.trim().is_empty());
    lost.retain(|(range, _)| is_seen(range));
    lost
}

/// What the first has and the second has not, of what formatting of text can take away.
fn difference(known: Marks, wanted: Marks) -> Marks {
    Marks {
        bold: known.bold && !wanted.bold,
        italic: known.italic && !wanted.italic,
        underline: known.underline && !wanted.underline,
        strike: known.strike && !wanted.strike,
        highlight: known.highlight && !wanted.highlight,
        ..Marks::default()
    }
}

/// The formatting that takes these away.
fn without(marks: Marks) -> RunFormat {
    let off = |is_on: bool| is_on.then_some(false);
    RunFormat {
        bold: off(marks.bold),
        italic: off(marks.italic),
        underline: off(marks.underline),
        strike: off(marks.strike),
        highlight: marks.highlight.then(|| "none".to_owned()),
        ..RunFormat::default()
    }
}
