//! `xworkmate.jobs.*`: runs that nobody listens to, by an id of their own.
//!
//! Must never call back to an address that the server was not told to trust: none is.

use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::params::Params;
use super::submit::submission;
use super::{Bridge, RpcCall};
use crate::codes;
use crate::runs::{RunStatus, Ticket, moment};

/// Jobs that a list shows.
const LISTED: usize = 1_000;

/// `xworkmate.jobs.submit`.
pub(super) async fn submit(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    if params.first(&["callbackUrl", "webhookUrl", "target", "discordTarget"])?.is_some() {
        return Err(RpcError::token(
            codes::CALLBACK_NOT_ALLOWED,
            "this server calls no address back: ask with xworkmate.jobs.get",
        ));
    }
    let provider = params.first(&["providerId", "agent", "provider"])?;
    let provider =
        provider.ok_or_else(|| RpcError::params("`providerId` is missing: say who is to carry it out"))?;
    let config = bridge.runs.config();
    let number = u128::from_be_bytes(config.ids.next(config.clock.millis()));
    let job = format!("job-{number:032x}");
    let session = params.text("sessionId")?.unwrap_or(&job).to_owned();
    let thread = params.text("threadId")?.unwrap_or(&job).to_owned();
    let mut filled = fields.clone();
    filled.insert("sessionId".to_owned(), session.clone().into());
    filled.insert("threadId".to_owned(), thread.into());
    filled.entry("routing").or_insert_with(|| json!({ "explicitProviderId": provider }));
    let method = if params.flag("continue")? == Some(true) { "session.message" } else { "session.start" };
    let mut submission = submission(bridge, call, method, &filled).await?;
    submission.job = Some(job.clone());
    let provider = submission.provider.clone();
    let ticket = bridge.runs.submit(submission).await?;
    let known = ticket.job().await?;
    let job = known.unwrap_or(job);
    if !ticket.replayed() {
        bridge.runs.list_job(&call.principal, &job).await?;
    }
    Ok(json!({ "jobId": job, "status": "pending", "sessionId": session, "providerId": provider }))
}

/// `xworkmate.jobs.get`.
pub(super) async fn get(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let job = Params(fields).required("jobId")?;
    match bridge.runs.job(&call.principal, job).await? {
        Some(ticket) => Ok(told(job, &ticket, call).await?.0),
        None => Ok(json!({ "status": "not_found" })),
    }
}

/// `xworkmate.jobs.list`, and with `stats` only its summary.
pub(super) async fn list(bridge: &Bridge, call: &RpcCall, stats: bool) -> Result<Value, RpcError> {
    let mut jobs = Vec::new();
    let mut counts = [0_u64; 4];
    for job in bridge.runs.jobs(&call.principal, LISTED).await? {
        if let Some(ticket) = bridge.runs.job(&call.principal, &job).await? {
            let (told, word) = told(&job, &ticket, call).await?;
            let at = ["pending", "running", "completed", "failed"].iter().position(|known| *known == word);
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
            jobs.push(told);
        }
    }
    let [pending, running, completed, failed] = counts;
    let summary = json!({ "pending": pending, "running": running, "completed": completed, "failed": failed });
    Ok(if stats { json!({ "summary": summary }) } else { json!({ "jobs": jobs, "summary": summary }) })
}

async fn told(job: &str, ticket: &Ticket, call: &RpcCall) -> Result<(Value, &'static str), RpcError> {
    let snapshot = ticket.snapshot(&call.base).await?;
    let word = match snapshot.status {
        RunStatus::Queued => "pending",
        RunStatus::Running | RunStatus::SyncingArtifacts => "running",
        RunStatus::Completed => "completed",
        RunStatus::Failed | RunStatus::Cancelled | RunStatus::Interrupted => "failed",
    };
    let body = &snapshot.body;
    let provider = ["resolvedProviderId", "resolvedGatewayProviderId"]
        .iter()
        .filter_map(|name| body.get(*name).and_then(Value::as_str))
        .find(|id| !id.is_empty());
    let mut told = json!({
        "jobId": job, "status": word, "sessionId": body.get("sessionId"), "threadId": body.get("threadId"),
        "runId": ticket.run(), "providerId": provider, "webhookSent": false, "webhookTries": 0,
    });
    let Value::Object(fields) = &mut told else { return Ok((told, word)) };
    if let Some(started) = body.get("startedAt") {
        fields.insert("startedAt".to_owned(), started.clone());
    }
    match ticket.end().await? {
        Some(end) => {
            fields.insert("createdAt".to_owned(), moment(end.face.accepted).into());
            fields.insert("completedAt".to_owned(), moment(end.ended).into());
            fields.insert("durationMs".to_owned(), end.ended.saturating_sub(end.face.accepted).into());
            fields.insert("result".to_owned(), (**body).clone());
            if let Some(message) = end.message {
                fields.insert("error".to_owned(), message.into());
            }
        }
        None => {
            let elapsed = body.pointer("/progress/elapsedMs").cloned().unwrap_or_default();
            fields.insert("elapsedMs".to_owned(), elapsed);
            if let Some(accepted) = ticket.accepted().await? {
                fields.insert("createdAt".to_owned(), moment(accepted).into());
            }
        }
    }
    Ok((told, word))
}
