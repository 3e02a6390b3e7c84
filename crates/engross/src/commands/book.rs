//! Which skillbook a command means.
//!
//! Must never open it.

use engross_compose::preferences::book_of;
use engross_compose::settings::Environment;
use engross_compose::skillbook;
use engross_learn::disk::BookPaths;
use engross_protocol::Failure;

use crate::cli::BookArgs;

/// The files of the skillbook: a client's, a folder's, the named one or the usual one.
pub(super) fn book_paths(args: &BookArgs, environment: &Environment) -> Result<BookPaths, Failure> {
    match book_of(args.client.as_deref(), args.folder.as_deref())? {
        Some(paths) => Ok(paths),
        None => skillbook::book_paths(args.skillbook.as_deref(), environment),
    }
}
