//! A session service that plays what a test tells it, and keeps what it was asked.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engross_agent::session::{
    AnswerFinish, AnswerPlace, PositionedEvent, RequestError, SessionName, SessionOverview, SessionView,
    Settings, TurnEvent, TurnRequest,
};
use engross_agent::workspace::Workspaces;
use engross_documents::DocumentIsolation;
use engross_docx::Tracking;
use engross_llm::{MessageAttachment, OptionTreatment, Provider, attachment_refusal, treatment};
use engross_protocol::{CountingIds, FixedClock, SessionId};
use engross_store::files::{Locks, Root};
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::service::{AnswerEvents, EarlierAnswer, Service};
use crate::{Access, Brake, Documents, Limits, OwnerQuota, Server};

/// The id of the one session.
pub const SESSION: &str = "ses_00000000000000000000000000000007";

/// The service, shared with the test.
#[derive(Clone, Default)]
pub struct Fake(Arc<Inner>);

#[derive(Default)]
struct Inner {
    submitted: Mutex<Vec<TurnRequest>>,
    listened: Mutex<Vec<SessionName>>,
    viewed: Mutex<VecDeque<Result<SessionView, RequestError>>>,
    configured: Mutex<Vec<(SessionName, Settings)>>,
    next: Mutex<VecDeque<Result<FakeAnswer, RequestError>>>,
    failing: Mutex<Vec<&'static str>>,
    /// Answers that nobody listens to any more.
    dropped: AtomicUsize,
}

/// An answer that the test plays.
pub struct FakeAnswer {
    events: UnboundedReceiver<PositionedEvent>,
    behind: Option<u64>,
    replayed: bool,
    service: Fake,
}

impl Fake {
    /// The next request gets these events, all at once.
    pub fn answer(&self, events: Vec<TurnEvent>) {
        let sender = self.play();
        place(events).into_iter().for_each(|placed| sender.send(placed).unwrap());
    }

    /// The next request gets what the test sends, for as long as it keeps the sender.
    pub fn play(&self) -> UnboundedSender<PositionedEvent> {
        let (sender, events) = unbounded_channel();
        let answer = FakeAnswer { events, behind: None, replayed: false, service: self.clone() };
        self.0.next.lock().unwrap().push_back(Ok(answer));
        sender
    }

    /// The next look finds this.
    pub fn show(&self, view: Result<SessionView, RequestError>) {
        self.0.viewed.lock().unwrap().push_back(view);
    }

    /// What was set since the last call.
    pub fn configured(&self) -> Vec<(SessionName, Settings)> {
        std::mem::take(&mut self.0.configured.lock().unwrap())
    }

    /// The next request is refused.
    pub fn refuse(&self, error: RequestError) {
        self.0.next.lock().unwrap().push_back(Err(error));
    }

    /// The service is not ready.
    pub fn fail(&self, what: &'static str) {
        self.0.failing.lock().unwrap().push(what);
    }

    /// What was submitted since the last call.
    pub fn submitted(&self) -> Vec<TurnRequest> {
        std::mem::take(&mut self.0.submitted.lock().unwrap())
    }

    /// What was listened to since the last call.
    pub fn listened(&self) -> Vec<SessionName> {
        std::mem::take(&mut self.0.listened.lock().unwrap())
    }

    /// Waits until so many answers have lost their listener.
    pub async fn wait_for_dropped(&self, count: usize) {
        for _ in 0..500 {
            if self.0.dropped.load(Ordering::Relaxed) >= count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("nobody noticed that the client went away");
    }

    fn take(&self) -> Result<FakeAnswer, RequestError> {
        self.0.next.lock().unwrap().pop_front().unwrap()
    }
}

impl Service for Fake {
    type AnswerEvents = FakeAnswer;

    async fn submit(&self, request: TurnRequest) -> Result<FakeAnswer, RequestError> {
        let repeated = request.idempotency_key.as_deref() == Some("again");
        self.0.submitted.lock().unwrap().push(request);
        let mut answer = self.take()?;
        answer.replayed = repeated;
        Ok(answer)
    }

    async fn listen(&self, key: &SessionName) -> Result<FakeAnswer, RequestError> {
        self.0.listened.lock().unwrap().push(key.clone());
        self.take()
    }

    async fn look(&self, _: &SessionName) -> Result<SessionView, RequestError> {
        let mut viewed = self.0.viewed.lock().unwrap();
        viewed.pop_front().unwrap()
    }

    async fn configure(&self, key: &SessionName, settings: Settings) -> Result<(), RequestError> {
        self.0.configured.lock().unwrap().push((key.clone(), settings));
        Ok(())
    }

    async fn cancel(&self, key: &SessionName) -> Result<bool, RequestError> {
        self.0.listened.lock().unwrap().push(key.clone());
        Ok(true)
    }

    async fn page(&self, _: Option<SessionId>, _: usize) -> Result<Vec<SessionOverview>, RequestError> {
        Ok(Vec::new())
    }

    async fn delete(&self, key: &SessionName) -> Result<SessionId, RequestError> {
        self.0.listened.lock().unwrap().push(key.clone());
        Ok(SESSION.parse().unwrap())
    }

    async fn answer(&self, _: AnswerPlace) -> Result<EarlierAnswer<FakeAnswer>, RequestError> {
        Ok(EarlierAnswer { events: self.take()?, runs: false, answers: 1, input: Vec::new() })
    }

    async fn model_for(&self, request: &TurnRequest) -> Result<Option<String>, RequestError> {
        Ok(request.parameters.model.clone())
    }

    fn waiting(&self) -> (usize, usize) {
        (0, 0)
    }

    fn treatment(&self, _: Option<&str>, option: &str, value: &Value) -> OptionTreatment {
        treatment(Provider::Compatible, option, value)
    }

    fn refusal(&self, _: Option<&str>, attachment: &MessageAttachment) -> Option<&'static str> {
        attachment_refusal(Provider::Compatible, attachment)
    }

    fn models(&self) -> Vec<String> {
        vec!["slow".to_owned()]
    }

    fn running(&self) -> usize {
        0
    }

    async fn failing(&self) -> Vec<&'static str> {
        self.0.failing.lock().unwrap().clone()
    }
}

impl AnswerEvents for FakeAnswer {
    fn session(&self) -> SessionId {
        SESSION.parse().unwrap()
    }

    fn key(&self) -> &str {
        "agent:main:dok-ü"
    }

    fn turn(&self) -> u64 {
        3
    }

    fn answer(&self) -> u64 {
        12
    }

    fn created(&self) -> u64 {
        1_795_293_365_000
    }

    fn replayed(&self) -> bool {
        self.replayed
    }

    fn resume_after(&mut self, position: u64) {
        self.behind = Some(position);
    }

    async fn next(&mut self) -> Option<PositionedEvent> {
        loop {
            let placed = self.events.recv().await?;
            if self.behind.is_none_or(|behind| placed.position > behind) {
                return Some(placed);
            }
        }
    }
}

impl Drop for FakeAnswer {
    fn drop(&mut self) {
        self.service.0.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

/// A server around the service, for `http://localhost`, without a token.
pub fn server(service: &Fake) -> Server<Fake> {
    Server {
        service: service.clone(),
        model: "rules".to_owned(),
        // The folder is gone at once: what needs documents has some of its own.
        documents: documents(tempfile::tempdir().unwrap().path()),
        clock: Arc::new(FixedClock("2026-11-21T20:36:05Z".parse().unwrap())),
        ids: Arc::new(CountingIds::default()),
        access: Access::default(),
        access_log: None,
        brake: Brake::default(),
        strict_models: false,
        session_by_user: false,
        codes: &[],
        limits: Limits::default(),
        quota: OwnerQuota::default(),
        metrics: Arc::default(),
    }
}

/// Workspaces beneath `root`.
pub fn documents(root: &Path) -> Documents {
    let clock = Arc::new(FixedClock("2026-11-21T20:36:05Z".parse().unwrap()));
    let workspaces = Workspaces::new(Root::open(root).unwrap(), Locks::new(), clock.clone());
    Documents {
        workspaces,
        author: "Ada".to_owned(),
        tracking: Tracking::Tracked,
        clock,
        isolation: DocumentIsolation::default(),
    }
}

/// Text, and the end.
pub fn text(text: &str) -> Vec<TurnEvent> {
    vec![TurnEvent::Text(text.to_owned()), TurnEvent::Done { finish: AnswerFinish::Stop, usage: None }]
}

/// A failed answer.
pub fn failed(code: &str, retry_after: Option<u64>) -> TurnEvent {
    TurnEvent::Failed { code: code.to_owned(), message: format!("{code} happened."), retry_after }
}

/// Events with their places, as the session service counts them.
pub fn place(events: Vec<TurnEvent>) -> Vec<PositionedEvent> {
    let mut position = 0;
    let placed = events.into_iter().map(|event| {
        position += match &event {
            TurnEvent::Text(text) => text.len() as u64,
            TurnEvent::Status { .. }
            | TurnEvent::Content { .. }
            | TurnEvent::Thinking { .. }
            | TurnEvent::Likelihoods(_)
            | TurnEvent::Warning { .. } => 0,
            TurnEvent::Thoughts(_)
            | TurnEvent::Call { .. }
            | TurnEvent::Done { .. }
            | TurnEvent::Failed { .. } => 1,
        };
        PositionedEvent { position, event }
    });
    placed.collect()
}
