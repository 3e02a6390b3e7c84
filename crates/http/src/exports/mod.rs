//! What others may read of the sessions while the server runs: transcripts in files, traces in a database.
//!
//! Must never hold a session up. Transcripts lose nothing: what could not be written yet is in the store. Traces may.

mod traces;
mod transcripts;
mod waiting;

#[cfg(test)]
mod traces_tests;
#[cfg(test)]
mod transcripts_tests;
#[cfg(test)]
mod waiting_tests;

use std::path::Path;
use std::sync::Arc;

use engross_agent::session::Observer;
use engross_protocol::{Failure, SessionId};
#[cfg(feature = "postgres")]
use engross_store::PostgresTraces;
use engross_store::{Store, Traces};

use self::traces::{LostTraces, Tracer};
use self::transcripts::Transcripts;
use self::waiting::Waiting;

/// The exports of a server.
pub struct Exports {
    transcripts: Option<Arc<Transcripts>>,
    traces: Option<Arc<Tracer>>,
}

/// How far the exports are behind; of one that was not asked for nothing is known.
#[derive(Debug, Clone, Default)]
pub struct Arrears {
    transcripts: Option<Arc<Waiting>>,
    traces: Option<Arc<LostTraces>>,
}

impl Arrears {
    /// Sessions whose transcript lacks something.
    pub fn transcripts_behind(&self) -> Option<usize> {
        self.transcripts.as_ref().map(|waiting| waiting.behind())
    }

    /// Events of which no trace could be kept, since the start.
    pub fn traces_lost(&self) -> Option<u64> {
        self.traces.as_ref().map(|lost| lost.total())
    }
}

impl Exports {
    /// Begins, within a runtime: transcripts go into the folder `transcripts`, traces into the database at `traces`.
    pub async fn start(
        store: &Arc<dyn Store>,
        transcripts: Option<&Path>,
        traces: Option<&str>,
    ) -> Result<Self, Failure> {
        let traces = match traces {
            Some(url) => Some(open_traces(url).await?),
            None => None,
        };
        let transcripts =
            transcripts.map(|folder| Transcripts::start(Arc::clone(store), folder)).transpose()?;
        Ok(Self { transcripts, traces: traces.map(Tracer::start) })
    }

    /// Those who have to hear of what was stored.
    pub fn observers(&self) -> Vec<Arc<dyn Observer>> {
        let transcripts =
            self.transcripts.iter().map(|transcripts| Arc::clone(transcripts) as Arc<dyn Observer>);
        transcripts.chain(self.traces.iter().map(|traces| Arc::clone(traces) as Arc<dyn Observer>)).collect()
    }

    /// Looks for what other processes have stored.
    pub fn catch_up(&self) {
        if let Some(transcripts) = &self.transcripts {
            transcripts.waiting().add_all();
        }
    }

    /// How far they are behind, now and later.
    pub fn arrears(&self) -> Arrears {
        Arrears {
            transcripts: self.transcripts.as_ref().map(|transcripts| transcripts.waiting()),
            traces: self.traces.as_ref().map(|traces| traces.lost()),
        }
    }

    /// Resolves when all that was heard of is written. The store must still be open.
    pub async fn finish(self) {
        if let Some(transcripts) = self.transcripts {
            // Its thread may need the runtime to read the store.
            let _ = tokio::task::spawn_blocking(move || transcripts.finish()).await;
        }
        if let Some(traces) = self.traces {
            traces.finish().await;
        }
    }
}

/// Takes away the traces of a session from the database at `url`.
///
/// # Errors
/// When the database cannot be reached.
pub async fn erase_traces(url: &str, session: SessionId) -> Result<(), Failure> {
    let erased = open_traces(url).await?.erase(session).await;
    erased.map_err(|error| Failure::new(engross_protocol::Exit::Io, error.code(), error.to_string()))
}

/// The database at `url`.
#[cfg(feature = "postgres")]
async fn open_traces(url: &str) -> Result<Arc<dyn Traces>, Failure> {
    let traces = PostgresTraces::open(url).await;
    let traces = traces.map_err(|error| {
        Failure::new(engross_protocol::Exit::Io, error.code(), format!("traces cannot be kept: {error}"))
    })?;
    Ok(Arc::new(traces))
}

/// The database at `url`, which this build cannot reach.
#[cfg(not(feature = "postgres"))]
async fn open_traces(_: &str) -> Result<Arc<dyn Traces>, Failure> {
    Err(Failure::left_out("--traces", "cluster"))
}
