//! What of a run is told to clients: updates, the running handle, and the final result, from one place.
//!
//! Must never give a running handle the looks of an end, nor list files of anything but a success.

use engross_store::Millis;
use serde_json::{Map, Value, json};

use super::log::{RecordedToolCall, RunEnd, RunEvent};
use super::request::{RequestContext, Target};
use super::state::{Phase, Run, RunThread};
use crate::runner::PlanStep;
use engross_artifacts::{ArtifactScope, ExportPage};

/// The ids that everything carries that is told of a run.
pub(super) fn ids(face: &RequestContext) -> Map<String, Value> {
    let scope = ArtifactScope::of(&face.session_key, &face.run);
    let Value::Object(ids) = json!({
        "turnId": face.turn,
        "runId": face.run,
        "taskId": face.run,
        "sessionId": face.session_id,
        "threadId": face.thread,
        "appThreadKey": face.thread,
        "openclawSessionKey": face.session_key,
        "artifactScope": scope,
    }) else {
        return Map::new();
    };
    ids
}

/// A moment as RFC 3339.
pub(crate) fn moment(at: Millis) -> String {
    let at = i64::try_from(at).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(at).map(|at| at.to_string()).unwrap_or_default()
}

/// How a face is resolved: where it runs, and by whom.
fn resolved(face: &RequestContext) -> Value {
    let gateway = face.target == Target::Gateway;
    json!({
        "mode": "gateway-chat",
        "resolvedExecutionTarget": if gateway { "gateway" } else { "single-agent" },
        "resolvedProviderId": if gateway { "" } else { face.provider.as_str() },
        "resolvedGatewayProviderId": if gateway { face.provider.as_str() } else { "" },
        "resolvedModel": face.model.clone().unwrap_or_default(),
        "resolvedSkills": face.skills,
        "taskLoadClass": face.class.as_str(),
        "runtimeBudgetMinutes": face.budget.div_ceil(60_000),
        "scopeKind": "task",
        "requiresArtifactExport": face.contract.export,
        "requiredArtifactExtensions": face.contract.extensions,
    })
}

fn merge(into: &mut Map<String, Value>, more: Value) {
    if let Value::Object(more) = more {
        into.extend(more);
    }
}

/// A run that has not ended: ten fields that are always there, and what helps to wait.
pub(super) fn handle(run: &Run, directory: &str, position: Option<(usize, usize)>, now: Millis) -> Value {
    let Some(face) = run.face() else { return Value::Null };
    let status = run.status();
    let mut told = Map::new();
    merge(
        &mut told,
        json!({ "success": true, "status": status.as_str(), "taskStatus": status.as_str(), "terminal": false, "pending": true }),
    );
    told.extend(ids(face));
    merge(&mut told, resolved(face));
    let (started, deadline) = match &run.phase {
        Phase::Running(active) => (Some(active.started), Some(active.deadline)),
        Phase::Exporting(exporting) => (Some(exporting.started), None),
        Phase::Prepared(face, deadline) => (Some(face.accepted), Some(*deadline)),
        Phase::Queued(_) | Phase::Done { .. } => (None, None),
    };
    let elapsed = started.map_or(0, |started| now.saturating_sub(started));
    merge(
        &mut told,
        json!({
            "artifactDirectory": directory,
            "relativeArtifactDirectory": ArtifactScope::of(&face.session_key, &face.run),
            "remoteWorkingDirectory": directory,
            "remoteWorkspaceRefKind": "remotePath",
            "artifacts": [],
            "artifactCount": 0,
            "revision": run.seq.to_string(),
            "retryAfterMs": 2_000,
            "progress": {
                "stage": status.as_str(),
                "elapsedMs": elapsed,
                "budgetMs": face.budget,
                "lastProbeAtMs": now,
                "terminal": false,
            },
        }),
    );
    if let Some(started) = started {
        told.insert("startedAt".to_owned(), moment(started).into());
    }
    if let Some(deadline) = deadline {
        told.insert("deadlineAt".to_owned(), moment(deadline).into());
    }
    if let Some((position, queued)) = position {
        told.insert("queue".to_owned(), json!({ "position": position, "queued": queued }));
    }
    match &run.phase {
        Phase::Prepared(..) => {
            told.insert("terminalSource".to_owned(), "session_prepare".into());
        }
        Phase::Running(active) => {
            if let Some(code) = &active.degraded {
                merge(&mut told, json!({ "transportDegraded": true, "transportDegradedCode": code }));
            }
        }
        _ => {}
    }
    Value::Object(told)
}

/// The bytes of the words of an agent in one answer, as JSON.
const OUTPUT: usize = 150_000;

/// The characters of a summary.
const SUMMARY: usize = 400;

/// As much of a text as has at most so many bytes when it is written as JSON.
fn beginning(text: &str, most: usize) -> &str {
    let mut left = most;
    for (at, c) in text.char_indices() {
        let bytes = match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c.is_control() => 6,
            c => c.len_utf8(),
        };
        match left.checked_sub(bytes) {
            Some(rest) => left = rest,
            None => return text.get(..at).unwrap_or_default(),
        }
    }
    text
}

/// The first words of a text: all of a short one.
fn summary(text: &str) -> String {
    let mut short: String = text.chars().take(SUMMARY).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

/// A run that has ended. `page` lists the files of a success.
pub(super) fn terminal(end: &RunEnd, seq: u64, directory: &str, page: Option<&ExportPage>) -> Value {
    let mut told = Map::new();
    let status = end.status.as_str();
    let output = beginning(&end.text, OUTPUT);
    let shortened = summary(&end.text);
    merge(
        &mut told,
        json!({ "success": end.success, "status": status, "taskStatus": status, "terminal": true, "terminalSource": end.source }),
    );
    told.extend(ids(&end.face));
    merge(&mut told, resolved(&end.face));
    merge(
        &mut told,
        json!({
            "output": output,
            "summary": shortened,
            "resultSummary": shortened,
            "lastResultCode": end.result_code,
            "artifactSyncStatus": end.sync.as_str(),
            "acceptedAt": moment(end.face.accepted),
            "endedAt": moment(end.ended),
            "artifactDirectory": directory,
            "relativeArtifactDirectory": ArtifactScope::of(&end.face.session_key, &end.face.run),
            "remoteWorkingDirectory": directory,
            "remoteWorkspaceRefKind": "remotePath",
            "revision": seq.to_string(),
            "artifacts": [],
            "artifactCount": 0,
            "warnings": end.warnings,
            "constraintSatisfied": end.missing.is_none(),
            "missingRequiredExtensions": [],
            "missingRequiredFileCounts": {},
        }),
    );
    if let Some(started) = end.started {
        told.insert("startedAt".to_owned(), moment(started).into());
    }
    if output.len() < end.text.len() {
        merge(
            &mut told,
            json!({ "outputTruncated": true, "outputBytes": end.text.len(), "nextOutputOffset": output.len() }),
        );
    }
    if !end.warnings.is_empty() {
        told.insert("artifactWarnings".to_owned(), end.warnings.clone().into());
    }
    if !end.named_only.is_empty() {
        told.insert("namedOnly".to_owned(), end.named_only.clone().into());
    }
    if end.inferred {
        told.insert("successSource".to_owned(), "inferred".into());
    }
    for (name, value) in [("code", &end.code), ("message", &end.message), ("error", &end.message)] {
        if let Some(value) = value {
            told.insert(name.to_owned(), value.clone().into());
        }
    }
    if let Some(missing) = &end.missing {
        merge(&mut told, serde_json::to_value(missing).unwrap_or_default());
    }
    if let Some(page) = page {
        merge(
            &mut told,
            json!({ "artifacts": page.artifacts, "artifactCount": page.artifact_count, "warnings": page.warnings }),
        );
        if let Some(cursor) = &page.next_cursor {
            merge(&mut told, json!({ "nextCursor": cursor, "artifactsTruncated": true }));
        }
        if !page.warnings.is_empty() {
            told.insert("artifactWarnings".to_owned(), page.warnings.clone().into());
        }
    }
    Value::Object(told)
}

/// `params` of a `session.update`.
pub(super) fn update(face: &RequestContext, seq: u64, kind: &str, event: &str, more: Value) -> Value {
    let mut told = Map::new();
    merge(&mut told, json!({ "type": kind, "event": event, "pending": true, "error": false, "seq": seq }));
    told.extend(ids(face));
    merge(&mut told, more);
    Value::Object(told)
}

/// What is told of a use of a tool.
pub(super) fn tool_call(call: &RecordedToolCall, at: Millis) -> Value {
    let RecordedToolCall { id, title, kind, status } = call;
    let call = json!({
        "type": "tool_call", "toolCallId": id, "title": title, "kind": kind, "status": status, "atMs": at,
    });
    json!({ "structuredEvent": call, "eventType": "tool_call" })
}

/// What is told of a plan.
pub(super) fn plan(steps: &[PlanStep], at: Millis) -> Value {
    json!({ "structuredEvent": { "type": "plan", "entries": steps, "atMs": at }, "eventType": "plan" })
}

/// What is told of an entry of the moment `at`; `thread` is the state with it.
pub(super) fn of_entry(thread: &RunThread, event: &RunEvent, seq: u64, at: Millis) -> Option<Value> {
    let face = match event {
        RunEvent::Ended { end, .. } => &end.face,
        RunEvent::Accepted(order) => &order.face,
        _ => thread.run(event.run()?)?.face()?,
    };
    let tell = |kind: &str, name: &str, more: Value| Some(update(face, seq, kind, name, more));
    let phase = |phase: &str, more: Value| {
        let mut task = Map::new();
        merge(
            &mut task,
            json!({
                "taskId": face.run, "phase": phase, "executor": face.target.as_str(), "providerId": face.provider, "atMs": at,
            }),
        );
        merge(&mut task, more);
        tell("task", &format!("task.{phase}"), json!({ "task": task }))
    };
    match event {
        RunEvent::Opened { .. } | RunEvent::Closed | RunEvent::Prepared { .. } => None,
        RunEvent::Accepted(_) => tell("status", "started", json!({ "message": "session started" })),
        RunEvent::Started { deadline, .. } => tell(
            "status",
            "running",
            json!({
                "status": "running",
                "runtimeBudgetMinutes": face.budget.div_ceil(60_000),
                "deadlineAt": moment(*deadline),
                "resolvedGatewayProviderId": if face.target == Target::Gateway { face.provider.as_str() } else { "" },
            }),
        ),
        RunEvent::Bound { .. } => phase("started", json!({})),
        RunEvent::Asked(question) => phase(
            "permission_requested",
            json!({
                "requestId": question.request,
                "toolCall": { "title": question.tool },
                "options": question.options,
                "createdAt": moment(question.asked),
                "expiresAt": moment(question.until),
            }),
        ),
        RunEvent::Decided { request, option, .. } => phase(
            "permission_resolved",
            json!({ "requestId": request, "optionId": option, "decision": if option.is_some() { "selected" } else { "cancelled" } }),
        ),
        RunEvent::Degraded { code, .. } => tell(
            "status",
            "running",
            json!({ "status": "running", "transportDegraded": code.is_some(), "transportDegradedCode": code }),
        ),
        RunEvent::Tool { call, .. } => tell("event", "tool_call", tool_call(call, at)),
        RunEvent::Planned { steps, .. } => tell("event", "plan", plan(steps, at)),
        RunEvent::CancelAsked { .. } => tell("status", "cancelling", json!({ "status": "running" })),
        RunEvent::Finished { .. } => tell(
            "status",
            "syncing-artifacts",
            json!({ "status": "syncing-artifacts", "artifactSyncStatus": "syncing" }),
        ),
        RunEvent::Ended { end, .. } => {
            // A hint, never a result: that is asked for, or comes as the last envelope.
            let name = if end.success { "completed" } else { end.status.as_str() };
            tell(
                "status",
                name,
                json!({
                    "pending": false,
                    "error": !end.success,
                    "success": end.success,
                    "status": end.status.as_str(),
                    "code": end.code,
                    "message": end.message.clone().unwrap_or_else(|| end.text.chars().take(400).collect()),
                    "artifactSyncStatus": end.sync.as_str(),
                }),
            )
        }
    }
}
