//! Parses a line as an entry: OpenClaw's and engross's own files, Claude Code's and Codex's.
//!
//! Must never fail for what is merely unknown: only a line that is no JSON object is bad.

use super::codex;
use super::entry::{EntryKind, Header, Parent, TranscriptEntry};
use super::message::{content, message};
use crate::json::{Cursor, KeySet, ParseError, StringFindings, SyntaxErrorKind, Text};

/// Why a line is no entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LineError {
    /// It is no UTF-8.
    InvalidUtf8,
    /// It is JSON, but no object.
    NotAnObject,
    /// It ends before it is whole.
    Torn,
    /// It holds `NaN` or `Infinity`.
    NotANumber,
    /// It begins with something that is no JSON.
    Garbage,
    /// It is no JSON further on.
    Malformed,
    /// It is nested deeper than is read.
    TooDeep,
    /// It is longer than is read.
    TooLong,
}

/// What a line says, and what was noticed in it.
#[derive(Debug)]
pub(crate) struct ParsedLine<'a> {
    pub(crate) entry: TranscriptEntry<'a>,
    pub(crate) notes: StringFindings,
}

/// Reads a line without its end. Blank lines are the caller's affair.
pub(crate) fn parse(line: &[u8]) -> Result<ParsedLine<'_>, LineError> {
    let text = simdutf8::basic::from_utf8(line).map_err(|_| LineError::InvalidUtf8)?;
    let mut cursor = Cursor::new(text);
    let entry = entry(&mut cursor).and_then(|entry| {
        cursor.end()?;
        Ok(entry)
    });
    match entry {
        Ok(Some(entry)) => Ok(ParsedLine { entry, notes: cursor.notes }),
        Ok(None) => Err(LineError::NotAnObject),
        Err(fault) => Err(bad(text, fault)),
    }
}

/// What a fault means for the line.
fn bad(text: &str, fault: ParseError) -> LineError {
    let blank = text.len() - text.trim_start().len();
    match fault.wrong {
        SyntaxErrorKind::Ended => LineError::Torn,
        SyntaxErrorKind::NotANumber => LineError::NotANumber,
        SyntaxErrorKind::TooDeep => LineError::TooDeep,
        SyntaxErrorKind::Unexpected | SyntaxErrorKind::BadString if fault.at <= blank => LineError::Garbage,
        SyntaxErrorKind::Unexpected | SyntaxErrorKind::BadString => LineError::Malformed,
    }
}

/// The fields of the uppermost object that matter.
#[derive(Default)]
struct Fields<'a> {
    typ: Option<Text<'a>>,
    header: Header<'a>,
    version: Option<&'a str>,
    provider: Option<Text<'a>>,
    model: Option<Text<'a>>,
    target: Option<Text<'a>>,
    data: Option<&'a str>,
    custom_type: Option<Text<'a>>,
    kind: Option<EntryKind<'a>>,
    content: Option<super::Content<'a>>,
    payload: Option<codex::Payload<'a>>,
}

/// `None` when the value is no object.
fn entry<'a>(cursor: &mut Cursor<'a>) -> Result<Option<TranscriptEntry<'a>>, ParseError> {
    let Some(mut object) = cursor.object()? else {
        cursor.skip()?;
        return Ok(None);
    };
    let mut entry = TranscriptEntry::default();
    let mut fields = Fields::default();
    let mut seen = KeySet::default();
    while let Some(key) = cursor.next_key(&mut object)? {
        let key = key.decode();
        let is_twice = match key.as_ref() {
            "type" => {
                fields.typ = cursor.text()?;
                seen.again(0)
            }
            "id" | "uuid" => {
                let id = cursor.text()?;
                entry.id = id.or(entry.id);
                seen.again(if key.len() == 2 { 1 } else { 2 })
            }
            "parentId" | "parentUuid" => {
                entry.parent = parent(cursor)?;
                seen.again(if key.len() == 8 { 3 } else { 4 })
            }
            "timestamp" => {
                entry.timestamp = cursor.text()?;
                seen.again(5)
            }
            "message" => {
                fields.kind = Some(
                    message(cursor)?
                        .map_or(EntryKind::NoMessage, |message| EntryKind::Message(Box::new(message))),
                );
                seen.again(6)
            }
            "payload" => {
                fields.payload = codex::payload(cursor)?;
                seen.again(7)
            }
            "content" => {
                fields.content = Some(content(cursor)?);
                seen.again(8)
            }
            "data" => {
                fields.data = Some(cursor.raw()?);
                seen.again(9)
            }
            "version" => {
                fields.version = Some(cursor.raw()?);
                false
            }
            "customType" => {
                fields.custom_type = cursor.text()?;
                false
            }
            "cwd" => {
                fields.header.cwd = cursor.text()?;
                false
            }
            "parentSession" => {
                fields.header.parent_session = cursor.text()?;
                false
            }
            "sessionId" => {
                fields.header.id = cursor.text()?;
                entry.session = fields.header.id;
                false
            }
            "provider" => {
                fields.provider = cursor.text()?;
                false
            }
            "modelId" => {
                fields.model = cursor.text()?;
                false
            }
            "targetId" | "leafId" => {
                fields.target = cursor.text()?;
                false
            }
            "isSidechain" => {
                entry.is_aside = cursor.boolean()?.unwrap_or_default();
                false
            }
            "isMeta" | "isCompactSummary" => {
                entry.is_meta |= cursor.boolean()?.unwrap_or_default();
                false
            }
            _ => {
                cursor.skip()?;
                false
            }
        };
        cursor.notes.duplicate_key |= is_twice;
    }
    entry.kind = kind(&mut entry, fields)?;
    Ok(Some(entry))
}

fn kind<'a>(entry: &mut TranscriptEntry<'a>, fields: Fields<'a>) -> Result<EntryKind<'a>, ParseError> {
    if let Some(payload) = fields.payload {
        return Ok(codex::kind(fields.typ, payload, entry));
    }
    let typ = fields.typ.map(|typ| typ.decode()).unwrap_or_default();
    Ok(match typ.as_ref() {
        "message" | "user" | "assistant" if fields.kind.is_some() => fields.kind.unwrap_or_default(),
        "message" => EntryKind::NoMessage,
        "session" => {
            let version = fields.version.and_then(|version| version.parse().ok());
            let id = entry.id.take();
            EntryKind::Session(Header { id, version, ..fields.header })
        }
        "model_change" => EntryKind::Model { provider: fields.provider, model: fields.model },
        "custom" if fields.custom_type.is_some_and(|typ| typ.raw() == "model-snapshot") => {
            let (provider, model) = snapshot(fields.data)?;
            EntryKind::Model { provider, model }
        }
        "compaction" => EntryKind::Compaction,
        "reset" => EntryKind::Reset,
        "branch_summary" => EntryKind::BranchSummary,
        "custom_message" => EntryKind::CustomMessage { content: fields.content.unwrap_or_default() },
        "leaf" => EntryKind::Leaf { target: fields.target },
        "custom" | "label" | "session_info" | "thinking_level_change" => EntryKind::Note,
        // What Claude Code writes beside messages.
        "summary" | "system" | "file-history-snapshot" | "queue-operation" | "progress" => EntryKind::Note,
        _ => EntryKind::Unknown,
    })
}

/// The model in the data of a `model-snapshot`.
fn snapshot(data: Option<&str>) -> Result<(Option<Text<'_>>, Option<Text<'_>>), ParseError> {
    let mut cursor = Cursor::new(data.unwrap_or("null"));
    let (mut provider, mut model) = (None, None);
    if let Some(mut object) = cursor.object()? {
        while let Some(key) = cursor.next_key(&mut object)? {
            match key.raw() {
                "provider" => provider = cursor.text()?,
                "modelId" => model = cursor.text()?,
                _ => cursor.skip()?,
            }
        }
    }
    Ok((provider, model))
}

fn parent<'a>(cursor: &mut Cursor<'a>) -> Result<Parent<'a>, ParseError> {
    Ok(match cursor.peek()? {
        b'"' => cursor.text()?.map_or(Parent::Unsaid, Parent::Entry),
        b'n' => {
            cursor.skip()?;
            Parent::Root
        }
        _ => {
            cursor.skip()?;
            Parent::Unsaid
        }
    })
}
