//! Anthropic's Messages.
//!
//! An answer ends with `message_stop`, its reason coming in the `message_delta` before it.

use std::collections::{BTreeMap, HashSet, VecDeque};

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::{Decoder, Dialect, MessagePart, Progress, arguments_object, message_parts, parse, reported};
use crate::http::Endpoint;
use crate::options::{self, Provider};
use crate::{
    AttachmentKind, AttachmentSource, Error, Event, FinishReason, Message, MessageAttachment, Request,
    Source, Thought, ThoughtForm, ToolCall, ToolChoice, Usage,
};

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
            "messages": self.messages(&request.messages),
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
            // A model that is to think must see what it thought before the calls whose results it is given. Where that is
            // lost, the provider refuses the whole conversation: it goes on without thinking.
            let thinks = fields.get("thinking").is_some_and(|thinking| thinking["type"] == "enabled");
            if thinks && self.has_lost_thoughts(&request.messages) {
                fields.remove("thinking");
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
            by: self.name.clone(),
            thinking: BTreeMap::new(),
            own_tools: HashSet::new(),
            usage: Usage::default(),
            finish: None,
            is_stopped: false,
        })
    }
}

impl Anthropic {
    /// Neighbours of one role become one message: all results of a round of calls must stand together in the next one.
    fn messages(&self, conversation: &[Message]) -> Vec<Value> {
        let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
        for message in conversation {
            let (role, blocks) = self.blocks(message);
            match messages.last_mut() {
                Some((last, all)) if *last == role => all.extend(blocks),
                _ if blocks.is_empty() => {}
                _ => messages.push((role, blocks)),
            }
        }
        messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
    }

    /// What of a message's reasoning this model is given back.
    fn own_thoughts<'a>(&self, thoughts: &'a [Thought]) -> impl Iterator<Item = Value> + 'a {
        let by = self.name.clone();
        thoughts.iter().filter(move |thought| thought.by == by).filter_map(|thought| match &thought.form {
            ThoughtForm::Signed { text, signature } => {
                Some(json!({"type": "thinking", "thinking": text, "signature": signature}))
            }
            ThoughtForm::Sealed { data } => Some(json!({"type": "redacted_thinking", "data": data})),
            ThoughtForm::Plain { .. } | ThoughtForm::Details { .. } => None,
        })
    }

    /// Whether the calls that the model is to go on with came without their reasoning.
    fn has_lost_thoughts(&self, conversation: &[Message]) -> bool {
        let last = conversation.iter().rev().find_map(|message| match message {
            Message::Assistant { tool_calls, thoughts, .. } => Some((tool_calls, thoughts)),
            _ => None,
        });
        last.is_some_and(|(calls, thoughts)| {
            !calls.is_empty() && self.own_thoughts(thoughts).next().is_none()
        })
    }

    fn blocks(&self, message: &Message) -> (&'static str, Vec<Value>) {
        match message {
            Message::User { content, attachments } => ("user", part_blocks(content, attachments)),
            Message::Assistant { content, tool_calls, thoughts } => {
                let mut blocks: Vec<Value> = self.own_thoughts(thoughts).collect();
                blocks.extend(text_block(content));
                blocks.extend(tool_calls.iter().map(|ToolCall { id, name, arguments }| {
                json!({"type": "tool_use", "id": wire_id(id), "name": name, "input": arguments_object(arguments)})
            }));
                ("assistant", blocks)
            }
            Message::Tool { tool_call_id, content, is_error, attachments, .. } => {
                let content = match attachments.is_empty() {
                    true => json!(content),
                    false => json!(part_blocks(content, attachments)),
                };
                let mut result =
                    json!({"type": "tool_result", "tool_use_id": wire_id(tool_call_id), "content": content});
                if *is_error {
                    result["is_error"] = json!(true);
                }
                ("user", vec![result])
            }
        }
    }
}

/// Text, pictures and files in their order.
fn part_blocks(content: &str, attachments: &[MessageAttachment]) -> Vec<Value> {
    let block = |part| match part {
        MessagePart::Text(text) => Some(json!({"type": "text", "text": text})),
        MessagePart::Attachment(attachment) => attachment_block(attachment),
    };
    message_parts(content, attachments).into_iter().filter_map(block).collect()
}

fn attachment_block(attachment: &MessageAttachment) -> Option<Value> {
    let source = match &attachment.source {
        AttachmentSource::Inline { media_type, data } => {
            json!({"type": "base64", "media_type": media_type, "data": &**data})
        }
        AttachmentSource::Url(url) => json!({"type": "url", "url": url}),
    };
    match attachment.kind {
        AttachmentKind::Picture => Some(json!({"type": "image", "source": source})),
        AttachmentKind::Pdf => {
            let mut block = json!({"type": "document", "source": source});
            if let Some(name) = &attachment.name {
                block["title"] = json!(name);
            }
            Some(block)
        }
        AttachmentKind::Sound => None,
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
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: MessageDelta,
        usage: Option<TokenCounts>,
    },
    MessageStop,
    Error {
        error: Value,
    },
    /// `ping`, and what may be added some day.
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
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
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
    SignatureDelta {
        signature: String,
    },
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
    /// The model's name.
    by: String,
    /// Reasoning on its way, by the number of its block: text and signature.
    thinking: BTreeMap<u64, (String, String)>,
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
                Block::Thinking { thinking, signature } => {
                    self.thinking.insert(index, (thinking.clone(), signature));
                    push(events, thinking, Event::Reasoning);
                }
                Block::RedactedThinking { data } => self.thought(ThoughtForm::Sealed { data }, events),
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
                BlockDelta::ThinkingDelta { thinking } => {
                    if let Some((text, _)) = self.thinking.get_mut(&index) {
                        text.push_str(&thinking);
                    }
                    push(events, thinking, Event::Reasoning);
                }
                BlockDelta::SignatureDelta { signature } => {
                    if let Some((_, whole)) = self.thinking.get_mut(&index) {
                        whole.push_str(&signature);
                    }
                }
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
            Piece::ContentBlockStop { index } => {
                // Without a signature the provider would refuse it.
                if let Some((text, signature)) =
                    self.thinking.remove(&index).filter(|(_, signed)| !signed.is_empty())
                {
                    self.thought(ThoughtForm::Signed { text, signature }, events);
                }
            }
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
    fn thought(&self, form: ThoughtForm, events: &mut VecDeque<Event>) {
        events.push_back(Event::Thought(Thought { by: self.by.clone(), form }));
    }

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
