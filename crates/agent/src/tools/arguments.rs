//! From a call's arguments, which are text by a model, to what is to be done.
//!
//! Must never guess: unknown fields are refused, naming the nearest. A wrong operation does not hinder its neighbours.

use engross_docx::read::{ReadOptions, View};
use engross_llm::ToolCall;
use serde_json::{Map, Value};

use crate::codes;
use crate::writing::Texts;

use super::proposals::{invalid, proposals};
use super::salvage::CUT;
use super::{APPLY_REDLINES, PERFORM_RESEARCH, Question, READ_DOCUMENT, Research, ToolError, ToolUse};

/// Paragraphs of a reading when the model does not say.
const DEFAULT_PARAGRAPHS: usize = 100;

/// What a call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParsedCall {
    /// Something that can be done at once.
    Use(ToolUse),
    /// Something that the model is asked first.
    Ask(Question),
}

/// Reads a call. Texts that it only names are read from `texts`.
pub(crate) fn parse_call(call: &ToolCall, texts: &Texts) -> Result<ParsedCall, ToolError> {
    let fields: &[&str] = match call.name.as_str() {
        READ_DOCUMENT => &["from", "limit", "search", "view"],
        APPLY_REDLINES => &["operations", "instruction", CUT],
        PERFORM_RESEARCH => &["instruction"],
        name => {
            let message =
                format!("there is no tool '{name}'; the tools are {READ_DOCUMENT} and {APPLY_REDLINES}");
            return Err(ToolError::new(codes::UNKNOWN_TOOL.name, message));
        }
    };
    let arguments = arguments(&call.arguments).map_err(invalid)?;
    if let Some(unknown) = arguments.keys().find(|key| !fields.contains(&key.as_str())) {
        let nearest = fields.iter().max_by(|left, right| {
            let score = |field: &str| strsim::jaro_winkler(unknown, field);
            score(left).total_cmp(&score(right))
        });
        let nearest = nearest.copied().unwrap_or_default();
        return Err(invalid(format!(
            "{} has no argument '{unknown}'; did you mean '{nearest}'? It takes {}",
            call.name,
            fields.iter().filter(|field| **field != CUT).copied().collect::<Vec<_>>().join(", ")
        )));
    }
    match call.name.as_str() {
        READ_DOCUMENT => Ok(ParsedCall::Use(ToolUse::Read(read_options(&arguments)?))),
        PERFORM_RESEARCH => research(&arguments),
        _ => apply(&arguments, texts),
    }
}

fn arguments(text: &str) -> Result<Map<String, Value>, String> {
    // Some models send nothing at all where they mean no arguments.
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err("the arguments are no JSON object; send one object".to_owned()),
        Err(error) => Err(format!("the arguments are not valid JSON ({error}); send the call again in full")),
    }
}

fn read_options(arguments: &Map<String, Value>) -> Result<ReadOptions, ToolError> {
    let text = |field: &str| match arguments.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
        Some(Value::Number(number)) if field == "from" => Ok(Some(number.to_string())),
        Some(_) => Err(invalid(format!("'{field}' is no text"))),
    };
    let limit = match arguments.get("limit") {
        None | Some(Value::Null) => DEFAULT_PARAGRAPHS,
        Some(limit) => limit
            .as_u64()
            .and_then(|limit| usize::try_from(limit).ok())
            .filter(|limit| *limit > 0)
            .ok_or_else(|| invalid("'limit' is no number from 1".to_owned()))?,
    };
    let view = match text("view")?.as_deref() {
        None | Some("accepted") => View::Accepted,
        Some("original") => View::Original,
        Some("markup") => View::Markup,
        Some(view) => {
            return Err(invalid(format!("'{view}' is no view; the views are accepted, original, markup")));
        }
    };
    let (search, from) = (text("search")?, text("from")?);
    Ok(ReadOptions { view, search, from, limit: Some(limit), ..ReadOptions::default() })
}

fn apply(arguments: &Map<String, Value>, texts: &Texts) -> Result<ParsedCall, ToolError> {
    let given = |field: &str| arguments.get(field).filter(|value| !value.is_null());
    match (given("operations"), given("instruction")) {
        (Some(operations), None) => {
            proposals(operations, texts).map(|list| ParsedCall::Use(ToolUse::Apply(list)))
        }
        (None, Some(instruction)) => match instruction.as_str().filter(|text| !text.trim().is_empty()) {
            Some(instruction) => Ok(ParsedCall::Ask(Question::Operations(instruction.to_owned()))),
            None => Err(invalid("'instruction' is no text; say what to edit".to_owned())),
        },
        (None, None) => Err(invalid("there is nothing to apply; give 'operations'".to_owned())),
        (Some(_), Some(_)) => Err(invalid("give 'operations' or 'instruction', not both".to_owned())),
    }
}

fn research(arguments: &Map<String, Value>) -> Result<ParsedCall, ToolError> {
    let question =
        arguments.get("instruction").and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    match question {
        Some(question) => Ok(ParsedCall::Ask(Question::Research(Research(question.to_owned())))),
        None => Err(invalid("'instruction' is no text; say what to find out".to_owned())),
    }
}
