//! Takes disguises off a text: other letters that look alike, marks on letters, digits for letters, letters set apart.
//!
//! Only for judging: what is shown stays as its author wrote it.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Letters of other scripts, and what they look like.
const ALIKE: &[(char, char)] = &[
    ('а', 'a'),
    ('в', 'b'),
    ('с', 'c'),
    ('ԁ', 'd'),
    ('е', 'e'),
    ('ё', 'e'),
    ('һ', 'h'),
    ('і', 'i'),
    ('ї', 'i'),
    ('ј', 'j'),
    ('к', 'k'),
    ('ӏ', 'l'),
    ('м', 'm'),
    ('н', 'h'),
    ('о', 'o'),
    ('р', 'p'),
    ('ԛ', 'q'),
    ('ѕ', 's'),
    ('т', 't'),
    ('у', 'y'),
    ('ѵ', 'v'),
    ('ԝ', 'w'),
    ('х', 'x'),
    ('ɡ', 'g'),
    ('ɑ', 'a'),
    ('ı', 'i'),
    ('ǃ', '!'),
    ('α', 'a'),
    ('β', 'b'),
    ('ε', 'e'),
    ('ι', 'i'),
    ('κ', 'k'),
    ('ν', 'v'),
    ('ο', 'o'),
    ('ρ', 'p'),
    ('τ', 't'),
    ('υ', 'u'),
    ('χ', 'x'),
    ('ո', 'n'),
    ('օ', 'o'),
    ('ս', 'u'),
    ('հ', 'h'),
    ('ց', 'g'),
    ('ƅ', 'b'),
    ('ł', 'l'),
    ('ø', 'o'),
    ('đ', 'd'),
    ('ħ', 'h'),
    ('ß', 's'),
    ('᧐', 'o'),
    ('ꓲ', 'i'),
    ('ᴀ', 'a'),
    ('ʙ', 'b'),
    ('ᴄ', 'c'),
    ('ᴅ', 'd'),
    ('ᴇ', 'e'),
    ('ꜰ', 'f'),
    ('ɢ', 'g'),
    ('ʜ', 'h'),
    ('ɪ', 'i'),
    ('ᴊ', 'j'),
    ('ᴋ', 'k'),
    ('ʟ', 'l'),
    ('ᴍ', 'm'),
    ('ɴ', 'n'),
    ('ᴏ', 'o'),
    ('ᴘ', 'p'),
    ('ʀ', 'r'),
    ('ꜱ', 's'),
    ('ᴛ', 't'),
    ('ᴜ', 'u'),
    ('ᴠ', 'v'),
    ('ᴡ', 'w'),
    ('ʏ', 'y'),
    ('ᴢ', 'z'),
];

/// Digits and signs that stand for letters.
const DIGITS: &[(char, char)] = &[
    ('0', 'o'),
    ('1', 'i'),
    ('3', 'e'),
    ('4', 'a'),
    ('5', 's'),
    ('7', 't'),
    ('@', 'a'),
    ('$', 's'),
    ('!', 'i'),
    ('|', 'l'),
];

/// How a text may be read: as it stands, and without each disguise.
pub(super) fn fold(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let bare: String = lower.nfkd().filter(|c| !is_combining_mark(*c)).collect::<String>().nfkc().collect();
    let latin = mapped(&bare, ALIKE);
    let letters = mapped(&latin, DIGITS);
    let mut readings = vec![lower.nfkc().collect(), joined(&latin), latin, joined(&letters), letters];
    readings.extend(turned(&bare));
    readings.dedup();
    readings
}

fn mapped(text: &str, pairs: &[(char, char)]) -> String {
    text.chars().map(|c| pairs.iter().find(|(from, _)| *from == c).map_or(c, |(_, to)| *to)).collect()
}

/// Letters that stand alone joined to words: *i g n o r e*, *i.g.n.o.r.e*. Two gaps end a word.
fn joined(text: &str) -> String {
    let is_gap = |c: char| c.is_whitespace() || matches!(c, '.' | '-' | '_' | '*' | '/' | '|' | ',');
    let chars: Vec<char> = text.chars().collect();
    let mut joined = String::with_capacity(text.len());
    for (at, char) in chars.iter().enumerate() {
        let get = |from: Option<usize>| from.and_then(|at| chars.get(at)).copied();
        let is_alone = |letter: Option<usize>| {
            let beside = [letter.and_then(|at| at.checked_sub(1)), letter.map(|at| at + 1)];
            get(letter).is_some_and(char::is_alphabetic)
                && beside.into_iter().all(|at| get(at).is_none_or(is_gap))
        };
        let is_between = is_gap(*char) && is_alone(at.checked_sub(1)) && is_alone(Some(at + 1));
        if !is_between {
            joined.push(*char);
        }
    }
    joined
}

/// The text read backwards and by ROT13, where someone may have hidden it so; and what Base64 in it says.
fn turned(text: &str) -> Vec<String> {
    let rotated = text.chars().map(|c| match c {
        'a'..='m' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        other => other,
    });
    vec![rotated.collect(), text.chars().rev().collect()]
}

/// Whether a text hides something that a reader cannot see or that nobody here can judge: characters that do not show inside
/// words, a word of two scripts, a long run that may be Base64, or a script without patterns.
pub(super) fn is_hidden_text(text: &str) -> bool {
    let words = text.split(|c: char| c.is_whitespace());
    words.into_iter().any(|word| is_mixed(word) || is_packed(word))
        || has_hidden(text)
        || is_foreign(text)
        || is_spaced(text)
}

/// So many letters that stand alone in a row are no words.
const ALONE: usize = 8;

/// Whether letters are set apart so that no word is seen: *i g n o r e   a l l*.
fn is_spaced(text: &str) -> bool {
    let mut row = 0;
    text.split(|c: char| c.is_whitespace() || matches!(c, '.' | '-' | '_' | '*' | '/' | '|' | ','))
        .filter(|word| !word.is_empty())
        .any(|word| {
            let mut chars = word.chars();
            let is_letter = chars.next().is_some_and(char::is_alphabetic) && chars.next().is_none();
            row = if is_letter { row + 1 } else { 0 };
            row >= ALONE
        })
}

fn has_hidden(text: &str) -> bool {
    // Joiners and variation selectors belong to emoji and to some scripts.
    text.chars().any(|c| {
        matches!(c, '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    })
}

fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || ('\u{c0}'..='\u{24f}').contains(&c)
}

fn is_mixed(word: &str) -> bool {
    let looks_latin = |c: char| matches!(c, '\u{370}'..='\u{52f}' | '\u{531}'..='\u{588}' | '\u{1d400}'..='\u{1d7ff}' | '\u{ff21}'..='\u{ff5a}' | '\u{1d00}'..='\u{1d2b}' | '\u{2460}'..='\u{24ff}');
    let is_odd =
        |c: char| matches!(c, '\u{1d400}'..='\u{1d7ff}' | '\u{ff21}'..='\u{ff5a}' | '\u{249c}'..='\u{24e9}');
    word.chars().filter(|c| is_odd(*c)).count() >= 3
        || word.chars().any(is_latin)
            && word.chars().any(looks_latin)
            && word.chars().filter(|c| c.is_alphabetic()).count() >= 4
}

/// A long word of the alphabet of Base64 or hexadecimal digits.
fn is_packed(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '=');
    let is_alphabet =
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let has = |is: fn(u8) -> bool| word.bytes().any(is);
    word.len() >= 20
        && is_alphabet
        && (word.ends_with('=')
            || has(|byte| byte.is_ascii_digit())
                && has(|byte| byte.is_ascii_uppercase())
                && has(|byte| byte.is_ascii_lowercase())
            || word.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether most letters are of a script in which no pattern is written.
fn is_foreign(text: &str) -> bool {
    let is_known = |c: char| {
        is_latin(c)
            || matches!(c, '\u{400}'..='\u{52f}' | '\u{370}'..='\u{3ff}' | '\u{590}'..='\u{6ff}' | '\u{900}'..='\u{97f}'
            | '\u{1e00}'..='\u{1eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{ff00}'..='\u{ffef}')
    };
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let (mut known, mut foreign) = (0usize, 0usize);
    letters.for_each(|c| if is_known(c) { known += 1 } else { foreign += 1 });
    foreign > known
}
