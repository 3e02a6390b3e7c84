//! Codex's session files: everything stands in a `payload`, and calls and results are entries of their own.

use super::entry::{Arguments, Block, Call, Content, Entry, Header, Kind, Message};
use super::message::{arguments, content};
use crate::json::{Cursor, Fault, Text};

/// The fields of a payload that matter.
#[derive(Debug, Default)]
pub(super) struct Payload<'a> {
    typ: Option<Text<'a>>,
    role: Option<Text<'a>>,
    content: Content<'a>,
    id: Option<Text<'a>>,
    call_id: Option<Text<'a>>,
    name: Option<Text<'a>>,
    arguments: Option<Arguments<'a>>,
    output: Content<'a>,
    is_error: bool,
    summary: Content<'a>,
    cwd: Option<Text<'a>>,
    model: Option<Text<'a>>,
    provider: Option<Text<'a>>,
}

/// A payload; `None` when it is no object.
pub(super) fn payload<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Payload<'a>>, Fault> {
    let Some(mut object) = cursor.object()? else {
        cursor.skip()?;
        return Ok(None);
    };
    let mut payload = Payload::default();
    while let Some(key) = cursor.next_key(&mut object)? {
        let key = key.decode();
        match key.as_ref() {
            "type" => payload.typ = cursor.text()?,
            "role" => payload.role = cursor.text()?,
            "content" => payload.content = content(cursor)?,
            "id" => payload.id = cursor.text()?,
            "call_id" => payload.call_id = cursor.text()?,
            "name" => payload.name = cursor.text()?,
            "arguments" | "input" | "action" => payload.arguments = Some(arguments(cursor)?),
            "output" => (payload.output, payload.is_error) = output(cursor)?,
            "summary" => payload.summary = content(cursor)?,
            "cwd" => payload.cwd = cursor.text()?,
            "model" => payload.model = cursor.text()?,
            "model_provider" => payload.provider = cursor.text()?,
            _ => cursor.skip()?,
        }
    }
    Ok(Some(payload))
}

/// What a payload is.
pub(super) fn kind<'a>(typ: Option<Text<'a>>, payload: Payload<'a>, entry: &mut Entry<'a>) -> Kind<'a> {
    match typ.map(|typ| typ.raw()).unwrap_or_default() {
        "session_meta" => {
            Kind::Session(Header { id: payload.id, version: None, cwd: payload.cwd, parent_session: None })
        }
        "turn_context" => Kind::Model { provider: payload.provider, model: payload.model },
        "compacted" => Kind::Compaction,
        // Events repeat for the screen what the response items say.
        "event_msg" => Kind::Note,
        "response_item" => item(payload, entry),
        _ => Kind::Unknown,
    }
}

fn item<'a>(payload: Payload<'a>, entry: &mut Entry<'a>) -> Kind<'a> {
    let assistant = Text::plain("assistant");
    let message = match payload.typ.map(|typ| typ.raw()).unwrap_or_default() {
        "message" => {
            let role = payload.role.unwrap_or_default();
            entry.is_meta |= matches!(role.raw(), "developer" | "system");
            Message { role, content: payload.content, ..Message::default() }
        }
        "reasoning" => {
            let texts = |content: &Content<'a>| content.texts().map(Block::Thinking).collect::<Vec<_>>();
            let mut blocks = texts(&payload.summary);
            blocks.extend(texts(&payload.content));
            Message { role: assistant, content: Content::Blocks(blocks), ..Message::default() }
        }
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            let Some(id) = payload.call_id.or(payload.id) else { return Kind::NoMessage };
            let tool = payload.name.unwrap_or(Text::plain("shell"));
            let arguments = payload.arguments.unwrap_or(Arguments::Json("{}"));
            let call = Block::Call(Call { id, tool, arguments });
            Message { role: assistant, content: Content::Blocks(vec![call]), ..Message::default() }
        }
        "function_call_output" | "custom_tool_call_output" => Message {
            role: Text::plain("toolResult"),
            content: payload.output,
            call_id: payload.call_id,
            is_error: payload.is_error,
            ..Message::default()
        },
        _ => return Kind::Note,
    };
    Kind::Message(Box::new(message))
}

/// What came back: a text, pieces, or an object that holds either and says whether it went well.
fn output<'a>(cursor: &mut Cursor<'a>) -> Result<(Content<'a>, bool), Fault> {
    let Some(mut object) = cursor.object()? else {
        return Ok((content(cursor)?, false));
    };
    let (mut held, mut is_error) = (Content::None, false);
    while let Some(key) = cursor.next_key(&mut object)? {
        match key.raw() {
            "content" | "output" => held = content(cursor)?,
            "success" => is_error = cursor.boolean()? == Some(false),
            _ => cursor.skip()?,
        }
    }
    Ok((held, is_error))
}
