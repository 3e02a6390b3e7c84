//! The tools that a client offers to carry out, and its choice among them.
//!
//! Must never take a tool under a name that another one has.

use std::collections::BTreeMap;
use std::collections::HashSet;

use engross_agent::session::{ClientTool, ClientToolChoice};
use engross_llm::ToolSpec;
use serde_json::{Value, json};

use super::Notice;
use super::content::{note, shorten};
use super::fields::{self, Object, Path, expected};
use crate::error::Error;

/// Most tools of one request.
const MOST_TOOLS: usize = 512;

/// Longest name of a tool in bytes.
const LONGEST_NAME: usize = 128;

/// What joins a namespace and a name.
const JOINT: &str = "__";

/// Tools that the client gave inside a namespace: the name the model sees, and what the client calls it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Namespaces(BTreeMap<String, (String, String)>);

impl Namespaces {
    /// Namespace and name of a tool as the client gave them, if it gave a namespace.
    pub(super) fn of(&self, flat: &str) -> Option<(&str, &str)> {
        self.0.get(flat).map(|(namespace, name)| (namespace.as_str(), name.as_str()))
    }

    /// The name that the model sees.
    pub(super) fn flat(namespace: &str, name: &str) -> String {
        let joint = if namespace.ends_with(JOINT) { "" } else { JOINT };
        format!("{namespace}{joint}{name}")
    }
}

/// What becomes of tools that are no functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// The request is refused.
    Refused,
    /// They are left out, with a notice: clients of responses name tools of their provider without being asked.
    LeftOut,
}

/// Tools as they are read.
pub(super) struct Tools {
    others: Others,
    list: Vec<ClientTool>,
    taken: HashSet<String>,
    namespaces: Namespaces,
    notices: Vec<Notice>,
}

impl Tools {
    pub(super) fn new(others: Others) -> Self {
        Self {
            others,
            list: Vec::new(),
            taken: HashSet::new(),
            namespaces: Namespaces::default(),
            notices: Vec::new(),
        }
    }

    /// Reads a list of tools.
    pub(super) fn read(&mut self, tools: Value, at: Path<'_>) -> Result<(), Error> {
        for (index, tool) in fields::list(tools, at)?.into_iter().enumerate() {
            let at = at.item(index);
            let mut tool = fields::object(tool, at)?;
            let kind = fields::text(&mut tool, "type", at.field("type"))?;
            match kind.as_deref() {
                None | Some("function") => self.function(tool, None, at)?,
                Some("namespace") if self.others == Others::LeftOut => self.namespace(tool, at)?,
                Some(other) if self.others == Others::LeftOut => {
                    note(&mut self.notices, "TOOL_IGNORED", || {
                        format!(
                            "`{at}` is of the type {} and was left out: only functions can be called.",
                            shorten(other)
                        )
                    });
                }
                Some(other) => {
                    let problem = format!(
                        "is of the type '{}': only tools of the type function can be called",
                        shorten(other)
                    );
                    return Err(Error::tool(at, problem));
                }
            }
        }
        Ok(())
    }

    /// The tools, those inside namespaces by what the client calls them, and what was left out.
    pub(super) fn finish(self) -> (Vec<ClientTool>, Namespaces, Vec<Notice>) {
        (self.list, self.namespaces, self.notices)
    }

    fn namespace(&mut self, mut namespace: Object, at: Path<'_>) -> Result<(), Error> {
        let name = name_of(&mut namespace, at)?;
        let tools_at = at.field("tools");
        let tools = fields::take(&mut namespace, "tools").unwrap_or_else(|| json!([]));
        for (index, tool) in fields::list(tools, tools_at)?.into_iter().enumerate() {
            let at = tools_at.item(index);
            let mut tool = fields::object(tool, at)?;
            tool.remove("type");
            self.function(tool, Some(&name), at)?;
        }
        Ok(())
    }

    fn function(&mut self, mut tool: Object, namespace: Option<&str>, at: Path<'_>) -> Result<(), Error> {
        let function_at = at.field("function");
        let outer = hints(&mut tool, at)?;
        let (mut function, at) = match fields::take(&mut tool, "function") {
            Some(function) => (fields::object(function, function_at)?, function_at),
            None => (tool, at),
        };
        let name = name_of(&mut function, at)?;
        let flat = namespace.map_or_else(|| name.clone(), |namespace| Namespaces::flat(namespace, &name));
        let parameters_at = at.field("parameters");
        let parameters = match fields::take(&mut function, "parameters") {
            None => json!({"type": "object", "properties": {}}),
            Some(schema @ Value::Object(_)) => schema,
            Some(other) => {
                return Err(Error::tool(parameters_at, expected("a JSON Schema, an object", &other)));
            }
        };
        let description =
            fields::text(&mut function, "description", at.field("description"))?.unwrap_or_default();
        let inner = hints(&mut function, at)?;
        let read_only = inner.read_only.or(outer.read_only).unwrap_or(false);
        let idempotent = inner.idempotent.or(outer.idempotent).unwrap_or(false);
        let strict = fields::flag(&mut function, "strict", at.field("strict"))?;
        if !self.taken.insert(flat.clone()) {
            return Err(Error::tool(
                at.field("name"),
                format!("'{flat}' is there twice: give each tool a name of its own"),
            ));
        }
        if self.list.len() == MOST_TOOLS {
            return Err(Error::tool(
                at,
                format!("is one too many: at most {MOST_TOOLS} tools can be offered"),
            ));
        }
        if let Some(namespace) = namespace {
            self.namespaces.0.insert(flat.clone(), (namespace.to_owned(), name));
        }
        let spec = ToolSpec { name: flat, description, parameters, strict };
        self.list.push(ClientTool { spec, read_only, idempotent });
        Ok(())
    }
}

/// Reads tools that every client carries out.
///
/// # Errors
/// [`Error::InvalidRequest`] or [`Error::ToolInvalid`], naming what is wrong.
pub fn client_tools(tools: Value) -> Result<Vec<ClientTool>, Error> {
    let mut read = Tools::new(Others::Refused);
    read.read(tools, Path::root("tools"))?;
    Ok(read.finish().0)
}

/// The choice among the tools. `tools` are those of this request; without any the session may know them.
pub(super) fn choice(
    value: Value,
    tools: Option<&[ClientTool]>,
    at: Path<'_>,
) -> Result<ClientToolChoice, Error> {
    let choice = match value {
        Value::String(word) => word_of(&word, at)?,
        Value::Object(mut object) => {
            let kind = fields::text(&mut object, "type", at.field("type"))?;
            match kind.as_deref() {
                None | Some("function") => {
                    let function_at = at.field("function");
                    let mut function = match fields::take(&mut object, "function") {
                        Some(function) => fields::object(function, function_at)?,
                        None => object,
                    };
                    let name = name_of(&mut function, at)?;
                    let name = match fields::text(&mut function, "namespace", at.field("namespace"))? {
                        Some(namespace) => Namespaces::flat(&namespace, &name),
                        None => name,
                    };
                    ClientToolChoice::Named(name)
                }
                Some(word) => word_of(word, at)?,
            }
        }
        other => return Err(Error::tool(at, expected("a string or an object", &other))),
    };
    let known = |name: &String| tools.is_none_or(|tools| tools.iter().any(|tool| tool.spec.name == *name));
    match &choice {
        ClientToolChoice::Named(name) if !known(name) => {
            Err(Error::tool(at, format!("requested unknown tool: {}", shorten(name))))
        }
        ClientToolChoice::Required if tools.is_some_and(<[_]>::is_empty) => {
            Err(Error::tool(at, "requires a call, but `tools` is empty"))
        }
        _ => Ok(choice),
    }
}

fn word_of(word: &str, at: Path<'_>) -> Result<ClientToolChoice, Error> {
    match word {
        "auto" => Ok(ClientToolChoice::Auto),
        "none" => Ok(ClientToolChoice::None),
        "required" | "any" => Ok(ClientToolChoice::Required),
        other => {
            let problem =
                format!("'{}' is unknown: send auto, none, required or one function", shorten(other));
            Err(Error::tool(at, problem))
        }
    }
}

fn name_of(object: &mut Object, at: Path<'_>) -> Result<String, Error> {
    let at = at.field("name");
    let name = fields::text(object, "name", at)?.ok_or_else(|| Error::tool(at, "is missing"))?;
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(fits) {
        let problem = format!("must be 1 to {LONGEST_NAME} letters, digits, `_`, `-` or `.` of ASCII");
        return Err(Error::tool(at, problem));
    }
    Ok(name)
}

/// What a tool says of itself.
#[derive(Default)]
struct Hints {
    /// It changes nothing.
    read_only: Option<bool>,
    /// The same call twice does no more than once.
    idempotent: Option<bool>,
}

/// What a tool says of itself: in our words, or in those of MCP.
fn hints(tool: &mut Object, at: Path<'_>) -> Result<Hints, Error> {
    let mut hints = Hints {
        read_only: fields::flag(tool, "x-read-only", at.field("x-read-only"))?,
        idempotent: fields::flag(tool, "x-idempotent", at.field("x-idempotent"))?,
    };
    let annotations_at = at.field("annotations");
    let Some(annotations) = fields::take(tool, "annotations") else { return Ok(hints) };
    let mut annotations = fields::object(annotations, annotations_at)?;
    let mut hint = |name| fields::flag(&mut annotations, name, annotations_at.field(name));
    hints.read_only = hints.read_only.or(hint("readOnlyHint")?);
    hints.idempotent = hints.idempotent.or(hint("idempotentHint")?);
    Ok(hints)
}
