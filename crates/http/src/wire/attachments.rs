//! Pictures, files and sound in the parts of a message, in the forms in which clients send them.
//!
//! Must never fetch what stands at an address, nor take an id of a file that only somebody else has.

use engross_llm::{AttachmentKind, MessageAttachment};
use serde_json::Value;

use super::fields::{self, Object, Path};
use crate::error::Error;

/// Whether a part of this type is no text. Those that cannot be taken are among them: without them the answer would be about
/// something else.
pub(super) fn is_one(kind: &str) -> bool {
    matches!(
        kind,
        "image"
            | "image_url"
            | "input_image"
            | "file"
            | "input_file"
            | "document"
            | "input_audio"
            | "audio"
            | "video_url"
    )
}

/// Reads a part of this type.
pub(super) fn read(kind: &str, mut part: Object, at: Path<'_>) -> Result<MessageAttachment, Error> {
    match kind {
        // Chat completions nest it, responses do not.
        "image_url" | "input_image" => {
            let url_at = at.field("image_url");
            let (url, detail) = match fields::take(&mut part, "image_url") {
                Some(Value::Object(mut inner)) => (
                    fields::text(&mut inner, "url", url_at.field("url"))?,
                    fields::text(&mut inner, "detail", url_at.field("detail"))?,
                ),
                Some(other) => (Some(fields::string(other, url_at)?), None),
                None => (None, None),
            };
            let outer = fields::text(&mut part, "detail", at.field("detail"))?;
            let url = url.ok_or_else(|| lacks(&part, at, url_at))?;
            let mut picture = checked(MessageAttachment::at(AttachmentKind::Picture, &url), url_at)?;
            picture.detail = detail.or(outer);
            Ok(picture)
        }
        "input_audio" => {
            let inner_at = at.field("input_audio");
            let inner = fields::take(&mut part, "input_audio")
                .ok_or_else(|| Error::invalid(inner_at, "is missing"))?;
            let mut inner = fields::object(inner, inner_at)?;
            let data_at = inner_at.field("data");
            let data = fields::text(&mut inner, "data", data_at)?;
            let data = data.ok_or_else(|| Error::invalid(data_at, "is missing"))?;
            checked(MessageAttachment::inline(AttachmentKind::Sound, &data), data_at)
        }
        "file" | "input_file" => {
            let inner_at = at.field("file");
            match fields::take(&mut part, "file") {
                Some(inner) => file(fields::object(inner, inner_at)?, inner_at),
                None => file(part, at),
            }
        }
        "image" => sourced(AttachmentKind::Picture, part, at),
        "document" => sourced(AttachmentKind::Pdf, part, at),
        "audio" => sourced(AttachmentKind::Sound, part, at),
        other => {
            let problem =
                format!("is of the type {other}, which no model is given here: send what it says as text");
            Err(Error::invalid(at, problem))
        }
    }
}

/// A file in OpenAI's form. Which kind it is, its bytes tell.
fn file(mut part: Object, at: Path<'_>) -> Result<MessageAttachment, Error> {
    let name = fields::text(&mut part, "filename", at.field("filename"))?;
    let (data_at, url_at) = (at.field("file_data"), at.field("file_url"));
    let data = fields::text(&mut part, "file_data", data_at)?;
    let url = fields::text(&mut part, "file_url", url_at)?;
    let mut attachment = match (data, url) {
        (Some(data), _) => {
            let kind = MessageAttachment::kind_of(&data).unwrap_or(AttachmentKind::Pdf);
            let read = match data.starts_with("data:") {
                true => MessageAttachment::at(kind, &data),
                false => MessageAttachment::inline(kind, &data),
            };
            checked(read, data_at)?
        }
        (None, Some(url)) => checked(MessageAttachment::at(AttachmentKind::Pdf, &url), url_at)?,
        (None, None) => return Err(lacks(&part, at, data_at)),
    };
    attachment.name = name;
    Ok(attachment)
}

/// The forms of Anthropic (`source`) and of MCP (`data`).
fn sourced(kind: AttachmentKind, mut part: Object, at: Path<'_>) -> Result<MessageAttachment, Error> {
    let source_at = at.field("source");
    let name = fields::text(&mut part, "title", at.field("title"))?;
    let mut attachment = match fields::take(&mut part, "source") {
        Some(source) => {
            let mut source = fields::object(source, source_at)?;
            let (data_at, url_at) = (source_at.field("data"), source_at.field("url"));
            let data = fields::text(&mut source, "data", data_at)?;
            match (data, fields::text(&mut source, "url", url_at)?) {
                (Some(data), _) => checked(MessageAttachment::inline(kind, &data), data_at)?,
                (None, Some(url)) => checked(MessageAttachment::at(kind, &url), url_at)?,
                (None, None) => return Err(lacks(&source, source_at, data_at)),
            }
        }
        None => {
            let data_at = at.field("data");
            let data = fields::text(&mut part, "data", data_at)?.ok_or_else(|| lacks(&part, at, data_at))?;
            checked(MessageAttachment::inline(kind, &data), data_at)?
        }
    };
    attachment.name = name;
    Ok(attachment)
}

fn checked(attachment: Result<MessageAttachment, String>, at: Path<'_>) -> Result<MessageAttachment, Error> {
    attachment.map_err(|problem| Error::invalid(at, problem))
}

/// What to say where nothing was sent, or an id of a file that a provider keeps.
fn lacks(part: &Object, at: Path<'_>, wanted: Path<'_>) -> Error {
    if part.get("file_id").is_some_and(|id| !id.is_null()) {
        let problem =
            "names a file that a provider keeps, and no files are kept here: send its bytes as base64";
        return Error::invalid(at.field("file_id"), problem);
    }
    Error::invalid(wanted, "is missing")
}
