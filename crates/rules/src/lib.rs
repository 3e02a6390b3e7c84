//! The embedded default model: a small set of instruction patterns that works offline.
//!
//! It is not a language model and says so. Must never read the document, never do a part of an instruction, and never
//! answer with a call after a tool result, so that no loop can arise. Same conversation, same answer.
//! The patterns are in `docs/guide/rules.md`.

mod grammar;
mod limits;
mod operations;
mod refusal;
mod tokens;

#[cfg(test)]
mod answer_tests;
#[cfg(test)]
mod grammar_tests;
#[cfg(test)]
mod guide_tests;

use engross_llm::{Error, Event, FinishReason, Message, Model, ModelInfo, Request};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde::Deserialize;
use serde_json::json;

use crate::refusal::Refusal;

/// The tool through which the rules act.
const TOOL: &str = "apply_redlines";

/// Lines after which the person's instruction stands in a message; before them may be document text, or what a task is told about
/// its folder.
const INSTRUCTION_LINES: [&str; 2] = ["Instruction:", "User request:"];

/// What call ids begin with; a number follows.
const CALL_ID_PREFIX: &str = "rules-";

const SELF_DESCRIPTION: &str =
    "I am the rules model: a small set of instruction patterns, not a language model.";

/// What is understood, for people, one short form a line.
const SHORT_FORMS: &str = r#"  replace "X" with "Y"
  change "X" to "Y" in paragraph N
  replace the 2nd occurrence of "X" with "Y"
  replace all "X" with "Y"
  rename "X" to "Y" everywhere
  delete "X" in paragraph N
  delete paragraph N
  delete paragraphs N to M
  delete the paragraph containing "X"
  insert "T" after paragraph N
  insert "T" before the paragraph containing "X"
  insert "T" at the end
  append "T" to paragraph N
  prepend "T" to paragraph N
  rewrite paragraph N as "T""#;

/// The embedded model `rules`: turns an instruction that fits a pattern into one call of `apply_redlines`, and refuses
/// any other in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RulesModel;

impl Model for RulesModel {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "rules".to_owned(), language_model: false }
    }

    /// Answers at once and never fails. An instruction is the text after the last line `Instruction:` of the last
    /// message, or that whole message.
    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let events = match request.messages.last() {
            Some(Message::User { content, .. }) => answer_instruction(instruction(content), &request),
            Some(Message::Tool { content, is_error, .. }) => say(report(content, *is_error)),
            Some(Message::Assistant { .. }) | None => {
                say(format!("{SELF_DESCRIPTION} There is no instruction to answer."))
            }
        };
        stream::iter(events.into_iter().map(Ok)).boxed()
    }
}

fn answer_instruction(instruction: &str, request: &Request) -> Vec<Event> {
    let operations = match grammar::operations(instruction) {
        Ok(operations) => operations,
        Err(refusal) => return say(explain(&refusal)),
    };
    if !request.tools.iter().any(|tool| tool.name == TOOL) {
        return say(format!(
            "{SELF_DESCRIPTION} I understood the instruction, but there is no document to edit here: \
             the tool {TOOL} is not on offer. Nothing was done."
        ));
    }
    vec![
        Event::ToolCallStart { index: 0, id: next_call_id(&request.messages), name: TOOL.to_owned() },
        Event::ToolCallArguments { index: 0, delta: json!({ "operations": operations }).to_string() },
        Event::Finish(FinishReason::ToolCalls),
    ]
}

/// `rules-1`, or the number after the highest one in the conversation, so that no id is used twice.
fn next_call_id(messages: &[Message]) -> String {
    let highest = messages
        .iter()
        .filter_map(|message| match message {
            Message::Assistant { tool_calls, .. } => Some(tool_calls),
            Message::User { .. } | Message::Tool { .. } => None,
        })
        .flatten()
        .filter_map(|call| call.id.strip_prefix(CALL_ID_PREFIX)?.parse::<u32>().ok())
        .max()
        .unwrap_or(0);
    format!("{CALL_ID_PREFIX}{}", u64::from(highest) + 1)
}

fn instruction(content: &str) -> &str {
    let mut start = 0;
    let mut end = 0;
    for line in content.split_inclusive('\n') {
        end += line.len();
        if INSTRUCTION_LINES.contains(&line.trim_end_matches(['\n', '\r'])) {
            start = end;
        }
    }
    content.get(start..).unwrap_or_default()
}

fn explain(refusal: &Refusal) -> String {
    let clause = if refusal.clause.is_empty() {
        String::new()
    } else {
        format!("\n\nI did not understand this part:\n  {}", refusal.clause)
    };
    format!(
        "{SELF_DESCRIPTION} Nothing was done.{clause}\n{refusal}\n\n\
         I understand:\n{SHORT_FORMS}\n\
         Several are joined by a new line, “;” or “and then”. For anything else choose a language model with --model, \
         such as --model openai/NAME or --model ollama/NAME."
    )
}

/// What a tool's result says about the work, as the end of the turn.
fn report(result: &str, is_error: bool) -> String {
    match serde_json::from_str::<ToolResult>(result) {
        Ok(ToolResult { summary: Summary { applied, no_change, refused, failed } }) => format!(
            "Operations applied: {applied}; without effect: {no_change}; refused: {refused}; failed: {failed}."
        ),
        Err(_) if is_error => format!("The tool reported an error: {}", refusal::excerpt(result)),
        Err(_) => "The tool answered without a summary; its result says what was done.".to_owned(),
    }
}

/// The part of a result of `apply_redlines` that is repeated to the person.
#[derive(Deserialize)]
struct ToolResult {
    summary: Summary,
}

/// How many operations ended in which way.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    #[serde(default)]
    applied: u64,
    #[serde(default)]
    no_change: u64,
    #[serde(default)]
    refused: u64,
    #[serde(default)]
    failed: u64,
}

fn say(text: String) -> Vec<Event> {
    vec![Event::Text(text), Event::Finish(FinishReason::Stop)]
}
