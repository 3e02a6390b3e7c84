//! Bytes that are kept by the hash of their content, outside this machine.
//!
//! Must never give out bytes under a hash that they did not have when they were kept, or keep a part as if it were all.

pub mod codes;
mod error;
#[cfg(feature = "objects")]
mod objects;

#[cfg(feature = "objects")]
#[cfg(test)]
mod objects_tests;

use std::io::{Cursor, Read};
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;

use crate::Millis;

pub use error::BlobError;
#[cfg(feature = "objects")]
pub use objects::ObjectBlobs;

/// What is still to be done.
pub type PendingBlob<'a, T> = Pin<Box<dyn Future<Output = Result<T, BlobError>> + Send + 'a>>;

/// Bytes as they come.
pub type BlobStream = Pin<Box<dyn Stream<Item = Result<Bytes, BlobError>> + Send>>;

/// Keeps bytes by their hash.
pub trait Blobs: Send + Sync {
    /// The same storage for one `holder`, a name of plain letters and digits: what it keeps is its own, so that it can be removed
    /// without a look at what others keep. What was kept without a holder can be got, too.
    fn held_by(&self, holder: &str) -> Arc<dyn Blobs>;

    /// Keeps `size` bytes of `source`, whose SHA-256 is `hash`. Bytes that are kept already are not sent again. `source` is
    /// read on threads that may block.
    ///
    /// # Errors
    /// [`BlobError::Changed`] when the bytes are not those of the hash: nothing is kept then. [`BlobError::Source`] when they
    /// cannot be read, [`BlobError::Unavailable`] when they cannot be sent.
    fn put(&self, hash: [u8; 32], size: u64, source: Box<dyn Read + Send>) -> PendingBlob<'_, ()>;

    /// Keeps `bytes`, whose SHA-256 is `hash`, as [`Blobs::put`] does. Nothing of it blocks.
    ///
    /// # Errors
    /// As [`Blobs::put`].
    fn put_bytes(&self, hash: [u8; 32], bytes: Bytes) -> PendingBlob<'_, ()> {
        self.put(hash, bytes.len() as u64, Box::new(Cursor::new(bytes)))
    }

    /// The bytes in `range` of what is kept under `hash`; `None` when nothing is.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`], also in place of later bytes.
    fn get(&self, hash: [u8; 32], range: Range<u64>) -> PendingBlob<'_, Option<BlobStream>>;

    /// The hashes of what the holder has kept since before the moment `before`; none without a holder, since others may need it.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`].
    fn kept_before(&self, before: Millis) -> PendingBlob<'_, Vec<[u8; 32]>>;

    /// Removes what the holder keeps under `hashes`, as far as it does. Nothing is removed without a holder.
    ///
    /// # Errors
    /// [`BlobError::Unavailable`]: some of it may be there still.
    fn remove(&self, hashes: Vec<[u8; 32]>) -> PendingBlob<'_, ()>;
}
