//! The pictures that content names, read from beneath a folder.
//!
//! Must never read outside of the folder, follow a link, or fetch anything: what is not there is left out, and the engine says
//! so where the name stands.

use std::collections::{BTreeMap, BTreeSet};

use engross_docx::ops::Operation;
use engross_store::files::{Folder, RelPath};
use percent_encoding::percent_decode_str;

/// Bytes of a largest picture.
const PICTURE_BYTES: u64 = 32 << 20;

/// Bytes of all pictures of one call.
const ALL_BYTES: u64 = 128 << 20;

/// The files beneath `folder` that `names` mean, by those names.
#[must_use]
pub fn read_pictures(folder: &Folder, names: &BTreeSet<String>) -> BTreeMap<String, Vec<u8>> {
    let mut left = ALL_BYTES;
    let mut found = BTreeMap::new();
    for name in names {
        let limit = left.min(PICTURE_BYTES);
        let bytes = paths(name).iter().find_map(|path| Some(folder.read(path, limit).ok()??.0));
        if let Some(bytes) = bytes {
            left = left.saturating_sub(bytes.len() as u64);
            found.insert(name.clone(), bytes);
        }
    }
    found
}

/// The pictures beneath `folder` that operations name.
#[must_use]
pub fn pictures_of<'a>(
    folder: &Folder,
    operations: impl IntoIterator<Item = &'a Operation>,
) -> BTreeMap<String, Vec<u8>> {
    let names: BTreeSet<String> = operations.into_iter().flat_map(Operation::file_names).collect();
    if names.is_empty() { BTreeMap::new() } else { read_pictures(folder, &names) }
}

/// The paths that a name can mean: as it stands, and with `%20` and the like read as in an address.
fn paths(name: &str) -> Vec<RelPath> {
    let name = name.strip_prefix("./").unwrap_or(name);
    let decoded = percent_decode_str(name).decode_utf8().ok().filter(|decoded| *decoded != name);
    let names = std::iter::once(name).chain(decoded.as_deref());
    names.filter_map(|name| RelPath::parse(name).ok()).collect()
}
