//! A body as Markdown, and what makes a body say what Markdown says.
//!
//! | File | Question it answers |
//! |---|---|
//! | `source` | what of a document is read? |
//! | `read`, `inline` | what does it say, block by block, and where does each block stand? |
//! | `rewrite` | which edits make it say something else? |
//!
//! What Markdown cannot say (fields, equations) is named by the labels of a reading. Must never guess a structure that the
//! document does not have.

mod inline;
mod read;
mod rewrite;
mod source;

use crate::model::View;
use crate::text::write_blocks;

use self::inline::REVISION_SIGNS;
pub(crate) use self::inline::slug;
use self::read::{BodyReader, BodyReading};
pub(crate) use self::rewrite::{Rewrite, rewrite};
pub(crate) use self::source::{BodySource, NotePart};

/// A body as Markdown, before the files of its pictures are read.
pub(crate) struct BodyMarkdown {
    pub(crate) text: String,
    /// What of the document it tells otherwise, or not at all.
    pub(crate) warnings: Vec<String>,
    /// The names that it has for pictures, and the parts with their files.
    pub(crate) pictures: std::collections::BTreeMap<String, String>,
}

/// A body as Markdown, in one of the views; [`View::Markup`] tells revisions as CriticMarkup does.
pub(crate) fn body_markdown(source: &BodySource<'_>, view: View) -> BodyMarkdown {
    let BodyReading { blocks, warnings, pictures, .. } = BodyReader::new(source, view).read(source.body);
    let mut text = write_blocks(&blocks);
    if view == View::Markup {
        for (sign, shown) in REVISION_SIGNS {
            text = text.replace(sign, shown);
        }
    }
    BodyMarkdown { text, warnings, pictures }
}

/// Markdown without the block of `key: value` lines between `---` that programs put before it; says whether there was one.
pub(crate) fn without_front_matter(markdown: &str) -> (&str, bool) {
    let inner = markdown.strip_prefix("---\n").or_else(|| markdown.strip_prefix("---\r\n"));
    let Some(inner) = inner else { return (markdown, false) };
    let mut at = 0;
    for line in inner.split_inclusive('\n') {
        at += line.len();
        let text = line.trim_end();
        if text == "---" || text == "..." {
            return (inner.get(at..).unwrap_or_default(), at > line.len());
        }
        let is_entry = text.starts_with([' ', '-', '#'])
            || text.split_once(':').is_some_and(|(key, _)| !key.is_empty() && !key.contains(' '));
        if !is_entry {
            return (markdown, false);
        }
    }
    (markdown, false)
}
