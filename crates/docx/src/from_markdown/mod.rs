//! Markdown as a whole document.
//!
//! The Markdown takes the place of all that a template says, as one operation. Must never guess what the Markdown does not say.

mod anchors;

use std::collections::{BTreeMap, BTreeSet};

use crate::document::{EditOptions, WordDocument};
use crate::error::Error;
use crate::limits::Limits;
use crate::markdown::without_front_matter;
use crate::ops::{Address, Batch, Edit, Operation, Place, Status, Tracking};
use crate::text::picture_sources;

/// A document with nothing in it but styles for headings, lists and tables.
const BLANK: &[u8] = include_bytes!("blank.docx");

/// A document made of Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeDocument {
    /// The bytes of its file.
    pub bytes: Vec<u8>,
    /// What of the Markdown the document does not say, for people.
    pub warnings: Vec<String>,
}

/// Makes a document of Markdown: headings, paragraphs, lists, tables, quotes, code and notes, with links and formatting in them.
/// A template gives styles, headers and page layout; what it says is replaced.
///
/// # Errors
/// When the template is no usable document, or the Markdown holds what no document can.
pub fn from_markdown(markdown: &str, template: Option<Vec<u8>>, limits: &Limits) -> Result<Vec<u8>, Error> {
    from_markdown_with(markdown, template, BTreeMap::new(), limits).map(|made| made.bytes)
}

/// The same with the files of pictures, by the names that the Markdown has for them, and with what was left out.
///
/// # Errors
/// As [`from_markdown`].
pub fn from_markdown_with(
    markdown: &str,
    template: Option<Vec<u8>>,
    files: BTreeMap<String, Vec<u8>>,
    limits: &Limits,
) -> Result<MadeDocument, Error> {
    let emptied = WordDocument::open(template.unwrap_or_else(|| BLANK.to_vec()), limits)?.emptied()?;
    let mut document = WordDocument::open(emptied, limits)?.into_new();
    document.give_files(files);
    let place = Place::in_body(Address::First);
    let (markdown, front) = without_front_matter(markdown);
    let edit = if markdown.trim().is_empty() {
        Edit::EditParagraph { place, content: String::new() }
    } else {
        Edit::Replace { place, end: None, content: markdown.to_owned(), continues: false }
    };
    let operation = Operation::of(edit);
    let batch = Batch { operations: vec![operation], ..Batch::default() };
    // Nothing of it stays tracked, so nobody sees who or when.
    let options = EditOptions { author: "engross".to_owned(), date: "2000-01-01T00:00:00Z".to_owned() };
    let mut warnings: Vec<String> = Vec::new();
    if front {
        warnings.push("the front matter before the text is left out".to_owned());
    }
    for result in document.apply(&batch, &options)? {
        if matches!(result.status, Status::Refused | Status::Failed) {
            let message = result.message.unwrap_or_default();
            return Err(Error::InvalidOperation { index: None, message });
        }
        warnings.extend(result.message.iter().flat_map(|message| message.split("; ").map(str::to_owned)));
    }
    let bytes = document.save(Tracking::Untracked).map(|saved| saved.bytes)?;
    let (bytes, missing) = anchors::set_anchors(bytes, limits)?;
    warnings.extend(missing);
    Ok(MadeDocument { bytes, warnings })
}

/// The names that Markdown has for pictures that it does not hold itself: files, and addresses of the web.
///
/// ```
/// let names = engross_docx::picture_names("![Plan](plan.png) and ![Dot](data:image/gif;base64,R0lGODdh)");
/// assert_eq!(names.into_iter().collect::<Vec<_>>(), ["plan.png"]);
/// ```
#[must_use]
pub fn picture_names(markdown: &str) -> BTreeSet<String> {
    picture_sources(markdown)
}
