//! What outlives the process: session logs in memory, in one SQLite file, in Postgres, files beneath one root folder, and bytes
//! in object storage.
//!
//! Must never know what an entry means: bodies, snapshots and values are bytes. Time comes in from outside. Start at
//! [`Store`]; `docs/design/store.md` says what durable means. Files are in [`files`], bytes elsewhere in
//! `blobs`.

pub mod blobs;
pub mod codes;
mod error;
mod fenced;
pub mod files;
mod homes;
mod memory;
#[cfg(feature = "postgres")]
pub mod mirror;
mod name;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;
mod traces;
mod types;
mod write_fence;

#[cfg(test)]
mod error_tests;
#[cfg(test)]
mod write_fence_tests;

pub use engross_protocol::SessionId;
pub use error::Error;
pub use fenced::FencedStore;
pub use homes::{Home, Homes, HomesSeen};
pub use memory::MemoryStore;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresFileTable, PostgresHomes, PostgresStore, PostgresTraces};
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
pub use store::{Pending, Store};
pub use traces::{Details, TraceEvent, Traces};
pub use types::{
    Append, Entry, Fence, LEASE_REACH, MAX_BYTES, Millis, Name, NameRow, NewEntry, NewSession, Session,
    SessionSummary, Snapshot,
};
pub use write_fence::WriteFence;
