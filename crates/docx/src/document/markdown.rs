//! The document as Markdown, and a body that Markdown makes anew: what `markdown` asks of a document, and what it gives.

use std::collections::BTreeMap;

use super::WordDocument;
use crate::edit::GivenFiles;
use crate::error::{Error, Refusal, RefusalCode};
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

    /// What another document says in its accepted state, with its pictures among the files, and what people should know of it.
    pub(super) fn told_by(
        &self,
        name: &str,
        files: &mut GivenFiles,
    ) -> Result<(String, Vec<String>), Refusal> {
        let refused = |message: String| Refusal::new(RefusalCode::InvalidContent, message);
        let Some(bytes) = files.get(name) else {
            let message =
                format!("the document '{name}' was not given; name a .docx file that lies beside this one");
            return Err(refused(message));
        };
        let read = Self::open(bytes.to_vec(), &self.limits);
        let read = read.and_then(|other| other.markdown_reading(View::Accepted));
        let read =
            read.map_err(|error| refused(format!("'{name}' cannot be read as a Word document: {error}")))?;
        let own = self.markdown_reading(View::Accepted).map(|own| own.pictures).unwrap_or_default();
        let looks = "of the other document its text is taken, with lists, tables, notes and emphasis; \
            `engross compare` takes headers, styles and layout as well";
        let mut told = vec![looks.to_owned()];
        for (picture, bytes) in read.pictures {
            if own.get(&picture).is_some_and(|own| *own != bytes) {
                told.push(format!(
                    "both documents call a picture '{picture}', and the one that is here stays"
                ));
            }
            files.entry(picture).or_insert_with(|| bytes.into());
        }
        Ok((read.text, told))
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
