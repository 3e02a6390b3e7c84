//! The further pages of a long answer: files and words that one answer has no room for.
//!
//! Must never take pages of two runs for one answer, nor ask without end.

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::driver::ThreadDriver;
use super::link::{BridgeCall, BridgeFrame, LinkError};
use super::look_up::look_up;
use super::record::ThreadRecord;

/// The most pages of one answer.
const MOST: usize = 100_000;

impl ThreadDriver {
    /// The answer with all its files and words.
    pub(super) async fn whole(&self, record: &ThreadRecord, mut answer: Value) -> Result<Value, LinkError> {
        for _ in 0..MOST {
            let cursor = answer["nextCursor"].clone();
            let offset = answer["nextOutputOffset"].clone();
            if !cursor.is_string() && !offset.is_u64() {
                break;
            }
            let mut params = look_up(record, record.context_state.open_claw_task_association.as_ref());
            params["runId"] = answer["runId"].clone();
            params["openclawSessionKey"] = answer["openclawSessionKey"].clone();
            // One of the two goes on at a time: the other one stays as it is.
            if offset.is_u64() {
                params["outputOffset"] = offset;
            } else {
                params["cursor"] = cursor;
            }
            let page = self.page(params).await?;
            if page["runId"] != answer["runId"] {
                break;
            }
            if answer["nextOutputOffset"].is_u64() {
                let words = page["output"].as_str().unwrap_or_default();
                let text = format!("{}{words}", answer["output"].as_str().unwrap_or_default());
                answer["output"] = json!(text);
                answer["nextOutputOffset"] = page["nextOutputOffset"].clone();
            } else {
                if let (Some(all), Some(more)) =
                    (answer["artifacts"].as_array_mut(), page["artifacts"].as_array())
                {
                    all.extend(more.iter().cloned());
                }
                answer["nextCursor"] = page["nextCursor"].clone();
            }
        }
        Ok(answer)
    }

    async fn page(&self, params: Value) -> Result<Value, LinkError> {
        let call = BridgeCall { method: "xworkmate.tasks.get", params, last_event: None };
        let mut frames = self.link().call(call).await?;
        let lost = || LinkError {
            code: "ACP_SSE_NO_RESULT".to_owned(),
            message: "the bridge sent no answer".to_owned(),
            is_passing: true,
        };
        loop {
            match frames.next().await.ok_or_else(lost)?? {
                BridgeFrame::Update(..) => {}
                BridgeFrame::Answer(page) => return Ok(page),
                BridgeFrame::Refused { code, message } => {
                    return Err(LinkError { code, message, is_passing: false });
                }
            }
        }
    }
}
