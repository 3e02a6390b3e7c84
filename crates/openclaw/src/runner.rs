//! Gives turns to a gateway.
//!
//! Must never begin a turn twice, nor begin a conversation anew that is to go on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::config::{GatewayConfig, GatewayLimits};
use super::connection::{Connection, RunSubscription};
use super::error::{GatewayFault, shown};
use super::follow::RunFollower;
use super::frame::text;
use super::message::{WorkPlace, attachments, message};
use super::plugin::{Plugin, prepare};
use super::turn::same_session;
use engross_tasks::runner::{
    AgentError, AgentEvent, CancelReceipt, Control, Health, RunnerFuture, RunningTurn, TaskRunner, Turn,
};

/// Events that wait for their listener.
const EVENTS: usize = 256;

/// How long it may take to say whether the gateway is there.
const PROBE: Duration = Duration::from_secs(10);

/// What the gateway's own time for a run is longer than ours, in milliseconds.
const LONGER: u64 = 30_000;

/// An OpenClaw gateway. Clones share its one connection, which is made when it is first needed and then kept.
#[derive(Clone)]
pub struct GatewayRunner {
    inner: Arc<Inner>,
}

struct Inner {
    config: GatewayConfig,
    connection: Arc<Connection>,
    tasks: Mutex<JoinSet<()>>,
}

struct GatewayControl {
    connection: Arc<Connection>,
    session: String,
    /// The run as the gateway calls it.
    run: String,
    /// The run as the person knows it.
    known_as: String,
}

/// How a run is listened to.
struct GatewayEvents {
    listener: RunSubscription,
    /// Whether something of it may have been missed already.
    unsure: bool,
    /// What is told first.
    begun: Option<AgentEvent>,
}

/// A turn that was handed over and is not listened to yet. Dropped, it is taken back.
struct HandoverGuard {
    inner: Arc<Inner>,
    control: Option<GatewayControl>,
}

impl GatewayRunner {
    /// The gateway at `config.url`. Nothing is sent before it is needed.
    ///
    /// # Errors
    /// [`GatewayFault::Address`].
    pub fn new(config: GatewayConfig, limits: GatewayLimits) -> Result<Self, GatewayFault> {
        let connection = Arc::new(Connection::new(config.clone(), limits)?);
        Ok(Self { inner: Arc::new(Inner { config, connection, tasks: Mutex::default() }) })
    }

    /// Whether the gateway is on this machine, as far as its address tells: then its agents write into the folder of a run, and
    /// files that they name can be taken from its folders.
    #[must_use]
    pub fn is_here(&self) -> bool {
        self.inner.connection.is_here()
    }

    async fn begin(&self, turn: Turn) -> Result<RunningTurn, GatewayFault> {
        let connection = &self.inner.connection;
        connection.ready(connection.limits().connect).await?;
        if turn.continues {
            self.knows(&turn).await?;
        }
        let plugin = prepare(connection, &turn).await?;
        let place = match &plugin {
            Plugin::Made(prepared) => WorkPlace::There(prepared),
            _ if connection.is_here() => WorkPlace::Here,
            _ => WorkPlace::Elsewhere,
        };
        let files = if place == WorkPlace::Here || turn.attachments.is_empty() {
            Vec::new()
        } else {
            let turn = turn.clone();
            let read = tokio::task::spawn_blocking(move || attachments(&turn));
            read.await.map_err(|_| GatewayFault::Closed)??
        };
        let left = turn.deadline.saturating_sub(self.inner.config.clock.millis());
        let mut params = json!({
            "sessionKey": turn.session_key,
            "message": message(&turn, place),
            "idempotencyKey": turn.turn,
            "timeoutMs": left.saturating_add(LONGER),
            "deliver": false,
        });
        if !files.is_empty() {
            params["attachments"] = Value::Array(files);
        }
        let listener = connection.listen(&turn.turn);
        let mut handed = HandoverGuard {
            inner: Arc::clone(&self.inner),
            control: Some(GatewayControl::new(connection, &turn, &turn.turn)),
        };
        let accepted = match self.hand_over(&params).await {
            Ok(accepted) => accepted,
            Err(fault) => {
                if matches!(fault, GatewayFault::Refused { .. } | GatewayFault::TooLarge { .. }) {
                    handed.control = None;
                }
                return Err(fault);
            }
        };
        let found = text(&accepted["sessionKey"]);
        if !found.is_empty() && !same_session(found, turn.session_key.as_str()) {
            return Err(GatewayFault::Session {
                asked: turn.session_key.as_str().to_owned(),
                found: shown(found),
            });
        }
        handed.control = None;
        let run = accepted["runId"].as_str().filter(|run| !run.is_empty()).unwrap_or(&turn.turn).to_owned();
        let listener = if run == turn.turn { listener } else { connection.listen(&run) };
        // One that has begun or ended before may have told things that nobody heard.
        let unsure = run != turn.turn || text(&accepted["status"]) != "started";
        let begun = AgentEvent::Started { agent_session: Some(turn.session_key.as_str().to_owned()) };
        Ok(self.listen_to(turn, run, plugin, GatewayEvents { listener, unsure, begun: Some(begun) }))
    }

    /// Whether the gateway has the conversation that is to go on.
    async fn knows(&self, turn: &Turn) -> Result<(), GatewayFault> {
        let connection = &self.inner.connection;
        let params = json!({ "sessionKey": turn.session_key, "limit": 1 });
        let history = connection.request("chat.history", params, connection.limits().request).await?;
        let is_empty = history["messages"].as_array().is_none_or(Vec::is_empty);
        if is_empty {
            return Err(GatewayFault::Continuation { reason: "its session is empty there" });
        }
        Ok(())
    }

    /// Hands a turn over; again when the line breaks meanwhile, as the gateway knows it by its name.
    async fn hand_over(&self, params: &Value) -> Result<Value, GatewayFault> {
        let connection = &self.inner.connection;
        let limits = connection.limits();
        let until = Instant::now() + limits.connect;
        let mut sent = false;
        loop {
            let fault = match connection.request("chat.send", params.clone(), limits.send).await {
                Err(fault @ GatewayFault::Closed) => fault,
                Err(fault @ GatewayFault::Connect { .. }) if sent => fault,
                outcome => return outcome,
            };
            if Instant::now() >= until {
                return Err(fault);
            }
            sent = true;
            sleep(limits.pause).await;
        }
    }

    fn listen_to(&self, turn: Turn, run: String, plugin: Plugin, heard: GatewayEvents) -> RunningTurn {
        let GatewayEvents { listener, unsure, begun } = heard;
        let (events, heard) = mpsc::channel(EVENTS);
        let connection = Arc::clone(&self.inner.connection);
        let control = Arc::new(GatewayControl::new(&connection, &turn, &run));
        let following = RunFollower { connection, turn, run, plugin, listener, events, unsure };
        self.inner.spawn(async move {
            if let Some(begun) = begun {
                let _ = following.events.send(begun).await;
            }
            following.follow().await;
        });
        RunningTurn { events: heard, control }
    }

    /// Listens again to a turn that was handed over before this process was.
    fn resume(&self, turn: Turn) -> RunningTurn {
        let listener = self.inner.connection.listen(&turn.turn);
        let run = turn.turn.clone();
        self.listen_to(turn, run, Plugin::Unknown, GatewayEvents { listener, unsure: true, begun: None })
    }
}

impl Inner {
    /// Does `work` in the background.
    fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let mut tasks = self.tasks.lock().unwrap_or_else(PoisonError::into_inner);
        while tasks.try_join_next().is_some() {}
        tasks.spawn_on(work, &runtime);
    }
}

impl TaskRunner for GatewayRunner {
    fn health(&self) -> RunnerFuture<'_, Health> {
        Box::pin(async {
            let limit = PROBE.min(self.inner.connection.limits().connect);
            match self.inner.connection.ready(limit).await {
                Ok(_) => Health::Ready,
                Err(fault) => Health::Failing { message: fault.to_string() },
            }
        })
    }

    fn start(&self, turn: Turn) -> RunnerFuture<'_, Result<RunningTurn, AgentError>> {
        Box::pin(async move {
            if turn.sandbox.is_binding() {
                return Err(AgentError::unfenced("the agent runs at a gateway"));
            }
            Ok(self.begin(turn).await?)
        })
    }

    fn resume(
        &self,
        turn: Turn,
        _agent_session: Option<String>,
    ) -> RunnerFuture<'_, Result<Option<RunningTurn>, AgentError>> {
        Box::pin(async move { Ok(Some(self.resume(turn))) })
    }

    fn close(&self, _principal: &str, _thread: &str) -> RunnerFuture<'_, ()> {
        // Its session belongs to the gateway, where people may look at it; a turn that does not go on with it is a new one there.
        Box::pin(std::future::ready(()))
    }
}

impl GatewayControl {
    fn new(connection: &Arc<Connection>, turn: &Turn, run: &str) -> Self {
        Self {
            connection: Arc::clone(connection),
            session: turn.session_key.as_str().to_owned(),
            run: run.to_owned(),
            known_as: turn.run.as_str().to_owned(),
        }
    }

    /// Asks the gateway to stop exactly this run.
    async fn abort(&self) -> Result<CancelReceipt, GatewayFault> {
        let params = json!({ "sessionKey": self.session, "runId": self.run });
        let receipt = self.connection.request("chat.abort", params, self.connection.limits().abort).await?;
        let named = receipt["runIds"].as_array().map(Vec::as_slice).unwrap_or_default();
        let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
        let known = |run: &&str| if *run == self.run { self.known_as.clone() } else { (*run).to_owned() };
        let runs: Vec<String> = named.iter().map(known).collect();
        match receipt["aborted"].as_bool() {
            // Without our run in it, it is a receipt for something else.
            Some(true) if receipt["ok"] != false && named.contains(&self.run.as_str()) => {
                Ok(CancelReceipt { method: "chat.abort", aborted: true, runs })
            }
            Some(false) if receipt["ok"] != false => {
                Ok(CancelReceipt { method: "chat.abort", aborted: false, runs })
            }
            _ => Err(GatewayFault::Unconfirmed),
        }
    }
}

impl Control for GatewayControl {
    fn cancel(&self) -> RunnerFuture<'_, Result<CancelReceipt, AgentError>> {
        Box::pin(async { Ok(self.abort().await?) })
    }

    fn answer(&self, _permission: &str, _option: Option<&str>) {
        // What its agents must ask for is asked at the gateway.
    }
}

impl Drop for HandoverGuard {
    fn drop(&mut self) {
        if let Some(control) = self.control.take() {
            self.inner.spawn(async move {
                let _ = control.abort().await;
            });
        }
    }
}
