//! What others may read of the sessions while the server runs: transcripts in files.
//!
//! Must never hold a session up, and never lose anything: what could not be written yet is in the store.

mod transcripts;
mod waiting;

#[cfg(test)]
mod transcripts_tests;
#[cfg(test)]
mod waiting_tests;

use std::path::Path;
use std::sync::Arc;

use engross_agent::session::Observer;
use engross_protocol::Failure;
use engross_store::Store;

use self::transcripts::Transcripts;

/// The exports of a server.
pub(crate) struct Exports {
    transcripts: Option<Arc<Transcripts>>,
}

impl Exports {
    /// Begins, within a runtime: transcripts go into the folder `transcripts`.
    pub(crate) fn start(store: &Arc<dyn Store>, transcripts: Option<&Path>) -> Result<Self, Failure> {
        let transcripts =
            transcripts.map(|folder| Transcripts::start(Arc::clone(store), folder)).transpose()?;
        Ok(Self { transcripts })
    }

    /// Those who have to hear of what was stored.
    pub(crate) fn observers(&self) -> Vec<Arc<dyn Observer>> {
        let transcripts =
            self.transcripts.iter().map(|transcripts| Arc::clone(transcripts) as Arc<dyn Observer>);
        transcripts.collect()
    }

    /// Resolves when all that was heard of is written. The store must still be open.
    pub(crate) async fn finish(self) {
        if let Some(transcripts) = self.transcripts {
            // Its thread may need the runtime to read the store.
            let _ = tokio::task::spawn_blocking(move || transcripts.finish()).await;
        }
    }
}
