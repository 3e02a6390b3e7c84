//! Lists: what marker a reader sees before a numbered or bulleted paragraph.
//!
//! [`Numbering`] holds the definitions of the numbering part, [`paragraph_numbering`] says which list and level a
//! paragraph has, [`Counter`] counts the paragraphs of one story in file order. Must never change a definition, and
//! never read what a paragraph *had* (`w:pPrChange`, `w:numberingChange`): a tracked change counts as it is now.

mod counter;
mod definitions;
mod format;
mod symbols;

pub use counter::{Counter, Marker};
pub use definitions::Numbering;
pub use format::NumberFormat;
pub(crate) use symbols::symbol;

use engross_xml::{Document, NodeId};

use crate::names;
use crate::styles::{Styles, integer, level, value_of};

/// The list (`w:numId`) and level (0 to 8) that a paragraph has; `None` when it is in no list.
///
/// What the paragraph says itself wins over its style, number and level each on its own; number 0 means "in no list".
/// A level that names a style (`w:lvl/w:pStyle`) is the level of the paragraphs of that style, whatever `w:ilvl` the
/// style holds (ISO/IEC 29500-1, 17.9.23). The answer may name a definition that does not exist.
#[must_use]
pub fn paragraph_numbering(
    document: &Document,
    paragraph: NodeId,
    styles: &Styles,
    numbering: &Numbering,
) -> Option<(i64, u8)> {
    let direct = document
        .child(paragraph, names::P_PR)
        .and_then(|properties| document.child(properties, names::NUM_PR));
    let value = |name| value_of(document, direct?, name);
    let direct_number = value(names::NUM_ID).and_then(|value| integer(&value));
    let direct_level = value(names::ILVL).and_then(|value| level(&value));

    let style = styles.of_paragraph(document, paragraph).unwrap_or_default();
    let num_id = direct_number.or_else(|| styles.chain(style).find_map(|style| style.num_id))?;
    if num_id == 0 {
        return None;
    }
    let level = direct_level.or_else(|| {
        styles
            .chain(style)
            .find_map(|style| numbering.level_of_style(num_id, &style.id, styles).or(style.level))
    });
    Some((num_id, level.unwrap_or(0)))
}

#[cfg(test)]
mod counter_tests;
#[cfg(test)]
mod definitions_tests;
#[cfg(test)]
mod format_tests;
