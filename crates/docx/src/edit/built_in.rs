//! Styles that Word knows by name, and that a document gets when new content needs one that it has not
//! (ISO/IEC 29500-1 §17.7.4.9).
//!
//! Must never change a style that is there.

use crate::styles::Styles;

/// A style that Word knows, or that documents made of Markdown have by custom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BuiltInStyle {
    /// A heading of level 1 to 9.
    Heading(u8),
    /// The words of a link.
    Hyperlink,
    /// The text of a footnote.
    FootnoteText,
    /// The mark of a footnote.
    FootnoteReference,
    /// The text of an endnote.
    EndnoteText,
    /// The mark of an endnote.
    EndnoteReference,
    /// A quotation.
    Quote,
    /// Lines of code.
    Code,
    /// A term with definitions below.
    Term,
    /// What a term means.
    Definition,
    /// A line of a table of contents, of level 1 to 9.
    Contents(u8),
    /// What stands above a table of contents.
    ContentsTitle,
}

impl BuiltInStyle {
    /// Its name in the file, which is English in every language.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Heading(level) => return format!("heading {level}"),
            Self::Contents(level) => return format!("toc {level}"),
            Self::ContentsTitle => "TOC Heading",
            Self::Hyperlink => "Hyperlink",
            Self::FootnoteText => "footnote text",
            Self::FootnoteReference => "footnote reference",
            Self::EndnoteText => "endnote text",
            Self::EndnoteReference => "endnote reference",
            Self::Quote => "Quote",
            Self::Code => "HTML Preformatted",
            Self::Term => "Definition Term",
            Self::Definition => "Definition",
        }
        .to_owned()
    }

    /// Whether it is one of characters.
    pub(crate) fn is_character(self) -> bool {
        matches!(self, Self::Hyperlink | Self::FootnoteReference | Self::EndnoteReference)
    }

    /// The id of the document's own style of that name.
    pub(crate) fn find(self, styles: &Styles) -> Option<&str> {
        let name = self.name();
        if self.is_character() { styles.character_id_of(&name) } else { styles.id_of(&name) }
    }

    /// The id that it gets in a document without it.
    pub(crate) fn free_id(self, styles: &Styles) -> String {
        let words = self.name();
        let own: String = words
            .split(' ')
            .flat_map(|word| {
                // As Word calls it.
                if word == "toc" {
                    return "TOC".chars().collect();
                }
                let mut letters = word.chars();
                letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<Vec<_>>()
            })
            .collect();
        let numbered = (1..).map(|number| format!("{own}{number}"));
        let mut ids = std::iter::once(own.clone()).chain(numbered);
        ids.find(|id| !styles.has(id)).unwrap_or(own)
    }
}
