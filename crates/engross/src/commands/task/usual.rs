//! Who does a task when nobody says who.

/// Who does tasks of threads that name nobody.
pub(super) const USUAL: &str = "engross";
