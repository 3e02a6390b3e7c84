//! Names that are for unfinished files and for the files of other owners, and for no caller.

/// How the names of unfinished files begin.
pub(super) const TEMPORARY: &str = ".engross-tmp-";

/// How the names of staged files begin.
pub(super) const STAGED: &str = ".engross-staged-";

/// The folder beneath the root of a server where the files of its other owners are.
pub(super) const OWNERS: &str = ".owners";

/// Whether no caller may use `name`, in lower case.
pub(crate) fn is_reserved(name: &str) -> bool {
    is_temporary(name) || name.starts_with(STAGED)
}

/// Whether the name is one of a file that was never staged.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(TEMPORARY)
}
