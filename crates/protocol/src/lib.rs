//! The vocabulary that every crate above the engine shares: ids, the clock, the error object, exit codes.
//!
//! Must never do I/O, know a document format, or know a transport.

mod clock;
pub mod codes;
mod exit;
mod failure;
pub mod hex;
mod ids;
pub mod shared;

#[cfg(test)]
mod hex_tests;
#[cfg(test)]
mod ids_tests;

pub use clock::{Clock, FixedClock, InvalidDate, SystemClock, Timestamp};
pub use codes::Code;
pub use exit::Exit;
pub use failure::{ErrorBody, Failure};
pub use ids::{CountingIds, IdSource, InvalidId, RandomIds, SessionId, WriteSessionId};
