//! Questions of the agent that works for a thread, and the answers of its person.
//!
//! Must never choose for the person, or answer a question of another thread.

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::desk::Desk;
use super::error::ThreadError;
use super::link::{Call, Frame};
use crate::agent::PermissionOption;

/// A question that is open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Question {
    /// Its id.
    pub request_id: String,
    /// What the agent is about to do, in its words.
    #[serde(skip)]
    pub title: String,
    /// The answers that it takes.
    #[serde(default)]
    pub options: Vec<PermissionOption>,
}

impl Question {
    /// The question of an update or of a list; `None` when that is none.
    #[must_use]
    pub fn of(told: &Value) -> Option<Self> {
        let question: Self = serde_json::from_value(told.clone()).ok()?;
        let title = told["toolCall"]["title"].as_str().unwrap_or("something").to_owned();
        Some(Self { title, ..question })
    }

    /// The option that a person means: by its number from 1, its id, its name, or its kind if only one has that.
    #[must_use]
    pub fn option(&self, meant: &str) -> Option<&PermissionOption> {
        let meant = meant.trim();
        let by_number =
            meant.parse::<usize>().ok().and_then(|number| self.options.get(number.checked_sub(1)?));
        let by_name = || {
            self.options.iter().find(|option| option.id == meant || option.name.eq_ignore_ascii_case(meant))
        };
        let by_kind = || {
            let mut of_kind = self.options.iter().filter(|option| option.kind == meant);
            of_kind.next().filter(|_| of_kind.next().is_none())
        };
        by_number.or_else(by_name).or_else(by_kind)
    }
}

impl Desk {
    /// The open questions of the agent that works for a thread.
    ///
    /// # Errors
    /// [`ThreadError::Bridge`], as the bridge says.
    pub async fn questions(&self, key: &str) -> Result<Vec<Question>, ThreadError> {
        let answer = self.ask("xworkmate.permissions.list", json!({ "sessionId": key })).await?;
        Ok(answer["items"].as_array().into_iter().flatten().filter_map(Question::of).collect())
    }

    /// Answers a question of a thread's agent; without an option, the person does not want to answer, which the agent takes as
    /// a no.
    ///
    /// # Errors
    /// [`ThreadError::Bridge`]: it was answered before, or the option was not offered.
    pub async fn answer(&self, key: &str, request: &str, option: Option<&str>) -> Result<(), ThreadError> {
        let mut params = json!({ "sessionId": key, "requestId": request });
        match option {
            Some(option) => params["optionId"] = json!(option),
            None => params["decision"] = json!("cancel"),
        }
        self.ask("xworkmate.permissions.respond", params).await.map(drop)
    }

    async fn ask(&self, method: &'static str, params: Value) -> Result<Value, ThreadError> {
        let refused = |code: String, message: String| ThreadError::Bridge { code, message };
        let call = Call { method, params, last_event: None };
        let mut frames = self.link().call(call).await.map_err(|error| refused(error.code, error.message))?;
        while let Some(frame) = frames.next().await {
            match frame.map_err(|error| refused(error.code, error.message))? {
                Frame::Update(..) => {}
                Frame::Answer(answer) => return Ok(answer),
                Frame::Refused { code, message } => return Err(refused(code, message)),
            }
        }
        Err(refused("ACP_SSE_NO_RESULT".to_owned(), "the bridge gave no answer".to_owned()))
    }
}
