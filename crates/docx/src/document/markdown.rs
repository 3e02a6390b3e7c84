//! The document as Markdown, and a body that Markdown makes anew: what `markdown` asks of a document, and what it gives.

use std::collections::BTreeMap;

use super::WordDocument;
use crate::error::{Error, Refusal};
use crate::markdown::{BodyMarkdown, BodySource, NotePart, Rewrite, body_markdown, rewrite};
use crate::model::View;

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
        let BodyMarkdown { text, mut warnings, pictures } = body_markdown(&self.body_source()?, view);
        let pictures = self.picture_files(pictures, &mut warnings);
        Ok(MarkdownReading { text, warnings, pictures })
    }

    /// The edits that make the body say what `content` says.
    pub(super) fn rewrite(&self, content: &str) -> Result<Result<Rewrite, Refusal>, Error> {
        Ok(rewrite(&self.body_source()?, content))
    }

    fn body_source(&self) -> Result<BodySource<'_>, Error> {
        let mut notes = Vec::new();
        for (kind, is_end) in [("footnotes", false), ("endnotes", true)] {
            if let Some(name) = self.related_name(kind) {
                let tree = self.story_tree(&name)?.into_owned();
                notes.push(NotePart { is_end, tree, relationships: self.relationships_of(&name)? });
            }
        }
        Ok(BodySource {
            document: &self.tree,
            body: self.body,
            styles: &self.styles,
            numbering: &self.numbering,
            relationships: self.relationships_of("")?,
            notes,
        })
    }
}
