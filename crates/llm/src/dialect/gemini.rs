//! Gemini's `streamGenerateContent`.
//!
//! An answer ends with a `finishReason`; the stream has no terminator of its own. Calls come whole.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::{Decoder, Dialect, MessagePart, Progress, arguments_object, message_parts, parse, reported};
use crate::http::Endpoint;
use crate::options::{self, Provider};
use crate::{
    AttachmentSource, Error, Event, FinishReason, Message, MessageAttachment, Request, Source, ToolCall,
    ToolChoice, Usage,
};

/// How many signatures are kept: more calls than a turn may make.
const SIGNATURES: usize = 512;

/// What the provider accepts in place of a signature it gave, for calls that came from elsewhere.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";

/// `streamGenerateContent`; the model's name is part of the URL.
#[derive(Default)]
pub(crate) struct Gemini {
    signatures: Arc<Signatures>,
}

/// The provider signs its calls, and refuses a conversation whose latest calls come back unsigned. The signatures say
/// nothing to anyone else, so they stay here, for as long as this process lives; [`NO_SIGNATURE`] stands in after that.
#[derive(Default)]
struct Signatures(Mutex<VecDeque<(String, String)>>);

impl Dialect for Gemini {
    fn body(&self, request: &Request) -> Value {
        let mut body = json!({"contents": self.contents(&request.messages)});
        if !request.system.is_empty() {
            body["systemInstruction"] = json!({"parts": [{"text": request.system}]});
        }
        let mut tools = request.tools.iter().filter(|tool| !tool.is_free_text()).peekable();
        if tools.peek().is_some() {
            let tool = |tool: &crate::ToolSpec| {
                json!({
                    "name": tool.name,
                    "description": tool.description,
                    // Not `parameters`, which takes only part of JSON Schema.
                    "parametersJsonSchema": tool.parameters,
                })
            };
            let tools: Vec<Value> = tools.map(tool).collect();
            body["tools"] = json!([{"functionDeclarations": tools}]);
            let forced = match &request.tool_choice {
                ToolChoice::Auto => None,
                ToolChoice::Required => Some(json!({"mode": "ANY"})),
                ToolChoice::Named(name) => Some(json!({"mode": "ANY", "allowedFunctionNames": [name]})),
            };
            if let Some(forced) = forced {
                body["toolConfig"] = json!({"functionCallingConfig": forced});
            }
        }
        if request.web_search {
            body["tools"] = json!([{"googleSearch": {}}]);
        }
        let mut config = Map::new();
        if let Some(limit) = request.max_output_tokens {
            config.insert("maxOutputTokens".to_owned(), json!(limit));
        }
        if let Some(temperature) = request.temperature {
            config.insert("temperature".to_owned(), json!(temperature));
        }
        if !config.is_empty() {
            body["generationConfig"] = Value::Object(config);
        }
        options::write(&request.options, Provider::Gemini, &mut body);
        body
    }

    fn provider(&self) -> Provider {
        Provider::Gemini
    }

    fn searches(&self) -> bool {
        true
    }

    fn decoder(&self, request: &Request) -> Box<dyn Decoder> {
        Box::new(ResponseDecoder {
            signatures: Arc::clone(&self.signatures),
            calls: Calls::new(request),
            finish: None,
        })
    }
}

impl Gemini {
    /// Neighbours of one role become one content: all results of a round of calls must stand together.
    fn contents(&self, conversation: &[Message]) -> Vec<Value> {
        let mut contents: Vec<(&str, Vec<Value>)> = Vec::new();
        for message in conversation {
            let (role, parts) = self.parts(message);
            match contents.last_mut() {
                Some((last, all)) if *last == role => all.extend(parts),
                _ if parts.is_empty() => {}
                _ => contents.push((role, parts)),
            }
        }
        contents.into_iter().map(|(role, parts)| json!({"role": role, "parts": parts})).collect()
    }

    fn parts(&self, message: &Message) -> (&'static str, Vec<Value>) {
        match message {
            Message::User { content, attachments } => ("user", user_parts(content, attachments)),
            Message::Assistant { content, tool_calls, .. } => {
                let mut parts = text_part(content);
                parts.extend(tool_calls.iter().enumerate().map(|(index, call)| self.call_part(index, call)));
                ("model", parts)
            }
            Message::Tool { tool_call_id, name, content, is_error, attachments } => {
                let field = if *is_error { "error" } else { "output" };
                let response = json!({field: content});
                let result = json!({"id": tool_call_id, "name": name, "response": response});
                let mut parts = vec![json!({"functionResponse": result})];
                parts.extend(attachments.iter().filter_map(inline_part));
                ("user", parts)
            }
        }
    }

    fn call_part(&self, index: usize, call: &ToolCall) -> Value {
        let arguments = arguments_object(&call.arguments);
        let mut part = json!({"functionCall": {"id": call.id, "name": call.name, "args": arguments}});
        // Of calls made at once, only the first is signed.
        let signature =
            self.signatures.get(&call.id).or_else(|| (index == 0).then(|| NO_SIGNATURE.to_owned()));
        if let Some(signature) = signature {
            part["thoughtSignature"] = json!(signature);
        }
        part
    }
}

impl Signatures {
    fn get(&self, id: &str) -> Option<String> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().rfind(|(call, _)| call == id).map(|(_, signature)| signature.clone())
    }

    fn keep(&self, id: String, signature: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= SIGNATURES {
            all.pop_front();
        }
        all.push_back((id, signature));
    }
}

fn user_parts(content: &str, attachments: &[MessageAttachment]) -> Vec<Value> {
    if attachments.is_empty() {
        return text_part(content);
    }
    let part = |part| match part {
        MessagePart::Text(text) => Some(json!({"text": text})),
        MessagePart::Attachment(attachment) => inline_part(attachment),
    };
    message_parts(content, attachments).into_iter().filter_map(part).collect()
}

fn inline_part(attachment: &MessageAttachment) -> Option<Value> {
    match &attachment.source {
        AttachmentSource::Inline { media_type, data } => {
            // The provider's name for MP3.
            let media_type = if media_type == "audio/mpeg" { "audio/mp3" } else { media_type };
            Some(json!({"inlineData": {"mimeType": media_type, "data": &**data}}))
        }
        AttachmentSource::Url(_) => None,
    }
}

fn text_part(text: &str) -> Vec<Value> {
    if text.is_empty() { Vec::new() } else { vec![json!({"text": text})] }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    candidates: Option<Vec<Candidate>>,
    prompt_feedback: Option<PromptFeedback>,
    usage_metadata: Option<TokenCounts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    index: u64,
    content: Option<Content>,
    finish_reason: Option<String>,
    grounding_metadata: Option<Grounding>,
}

/// What an answer of a search rests on.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Grounding {
    #[serde(default)]
    grounding_chunks: Vec<GroundingChunk>,
}

#[derive(Deserialize)]
struct GroundingChunk {
    web: Option<WebPage>,
}

#[derive(Deserialize)]
struct WebPage {
    uri: Option<String>,
    title: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    text: Option<String>,
    #[serde(default)]
    thought: bool,
    function_call: Option<FunctionCall>,
    thought_signature: Option<String>,
}

#[derive(Deserialize)]
struct FunctionCall {
    #[serde(default)]
    id: String,
    name: String,
    args: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptFeedback {
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TokenCounts {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
}

struct ResponseDecoder {
    signatures: Arc<Signatures>,
    calls: Calls,
    finish: Option<FinishReason>,
}

impl Decoder for ResponseDecoder {
    fn decode(
        &mut self,
        _name: &str,
        data: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<Progress, Error> {
        let response: Response = parse(data, from)?;
        if let Some(error) = response.error {
            return Err(reported(&error, from));
        }
        if response.prompt_feedback.and_then(|feedback| feedback.block_reason).is_some() {
            self.finish = Some(FinishReason::ContentFilter);
        }
        for candidate in response.candidates.unwrap_or_default().into_iter().filter(|it| it.index == 0) {
            let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
            for part in parts {
                self.part(part, from, events)?;
            }
            let chunks = candidate.grounding_metadata.map(|grounding| grounding.grounding_chunks);
            for page in chunks.unwrap_or_default().into_iter().filter_map(|chunk| chunk.web) {
                let Some(url) = page.uri else { continue };
                let title = page.title.unwrap_or_default();
                events.push_back(Event::Source(Source { url, title, quote: None }));
            }
            // Some models repeat it with each piece, so it does not end the stream.
            if let Some(reason) = candidate.finish_reason {
                self.finish = Some(finish_reason(&reason));
            }
        }
        if let Some(counts) = response.usage_metadata.filter(|_| self.finish.is_some()) {
            events.push_back(Event::Usage(Usage {
                input_tokens: counts.prompt_token_count,
                output_tokens: counts.candidates_token_count.saturating_add(counts.thoughts_token_count),
            }));
        }
        Ok(Progress::More)
    }

    fn end(&mut self, events: &mut VecDeque<Event>) -> Option<FinishReason> {
        let finish = self.finish?;
        self.calls.end(events);
        let wants_tools = finish == FinishReason::Stop && !self.calls.is_empty();
        Some(if wants_tools { FinishReason::ToolCalls } else { finish })
    }
}

impl ResponseDecoder {
    fn part(&mut self, part: Part, from: &Endpoint, events: &mut VecDeque<Event>) -> Result<(), Error> {
        if let Some(text) = part.text.filter(|text| !text.is_empty()) {
            events.push_back(if part.thought { Event::Reasoning(text) } else { Event::Text(text) });
        }
        let Some(call) = part.function_call else { return Ok(()) };
        let number = self.calls.len();
        let id = self.calls.start(number, &call.id, &call.name, from, events)?;
        if let Some(signature) = part.thought_signature {
            self.signatures.keep(id, signature);
        }
        let arguments = call.args.filter(|arguments| !arguments.is_null());
        match arguments {
            Some(arguments) => self.calls.arguments(number, &arguments.to_string(), from, events),
            None => Ok(()),
        }
    }
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "STOP" => FinishReason::Stop,
        "MAX_TOKENS" => FinishReason::Length,
        "RECITATION" => FinishReason::Recitation,
        "SAFETY" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => FinishReason::ContentFilter,
        // MALFORMED_FUNCTION_CALL, OTHER and their like.
        _ => FinishReason::Other,
    }
}
