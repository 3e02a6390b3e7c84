#![doc = include_str!("../README.md")]
//!
//! Must never know what an entry means, or hand out a state that the log does not tell.

mod carried;
mod error;
mod guard;
mod journal;
mod lease;
mod list;
mod log;
mod rehearsal;

#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod log_tests;
#[cfg(test)]
mod support;

pub use error::Error;
pub use guard::{LogGuard, LogLock};
pub use journal::{Journal, LoadedLog, Options};
pub use list::{ListLine, add_to_list};
pub use log::{Creation, Log, LogEntry, Machine, NewLog, read_all, read_entry};
