//! `xworkmate.permissions.*`: questions of agents, and the answers of people.
//!
//! Must never give an agent an answer that it did not offer, or one question two answers.

use serde_json::{Map, Value, json};

use super::error::RpcError;
use super::params::Params;
use super::{Bridge, RpcCall};
use crate::codes;
use crate::runs::{Lookup, LookupResult, Reply, moment};

/// `xworkmate.permissions.respond`.
pub(super) async fn respond(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let params = Params(fields);
    let (request, session) = (params.required("requestId")?, params.required("sessionId")?);
    let option = match (params.text("optionId")?, params.text("decision")?) {
        (Some(option), _) => Some(option.to_owned()),
        (None, Some("cancel")) => None,
        _ => return Err(RpcError::params("send `optionId`, or `decision`: \"cancel\"")),
    };
    let unknown =
        || RpcError::token(codes::PERMISSION_REQUEST_NOT_FOUND, "there is no such question: list them");
    // A question names its run: `perm-RUN-NUMBER`.
    let run = request.strip_prefix("perm-").and_then(|rest| rest.rsplit_once('-')).map(|(run, _)| run);
    let lookup = Lookup { run: Some(run.ok_or_else(unknown)?.to_owned()), ..Lookup::default() };
    let LookupResult::Run(ticket) = bridge.runs.look(&call.principal, &lookup).await? else {
        return Err(unknown());
    };
    let lookup = Lookup { session_id: Some(session.to_owned()), ..lookup };
    let LookupResult::Run(_) = bridge.runs.look(&call.principal, &lookup).await? else {
        return Err(RpcError::token(codes::PERMISSION_SESSION_MISMATCH, "the question is another session's"));
    };
    match bridge.runs.answer(&ticket, request, option).await? {
        Ok(()) => Ok(json!({ "accepted": true, "requestId": request })),
        Err(Reply::OptionNotOffered) => {
            Err(RpcError::token(codes::PERMISSION_OPTION_NOT_OFFERED, "choose one of the question's options"))
        }
        Err(Reply::QuestionDecided) => {
            Err(RpcError::token(codes::PERMISSION_ALREADY_DECIDED, "it was answered before"))
        }
        Err(_) => Err(unknown()),
    }
}

/// `xworkmate.permissions.list`.
pub(super) async fn list(
    bridge: &Bridge,
    call: &RpcCall,
    fields: &Map<String, Value>,
) -> Result<Value, RpcError> {
    let session = Params(fields).text("sessionId")?;
    let tickets = match session {
        Some(session) => {
            let lookup = Lookup { session_id: Some(session.to_owned()), ..Lookup::default() };
            match bridge.runs.look(&call.principal, &lookup).await? {
                LookupResult::Run(ticket) => vec![ticket],
                _ => Vec::new(),
            }
        }
        None => bridge.runs.open_threads(&call.principal).await?,
    };
    let mut items = Vec::new();
    for ticket in tickets {
        for (question, face) in bridge.runs.questions(&ticket).await? {
            items.push(json!({
                "requestId": question.request,
                "sessionId": face.session_id,
                "threadId": face.thread,
                "runId": question.run,
                "turnId": face.turn,
                "toolCall": { "title": question.tool },
                "options": question.options,
                "createdAt": moment(question.asked),
                "expiresAt": moment(question.until),
            }));
        }
    }
    Ok(json!({ "items": items }))
}
