//! The conversation of a body: roles, texts, calls and results, whichever route it came by.
//!
//! Must never drop a part without a notice, nor invent an id of a call that the client named.

use std::collections::HashMap;

use engross_agent::session::TurnRequest;
use engross_llm::{Message, MessageAttachment, Thought, ThoughtForm, ToolCall, unseal_thoughts};
use serde_json::Value;

use super::Notice;
use super::attachments;
use super::fields::{self, Object, Path, expected};
use crate::error::Error;

/// The list in which reasoning stands that clients keep and do not read.
pub(super) const REASONING_DETAILS: &str = "reasoning_details";

/// Says of an item of it that it was sealed here.
pub(super) const REASONING_FORMAT: &str = "engross-v1";

/// Most notices that one request can cause; more say nothing new.
const MOST_NOTICES: usize = 20;

/// Most messages of one request.
const MOST_MESSAGES: usize = 16_384;

/// Adds a notice, within the bound.
pub(super) fn note(notices: &mut Vec<Notice>, code: &str, message: impl FnOnce() -> String) {
    if notices.len() < MOST_NOTICES {
        notices.push(Notice::new(code, message()));
    }
}

/// What there is to tell of a conversation, and what it carries beside text, each with its place in the body.
pub(super) type ReadConversation = (Vec<Notice>, Vec<(String, MessageAttachment)>);

/// What a message says: its text, and what it carries beside it.
#[derive(Default)]
pub(super) struct Spoken {
    pub(super) text: String,
    pub(super) attachments: Vec<MessageAttachment>,
}

impl From<String> for Spoken {
    fn from(text: String) -> Self {
        Self { text, attachments: Vec::new() }
    }
}

/// A conversation being read, oldest message first.
#[derive(Default)]
pub(super) struct Conversation {
    system: Vec<String>,
    messages: Vec<Message>,
    /// The tool's name by the id of its call: results often leave it out.
    names: HashMap<String, String>,
    /// What the model thought before the calls that follow.
    thoughts: Vec<Thought>,
    /// The call of the old format that has no result yet: it has no id, so that its result is the next of its tool.
    legacy: Option<ToolCall>,
    /// What messages carry beside text, and where each stands in the body.
    attached: Vec<(String, MessageAttachment)>,
    pub(super) notices: Vec<Notice>,
}

impl Conversation {
    /// Standing instructions; several are joined by a blank line.
    pub(super) fn instruct(&mut self, text: String) {
        if !text.trim().is_empty() {
            self.system.push(text);
        }
    }

    /// What the person says. Where there is nothing to answer, it is left out.
    pub(super) fn user(&mut self, spoken: Spoken, at: Path<'_>) {
        let Spoken { text, attachments } = spoken;
        self.thoughts.clear();
        if text.trim().is_empty() && attachments.is_empty() {
            note(&mut self.notices, "CONTENT_IGNORED", || format!("`{at}` holds no text and was left out."));
        } else {
            self.messages.push(Message::User { content: text, attachments });
        }
    }

    /// What the model said. Neighbouring pieces of one answer may come apart: the wire of responses sends them so.
    pub(super) fn assistant(&mut self, content: String, tool_calls: Vec<ToolCall>) {
        if content.is_empty() && tool_calls.is_empty() {
            return;
        }
        for call in &tool_calls {
            self.names.insert(call.id.clone(), call.name.clone());
        }
        let thoughts = std::mem::take(&mut self.thoughts);
        self.messages.push(Message::Assistant { content, tool_calls, thoughts });
    }

    /// What the model thought, which belongs to what it said next.
    pub(super) fn think(&mut self, thoughts: Vec<Thought>) {
        self.thoughts.extend(thoughts);
    }

    /// A call that belongs to the answer before it, if the last message is one.
    pub(super) fn call(&mut self, call: ToolCall) {
        self.names.insert(call.id.clone(), call.name.clone());
        match self.messages.last_mut() {
            Some(Message::Assistant { tool_calls, thoughts, .. }) => {
                tool_calls.push(call);
                thoughts.append(&mut self.thoughts);
            }
            _ => self.assistant(String::new(), vec![call]),
        }
    }

    /// The result of a call.
    pub(super) fn result(&mut self, id: String, name: Option<String>, spoken: Spoken, is_error: bool) {
        let name = name.or_else(|| self.names.get(&id).cloned()).unwrap_or_default();
        let Spoken { text: content, attachments } = spoken;
        self.messages.push(Message::Tool { tool_call_id: id, name, content, is_error, attachments });
    }

    /// A message of chat completions.
    pub(super) fn chat_message(&mut self, mut message: Object, at: Path<'_>) -> Result<(), Error> {
        let role_at = at.field("role");
        let role = match message.remove("role") {
            Some(Value::String(role)) => role,
            Some(other) => return Err(Error::invalid(role_at, expected("a string", &other))),
            None => return Err(Error::invalid(role_at, "is missing: send system, user, assistant or tool")),
        };
        let content_at = at.field("content");
        let content = self.spoken(fields::take(&mut message, "content"), content_at)?;
        if matches!(role.as_str(), "system" | "developer" | "assistant") && !content.attachments.is_empty() {
            let problem = "carries more than text, which only messages of the user and results of tools can";
            return Err(Error::invalid(content_at, problem));
        }
        match role.as_str() {
            "system" | "developer" => self.instruct(content.text),
            "user" => self.user(content, content_at),
            "assistant" => {
                let refusal = fields::text(&mut message, "refusal", at.field("refusal"))?;
                let content = content.text;
                let content = if content.is_empty() { refusal.unwrap_or_default() } else { content };
                let calls = self.calls(&mut message, at)?;
                self.thoughts = thoughts(&mut message, at)?;
                self.assistant(content, calls);
            }
            "tool" | "function" => {
                let id = fields::text(&mut message, "tool_call_id", at.field("tool_call_id"))?;
                let name = fields::text(&mut message, "name", at.field("name"))?;
                let is_error = fields::flag(&mut message, "is_error", at.field("is_error"))?.unwrap_or(false);
                let legacy = self.legacy.take_if(|call| id.is_none() && name.as_ref() == Some(&call.name));
                let id = id.or(legacy.map(|call| call.id)).unwrap_or_default();
                self.result(id, name, content, is_error);
            }
            other => note(&mut self.notices, "CONTENT_IGNORED", || {
                format!("`{at}` has the unknown role '{}' and was left out.", shorten(other))
            }),
        }
        Ok(())
    }

    /// Text as a string, or as a list of parts, whose texts are joined by line ends.
    pub(super) fn spoken(&mut self, content: Option<Value>, at: Path<'_>) -> Result<Spoken, Error> {
        let parts = match content {
            None => return Ok(Spoken::default()),
            Some(Value::String(text)) => return Ok(text.into()),
            Some(Value::Array(parts)) => parts,
            Some(other) => return Err(Error::invalid(at, expected("a string or a list of parts", &other))),
        };
        let mut texts: Vec<String> = Vec::with_capacity(parts.len());
        let mut attachments = Vec::new();
        for (index, part) in parts.into_iter().enumerate() {
            let at = at.item(index);
            let mut part = match part {
                Value::String(text) => {
                    texts.push(text);
                    continue;
                }
                other => fields::object(other, at)?,
            };
            let kind = fields::text(&mut part, "type", at.field("type"))?;
            match kind.as_deref() {
                None | Some("text" | "input_text" | "output_text") => {
                    let text = fields::text(&mut part, "text", at.field("text"))?;
                    texts.push(text.ok_or_else(|| Error::invalid(at.field("text"), "is missing"))?);
                }
                Some("refusal") => {
                    texts.extend(fields::text(&mut part, "refusal", at.field("refusal"))?);
                }
                Some(kind) if attachments::is_one(kind) => {
                    let mut attachment = attachments::read(kind, part, at)?;
                    // Behind the texts so far, which are joined by line ends.
                    attachment.at =
                        texts.iter().map(String::len).sum::<usize>() + texts.len().saturating_sub(1);
                    self.attached.push((at.to_string(), attachment.clone()));
                    attachments.push(attachment);
                }
                Some(other) => note(&mut self.notices, "CONTENT_IGNORED", || {
                    format!("`{at}` is of the type {} and was left out.", shorten(other))
                }),
            }
        }
        Ok(Spoken { text: texts.join("\n"), attachments })
    }

    /// The whole conversation. `field` is what the body calls its messages.
    pub(super) fn finish(
        self,
        request: &mut TurnRequest,
        field: &'static str,
    ) -> Result<ReadConversation, Error> {
        if self.messages.len() > MOST_MESSAGES {
            let problem = format!("holds more than {MOST_MESSAGES} messages; a session knows its history");
            return Err(Error::invalid(field, problem));
        }
        let asks = |message: &Message| matches!(message, Message::User { .. } | Message::Tool { .. });
        if !self.messages.iter().any(asks) {
            return Err(Error::MessageMissing { field });
        }
        request.system = (!self.system.is_empty()).then(|| self.system.join("\n\n"));
        request.messages = self.messages;
        Ok((self.notices, self.attached))
    }

    /// The calls of an assistant message, in the new format or the old.
    fn calls(&mut self, message: &mut Object, at: Path<'_>) -> Result<Vec<ToolCall>, Error> {
        let mut calls = Vec::new();
        let list_at = at.field("tool_calls");
        let list =
            fields::take(message, "tool_calls").map(|value| fields::list(value, list_at)).transpose()?;
        for (index, call) in list.unwrap_or_default().into_iter().enumerate() {
            let at = list_at.item(index);
            let mut call = fields::object(call, at)?;
            let id = fields::text(&mut call, "id", at.field("id"))?.filter(|id| !id.is_empty());
            let id = id.ok_or_else(|| {
                Error::invalid(at.field("id"), "is missing: a result is bound to its call by it")
            })?;
            let function_at = at.field("function");
            let function = fields::take(&mut call, "function")
                .ok_or_else(|| Error::invalid(function_at, "is missing: only functions can be called"))?;
            let (name, arguments) = function_call(fields::object(function, function_at)?, function_at)?;
            calls.push(ToolCall { id, name, arguments });
        }
        let legacy_at = at.field("function_call");
        if let Some(call) = fields::take(message, "function_call") {
            let (name, arguments) = function_call(fields::object(call, legacy_at)?, legacy_at)?;
            let call = ToolCall { id: format!("function_call_{}", self.messages.len()), name, arguments };
            self.legacy = Some(call.clone());
            calls.push(call);
        }
        Ok(calls)
    }
}

/// What a client brings back of a model's reasoning: what was sealed here before anything else.
fn thoughts(message: &mut Object, at: Path<'_>) -> Result<Vec<Thought>, Error> {
    let details_at = at.field(REASONING_DETAILS);
    let details =
        fields::take(message, REASONING_DETAILS).map(|value| fields::list(value, details_at)).transpose()?;
    let mut items = details.unwrap_or_default();
    let sealed = |item: &Value| {
        let is_ours = item["format"] == REASONING_FORMAT;
        is_ours.then(|| item["data"].as_str().and_then(unseal_thoughts).unwrap_or_default())
    };
    let ours: Vec<Thought> = items.iter().filter_map(sealed).flatten().collect();
    items.retain(|item| item["format"] != REASONING_FORMAT);
    let nobodys = |form| Thought { by: String::new(), form };
    if !ours.is_empty() {
        return Ok(ours);
    }
    if !items.is_empty() {
        return Ok(vec![nobodys(ThoughtForm::Details { items })]);
    }
    // Clients have objects of their own under these names: only a text is what a server gave.
    let plain =
        ["reasoning_content", "reasoning"].into_iter().find_map(|field| match message.remove(field) {
            Some(Value::String(text)) if !text.is_empty() => {
                Some(nobodys(ThoughtForm::Plain { field: field.to_owned(), text }))
            }
            _ => None,
        });
    Ok(plain.into_iter().collect())
}

/// The name and arguments of a call.
pub(super) fn function_call(mut call: Object, at: Path<'_>) -> Result<(String, String), Error> {
    let name = fields::text(&mut call, "name", at.field("name"))?.filter(|name| !name.is_empty());
    let name = name.ok_or_else(|| Error::invalid(at.field("name"), "is missing"))?;
    let arguments = match fields::take(&mut call, "arguments") {
        None => String::new(),
        Some(Value::String(text)) => text,
        Some(object @ Value::Object(_)) => object.to_string(),
        Some(other) => {
            return Err(Error::invalid(at.field("arguments"), expected("a string of JSON", &other)));
        }
    };
    Ok((name, arguments))
}

/// Text from outside, short enough for a message.
pub(super) fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(60)]
}
