//! The protocol in front of runs: requests become calls of the service, and what happens becomes frames.
//!
//! Must never know HTTP or sockets: a transport hands in a [`RpcRequest`] and takes [`RpcFrame`]s out. `docs/protocol/tasks.md`
//! describes all of it.
//!
//! | File | Question it answers |
//! |---|---|
//! | `envelope`, `error` | what do requests and answers look like? |
//! | `params`, `routing` | what does a request say, and who is to carry it out? |
//! | `submit` | how does a request become a run, and the run an answer? |
//! | `tasks`, `permissions`, `jobs`, `artifacts` | what can be asked of runs that are there? |
//! | `catalog` | who is there? |

mod artifacts;
mod catalog;
mod envelope;
mod error;
mod jobs;
mod params;
mod permissions;
mod routing;
mod submit;
mod tasks;

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio_util::task::TaskTracker;

use crate::codes;
use crate::runner::Policy;
use crate::runs::Runs;

pub use envelope::{RpcRequest, notification, reply};
pub use error::RpcError;
pub(crate) use submit::submission;

/// The version of the protocol: that of the reference's contract, and what is added to it.
pub const PROTOCOL: &str = "1.1";

/// Frames that may wait for a slow client before the call waits for it.
const AHEAD: usize = 64;

/// What is said of the server, and what it allows.
#[derive(Debug, Clone)]
pub struct BridgeConfig {
    /// Its version.
    pub version: String,
    /// What agents may do without asking.
    pub permissions: Policy,
}

/// A request as it came in, beside what it says.
#[derive(Debug, Clone, Default)]
pub struct RpcCall {
    /// Who asks.
    pub principal: String,
    /// The address of this server as the client knows it; empty when there is none.
    pub base: String,
    /// The path it came to.
    pub path: &'static str,
    /// Whether the client hears what happens before the answer.
    pub stream: bool,
    /// A key that makes repeating the request harmless.
    pub idempotency: Option<String>,
    /// The number of the last update that the client has heard.
    pub last_event: Option<u64>,
    /// The revision that the client has.
    pub if_none_match: Option<String>,
}

/// What goes out.
#[derive(Debug, Clone, PartialEq)]
pub enum RpcFrame {
    /// Something happened: the envelope, and its number if it has one.
    Event(Value, Option<u64>),
    /// The answer. The last frame, if there is one.
    Answer(Value),
}

/// Where the frames of one call go.
pub(crate) struct Sink(mpsc::Sender<RpcFrame>);

impl Sink {
    async fn notify(&self, method: &str, params: &Value, seq: Option<u64>) {
        // A client that went away receives nothing; the run continues.
        let _ = self.0.send(RpcFrame::Event(notification(method, params, seq), seq)).await;
    }

    fn is_gone(&self) -> bool {
        self.0.is_closed()
    }

    async fn gone(&self) {
        self.0.closed().await;
    }
}

/// The service. Clones are the same one.
#[derive(Clone)]
pub struct Bridge {
    runs: Runs,
    config: Arc<BridgeConfig>,
    pub(crate) calls: TaskTracker,
    /// Told when somebody asks this server to make room for another; nobody can ask where there is none.
    retirement: Arc<OnceLock<Arc<Notify>>>,
}

impl Bridge {
    /// The protocol in front of `runs`.
    #[must_use]
    pub fn new(runs: Runs, config: BridgeConfig) -> Self {
        let retirement = Arc::default();
        Self { runs, config: Arc::new(config), calls: TaskTracker::new(), retirement }
    }

    /// Lets a client ask this server to end when it has nothing to do: `told` hears of it then.
    pub fn retires_by(&self, told: Arc<Notify>) {
        let _ = self.retirement.set(told);
    }

    /// Whether nobody is listening and no run is under way or waits.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.calls.is_empty() && self.runs.is_idle()
    }

    /// `engross.runner.retire`: ends a server that has nothing to do but to hear this.
    fn retire(&self) -> Option<Value> {
        let told = self.retirement.get()?;
        let retires = self.calls.len() <= 1 && self.runs.is_idle();
        if retires {
            told.notify_one();
        }
        Some(json!({ "retired": retires }))
    }

    /// The runs behind it.
    #[must_use]
    pub fn runs(&self) -> &Runs {
        &self.runs
    }

    /// Begins to answer a request. Dropping the receiver ends the call and no run.
    #[must_use]
    pub fn open(&self, call: RpcCall, request: RpcRequest) -> mpsc::Receiver<RpcFrame> {
        let (sender, receiver) = mpsc::channel(AHEAD);
        let bridge = self.clone();
        self.calls.spawn(async move {
            let sink = Sink(sender);
            let answer = bridge.answer(&call, &request, &sink).await;
            if let Some(id) = &request.id {
                let envelope = match answer {
                    Ok(result) => reply(id, Ok(result)),
                    Err(error) => reply(id, Err(&error)),
                };
                let _ = sink.0.send(RpcFrame::Answer(envelope)).await;
            }
        });
        receiver
    }

    async fn answer(&self, call: &RpcCall, request: &RpcRequest, sink: &Sink) -> Result<Value, RpcError> {
        let params = &request.params;
        let fields = params::Params(params);
        match request.method.as_str() {
            "acp.capabilities" => Ok(catalog::capabilities(self).await),
            method @ ("session.start" | "session.message") => {
                submit::carry_out(self, call, method, params, sink).await
            }
            "session.cancel" => tasks::cancel_session(self, call, params).await,
            "session.close" => tasks::close(self, call, params).await,
            "xworkmate.tasks.get" => Ok(tasks::get(self, call, params, sink).await),
            "xworkmate.tasks.cancel" => tasks::cancel(self, call, params).await,
            "xworkmate.session.prepare" => tasks::prepare(self, call, params).await,
            "xworkmate.routing.resolve" => routing::resolve(fields, self.runs.config()).await,
            "xworkmate.permissions.respond" => permissions::respond(self, call, params).await,
            "xworkmate.permissions.list" => permissions::list(self, call, params).await,
            "xworkmate.jobs.submit" => jobs::submit(self, call, params).await,
            "xworkmate.jobs.get" => jobs::get(self, call, params).await,
            "xworkmate.jobs.list" => jobs::list(self, call, false).await,
            "xworkmate.jobs.stats" => jobs::list(self, call, true).await,
            "xworkmate.artifacts.export" => artifacts::export(self, call, params, false).await,
            "xworkmate.artifacts.list" => artifacts::export(self, call, params, true).await,
            "xworkmate.artifacts.read" => artifacts::read(self, call, params).await,
            "xworkmate.artifacts.collect-and-snapshot" => artifacts::collect(self, call, params).await,
            "engross.runner.retire" if self.retirement.get().is_some() => {
                Ok(self.retire().unwrap_or_default())
            }
            "health" => {
                Ok(json!({ "status": "ok", "version": self.config.version, "role": "acp-control-plane" }))
            }
            method => {
                let method: String = method.chars().take(80).collect();
                Err(RpcError::new(codes::RPC_METHOD_UNKNOWN, format!("unknown method: {method}")))
            }
        }
    }
}
