//! What a request to `/v1/responses` says of the form of its answer.
//!
//! Must never change what the model is asked.

use serde_json::{Map, Value, json};

use super::Notice;
use super::content::{note, shorten};
use super::fields::{self, Object, Path};
use super::tools::Namespaces;
use crate::error::Error;

/// What is included beside the texts of an answer.
const REASONING: &str = "reasoning.encrypted_content";

/// How likely the pieces of a text were.
const LIKELIHOODS: &str = "message.output_text.logprobs";

/// Fields of a request that its response repeats, and what stands there where the request has none. Clients insist on finding them.
const REPEATED: &[RepeatedField] = &[
    ("background", || json!(false)),
    ("frequency_penalty", || json!(0.0)),
    ("instructions", || Value::Null),
    ("max_output_tokens", || Value::Null),
    ("max_tool_calls", || Value::Null),
    ("metadata", || json!({})),
    ("parallel_tool_calls", || json!(true)),
    ("presence_penalty", || json!(0.0)),
    ("previous_response_id", || Value::Null),
    ("prompt_cache_key", || Value::Null),
    ("reasoning", || json!({"effort": null, "summary": null})),
    ("safety_identifier", || Value::Null),
    ("service_tier", || json!("default")),
    ("store", || json!(true)),
    ("temperature", || json!(1.0)),
    ("text", || json!({"format": {"type": "text"}})),
    ("tool_choice", || json!("auto")),
    ("tools", || json!([])),
    ("top_logprobs", || json!(0)),
    ("top_p", || json!(1.0)),
    ("truncation", || json!("disabled")),
];

/// A field, and what stands in it usually.
type RepeatedField = (&'static str, fn() -> Value);

/// The form of an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ResponsesShape {
    /// Names of tools that the client gave inside a namespace.
    pub(crate) namespaces: Namespaces,
    /// Whether the client keeps what the model thought before its calls.
    pub(crate) reasoning: bool,
    /// Whether it wants to know how likely the text was.
    pub(super) likelihoods: bool,
    /// What of the request its response repeats.
    pub(super) repeated: Map<String, Value>,
}

impl ResponsesShape {
    /// That of a body whose fields were not read yet.
    pub(super) fn of(body: &Object) -> Self {
        let sent = |name: &str| body.get(name).filter(|value| !value.is_null()).cloned();
        let repeated = REPEATED.iter().filter_map(|(name, _)| Some(((*name).to_owned(), sent(name)?)));
        Self { repeated: repeated.collect(), ..Self::default() }
    }

    /// Takes the field `include`.
    ///
    /// # Errors
    /// [`Error::InvalidRequest`] where it is no list of texts.
    pub(super) fn include(&mut self, body: &mut Object, notices: &mut Vec<Notice>) -> Result<(), Error> {
        let at = Path::root("include");
        let Some(list) = fields::take(body, "include") else { return Ok(()) };
        for (index, item) in fields::list(list, at)?.into_iter().enumerate() {
            match fields::string(item, at.item(index))?.as_str() {
                REASONING => self.reasoning = true,
                LIKELIHOODS => self.likelihoods = true,
                other => note(notices, "PARAMETER_IGNORED", || {
                    format!("`include` has no effect here for {}.", shorten(other))
                }),
            }
        }
        Ok(())
    }

    /// Writes what is repeated into a response.
    pub(super) fn repeat(&self, response: &mut Value) {
        for (name, usual) in REPEATED {
            let mut repeated = self.repeated.get(*name).cloned().unwrap_or_else(usual);
            complete(&mut repeated, usual());
            match *name {
                "tools" => complete_tools(&mut repeated),
                "text" if repeated["format"]["type"] == "json_schema" => {
                    complete(&mut repeated["format"], json!({"description": null, "strict": false}));
                }
                _ => {}
            }
            response[*name] = repeated;
        }
    }
}

/// Adds to an object what stands in it usually and the client has left out.
fn complete(object: &mut Value, usual: Value) {
    if let (Value::Object(object), Value::Object(usual)) = (object, usual) {
        for (name, value) in usual {
            object.entry(name).or_insert(value);
        }
    }
}

/// The same for the functions of a list of tools, and for those within a namespace of it.
fn complete_tools(tools: &mut Value) {
    for tool in tools.as_array_mut().into_iter().flatten() {
        match tool["type"].as_str() {
            Some("function") => {
                complete(tool, json!({"description": null, "parameters": null, "strict": null}));
            }
            Some("namespace") => tool.get_mut("tools").into_iter().for_each(complete_tools),
            _ => {}
        }
    }
}
