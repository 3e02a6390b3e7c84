//! `/v1/responses`: asks, looks at what was answered, stops it, deletes it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use engross_agent::session::{AnswerPlace, SessionName};
use serde_json::{Value, json};

use super::{check_model, head, settle, wanted};
use crate::error::Error;
use crate::listening::SseResponse;
use crate::server::Server;
use crate::service::{AnswerEvents, Service};
use crate::wire::{
    DEFAULT_MODEL, Head, RequestHead, ResponsesShape, ResponsesStream, input_items, is_reference,
    place_of_response, response_of_item, response_state, responses_body, responses_request, with_references,
};
use crate::{body, headers, reply};

/// Responses whose items one request may refer to.
const MOST_REFERRED: usize = 64;

/// Accepts a request, and answers it whole or as a stream.
pub(crate) async fn create<S: Service>(
    State(server): State<Arc<Server<S>>>,
    request: Request,
) -> Result<Response, Error> {
    let (parts, body) = request.into_parts();
    let bytes = body::read(&parts.headers, body, &server.limits).await?;
    // What is made of them is about as large until the session has taken it in.
    let (read, room) = bytes.parsed(read).await?;
    let mut asked = match read {
        ReadBody::Whole(asked) => *asked,
        ReadBody::Referring(body) => responses_request(&referred(&server, body).await?)?,
    };
    check_model(&server, &asked)?;
    headers::complete(&mut asked.request, &parts.headers)?;
    settle(&server, &mut asked).await?;
    let wants_events = headers::wants_events(&parts.headers)?;
    // The client comes back for it.
    let is_polled = asked.request.background && !asked.stream;

    let answering = server.service.submit(asked.request).await?;
    drop(room);
    if !answering.replayed() {
        server.metrics.turn();
    }
    let head = head(&answering, asked.model);
    let described = reply::description(&answering);
    let response = if is_polled && !answering.replayed() {
        let mut response = reply::json(response_state(&head, &asked.shape, None).to_string());
        reply::warn(&mut response, &asked.notices);
        Ok(response)
    } else if asked.stream {
        // Later events repeat the whole text, so the stream is made from its beginning, and sent from where it goes on.
        let wanted = wanted(headers::last_event_id(&parts.headers), &answering, false, wants_events);
        let warnings = asked.notices.clone();
        let stream = ResponsesStream::new(head, wanted, asked.shape, asked.notices);
        let heard = SseResponse::new(answering, Arc::clone(&server.metrics));
        heard.stream(stream, server.limits.heartbeat).await.map(|mut response| {
            reply::warn(&mut response, &warnings);
            response
        })
    } else {
        let whole = SseResponse::new(answering, Arc::clone(&server.metrics)).whole(asked.notices).await;
        whole.map(|whole| {
            let mut response = reply::json(responses_body(&head, &whole, &asked.shape).take());
            reply::warn(&mut response, &whole.notices);
            response
        })
    };
    Ok(reply::described(response, described))
}

/// What a body is.
enum ReadBody {
    Whole(Box<RequestHead>),
    /// It refers to earlier items.
    Referring(Value),
}

fn read(bytes: &[u8]) -> Result<ReadBody, Error> {
    Ok(match with_references(bytes)? {
        Some(body) => ReadBody::Referring(body),
        None => ReadBody::Whole(Box::new(responses_request(bytes)?)),
    })
}

/// Puts earlier items in the place of the references to them.
async fn referred<S: Service>(server: &Arc<Server<S>>, mut body: Value) -> Result<Vec<u8>, Error> {
    let mut known: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let items = body.get_mut("input").and_then(Value::as_array_mut);
    for (index, item) in items.into_iter().flatten().enumerate().filter(|(_, item)| is_reference(item)) {
        let id = item["id"].as_str().unwrap_or_default();
        let missing = || {
            Error::invalid(
                format!("input[{index}].id"),
                "names no item that is kept here: send the item itself",
            )
        };
        let response = response_of_item(id).ok_or_else(missing)?;
        if !known.contains_key(&response) {
            if known.len() == MOST_REFERRED {
                let problem = format!(
                    "refers to a further response; items of {MOST_REFERRED} are the most: send items themselves"
                );
                return Err(Error::invalid(format!("input[{index}].id"), problem));
            }
            known.insert(response.clone(), items_of(server, &response).await.ok_or_else(missing)?);
        }
        let found = known.get(&response).and_then(|items| items.iter().find(|known| known["id"] == id));
        *item = found.ok_or_else(missing)?.clone();
    }
    Ok(body.to_string().into_bytes())
}

/// What a response took in and gave; nothing where it is not there, or not over.
async fn items_of<S: Service>(server: &Arc<Server<S>>, response: &str) -> Option<Vec<Value>> {
    let earlier = server.service.answer(place_of_response(response).ok()?).await.ok()?;
    let head = head(&earlier.events, DEFAULT_MODEL.to_owned());
    let mut input = input_items(&head, &earlier.input);
    let mut items: Vec<Value> = input["data"].as_array_mut().map(std::mem::take)?;
    if !earlier.runs
        && let Ok(whole) =
            SseResponse::new(earlier.events, Arc::clone(&server.metrics)).whole(Vec::new()).await
    {
        let body = responses_body(&head, &whole, &ResponsesShape::default()).take();
        let mut body: Value = serde_json::from_slice(&body).ok()?;
        items.extend(body["output"].as_array_mut().map(std::mem::take)?);
    }
    Some(items)
}

type Id = Result<Path<String>, PathRejection>;

/// A response as it is.
pub(crate) async fn look<S: Service>(
    State(server): State<Arc<Server<S>>>,
    id: Id,
) -> Result<Response, Error> {
    let place = place(id)?;
    Ok(shown(&server, place).await?.0)
}

/// What its request brought.
pub(crate) async fn input<S: Service>(
    State(server): State<Arc<Server<S>>>,
    id: Id,
) -> Result<Response, Error> {
    let earlier = server.service.answer(place(id)?).await?;
    let head = head(&earlier.events, DEFAULT_MODEL.to_owned());
    Ok(reply::json(input_items(&head, &earlier.input).to_string()))
}

/// Stops a response that is being made, and gives it as it is then.
pub(crate) async fn cancel<S: Service>(
    State(server): State<Arc<Server<S>>>,
    id: Id,
) -> Result<Response, Error> {
    let place = place(id)?;
    if server.service.answer(place).await?.runs {
        server.service.cancel(&SessionName::Named(place.session.to_string())).await?;
    }
    Ok(shown(&server, place).await?.0)
}

/// Deletes a response with its session, where it is the only one of that: a conversation of several is deleted as one.
pub(crate) async fn remove<S: Service>(
    State(server): State<Arc<Server<S>>>,
    id: Id,
) -> Result<Response, Error> {
    let place = place(id)?;
    let (_, head, answers) = shown(&server, place).await?;
    if answers > 1 {
        return Err(Error::ResponseInUse { session: place.session.to_string() });
    }
    server.service.delete(&SessionName::Named(place.session.to_string())).await?;
    let id = response_state(&head, &ResponsesShape::default(), None)["id"].clone();
    Ok(reply::json(json!({"id": id, "object": "response", "deleted": true}).to_string()))
}

fn place(id: Id) -> Result<AnswerPlace, Error> {
    let Path(id) = id.map_err(|_| Error::ResponseNotFound { id: String::new() })?;
    place_of_response(&id)
}

/// A response as it is, its head, and how many its session has.
async fn shown<S: Service>(
    server: &Arc<Server<S>>,
    place: AnswerPlace,
) -> Result<(Response, Head, usize), Error> {
    let earlier = server.service.answer(place).await?;
    let head = head(&earlier.events, DEFAULT_MODEL.to_owned());
    let described = reply::description(&earlier.events);
    // What was asked of its form is not kept.
    let shape = ResponsesShape::default();
    let body = if earlier.runs {
        response_state(&head, &shape, None).to_string().into()
    } else {
        match SseResponse::new(earlier.events, Arc::clone(&server.metrics)).whole(Vec::new()).await {
            Ok(whole) => responses_body(&head, &whole, &shape).take(),
            Err(error) => response_state(&head, &shape, Some(&error)).to_string().into(),
        }
    };
    let response = reply::described(Ok(reply::json(body)), described);
    Ok((response, head, earlier.answers))
}
