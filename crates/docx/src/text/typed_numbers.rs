//! Numbers that are typed before a text: `9.`, `4.2`, `(b)`, `Article IV`, `§ 7`, and the titles of attachments: `Schedule 2`.
//!
//! Must never look at a document: whether such a text heads anything is decided by those who know what stands around it.

use crate::text::markers::roman;

/// How a number is written. Numbers of one family count in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// `4`, `4.`, `4.2`.
    Decimal,
    /// `Article 4`, `Section 4.2`: the place of the word in [`WORDS`].
    Named(usize),
    /// Letters, and whether they are capitals.
    Letter(Enclosure, bool),
    /// Roman numbers, likewise.
    Roman(Enclosure, bool),
    /// `(4)`, `4)`.
    Enclosed(Enclosure),
}

/// What stands around a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Enclosure {
    /// `a.`
    Dot,
    /// `a)`
    Behind,
    /// `(a)`
    Around,
}

/// A number before a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TypedNumber {
    pub(crate) family: Family,
    /// How many numbers it is made of: 2 for `4.2`.
    pub(crate) depth: usize,
    /// The last of them.
    pub(crate) value: u32,
    /// Bytes of the text that it takes, with the white space behind it.
    pub(crate) len: usize,
}

/// Words that stand before a number of a provision, widest first. Several spellings are one word.
const WORDS: &[&[&str]] = &[
    &["part", "teil", "partie", "parte"],
    &["title", "titel", "titre"],
    &["chapter", "kapitel", "chapitre", "capitolo", "capítulo"],
    &["article", "artikel", "art.", "articolo", "artículo"],
    &["section", "abschnitt", "sec.", "sezione", "sección"],
    &["clause", "klausel", "ziffer", "clausola", "cláusula"],
    &["paragraph", "§"],
];

/// The widest words of [`WORDS`] that stand above sections with a style of their own.
const WIDE_WORDS: usize = 4;

/// Words that a title of an attachment begins with.
const ATTACHMENTS: &[&str] = &[
    "schedule",
    "annex",
    "annexe",
    "annexure",
    "exhibit",
    "appendix",
    "attachment",
    "addendum",
    "anlage",
    "anhang",
    "allegato",
    "anexo",
    "bijlage",
];

/// What the part for signatures begins with.
const SIGNATURES: &[&str] = &[
    "in witness whereof",
    "in witness of",
    "signature page",
    "[signature page",
    "signatures",
    "executed as a deed",
    "executed by the parties",
    "signed by the parties",
    "signed for and on behalf of",
    "this agreement has been entered into on the date",
];

/// Characters of a longest title.
const LONGEST_TITLE: usize = 120;

impl TypedNumber {
    /// Whether it stands above sections that have a style of their own: `Part I`, `Article 4`.
    pub(crate) fn is_wide(self) -> bool {
        matches!(self.family, Family::Named(word) if word < WIDE_WORDS)
    }

    /// The same as a roman number, if its letter can be one.
    pub(crate) fn as_roman(self) -> Option<Self> {
        let Family::Letter(enclosure, capital) = self.family else { return None };
        let letter = char::from_u32(u32::from(b'a') + self.value.checked_sub(1)?)?;
        let value = roman(letter.encode_utf8(&mut [0; 4]))?;
        Some(Self { family: Family::Roman(enclosure, capital), value, ..self })
    }
}

/// The number that a text begins with. A letter is taken for a letter, even where it may be a roman number.
pub(crate) fn typed_number(text: &str) -> Option<TypedNumber> {
    let start = text.len() - text.trim_start().len();
    let trimmed = text.trim_start();
    let found = named(trimmed).or_else(|| plain(trimmed))?;
    Some(TypedNumber { len: found.len + start, ..found })
}

/// The number of a marker that a list shows, which has no text behind it.
pub(crate) fn shown_number(marker: &str) -> Option<TypedNumber> {
    typed_number(&format!("{} X", marker.trim()))
}

/// Whether a text reads as the title of a schedule, annex, exhibit or the like.
pub(crate) fn is_attachment_title(text: &str) -> bool {
    let text = text.trim();
    if !is_short(text) {
        return false;
    }
    let (word, rest) = text.split_once([' ', '\t', '\u{A0}']).unwrap_or((text, ""));
    let bare = word.trim_end_matches([':', '.', '–', '—', '-']).to_lowercase();
    if !ATTACHMENTS.contains(&bare.as_str()) {
        return false;
    }
    let rest = rest.trim();
    if rest.is_empty() || bare.len() < word.to_lowercase().len() {
        return true;
    }
    let (number, behind) = rest.split_once([' ', '\t', '\n', '\u{A0}']).unwrap_or((rest, ""));
    let bare =
        number.trim_end_matches([':', '.', ')', ',', '–', '—', '-']).trim_start_matches(['(', '–', '—', '-']);
    let is_number = bare.is_empty()
        || bare.len() <= 6
            && bare.chars().all(|c| c.is_ascii_digit() || c.is_ascii_uppercase() || matches!(c, '.' | '-'));
    // "Schedule of Fees" is a title, "schedule 2 applies" is none.
    let is_name = word.starts_with(char::is_uppercase) && number.chars().count() > 1 && !is_number;
    let title_behind = |text: &str| {
        let text = text.trim_start();
        text.is_empty() || !text.starts_with(|c: char| c.is_lowercase())
    };
    is_number && title_behind(behind) || is_name && number.eq_ignore_ascii_case("of") && title_behind(behind)
}

/// Whether a text begins the part where the parties sign.
pub(crate) fn is_signature_title(text: &str) -> bool {
    let lower = text.trim().to_lowercase();
    SIGNATURES.iter().any(|opening| {
        lower.strip_prefix(opening).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    })
}

/// Whether a text is as short as a title and does not end as a sentence does.
pub(crate) fn is_short(text: &str) -> bool {
    let text = text.trim();
    !text.is_empty()
        && text.chars().take(LONGEST_TITLE + 1).count() <= LONGEST_TITLE
        && !text.ends_with(['.', ';', ',', '?', '!'])
}

/// `Article IV`, `Section 4.2 Term`, `第三条`.
fn named(text: &str) -> Option<TypedNumber> {
    if let Some(found) = chinese(text) {
        return Some(found);
    }
    let word_len = match text.strip_prefix('§') {
        Some(_) => '§'.len_utf8(),
        None => text.find([' ', '\t', '\u{A0}'])?,
    };
    let lower = text.get(..word_len)?.to_lowercase();
    let word = WORDS.iter().position(|spellings| spellings.contains(&lower.as_str()))?;
    let rest = text.get(word_len..)?;
    let number_at = word_len + rest.len() - rest.trim_start().len();
    let token = text.get(number_at..)?.split([' ', '\t', '\n', '\u{A0}']).next()?;
    let bare = token.trim_end_matches(['.', ':', ')', '–', '—', '-']);
    let (depth, value) = decimal(bare).or_else(|| {
        let roman = roman(&bare.to_lowercase()).map(|value| (1, value));
        let mut letters = bare.chars();
        let letter = letters.next().filter(|c| c.is_ascii_uppercase() && letters.next().is_none());
        roman.or(letter.map(|letter| (1, u32::from(letter) - u32::from('A') + 1)))
    })?;
    let behind = text.get(number_at + token.len()..)?;
    // "Section 4.2 of the Deed" is a sentence.
    let is_title = token.len() > bare.len()
        || behind.trim_start().is_empty()
        || !behind.trim_start().starts_with(|c: char| c.is_lowercase() || matches!(c, '(' | ','))
            && is_short(text);
    is_title.then(|| with_space(text, number_at + token.len(), Family::Named(word), (depth, value)))
}

/// `第三条`, `第2章`: the number is not read, the kind is.
fn chinese(text: &str) -> Option<TypedNumber> {
    let rest = text.strip_prefix('第')?;
    let (at, kind) =
        rest.char_indices().take(8).find(|(_, c)| matches!(c, '条' | '條' | '章' | '节' | '節'))?;
    let number = rest.get(..at)?;
    let digits = "零〇一二三四五六七八九十百0123456789";
    if number.is_empty() || !number.chars().all(|c| digits.contains(c)) {
        return None;
    }
    let word = match kind {
        '章' => 2,
        '节' | '節' => 4,
        _ => 3,
    };
    let end = '第'.len_utf8() + at + kind.len_utf8();
    Some(with_space(text, end, Family::Named(word), (1, 0)))
}

/// `9.`, `4.2`, `(b)`, `iv)`.
fn plain(text: &str) -> Option<TypedNumber> {
    let token = text.split([' ', '\t', '\n', '\u{A0}']).next()?;
    let tabbed = text.get(token.len()..).is_some_and(|rest| rest.starts_with('\t'));
    if text.len() == token.len() {
        return None;
    }
    let (bare, enclosure) = match token.strip_prefix('(') {
        Some(inner) => (inner.strip_suffix(')')?, Some(Enclosure::Around)),
        None if token.ends_with(')') => (token.trim_end_matches(')'), Some(Enclosure::Behind)),
        None if token.ends_with('.') => (token.trim_end_matches('.'), Some(Enclosure::Dot)),
        None => (token, None),
    };
    if let Some((depth, value)) = decimal(bare) {
        let family = match enclosure {
            Some(enclosure @ (Enclosure::Around | Enclosure::Behind)) => Family::Enclosed(enclosure),
            _ => Family::Decimal,
        };
        // "30 days" and "1.5 million" begin with an amount; "4.2 Term" with a number.
        let behind = text.get(token.len()..).unwrap_or_default().trim_start();
        let is_number = enclosure.is_some() || tabbed || depth > 1 && !behind.starts_with(char::is_lowercase);
        return is_number.then(|| with_space(text, token.len(), family, (depth, value)));
    }
    let enclosure = enclosure?;
    let capital = bare.bytes().all(|byte| byte.is_ascii_uppercase());
    if bare.is_empty() || bare.len() > 6 || !(capital || bare.bytes().all(|byte| byte.is_ascii_lowercase())) {
        return None;
    }
    let lower = bare.to_ascii_lowercase();
    let first = lower.bytes().next()?;
    let is_repeated = lower.bytes().all(|byte| byte == first);
    let value = u32::from(first - b'a') + 1;
    let (family, value) = match roman(&lower) {
        Some(value) if lower.len() > 1 => (Family::Roman(enclosure, capital), value),
        // (aa) follows (z).
        _ if lower.len() == 2 && is_repeated => (Family::Letter(enclosure, capital), value + 26),
        _ if lower.len() == 1 => (Family::Letter(enclosure, capital), value),
        _ => return None,
    };
    Some(with_space(text, token.len(), family, (1, value)))
}

/// How many numbers, and the last of them.
fn decimal(bare: &str) -> Option<(usize, u32)> {
    let parts: Vec<&str> = bare.split('.').collect();
    let is_number =
        |part: &&str| (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 9 || !parts.iter().all(is_number) {
        return None;
    }
    Some((parts.len(), parts.last()?.parse().ok()?))
}

fn with_space(text: &str, end: usize, family: Family, (depth, value): (usize, u32)) -> TypedNumber {
    let behind = text.get(end..).unwrap_or_default();
    let len = end + behind.len() - behind.trim_start().len();
    TypedNumber { family, depth, value, len }
}
