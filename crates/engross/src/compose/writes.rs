//! What `serve` and `chat` make write sessions of: where unfinished content is, and who looks after it.
//!
//! Must never be opened twice on one folder in one process: those who write there share its locks.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use engross_docx::{Severity, WordDocument, check};
use engross_protocol::{Failure, RandomIds, SystemClock};
use engross_store::files::{Folder, Locks, Root};
use engross_write::runner::{Composer, Config, Limits, Reviewer, WriteService, WriteSessions};

use crate::output::note;
use crate::signals::survive_file_limit;

/// How often write sessions are looked after.
const WATCH_EVERY: Duration = Duration::from_millis(250);

/// How often what write sessions have left is swept away.
const SWEEP_EVERY: Duration = Duration::from_secs(3600);

/// Makes Word documents of Markdown, and looks at what was made.
pub(crate) struct Typesetter;

impl Composer for Typesetter {
    fn compose(&self, markdown: &str) -> Result<Vec<u8>, String> {
        let limits = engross_docx::Limits::default();
        let made = engross_docx::from_markdown(markdown, None, &limits).map_err(|error| error.to_string())?;
        let findings = WordDocument::open(made.clone(), &limits).and_then(|document| check(&document));
        let findings = findings.map_err(|error| error.to_string())?;
        match findings.iter().find(|finding| finding.severity == Severity::Error) {
            Some(finding) => Err(format!("the document would not be sound: {}", finding.message)),
            None => Ok(made),
        }
    }
}

/// The write sessions beneath `root`, those of an earlier process too. `locks` are those of everyone else who writes there;
/// unfinished content is kept in `spool`, which is this root's alone; `reviewer` is asked before a file takes its place.
pub(crate) fn open(
    root: Root,
    locks: Locks,
    spool: Folder,
    reviewer: Option<Arc<dyn Reviewer>>,
) -> Result<WriteService, Failure> {
    survive_file_limit();
    let sessions = WriteSessions::new(Config {
        root,
        spool: Some(spool),
        reviewer,
        locks,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        composer: Some(Arc::new(Typesetter)),
        limits: Limits::default(),
    })?;
    for (id, problem) in sessions.take_up()? {
        note(&format!("The write session {id} is left alone: {} [{}]", problem.message, problem.code));
    }
    Ok(WriteService::new(sessions))
}

/// Asks write sessions that are silent, lets them expire, and sweeps. Never ends.
pub(crate) async fn look_after(writes: &WriteService) -> Infallible {
    loop {
        writes.sweep().await;
        for _ in 0..SWEEP_EVERY.as_millis() / WATCH_EVERY.as_millis() {
            tokio::time::sleep(WATCH_EVERY).await;
            writes.watch().await;
        }
    }
}
