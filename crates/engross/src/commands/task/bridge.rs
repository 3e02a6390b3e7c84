//! Who works for task threads: a server, or this process for as long as the command lasts.
//!
//! Must never leave a server behind, or let two processes carry out tasks of one folder.

use std::path::Path;
use std::sync::Arc;

use engross_protocol::Failure;
use engross_threads::{
    BridgeCall, FetchError, FileSource, Frames, Link, LinkError, LinkFuture, RemoteArtifact, RemoteBridge,
    Sink,
};

use crate::cli::BridgeArgs;
use crate::compose::server::{EmbeddedServer, embed, find};
use crate::failure::usage;
use crate::settings::Environment;

/// A bridge that was opened.
pub(super) struct OpenBridge {
    link: Arc<RemoteBridge>,
    here: Option<EmbeddedServer>,
}

impl OpenBridge {
    /// The way to it.
    pub(super) fn link(&self) -> Arc<dyn Link> {
        Arc::<RemoteBridge>::clone(&self.link)
    }

    /// Whether it goes on when this process ends.
    pub(super) fn outlives_us(&self) -> bool {
        self.here.is_none()
    }

    /// Ends what was begun for this command.
    pub(super) async fn close(self) {
        if let Some(here) = self.here {
            here.stop().await;
        }
    }
}

/// Opens the bridge that the arguments name, or one in this process whose things are kept beneath `data`.
pub(super) async fn open(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
) -> Result<OpenBridge, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(named);
    }
    here(embed(data, args.model.as_deref(), config, environment).await?)
}

/// The same for a word that is said once: to the one who carries out tasks beneath `data` now, if somebody does.
pub(super) async fn open_for_a_word(
    args: &BridgeArgs,
    data: &Path,
    config: Option<&Path>,
    environment: &Environment,
) -> Result<OpenBridge, Failure> {
    match find_open(args, data, environment)? {
        Some(opened) => Ok(opened),
        None => open(args, data, config, environment).await,
    }
}

/// The bridge that the arguments name, or that carries out tasks beneath `data` now; `None` when there is none.
pub(super) fn find_open(
    args: &BridgeArgs,
    data: &Path,
    environment: &Environment,
) -> Result<Option<OpenBridge>, Failure> {
    if let Some(named) = named(args, environment)? {
        return Ok(Some(named));
    }
    let Some((base, token)) = find(data)? else { return Ok(None) };
    Ok(Some(OpenBridge { link: link(&base, Some(token))?, here: None }))
}

fn named(args: &BridgeArgs, environment: &Environment) -> Result<Option<OpenBridge>, Failure> {
    let named = args.server.as_deref().or_else(|| environment.get("ENGROSS_SERVER"));
    let Some(server) = named else { return Ok(None) };
    let token = args.token.as_deref().or_else(|| environment.get("ENGROSS_TOKEN")).map(str::trim);
    Ok(Some(OpenBridge { link: link(server, token.map(str::to_owned))?, here: None }))
}

fn here(embedded: EmbeddedServer) -> Result<OpenBridge, Failure> {
    let link = link(&embedded.address(), Some(embedded.token().to_owned()))?;
    Ok(OpenBridge { link, here: Some(embedded) })
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
