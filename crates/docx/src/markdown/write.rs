//! The body as Markdown.

use super::inline::REVISION_SIGNS;
use std::collections::BTreeMap;

use super::read::{BodyReader, BodyReading};
use crate::document::WordDocument;
use crate::error::Error;
use crate::model::View;
use crate::text::write_blocks;

/// A document as Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkdownReading {
    /// The Markdown.
    pub text: String,
    /// What of the document it tells otherwise, or not at all.
    pub warnings: Vec<String>,
    /// The files of its pictures, by the names that it has for them.
    pub pictures: BTreeMap<String, Vec<u8>>,
}

impl WordDocument {
    /// The body as Markdown, in one of the views; [`View::Markup`] tells revisions as CriticMarkup does.
    ///
    /// # Errors
    /// When the part of notes cannot be read.
    pub fn to_markdown(&self, view: View) -> Result<String, Error> {
        self.markdown_reading(view).map(|reading| reading.text)
    }

    /// The same, with what it does not tell.
    ///
    /// # Errors
    /// When the part of notes cannot be read.
    pub fn markdown_reading(&self, view: View) -> Result<MarkdownReading, Error> {
        let (_, body, ..) = self.for_markdown();
        let BodyReading { blocks, mut warnings, pictures } = BodyReader::new(self, view)?.read(body);
        let pictures = self.picture_files(pictures, &mut warnings);
        let mut text = write_blocks(&blocks);
        if view == View::Markup {
            for (sign, shown) in REVISION_SIGNS {
                text = text.replace(sign, shown);
            }
        }
        Ok(MarkdownReading { text, warnings, pictures })
    }
}
