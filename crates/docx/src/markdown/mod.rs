//! A whole document as Markdown, and Markdown as a whole document.
//!
//! What Markdown cannot say (fields, pictures, notes) is named by the labels of a reading. Must never guess a structure
//! that the document does not have.

mod write;

use crate::document::{EditOptions, Limits, WordDocument};
use crate::error::Error;
use crate::ops::{Address, Batch, Edit, Operation, Place, ReferencePolicy, Status, Tracking};

/// A document with nothing in it but styles for headings, lists and tables.
const BLANK: &[u8] = include_bytes!("blank.docx");

/// Makes a document of Markdown: headings, paragraphs, lists and tables with bold, italic, underlined and struck text.
/// A template gives styles, headers and page layout; what it says is replaced.
///
/// # Errors
/// When the template is no usable document, or the Markdown holds what no document can.
pub fn from_markdown(markdown: &str, template: Option<Vec<u8>>, limits: &Limits) -> Result<Vec<u8>, Error> {
    let emptied = WordDocument::open(template.unwrap_or_else(|| BLANK.to_vec()), limits)?.emptied()?;
    let mut document = WordDocument::open(emptied, limits)?;
    let place = Place::in_body(Address::First);
    let edit = if markdown.trim().is_empty() {
        Edit::EditParagraph { place, content: String::new() }
    } else {
        Edit::Replace { place, end: None, content: markdown.to_owned() }
    };
    let operation = Operation {
        edit,
        expected_text: None,
        plain: false,
        author: None,
        references: ReferencePolicy::Refuse,
    };
    let batch = Batch { operations: vec![operation], ..Batch::default() };
    // Nothing of it stays tracked, so nobody sees who or when.
    let options = EditOptions { author: "engross".to_owned(), date: "2000-01-01T00:00:00Z".to_owned() };
    for result in document.apply(&batch, &options)? {
        if matches!(result.status, Status::Refused | Status::Failed) {
            let message = result.message.unwrap_or_default();
            return Err(Error::InvalidOperation { index: None, message });
        }
    }
    document.save(Tracking::Untracked).map(|saved| saved.bytes)
}
