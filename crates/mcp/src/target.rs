//! Into which file a result goes.
//!
//! A file that engross has written is worked on where it is, with a checkpoint of each of its states; the result about any other file
//! goes beside it. Must never choose a file that is there and was not written here, nor one that holds earlier changes of the same
//! document: they would be lost in one of two files.

use std::path::Path;

use engross_documents::{Error, check_name, result_ending, word_kind};
use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, RelPath};

use crate::arguments::invalid;
use crate::documents::McpDocuments;
use crate::folders::Place;

/// The last number that a result's name gets.
const LAST_NUMBER: u32 = 1_000;

/// Where a result goes.
#[derive(Debug)]
pub(crate) struct Target {
    /// The file.
    pub(crate) place: Place,
    /// The document that records say it is made from.
    pub(crate) source: String,
    /// Whether it is the document itself.
    pub(crate) is_source: bool,
}

/// What is done when nobody names a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Usual {
    /// What engross has written is worked on where it is; else a file with this suffix is made.
    GoOn(&'static str),
    /// A file with this suffix is made.
    NewFile(&'static str),
}

/// Where the result about the document at `source` goes, if the client asked for `output`.
pub(crate) fn target(
    documents: &McpDocuments,
    source: &Place,
    output: Option<&str>,
    usual: Usual,
) -> Result<Target, Failure> {
    let of = |error| documents.failure(source, error);
    let made_from = documents.workspace(source)?.made_from(&source.path).map_err(of)?;
    let is_ours = made_from.is_some();
    let made_from = made_from.unwrap_or_else(|| source.recorded());
    if let Some(output) = output {
        let place = documents.folders.locate(output)?;
        let is_source = place.is(source);
        if is_source && !is_ours {
            return Err(Error::OutputIsInput { path: source.path.as_str().into() }.into());
        }
        if !is_source {
            check_new(documents, source, &place, &made_from)?;
        }
        return Ok(Target { place, source: made_from, is_source });
    }
    let suffix = match usual {
        Usual::GoOn(_) if is_ours => {
            return Ok(Target { place: source.clone(), source: made_from, is_source: true });
        }
        Usual::GoOn(suffix) | Usual::NewFile(suffix) => suffix,
    };
    for number in 1..=LAST_NUMBER {
        let place = source.with(beside(&source.path, suffix, number)?);
        let workspace = documents.workspace(&place)?;
        if !workspace.is_there(&place.path).map_err(|error| documents.failure(&place, error.into()))? {
            return Ok(Target { place, source: made_from, is_source: false });
        }
        let there = workspace.made_from(&place.path).map_err(|error| documents.failure(&place, error))?;
        if there.is_some_and(|there| there == made_from) && matches!(usual, Usual::GoOn(_)) {
            return Err(holds_changes(&place, source));
        }
    }
    Err(Failure::from(FileError::TargetExists { path: beside(&source.path, suffix, 1)?.as_str().to_owned() }))
}

/// Refuses a name that cannot be that of a new document.
pub(crate) fn check_new(
    documents: &McpDocuments,
    source: &Place,
    place: &Place,
    made_from: &str,
) -> Result<(), Failure> {
    check_ending(place)?;
    check_name(Path::new(source.path.as_str()), Path::new(place.path.as_str()))?;
    let workspace = documents.workspace(place)?;
    if !workspace.is_there(&place.path).map_err(|error| documents.failure(place, error.into()))? {
        return Ok(());
    }
    let there = workspace.made_from(&place.path).map_err(|error| documents.failure(place, error))?;
    if there.is_some_and(|there| there == made_from) {
        return Err(holds_changes(place, source));
    }
    Err(FileError::TargetExists { path: place.shown() }.into())
}

/// Refuses a name that is not one of a Word document.
pub(crate) fn check_ending(place: &Place) -> Result<(), Failure> {
    if word_kind(Path::new(place.path.as_str())).is_some() {
        return Ok(());
    }
    Err(invalid(format!("'{}' is no name of a Word document; let it end in .docx", place.shown())))
}

fn holds_changes(place: &Place, source: &Place) -> Failure {
    let (there, source) = (place.shown(), source.shown());
    let message = format!(
        "'{there}' holds earlier changes of '{source}': read and edit '{there}' to go on with them, or name another file as 'output' \
         to begin anew"
    );
    Failure::new(Exit::Refused, engross_store::files::codes::TARGET_EXISTS.name, message)
}

/// `NAME.SUFFIX.docx` beside a document, or with a number.
fn beside(path: &RelPath, suffix: &str, number: u32) -> Result<RelPath, Failure> {
    let stem = path.name().rsplit_once('.').map_or(path.name(), |(stem, _)| stem);
    let ending = result_ending(Path::new(path.as_str()));
    let number = if number == 1 { String::new() } else { format!("-{number}") };
    let name = RelPath::parse(&format!("{stem}.{suffix}{number}.{ending}"))?;
    Ok(match path.parent() {
        Some(parent) => parent.join(&name)?,
        None => name,
    })
}
