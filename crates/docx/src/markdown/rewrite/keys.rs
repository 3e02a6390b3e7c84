//! What a block says, for comparisons. Must never know where a block stands.

use std::collections::{BTreeMap, BTreeSet};

use super::texts::bare;
use crate::read::without_object_labels;
use crate::text::typed_numbers::typed_number;
use crate::text::{Block, BlockKind, InlineObject, Item, StyledText, folded};

/// The objects that a block names or holds: labels of what is no text, pictures, notes.
pub(super) fn objects_of(block: &Block<StyledText>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    if let Some(text) = text_of(block) {
        found.extend(object_labels(&text.text).map(str::to_owned));
        found.extend(text.objects.iter().map(|placed| match &placed.object {
            InlineObject::Image(image) => format!("image {}", image.source),
            InlineObject::Note(kind, said) => format!("{kind:?} {said:?}"),
        }));
    }
    found
}

/// The labels in a text that stand for what is no text: they say nothing, so such a thing cannot be made of them.
pub(super) fn object_labels(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('⟦').filter_map(|(at, _)| {
        let rest = text.get(at..)?;
        let label = rest.get(..rest.find('⟧')? + '⟧'.len_utf8())?;
        without_object_labels(label).is_empty().then_some(label)
    })
}

/// A number for each of some texts.
#[derive(Default)]
pub(super) struct KeyNumbers(BTreeMap<String, u64>);

impl KeyNumbers {
    pub(super) fn of(&mut self, key: &str) -> u64 {
        let next = self.0.len() as u64;
        *self.0.entry(key.to_owned()).or_insert(next)
    }
}

/// The text of a block that has one.
pub(super) fn text_of(block: &Block<StyledText>) -> Option<&StyledText> {
    match &block.kind {
        BlockKind::Paragraph(text)
        | BlockKind::Heading(_, text)
        | BlockKind::Item(Item { text, .. })
        | BlockKind::Term(text)
        | BlockKind::Definition(text) => Some(text),
        BlockKind::Table(_) | BlockKind::Code(_) | BlockKind::Rule => None,
    }
}

/// What a block says, for comparisons: in one typography and without numbers that lists and headings count.
pub(super) fn key(block: &Block<StyledText>, number: &str) -> String {
    match &block.kind {
        BlockKind::Table(table) => {
            table.rows.iter().flatten().map(|cell| folded(&cell.text) + " | ").collect()
        }
        BlockKind::Code(code) => code.clone(),
        BlockKind::Rule => "---".to_owned(),
        _ => {
            let text = text_of(block).map(|text| bare(text, number).text).unwrap_or_default();
            let bare = match typed_number(&text) {
                Some(number) => text.get(number.len..).unwrap_or_default(),
                None => text.as_str(),
            };
            match folded(bare).trim() {
                // Such as "Exhibit A", where all of it is the number.
                "" => folded(number).trim().to_owned(),
                text => text.to_owned(),
            }
        }
    }
}
