//! `/v1/skills`: the lessons that were learnt, with their evidence, and what a person decides about them.
//!
//! Must never know where they are kept, or decide anything itself.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use serde_json::Value;

use crate::error::Error;
use crate::limits::Limits;
use crate::{body, reply};

/// What a person says of one lesson.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case", deny_unknown_fields)]
pub enum SkillDecision {
    /// Agents are shown it.
    Accept {
        /// Its id.
        id: String,
    },
    /// It is taken out, and not learnt again.
    Retire {
        /// Its id.
        id: String,
    },
    /// What is proposed for it is not taken over.
    Decline {
        /// Its id.
        id: String,
    },
    /// It gets other words, and is shown.
    Edit {
        /// Its id.
        id: String,
        /// The words.
        content: String,
    },
}

/// The lessons of a server.
pub trait SkillReview: Send + Sync + 'static {
    /// All that are not retired, each with its evidence, and those that contradict each other.
    ///
    /// # Errors
    /// As the skillbook says.
    fn list(&self) -> Result<Value, Error>;

    /// Carries decisions out: all or none.
    ///
    /// # Errors
    /// As the skillbook says.
    fn decide(&self, decisions: &[SkillDecision]) -> Result<Value, Error>;
}

struct Skills {
    review: Arc<dyn SkillReview>,
    limits: Limits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decisions {
    decisions: Vec<SkillDecision>,
}

/// The routes of lessons.
pub fn router(review: Arc<dyn SkillReview>, limits: Limits) -> Router {
    Router::new().route("/v1/skills", get(list).post(decide)).with_state(Arc::new(Skills { review, limits }))
}

async fn list(State(skills): State<Arc<Skills>>) -> Result<Response, Error> {
    answer(move || skills.review.list()).await
}

async fn decide(State(skills): State<Arc<Skills>>, request: Request) -> Result<Response, Error> {
    let (parts, sent) = request.into_parts();
    let bytes = body::read(&parts.headers, sent, &skills.limits).await?;
    let given: Decisions = serde_json::from_slice(&bytes).map_err(|error| match error.classify() {
        serde_json::error::Category::Data => Error::invalid(
            "decisions",
            format!(
                "is not a list of {{\"decision\": \"accept\", \"id\": \"…\"}}, retire, decline, or edit with content ({error})"
            ),
        ),
        _ => Error::InvalidJson { problem: error.to_string() },
    })?;
    if given.decisions.is_empty() {
        return Err(Error::invalid("decisions", "is empty; say what is decided"));
    }
    answer(move || skills.review.decide(&given.decisions)).await
}

/// Reads and writes files on a thread for that.
async fn answer(work: impl FnOnce() -> Result<Value, Error> + Send + 'static) -> Result<Response, Error> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| Error::AnswerInterrupted)?;
    Ok(reply::json(done?.to_string()))
}
