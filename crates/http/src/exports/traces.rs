//! Traces of all sessions, in a database that people look into.
//!
//! Must never hold up or fail what is traced: what cannot be kept is counted and told, and gone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engross_agent::session::{LogEvent, Observer, StoredEntries, TurnEndingKind, model_name};
use engross_protocol::SessionId;
use engross_store::{Details, TraceEvent, Traces};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// So many events may wait.
const WAITING: usize = 8192;

/// So many are kept at once.
const BATCH: usize = 256;

/// How long the last ones may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Hears of entries and keeps traces of them.
pub(super) struct Tracer {
    /// `None` once no more may come.
    waiting: Mutex<Option<mpsc::Sender<TraceOrder>>>,
    /// Sessions whose traces have to go: these are never crowded out.
    erasing: Arc<Mutex<Vec<SessionId>>>,
    keeping: Mutex<JoinSet<()>>,
    lost: Arc<LostTraces>,
}

/// What is to be done, in its order.
enum TraceOrder {
    Keep(TraceEvent),
    /// Look which traces have to go.
    Erase,
}

/// How many events are gone.
#[derive(Debug, Default)]
pub(super) struct LostTraces {
    /// All of them.
    total: AtomicU64,
    /// Those for which there was no room, and of which nobody was told yet.
    crowded_out: AtomicU64,
}

impl LostTraces {
    /// All events that are gone since the start.
    pub(super) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    fn failed(&self, count: usize) {
        self.total.fetch_add(count as u64, Ordering::Relaxed);
    }

    fn crowded_out(&self) {
        self.total.fetch_add(1, Ordering::Relaxed);
        self.crowded_out.fetch_add(1, Ordering::Relaxed);
    }
}

impl Tracer {
    /// Begins to keep traces in `traces`, within a runtime.
    pub(super) fn start(traces: Arc<dyn Traces>) -> Arc<Self> {
        let (waiting, coming) = mpsc::channel(WAITING);
        let mut keeping = JoinSet::new();
        let lost = Arc::new(LostTraces::default());
        let erasing = Arc::default();
        keeping.spawn(keep(traces, coming, Arc::clone(&lost), Arc::clone(&erasing)));
        Arc::new(Self { waiting: Mutex::new(Some(waiting)), erasing, keeping: Mutex::new(keeping), lost })
    }

    /// What is counted as lost.
    pub(super) fn lost(&self) -> Arc<LostTraces> {
        Arc::clone(&self.lost)
    }

    /// Resolves when all are kept, or it takes too long.
    pub(super) async fn finish(&self) {
        drop(self.waiting.lock().unwrap_or_else(PoisonError::into_inner).take());
        let mut keeping = std::mem::take(&mut *self.keeping.lock().unwrap_or_else(PoisonError::into_inner));
        if tokio::time::timeout(PATIENCE, keeping.join_next()).await.is_err() {
            tracing::warn!("the last traces could not be kept in time");
        }
    }
}

impl Observer for Tracer {
    fn stored(&self, stored: StoredEntries<'_>) {
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(waiting) = &*waiting else { return };
        for (seq, event) in (stored.first..).zip(stored.events) {
            for event in events(&stored, seq, event) {
                if waiting.try_send(TraceOrder::Keep(event)).is_err() {
                    self.lost.crowded_out();
                }
            }
        }
    }

    fn deleted(&self, session: SessionId) {
        self.erasing.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        if let Some(waiting) = &*self.waiting.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = waiting.try_send(TraceOrder::Erase);
        }
    }
}

/// Takes away what has to go; what the database does not take is tried again with the next order.
async fn erase(traces: &dyn Traces, erasing: &Mutex<Vec<SessionId>>) {
    let gone = std::mem::take(&mut *erasing.lock().unwrap_or_else(PoisonError::into_inner));
    for session in gone {
        if let Err(error) = traces.erase(session).await {
            tracing::warn!(%session, code = error.code(), "traces of a deleted session stay for now: {error}");
            erasing.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        }
    }
}

async fn keep(
    traces: Arc<dyn Traces>,
    mut coming: mpsc::Receiver<TraceOrder>,
    losses: Arc<LostTraces>,
    erasing: Arc<Mutex<Vec<SessionId>>>,
) {
    let mut orders = Vec::with_capacity(BATCH);
    let mut lost = 0usize;
    while coming.recv_many(&mut orders, BATCH).await > 0 {
        let mut batch = Vec::with_capacity(orders.len());
        // When there was no room to say so, what has to go goes once nothing waits any more.
        let mut erases = false;
        for order in orders.drain(..) {
            match order {
                TraceOrder::Keep(event) => batch.push(event),
                TraceOrder::Erase => erases = true,
            }
        }
        let count = batch.len();
        let kept = if batch.is_empty() { Ok(()) } else { traces.insert(batch).await };
        // Behind what was told before of these sessions; nothing of them comes after.
        if erases || coming.is_empty() {
            erase(&*traces, &erasing).await;
        }
        match kept {
            Ok(()) if lost > 0 => {
                tracing::warn!(lost, "traces are kept again");
                lost = 0;
            }
            Ok(()) => {}
            Err(error) => {
                if lost == 0 {
                    tracing::warn!(code = error.code(), "traces are lost: {error}");
                }
                lost += count;
                losses.failed(count);
            }
        }
        let lost = losses.crowded_out.swap(0, Ordering::Relaxed);
        if lost > 0 {
            tracing::warn!(lost, "traces are lost: they come faster than the database keeps them");
        }
    }
    erase(&*traces, &erasing).await;
    if lost > 0 {
        tracing::warn!(lost, "traces were lost");
    }
}

/// The traces of an entry. Pieces of an answer that streams leave none.
pub(super) fn events(stored: &StoredEntries<'_>, seq: u64, event: &LogEvent) -> Vec<TraceEvent> {
    let of = |kind: &str| TraceEvent::new(stored.at, stored.session, seq, kind);
    let one = match event {
        LogEvent::Streamed { .. } => return Vec::new(),
        LogEvent::Opened { key } => of("opened").details(json!({ "key": key }).into()),
        LogEvent::Accepted(accepted) => of("accepted").details(
            json!({
                "turn": accepted.turn,
                "messages": accepted.messages.len(),
                "keep": accepted.keep,
                "background": accepted.background,
                "workspace": accepted.workspace,
                "retake": accepted.retake,
            })
            .into(),
        ),
        LogEvent::Answered { text, calls, usage, cut, model, .. } => {
            let answered = of("answered").details(
                json!({"model": model_name(model), "text": text, "calls": calls.len(), "usage": usage, "cut": cut}).into(),
            );
            let calls = calls.iter().map(|call| {
                let details = json!({"arguments": call.call.arguments, "side": call.side});
                of("called").tool(&call.call.name).call(&call.call.id).details(details.into())
            });
            return std::iter::once(answered).chain(calls).collect();
        }
        LogEvent::Began { id } => of("began").call(id),
        LogEvent::Resulted { id, content, is_error, from, details, .. } => {
            let known = json!({"content": content, "details": details, "from": from});
            let resulted = of("resulted").call(id).details(known.into());
            if *is_error { resulted.error(Details::from(content.as_str())) } else { resulted }
        }
        LogEvent::Wrote(wrote) => of("wrote").details(serde_json::to_value(wrote).unwrap_or_default().into()),
        LogEvent::Steered { content } => of("steered").details(json!({"bytes": content.len()}).into()),
        LogEvent::Reminded { content } => of("reminded").details(json!({"bytes": content.len()}).into()),
        LogEvent::Summarised { until, text, usage } => {
            of("summarised").details(json!({"messages": until, "text": text, "usage": usage}).into())
        }
        LogEvent::Configured(settings) => {
            of("configured").details(serde_json::to_value(settings).unwrap_or_default().into())
        }
        LogEvent::Suspended { deadline } => of("suspended").details(json!({ "deadline": deadline }).into()),
        LogEvent::Ended(ending) => {
            let said = json!({"kind": ending.kind, "code": ending.code, "message": ending.message});
            let ended = of("ended").details(said.clone().into());
            if ending.kind == TurnEndingKind::Failed { ended.error(said.into()) } else { ended }
        }
        LogEvent::Noted { code, message } => {
            of("noted").details(json!({"code": code, "message": message}).into())
        }
    };
    vec![one]
}
