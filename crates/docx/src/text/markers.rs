//! The markers of list items: bullets, numbers, letters, and what of a line is one.
//!
//! Must never take a year, a price or a paragraph number in running text for a marker.

/// The marker of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemMarker {
    /// `-`, `*`, `+`, `•`
    Bullet,
    /// `1.`, `(1)`, `1)`, with its number.
    Decimal(u32),
    /// `a.`, `(a)`, with its number.
    LowerLetter(u32),
    /// `A.`
    UpperLetter(u32),
    /// `i.`
    LowerRoman(u32),
    /// `I.`
    UpperRoman(u32),
    /// `2.3`: the number of the item above and its own.
    Legal(u32),
}

/// What stands around the number of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Enclosure {
    /// `1.`
    #[default]
    Period,
    /// `1)`
    Parenthesis,
    /// `(1)`
    Parentheses,
    /// `2.3`, which names the item above.
    Legal,
}

/// The marker of a line and the text behind it, if it begins with one.
#[must_use]
pub fn split_marker(line: &str) -> Option<(ItemMarker, &str)> {
    item(line).map(|(marker, _, text)| (marker, text))
}

/// A text without a typed number or bullet before it: `1.2.3 Term`, `Article IV. Term`, `(a) term`.
#[must_use]
pub fn without_marker(line: &str) -> &str {
    if let Some((_, _, text)) = item(line) {
        return text;
    }
    let trimmed = line.trim_start();
    if let Some((word, rest)) = trimmed.split_once(' ') {
        let dotted = word.trim_end_matches(['.', ')']);
        let is_dotted = dotted.contains('.')
            && dotted
                .split('.')
                .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        if is_dotted {
            return rest.trim_start();
        }
        let named = ["article", "section", "clause", "part", "chapter"];
        if named.contains(&word.to_lowercase().as_str()) {
            let number = rest.split([' ', ':']).next().unwrap_or_default();
            let bare = number.trim_end_matches(['.', ':']);
            let behind = rest.get(number.len()..).unwrap_or_default();
            let numbered = !bare.is_empty()
                && (bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
                    || roman(&bare.to_lowercase()).is_some());
            if numbered && (number != bare || behind.starts_with(':')) {
                return behind.trim_start_matches(':').trim_start();
            }
        }
    }
    line
}

/// The marker of a line, what is around its number, and the text behind it.
pub(super) fn item(line: &str) -> Option<(ItemMarker, Enclosure, &str)> {
    let line = line.trim_start();
    for bullet in ["- ", "* ", "+ ", "• ", "•\t", "– "] {
        if let Some(text) = line.strip_prefix(bullet).filter(|text| !text.trim().is_empty()) {
            return Some((ItemMarker::Bullet, Enclosure::Period, text.trim_start()));
        }
    }
    let (marker, text) = line.split_once([' ', '\t'])?;
    let text = text.trim_start();
    if text.is_empty() {
        return None;
    }
    let (bare, enclosure) = match (marker.strip_prefix('('), marker.strip_suffix('.')) {
        (Some(inner), _) => (inner.strip_suffix(')')?, Enclosure::Parentheses),
        (None, Some(bare)) => (bare, Enclosure::Period),
        (None, None) => (marker.strip_suffix(')')?, Enclosure::Parenthesis),
    };
    numbered(bare).map(|marker| (marker, enclosure, text))
}

fn numbered(bare: &str) -> Option<ItemMarker> {
    if bare.is_empty() || bare.len() > 6 {
        return None;
    }
    if bare.bytes().all(|byte| byte.is_ascii_digit()) {
        return (bare.len() <= 3).then(|| bare.parse().ok().map(ItemMarker::Decimal)).flatten();
    }
    let letter = |first: u8| bare.bytes().next().map_or(0, |byte| u32::from(byte - first) + 1);
    let is_lower = bare.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_upper = bare.bytes().all(|byte| byte.is_ascii_uppercase());
    match (is_lower, is_upper, bare.len()) {
        // A lone letter may be a roman number, too: its neighbours tell, see `settle_letters`.
        (true, _, 1) => Some(ItemMarker::LowerLetter(letter(b'a'))),
        (_, true, 1) => Some(ItemMarker::UpperLetter(letter(b'A'))),
        (true, ..) => roman(bare).map(ItemMarker::LowerRoman),
        (_, true, _) => roman(&bare.to_lowercase()).map(ItemMarker::UpperRoman),
        _ => None,
    }
}

/// The value of a roman number in small letters, written as the Romans' heirs do.
pub(super) fn roman(text: &str) -> Option<u32> {
    let mut value = 0;
    let mut rest = text;
    for (digits, worth) in [
        ("m", 1000),
        ("cm", 900),
        ("d", 500),
        ("cd", 400),
        ("c", 100),
        ("xc", 90),
        ("l", 50),
        ("xl", 40),
        ("x", 10),
        ("ix", 9),
        ("v", 5),
        ("iv", 4),
        ("i", 1),
    ] {
        let most = if digits.len() == 1 && "mcxi".contains(digits) { 3 } else { 1 };
        for _ in 0..most {
            if let Some(after) = rest.strip_prefix(digits) {
                value += worth;
                rest = after;
            }
        }
    }
    (rest.is_empty() && value > 0).then_some(value)
}

/// The steps of a number such as `2.3`, and the text behind it.
pub(super) fn legal_number(line: &str) -> Option<(Vec<u32>, &str)> {
    let (number, text) = line.trim_start().split_once([' ', '\t'])?;
    let steps: Option<Vec<u32>> = number
        .trim_end_matches('.')
        .split('.')
        .map(|step| step.parse().ok().filter(|_| step.len() < 4))
        .collect();
    let steps = steps.filter(|steps| steps.len() > 1)?;
    let text = text.trim_start();
    (!text.is_empty()).then_some((steps, text))
}

/// The number of an item; 0 for a bullet.
pub(crate) fn number_of(marker: ItemMarker) -> u32 {
    match marker {
        ItemMarker::Bullet => 0,
        ItemMarker::Decimal(number)
        | ItemMarker::LowerLetter(number)
        | ItemMarker::UpperLetter(number)
        | ItemMarker::LowerRoman(number)
        | ItemMarker::UpperRoman(number)
        | ItemMarker::Legal(number) => number,
    }
}
