//! Counts list paragraphs and makes their markers.
//!
//! Must never be fed out of order: a marker depends on every list paragraph before it.

use std::collections::{BTreeMap, BTreeSet};

use super::definitions::{List, Numbering};
use super::format::NumberFormat;
use super::symbols;
use crate::styles::{DEEPEST_LEVEL, Styles};

/// Levels of a list.
const LEVELS: usize = DEEPEST_LEVEL as usize + 1;

/// Characters of a marker.
const MAX_MARKER: usize = 256;

/// What a reader sees before a list paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The visible marker: `1.`, `(a)`, `Article IV.`, `•`. Empty for a level that shows none.
    pub text: String,
    /// The list level, 0 to 8.
    pub level: u8,
    /// Whether the marker is a picture and not a number.
    pub bullet: bool,
    /// The list instance (`w:numId`).
    pub num_id: i64,
    /// The paragraph's number on its level.
    pub number: i64,
    /// How the level shows its number.
    pub format: NumberFormat,
}

/// Counts the list paragraphs of one story (body, footnotes, a header), in file order.
///
/// Instances of one abstract list count together. A `w:startOverride` makes its level start again the first time that
/// the instance is used on that level. A level starts again when a shallower one advances, unless `w:lvlRestart` says
/// otherwise. A paragraph deeper than any before it brings the levels above it to their first number, so that
/// `1.1` may be followed by `2`.
#[derive(Debug, Clone)]
pub struct Counter<'a> {
    numbering: &'a Numbering,
    styles: &'a Styles,
    /// Last number of each level, by abstract list.
    counts: BTreeMap<usize, [Option<i64>; LEVELS]>,
    /// Instance and level whose start override has been used up.
    restarted: BTreeSet<(i64, u8)>,
}

impl<'a> Counter<'a> {
    /// A counter at the start of a story.
    #[must_use]
    pub fn new(numbering: &'a Numbering, styles: &'a Styles) -> Self {
        Self { numbering, styles, counts: BTreeMap::new(), restarted: BTreeSet::new() }
    }

    /// Counts the next list paragraph, as [`super::paragraph_numbering`] describes it, and gives its marker. `None`
    /// when the instance is not defined; nothing is counted then.
    pub fn next(&mut self, num_id: i64, level: u8) -> Option<Marker> {
        let level = level.min(DEEPEST_LEVEL);
        let list = self.numbering.list(num_id, self.styles)?;
        let restarts = list.start_override(level).is_some() && self.restarted.insert((num_id, level));
        let counts = self.counts.entry(list.number).or_default();
        let mut number = list.start(level);
        for (each, count) in (0..).zip(counts.iter_mut()) {
            if each < level {
                count.get_or_insert(list.start(each));
            } else if each == level {
                if let Some(last) = count.filter(|_| !restarts) {
                    number = last.saturating_add(1);
                }
                *count = Some(number);
            } else if starts_again(list, each, level) {
                *count = None;
            }
        }
        let definition = list.level(level);
        let bullet = definition.format == NumberFormat::Bullet;
        let text = if bullet {
            symbols::readable(&definition.text, definition.font)
        } else {
            numbers_in_text(list, level, counts)
        };
        Some(Marker { text, level, bullet, num_id, number, format: definition.format })
    }
}

/// Whether `level` starts again after a paragraph on the shallower level `used`.
fn starts_again(list: List<'_>, level: u8, used: u8) -> bool {
    match list.level(level).restart_after {
        Some(0) => false,
        // A level that is not above this one says nothing (ISO/IEC 29500-1, 17.9.10).
        Some(after) if (1..=i64::from(level)).contains(&after) => i64::from(used) < after,
        _ => true,
    }
}

/// The text of a level with its placeholders filled in. Those of deeper levels, and of bullets, show nothing.
fn numbers_in_text(list: List<'_>, level: u8, counts: &[Option<i64>; LEVELS]) -> String {
    let definition = list.level(level);
    let mut text = String::new();
    let mut characters = definition.text.chars().peekable();
    while let Some(character) = characters.next() {
        let digit = characters.peek().and_then(|next| next.to_digit(10)).filter(|digit| *digit > 0);
        let Some(digit) = digit.filter(|_| character == '%') else {
            text.push(if character.is_control() { ' ' } else { character });
            continue;
        };
        characters.next();
        let referred = (0..=level).zip(counts).find(|(each, _)| u32::from(*each) + 1 == digit);
        if let Some((each, count)) = referred {
            let format = match list.level(each).format {
                own @ (NumberFormat::Bullet | NumberFormat::None) => own,
                _ if definition.is_legal => NumberFormat::Decimal,
                own => own,
            };
            text.push_str(&format.show(count.unwrap_or(list.start(each))));
        }
    }
    text.trim().chars().take(MAX_MARKER).collect()
}
