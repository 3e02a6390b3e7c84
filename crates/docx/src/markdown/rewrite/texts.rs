//! Texts that were written anew beside those that stand in the document: what both know, and in whose spelling.
//!
//! Must never know a block, or a paragraph of the document.

use std::collections::BTreeSet;

use crate::text::typed_numbers::typed_number;
use crate::text::{
    Block, BlockKind, InlineObject, OBJECT, PlacedObject, StyledText, adapt, straightened, write_blocks,
};

/// A text as inline Markdown, with what its notes say behind it.
pub(super) fn inline(text: &StyledText) -> String {
    let lead = text.text.len() - text.text.trim_start_matches([' ', '\t']).len();
    let tail = text.text.trim_end_matches([' ', '\t']).len().max(lead);
    let (before, behind) = (text.slice(0..lead), text.slice(tail..text.text.len()));
    let inner = write_blocks(&[Block::new(BlockKind::Paragraph(text.slice(lead..tail)))]);
    match inner.split_once("\n\n[^") {
        Some((words, notes)) => format!("{}{words}{}\n\n[^{notes}", before.text, behind.text),
        None => format!("{}{inner}{}", before.text, behind.text),
    }
}

/// A text without the number before it that the document counts.
pub(super) fn bare(text: &StyledText, number: &str) -> StyledText {
    match text.text.strip_prefix(number.trim_end()).filter(|_| !number.is_empty()) {
        Some(rest) => text.slice(text.text.len() - rest.trim_start().len()..text.text.len()),
        None => text.clone(),
    }
}

/// New text without a number like this one: the same, or one that is written alike, or any that is plainly one.
pub(super) fn without_number(text: &StyledText, number: &str) -> StyledText {
    let own = first_words(&text.text, number.split_whitespace().count());
    let behind = text.text.get(own.len()..).unwrap_or_default();
    let len = if !own.is_empty() && digits_alike(own.trim()) == digits_alike(number.trim()) {
        text.text.len() - behind.trim_start().len()
    } else if text.text.starts_with(number.trim()) {
        return bare(text, number);
    } else {
        typed_number(&text.text).map_or(0, |number| number.len)
    };
    text.slice(len..text.text.len())
}

/// So many words of a text, with the white space before them.
fn first_words(text: &str, count: usize) -> &str {
    let mut end = 0;
    for _ in 0..count {
        let rest = text.get(end..).unwrap_or_default();
        let word = rest.trim_start();
        end += rest.len() - word.len() + word.find(char::is_whitespace).unwrap_or(word.len());
    }
    text.get(..end).unwrap_or_default()
}

/// How the numbers of a document are written that Word counts.
pub(super) struct CountedNumbers(BTreeSet<(usize, String)>);

impl CountedNumbers {
    pub(super) fn of<'n>(numbers: impl Iterator<Item = &'n str>) -> Self {
        let known = numbers.filter(|number| !number.trim().is_empty());
        Self(known.map(|number| (number.split_whitespace().count(), digits_alike(number.trim()))).collect())
    }

    /// What of a new text is written as one of them.
    pub(super) fn before<'t>(&self, text: &'t str) -> &'t str {
        let mut found = "";
        for (words, form) in &self.0 {
            let own = first_words(text, *words);
            if digits_alike(own.trim()) == *form {
                found = own;
            }
        }
        found
    }
}

/// A number with each of its figures as `0`.
fn digits_alike(number: &str) -> String {
    let mut out = String::new();
    for c in number.chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        if c != '0' || !out.ends_with('0') {
            out.push(c);
        }
    }
    out
}

/// New text with the quotes, dashes and spaces of the old wherever it has only plain ones.
pub(super) fn in_typography_of(old: &StyledText, new: StyledText) -> StyledText {
    let plain = straightened(&old.text, &new.text);
    if plain == old.text {
        return new;
    }
    let adapted = adapt(&old.text, &plain, &new.text);
    respelled(&new, &adapted)
}

/// A text in another spelling: the same characters, quotes and dashes apart. Where lengths do not tell what is what, as it was.
fn respelled(text: &StyledText, spelling: &str) -> StyledText {
    if text.text.chars().count() != spelling.chars().count() {
        return text.clone();
    }
    let mut offsets: Vec<(usize, usize)> =
        text.text.char_indices().map(|(at, _)| at).zip(spelling.char_indices().map(|(at, _)| at)).collect();
    offsets.push((text.text.len(), spelling.len()));
    let moved = |at: usize| {
        let place = offsets.partition_point(|(own, _)| *own < at);
        offsets.get(place).map_or(spelling.len(), |(_, new)| *new)
    };
    let mut out = text.clone();
    out.text = spelling.to_owned();
    for span in &mut out.spans {
        span.range = moved(span.range.start)..moved(span.range.end);
    }
    for link in &mut out.links {
        link.range = moved(link.range.start)..moved(link.range.end);
    }
    for placed in &mut out.objects {
        placed.at = moved(placed.at);
    }
    out
}

/// A text without the objects that are among the known ones, which stay where they are; and for each known one what the text has
/// of it.
pub(super) fn without_known_objects(
    known: &[PlacedObject],
    text: &StyledText,
) -> (StyledText, Vec<Option<InlineObject>>) {
    let mut kept: Vec<Option<InlineObject>> = vec![None; known.len()];
    let mut gone = Vec::new();
    // Equal objects first, so that a note with other words is not taken for one that stays.
    for alike in [is_equal as fn(&InlineObject, &InlineObject) -> bool, is_other_note] {
        for placed in &text.objects {
            if gone.contains(&placed.at) {
                continue;
            }
            let free = known
                .iter()
                .zip(&mut kept)
                .find(|(known, kept)| kept.is_none() && alike(&known.object, &placed.object));
            if let Some((_, kept)) = free {
                *kept = Some(placed.object.clone());
                gone.push(placed.at);
            }
        }
    }
    gone.sort_unstable();
    let mut out = StyledText::default();
    let mut at = 0;
    for object in gone {
        out.append(text.slice(at..object));
        at = object + OBJECT.len_utf8();
    }
    out.append(text.slice(at..text.text.len()));
    (out, kept)
}

fn is_equal(known: &InlineObject, new: &InlineObject) -> bool {
    match (known, new) {
        (InlineObject::Image(known), InlineObject::Image(new)) => known.source == new.source,
        (known, new) => known == new,
    }
}

fn is_other_note(known: &InlineObject, new: &InlineObject) -> bool {
    matches!((known, new), (InlineObject::Note(one, _), InlineObject::Note(other, _)) if one == other)
}

/// A block without the number before its text, where its list or heading counts: `number` is what is counted there.
pub(super) fn numberless(block: Block<StyledText>, number: &str) -> Block<StyledText> {
    if number.is_empty() || matches!(block.kind, BlockKind::Table(_)) {
        return block;
    }
    block.map(|text| without_number(&text, number))
}

/// The white space around a text that Markdown leaves out.
pub(super) fn edges(read: StyledText, told: &StyledText) -> (String, String) {
    let text = read.text;
    let lead = text.len() - text.trim_start().len();
    let tail = text.trim_end().len().max(lead);
    let has = |text: &str| told.text.starts_with(text) && !text.is_empty();
    let lead = text.get(..lead).filter(|lead| !has(lead)).unwrap_or_default();
    let tail = text.get(tail..).filter(|tail| !told.text.ends_with(*tail)).unwrap_or_default();
    (lead.to_owned(), tail.to_owned())
}
