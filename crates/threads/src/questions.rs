//! Questions of the agent that works for a thread, and the answers of its person.
//!
//! Must never choose for the person, or answer a question of another thread.

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::driver::ThreadDriver;
use super::error::ThreadError;
use super::link::{BridgeCall, BridgeFrame};
use super::question::ThreadQuestion;

impl ThreadDriver {
    /// The open questions of the agent that works for a thread.
    ///
    /// # Errors
    /// [`ThreadError::Bridge`], as the bridge says.
    pub async fn questions(&self, key: &str) -> Result<Vec<ThreadQuestion>, ThreadError> {
        let answer = self.ask("xworkmate.permissions.list", json!({ "sessionId": key })).await?;
        Ok(answer["items"].as_array().into_iter().flatten().filter_map(ThreadQuestion::of).collect())
    }

    /// Whether the one who works for threads answers at all.
    ///
    /// # Errors
    /// [`ThreadError::Bridge`]: why he does not.
    pub async fn reach(&self) -> Result<(), ThreadError> {
        self.ask("health", json!({})).await.map(drop)
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
        let call = BridgeCall { method, params, last_event: None };
        let mut frames = self.link().call(call).await.map_err(|error| refused(error.code, error.message))?;
        while let Some(frame) = frames.next().await {
            match frame.map_err(|error| refused(error.code, error.message))? {
                BridgeFrame::Update(..) => {}
                BridgeFrame::Answer(answer) => return Ok(answer),
                BridgeFrame::Refused { code, message } => return Err(refused(code, message)),
            }
        }
        Err(refused("ACP_SSE_NO_RESULT".to_owned(), "the bridge gave no answer".to_owned()))
    }
}
