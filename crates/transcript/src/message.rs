//! Reads messages and their content blocks, in every spelling that is in use.

use super::entry::{Arguments, CallItem, Content, ContentBlock, ResultItem, TranscriptMessage};
use crate::json::{Cursor, KeySet, ParseError, Text};

/// A message; `None` when it is no object.
pub(super) fn message<'a>(cursor: &mut Cursor<'a>) -> Result<Option<TranscriptMessage<'a>>, ParseError> {
    let Some(mut object) = cursor.object()? else {
        cursor.skip()?;
        return Ok(None);
    };
    let mut message = TranscriptMessage::default();
    let mut seen = KeySet::default();
    let mut has_role = false;
    while let Some(key) = cursor.next_key(&mut object)? {
        let key = key.decode();
        match key.as_ref() {
            "role" => {
                if let Some(role) = cursor.text()? {
                    message.role = role;
                    has_role = true;
                }
                cursor.notes.duplicate_key |= seen.again(0);
            }
            "content" => {
                message.content = content(cursor)?;
                cursor.notes.duplicate_key |= seen.again(1);
            }
            "toolCallId" | "tool_call_id" => message.call_id = cursor.text()?,
            "toolName" => message.tool = cursor.text()?,
            "isError" | "is_error" => message.is_error = cursor.boolean()?.unwrap_or_default(),
            "details" => message.details = Some(cursor.raw()?),
            "provider" => message.provider = cursor.text()?,
            "model" => message.model = cursor.text()?,
            "stopReason" | "stop_reason" => message.stop_reason = cursor.text()?,
            "errorMessage" => message.error = cursor.text()?,
            "usage" => message.usage = Some(cursor.raw()?),
            "command" => message.command = cursor.text()?,
            "output" => message.output = cursor.text()?,
            "exitCode" => message.exit_code = Some(cursor.raw()?),
            _ => cursor.skip()?,
        }
    }
    Ok(has_role.then_some(message))
}

/// What a message holds.
pub(super) fn content<'a>(cursor: &mut Cursor<'a>) -> Result<Content<'a>, ParseError> {
    pieces(cursor, false)
}

/// `is_inner` when they stand in a result: then results among them are not read.
fn pieces<'a>(cursor: &mut Cursor<'a>, is_inner: bool) -> Result<Content<'a>, ParseError> {
    if cursor.peek()? == b'"' {
        return Ok(cursor.text()?.map_or(Content::None, Content::Text));
    }
    let Some(mut array) = cursor.array()? else {
        cursor.skip()?;
        return Ok(Content::None);
    };
    let mut blocks = Vec::new();
    while cursor.next_item(&mut array)? {
        blocks.push(block(cursor, is_inner)?);
    }
    Ok(Content::Blocks(blocks))
}

/// The fields of a piece.
#[derive(Default)]
struct Fields<'a> {
    typ: Text<'a>,
    text: Option<Text<'a>>,
    thinking: Option<Text<'a>>,
    id: Option<Text<'a>>,
    name: Option<Text<'a>>,
    arguments: Option<Arguments<'a>>,
    call_id: Option<Text<'a>>,
    content: Content<'a>,
    is_error: bool,
    details: Option<&'a str>,
    mime: Option<Text<'a>>,
    data: Option<Text<'a>>,
    is_half: bool,
}

fn block<'a>(cursor: &mut Cursor<'a>, is_inner: bool) -> Result<ContentBlock<'a>, ParseError> {
    let Some(mut object) = cursor.object()? else {
        cursor.skip()?;
        return Ok(ContentBlock::Odd);
    };
    let mut fields = Fields::default();
    let mut seen = KeySet::default();
    while let Some(key) = cursor.next_key(&mut object)? {
        let key = key.decode();
        match key.as_ref() {
            "type" => {
                fields.typ = cursor.text()?.unwrap_or_default();
                cursor.notes.duplicate_key |= seen.again(0);
            }
            "text" => {
                fields.text = cursor.text()?;
                cursor.notes.duplicate_key |= seen.again(1);
            }
            "thinking" => {
                fields.thinking = cursor.text()?;
                cursor.notes.duplicate_key |= seen.again(2);
            }
            "id" => fields.id = cursor.text()?,
            "name" | "toolName" => fields.name = cursor.text()?,
            "arguments" | "input" => {
                fields.arguments = Some(arguments(cursor)?);
                cursor.notes.duplicate_key |= seen.again(3);
            }
            "toolCallId" | "tool_call_id" | "tool_use_id" => fields.call_id = cursor.text()?,
            "content" => {
                if is_inner {
                    cursor.skip()?;
                } else {
                    fields.content = pieces(cursor, true)?;
                }
            }
            "isError" | "is_error" => fields.is_error = cursor.boolean()?.unwrap_or_default(),
            "details" => fields.details = Some(cursor.raw()?),
            "mimeType" | "media_type" => fields.mime = cursor.text()?,
            "data" => fields.data = cursor.text()?,
            "source" => source(cursor, &mut fields)?,
            "partialJson" => {
                fields.is_half = true;
                cursor.skip()?;
            }
            _ => cursor.skip()?,
        }
    }
    Ok(assemble(fields, is_inner))
}

fn assemble(fields: Fields<'_>, is_inner: bool) -> ContentBlock<'_> {
    let block = match fields.typ.raw() {
        "text" | "input_text" | "output_text" | "summary_text" | "reasoning_text" => {
            fields.text.map(ContentBlock::Text)
        }
        "thinking" => fields.thinking.or(fields.text).map(ContentBlock::Thinking),
        "toolCall" | "tool_use" | "tool_call" if fields.is_half => Some(ContentBlock::HalfCall),
        "toolCall" | "tool_use" | "tool_call" => match (fields.id, fields.name) {
            (Some(id), Some(tool)) => {
                let arguments = fields.arguments.unwrap_or(Arguments::Json("{}"));
                Some(ContentBlock::Call(CallItem { id, tool, arguments }))
            }
            _ => None,
        },
        "toolResult" | "tool_result" if !is_inner => fields.call_id.map(|call_id| {
            ContentBlock::Result(ResultItem {
                call_id,
                tool: fields.name,
                content: fields.content,
                is_error: fields.is_error,
                details: fields.details,
            })
        }),
        "image" | "input_image" => Some(ContentBlock::Image { mime: fields.mime, data: fields.data }),
        _ => None,
    };
    block.unwrap_or(ContentBlock::Odd)
}

/// What a call is made with: a string is kept as such.
pub(super) fn arguments<'a>(cursor: &mut Cursor<'a>) -> Result<Arguments<'a>, ParseError> {
    if cursor.peek()? == b'"'
        && let Some(text) = cursor.text()?
    {
        return Ok(Arguments::Text(text));
    }
    Ok(Arguments::Json(cursor.raw()?))
}

/// The data of a picture in Anthropic's shape.
fn source<'a>(cursor: &mut Cursor<'a>, fields: &mut Fields<'a>) -> Result<(), ParseError> {
    let Some(mut object) = cursor.object()? else {
        return cursor.skip();
    };
    while let Some(key) = cursor.next_key(&mut object)? {
        match key.raw() {
            "media_type" => fields.mime = cursor.text()?,
            "data" => fields.data = cursor.text()?,
            _ => cursor.skip()?,
        }
    }
    Ok(())
}
