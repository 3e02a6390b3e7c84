//! `POST /v1/chat/completions`.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;

use super::{check_model, head, settle, wanted};
use crate::error::Error;
use crate::listening::SseResponse;
use crate::server::Server;
use crate::service::{AnswerEvents, Service};
use crate::wire::{ChatStream, chat_body, chat_request};
use crate::{body, headers, reply};

/// Accepts a request, and answers it whole or as a stream.
pub(crate) async fn create<S: Service>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &server.limits).await?;
    // What is made of them is about as large until the session has taken it in.
    let (mut asked, room) = bytes.parsed(chat_request).await?;
    check_model(&server, &asked)?;
    headers::complete(&mut asked.request, &parts.headers)?;
    settle(&server, &mut asked).await?;
    let wants_events = headers::wants_events(&parts.headers)?;

    let mut answering = server.service.submit(asked.request).await?;
    drop(room);
    if !answering.replayed() {
        server.metrics.turn();
    }
    let head = head(&answering, asked.model);
    let described = reply::description(&answering);
    let response = if asked.stream {
        let last = headers::last_event_id(&parts.headers);
        let wanted = wanted(last, &answering, asked.include_usage, wants_events);
        if let Some(behind) = wanted.behind {
            answering.resume_after(behind.position);
        }
        let warnings = asked.notices.clone();
        let stream = ChatStream::new(&head, wanted, asked.notices);
        let heard = SseResponse::new(answering, Arc::clone(&server.metrics));
        heard.stream(stream, server.limits.heartbeat).await.map(|mut response| {
            reply::warn(&mut response, &warnings);
            response
        })
    } else {
        let whole = SseResponse::new(answering, Arc::clone(&server.metrics)).whole(asked.notices).await;
        whole.map(|whole| {
            let mut response = reply::json(chat_body(&head, &whole).take());
            reply::warn(&mut response, &whole.notices);
            response
        })
    };
    Ok(reply::described(response, described))
}
