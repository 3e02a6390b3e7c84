//! What SQLite says, as errors of the store.

use std::path::Path;

use rusqlite::ffi;

use crate::Error;

/// Why a piece of work was not done.
#[derive(Debug)]
pub(super) enum Fault {
    /// By the rules of the store: nothing was written, the transaction goes on.
    Refused(Error),
    /// By SQLite: the transaction is lost.
    Sql(rusqlite::Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

/// What SQLite's failure means for the file at `place`.
pub(super) fn meaning(error: &rusqlite::Error, place: &str) -> Error {
    let (place, message) = (place.to_owned(), error.to_string());
    if matches!(error, rusqlite::Error::NulError(_) | rusqlite::Error::InvalidPath(_)) {
        return Error::Unusable { place, message };
    }
    let Some(code) = error.sqlite_error().map(|error| error.extended_code) else {
        // Everything else is a row or a table that does not have the shape we gave it.
        return Error::Damaged { place, message };
    };
    if code == ffi::SQLITE_IOERR_SHMSIZE {
        return Error::Full { place };
    }
    match code & 0xff {
        ffi::SQLITE_FULL => Error::Full { place },
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB => Error::Damaged { place, message },
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM | ffi::SQLITE_READONLY | ffi::SQLITE_AUTH => {
            Error::Unusable { place, message }
        }
        _ => Error::Unavailable { place, message },
    }
}

/// How errors name the file.
pub(super) fn place(path: &Path) -> String {
    path.display().to_string()
}
