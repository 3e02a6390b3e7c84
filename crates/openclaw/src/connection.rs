//! Keeps the one connection to a gateway, shared by all runs, and reconnects when it breaks.
//!
//! Must never repeat a request by itself, nor keep a caller waiting beyond its time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::address::Address;
use super::config::{GatewayConfig, GatewayLimits};
use super::error::{GatewayFault, shown};
use super::frame::{Frame, Refusal, read};
use super::handshake::{Hello, greet};
use super::identity::Identity;
use super::mailbox::Mailbox;
use super::socket::{Socket, connect};

/// Requests that may wait to be sent.
const AHEAD: usize = 64;

/// What a gateway is told that has been silent for too long.
const SILENT: u16 = 4000;

/// How the line is.
#[derive(Debug, Clone)]
pub(super) struct LineStatus {
    /// How often it was tried.
    pub(super) tries: u64,
    /// The greeting while it is good; else what was wrong last.
    pub(super) state: Result<Hello, GatewayFault>,
}

/// The line to a gateway. It ends when it is dropped.
pub(super) struct Connection {
    shared: Arc<ConnectionState>,
    tasks: Mutex<JoinSet<()>>,
    requests: Mutex<Option<mpsc::Receiver<Request>>>,
}

struct ConnectionState {
    config: GatewayConfig,
    limits: GatewayLimits,
    address: Address,
    line: watch::Sender<LineStatus>,
    /// Somebody waits for the line.
    wanted: Notify,
    requests: mpsc::Sender<Request>,
    listeners: Mutex<HashMap<String, Arc<Mailbox>>>,
}

type Answer = Result<Value, GatewayFault>;

struct Request {
    method: &'static str,
    params: Value,
    answer: oneshot::Sender<Answer>,
}

/// Hears the events of one run, until it is dropped.
pub(super) struct RunSubscription {
    shared: Arc<ConnectionState>,
    run: String,
    mailbox: Arc<Mailbox>,
}

impl Connection {
    pub(super) fn new(config: GatewayConfig, limits: GatewayLimits) -> Result<Self, GatewayFault> {
        let address = Address::parse(&config.url)?;
        let (sender, receiver) = mpsc::channel(AHEAD);
        let never = GatewayFault::Connect { problem: "it was not tried yet".to_owned() };
        let shared = ConnectionState {
            config,
            limits,
            address,
            line: watch::Sender::new(LineStatus { tries: 0, state: Err(never) }),
            wanted: Notify::new(),
            requests: sender,
            listeners: Mutex::default(),
        };
        Ok(Self { shared: Arc::new(shared), tasks: Mutex::default(), requests: Mutex::new(Some(receiver)) })
    }

    /// Whether the gateway has this machine's disk, as far as its address tells.
    pub(super) fn is_here(&self) -> bool {
        self.shared.address.is_here
    }

    pub(super) fn limits(&self) -> &GatewayLimits {
        &self.shared.limits
    }

    /// How the line is, and when that changes.
    pub(super) fn line(&self) -> watch::Receiver<LineStatus> {
        self.shared.line.subscribe()
    }

    /// Waits until the line is good, or has failed once more.
    pub(super) async fn ready(&self, limit: Duration) -> Result<Hello, GatewayFault> {
        self.begin();
        let mut line = self.line();
        let tries = line.borrow_and_update().tries;
        self.shared.wanted.notify_one();
        let settled = line.wait_for(|line| line.state.is_ok() || line.tries > tries);
        match timeout(limit, settled).await {
            Ok(Ok(line)) => line.state.clone(),
            Ok(Err(_)) => Err(GatewayFault::Closed),
            Err(_) => Err(GatewayFault::Slow { method: "connect", limit }),
        }
    }

    /// Sends a request once. After [`GatewayFault::Closed`] the caller does not know whether it arrived.
    pub(super) async fn request(&self, method: &'static str, params: Value, limit: Duration) -> Answer {
        let until = Instant::now() + limit;
        self.ready(limit.min(self.shared.limits.connect)).await?;
        let (answer, answered) = oneshot::channel();
        let asked = async {
            let request = Request { method, params, answer };
            self.shared.requests.send(request).await.map_err(|_| GatewayFault::Closed)?;
            answered.await.unwrap_or(Err(GatewayFault::Closed))
        };
        tokio::select! {
            outcome = asked => outcome,
            () = sleep_until(until) => Err(GatewayFault::Slow { method, limit }),
        }
    }

    /// Listens to the run `run` from now on.
    pub(super) fn listen(&self, run: &str) -> RunSubscription {
        let mailbox = Arc::new(Mailbox::new(self.shared.limits.waiting));
        self.shared.listeners().insert(run.to_owned(), Arc::clone(&mailbox));
        RunSubscription { shared: Arc::clone(&self.shared), run: run.to_owned(), mailbox }
    }

    /// Starts the line, which is kept from then on.
    pub(super) fn begin(&self) {
        let receiver = self.requests.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(requests) = receiver {
            let shared = Arc::clone(&self.shared);
            self.tasks.lock().unwrap_or_else(PoisonError::into_inner).spawn(keep(shared, requests));
        }
    }
}

impl RunSubscription {
    pub(super) fn mailbox(&self) -> &Mailbox {
        &self.mailbox
    }
}

impl Drop for RunSubscription {
    fn drop(&mut self) {
        let mut listeners = self.shared.listeners();
        if listeners.get(&self.run).is_some_and(|known| Arc::ptr_eq(known, &self.mailbox)) {
            listeners.remove(&self.run);
        }
    }
}

impl ConnectionState {
    fn listeners(&self) -> MutexGuard<'_, HashMap<String, Arc<Mailbox>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn dial(&self) -> Result<(Socket, Hello), GatewayFault> {
        let folder = self.config.identity.clone();
        let identity = tokio::task::spawn_blocking(move || Identity::open(&folder));
        let identity = identity.await.map_err(|_| GatewayFault::Closed)??;
        let mut socket = connect(&self.address, self.limits.message).await?;
        let token = self.config.token.as_ref();
        let hello = greet(&mut socket, &identity, token, self.config.clock.millis()).await?;
        Ok((socket, hello))
    }
}

/// Keeps the line for ever.
async fn keep(shared: Arc<ConnectionState>, mut requests: mpsc::Receiver<Request>) {
    let limits = &shared.limits;
    let mut pause = limits.pause;
    loop {
        let limit = limits.connect;
        let dialled = timeout(limit, shared.dial()).await;
        let fault = match dialled.unwrap_or(Err(GatewayFault::Slow { method: "connect", limit })) {
            Ok((socket, hello)) => {
                tracing::info!(target: "gateway", "connected");
                shared.line.send_modify(|line| {
                    *line = LineStatus { tries: line.tries + 1, state: Ok(hello.clone()) };
                });
                let since = Instant::now();
                let fault = serve(&shared, socket, &hello, &mut requests).await;
                // One that takes connections and drops them at once is not called faster for that.
                if since.elapsed() >= limits.recovery {
                    pause = limits.pause;
                }
                fault
            }
            Err(fault) => {
                if matches!(fault, GatewayFault::Login { .. }) {
                    // A gateway shuts out clients that try too often.
                    pause = limits.longest_pause;
                }
                fault
            }
        };
        tracing::warn!(target: "gateway", code = fault.code(), "{fault}");
        shared
            .line
            .send_modify(|line| *line = LineStatus { tries: line.tries + 1, state: Err(fault.clone()) });
        // What came in meanwhile was not sent, and is not going to be by itself.
        while let Ok(request) = requests.try_recv() {
            let _ = request.answer.send(Err(fault.clone()));
        }
        tokio::select! {
            () = sleep(pause) => {}
            // A caller that waits for it does not wait for the pause, only long enough for nobody to be overrun.
            () = async { shared.wanted.notified().await; sleep(limits.pause.min(pause)).await } => {}
        }
        pause = (pause * 2).min(limits.longest_pause);
    }
}

/// Carries requests and events until the line breaks; says why.
async fn serve(
    shared: &ConnectionState,
    mut socket: Socket,
    hello: &Hello,
    requests: &mut mpsc::Receiver<Request>,
) -> GatewayFault {
    let mut open: HashMap<String, (&'static str, oneshot::Sender<Answer>)> = HashMap::new();
    let mut count = 0_u64;
    // Two ticks may be missed.
    let patience = hello.tick * 5 / 2;
    let mut silent = Instant::now() + patience;
    loop {
        tokio::select! {
            message = socket.next() => {
                silent = Instant::now() + patience;
                let message = match message {
                    Some(Ok(Message::Text(message))) => message,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return GatewayFault::Closed,
                    Some(Ok(_)) => continue,
                };
                let listeners = |run: &str| shared.listeners().contains_key(run);
                match read(&message, shared.limits.event, listeners) {
                    Frame::Answer(id, outcome) => {
                        if let Some((method, answer)) = open.remove(&id) {
                            let _ = answer.send(outcome.map_err(|refusal| refused(method, refusal)));
                        }
                    }
                    Frame::Event(told) => {
                        let mailbox = shared.listeners().get(&told.run).cloned();
                        if let Some(mailbox) = mailbox {
                            mailbox.put(told);
                        }
                    }
                    Frame::Challenge(_) | Frame::Other => {}
                }
            }
            request = requests.recv() => {
                let Some(Request { method, params, answer }) = request else { return GatewayFault::Closed };
                open.retain(|_, (_, answer)| !answer.is_closed());
                if answer.is_closed() {
                    continue;
                }
                count += 1;
                let id = format!("r{count}");
                let message = json!({ "type": "req", "id": id, "method": method, "params": params }).to_string();
                let (size, limit) = (message.len(), hello.largest);
                if size > limit {
                    let _ = answer.send(Err(GatewayFault::TooLarge { method, size, limit }));
                    continue;
                }
                open.insert(id, (method, answer));
                match timeout(patience, socket.send(Message::text(message))).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) | Err(_) => return GatewayFault::Closed,
                }
            }
            () = sleep_until(silent) => {
                let frame = CloseFrame { code: CloseCode::from(SILENT), reason: "no tick".into() };
                let _ = timeout(Duration::from_secs(1), socket.close(Some(frame))).await;
                return GatewayFault::Closed;
            }
        }
    }
}

fn refused(method: &'static str, refusal: Refusal) -> GatewayFault {
    let Refusal { code, message, is_passing, .. } = refusal;
    GatewayFault::Refused { method, code: shown(&code), message, is_passing }
}
