//! Who works for task threads: a server, or the runner of the person.
//!
//! Must never start a runner where a server is named.

use std::path::Path;
use std::sync::Arc;

use engross_protocol::Failure;
use engross_threads::{
    BridgeCall, FetchError, FileSource, Frames, Link, LinkError, LinkFuture, RemoteArtifact, RemoteBridge,
    Sink, Thread,
};

use super::runner_link::{RunnerLink, RunnerPlace, at_door, to_address};
use crate::cli::BridgeArgs;
use crate::output::note;
use engross_compose::runner::{RunnerState, find};
use engross_compose::settings::{Environment, Flags, ProgramSettings};

/// What is wanted of a runner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunnerNeed<'a> {
    /// Any that is there: to look on, to stop, to put away.
    Any,
    /// One that can begin a task of this agent with the settings of here.
    For(&'a str),
}

/// Opens the bridge that the arguments name, or that of the runner beneath `data`, which is started if there is none.
pub(super) async fn open(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
    need: RunnerNeed<'_>,
) -> Result<Arc<dyn Link>, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(named);
    }
    Ok(Arc::new(RunnerLink::open(runner_place(args, data, config, environment, need)).await?))
}

fn runner_place(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
    need: RunnerNeed<'_>,
) -> RunnerPlace {
    RunnerPlace {
        data: data.to_owned(),
        model: args.model.clone(),
        config: config.map(Path::to_owned),
        environment: environment.clone(),
        agent: match need {
            RunnerNeed::Any => None,
            RunnerNeed::For(agent) => Some(agent.to_owned()),
        },
        variables: Vec::new(),
    }
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
    to_address(server, token.map(str::to_owned)).map(Some)
}

/// The way to the one who works for a thread of `agent`, which is given what it may see of our environment, when it is the runner.
pub(super) async fn open_for(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
    (agent, need): (&str, RunnerNeed<'_>),
) -> Result<Arc<dyn Link>, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(named);
    }
    let flags = Flags { config: config.map(Path::to_owned), ..Flags::default() };
    let settings = ProgramSettings::load(&flags, environment)?;
    let is_own = matches!(need, RunnerNeed::For(agent) if agent == super::usual::USUAL);
    if is_own && args.model.is_none() && settings.model.value.is_none() {
        note(
            "No model is set, so the embedded rules are asked: a few patterns, not a language model. Set one with --model, or name another agent with --agent",
        );
    }
    let variables = engross_compose::tasks::viewer_environment(agent, &settings.agents)?;
    let place = RunnerPlace { variables, ..runner_place(args, data, config, environment, need) };
    Ok(Arc::new(RunnerLink::open(place).await?))
}

/// The arguments as they hold for a thread: where they name no server, the one that carries its task out.
pub(super) fn for_thread(args: &BridgeArgs, thread: &Thread, environment: &Environment) -> BridgeArgs {
    let named = named_server(args, environment).or_else(|| thread.server());
    BridgeArgs { server: named.map(str::to_owned), ..args.clone() }
}

/// The server that the arguments or the environment name.
pub(super) fn named_server<'a>(args: &'a BridgeArgs, environment: &'a Environment) -> Option<&'a str> {
    args.server.as_deref().or_else(|| environment.get("ENGROSS_SERVER"))
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
