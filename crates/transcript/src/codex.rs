//! Reads Codex's session files: everything stands in a `payload`, and calls and results are entries of their own.

use super::entry::{
    Arguments, CallItem, Content, ContentBlock, EntryKind, Header, TranscriptEntry, TranscriptMessage,
};
use super::message::{arguments, content};
use crate::json::{Cursor, ParseError, Text};

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
    forked_from: Option<Text<'a>>,
}

/// A payload; `None` when it is no object.
pub(super) fn payload<'a>(cursor: &mut Cursor<'a>) -> Result<Option<Payload<'a>>, ParseError> {
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
            "forked_from_id" => payload.forked_from = cursor.text()?,
            _ => cursor.skip()?,
        }
    }
    Ok(Some(payload))
}

/// What a payload is.
pub(super) fn kind<'a>(
    typ: Option<Text<'a>>,
    payload: Payload<'a>,
    entry: &mut TranscriptEntry<'a>,
) -> EntryKind<'a> {
    match typ.map(|typ| typ.raw()).unwrap_or_default() {
        "session_meta" => EntryKind::Session(Header {
            id: payload.id,
            version: None,
            cwd: payload.cwd,
            parent_session: payload.forked_from,
        }),
        "turn_context" => EntryKind::Model { provider: payload.provider, model: payload.model },
        "compacted" => EntryKind::Compaction,
        // Events repeat for the screen what the response items say.
        "event_msg" => EntryKind::Note,
        "response_item" => item(payload, entry),
        _ => EntryKind::Unknown,
    }
}

fn item<'a>(payload: Payload<'a>, entry: &mut TranscriptEntry<'a>) -> EntryKind<'a> {
    let assistant = Text::plain("assistant");
    let message = match payload.typ.map(|typ| typ.raw()).unwrap_or_default() {
        "message" => {
            let role = payload.role.unwrap_or_default();
            entry.is_meta |= matches!(role.raw(), "developer" | "system");
            TranscriptMessage { role, content: payload.content, ..TranscriptMessage::default() }
        }
        "reasoning" => {
            let texts =
                |content: &Content<'a>| content.texts().map(ContentBlock::Thinking).collect::<Vec<_>>();
            let mut blocks = texts(&payload.summary);
            blocks.extend(texts(&payload.content));
            TranscriptMessage {
                role: assistant,
                content: Content::Blocks(blocks),
                ..TranscriptMessage::default()
            }
        }
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            let Some(id) = payload.call_id.or(payload.id) else { return EntryKind::NoMessage };
            let tool = payload.name.unwrap_or(Text::plain("shell"));
            let arguments = payload.arguments.unwrap_or(Arguments::Json("{}"));
            let call = ContentBlock::Call(CallItem { id, tool, arguments });
            TranscriptMessage {
                role: assistant,
                content: Content::Blocks(vec![call]),
                ..TranscriptMessage::default()
            }
        }
        "function_call_output" | "custom_tool_call_output" => TranscriptMessage {
            role: Text::plain("toolResult"),
            content: payload.output,
            call_id: payload.call_id,
            is_error: payload.is_error,
            ..TranscriptMessage::default()
        },
        _ => return EntryKind::Note,
    };
    EntryKind::Message(Box::new(message))
}

/// What came back: a text, pieces, or an object that holds either and says whether it went well.
fn output<'a>(cursor: &mut Cursor<'a>) -> Result<(Content<'a>, bool), ParseError> {
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
