//! The tools by which a model looks at text files: `read_file`, `list_files`, `search_files` and `stat`.
//!
//! Must never change a file, follow a link out of the folder, or give more than its bounds. Everything here blocks.

use engross_llm::{ToolCall, ToolSpec};
use engross_protocol::hex;
use engross_store::files::{FileError, Folder, RelPath};
use regex::RegexBuilder;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::lines::{FileText, numbered};
use crate::session::{ServerTool, ToolResult};
use crate::tools::{ToolError, cut};

const READ_FILE: &str = "read_file";
const LIST_FILES: &str = "list_files";
const SEARCH_FILES: &str = "search_files";
const STAT: &str = "stat";

/// The largest file that is looked into, in bytes.
const LARGEST: u64 = 16 << 20;
/// Files that are listed, and files that are searched.
const LISTED: usize = 300;
const SEARCHED: usize = 2000;
/// Places that a search gives, and characters of each line.
const HITS: usize = 100;
const HIT: usize = 200;
/// How models call the argument that names a file.
const FILE: &[&str] = &["file", "path", "target_file", "file_path", "filename"];
/// The folders in which programs keep their own files.
const OWN: &[&str] = &[".engross", ".engross-writes", ".git"];

/// A folder that is looked at.
pub(super) struct FileTools {
    folder: Folder,
}

/// Why a call is refused: a code, and what to do.
type Refusal = (&'static str, String);

/// Whether a tool is one of these.
pub(super) fn knows(name: &str) -> bool {
    [READ_FILE, LIST_FILES, SEARCH_FILES, STAT].contains(&name)
}

/// What people read while one is carried out.
pub(super) fn status(call: &ToolCall) -> String {
    let arguments: Map<String, Value> = serde_json::from_str(&call.arguments).unwrap_or_default();
    let file = text_of(&arguments, FILE).map(|file| cut(file, 80)).unwrap_or_default();
    match call.name.as_str() {
        LIST_FILES => "Looking for files …".to_owned(),
        SEARCH_FILES => "Searching files …".to_owned(),
        _ => format!("Reading {file} …"),
    }
}

/// What the model is offered.
pub(super) fn tools() -> Vec<ServerTool> {
    let file = json!({"type": "string", "description": "Path of the file beneath the workspace."});
    let under =
        json!({"type": "string", "description": "Only files beneath this folder, or whose path begins so."});
    let tool = |name: &str, description: &str, properties: Value, required: Value| ServerTool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: description.to_owned(),
            parameters: json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false,
            }),
            strict: None,
        },
        read_only: true,
    };
    vec![
        tool(
            READ_FILE,
            "Reads a text file: numbered lines, its hash, encoding and line ends. Long files come in parts: say which lines. A Word \
             document is read with read_document.",
            json!({"file": file, "start_line": {"type": "integer"}, "end_line": {"type": "integer"}}),
            json!(["file"]),
        ),
        tool(
            LIST_FILES,
            "Lists the files of the workspace with their sizes.",
            json!({"under": under}),
            json!([]),
        ),
        tool(
            SEARCH_FILES,
            "Finds a text, or a regular expression, in the text files of the workspace: file, line and the line's text.",
            json!({
                "text": {"type": "string", "description": "What is looked for."},
                "regex": {"type": "boolean", "description": "Whether it is a regular expression."},
                "ignore_case": {"type": "boolean"},
                "under": under,
            }),
            json!(["text"]),
        ),
        tool(
            STAT,
            "Says of a file whether it is there, its size, hash, lines and encoding.",
            json!({"file": file}),
            json!(["file"]),
        ),
    ]
}

impl FileTools {
    pub(super) fn new(folder: Folder) -> Self {
        Self { folder }
    }

    /// The bytes of the file that a model names.
    pub(super) fn file(&self, named: &str) -> Result<Vec<u8>, ToolError> {
        let arguments = Map::from_iter([("file".to_owned(), json!(named))]);
        let bytes = self.path_of(&arguments).and_then(|path| self.bytes(&path));
        bytes.map_err(|(code, message)| ToolError::new(code, message))
    }

    /// Carries a call out.
    pub(super) fn call(&self, call: &ToolCall) -> ToolResult {
        let arguments: Map<String, Value> = match call.arguments.trim() {
            "" => Map::new(),
            text => serde_json::from_str(text).unwrap_or_default(),
        };
        let done = match call.name.as_str() {
            READ_FILE => self.read(&arguments),
            LIST_FILES => self.list(&arguments),
            SEARCH_FILES => self.search(&arguments),
            _ => self.stat(&arguments),
        };
        match done {
            Ok(text) => ToolResult::text(text),
            Err((code, message)) => {
                ToolResult::error(json!({"error": {"code": code, "message": message}}).to_string())
            }
        }
    }

    fn read(&self, arguments: &Map<String, Value>) -> Result<String, Refusal> {
        let path = self.path_of(arguments)?;
        let name = path.name().to_ascii_lowercase();
        if name.ends_with(".docx") || name.ends_with(".docm") {
            return Err((
                engross_protocol::shared::INVALID_ARGUMENTS.name,
                format!("{path} is a Word document: read it with read_document"),
            ));
        }
        let bytes = self.bytes(&path)?;
        let text = FileText::of(&bytes)
            .map_err(|problem| (engross_write::codes::ENCODING_INVALID.name, format!("{path} {problem}")))?;
        let number = |name: &str| {
            let value = arguments.get(name)?;
            value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())
        };
        let (start, end) = (number("start_line").unwrap_or(1).max(1), number("end_line").unwrap_or(u64::MAX));
        let (lines, shown) = numbered(&text.text, start, end);
        let mut head = format!("{path}: {}, sha256 {}", text.about(&bytes), sha256(&bytes));
        match shown {
            Some((first, last)) if first > 1 || last < text.lines() => {
                head.push_str(&format!("; lines {first} to {last}"));
                if last < text.lines() && last < end {
                    head.push_str(&format!(" (go on with start_line {})", last + 1));
                }
            }
            None if text.lines() > 0 => head.push_str(&format!("; it has no line {start}")),
            _ => {}
        }
        Ok(format!("{head}\n{lines}"))
    }

    fn stat(&self, arguments: &Map<String, Value>) -> Result<String, Refusal> {
        let path = self.path_of(arguments)?;
        let Some(info) = self.folder.info(&path).map_err(|error| refused(&error))? else {
            return Ok(json!({"file": path.as_str(), "exists": false}).to_string());
        };
        let mut about = json!({"file": path.as_str(), "exists": true, "bytes": info.size});
        if info.size <= LARGEST {
            let bytes = self.bytes(&path)?;
            about["sha256"] = json!(sha256(&bytes));
            about["text"] = FileText::of(&bytes).map_or(Value::Bool(false), |text| json!(text.about(&bytes)));
        }
        Ok(about.to_string())
    }

    fn list(&self, arguments: &Map<String, Value>) -> Result<String, Refusal> {
        let (files, more) = self.files(arguments, LISTED)?;
        let list: Vec<Value> =
            files.iter().map(|(path, bytes)| json!({"file": path.as_str(), "bytes": bytes})).collect();
        Ok(json!({"files": list, "more": more}).to_string())
    }

    fn search(&self, arguments: &Map<String, Value>) -> Result<String, Refusal> {
        let text = text_of(arguments, &["text", "pattern", "query"]).unwrap_or_default();
        let is_set = |name: &str| arguments.get(name).and_then(Value::as_bool).unwrap_or_default();
        if text.is_empty() {
            return Err((
                engross_protocol::shared::INVALID_ARGUMENTS.name,
                "'text' is empty: say what to look for".to_owned(),
            ));
        }
        let pattern = if is_set("regex") { text.to_owned() } else { regex::escape(text) };
        let regex =
            RegexBuilder::new(&pattern).case_insensitive(is_set("ignore_case")).size_limit(1 << 20).build();
        let regex = regex.map_err(|error| {
            (engross_protocol::shared::INVALID_ARGUMENTS.name, format!("the pattern is wrong: {error}"))
        })?;
        let (files, mut more) = self.files(arguments, SEARCHED)?;
        let mut hits = Vec::new();
        for (path, size) in files.iter().filter(|(_, size)| *size <= LARGEST) {
            let Ok(bytes) = self.bytes(path) else { continue };
            let Ok(text) = FileText::of(&bytes) else { continue };
            debug_assert!(*size <= LARGEST, "larger ones are left out");
            for (number, line) in (1..).zip(text.text.lines()).filter(|(_, line)| regex.is_match(line)) {
                if hits.len() == HITS {
                    more = true;
                    break;
                }
                let line: String = line.chars().take(HIT).collect();
                hits.push(format!("{path}:{number}: {line}"));
            }
        }
        let tail =
            if more { "\n(there are more: look for something rarer, or say under which folder)" } else { "" };
        Ok(if hits.is_empty() {
            format!("nothing was found{tail}")
        } else {
            format!("{}{tail}", hits.join("\n"))
        })
    }

    /// The files beneath what is named, without those that programs keep for themselves; whether there are more.
    fn files(
        &self,
        arguments: &Map<String, Value>,
        most: usize,
    ) -> Result<(Vec<(RelPath, u64)>, bool), Refusal> {
        let under = text_of(arguments, &["under", "path", "folder", "directory"]).unwrap_or_default();
        let under = self.folder.relative(under.trim_start_matches("./"));
        let under = if under == "." { "" } else { &*under };
        let mut files = Vec::new();
        let mut after: Option<RelPath> = None;
        loop {
            let page = self.folder.list(under, after.as_ref(), most).map_err(|error| refused(&error))?;
            after = page.files.last().map(|listed| listed.path.clone());
            let own = |path: &RelPath| {
                path.components().any(|part| OWN.contains(&part) || part.starts_with(".engross-"))
            };
            files.extend(
                page.files
                    .into_iter()
                    .filter(|listed| !own(&listed.path))
                    .map(|listed| (listed.path, listed.info.size)),
            );
            if files.len() >= most || !page.more || after.is_none() {
                let more = files.len() > most || page.more;
                files.truncate(most);
                return Ok((files, more));
            }
        }
    }

    /// The file that a call names.
    fn path_of(&self, arguments: &Map<String, Value>) -> Result<RelPath, Refusal> {
        let named = text_of(arguments, FILE);
        let named = named.ok_or_else(|| {
            (engross_protocol::shared::INVALID_ARGUMENTS.name, "'file' is missing: name a file".to_owned())
        })?;
        let named = self.folder.relative(named.trim_start_matches("./"));
        let path = RelPath::parse(&named).map_err(|error| refused(&error))?;
        if path.components().any(|part| OWN.contains(&part)) {
            let error = FileError::ProtectedPath {
                path: path.to_string(),
                problem: "it is kept by a program".to_owned(),
            };
            return Err(refused(&error));
        }
        Ok(path)
    }

    fn bytes(&self, path: &RelPath) -> Result<Vec<u8>, Refusal> {
        let found = self.folder.read(path, LARGEST).map_err(|error| refused(&error))?;
        found.map(|(bytes, _)| bytes).ok_or_else(|| {
            let error = FileError::TargetMissing { path: path.to_string() };
            (error.code(), format!("there is no file {path}: list_files names those that are there"))
        })
    }
}

/// The text of the first of these arguments that is there.
fn text_of<'a>(arguments: &'a Map<String, Value>, names: &[&str]) -> Option<&'a str> {
    names.iter().find_map(|name| arguments.get(*name)?.as_str())
}

fn refused(error: &FileError) -> Refusal {
    (error.code(), error.to_string())
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
