//! `xworkmate.artifacts.*`: the files of one run of this principal.
//!
//! Must never touch a scope before the run was found for the principal who asks.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::params::Params;
use super::{Bridge, RpcCall};
use crate::codes;
use crate::runs::{Lookup, LookupResult, RunError, RunsConfig};
use engross_artifacts::{
    ArtifactQuery, PageRequest, Requirements, RunId, Scope, ScopeError, SessionKey, Signer, expected_dirs,
};

/// The bytes of a file whose content comes along, unless the request says.
const INLINE: u64 = 10 << 20;

/// The most that a request may ask for.
const MOST_INLINE: u64 = 64 << 20;

/// The run's scope, if the run is this principal's.
async fn scope(bridge: &Bridge, call: &RpcCall, params: Params<'_>) -> Result<(SessionKey, RunId), RpcError> {
    if params.0.contains_key("sessionKey") {
        return Err(RpcError::params("`sessionKey` is not taken: send `openclawSessionKey`"));
    }
    let (session, run) = (params.required("openclawSessionKey")?, params.required("runId")?);
    let lookup = Lookup {
        session_key: Some(session.to_owned()),
        run: Some(run.to_owned()),
        thread: params.text("appThreadKey")?.map(str::to_owned),
        ..Lookup::default()
    };
    match bridge.runs.look(&call.principal, &lookup).await? {
        LookupResult::Run(_) => Ok((SessionKey::parse(session)?, RunId::parse(run)?)),
        LookupResult::Mismatch | LookupResult::Several => Err(ScopeError::ScopeMismatch.into()),
        LookupResult::Nothing | LookupResult::NoRun(_) => Err(RpcError::token(
            codes::TASK_NOT_FOUND,
            "there is no such run of this session: look at its ids, or prepare it",
        )),
    }
}

/// Does what may block, with the scope open.
async fn within<T: Send + 'static>(
    bridge: &Bridge,
    of: (SessionKey, RunId),
    given: Option<String>,
    work: impl FnOnce(&Scope, &RunsConfig) -> Result<T, ScopeError> + Send + 'static,
) -> Result<T, RpcError> {
    let runs = bridge.runs.clone();
    let done = tokio::task::spawn_blocking(move || {
        let config = runs.config();
        let scope = config.workspace.open(&of.0, &of.1, given.as_deref())?;
        work(&scope, config)
    });
    Ok(done.await.map_err(|_| RunError::Stopping)??)
}

/// How many files a request asks for; 0 is no limit.
fn most(params: Params<'_>) -> Result<Option<usize>, RpcError> {
    let most = params.number("maxFiles")?.filter(|most| *most > 0);
    Ok(most.map(|most| usize::try_from(most).unwrap_or(usize::MAX)))
}

fn signer(config: &RunsConfig) -> Signer<'_> {
    Signer { keys: &config.keys, now: config.clock.millis(), lifetime: config.lifetime }
}

/// `xworkmate.artifacts.export`, and with `list` the same without content.
pub(super) async fn export(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
    list: bool,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let of = scope(bridge, call, params).await?;
    let contract = params.contract()?;
    let expected = expected_dirs(params.list("expectedArtifactDirs")?)?;
    let most = most(params)?;
    let cursor = params.text("cursor")?.map(str::to_owned);
    let since = params.number("sinceUnixMs")?.filter(|since| *since > 0);
    let content = !list && params.flag("includeContent")?.unwrap_or(true);
    let inline = params.number("maxInlineBytes")?.unwrap_or(INLINE).min(MOST_INLINE);
    let given = params.text("artifactScope")?.map(str::to_owned);
    let (session, run) = of.clone();
    let page = within(bridge, of, given, move |scope, config| {
        let requirements: Requirements = contract.requirements();
        let manifest = scope.manifest(&requirements, since, config.hashing())?;
        let inline = content.then_some(inline);
        let of = PageRequest { most, bytes: None, cursor: cursor.as_deref(), inline, expected: &expected };
        scope.page(&manifest, of, signer(config), config.hashing())
    });
    let mut told = serde_json::to_value(page.await?).unwrap_or_default();
    bridge.runs.link(&mut told, &session, &run, &call.base);
    Ok(told)
}

/// `xworkmate.artifacts.read`.
pub(super) async fn read(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let of = scope(bridge, call, params).await?;
    let owned =
        |name: &str| -> Result<Option<String>, RpcError> { Ok(params.text(name)?.map(str::to_owned)) };
    let (reference, given, path) = (owned("artifactRef")?, owned("artifactScope")?, owned("relativePath")?);
    let inline = params.number("maxInlineBytes")?.unwrap_or(INLINE).min(MOST_INLINE);
    let (session, run) = of.clone();
    let read = within(bridge, of, given.clone(), move |scope, config| {
        let wanted = ArtifactQuery {
            artifact_ref: reference.as_deref(),
            artifact_scope: given.as_deref(),
            relative_path: path.as_deref(),
        };
        let open = scope.open_wanted(wanted, &config.keys, config.clock.millis(), config.hashing())?;
        let (artifact, warning) = scope.artifact_of(open, inline, signer(config))?;
        Ok((artifact, warning, scope.name().clone(), scope.directory().to_owned()))
    });
    let (artifact, warning, name, directory) = read.await?;
    Ok(json!({
        "runId": run, "sessionKey": session, "artifactScope": name, "scopeKind": "task",
        "remoteWorkingDirectory": directory, "remoteWorkspaceRefKind": "remotePath",
        "artifacts": [artifact], "warnings": warning.into_iter().collect::<Vec<_>>(),
        "expectedArtifactDirs": [], "expectedArtifactDirStatus": [], "constraintSatisfied": true,
        "missingRequiredExtensions": [], "missingRequiredFileCounts": {},
    }))
}

/// `xworkmate.artifacts.collect-and-snapshot`.
pub(super) async fn collect(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let of = scope(bridge, call, params).await?;
    let sources = params.texts("sourceFiles")?;
    let most = most(params)?;
    let given = params.text("artifactScope")?.map(str::to_owned);
    let roots: Arc<[_]> =
        bridge.runs.config().providers.iter().flat_map(|provider| provider.sources.clone()).collect();
    let collected = within(bridge, of, given, move |scope, config| {
        scope.collect(&sources, &roots, most, config.hashing())
    });
    Ok(serde_json::to_value(collected.await?).unwrap_or_default())
}
