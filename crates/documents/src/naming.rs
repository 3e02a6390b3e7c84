//! Names of documents: which kind of Word document the ending of a name tells, and whether a result may have a name.
//!
//! Must never look into a file: Word goes by the ending first, and refuses a file whose ending tells another kind than it holds.

use std::path::Path;

use crate::Error;

/// Endings of the kinds of Word documents: with macros or without, document or template. A result is of its source's kind.
const KINDS: [&str; 4] = ["docx", "docm", "dotx", "dotm"];

/// Endings of formats that are not written.
const OTHERS: [&str; 12] =
    ["doc", "dot", "pdf", "rtf", "odt", "ott", "txt", "md", "html", "htm", "pages", "json"];

/// The kind of Word document that a name tells by its ending, in lower case.
///
/// ```
/// use std::path::Path;
/// assert_eq!(engross_documents::word_kind(Path::new("Lease.DOCM")), Some("docm"));
/// assert_eq!(engross_documents::word_kind(Path::new("lease.pdf")), None);
/// ```
#[must_use]
pub fn word_kind(path: &Path) -> Option<&'static str> {
    let ending = path.extension()?.to_str()?;
    KINDS.into_iter().find(|kind| ending.eq_ignore_ascii_case(kind))
}

/// The ending of a result about `source`: that of its kind as it is written there, else `docx`.
#[must_use]
pub fn result_ending(source: &Path) -> &str {
    let ending = source.extension().and_then(|ending| ending.to_str());
    ending.filter(|_| word_kind(source).is_some()).unwrap_or("docx")
}

/// Refuses a name that tells another kind or format than a result about `source` has. A name that tells none is taken, and so is
/// `.xml`, for a package as one file.
///
/// # Errors
/// [`Error::OutputKind`].
pub fn check_name(source: &Path, target: &Path) -> Result<(), Error> {
    check_kind(word_kind(source).unwrap_or("docx"), target)
}

/// The same for a document that is made of a template: it is a document, with macros if the template has them.
///
/// # Errors
/// [`Error::OutputKind`].
pub fn check_name_of_new(template: Option<&Path>, target: &Path) -> Result<(), Error> {
    let has_macros = matches!(template.and_then(word_kind), Some("docm" | "dotm"));
    check_kind(if has_macros { "docm" } else { "docx" }, target)
}

fn check_kind(kind: &'static str, target: &Path) -> Result<(), Error> {
    let is_other = match word_kind(target) {
        Some(own) => own != kind,
        None => target
            .extension()
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| OTHERS.iter().any(|other| ending.eq_ignore_ascii_case(other))),
    };
    if is_other { Err(Error::OutputKind { path: target.to_owned(), kind }) } else { Ok(()) }
}
