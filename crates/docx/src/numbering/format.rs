//! Numbers as a list shows them: 4, 04, IV, d, Fourth.
//!
//! Must never fail: a number that a format cannot show is shown in decimal.

/// How a level shows its number (`w:numFmt`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberFormat {
    /// 1, 2, 3.
    Decimal,
    /// 01, 02, … 10.
    DecimalZero,
    /// 001, 002: at least this many digits (`custom`, as Word 2010 writes it).
    ZeroPadded(u8),
    /// I, II, III.
    UpperRoman,
    /// i, ii, iii.
    LowerRoman,
    /// A, B, … Z, AA, BB.
    UpperLetter,
    /// a, b, … z, aa, bb.
    LowerLetter,
    /// 1st, 2nd, 3rd. English, as are the next two, whatever the language of the document.
    Ordinal,
    /// One, Two, Twenty-one.
    CardinalText,
    /// First, Second, Twenty-first.
    OrdinalText,
    /// 9, A, B, … 10.
    Hex,
    /// *, †, ‡, §, **.
    Chicago,
    /// A picture instead of a number.
    Bullet,
    /// No number.
    None,
    /// A format that is not listed here, such as a CJK or an enclosed one. Shown in decimal, which keeps the order and
    /// the value readable in every font.
    Other,
}

/// Word shows no Roman numeral beyond this.
const ROMAN_LIMIT: i64 = 32_767;
/// Thirty rounds of the alphabet, where Word stops as well.
const LETTER_LIMIT: i64 = 26 * 30;
/// Thirty rounds of the four signs.
const CHICAGO_LIMIT: i64 = 4 * 30;
/// Number words end before the first million.
const WORDS_LIMIT: i64 = 999_999;

const ROMAN: &[(i64, &str)] = &[
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

const UNITS: &[&str] = &[
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: &[&str] =
    &["", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

impl NumberFormat {
    /// By the value of `w:numFmt/@w:val` and, for `custom`, the pattern of `@w:format` (`001, 002, 003, ...`).
    #[must_use]
    pub fn parse(value: &str, pattern: Option<&str>) -> Self {
        match value {
            "decimal" => Self::Decimal,
            "decimalZero" => Self::DecimalZero,
            "upperRoman" => Self::UpperRoman,
            "lowerRoman" => Self::LowerRoman,
            "upperLetter" => Self::UpperLetter,
            "lowerLetter" => Self::LowerLetter,
            "ordinal" => Self::Ordinal,
            "cardinalText" => Self::CardinalText,
            "ordinalText" => Self::OrdinalText,
            "hex" => Self::Hex,
            "chicago" => Self::Chicago,
            "bullet" => Self::Bullet,
            "none" => Self::None,
            "custom" => zero_padded(pattern.unwrap_or_default()).unwrap_or(Self::Other),
            _ => Self::Other,
        }
    }

    /// The number as text; empty for [`Self::Bullet`] and [`Self::None`].
    #[must_use]
    pub fn show(self, number: i64) -> String {
        let special = match self {
            Self::Decimal | Self::Other => None,
            Self::Bullet | Self::None => Some(String::new()),
            Self::DecimalZero => padded(number, 2),
            Self::ZeroPadded(width) => padded(number, width),
            Self::UpperRoman => roman(number),
            Self::LowerRoman => roman(number).map(|text| text.to_lowercase()),
            Self::UpperLetter => letters(number),
            Self::LowerLetter => letters(number).map(|text| text.to_lowercase()),
            Self::Ordinal => (number >= 0).then(|| format!("{number}{}", ordinal_ending(number))),
            Self::CardinalText => cardinal(number).map(|text| capitalised(&text)),
            Self::OrdinalText => cardinal(number).map(|text| capitalised(&ordinal(&text))),
            Self::Hex => (number >= 0).then(|| format!("{number:X}")),
            Self::Chicago => repeated(number, &['*', '†', '‡', '§'], CHICAGO_LIMIT),
        };
        special.unwrap_or_else(|| number.to_string())
    }
}

/// The format behind a pattern such as `001, 002, 003, ...`.
fn zero_padded(pattern: &str) -> Option<NumberFormat> {
    let first = pattern.split(',').next()?.trim();
    let is_padded_one = first.ends_with('1') && first.trim_start_matches('0') == "1";
    let width = u8::try_from(first.len()).ok().filter(|width| (2..=9).contains(width))?;
    is_padded_one.then_some(NumberFormat::ZeroPadded(width))
}

fn padded(number: i64, width: u8) -> Option<String> {
    (number >= 0).then(|| format!("{number:0width$}", width = usize::from(width)))
}

fn roman(number: i64) -> Option<String> {
    if !(1..=ROMAN_LIMIT).contains(&number) {
        return None;
    }
    let mut rest = number;
    let mut text = String::new();
    for (value, numeral) in ROMAN {
        while rest >= *value {
            text.push_str(numeral);
            rest -= value;
        }
    }
    Some(text)
}

fn letters(number: i64) -> Option<String> {
    let alphabet: Vec<char> = ('A'..='Z').collect();
    repeated(number, &alphabet, LETTER_LIMIT)
}

/// The signs in turn, then each of them twice, and so on: Z is followed by AA, AA by BB.
fn repeated(number: i64, signs: &[char], limit: i64) -> Option<String> {
    if !(1..=limit).contains(&number) {
        return None;
    }
    let index = usize::try_from(number - 1).ok()?;
    let sign = signs.get(index % signs.len())?;
    Some(std::iter::repeat_n(*sign, index / signs.len() + 1).collect())
}

fn ordinal_ending(number: i64) -> &'static str {
    match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    }
}

/// `one hundred twenty-three`.
fn cardinal(number: i64) -> Option<String> {
    if !(0..=WORDS_LIMIT).contains(&number) {
        return None;
    }
    let number = usize::try_from(number).ok()?;
    let (thousands, rest) = (number / 1000, number % 1000);
    let mut parts = vec![];
    if thousands > 0 {
        parts.push(format!("{} thousand", below_thousand(thousands)?));
    }
    if rest > 0 || thousands == 0 {
        parts.push(below_thousand(rest)?);
    }
    Some(parts.join(" "))
}

fn below_thousand(number: usize) -> Option<String> {
    let (hundreds, rest) = (number / 100, number % 100);
    let mut parts = vec![];
    if hundreds > 0 {
        parts.push(format!("{} hundred", UNITS.get(hundreds)?));
    }
    if let Some(unit) = UNITS.get(rest).filter(|_| rest > 0 || hundreds == 0) {
        parts.push((*unit).to_owned());
    } else if rest > 0 {
        let tens = TENS.get(rest / 10)?;
        let unit = UNITS.get(rest % 10)?;
        parts.push(if rest % 10 == 0 { (*tens).to_owned() } else { format!("{tens}-{unit}") });
    }
    Some(parts.join(" "))
}

/// A number in words as its place in a row: only the last word changes.
fn ordinal(cardinal: &str) -> String {
    let (before, last) = cardinal.split_at(cardinal.rfind([' ', '-']).map_or(0, |at| at + 1));
    let last = match last {
        "one" => "first".to_owned(),
        "two" => "second".to_owned(),
        "three" => "third".to_owned(),
        "five" => "fifth".to_owned(),
        "eight" => "eighth".to_owned(),
        "nine" => "ninth".to_owned(),
        "twelve" => "twelfth".to_owned(),
        _ => last.strip_suffix('y').map_or_else(|| format!("{last}th"), |stem| format!("{stem}ieth")),
    };
    format!("{before}{last}")
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}
