//! The task threads of a server's data folder for the page on which a person sees them: those that the terminal began, and those that
//! were put away here.
//!
//! Must never drive a thread: the one who began it does.

use std::path::PathBuf;
use std::sync::Arc;

use engross_http::{Error, ThreadFuture, ThreadOrder, ThreadOrderKind, ThreadRecords};
use engross_protocol::{Clock, Exit, Failure, RandomIds, SystemClock, codes::find};
use engross_store::{MemoryStore, SqliteStore, Store};
use engross_threads::{
    ContextState, ExecutionBinding, ExecutionMode, LifecycleState, LoadedThread, OwnerScope, Rules,
    SCHEMA_VERSION, ThreadError, ThreadInput, ThreadJournal, ThreadRecord, WorkspaceBinding, step,
};
use serde_json::{Value, json};

use super::sessions;

/// How often an order is tried when others write the same thread.
const TRIES: usize = 8;

/// Where threads are kept.
pub(super) enum ThreadPlace {
    /// In the file that the terminal has, too. It is open for one request at a time, so that nobody waits for this server to end.
    File(PathBuf),
    /// In a database that nodes share.
    Shared(Arc<dyn Store>),
    /// Nothing outlives the process.
    Memory(Arc<MemoryStore>),
}

impl ThreadPlace {
    /// The journal, and what has to be closed behind it; nothing where no thread was ever begun, unless it is to be `made`.
    async fn open(&self, made: bool) -> Result<Option<(ThreadJournal, Arc<dyn Store>)>, Error> {
        let store: Arc<dyn Store> = match self {
            Self::Memory(store) => Arc::<MemoryStore>::clone(store),
            Self::Shared(store) => Arc::clone(store),
            Self::File(path) if !made && !path.is_file() => return Ok(None),
            Self::File(path) => Arc::new(
                SqliteStore::open_shared(path)
                    .map_err(|error| Error::of_failure(503, sessions::store_failure(&error)))?,
            ),
        };
        let journal = ThreadJournal::new(Arc::clone(&store), Arc::new(SystemClock), Arc::new(RandomIds));
        Ok(Some((journal, store)))
    }

    async fn close(&self, store: Arc<dyn Store>) {
        if matches!(self, Self::File(_))
            && let Err(error) = store.close().await
        {
            tracing::warn!("the threads were not closed: {error}");
        }
    }
}

impl ThreadRecords for ThreadPlace {
    fn list(&self) -> ThreadFuture<'_> {
        Box::pin(async move {
            let Some((journal, store)) = self.open(false).await? else { return Ok(json!({"data": []})) };
            let listed = rows(&journal).await;
            self.close(store).await;
            Ok(json!({"data": listed.map_err(|error| failed(&error))?}))
        })
    }

    fn order(&self, thread: String, order: ThreadOrder) -> ThreadFuture<'_> {
        Box::pin(async move {
            let Some((journal, store)) = self.open(true).await? else { return Ok(Value::Null) };
            let done = carried_out(&journal, &thread, order).await;
            self.close(store).await;
            done.map_err(|error| failed(&error))
        })
    }
}

async fn rows(journal: &ThreadJournal) -> Result<Vec<Value>, ThreadError> {
    let mut rows = Vec::new();
    for key in journal.keys().await? {
        match journal.load(&key).await {
            Ok(Some(thread)) => rows.push(row(&thread)),
            Ok(None) => {}
            // One that cannot be read does not hide the others.
            Err(error) => tracing::warn!(code = error.code(), "a thread is left out: {error}"),
        }
    }
    rows.sort_by_key(|row| std::cmp::Reverse(row["updatedAtMs"].as_u64()));
    Ok(rows)
}

/// The record, with how the thread stands in one word.
fn row(thread: &LoadedThread) -> Value {
    let mut row = json!(thread.state().record);
    row["lifecycle"] = json!(thread.state().lifecycle().as_str());
    row
}

async fn carried_out(journal: &ThreadJournal, key: &str, order: ThreadOrder) -> Result<Value, ThreadError> {
    let mut thread = match (journal.load(key).await?, order.order) {
        (Some(thread), _) => thread,
        (None, ThreadOrderKind::Restore) => return Err(ThreadError::Unknown { thread: key.to_owned() }),
        // It was begun on a page, which keeps no record until there is something to keep.
        (None, ThreadOrderKind::Archive) => journal.open(record(key, &order)).await?.0,
    };
    let input = match order.order {
        ThreadOrderKind::Archive => ThreadInput::Archive,
        ThreadOrderKind::Restore => ThreadInput::Restore,
    };
    for _ in 0..TRIES {
        let step = step(thread.state(), input.clone(), Rules::default(), SystemClock.millis())?;
        if step.entries.is_empty() || journal.append(&mut thread, &step.entries).await? {
            break;
        }
    }
    Ok(row(&thread))
}

fn record(key: &str, order: &ThreadOrder) -> ThreadRecord {
    ThreadRecord {
        schema_version: SCHEMA_VERSION,
        thread_id: key.to_owned(),
        title: order.title.clone(),
        owner_scope: OwnerScope::default(),
        workspace_binding: WorkspaceBinding {
            workspace_id: key.to_owned(),
            workspace_kind: "remoteFs".to_owned(),
            workspace_path: key.to_owned(),
            display_path: String::new(),
            writable: false,
            others: serde_json::Map::new(),
        },
        execution_binding: ExecutionBinding {
            execution_mode: ExecutionMode::Agent,
            executor_id: order.provider_id.clone(),
            provider_id: order.provider_id.clone(),
            others: serde_json::Map::new(),
        },
        context_state: ContextState::default(),
        lifecycle_state: LifecycleState::default(),
        created_at_ms: SystemClock.millis(),
        updated_at_ms: SystemClock.millis(),
        others: serde_json::Map::new(),
    }
}

fn failed(error: &ThreadError) -> Error {
    let status = find(&[engross_threads::codes::ALL], error.code()).map_or(503, |row| row.status);
    Error::of_failure(status, Failure::new(Exit::Refused, error.code(), error.to_string()))
}
