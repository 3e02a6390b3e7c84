//! How much a process may use that only computes.
//!
//! Must never stand for a bound that is not enforced.

/// How much a process may use that only computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfinedLimits {
    /// Bytes of memory of its own.
    pub memory: u64,
    /// Bytes of its stack.
    pub stack: u64,
}
