//! Part names: how they are decoded, compared and refused.
//!
//! A name is never changed here: what is in the archive is written back as it was. Only the *key* under
//! which a part is found is normalised.

use super::error::{Error, shown};

/// The text of a name in the archive. Names that are not UTF-8 (old zip tools) map each byte to the
/// character of that number, so that different names stay different.
pub(super) fn decode(raw: &[u8]) -> String {
    std::str::from_utf8(raw).map_or_else(|_| raw.iter().copied().map(char::from).collect(), str::to_owned)
}

/// What two names of the same part have in common: OPC compares ASCII letters without case, a leading
/// slash is a matter of notation, and some producers write backslashes.
pub(super) fn key(name: &str) -> String {
    let mut key = with_slashes(name).trim_start_matches('/').to_owned();
    key.make_ascii_lowercase();
    key
}

/// The name with `/` wherever a producer wrote a backslash.
pub(super) fn with_slashes(name: &str) -> String {
    name.replace('\\', "/")
}

/// Whether the name is one of a folder entry, which some zip tools add and which is no part.
pub(super) fn is_folder(name: &str) -> bool {
    name.ends_with(['/', '\\'])
}

/// Refuses names that could mean a place outside the package or nothing at all.
pub(super) fn check(name: &str) -> Result<(), Error> {
    let refuse = |reason| Err(Error::PartNameInvalid { name: shown(name), reason });
    if name.is_empty() {
        return refuse("it is empty");
    }
    if name.contains('\0') {
        return refuse("it contains a NUL character");
    }
    let has_drive =
        name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic) && name.get(1..2) == Some(":");
    if name.starts_with(['/', '\\']) || has_drive {
        return refuse("it is an absolute path");
    }
    if name.split(['/', '\\']).any(|segment| segment == "." || segment == "..") {
        return refuse("it has a '.' or '..' segment");
    }
    Ok(())
}
