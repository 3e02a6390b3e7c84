//! `POST /v1/responses`: from the body to a request.
//!
//! Must never drop an item of the input that carries text or a result.

use engross_agent::session::{SessionName, TurnRequest};
use engross_llm::{ToolCall, unseal_thoughts};
use serde_json::Value;

use super::RequestHead;
use super::answer::place_of_response;
use super::chat_request::common;
use super::content::{Conversation, function_call, note, shorten};
use super::fields::{self, Object, Path, expected};
use super::options;
use super::responses_shape::ResponsesShape;
use super::tools::{Namespaces, Others, Tools};
use crate::error::Error;
use crate::keys;

/// The type of an item that refers to an earlier one.
const REFERENCE: &str = "item_reference";

/// Reads a body. References to earlier items in it are passed over.
///
/// # Errors
/// As [`super::chat_request()`], and [`Error::ResponseNotFound`].
pub(crate) fn responses_request(bytes: &[u8]) -> Result<RequestHead, Error> {
    let mut body = fields::body(bytes)?;
    let mut shape = ResponsesShape::of(&body);
    let mut request = TurnRequest::default();
    let mut conversation = Conversation::default();

    if let Some(instructions) = fields::text(&mut body, "instructions", Path::root("instructions"))? {
        conversation.instruct(instructions);
    }
    let at = Path::root("input");
    match fields::take(&mut body, "input") {
        None => {}
        Some(Value::String(text)) => conversation.user(text.into(), at),
        Some(Value::Array(items)) => {
            for (index, item) in items.into_iter().enumerate() {
                let at = at.item(index);
                read_item(&mut conversation, fields::object(item, at)?, at)?;
            }
        }
        Some(other) => return Err(Error::invalid(at, expected("a string or a list of items", &other))),
    }
    let (mut notices, attached) = conversation.finish(&mut request, "input")?;

    if let Some(list) = fields::take(&mut body, "tools") {
        let mut tools = Tools::new(Others::LeftOut);
        tools.read(list, Path::root("tools"))?;
        let (list, inside, left_out) = tools.finish();
        request.tools = Some(list);
        shape.namespaces = inside;
        notices.extend(left_out);
    }
    let common = common(&mut body, "tool_choice", &mut request)?;
    request.parameters.max_output_tokens =
        fields::count(&mut body, "max_output_tokens", Path::root("max_output_tokens"))?;
    if let Some(id) = fields::text(&mut body, "previous_response_id", Path::root("previous_response_id"))? {
        request.after = Some(place_of_response(&id)?);
    }
    let conversation_at = Path::root("conversation");
    if let Some(conversation) = fields::take(&mut body, "conversation") {
        let id = match conversation {
            Value::Object(mut object) => fields::text(&mut object, "id", conversation_at.field("id"))?
                .ok_or_else(|| Error::invalid(conversation_at.field("id"), "is missing"))?,
            other => fields::string(other, conversation_at)?,
        };
        if request.after.is_some() {
            let problem = "and `previous_response_id` exclude each other; send one";
            return Err(Error::invalid(conversation_at, problem));
        }
        request.key = Some(SessionName::Named(keys::canonical(&id)?));
    }
    let nested = options::take_nested(&mut body, &mut notices)?;
    request.parameters.options = options::take(&mut body)?;
    for (name, value) in nested.iter() {
        request.parameters.options.set(name, value.clone());
    }
    shape.include(&mut body, &mut notices)?;
    if shape.likelihoods || request.parameters.options.get("top_logprobs").is_some() {
        // Chat completions ask for both.
        request.parameters.options.set("logprobs", Value::Bool(true));
    }
    options::note_unknown(&body, &mut notices);
    Ok(RequestHead {
        request,
        is_responses: true,
        model: common.model,
        user: common.user,
        stream: common.stream,
        include_usage: false,
        shape,
        notices,
        attached,
    })
}

/// A body whose input refers to earlier items; nothing where none does.
///
/// # Errors
/// As [`responses_request`], for what is no object of bounded size.
pub(crate) fn with_references(bytes: &[u8]) -> Result<Option<Value>, Error> {
    // Nearly no request does, and looking for the word is quick.
    let word = REFERENCE.as_bytes();
    if !bytes.windows(word.len()).any(|part| part == word) {
        return Ok(None);
    }
    let body = fields::body(bytes)?;
    let refers =
        body.get("input").and_then(Value::as_array).is_some_and(|items| items.iter().any(is_reference));
    Ok(refers.then_some(Value::Object(body)))
}

/// Whether an item refers to an earlier one.
pub(crate) fn is_reference(item: &Value) -> bool {
    item["type"] == REFERENCE
}

fn read_item(conversation: &mut Conversation, mut item: Object, at: Path<'_>) -> Result<(), Error> {
    let kind = fields::text(&mut item, "type", at.field("type"))?;
    match kind.as_deref() {
        None | Some("message") => conversation.chat_message(item, at),
        Some("function_call") => {
            let id = call_id(&mut item, at)?;
            let namespace = fields::text(&mut item, "namespace", at.field("namespace"))?;
            let (name, arguments) = function_call(item, at)?;
            let name =
                namespace.map_or_else(|| name.clone(), |namespace| Namespaces::flat(&namespace, &name));
            conversation.call(ToolCall { id, name, arguments });
            Ok(())
        }
        Some("function_call_output") => {
            let id = call_id(&mut item, at)?;
            let output = conversation.spoken(fields::take(&mut item, "output"), at.field("output"))?;
            let name = fields::text(&mut item, "name", at.field("name"))?;
            conversation.result(id, name, output, false);
            Ok(())
        }
        Some("reasoning") => {
            let at = at.field("encrypted_content");
            let sealed = fields::text(&mut item, "encrypted_content", at)?;
            // What is not ours no model here could read; a session knows what was thought in it.
            let thoughts = sealed.as_deref().and_then(unseal_thoughts);
            conversation.think(thoughts.unwrap_or_default());
            Ok(())
        }
        // It is put in its place before.
        Some(REFERENCE) => Ok(()),
        Some(other) => {
            note(&mut conversation.notices, "CONTENT_IGNORED", || {
                format!("`{at}` is of the type {} and was left out.", shorten(other))
            });
            Ok(())
        }
    }
}

fn call_id(item: &mut Object, at: Path<'_>) -> Result<String, Error> {
    let at = at.field("call_id");
    fields::text(item, "call_id", at)?
        .ok_or_else(|| Error::invalid(at, "is missing: a result is bound to its call by it"))
}
