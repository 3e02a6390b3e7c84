//! Keeps the end of an agent's error output for messages.
//!
//! Must never hold more than a bounded part of it, stop reading, or show a secret that the agent was given.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::client::error::shown;

/// How much is kept.
const KEPT: usize = 8 * 1024;

/// The last words of an agent. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct StderrTail {
    bytes: Arc<Mutex<Vec<u8>>>,
    secrets: Arc<Vec<String>>,
}

impl StderrTail {
    pub(super) fn new(secrets: Vec<String>) -> Self {
        Self { bytes: Arc::default(), secrets: Arc::new(secrets) }
    }

    /// Reads to the end of `output`, so that the agent never waits for a reader.
    pub(super) async fn keep_reading(self, mut output: impl AsyncRead + Unpin) {
        let mut piece = vec![0; 4096];
        while let Ok(length @ 1..) = output.read(&mut piece).await {
            self.add(piece.get(..length).unwrap_or_default());
        }
    }

    pub(super) fn add(&self, piece: &[u8]) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.extend_from_slice(piece);
        let over = bytes.len().saturating_sub(KEPT);
        bytes.drain(..over);
    }

    /// Its last line that says something; empty when there is none.
    pub(crate) fn line(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let hidden = self.secrets.iter().fold(line.to_owned(), |line, secret| line.replace(secret, "***"));
        shown(&hidden)
    }

    /// The same in brackets, with a blank before it, for the middle of a sentence.
    pub(crate) fn in_brackets(&self) -> String {
        match self.line() {
            line if line.is_empty() => line,
            line => format!(" (it last said: {line})"),
        }
    }
}
