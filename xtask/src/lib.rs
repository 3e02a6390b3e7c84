//! What every chore needs: the repository's root, other programs, and one error.
//!
//! Must never hold code of the product.

mod command;
mod error;

use std::path::PathBuf;

pub use command::run_command;
pub use error::Error;

/// The result of a chore.
pub type Result<T> = std::result::Result<T, Error>;

/// Writes a line about the progress to standard error.
#[expect(clippy::print_stderr, reason = "a chore talks to the terminal")]
pub fn say(line: &str) {
    eprintln!("{line}");
}

/// The repository's root, wherever cargo was called.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, PathBuf::from)
}
