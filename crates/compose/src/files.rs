//! Texts that a person names: a file, or `-` for standard input.
//!
//! Must never read without a bound. What touches the disk is in `engross_store::files::by_path`.

use std::path::Path;

pub use engross_store::files::by_path::{
    check_folder, lock_folder, make_folder, make_private_folder, write_private,
};
pub use engross_store::files::{PathError as Error, by_path};

/// Bytes of a largest text: operations, a script, settings.
const TEXT_BYTES: u64 = 64 << 20;

/// Reads a text. `-` is standard input.
pub fn read_text(path: &Path) -> Result<String, Error> {
    if path != Path::new("-") {
        return by_path::read_text(path, TEXT_BYTES);
    }
    let bytes = by_path::read_from(std::io::stdin().lock(), Path::new("standard input"), TEXT_BYTES)?;
    String::from_utf8(bytes).map_err(|_| Error::NotUtf8 { path: path.to_owned() })
}

/// Reads a file of any kind, up to `limit` bytes.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Error> {
    Ok(by_path::read(path, limit)?.0)
}

/// Reads a text that need not be there.
pub fn read_optional_text(path: &Path) -> Result<Option<String>, Error> {
    match read_text(path) {
        Ok(text) => Ok(Some(text)),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
