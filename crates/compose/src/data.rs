//! Where this program keeps its data, and a document with the record of what was delivered that stands there.
//!
//! Must never write anything but the folder.

use std::path::{Path, PathBuf};

use engross_documents::InputFile;
use engross_docx::WordDocument;
use engross_protocol::Failure;

use crate::failure::{of_delivery, usage};
use crate::files;

/// Where the folder for data is, or will be.
pub fn data_path(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let usual =
        || directories::ProjectDirs::from("", "", "engross").map(|folders| folders.data_dir().to_owned());
    asked.map(Path::to_owned).or_else(usual).ok_or_else(|| {
        usage("USAGE", "this platform has no folder for data; say where sessions are kept with --data")
    })
}

/// The folder for data, made if it is missing: for its owner alone, as conversations are in it.
pub fn data_folder(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let folder = data_path(asked)?;
    files::make_private_folder(&folder)?;
    Ok(folder)
}

/// Opens the document at `path`, and says to it which of its revisions were delivered from here.
///
/// # Errors
///
/// The file cannot be read, or is no document.
pub fn open_document(path: &Path) -> Result<(InputFile, WordDocument), Failure> {
    let (input, mut document) = InputFile::open(path).map_err(of_delivery)?;
    // Without a folder for data there is no record of what was written before, which only reading does not need.
    let input = match data_path(None) {
        Ok(data) => input.recorded(&data, &mut document),
        Err(_) => input,
    };
    Ok((input, document))
}
