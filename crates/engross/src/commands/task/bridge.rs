//! Who works for task threads: a server, or the runner of the person, which is started when it is needed.
//!
//! Must never let two processes carry out tasks of one folder, or take a runner of other settings for one of these.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engross_protocol::Failure;
use engross_threads::{
    BridgeCall, BridgeFrame, FetchError, FileSource, Frames, Link, LinkError, LinkFuture, RemoteArtifact,
    RemoteBridge, Sink,
};
use futures_util::StreamExt;
use serde_json::json;

use super::runner_start;
use crate::cli::BridgeArgs;
use engross_compose::failure::usage;
use engross_compose::runner::{Door, Fingerprint, RunnerAddress, RunnerState, find};
use engross_compose::settings::{Environment, Flags, ProgramSettings};

/// How long a runner may take to begin, or to make room for another.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often it is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// What is wanted of a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunnerNeed<'a> {
    /// Any that is there: to look on, to stop, to put away.
    Any,
    /// One that can begin a task of this agent with the settings of here.
    For(&'a str),
}

impl RunnerNeed<'_> {
    /// Whether a runner that was made for `there` will do; `here` are the settings of this command.
    fn is_met_by(self, there: &Fingerprint, here: &Fingerprint) -> bool {
        match self {
            Self::Any => true,
            Self::For(agent) => {
                there.settings == here.settings && (agent != super::usual::USUAL || there.model == here.model)
            }
        }
    }
}

/// Opens the bridge that the arguments name, or that of the runner beneath `data`, which is started if there is none.
pub(super) async fn open(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
    need: RunnerNeed<'_>,
) -> Result<Arc<RemoteBridge>, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(named);
    }
    let made_for = runner_start::made_for(args.model.as_deref(), config, environment)?;
    let until = Instant::now() + PATIENCE;
    let mut started = None;
    while Instant::now() < until {
        match find(data)? {
            RunnerState::At(door) if need.is_met_by(&door.made_for, &made_for) => return at_door(&door),
            RunnerState::At(door) => retire(&door).await?,
            RunnerState::Nobody if started.is_none() => {
                started = Some(runner_start::start(data, args.model.as_deref(), config)?);
            }
            RunnerState::Nobody => {
                // One that ends at once says why in its log.
                if let Some(child) = &mut started
                    && let Ok(Some(_)) = child.try_wait()
                {
                    return Err(runner_start::died(data));
                }
            }
            RunnerState::Between => {}
        }
        tokio::time::sleep(LOOK).await;
    }
    Err(runner_start::died(data))
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

/// The bridge that the arguments name, or that of the runner beneath `data`; `None` when there is none.
pub(super) fn find_open(
    args: &BridgeArgs,
    data: &Path,
    environment: &Environment,
) -> Result<Option<Arc<RemoteBridge>>, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(Some(named));
    }
    match find(data)? {
        RunnerState::At(door) => at_door(&door).map(Some),
        RunnerState::Nobody | RunnerState::Between => Ok(None),
    }
}

fn named(args: &BridgeArgs, environment: &Environment) -> Result<Option<Arc<RemoteBridge>>, Failure> {
    let Some(server) = named_server(args, environment) else { return Ok(None) };
    let token = args.token.as_deref().or_else(|| environment.get("ENGROSS_TOKEN")).map(str::trim);
    link(server, token.map(str::to_owned)).map(Some)
}

/// The way to a runner.
pub(super) fn at_door(door: &Door) -> Result<Arc<RemoteBridge>, Failure> {
    match &door.address {
        RunnerAddress::Port(address) => link(address, Some(door.token.clone())),
        #[cfg(unix)]
        RunnerAddress::Socket(path) => RemoteBridge::at_socket(path, Some(door.token.clone().into()))
            .map(Arc::new)
            .map_err(|problem| usage("USAGE", problem)),
        #[cfg(not(unix))]
        RunnerAddress::Socket(_) => Err(usage("USAGE", "this system has no sockets in files".to_owned())),
    }
}

/// The way to the one who works for a thread of `agent`, which is given what it may see of our environment, when it is the runner.
pub(super) async fn open_for(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
    (agent, need): (&str, RunnerNeed<'_>),
) -> Result<Arc<RemoteBridge>, Failure> {
    let link = open(args, data, config, environment, need).await?;
    if named_server(args, environment).is_some() {
        return Ok(link);
    }
    let flags = Flags { config: config.map(Path::to_owned), ..Flags::default() };
    let settings = ProgramSettings::load(&flags, environment)?;
    let seen = engross_compose::tasks::viewer_environment(agent, &settings.agents)?;
    Ok(Arc::new(link.with_environment(seen)))
}

fn named_server<'a>(args: &'a BridgeArgs, environment: &'a Environment) -> Option<&'a str> {
    args.server.as_deref().or_else(|| environment.get("ENGROSS_SERVER"))
}

fn link(base: &str, token: Option<String>) -> Result<Arc<RemoteBridge>, Failure> {
    RemoteBridge::new(base, token.map(Into::into)).map(Arc::new).map_err(|problem| usage("USAGE", problem))
}

/// Where no bridge is needed.
pub(super) struct Nobody;

impl Link for Nobody {
    fn call(&self, _: BridgeCall) -> LinkFuture<'_, Result<Frames, LinkError>> {
        Box::pin(std::future::ready(Err(LinkError {
            code: "BRIDGE_NOT_CONNECTED".to_owned(),
            message: "no bridge was opened".to_owned(),
            is_passing: false,
        })))
    }

    fn files(&self) -> Box<dyn FileSource + Send> {
        Box::new(Self)
    }
}

impl FileSource for Nobody {
    fn fetch(&self, _: &RemoteArtifact, _: u64, _: &mut dyn Sink) -> Result<(), FetchError> {
        Err(FetchError::Refused("no bridge was opened".to_owned()))
    }
}
