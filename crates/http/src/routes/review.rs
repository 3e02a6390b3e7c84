//! `/v1/review`: the positions of a playbook, answered for a document that is sent.
//!
//! Who has a model of their own sends the answers, and they are checked; else the server's model is asked. Must never store anything.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::multipart::Multipart;
use axum::extract::{FromRequest, Request, State};
use axum::response::Response;
use axum::routing::post;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use engross_documents::{DocumentIsolation, has_worked, signature};
use engross_docx::{EditOptions, Tracking, WordDocument};
use engross_llm::Model;
use engross_playbook::{Playbook, ReviewError, ReviewReport, plan, plan_with};
use engross_protocol::Clock;
use serde_json::{Map, Value, json};
use tokio::task::spawn_blocking;

use crate::error::Error;
use crate::limits::Limits;
use crate::{body, reply};

/// Largest request, in bytes.
const LARGEST: usize = 32 << 20;

/// What reviews are made with.
pub struct PlaybookReviews {
    /// Asked where a request brings no answers; nobody is when it is none that can judge.
    pub model: Option<Arc<dyn Model>>,
    /// In whose name changes and comments are made.
    pub author: String,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Bounds.
    pub limits: Limits,
    /// Where documents that come from outside are worked on.
    pub isolation: DocumentIsolation,
}

/// The route.
pub fn router(reviews: PlaybookReviews) -> Router {
    Router::new().route("/v1/review", post(create)).with_state(Arc::new(reviews))
}

/// What a request brings.
struct SentReview {
    document: WordDocument,
    playbook: Playbook,
    answers: Option<Value>,
    author: String,
}

/// The report, with the document as it became.
async fn create(State(reviews): State<Arc<PlaybookReviews>>, request: Request) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let bytes = body::read_up_to(LARGEST, &parts.headers, sent, &reviews.limits).await?;
    let (bytes, room) = bytes.into_parts();
    let request = Request::from_parts(parts, Body::from(bytes));
    let sent = read(request, &reviews.author, reviews.isolation.clone()).await?;
    let SentReview { document, playbook, answers, author } = sent;
    let options = EditOptions { author, date: reviews.clock.now().to_string() };
    let plan = match answers {
        Some(answers) => {
            let planned = blocking(move || {
                let plan = plan_with(&document, &playbook, Some(&answers));
                plan.map(|plan| (plan, document)).map_err(|error| of_document(&error))
            });
            planned.await?
        }
        None => {
            let plan = plan(&document, &playbook, reviews.model.as_deref()).await;
            (plan.map_err(of_review)?, document)
        }
    };
    let (plan, mut document) = plan;
    let isolation = reviews.isolation.clone();
    let answer = blocking(move || {
        isolation.try_batch("document", document.source(), json!(plan.operations()), &options)?;
        let made = plan.carry_out(&mut document, &options).map_err(|error| of_document(&error))?;
        with_document(made, &document)
    });
    let answer = answer.await?;
    drop(room);
    Ok(reply::json(answer.to_string()))
}

/// The report, and the document if anything in it was changed.
fn with_document(mut made: ReviewReport, document: &WordDocument) -> Result<Value, Error> {
    let is_changed = made.positions.iter().flat_map(|position| &position.operations).any(has_worked);
    let mut content = None;
    if is_changed {
        let saved = document.save(Tracking::Tracked).map_err(|error| of_document(&error))?;
        made.proof = saved.proof;
        content = Some(STANDARD.encode(&saved.bytes));
    }
    let mut answer = json!({"object": "review", "content": content});
    if let (Some(answer), Ok(Value::Object(report))) = (answer.as_object_mut(), serde_json::to_value(&made)) {
        // Nothing was written, and names are the sender's.
        let own = report
            .into_iter()
            .filter(|(name, _)| !["document", "playbook", "output", "sha256"].contains(&name.as_str()));
        answer.extend(own);
    }
    Ok(answer)
}

/// The parts of a form: `document`, `playbook`, and if given `answers` and `options`.
async fn read(request: Request, usual: &str, isolation: DocumentIsolation) -> Result<SentReview, Error> {
    let wrong = |message: String| Error::invalid("body", message);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| {
        wrong("must be multipart/form-data with the files 'document' and 'playbook'".to_owned())
    })?;
    let (mut document, mut playbook, mut answers, mut options) = (None, None, None, None);
    while let Some(field) = form.next_field().await.map_err(|error| wrong(error.body_text()))? {
        let name = field.name().unwrap_or_default().to_owned();
        let bytes = field.bytes().await.map_err(|error| wrong(error.body_text()))?.to_vec();
        let slot = match name.as_str() {
            "document" => &mut document,
            "playbook" => &mut playbook,
            "answers" => &mut answers,
            "options" => &mut options,
            other => {
                let other: String = other.chars().take(40).collect();
                let known = "is no part of a review; send document, playbook, answers, options";
                return Err(Error::invalid(&other, known));
            }
        };
        if slot.replace(bytes).is_some() {
            return Err(Error::invalid(&name, "was sent twice"));
        }
    }
    let needed = |bytes: Option<Vec<u8>>, name: &str, what: &str| {
        bytes.ok_or_else(|| Error::invalid(name, format!("is missing; send {what} as a file of the form")))
    };
    let document = needed(document, "document", "a Word document")?;
    let document = blocking(move || Ok(isolation.open("document", document)?));
    Ok(SentReview {
        document: document.await?,
        playbook: playbook_in(&needed(playbook, "playbook", "a Markdown file")?)?,
        answers: answers.as_deref().map(answers_in).transpose()?,
        author: author_in(options.as_deref(), usual)?,
    })
}

fn playbook_in(bytes: &[u8]) -> Result<Playbook, Error> {
    Playbook::read(bytes).map_err(|error| Error::invalid("playbook", format!("cannot be used: {error}")))
}

fn answers_in(bytes: &[u8]) -> Result<Value, Error> {
    let answers: Value = serde_json::from_slice(bytes)
        .map_err(|error| Error::invalid("answers", format!("must be JSON, a list of objects: {error}")))?;
    Ok(answers)
}

fn author_in(bytes: Option<&[u8]>, usual: &str) -> Result<String, Error> {
    let Some(bytes) = bytes.filter(|bytes| !bytes.trim_ascii().is_empty()) else {
        return Ok(usual.to_owned());
    };
    let options: Map<String, Value> = serde_json::from_slice(bytes)
        .map_err(|_| Error::invalid("options", "must be a JSON object, such as {\"author\": \"Ada\"}"))?;
    if let Some(unknown) = options.keys().find(|name| *name != "author") {
        return Err(Error::invalid(format!("options.{unknown}"), "is unknown; known is author"));
    }
    match options.get("author") {
        None | Some(Value::Null) => Ok(usual.to_owned()),
        Some(Value::String(author)) => Ok(signature::author(author)?.to_owned()),
        Some(_) => Err(Error::invalid("options.author", "must be a text")),
    }
}

fn of_document(error: &engross_docx::Error) -> Error {
    Error::of_sent("document", error)
}

fn of_review(error: ReviewError) -> Error {
    match error {
        ReviewError::Document(error) => of_document(&error),
        ReviewError::Model(error) => {
            Error::Answer { code: error.code().to_owned(), message: error.to_string(), retry_after: None }
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    spawn_blocking(work).await.map_err(|_| Error::from(engross_documents::Error::Stopped))?
}
