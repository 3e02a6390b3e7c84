//! How much one instruction may ask for.

/// The highest number a paragraph or an occurrence can have here.
pub(crate) const MAXIMUM_PARAGRAPH: u32 = 1_000_000;

/// The most operations that one instruction may give.
pub(crate) const MAXIMUM_OPERATIONS: usize = 500;
