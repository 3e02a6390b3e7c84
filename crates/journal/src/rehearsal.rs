//! What a build writes otherwise that plays the next version: one kind of entry that this version does not know, and snapshots that
//! it does not read. `cargo xtask campaign --upgrade` tries with it how servers of two versions work on one store.
//!
//! Must never be switched on in a build that anybody is given: no other build reads what it writes.

/// Whether this build plays the next version.
const PLAYS: bool = cfg!(feature = "rehearsal");

/// A kind of entries that every session has, and what the next version calls it.
const KIND: (&str, &str) = ("accepted", "accepted-next");

/// What stands before a snapshot of the next version.
const MARK: &[u8] = b"next ";

/// The kind under which an entry is stored.
pub(crate) fn stored_kind(kind: &'static str) -> &'static str {
    if PLAYS && kind == KIND.0 { KIND.1 } else { kind }
}

/// The kind of an entry that is stored as `stored`.
pub(crate) fn read_kind(stored: &str) -> &str {
    if PLAYS && stored == KIND.1 { KIND.0 } else { stored }
}

/// A snapshot as it is stored.
pub(crate) fn stored_snapshot(snapshot: Vec<u8>) -> Vec<u8> {
    if PLAYS { [MARK, &snapshot].concat() } else { snapshot }
}

/// A snapshot as it was before it was stored, be it of this version or the next.
pub(crate) fn read_snapshot(stored: &[u8]) -> &[u8] {
    if PLAYS { stored.strip_prefix(MARK).unwrap_or(stored) } else { stored }
}
