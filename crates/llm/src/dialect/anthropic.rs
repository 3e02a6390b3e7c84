//! Anthropic's Messages.
//!
//! An answer ends with `message_stop`, its reason coming in the `message_delta` before it.

use std::collections::{HashSet, VecDeque};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::{Decoder, Dialect, Progress, arguments_object, parse, reported};
use crate::http::Endpoint;
use crate::options::{self, Provider};
use crate::{Error, Event, FinishReason, Message, Request, Source, ToolCall, ToolChoice, Usage};

/// The provider wants a limit on every request. All its models since 2025 allow this many.
const DEFAULT_MAX_TOKENS: u32 = 16_000;

/// The provider's own search of the web, in the version that all its models since 2025 have.
const WEB_SEARCH: &str = "web_search_20250305";

/// How often it may search for one answer.
const SEARCHES: u32 = 8;

/// Messages with the model `name`.
pub(crate) struct Anthropic {
    /// The provider's name for the model.
    pub(crate) name: String,
}

impl Dialect for Anthropic {
    fn body(&self, request: &Request) -> Value {
        let mut body = json!({
            "model": self.name,
            "max_tokens": request.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
            "messages": messages(&request.messages),
            "stream": true,
        });
        if !request.system.trim().is_empty() {
            body["system"] = json!(request.system);
        }
        let mut tools = request.tools.iter().filter(|tool| !tool.is_free_text()).peekable();
        if tools.peek().is_some() {
            let tool = |tool: &crate::ToolSpec| {
                let mut offer = json!({"name": tool.name, "description": tool.description, "input_schema": tool.parameters});
                if tool.strict == Some(true) {
                    offer["strict"] = json!(true);
                }
                offer
            };
            body["tools"] = tools.map(tool).collect();
            match &request.tool_choice {
                ToolChoice::Auto => {}
                ToolChoice::Required => body["tool_choice"] = json!({"type": "any"}),
                ToolChoice::Named(name) => body["tool_choice"] = json!({"type": "tool", "name": name}),
            }
        }
        if request.web_search {
            body["tools"] = json!([{"type": WEB_SEARCH, "name": "web_search", "max_uses": SEARCHES}]);
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = json!(temperature);
        }
        options::write(&request.options, Provider::Anthropic, &mut body);
        let has_tools = body.get("tools").is_some();
        if let Some(fields) = body.as_object_mut() {
            match fields.get_mut("tool_choice") {
                Some(choice) if has_tools && choice["type"].is_null() => choice["type"] = json!("auto"),
                Some(_) if !has_tools => drop(fields.remove("tool_choice")),
                _ => {}
            }
        }
        body
    }

    fn provider(&self) -> Provider {
        Provider::Anthropic
    }

    fn searches(&self) -> bool {
        true
    }

    fn decoder(&self, request: &Request) -> Box<dyn Decoder> {
        Box::new(EventDecoder {
            calls: Calls::new(request),
            own_tools: HashSet::new(),
            usage: Usage::default(),
            finish: None,
            is_stopped: false,
        })
    }
}

/// Neighbours of one role become one message: all results of a round of calls must stand together in the next one.
fn messages(conversation: &[Message]) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in conversation {
        let (role, blocks) = blocks(message);
        match messages.last_mut() {
            Some((last, all)) if *last == role => all.extend(blocks),
            _ if blocks.is_empty() => {}
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn blocks(message: &Message) -> (&'static str, Vec<Value>) {
    match message {
        Message::User { content } => ("user", text_block(content)),
        Message::Assistant { content, tool_calls } => {
            let mut blocks = text_block(content);
            blocks.extend(tool_calls.iter().map(|ToolCall { id, name, arguments }| {
                json!({"type": "tool_use", "id": wire_id(id), "name": name, "input": arguments_object(arguments)})
            }));
            ("assistant", blocks)
        }
        Message::Tool { tool_call_id, content, is_error, .. } => {
            let mut result =
                json!({"type": "tool_result", "tool_use_id": wire_id(tool_call_id), "content": content});
            if *is_error {
                result["is_error"] = json!(true);
            }
            ("user", vec![result])
        }
    }
}

/// Ids that come from elsewhere may hold characters that this provider refuses.
fn wire_id(id: &str) -> String {
    id.replace(|character: char| !character.is_ascii_alphanumeric() && !matches!(character, '_' | '-'), "_")
}

/// Blank text is refused by the provider, and says nothing.
fn text_block(text: &str) -> Vec<Value> {
    if text.trim().is_empty() { Vec::new() } else { vec![json!({"type": "text", "text": text})] }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Piece {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<TokenCounts>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// `ping`, `content_block_stop`, and what may be added some day.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageStart {
    usage: Option<TokenCounts>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Map<String, Value>,
    },
    /// A call of a tool of the provider's own, which it carries out by itself.
    ServerToolUse,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    CitationsDelta {
        citation: Citation,
    },
    /// Signatures.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Citation {
    WebSearchResultLocation {
        url: String,
        title: Option<String>,
        cited_text: Option<String>,
    },
    /// Of documents that were sent along, which none are.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageDelta {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct TokenCounts {
    input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

struct EventDecoder {
    calls: Calls,
    /// Numbers of the blocks in which the provider calls its own tools.
    own_tools: HashSet<u64>,
    usage: Usage,
    finish: Option<FinishReason>,
    is_stopped: bool,
}

impl Decoder for EventDecoder {
    fn decode(
        &mut self,
        _name: &str,
        data: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<Progress, Error> {
        match parse(data, from)? {
            Piece::MessageStart { message } => self.count(message.usage),
            Piece::ContentBlockStart { index, content_block } => match content_block {
                Block::Text { text } => push(events, text, Event::Text),
                Block::Thinking { thinking } => push(events, thinking, Event::Reasoning),
                Block::ToolUse { id, name, input } => {
                    self.calls.start(index, &id, &name, from, events)?;
                    // Empty as a rule, the arguments coming in deltas.
                    if !input.is_empty() {
                        self.calls.arguments(index, &Value::from(input).to_string(), from, events)?;
                    }
                }
                Block::ServerToolUse => {
                    self.own_tools.insert(index);
                }
                Block::Other => {}
            },
            Piece::ContentBlockDelta { index, delta } => match delta {
                BlockDelta::TextDelta { text } => push(events, text, Event::Text),
                BlockDelta::ThinkingDelta { thinking } => push(events, thinking, Event::Reasoning),
                BlockDelta::CitationsDelta {
                    citation: Citation::WebSearchResultLocation { url, title, cited_text },
                } => events.push_back(Event::Source(Source {
                    url,
                    title: title.unwrap_or_default(),
                    quote: cited_text,
                })),
                BlockDelta::CitationsDelta { citation: Citation::Other } => {}
                BlockDelta::InputJsonDelta { .. } if self.own_tools.contains(&index) => {}
                BlockDelta::InputJsonDelta { partial_json } => {
                    self.calls.arguments(index, &partial_json, from, events)?;
                }
                BlockDelta::Other => {}
            },
            Piece::MessageDelta { delta, usage } => {
                if let Some(reason) = delta.stop_reason {
                    self.finish = Some(finish_reason(&reason));
                }
                if usage.is_some() {
                    self.count(usage);
                    events.push_back(Event::Usage(self.usage));
                }
            }
            Piece::MessageStop => {
                self.is_stopped = true;
                return Ok(Progress::Done);
            }
            Piece::Error { error } => return Err(reported(&error, from)),
            Piece::Other => {}
        }
        Ok(Progress::More)
    }

    fn end(&mut self, events: &mut VecDeque<Event>) -> Option<FinishReason> {
        let finish = self.finish.filter(|_| self.is_stopped)?;
        self.calls.end(events);
        Some(finish)
    }
}

impl EventDecoder {
    fn count(&mut self, counts: Option<TokenCounts>) {
        let Some(counts) = counts else { return };
        if let Some(input) = counts.input_tokens {
            self.usage.input_tokens = input
                .saturating_add(counts.cache_creation_input_tokens.unwrap_or_default())
                .saturating_add(counts.cache_read_input_tokens.unwrap_or_default());
        }
        if let Some(output) = counts.output_tokens {
            self.usage.output_tokens = output;
        }
    }
}

fn push(events: &mut VecDeque<Event>, text: String, event: fn(String) -> Event) {
    if !text.is_empty() {
        events.push_back(event(text));
    }
}

fn finish_reason(reason: &str) -> FinishReason {
    match reason {
        "end_turn" | "stop_sequence" => FinishReason::Stop,
        "tool_use" => FinishReason::ToolCalls,
        // A long search, or a long turn, is broken off: the rest has to be asked for.
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => FinishReason::Length,
        "refusal" => FinishReason::ContentFilter,
        _ => FinishReason::Other,
    }
}
