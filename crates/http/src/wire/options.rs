//! What a body asks of its answers beside their length: options by the names of chat completions, whichever route they came by.
//!
//! Must never judge what a model can do: that is for the one who knows the model.

use engross_llm::{AnswerOptions, asks_nothing, option_names};
use serde_json::{Map, Value, json};

use super::Notice;
use super::content::{note, shorten};
use super::fields::{self, Object, Path, expected};
use crate::error::Error;

/// Fields that say nothing of the answer, or that another place reads.
const OTHERS: &[&str] = &["include", "stream_options"];

/// Takes the options of a body.
///
/// # Errors
/// [`Error::InvalidRequest`] for a value that an option cannot have.
pub(super) fn take(body: &mut Object) -> Result<AnswerOptions, Error> {
    let mut options = AnswerOptions::default();
    for name in option_names() {
        if let Some(value) = fields::take(body, name)
            && !asks_nothing(name, &value)
        {
            check(name, &value)?;
            options.set(name, value);
        }
    }
    Ok(options)
}

/// Takes those that the wire of responses has in objects.
///
/// # Errors
/// As [`take`].
pub(super) fn take_nested(body: &mut Object, notices: &mut Vec<Notice>) -> Result<AnswerOptions, Error> {
    let mut options = AnswerOptions::default();
    let text_at = Path::root("text");
    if let Some(text) = fields::take(body, "text") {
        let mut text = fields::object(text, text_at)?;
        if let Some(format) = fields::take(&mut text, "format") {
            let format = nested_format(fields::object(format, text_at.field("format"))?);
            if !asks_nothing("response_format", &format) {
                check("response_format", &format)?;
                options.set("response_format", format);
            }
        }
        if let Some(verbosity) = fields::take(&mut text, "verbosity") {
            check("verbosity", &verbosity)?;
            options.set("verbosity", verbosity);
        }
    }
    let reasoning_at = Path::root("reasoning");
    if let Some(reasoning) = fields::take(body, "reasoning") {
        let mut reasoning = fields::object(reasoning, reasoning_at)?;
        if let Some(effort) = fields::take(&mut reasoning, "effort") {
            check("reasoning_effort", &effort)?;
            options.set("reasoning_effort", effort);
        }
        if reasoning.values().any(|value| !value.is_null()) {
            note(notices, "PARAMETER_IGNORED", || "`reasoning.summary` has no effect here.".to_owned());
        }
    }
    Ok(options)
}

/// A format of responses in the form that chat completions have.
fn nested_format(mut format: Object) -> Value {
    if format.get("type") != Some(&json!("json_schema")) || format.contains_key("json_schema") {
        return Value::Object(format);
    }
    format.remove("type");
    json!({"type": "json_schema", "json_schema": format})
}

/// What a body calls an option.
pub(crate) fn field_of(name: &str, is_responses: bool) -> &str {
    match name {
        "response_format" if is_responses => "text.format",
        "verbosity" if is_responses => "text.verbosity",
        "reasoning_effort" if is_responses => "reasoning.effort",
        name => name,
    }
}

/// Says which fields nobody has read.
pub(super) fn note_unknown(body: &Object, notices: &mut Vec<Notice>) {
    for (name, value) in body {
        if !value.is_null() && !OTHERS.contains(&name.as_str()) {
            note(notices, "PARAMETER_IGNORED", || format!("`{}` has no effect here.", shorten(name)));
        }
    }
}

fn check(name: &str, value: &Value) -> Result<(), Error> {
    let refuse = |problem: String| Err(Error::invalid(name, problem));
    let within = |least: f64, most: f64| match value.as_f64() {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        Some(_) => refuse(format!("must be between {least} and {most}")),
        None => refuse(expected("a number", value)),
    };
    match name {
        "top_p" | "min_p" => within(0.0, 1.0),
        "frequency_penalty" | "presence_penalty" => within(-2.0, 2.0),
        "seed" | "n" | "top_k" | "top_logprobs" | "max_tool_calls" if !value.is_i64() && !value.is_u64() => {
            refuse(expected("a whole number", value))
        }
        "parallel_tool_calls" | "logprobs" if !value.is_boolean() => refuse(expected("true or false", value)),
        "reasoning_effort" | "verbosity" | "service_tier" | "prompt_cache_key" | "safety_identifier"
        | "user"
            if !value.is_string() =>
        {
            refuse(expected("a string", value))
        }
        "metadata" | "logit_bias" if !value.is_object() => refuse(expected("an object", value)),
        "stop" => {
            let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
            let is_list =
                value.as_array().is_some_and(|texts| texts.len() <= 16 && texts.iter().all(is_text));
            if is_list || is_text(value) {
                Ok(())
            } else {
                refuse("must be a string, or a list of up to 16".to_owned())
            }
        }
        "response_format" => check_format(value),
        _ => Ok(()),
    }
}

fn check_format(value: &Value) -> Result<(), Error> {
    let refuse =
        |field: &str, problem: String| Err(Error::invalid(format!("response_format{field}"), problem));
    let Some(format) = value.as_object() else { return refuse("", expected("an object", value)) };
    match format.get("type").and_then(Value::as_str) {
        Some("text" | "json_object") => Ok(()),
        Some("json_schema") => {
            let empty = Map::new();
            let schema = format.get("json_schema").and_then(Value::as_object).unwrap_or(&empty);
            if !schema.get("name").is_some_and(Value::is_string) {
                return refuse(".json_schema.name", "is missing".to_owned());
            }
            match schema.get("schema") {
                Some(Value::Object(_)) => Ok(()),
                Some(other) => refuse(".json_schema.schema", expected("a JSON Schema, an object", other)),
                None => refuse(".json_schema.schema", "is missing".to_owned()),
            }
        }
        _ => refuse(".type", "must be text, json_object or json_schema".to_owned()),
    }
}
