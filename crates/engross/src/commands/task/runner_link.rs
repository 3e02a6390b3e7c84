//! The way to the runner of a person, which is started when there is none: before the first call, and again when it is gone
//! before a later one.
//!
//! Must never let two processes carry out tasks of one folder, or take a runner of other settings for one of these.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engross_protocol::Failure;
use engross_store::files::by_path;
use engross_threads::{
    BridgeCall, BridgeFrame, FetchError, FileSource, Frames, Link, LinkError, LinkFuture, RemoteArtifact,
    RemoteBridge, Sink,
};
use futures_util::StreamExt;
use serde_json::json;

use super::runner_start;
use crate::output::note;
use engross_compose::failure::usage;
use engross_compose::runner::{Door, Fingerprint, RunnerAddress, RunnerState, find};
use engross_compose::settings::Environment;

/// How long a runner may take to begin, or to make room for another.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// What a call ends with that nobody took.
const NOBODY_LISTENS: &str = "ACP_HTTP_CONNECT_FAILED";

/// Where a runner is, or is to be, and what is wanted of it.
pub(super) struct RunnerPlace {
    pub(super) data: PathBuf,
    pub(super) model: Option<String>,
    pub(super) config: Option<PathBuf>,
    pub(super) environment: Environment,
    /// The agent whose tasks it is to begin, with the settings of here; without one any runner will do: to look on, to stop, to put away.
    pub(super) agent: Option<String>,
    /// What an agent that works for us is given of our environment.
    pub(super) variables: Vec<(String, String)>,
}

impl RunnerPlace {
    /// Whether a runner that was made for `there` will do; `here` are the settings of this command.
    fn is_met_by(&self, there: &Fingerprint, here: &Fingerprint) -> bool {
        let Some(agent) = &self.agent else { return true };
        there.settings == here.settings && (agent != super::usual::USUAL || there.model == here.model)
    }

    /// Finds the runner, or starts one.
    async fn reach(&self) -> Result<Arc<RemoteBridge>, Failure> {
        let (model, config) = (self.model.as_deref(), self.config.as_deref());
        let made_for = runner_start::made_for(model, config, &self.environment)?;
        let until = Instant::now() + PATIENCE;
        let mut started = None;
        while Instant::now() < until {
            match find(&self.data)? {
                // The lock may be somebody's who looks as well, and the door that of one who is gone.
                RunnerState::At(door) if !has_listener(&door.address).await => {}
                RunnerState::At(door) if self.is_met_by(&door.made_for, &made_for) => {
                    let link = at_door(&door)?;
                    return Ok(Arc::new(link.with_environment(self.variables.clone())));
                }
                RunnerState::At(door) => retire(&door).await?,
                RunnerState::Between => {}
                RunnerState::Nobody => match started.as_mut().map(std::process::Child::try_wait) {
                    None => started = Some(runner_start::start(&self.data, model, config)?),
                    // It found another one, which is gone as well by now.
                    Some(Ok(Some(status))) if status.success() => started = None,
                    // One that ends at once says why in its log; one that was ended by somebody says nothing.
                    Some(Ok(Some(status))) if status.code().is_some() => {
                        return Err(runner_start::died(&self.data));
                    }
                    Some(Ok(Some(_))) => started = None,
                    Some(Ok(None) | Err(_)) => {}
                },
            }
            tokio::time::sleep(LOOK).await;
        }
        Err(runner_start::died(&self.data))
    }
}

/// Whether somebody listens there.
async fn has_listener(address: &RunnerAddress) -> bool {
    match address {
        RunnerAddress::Port(address) => {
            let address = address.trim_start_matches("http://");
            tokio::net::TcpStream::connect(address).await.is_ok()
        }
        #[cfg(unix)]
        RunnerAddress::Socket(path) => tokio::net::UnixStream::connect(path).await.is_ok(),
        #[cfg(not(unix))]
        RunnerAddress::Socket(_) => true,
    }
}

/// Asks a runner of other settings to make room.
async fn retire(door: &Door) -> Result<(), Failure> {
    let link = at_door(door)?;
    let call = BridgeCall { method: "engross.runner.retire", params: json!({}), last_event: None };
    // One that cannot be reached is ending already.
    let Ok(mut frames) = link.call(call).await else { return Ok(()) };
    while let Some(Ok(frame)) = frames.next().await {
        if let BridgeFrame::Answer(answer) = frame
            && answer["retired"] == false
        {
            return Err(Failure::of(
                engross_compose::codes::RUNNER_BUSY,
                "the runner of this data folder is at work with other settings: wait until it is done, or give --data another folder",
            ));
        }
    }
    Ok(())
}

/// The way to a runner that is there.
pub(super) fn at_door(door: &Door) -> Result<Arc<RemoteBridge>, Failure> {
    match &door.address {
        RunnerAddress::Port(address) => to_address(address, Some(door.token.clone())),
        #[cfg(unix)]
        RunnerAddress::Socket(path) => RemoteBridge::at_socket(path, Some(door.token.clone().into()))
            .map(Arc::new)
            .map_err(|problem| usage("USAGE", problem)),
        #[cfg(not(unix))]
        RunnerAddress::Socket(_) => Err(usage("USAGE", "this system has no sockets in files".to_owned())),
    }
}

/// The way to a bridge at an address.
pub(super) fn to_address(base: &str, token: Option<String>) -> Result<Arc<RemoteBridge>, Failure> {
    RemoteBridge::new(base, token.map(Into::into)).map(Arc::new).map_err(|problem| usage("USAGE", problem))
}

/// The runner of a person, whichever process that is at the moment: it ends by itself when nothing is to be done, and may be killed.
pub(super) struct RunnerLink(Arc<RunnerContact>);

struct RunnerContact {
    place: RunnerPlace,
    bridge: Mutex<Arc<RemoteBridge>>,
    /// Held by the one who looks for it.
    looking: tokio::sync::Mutex<()>,
    /// Whether the person knows that none begins.
    is_told: AtomicBool,
}

impl RunnerLink {
    /// The runner of this place, which is there when this returns.
    pub(super) async fn open(place: RunnerPlace) -> Result<Self, Failure> {
        let bridge = Mutex::new(place.reach().await?);
        let (looking, is_told) = (tokio::sync::Mutex::default(), AtomicBool::default());
        Ok(Self(Arc::new(RunnerContact { place, bridge, looking, is_told })))
    }
}

impl RunnerContact {
    fn bridge(&self) -> Arc<RemoteBridge> {
        Arc::clone(&self.bridge.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The one that is there now, or is started.
    async fn again(&self) -> Result<Arc<RemoteBridge>, Failure> {
        let _alone = self.looking.lock().await;
        // Whoever removes the folder for data wants no runner in it.
        by_path::check_folder(&self.place.data)?;
        let reached = self.place.reach().await.inspect_err(|failure| {
            if !self.is_told.swap(true, Ordering::Relaxed) {
                note(&format!("The runner of tasks is gone, and no other begins: {}", failure.message));
            }
        });
        let reached = reached?;
        *self.bridge.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&reached);
        Ok(reached)
    }
}

impl Link for RunnerLink {
    fn call(&self, call: BridgeCall) -> LinkFuture<'_, Result<Frames, LinkError>> {
        Box::pin(async move {
            let contact = &self.0;
            match contact.bridge().call(call.clone()).await {
                // What nobody took was not begun, so that it is safe to send it once more.
                Err(error) if error.code == NOBODY_LISTENS => match contact.again().await {
                    Ok(bridge) => bridge.call(call).await,
                    // What hinders it may be mended while the task is still of use.
                    Err(failure) => Err(LinkError {
                        code: failure.code.to_owned(),
                        message: failure.message,
                        is_passing: true,
                    }),
                },
                called => called,
            }
        })
    }

    fn files(&self) -> Box<dyn FileSource + Send> {
        Box::new(RunnerFiles(Arc::clone(&self.0), tokio::runtime::Handle::current()))
    }
}

/// The files of runs, from whichever runner is there.
struct RunnerFiles(Arc<RunnerContact>, tokio::runtime::Handle);

impl FileSource for RunnerFiles {
    fn fetch(&self, file: &RemoteArtifact, from: u64, sink: &mut dyn Sink) -> Result<(), FetchError> {
        let fetched = self.0.bridge().files().fetch(file, from, sink);
        if let Err(FetchError::Lost(_)) = &fetched {
            // Whoever fetches tries again, and then finds somebody.
            let _ = self.1.block_on(self.0.again());
        }
        fetched
    }
}
