//! What is done for each method.
//!
//! Must never begin a second run for a message that came before, nor let a client that goes away end one.

use serde_json::{Map, Value, json};

use super::error::A2aError;
use super::events::{EventSink, is_interrupted, stream};
use super::message::Message;
use super::task::{TaskView, chosen, question, state, task};
use crate::rpc::{Bridge, RpcCall, RpcRequest, submission};
use crate::runs::{CancelResult, Lookup, LookupResult, RunError, Ticket};

/// Tasks on a page, unless the request says, and at most.
const PAGE: (usize, usize) = (50, 100);

/// The answer to a request; nothing when all of it was streamed.
pub(super) async fn answer(
    bridge: &Bridge,
    call: &RpcCall,
    request: &RpcRequest,
    sink: &EventSink,
) -> Result<Option<Value>, A2aError> {
    let params = &request.params;
    match request.method.as_str() {
        "SendMessage" => send(bridge, call, params, sink).await.map(Some),
        "SendStreamingMessage" => {
            let ticket = take(bridge, call, params).await?;
            stream(bridge, call, &ticket, sink).await?;
            Ok(None)
        }
        "SubscribeToTask" => {
            let ticket = find(bridge, call, params).await?;
            if ticket.revision().await?.1.is_terminal() {
                return Err(A2aError::unsupported("the task has ended: ask with GetTask"));
            }
            stream(bridge, call, &ticket, sink).await?;
            Ok(None)
        }
        "GetTask" => {
            let ticket = find(bridge, call, params).await?;
            let view = TaskView { history: wants_history(params), artifacts: true };
            task(bridge, call, &ticket, view).await.map(Some)
        }
        "ListTasks" => list(bridge, call, params).await.map(Some),
        "CancelTask" => cancel(bridge, call, params).await.map(Some),
        "GetExtendedAgentCard" => Err(A2aError::no_extended_card()),
        method if method.contains("TaskPushNotificationConfig") => Err(A2aError::no_push()),
        method => Err(A2aError::method(method)),
    }
}

/// Whether the messages of a task are wanted: there is one, so that any number but 0 means it.
fn wants_history(params: &Map<String, Value>) -> bool {
    params.get("historyLength").and_then(Value::as_u64) != Some(0)
}

async fn send(
    bridge: &Bridge,
    call: &RpcCall,
    params: &Map<String, Value>,
    sink: &EventSink,
) -> Result<Value, A2aError> {
    let empty = Map::new();
    let configuration = params.get("configuration").and_then(Value::as_object).unwrap_or(&empty);
    if configuration.get("taskPushNotificationConfig").is_some_and(|asked| !asked.is_null()) {
        return Err(A2aError::no_push());
    }
    let ticket = take(bridge, call, params).await?;
    let view = TaskView { history: wants_history(configuration), artifacts: true };
    let is_short = configuration.get("returnImmediately") == Some(&Value::Bool(true));
    loop {
        let (revision, _) = ticket.revision().await?;
        let told = task(bridge, call, &ticket, view).await?;
        if is_short || is_interrupted(&told) {
            return Ok(json!({ "task": told }));
        }
        tokio::select! {
            changed = ticket.changed(&revision) => changed?,
            () = sink.gone() => return Ok(json!({ "task": told })),
        }
    }
}

/// The run that a message begins, goes on with, or answers a question of.
async fn take(bridge: &Bridge, call: &RpcCall, params: &Map<String, Value>) -> Result<Ticket, A2aError> {
    let message = Message::of(params)?;
    if let Some(task) = &message.task {
        let ticket = by_id(bridge, call, task, message.context.as_deref()).await?;
        reply(bridge, &ticket, &message).await?;
        return Ok(ticket);
    }
    let context = message.context.clone().unwrap_or_else(|| {
        let config = bridge.runs().config();
        let number = u128::from_be_bytes(config.ids.next(config.clock.millis()));
        format!("ctx-{number:032x}")
    });
    let fields = message.session(&context);
    let begins = |method: &'static str| {
        let fields = &fields;
        async move {
            let submission = submission(bridge, call, method, fields).await?;
            Ok::<_, A2aError>(bridge.runs().submit(submission).await)
        }
    };
    // A context that has a conversation goes on with it; one whose agent has none begins one.
    let lookup = Lookup { thread: Some(context.clone()), ..Lookup::default() };
    let is_known = !matches!(bridge.runs().look(&call.principal, &lookup).await?, LookupResult::Nothing);
    if is_known {
        match begins("session.message").await? {
            Err(RunError::Continuation { .. } | RunError::KeyReused) => {}
            submitted => return Ok(submitted?),
        }
    }
    match begins("session.start").await? {
        // The same message began the context, and came again when there was one.
        Err(RunError::KeyReused) if is_known => Ok(begins("session.message").await??),
        submitted => Ok(submitted?),
    }
}

/// Answers the question of a run.
async fn reply(bridge: &Bridge, ticket: &Ticket, message: &Message) -> Result<(), A2aError> {
    let Some(asked) = question(bridge, ticket).await? else {
        let told = if ticket.revision().await?.1.is_terminal() {
            "the task has ended: send the message without `taskId`, in the same context"
        } else {
            "the task asks nothing now: wait for it, or cancel it"
        };
        return Err(A2aError::unsupported(told));
    };
    let Some(option) = chosen(&asked, &message.text) else {
        return Err(A2aError::params(
            "the message chooses none of the options: send the number of one, or \"no\"",
        ));
    };
    match bridge.runs().answer(ticket, &asked.request, option).await? {
        Ok(()) => Ok(()),
        Err(_) => Err(A2aError::unsupported("the question was answered meanwhile")),
    }
}

async fn find(bridge: &Bridge, call: &RpcCall, params: &Map<String, Value>) -> Result<Ticket, A2aError> {
    let id = params.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
    let id = id.ok_or_else(|| A2aError::params("`id` is missing: send the id of a task"))?;
    by_id(bridge, call, id, None).await
}

async fn by_id(bridge: &Bridge, call: &RpcCall, id: &str, context: Option<&str>) -> Result<Ticket, A2aError> {
    let lookup = Lookup { run: Some(id.to_owned()), thread: context.map(str::to_owned), ..Lookup::default() };
    match bridge.runs().look(&call.principal, &lookup).await? {
        LookupResult::Run(ticket) if ticket.run().as_str() == id => Ok(ticket),
        LookupResult::Mismatch => Err(A2aError::params("the task is none of this context")),
        _ => Err(A2aError::task_not_found()),
    }
}

async fn cancel(bridge: &Bridge, call: &RpcCall, params: &Map<String, Value>) -> Result<Value, A2aError> {
    let ticket = find(bridge, call, params).await?;
    let status = ticket.revision().await?.1;
    if status.is_terminal() {
        return Err(A2aError::not_cancelable(status.as_str()));
    }
    match bridge.runs().cancel(&ticket).await? {
        CancelResult::AlreadyTerminal => {
            return Err(A2aError::not_cancelable(ticket.revision().await?.1.as_str()));
        }
        CancelResult::NotOurs => {
            return Err(A2aError::unsupported("nobody here carries the task out"));
        }
        CancelResult::InQueue | CancelResult::Wait | CancelResult::Asked(_) | CancelResult::Unconfirmed => {}
    }
    // The end is told when it is one; the agent has a moment for it.
    let until = tokio::time::Instant::now() + bridge.runs().config().grace * 2;
    loop {
        let (revision, status) = ticket.revision().await?;
        if status.is_terminal() {
            break;
        }
        if tokio::time::timeout_at(until, ticket.changed(&revision)).await.is_err() {
            break;
        }
    }
    task(bridge, call, &ticket, TaskView { history: false, artifacts: false }).await
}

async fn list(bridge: &Bridge, call: &RpcCall, params: &Map<String, Value>) -> Result<Value, A2aError> {
    let text = |name: &str| params.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let (usual, most) = PAGE;
    let size = match params.get("pageSize").and_then(Value::as_u64) {
        None | Some(0) => usual,
        Some(size) => usize::try_from(size).unwrap_or(usize::MAX),
    };
    if size > most {
        return Err(A2aError::params(format!("`pageSize` is 1 to {most}")));
    }
    let wanted = text("status").filter(|status| *status != "TASK_STATE_UNSPECIFIED");
    let mut all = Vec::new();
    for (ticket, status) in bridge.runs().tickets(&call.principal, text("contextId")).await? {
        let is_asking = wanted.is_some() && question(bridge, &ticket).await?.is_some();
        if wanted.is_none_or(|wanted| wanted == state(status, is_asking)) {
            all.push(ticket);
        }
    }
    // Ids grow with time: the newest first.
    all.sort_by(|a, b| b.run().cmp(a.run()));
    let total = all.len();
    let rest: Vec<Ticket> = match text("pageToken") {
        Some(token) => all.into_iter().skip_while(|ticket| ticket.run().as_str() >= token).collect(),
        None => all,
    };
    let view = TaskView {
        history: params.get("historyLength").and_then(Value::as_u64).is_some_and(|length| length > 0),
        artifacts: params.get("includeArtifacts") == Some(&Value::Bool(true)),
    };
    let mut tasks = Vec::new();
    for ticket in rest.iter().take(size) {
        tasks.push(task(bridge, call, ticket, view).await?);
    }
    let next = rest.get(size.saturating_sub(1)).filter(|_| rest.len() > size);
    let next = next.map(|ticket| ticket.run().as_str().to_owned()).unwrap_or_default();
    Ok(json!({ "tasks": tasks, "nextPageToken": next, "pageSize": size, "totalSize": total }))
}
