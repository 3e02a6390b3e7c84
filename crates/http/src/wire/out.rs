//! Text on its way out: JSON and event streams, written piece by piece into one buffer.
//!
//! Must never fail: what is written here can always be written.

use bytes::Bytes;
use serde::Serialize;

/// A buffer of bytes to send.
#[derive(Debug, Default)]
pub(crate) struct Out(Vec<u8>);

impl Out {
    /// Text as it is.
    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    /// A number in decimal.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.json(&number)
    }

    /// A value as JSON. Values of this wire have only texts as keys, so that it always succeeds.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, value: &T) -> &mut Self {
        let written = serde_json::to_writer(&mut self.0, value);
        debug_assert!(written.is_ok(), "a value without JSON: {written:?}");
        self
    }

    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// What waits, without a copy.
    pub(crate) fn take(&mut self) -> Bytes {
        Bytes::from(std::mem::take(&mut self.0))
    }
}
