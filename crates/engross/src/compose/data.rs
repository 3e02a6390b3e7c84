//! Where this program keeps its data.
//!
//! Must never open what is there.

use std::path::{Path, PathBuf};

use engross_protocol::Failure;

use crate::failure::usage;
use crate::files;

/// Where the folder for data is, or will be.
pub(crate) fn data_path(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let usual =
        || directories::ProjectDirs::from("", "", "engross").map(|folders| folders.data_dir().to_owned());
    asked.map(Path::to_owned).or_else(usual).ok_or_else(|| {
        usage("USAGE", "this platform has no folder for data; say where sessions are kept with --data")
    })
}

/// The folder for data, made if it is missing: for its owner alone, as conversations are in it.
pub(crate) fn data_folder(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let folder = data_path(asked)?;
    files::make_private_folder(&folder)?;
    Ok(folder)
}
