//! Bullets of symbol fonts as characters that any font can show.
//!
//! Must never let a private-use character through: it means nothing without its font.

/// What a bullet is shown as when nothing better is known.
pub(super) const BULLET: &str = "•";

/// A font whose characters are pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SymbolFont {
    /// Symbol.
    Symbol,
    /// Wingdings. Its sequels are treated as it: their bullets are mostly squares and dots too.
    Wingdings,
}

impl SymbolFont {
    /// By the font's name; `None` for a font of letters.
    pub(super) fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        match &*name {
            "symbol" => Some(Self::Symbol),
            _ if name.starts_with("wingdings") => Some(Self::Wingdings),
            _ => None,
        }
    }
}

/// Picture characters of Wingdings by their code in the font.
const WINGDINGS: &[(u32, char)] = &[
    (0x46, '☞'),
    (0x6C, '●'),
    (0x6D, '❍'),
    (0x6E, '■'),
    (0x6F, '□'),
    (0x70, '❐'),
    (0x71, '❑'),
    (0x72, '❒'),
    (0x73, '⬧'),
    (0x74, '⧫'),
    (0x75, '◆'),
    (0x76, '❖'),
    (0x77, '⬥'),
    (0x9E, '·'),
    (0x9F, '•'),
    (0xA0, '▪'),
    (0xA1, '○'),
    (0xA7, '▪'),
    (0xA8, '◻'),
    (0xAA, '✦'),
    (0xAB, '★'),
    (0xB2, '⟡'),
    (0xD8, '➢'),
    (0xDF, '←'),
    (0xE0, '→'),
    (0xE8, '➔'),
    (0xF0, '⇨'),
    (0xFB, '✗'),
    (0xFC, '✓'),
    (0xFD, '☒'),
    (0xFE, '☑'),
];

/// Picture characters of Symbol by their code in the font.
const SYMBOL: &[(u32, char)] = &[
    (0x2A, '∗'),
    (0x2D, '−'),
    (0xA7, '♣'),
    (0xA8, '♦'),
    (0xA9, '♥'),
    (0xAA, '♠'),
    (0xAE, '→'),
    (0xB0, '°'),
    (0xB7, '•'),
    (0xD7, '⋅'),
    (0xDE, '⇒'),
    (0xE0, '◊'),
];

/// The bullet as a reader would name it; never empty.
pub(super) fn readable(text: &str, font: Option<SymbolFont>) -> String {
    let shown: String = text.chars().map(|character| readable_character(character, font)).collect();
    let shown = shown.trim();
    if shown.is_empty() { BULLET.to_owned() } else { shown.to_owned() }
}

/// A character of a font as one that any font can show.
pub(crate) fn symbol(character: char, font: &str) -> String {
    readable_character(character, SymbolFont::named(font)).to_string()
}

fn readable_character(character: char, font: Option<SymbolFont>) -> char {
    let code = u32::from(character);
    let is_private = (0xE000..=0xF8FF).contains(&code);
    let code_in_font = match code {
        0xF000..=0xF0FF => code - 0xF000,
        // Some writers leave out the F0 of the private-use area and rely on the font's name.
        0x21..=0xFF if font.is_some() => code,
        _ if is_private => return '•',
        _ => return character,
    };
    let look = |table: &[(u32, char)]| table.iter().find(|row| row.0 == code_in_font).map(|row| row.1);
    let found = match font {
        Some(SymbolFont::Symbol) => look(SYMBOL),
        Some(SymbolFont::Wingdings) => look(WINGDINGS),
        // B7 is a dot in Symbol and a clock in Wingdings; every other common bullet without a font is of Wingdings.
        None if code_in_font == 0xB7 => look(SYMBOL),
        None => look(WINGDINGS).or_else(|| look(SYMBOL)),
    };
    found.unwrap_or(if is_private { '•' } else { character })
}
