//! What the model is offered, and what its arguments say.
//!
//! Must never take content from [`BEGIN`]: that is what it is there to avoid.

use engross_llm::ToolSpec;
use engross_protocol::WriteSessionId;
use engross_write::Error;
use engross_write::continuation::{Continuation, Overlap};
use engross_write::session::{BeginOptions, Unwrap};
use serde_json::{Map, Value, json};

use crate::session::ServerTool;

/// Begins a file whose content follows as text.
pub(crate) const BEGIN: &str = "WritePlanTool_begin";

/// Writes a file whose content is an argument, where text cannot be relied on.
pub(crate) const WRITE_FILE: &str = "write_file";

/// Writes a file whose content is the text of a call, for models that can be given such tools.
pub(crate) const WRITE_TEXT: &str = "write_text";

/// What models are offered beside `WritePlanTool_begin`: tools whose calls hold content, none of them unless it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ContentTools {
    /// `write_file`, which takes content as an argument in JSON.
    pub argument: bool,
    /// `write_text`, which takes it as free text.
    pub free_text: bool,
}

/// What [`BEGIN`] takes beside `session_id`.
const OPTIONS: &[&str] = &[
    "intent",
    "target_file",
    "operation",
    "terminator",
    "must_exist",
    "expect_sha256",
    "allow_empty",
    "join",
    "escape",
    "encoding",
    "validate",
    "validate_as",
    "unwrap",
    "patch",
];

/// What some models add, and [`BEGIN`] does not take.
const CONTENT: &[&str] = &["content", "raw_content"];

/// What a call of [`BEGIN`] asks for.
pub(super) enum Begin {
    /// A file from its beginning, or a patch of one; and the name of an argument with content, which was not taken.
    New(Box<BeginOptions>, Option<&'static str>),
    /// To go on with a file that was left.
    Again(WriteSessionId),
}

/// The tools.
pub(super) fn tools(content: ContentTools) -> Vec<ServerTool> {
    let specs =
        [Some(begin_spec()), content.argument.then(write_file_spec), content.free_text.then(write_text_spec)];
    specs.into_iter().flatten().map(|spec| ServerTool { spec, read_only: false }).collect()
}

fn begin_spec() -> ToolSpec {
    let description = "Begins writing a text file of any length. The content is no argument: after this call, write it as \
        plain text in your next answer, and end it as the result of this call says. A file that is cut off by an output \
        limit is gone on with. One file at a time.";
    let patch = "With operation patch, where the text goes. type: insert_after_line or insert_before_line (line), \
        replace_lines (start_line, end_line), prepend, replace_text (find, which occurs once), replace_pattern (pattern, flags).";
    ToolSpec {
        name: BEGIN.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "intent": {"type": "string", "description": "What the file is for."},
                "target_file": {"type": "string", "description": "Needed for a new file: its path beneath the workspace. A .docx is made of Markdown."},
                "operation": {"type": "string", "enum": ["create", "overwrite", "append", "patch"], "description": "Needed with target_file."},
                "patch": {"type": "object", "description": patch},
                "must_exist": {"type": "boolean", "description": "overwrite only a file that is there."},
                "expect_sha256": {"type": "string", "description": "The hash that the file must have now."},
                "join": {"type": "string", "enum": ["newline"], "description": "append on a line of its own."},
                "validate": {"type": "string", "enum": ["off", "warn", "strict"]},
                "unwrap": {"type": "string", "enum": ["off", "auto"]},
                "terminator": {"type": "string", "enum": ["auto", "done", "sentinel"]},
                "encoding": {"type": "string", "enum": ["strict", "replace"], "description": "The file is UTF-8. replace: what is \
                    not UTF-8 in the content becomes U+FFFD."},
                "session_id": {"type": "string", "description": "Alone, instead of all that: go on with a file that was left incomplete."},
            },
            // Neither is needed beside session_id; what is missing without it is said by the result.
            "required": [],
            "additionalProperties": false,
        }),
        strict: None,
    }
}

fn write_file_spec() -> ToolSpec {
    let description = "Writes a short text file whose content is given here. Prefer WritePlanTool_begin for anything longer \
        than a screen.";
    ToolSpec {
        name: WRITE_FILE.to_owned(),
        description: description.to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "target_file": {"type": "string", "description": "Path of the file beneath the workspace. A .docx is made of Markdown."},
                "operation": {"type": "string", "enum": ["create", "overwrite", "append"]},
                "content": {"type": "string", "description": "All of the content. Give it last."},
            },
            "required": ["target_file", "operation", "content"],
            "additionalProperties": false,
        }),
        strict: None,
    }
}

fn write_text_spec() -> ToolSpec {
    let description = "Writes a text file. The first line of the call is create, overwrite or append, a space, and the path of \
        the file beneath the workspace. All of the content follows on the lines behind it, as it is: no quotes, no escapes, \
        no fence.";
    ToolSpec {
        name: WRITE_TEXT.to_owned(),
        description: description.to_owned(),
        parameters: Value::Null,
        strict: None,
    }
}

/// Reads a call of [`BEGIN`], for files beneath `folder`.
pub(super) fn read(arguments: &str, folder: Option<&str>) -> Result<Begin, Error> {
    let value: Value = match arguments.trim() {
        "" => json!({}),
        text => serde_json::from_str(text)
            .map_err(|error| Error::Options(format!("they are no JSON: {error}")))?,
    };
    let Value::Object(fields) = value else {
        return Err(Error::Options("they are no JSON object".to_owned()));
    };
    // Many models fill in what they have nothing to say about.
    let mut fields: Map<String, Value> = fields.into_iter().filter(|(_, value)| !value.is_null()).collect();
    if let Some(id) = fields.remove("session_id").filter(|id| id.as_str() != Some("")) {
        let id = id.as_str().and_then(|id| id.parse().ok());
        return id
            .map(Begin::Again)
            .ok_or_else(|| Error::Options("'session_id' is no id of a write session".to_owned()));
    }
    // Content in the call may be cut or escaped wrongly; the file is begun all the same, so that it finds its way.
    let mut not_taken = None;
    for name in CONTENT {
        not_taken = fields.remove(*name).map(|_| *name).or(not_taken);
    }
    if let Some(unknown) = fields.keys().find(|name| !OPTIONS.contains(&name.as_str())) {
        return Err(Error::Options(format!("there is no '{}'", crate::tools::cut(unknown, 40))));
    }
    // A fence around the whole file is a habit of models; taking it away is told in the receipt.
    let says_unwrap = fields.contains_key("unwrap");
    let mut options = BeginOptions::parse(&Value::Object(fields))?;
    if !says_unwrap {
        options.unwrap = Unwrap::Auto;
    }
    in_session(&mut options, folder);
    Ok(Begin::New(Box::new(options), not_taken))
}

/// What holds for all files that models write: what goes on with them has to prove its place.
pub(super) fn in_session(options: &mut BeginOptions, folder: Option<&str>) {
    options.root = folder.map(str::to_owned);
    options.continuation = Continuation { overlap: Overlap::Seam, ..Continuation::default() };
}

/// The file that a call names, for people.
pub(super) fn file_of(arguments: &str) -> Option<String> {
    let value: Value = serde_json::from_str(arguments).ok()?;
    Some(crate::tools::cut(value.get("target_file")?.as_str()?, 80))
}
