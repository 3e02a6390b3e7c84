//! Keys that make a repeated request answer the same.
//!
//! Must never give one request the answer of another.

use engross_llm::ToolCall;
use engross_protocol::hex;
use engross_protocol::shared;
use engross_store::Name;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::RequestError;
use super::request::{ClientToolChoice, TurnRequest};
use crate::codes;

/// A key of a request, and what the request was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct KeyClaim {
    pub(super) name: Name,
    digest: String,
}

/// What a request says, as 0.1.0 wrote it: keys that it stored stand for the same requests. What came since is behind that, where
/// there is any.
fn content(request: &TurnRequest) -> String {
    #[derive(Debug)]
    #[expect(dead_code, reason = "they are shown")]
    struct ToolSpec<'a> {
        name: &'a str,
        description: &'a str,
        parameters: &'a Value,
    }
    #[derive(Debug)]
    #[expect(dead_code, reason = "they are shown")]
    struct ClientTool<'a> {
        spec: ToolSpec<'a>,
        read_only: bool,
    }
    #[derive(Debug)]
    #[expect(dead_code, reason = "they are shown")]
    struct Parameters<'a> {
        model: &'a Option<String>,
        max_output_tokens: Option<u32>,
        temperature: Option<f64>,
        tool_choice: &'a ClientToolChoice,
        write_content: bool,
    }
    #[derive(Debug)]
    #[expect(dead_code, reason = "they are shown")]
    enum Message<'a> {
        User { content: &'a str },
        Assistant { content: &'a str, tool_calls: &'a [ToolCall] },
        Tool { tool_call_id: &'a str, name: &'a str, content: &'a str, is_error: bool },
    }
    let message = |message: &'_ engross_llm::Message| -> RawText {
        use engross_llm::Message as Given;
        RawText(format!(
            "{:?}",
            match message {
                Given::User { content, .. } => Message::User { content },
                Given::Assistant { content, tool_calls, .. } => Message::Assistant { content, tool_calls },
                Given::Tool { tool_call_id, name, content, is_error, .. } =>
                    Message::Tool { tool_call_id, name, content, is_error: *is_error },
            }
        ))
    };
    let messages: Vec<RawText> = request.messages.iter().map(message).collect();
    let tool = |tool: &'_ super::request::ClientTool| -> String {
        let spec = &tool.spec;
        let spec =
            ToolSpec { name: &spec.name, description: &spec.description, parameters: &spec.parameters };
        format!("{:?}", ClientTool { spec, read_only: tool.read_only })
    };
    let tools: Option<Vec<RawText>> =
        request.tools.as_ref().map(|tools| tools.iter().map(|each| RawText(tool(each))).collect());
    let asked = &request.parameters;
    let parameters = Parameters {
        model: &asked.model,
        max_output_tokens: asked.max_output_tokens,
        temperature: asked.temperature,
        tool_choice: &asked.tool_choice,
        write_content: asked.write_content,
    };
    let mut content = format!("{:?}", (&request.key, &request.system, messages, tools, parameters));
    if let Some(after) = &request.after {
        content.push_str(&format!("{after:?}"));
    }
    if !asked.options.is_empty() {
        content.push_str(&format!("{:?}", asked.options));
    }
    for tool in request.tools.iter().flatten() {
        if tool.idempotent || tool.spec.strict.is_some() {
            content.push_str(&format!("{:?}", (&tool.spec.name, tool.idempotent, tool.spec.strict)));
        }
    }
    for (at, message) in request.messages.iter().enumerate() {
        if !message.attachments().is_empty() {
            let carried = serde_json::to_string(message.attachments()).unwrap_or_default();
            content.push_str(&format!("{:?}", (at, hex::encode(Sha256::digest(carried.as_bytes())))));
        }
    }
    content
}

/// Text that is shown as it is.
struct RawText(String);

impl std::fmt::Debug for RawText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Serialize, Deserialize)]
struct ClaimValue {
    answer: u64,
    digest: String,
}

impl KeyClaim {
    /// The claim of a request, if it has a key.
    pub(super) fn of(request: &TurnRequest) -> Result<Option<Self>, RequestError> {
        let Some(key) = &request.idempotency_key else { return Ok(None) };
        let name = Name::new(format!("once\u{1}{}\u{1}{key}", request.principal)).map_err(|error| {
            RequestError::of(
                codes::IDEMPOTENCY_KEY_INVALID,
                format!("the idempotency key cannot be used: {error}"),
            )
        })?;
        let content = content(request);
        let digest = hex::encode(Sha256::digest(content.as_bytes()));
        Ok(Some(Self { name, digest }))
    }

    /// The row that leads from the key to its answer.
    pub(super) fn name(&self, answer: u64) -> (Name, Vec<u8>) {
        let value = ClaimValue { answer, digest: self.digest.clone() };
        (self.name.clone(), serde_json::to_vec(&value).unwrap_or_default())
    }

    /// The answer that a row leads to.
    pub(super) fn answer(&self, row: &[u8]) -> Result<u64, RequestError> {
        let value: Option<ClaimValue> = serde_json::from_slice(row).ok();
        match value {
            Some(value) if value.digest == self.digest => Ok(value.answer),
            _ => Err(RequestError::of(
                shared::IDEMPOTENCY_KEY_REUSED,
                "this idempotency key belongs to another request; use a new key for a new request",
            )),
        }
    }
}
