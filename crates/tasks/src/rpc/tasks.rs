//! `xworkmate.tasks.*`, `session.cancel`, `session.close`, `xworkmate.session.prepare`: runs that are there.
//!
//! Must never answer a question for a run with an error of the protocol: what is wrong is a status.

use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::params::Params;
use super::submit::{LONGEST_WAIT, follow, viewer};
use super::{Bridge, RpcCall, Sink};
use crate::codes;
use crate::runner::ProviderId;
use crate::runs::{CancelResult, LookupResult, Preparation, RunError, Ticket};
use engross_artifacts::{ArtifactScope, RunId, ScopeError, SessionKey, expected_dirs};

/// `xworkmate.tasks.get`.
pub(super) async fn get(bridge: &Bridge, call: &RpcCall, fields: &Map<String, Value>, sink: &Sink) -> Value {
    match got(bridge, call, Params(fields), sink).await {
        Ok(told) => told,
        Err(error) => json!({
            "ok": false, "success": false, "status": "not_found", "code": codes::TASK_LOOKUP_FAILED.name,
            "message": error.message, "error": error.body(),
        }),
    }
}

async fn got(bridge: &Bridge, call: &RpcCall, params: Params<'_>, sink: &Sink) -> Result<Value, RpcError> {
    let lookup = params.lookup()?;
    let missing = |code: &str, message: &str| {
        json!({
            "ok": false, "success": false, "status": "not_found", "code": code, "message": message,
            "runId": lookup.run, "appThreadKey": lookup.thread, "openclawSessionKey": lookup.session_key,
        })
    };
    let ticket = match bridge.runs.look(&call.principal, &lookup).await? {
        LookupResult::Run(ticket) => ticket,
        LookupResult::Nothing => {
            return Ok(missing(
                codes::TASK_NOT_FOUND.name,
                "there is no such task: look at its ids, or start it",
            ));
        }
        LookupResult::NoRun(session) => {
            if let Some(told) = files_alone(bridge, &lookup, session).await? {
                bridge.runs.counters().count_unconfirmed();
                return Ok(told);
            }
            return Ok(missing("no_native_task_record", "the thread is known, but not this run: start it"));
        }
        LookupResult::Several => {
            return Ok(missing(
                codes::RUN_SCOPE_MISMATCH.name,
                "several threads have a run of this id: send openclawSessionKey, too",
            ));
        }
        LookupResult::Mismatch => {
            return Ok(missing(
                codes::RUN_SCOPE_MISMATCH.name,
                "these ids do not belong together: send those of one run",
            ));
        }
    };
    if let Some(environment) = viewer(params, bridge)? {
        bridge.runs.look_on(&ticket, environment).await?;
    }
    let wait = params.number("waitMs")?.map(|wait| wait.min(LONGEST_WAIT));
    let known = match params.text("ifRevision")? {
        Some(known) => Some(known.to_owned()),
        None => call.if_none_match.clone(),
    };
    let after = params.number("afterSeq")?.or(call.last_event);
    if call.stream && (after.is_some() || wait.is_some()) {
        follow(&ticket, call, sink, after.unwrap_or_default(), wait, false).await?;
    } else if let Some(wait) = wait {
        let seen = match &known {
            Some(known) => known.clone(),
            None => ticket.revision().await?.0,
        };
        tokio::select! {
            changed = ticket.changed(&seen) => match changed {
                // How it stands is told all the same.
                Err(RunError::Stopping) => {}
                changed => changed?,
            },
            () = sink.gone() => {}
            () = tokio::time::sleep(std::time::Duration::from_millis(wait)) => {}
        }
    }
    let (revision, status) = ticket.revision().await?;
    let is_page = params.text("cursor")?.is_some() || params.number("outputOffset")?.is_some();
    if !is_page && known.is_some_and(|known| known == revision) {
        return Ok(json!({
            "success": true, "notModified": true, "revision": revision, "runId": ticket.run(),
            "status": status.as_str(), "taskStatus": status.as_str(), "terminal": status.is_terminal(),
        }));
    }
    let (cursor, offset) = (params.text("cursor")?, params.number("outputOffset")?);
    let mut told = if cursor.is_some() || offset.is_some() {
        let offset = usize::try_from(offset.unwrap_or_default()).unwrap_or(usize::MAX);
        ticket.page(&call.base, cursor, offset).await?
    } else {
        (*ticket.snapshot(&call.base).await?.body).clone()
    };
    if params.flag("includeArtifacts")? == Some(false)
        && let Value::Object(told) = &mut told
    {
        told.insert("artifacts".to_owned(), json!([]));
    }
    Ok(told)
}

/// What is told of a run of this session that left files and no record: that its end is not known (contracts/tasks.md §3.4).
/// The files are counted and not listed, because nothing says that they are whole.
async fn files_alone(
    bridge: &Bridge,
    lookup: &crate::runs::Lookup,
    session: Option<SessionKey>,
) -> Result<Option<Value>, RpcError> {
    let (Some(session), Some(Ok(run))) = (session, lookup.run.as_deref().map(RunId::parse)) else {
        return Ok(None);
    };
    let runs = bridge.runs.clone();
    let key = session.as_str().to_owned();
    let counted = tokio::task::spawn_blocking(move || {
        let config = runs.config();
        let scope = config.workspace.open(&session, &run, None).ok()?;
        let manifest =
            scope.manifest(&engross_artifacts::Requirements::default(), None, config.hashing()).ok()?;
        Some(manifest.files.len()).filter(|count| *count > 0)
    });
    Ok(counted.await.map_err(|_| RunError::Stopping)?.map(|count| {
        json!({
            "ok": true, "success": false, "status": "unknown", "taskStatus": "unknown", "terminal": false,
            "evidence": "artifacts_present", "artifactCount": count, "artifacts": [],
            "runId": lookup.run, "appThreadKey": lookup.thread, "openclawSessionKey": key,
        })
    }))
}

/// `xworkmate.tasks.cancel`.
pub(super) async fn cancel(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let refused = |code: &str| json!({ "accepted": false, "cancelled": false, "code": code });
    let mut lookup = params.lookup()?;
    lookup.provider = params.text("gatewayProviderId")?.map(str::to_owned);
    let ticket = match bridge.runs.look(&call.principal, &lookup).await? {
        LookupResult::Run(ticket) => ticket,
        LookupResult::Nothing | LookupResult::NoRun(_) => {
            return Ok(refused(codes::TASK_SCOPE_NOT_OWNED_OR_RECOVERED.name));
        }
        LookupResult::Mismatch | LookupResult::Several => {
            return Ok(refused(codes::RUN_SCOPE_MISMATCH.name));
        }
    };
    let run = ticket.run().clone();
    Ok(match bridge.runs.cancel(&ticket).await? {
        CancelResult::InQueue => {
            json!({ "accepted": true, "cancelled": true, "cancellationScope": "queue", "runId": run })
        }
        CancelResult::Wait => {
            json!({ "accepted": true, "cancelled": true, "cancellationScope": "artifact-wait", "runId": run })
        }
        CancelResult::AlreadyTerminal => refused(codes::TASK_ALREADY_TERMINAL.name),
        CancelResult::NotOurs => refused(codes::TASK_SCOPE_NOT_OWNED_OR_RECOVERED.name),
        CancelResult::Unconfirmed => refused(codes::NATIVE_CANCEL_UNCONFIRMED.name),
        CancelResult::Asked(receipt) => json!({
            "accepted": true, "cancelled": false, "nativeMethod": receipt.method, "aborted": receipt.aborted,
            "runIds": receipt.runs, "runId": run,
        }),
    })
}

/// The newest run of the session that a request names.
async fn of_session(bridge: &Bridge, call: &RpcCall, params: Params<'_>) -> Result<Option<Ticket>, RpcError> {
    let session_id = params.first(&["sessionId", "threadId"])?;
    let session_id =
        session_id.ok_or_else(|| RpcError::params("`sessionId` is missing: send the session's id"))?;
    let lookup = crate::runs::Lookup { session_id: Some(session_id.to_owned()), ..Default::default() };
    Ok(match bridge.runs.look(&call.principal, &lookup).await? {
        LookupResult::Run(ticket) => Some(ticket),
        _ => None,
    })
}

/// `session.cancel`.
pub(super) async fn cancel_session(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let cancelled = match of_session(bridge, call, Params(fields)).await? {
        Some(ticket) => bridge.runs.cancel_thread(&ticket).await?,
        None => false,
    };
    Ok(json!({ "accepted": true, "runCancelled": cancelled }))
}

/// `session.close`.
pub(super) async fn close(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let found = of_session(bridge, call, Params(fields)).await?;
    if let Some(ticket) = &found {
        bridge.runs.close(ticket).await?;
    }
    Ok(json!({ "accepted": true, "closed": found.is_some() }))
}

/// `xworkmate.session.prepare`.
pub(super) async fn prepare(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    // A client may send these fields beneath a name of their own, and the ids of session and run beside them.
    let top = Params(fields);
    let params = match (top.object("xworkmate")?, top.object("xworkmateMetadata")?) {
        (Some(nested), _) | (None, Some(nested)) if top.text("appThreadKey")?.is_none() => nested,
        _ => top,
    };
    if top.0.contains_key("sessionKey") {
        return Err(RpcError::params("`sessionKey` is not taken: send `openclawSessionKey`"));
    }
    if params.number("schemaVersion")?.is_some_and(|version| version != 1) {
        return Err(RpcError::params("`schemaVersion` must be 1"));
    }
    let thread = params.required("appThreadKey")?.to_owned();
    let beside =
        |name: &str| top.text(name).and_then(|found| found.map_or_else(|| params.required(name), Ok));
    let session_key = beside("openclawSessionKey")?.to_owned();
    let run = beside("runId")?.to_owned();
    let (session, run_id) = (SessionKey::parse(&session_key)?, RunId::parse(&run)?);
    if let Some(given) = top.text("artifactScope")?
        && ArtifactScope::parse(given)? != ArtifactScope::of(&session, &run_id)
    {
        return Err(ScopeError::ScopeMismatch.into());
    }
    let expected = expected_dirs(params.list("expectedArtifactDirs")?)?;
    let provider = params.text("gatewayProviderId")?.unwrap_or("openclaw");
    let provider = ProviderId::new(provider).map_err(RpcError::params)?;
    let contract = params.contract()?;
    let preparation = Preparation {
        principal: call.principal.clone(),
        thread: thread.clone(),
        session_key: session_key.clone(),
        run: run.clone(),
        provider,
        contract,
    };
    bridge.runs.prepare(preparation).await?;
    let workspace = bridge.runs.config().workspace.clone();
    let prepared = tokio::task::spawn_blocking(move || workspace.prepare(&session, &run_id, &expected)).await;
    let prepared = prepared.map_err(|_| RunError::Stopping)??;
    let mut told = serde_json::to_value(&prepared).unwrap_or_default();
    if let Value::Object(told) = &mut told {
        let mapping = json!({
            "schemaVersion": 1, "appThreadKey": thread, "openclawSessionKey": session_key,
            "expectedArtifactDirs": prepared.expected_artifact_dirs, "source": "bridge_prepare",
        });
        told.insert("appThreadKey".to_owned(), thread.into());
        told.insert("openclawSessionKey".to_owned(), session_key.into());
        told.insert("remoteWorkingDirectory".to_owned(), prepared.artifact_directory.clone().into());
        told.insert("remoteWorkspaceRefKind".to_owned(), "remotePath".into());
        told.insert("mapping".to_owned(), mapping);
    }
    Ok(told)
}
