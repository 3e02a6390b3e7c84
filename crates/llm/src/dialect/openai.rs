//! Chat completions: OpenAI, Ollama and everything compatible.
//!
//! An answer ends with a `finish_reason`; `[DONE]` after it only closes the stream, and some servers leave it out.

use std::collections::VecDeque;

use serde::Deserialize;
use serde_json::{Value, json};

use super::calls::Calls;
use super::{Decoder, Dialect, MessagePart, Progress, arguments_object, message_parts, parse, reported};
use crate::http::Endpoint;
use crate::options::{self, Provider};
use crate::{
    AttachmentKind, AttachmentSource, Error, Event, FinishReason, Message, MessageAttachment, Request,
    Source, Thought, ThoughtForm, ToolCall, ToolChoice, ToolSpec, Usage,
};

/// What servers call the reasoning in an answer. It goes back under the same name.
pub(crate) const REASONING_FIELDS: [&str; 3] = ["reasoning_content", "reasoning", DETAILS];

/// The field of a list of reasoning.
const DETAILS: &str = "reasoning_details";

/// What of an item of such a list comes in pieces.
const PIECES: [&str; 3] = ["text", "summary", "data"];

/// Chat completions with the model `name`.
pub(crate) struct OpenAi {
    /// The provider's name for the model.
    pub(crate) name: String,
    /// How the length of the answer is limited.
    pub(crate) token_limit: TokenLimit,
}

/// The field that limits an answer's length.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TokenLimit {
    /// `max_completion_tokens`: OpenAI, whose newer models refuse the other.
    MaxCompletionTokens,
    /// `max_tokens`: everyone else.
    MaxTokens,
}

impl Dialect for OpenAi {
    fn body(&self, request: &Request) -> Value {
        let mut messages = Vec::new();
        if !request.system.is_empty() {
            messages.push(json!({"role": "system", "content": request.system}));
        }
        self.tell(request, &mut messages);
        let mut body = json!({
            "model": self.name, "messages": messages, "stream": true, "stream_options": {"include_usage": true},
        });
        if !request.tools.is_empty() {
            let tool = |tool: &ToolSpec| match tool.is_free_text() {
                true => {
                    json!({"type": "custom", "custom": {"name": tool.name, "description": tool.description}})
                }
                false => {
                    let mut function = json!({
                        "name": tool.name, "description": tool.description, "parameters": tool.parameters,
                    });
                    if let Some(strict) = tool.strict {
                        function["strict"] = json!(strict);
                    }
                    json!({"type": "function", "function": function})
                }
            };
            body["tools"] = request.tools.iter().map(tool).collect();
            match &request.tool_choice {
                ToolChoice::Auto => {}
                ToolChoice::Required => body["tool_choice"] = json!("required"),
                ToolChoice::Named(name) if is_free_text(request, name) => {
                    body["tool_choice"] = json!({"type": "custom", "custom": {"name": name}});
                }
                ToolChoice::Named(name) => {
                    body["tool_choice"] = json!({"type": "function", "function": {"name": name}});
                }
            }
        }
        if let Some(limit) = request.max_output_tokens {
            let field = match self.token_limit {
                TokenLimit::MaxCompletionTokens => "max_completion_tokens",
                TokenLimit::MaxTokens => "max_tokens",
            };
            body[field] = json!(limit);
        }
        // Elsewhere such models search without being asked.
        if request.web_search && matches!(self.token_limit, TokenLimit::MaxCompletionTokens) {
            body["web_search_options"] = json!({});
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = json!(temperature);
        }
        options::write(&request.options, self.provider(), &mut body);
        if request.tools.is_empty()
            && let Some(body) = body.as_object_mut()
        {
            body.remove("parallel_tool_calls");
        }
        body
    }

    fn provider(&self) -> Provider {
        match self.token_limit {
            TokenLimit::MaxCompletionTokens => Provider::OpenAi,
            TokenLimit::MaxTokens => Provider::Compatible,
        }
    }

    /// Chat completions search with models made for it only: `gpt-5-search-api`, `gpt-4o-search-preview`, `…:online`.
    fn searches(&self) -> bool {
        self.name.contains("-search-") || self.name.ends_with(":online")
    }

    fn decoder(&self, request: &Request) -> Box<dyn Decoder> {
        Box::new(ChunkDecoder {
            calls: Calls::new(request),
            by: self.name.clone(),
            reasoning: Vec::new(),
            details: Vec::new(),
            texts: Vec::new(),
            finish: None,
        })
    }
}

impl OpenAi {
    /// Whether a thought goes back. OpenAI itself knows no such fields, so that it has not given it.
    fn takes_back(&self, thought: &Thought) -> bool {
        let is_compatible = matches!(self.token_limit, TokenLimit::MaxTokens);
        thought.is_for(&self.name) && (is_compatible || !thought.by.is_empty())
    }

    /// The conversation. Results of calls hold text alone here: what they carry beside it comes as a message behind them.
    fn tell(&self, request: &Request, messages: &mut Vec<Value>) {
        let mut carried = Vec::new();
        for each in &request.messages {
            if !matches!(each, Message::Tool { .. }) {
                carry(&mut carried, messages);
            }
            let mut told = message(each, request);
            match each {
                Message::Tool { name, attachments, .. } if !attachments.is_empty() => {
                    carried.push(json!({"type": "text", "text": format!("From the result of {name}:")}));
                    carried.extend(attachments.iter().map(attachment_part));
                }
                Message::Assistant { thoughts, .. } => {
                    for thought in thoughts.iter().filter(|thought| self.takes_back(thought)) {
                        match &thought.form {
                            ThoughtForm::Plain { field, text } => told[field] = json!(text),
                            ThoughtForm::Details { items } => told[DETAILS] = json!(items),
                            ThoughtForm::Signed { .. } | ThoughtForm::Sealed { .. } => {}
                        }
                    }
                }
                _ => {}
            }
            messages.push(told);
        }
        carry(&mut carried, messages);
    }
}

fn carry(carried: &mut Vec<Value>, messages: &mut Vec<Value>) {
    if !carried.is_empty() {
        messages.push(json!({"role": "user", "content": std::mem::take(carried)}));
    }
}

fn attachment_part(attachment: &MessageAttachment) -> Value {
    let url = || match &attachment.source {
        AttachmentSource::Inline { media_type, data } => format!("data:{media_type};base64,{data}"),
        AttachmentSource::Url(url) => url.clone(),
    };
    match (attachment.kind, &attachment.source) {
        (AttachmentKind::Sound, AttachmentSource::Inline { media_type, data }) => {
            let format = if media_type == "audio/wav" { "wav" } else { "mp3" };
            json!({"type": "input_audio", "input_audio": {"data": &**data, "format": format}})
        }
        (AttachmentKind::Pdf, _) => {
            let name = attachment.name.as_deref().unwrap_or("file.pdf");
            json!({"type": "file", "file": {"filename": name, "file_data": url()}})
        }
        (AttachmentKind::Picture | AttachmentKind::Sound, _) => {
            let mut picture = json!({"url": url()});
            if let Some(detail) = &attachment.detail {
                picture["detail"] = json!(detail);
            }
            json!({"type": "image_url", "image_url": picture})
        }
    }
}

/// Whether the tool of that name takes free text.
fn is_free_text(request: &Request, name: &str) -> bool {
    request.tools.iter().any(|tool| tool.name == name && tool.is_free_text())
}

fn message(message: &Message, request: &Request) -> Value {
    match message {
        Message::User { content, attachments } if attachments.is_empty() => {
            json!({"role": "user", "content": content})
        }
        Message::User { content, attachments } => {
            let part = |part| match part {
                MessagePart::Text(text) => json!({"type": "text", "text": text}),
                MessagePart::Attachment(attachment) => attachment_part(attachment),
            };
            let parts: Vec<Value> = message_parts(content, attachments).into_iter().map(part).collect();
            json!({"role": "user", "content": parts})
        }
        Message::Assistant { content, tool_calls, .. } if tool_calls.is_empty() => {
            json!({"role": "assistant", "content": content})
        }
        Message::Assistant { content, tool_calls, .. } => {
            let content = if content.is_empty() { Value::Null } else { json!(content) };
            let calls: Vec<Value> = tool_calls.iter().map(|each| call(each, request)).collect();
            json!({"role": "assistant", "content": content, "tool_calls": calls})
        }
        Message::Tool { tool_call_id, content, .. } => {
            json!({"role": "tool", "tool_call_id": tool_call_id, "content": content})
        }
    }
}

fn call(call: &ToolCall, request: &Request) -> Value {
    if is_free_text(request, &call.name) {
        let arguments = arguments_object(&call.arguments);
        let input = arguments.get(ToolSpec::INPUT).and_then(Value::as_str).unwrap_or(&call.arguments);
        return json!({"id": call.id, "type": "custom", "custom": {"name": call.name, "input": input}});
    }
    let is_object = serde_json::from_str::<serde_json::Map<String, Value>>(&call.arguments).is_ok();
    let arguments = if is_object {
        call.arguments.clone()
    } else {
        Value::from(arguments_object(&call.arguments)).to_string()
    };
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

#[derive(Deserialize)]
struct Chunk {
    choices: Option<Vec<Choice>>,
    usage: Option<TokenCounts>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    delta: Option<Delta>,
    logprobs: Option<Likelihoods>,
    finish_reason: Option<String>,
}

/// How likely the text of a chunk was.
#[derive(Deserialize)]
struct Likelihoods {
    content: Option<Vec<Value>>,
    refusal: Option<Vec<Value>>,
}

#[derive(Deserialize)]
struct Delta {
    content: Option<Content>,
    refusal: Option<String>,
    /// DeepSeek and others.
    reasoning_content: Option<String>,
    /// Ollama and others.
    reasoning: Option<String>,
    /// Servers with several models behind them.
    reasoning_details: Option<Vec<Value>>,
    tool_calls: Option<Vec<CallDelta>>,
    annotations: Option<Vec<Annotation>>,
}

#[derive(Deserialize)]
struct Annotation {
    url_citation: Option<UrlCitation>,
}

#[derive(Deserialize)]
struct UrlCitation {
    url: String,
    title: Option<String>,
}

/// Text, or as some servers have it, a list of parts.
#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
struct Part {
    text: Option<String>,
}

#[derive(Deserialize)]
struct CallDelta {
    #[serde(default)]
    index: u64,
    id: Option<String>,
    function: Option<FunctionDelta>,
    custom: Option<CustomDelta>,
}

/// A call of a tool that takes free text.
#[derive(Deserialize)]
struct CustomDelta {
    name: Option<String>,
    input: Option<String>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    /// A piece of JSON text; an object from servers that do not stream it.
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct TokenCounts {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

struct ChunkDecoder {
    calls: Calls,
    /// The model's name.
    by: String,
    /// The reasoning so far, by the server's name for it.
    reasoning: Vec<(&'static str, String)>,
    /// The items of `reasoning_details` so far.
    details: Vec<Value>,
    /// The provider's numbers of the calls whose text is put into JSON here; it is still open.
    texts: Vec<u64>,
    finish: Option<FinishReason>,
}

impl Decoder for ChunkDecoder {
    fn decode(
        &mut self,
        name: &str,
        data: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<Progress, Error> {
        if data.trim() == "[DONE]" {
            return Ok(Progress::Done);
        }
        if name == "error" {
            return Err(reported(&parse(data, from)?, from));
        }
        let chunk: Chunk = parse(data, from)?;
        if let Some(error) = chunk.error {
            return Err(reported(&error, from));
        }
        for choice in chunk.choices.unwrap_or_default().into_iter().filter(|choice| choice.index == 0) {
            if let Some(delta) = choice.delta {
                self.delta(delta, from, events)?;
            }
            if let Some(Likelihoods { content, refusal }) = choice.logprobs {
                let tokens: Vec<Value> =
                    content.into_iter().flatten().chain(refusal.into_iter().flatten()).collect();
                if !tokens.is_empty() {
                    events.push_back(Event::Likelihoods(tokens));
                }
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                self.finish = Some(finish_reason(&reason, from)?);
            }
        }
        if let Some(TokenCounts { prompt_tokens, completion_tokens }) = chunk.usage {
            events.push_back(Event::Usage(Usage {
                input_tokens: prompt_tokens,
                output_tokens: completion_tokens,
            }));
        }
        Ok(Progress::More)
    }

    fn end(&mut self, events: &mut VecDeque<Event>) -> Option<FinishReason> {
        let finish = self.finish?;
        // What was cut off stays open: nobody may take it for all of the text.
        if !finish.is_cut() {
            self.texts.drain(..).for_each(|number| self.calls.argument_end(number, events));
        }
        self.calls.end(events);
        let (reasoning, items) = (std::mem::take(&mut self.reasoning), std::mem::take(&mut self.details));
        let plain = |(field, text): (&str, String)| ThoughtForm::Plain { field: field.to_owned(), text };
        // The list holds what the text beside it says.
        let forms: Vec<ThoughtForm> = match items.is_empty() {
            true => reasoning.into_iter().map(plain).collect(),
            false => vec![ThoughtForm::Details { items }],
        };
        for form in forms.into_iter().filter(|_| !self.calls.is_empty()) {
            events.push_back(Event::Thought(Thought { by: self.by.clone(), form }));
        }
        let wants_tools = finish == FinishReason::Stop && !self.calls.is_empty();
        Some(if wants_tools { FinishReason::ToolCalls } else { finish })
    }
}

impl ChunkDecoder {
    fn delta(&mut self, delta: Delta, from: &Endpoint, events: &mut VecDeque<Event>) -> Result<(), Error> {
        // Some servers send the same under both names.
        let content = delta.reasoning_content.map(|text| (REASONING_FIELDS[0], text));
        let mut reasoning = content.or_else(|| delta.reasoning.map(|text| (REASONING_FIELDS[1], text)));
        for item in delta.reasoning_details.unwrap_or_default() {
            let readable = item["text"].as_str().or(item["summary"].as_str());
            if let (None, Some(text)) = (&reasoning, readable) {
                reasoning = Some((DETAILS, text.to_owned()));
            }
            add_detail(&mut self.details, item);
        }
        if let Some((field, text)) = reasoning.filter(|(_, text)| !text.is_empty()) {
            match self.reasoning.iter_mut().find(|(known, _)| *known == field) {
                Some((_, whole)) => whole.push_str(&text),
                None if field == DETAILS => {}
                None => self.reasoning.push((field, text.clone())),
            }
            events.push_back(Event::Reasoning(text));
        }
        let texts = match delta.content {
            None => Vec::new(),
            Some(Content::Text(text)) => vec![text],
            Some(Content::Parts(parts)) => parts.into_iter().filter_map(|part| part.text).collect(),
        };
        let texts = texts.into_iter().chain(delta.refusal).filter(|text| !text.is_empty());
        events.extend(texts.map(Event::Text));
        let cited = delta.annotations.unwrap_or_default().into_iter().filter_map(|note| note.url_citation);
        events.extend(cited.map(|UrlCitation { url, title }| {
            Event::Source(Source { url, title: title.unwrap_or_default(), quote: None })
        }));
        for call in delta.tool_calls.unwrap_or_default() {
            let id = call.id.unwrap_or_default();
            if let Some(custom) = call.custom {
                self.text(call.index, &id, custom, from, events)?;
                continue;
            }
            let Some(function) = call.function else { continue };
            // Some servers give every call the index 0, and only their ids tell them apart.
            if !self.calls.continues(call.index, &id) {
                self.calls.start(call.index, &id, &function.name.unwrap_or_default(), from, events)?;
            }
            match function.arguments {
                None | Some(Value::Null) => {}
                Some(Value::String(delta)) => self.calls.arguments(call.index, &delta, from, events)?,
                Some(whole) => self.calls.arguments(call.index, &whole.to_string(), from, events)?,
            }
        }
        Ok(())
    }

    /// A piece of a call that is free text: it goes on as the one argument of a call in JSON.
    fn text(
        &mut self,
        number: u64,
        id: &str,
        custom: CustomDelta,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Error> {
        if !self.calls.continues(number, id) {
            self.calls.start(number, id, &custom.name.unwrap_or_default(), from, events)?;
            self.calls.arguments(number, &format!("{{\"{}\":\"", ToolSpec::INPUT), from, events)?;
            self.texts.push(number);
        }
        let escaped = Value::from(custom.input.unwrap_or_default()).to_string();
        let inner = escaped.strip_prefix('"').and_then(|escaped| escaped.strip_suffix('"'));
        self.calls.arguments(number, inner.unwrap_or_default(), from, events)
    }
}

/// Adds a piece to the list of reasoning: pieces of one item have its number and type.
fn add_detail(items: &mut Vec<Value>, piece: Value) {
    let goes_on = |item: &&mut Value| {
        !piece["index"].is_null() && item["index"] == piece["index"] && item["type"] == piece["type"]
    };
    let Some(item) = items.last_mut().filter(goes_on) else { return items.push(piece) };
    let Value::Object(fields) = piece else { return };
    for (name, value) in fields {
        match (&mut item[&name], value) {
            (_, Value::Null) => {}
            (Value::String(whole), Value::String(more)) if PIECES.contains(&name.as_str()) => {
                whole.push_str(&more);
            }
            (known, value) => *known = value,
        }
    }
}

fn finish_reason(reason: &str, from: &Endpoint) -> Result<FinishReason, Error> {
    match reason {
        "stop" | "eos" | "eos_token" | "stop_sequence" | "end_turn" | "complete" | "COMPLETE" | "STOP" => {
            Ok(FinishReason::Stop)
        }
        "tool_calls" | "function_call" | "tool_use" => Ok(FinishReason::ToolCalls),
        "length" | "max_tokens" | "model_length" | "MAX_TOKENS" => Ok(FinishReason::Length),
        "content_filter" | "safety" | "refusal" => Ok(FinishReason::ContentFilter),
        "recitation" | "RECITATION" => Ok(FinishReason::Recitation),
        "error" => Err(from.protocol("it stopped for a reason that is not known: error")),
        _ => Ok(FinishReason::Other),
    }
}
