//! `session.start` and `session.message`: from parameters to a run, and from its updates to an answer.
//!
//! Must never answer with a result before the run has ended, nor let a client that goes away end it.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use engross_protocol::Code;
use engross_protocol::hex;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use tokio::time::{Duration, Instant, sleep_until};

use super::error::{NOT_NOW, RpcError};
use super::params::Params;
use super::routing::route;
use super::{Bridge, RpcCall, Sink};
use crate::codes;
use crate::runner::{Policy, ViewerEnvironment};
use crate::runs::{
    Hints, Inline, LONGEST_BUDGET, LoadClass, RunError, RunStatus, Submission, Target, Ticket,
};
use crate::sandbox_request::SandboxRequest;

/// How long a request without a stream waits for an end, in milliseconds, unless it says.
pub(super) const WAIT: u64 = 25_000;

/// The longest wait that a request may ask for, in milliseconds.
pub(super) const LONGEST_WAIT: u64 = 10 * 60_000;

/// How long a run may wait for a place, in milliseconds, unless the request says.
const PATIENCE: u64 = 10 * 60_000;

/// The bytes of one attachment, and of all of a request.
const ATTACHMENT: usize = 10 << 20;
const ATTACHMENTS: usize = 25 << 20;

/// Fields that do not make another request of it.
const PASSING: &[&str] = &["idempotencyKey", "afterSeq", "waitMs", "viewerEnvironment"];

/// The variables of a viewer, and the bytes of all of them.
const VARIABLES: (usize, usize) = (500, 256 << 10);

/// Reads a request for a run.
pub(crate) async fn submission(
    bridge: &Bridge,
    call: &RpcCall,
    method: &str,
    fields: &Map<String, Value>,
) -> Result<Submission, RpcError> {
    let params = Params(fields);
    let route = route(params, bridge.runs.config()).await?;
    let metadata = params.object("metadata")?;
    let contract = match metadata {
        Some(metadata) => metadata.object("xworkmateTaskArtifactContract")?,
        None => None,
    };
    let nested = |name: &str| -> Result<Option<&str>, RpcError> {
        for place in [metadata, contract].into_iter().flatten() {
            if let Some(text) = place.text(name)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    };
    let thread = match params.text("appThreadKey")? {
        Some(key) => Some(key),
        None => match nested("appThreadKey")? {
            Some(key) => Some(key),
            None => params.first(&["threadId", "sessionId"])?,
        },
    };
    let thread = thread.unwrap_or_default().to_owned();
    let session_id = params.first(&["sessionId", "threadId"])?.unwrap_or(&thread).to_owned();
    let prompt = params.prompt().ok_or_else(|| {
        RpcError::token(codes::OPENCLAW_TASK_PROMPT_REQUIRED, "say in `taskPrompt` what is to be done")
    })?;
    let class = match params.text("taskLoadClass")? {
        Some(class) => Some(class),
        None => nested("taskLoadClass")?,
    };
    let class = match class {
        None => LoadClass::default(),
        Some(class) => LoadClass::parse(class).ok_or_else(|| {
            RpcError::params("`taskLoadClass` is short_task, long_task or complex_chain_task")
        })?,
    };
    let budget = match (params.number("runBudgetMs")?, params.number("timeoutMs")?) {
        (Some(budget), _) | (None, Some(budget)) => Some(budget),
        (None, None) => params.number("runtimeBudgetMinutes")?.map(|minutes| minutes.saturating_mul(60_000)),
    };
    if budget.is_some_and(|budget| budget == 0 || budget > LONGEST_BUDGET) {
        return Err(RpcError::params(format!("a budget is 1 to {LONGEST_BUDGET} milliseconds")));
    }
    let idempotency = match (&call.idempotency, params.text("idempotencyKey")?) {
        (_, Some(key)) => Some(key.to_owned()),
        (key, None) => key.clone(),
    };
    let idempotency = idempotency.map(|key| (key, digest(method, fields)));
    let hint = match params.text("remoteWorkspaceHint")? {
        Some(hint) => Some(hint),
        None => nested("remoteWorkspaceHint")?,
    };
    let user_text = params.text("userText")?.map_or_else(|| prompt.clone(), str::to_owned);
    Ok(Submission {
        principal: call.principal.clone(),
        thread,
        session_id,
        session_key: params.text("openclawSessionKey")?.map(str::to_owned),
        continues: method == "session.message",
        target: route.target,
        provider: route.provider,
        model: route.model,
        skills: route.skills,
        class,
        budget,
        patience: params.number("queueTimeoutMs")?.unwrap_or(PATIENCE).min(LONGEST_BUDGET),
        contract: params.contract()?,
        prompt,
        user_text,
        permissions: permissions(params, bridge.config.permissions)?,
        inline: attachments(params)?,
        sandbox: sandbox(params)?,
        hints: Hints {
            working_directory: params.text("remoteWorkingDirectoryHint")?.map(str::to_owned),
            workspace: hint.map(str::to_owned),
        },
        idempotency,
        viewer: viewer(params, bridge)?,
        job: None,
    })
}

/// What the server allows, or less.
fn permissions(params: Params<'_>, allowed: Policy) -> Result<Policy, RpcError> {
    Ok(match params.text("permissions")? {
        Some("deny") => Policy::Deny,
        Some("ask") if allowed == Policy::Allow => Policy::Ask,
        Some("ask" | "allow") | None => allowed,
        Some(_) => return Err(RpcError::params("`permissions` is ask, allow or deny")),
    })
}

/// What is asked of the sandbox around the run.
fn sandbox(params: Params<'_>) -> Result<SandboxRequest, RpcError> {
    match params.0.get("sandbox") {
        None | Some(Value::Null) => Ok(SandboxRequest::default()),
        Some(asked) => serde_json::from_value(asked.clone())
            .map_err(|error| RpcError::params(format!("`sandbox` is not understood: {error}"))),
    }
}

/// The environment of who asks, where agents are given it.
pub(super) fn viewer(params: Params<'_>, bridge: &Bridge) -> Result<Option<ViewerEnvironment>, RpcError> {
    let Some(Params(given)) = params.object("viewerEnvironment")? else { return Ok(None) };
    if !bridge.runs.config().waits_for_viewer {
        let problem = "`viewerEnvironment` is taken by the runner of a person alone: leave it out";
        return Err(RpcError::params(problem));
    }
    let (most, bytes) = VARIABLES;
    let given: Option<Vec<(String, String)>> =
        given.iter().map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
    let is_good = |(name, value): &(String, String)| {
        !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
    };
    let size =
        |all: &[(String, String)]| all.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
    match given.filter(|all| all.len() <= most && all.iter().all(is_good) && size(all) <= bytes) {
        Some(given) => Ok(Some(ViewerEnvironment(given))),
        None => Err(RpcError::params(format!(
            "`viewerEnvironment` holds at most {most} variables of {bytes} bytes in all, each a text"
        ))),
    }
}

fn digest(method: &str, fields: &Map<String, Value>) -> String {
    let kept: Map<String, Value> = fields
        .iter()
        .filter(|(name, _)| !PASSING.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    hex::encode(Sha256::digest(format!("{method}\n{}", Value::Object(kept))))
}

fn attachments(params: Params<'_>) -> Result<Vec<Inline>, RpcError> {
    let mut all = Vec::new();
    let mut total = 0;
    for value in params.list("inlineAttachments")? {
        let Value::Object(fields) = value else {
            return Err(RpcError::params("an entry of `inlineAttachments` is no object"));
        };
        let file = Params(fields);
        let name = file.required("name")?.to_owned();
        let refuse = |code: &'static Code, problem: &str| {
            RpcError::token(
                code,
                &format!("the attachment '{}' {problem}", name.chars().take(80).collect::<String>()),
            )
        };
        let content = fields.get("content").and_then(Value::as_str).unwrap_or_default();
        // A data URL has its bytes behind the comma.
        let content = content
            .strip_prefix("data:")
            .and_then(|rest| rest.split_once(','))
            .map_or(content, |(_, bytes)| bytes);
        let bytes = STANDARD.decode(content.trim()).map_err(|_| {
            refuse(codes::OPENCLAW_ATTACHMENT_INVALID_BASE64, "is no base64: send its bytes as base64")
        })?;
        if bytes.len() > ATTACHMENT {
            return Err(refuse(codes::OPENCLAW_ATTACHMENT_FILE_TOO_LARGE, "has more than 10 MiB"));
        }
        total += bytes.len();
        if total > ATTACHMENTS {
            return Err(refuse(
                codes::OPENCLAW_ATTACHMENT_TOTAL_TOO_LARGE,
                "is one too many: all have more than 25 MiB",
            ));
        }
        let asked: Option<String> = file.text("sha256")?.map(str::to_ascii_lowercase);
        let is = hex::encode(Sha256::digest(&bytes));
        if asked.is_some_and(|asked| asked != is) {
            return Err(refuse(
                codes::OPENCLAW_ATTACHMENT_INVALID_BASE64,
                "has other bytes than its sha256 says",
            ));
        }
        let mime_type = file.text("mimeType")?.unwrap_or_default().to_owned();
        all.push(Inline { name, mime_type, content: content.trim().to_owned() });
    }
    Ok(all)
}

/// Accepts a run, tells its updates, and gives its answer: the result, or a handle to ask with.
pub(super) async fn carry_out(
    bridge: &Bridge,
    call: &RpcCall,
    method: &str,
    fields: &Map<String, Value>,
    sink: &Sink,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let submission = submission(bridge, call, method, fields).await?;
    let (session_id, thread) = (submission.session_id.clone(), submission.thread.clone());
    let gateway = submission.target == Target::Gateway;
    let after = params.number("afterSeq")?.or(call.last_event).unwrap_or_default();
    let wait = params.number("waitMs")?;
    let ticket = bridge.runs.submit(submission).await.map_err(|error| {
        let mut refused = RpcError::from(error);
        if let Value::Object(data) = &mut *refused.data {
            data.insert("sessionId".to_owned(), session_id.clone().into());
            data.insert("threadId".to_owned(), thread.clone().into());
        }
        refused
    })?;
    if call.stream && gateway {
        let accepted = json!({
            "sessionId": session_id,
            "threadId": thread,
            "method": method,
            "path": call.path,
            "acceptedAt": crate::runs::moment(bridge.runs.config().clock.millis()),
        });
        sink.notify("xworkmate.bridge.accepted", &accepted, None).await;
    }
    // A run of a gateway answers as soon as it is under way; a stream stays with a run of an agent until it ends.
    let limit = match (wait, call.stream, gateway) {
        (Some(wait), ..) => Some(wait.min(LONGEST_WAIT)),
        (None, true, _) => None,
        (None, false, _) => Some(WAIT),
    };
    let early = gateway && wait.is_none();
    follow(&ticket, call, sink, after, limit, early).await?;
    answer(&ticket, call).await
}

/// Tells what happens to a run until it ends, it is under way if that is enough, or the time is over.
pub(super) async fn follow(
    ticket: &Ticket,
    call: &RpcCall,
    sink: &Sink,
    after: u64,
    limit: Option<u64>,
    early: bool,
) -> Result<(), RpcError> {
    let until = limit.map(|limit| Instant::now() + Duration::from_millis(limit));
    let mut listener = ticket.listen(after).await?;
    loop {
        let (revision, status) = ticket.revision().await?;
        // What was told before this moment goes out first.
        while let Some(update) = listener.ready() {
            if call.stream {
                sink.notify("session.update", &update.params, Some(update.seq)).await;
            }
        }
        if status.is_terminal() || (early && status != RunStatus::Queued) || sink.is_gone() {
            return Ok(());
        }
        tokio::select! {
            changed = ticket.changed(&revision) => match changed {
                // The run goes on in the next process, and so it is told that it does.
                Err(RunError::Stopping) => return Ok(()),
                changed => changed?,
            },
            update = listener.next() => {
                if call.stream {
                    sink.notify("session.update", &update.params, Some(update.seq)).await;
                }
            }
            () = sink.gone() => return Ok(()),
            () = sleep_until(until.unwrap_or_else(Instant::now)), if until.is_some() => return Ok(()),
        }
    }
}

/// The result of a run that has ended, else its handle.
pub(super) async fn answer(ticket: &Ticket, call: &RpcCall) -> Result<Value, RpcError> {
    if let Some(end) = ticket.end().await? {
        let code = end.code.clone().unwrap_or_default();
        let said = end.message.clone().unwrap_or_default();
        let face = &end.face;
        // These are refusals of the request as much as ends of the run.
        if end.started.is_none() && code == codes::OPENCLAW_GATEWAY_BUSY.name {
            let data = json!({ "reason": "queue_timeout", "runId": face.run, "threadId": face.thread });
            return Err(RpcError::passed_on(&code, NOT_NOW, said).with(data));
        }
        if code == codes::SESSION_CONTINUATION_UNAVAILABLE.name {
            let data = json!({
                "sessionId": face.session_id, "threadId": face.thread, "providerId": face.provider, "reason": said,
            });
            return Err(RpcError::passed_on(&code, NOT_NOW, said).with(data));
        }
    }
    Ok((*ticket.snapshot(&call.base).await?.body).clone())
}
