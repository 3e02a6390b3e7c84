//! Whether `i.` and `v.` are letters or roman numbers: the items before them say it.

use super::blocks::{Block, BlockKind};
use super::markers::ItemMarker;

/// A lone `i.` begins roman numbers unless `h.` stands before it; `v.` and `x.` follow what the list began with.
pub(super) fn settle_letters<T>(blocks: &mut [Block<T>]) {
    let mut last: Vec<Option<ItemMarker>> = Vec::new();
    for block in blocks {
        let within = block.within.is_some();
        let BlockKind::Item(item) = &mut block.kind else {
            if !within {
                last.clear();
            }
            continue;
        };
        let level = usize::from(item.level);
        last.resize(level + 1, None);
        let before = last.get(level).copied().flatten();
        item.marker = match (item.marker, before) {
            (ItemMarker::LowerLetter(9), before) if before != Some(ItemMarker::LowerLetter(8)) => {
                ItemMarker::LowerRoman(1)
            }
            (ItemMarker::UpperLetter(9), before) if before != Some(ItemMarker::UpperLetter(8)) => {
                ItemMarker::UpperRoman(1)
            }
            (ItemMarker::LowerLetter(n), Some(ItemMarker::LowerRoman(_))) => {
                lone_roman(n).map_or(item.marker, ItemMarker::LowerRoman)
            }
            (ItemMarker::UpperLetter(n), Some(ItemMarker::UpperRoman(_))) => {
                lone_roman(n).map_or(item.marker, ItemMarker::UpperRoman)
            }
            (marker, _) => marker,
        };
        if let Some(known) = last.get_mut(level) {
            *known = Some(item.marker);
        }
    }
}

/// What the letter with this number is worth as a roman digit.
fn lone_roman(letter: u32) -> Option<u32> {
    match letter {
        9 => Some(1),
        22 => Some(5),
        24 => Some(10),
        12 => Some(50),
        3 => Some(100),
        4 => Some(500),
        13 => Some(1000),
        _ => None,
    }
}
