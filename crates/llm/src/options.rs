//! What a request may ask of an answer besides its length and temperature, and what becomes of it with each provider.
//!
//! Must never pass on what a provider is not known to take, nor leave out what changes the meaning of an answer without saying
//! so: the table here is the one place that knows, and docs/guide/models.md shows it.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// What a request asks of its answers, by the names of OpenAI's chat completions.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AnswerOptions(Map<String, Value>);

impl AnswerOptions {
    /// Asks for something more.
    pub fn set(&mut self, name: impl Into<String>, value: Value) {
        self.0.insert(name.into(), value);
    }

    /// Asks for one thing less.
    pub fn remove(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// Whether nothing is asked.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is asked of one option.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionTreatment {
    /// The provider is asked for it.
    Passed,
    /// It has no effect, and the answer means the same without it.
    Ignored,
    /// It cannot be done, and the answer would mean something else.
    Refused,
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI itself.
    OpenAi,
    /// Ollama, and any other server that speaks chat completions.
    Compatible,
    /// Anthropic's Messages.
    Anthropic,
    /// Gemini.
    Gemini,
    /// The embedded rules and scripts.
    Embedded,
}

/// What a provider makes of an option.
#[derive(Clone, Copy)]
enum Way {
    /// It takes the value as it is, at this place of the body.
    At(&'static [&'static str]),
    /// It takes it in another form: fields and values, or nothing for a value that it cannot take.
    As(fn(&Value) -> Option<Vec<BodyField>>),
    Ignored,
    Refused,
}

type BodyField = (&'static [&'static str], Value);

/// A value that asks for nothing.
#[derive(Clone, Copy)]
enum Neutral {
    None,
    Number(f64),
    Flag(bool),
    /// An object of this type.
    Type(&'static str),
    /// A list of this one word.
    Only(&'static str),
}

struct Row {
    name: &'static str,
    neutral: Neutral,
    openai: Way,
    compatible: Way,
    anthropic: Way,
    gemini: Way,
    embedded: Way,
}

use Way::{As, At, Ignored, Refused};

const TABLE: &[Row] = &[
    row(
        "top_p",
        Neutral::Number(1.0),
        [At(&["top_p"]), At(&["top_p"]), At(&["top_p"]), At(&["generationConfig", "topP"])],
        Ignored,
    ),
    row(
        "top_k",
        Neutral::None,
        [Ignored, At(&["top_k"]), At(&["top_k"]), At(&["generationConfig", "topK"])],
        Ignored,
    ),
    row("min_p", Neutral::None, [Ignored, At(&["min_p"]), Ignored, Ignored], Ignored),
    row(
        "seed",
        Neutral::None,
        [At(&["seed"]), At(&["seed"]), Ignored, At(&["generationConfig", "seed"])],
        Ignored,
    ),
    row("stop", Neutral::None, [At(&["stop"]), At(&["stop"]), As(anthropic_stop), As(gemini_stop)], Refused),
    row(
        "frequency_penalty",
        Neutral::Number(0.0),
        [
            At(&["frequency_penalty"]),
            At(&["frequency_penalty"]),
            Ignored,
            At(&["generationConfig", "frequencyPenalty"]),
        ],
        Ignored,
    ),
    row(
        "presence_penalty",
        Neutral::Number(0.0),
        [
            At(&["presence_penalty"]),
            At(&["presence_penalty"]),
            Ignored,
            At(&["generationConfig", "presencePenalty"]),
        ],
        Ignored,
    ),
    row(
        "repetition_penalty",
        Neutral::Number(1.0),
        [Ignored, At(&["repetition_penalty"]), Ignored, Ignored],
        Ignored,
    ),
    row("logit_bias", Neutral::None, [At(&["logit_bias"]), At(&["logit_bias"]), Refused, Refused], Refused),
    row(
        "response_format",
        Neutral::Type("text"),
        [At(&["response_format"]), At(&["response_format"]), As(anthropic_format), As(gemini_format)],
        Refused,
    ),
    row("guided_json", Neutral::None, [Refused, At(&["guided_json"]), Refused, Refused], Refused),
    row("guided_regex", Neutral::None, [Refused, At(&["guided_regex"]), Refused, Refused], Refused),
    row("guided_choice", Neutral::None, [Refused, At(&["guided_choice"]), Refused, Refused], Refused),
    row("guided_grammar", Neutral::None, [Refused, At(&["guided_grammar"]), Refused, Refused], Refused),
    row(
        "reasoning_effort",
        Neutral::None,
        [At(&["reasoning_effort"]), At(&["reasoning_effort"]), Ignored, Ignored],
        Ignored,
    ),
    row("thinking", Neutral::None, [Ignored, At(&["thinking"]), At(&["thinking"]), Ignored], Ignored),
    row("verbosity", Neutral::None, [At(&["verbosity"]), At(&["verbosity"]), Ignored, Ignored], Ignored),
    row(
        "parallel_tool_calls",
        Neutral::Flag(true),
        [At(&["parallel_tool_calls"]), At(&["parallel_tool_calls"]), As(anthropic_one_call), Refused],
        Ignored,
    ),
    row("service_tier", Neutral::None, [At(&["service_tier"]), Ignored, Ignored, Ignored], Ignored),
    row("metadata", Neutral::None, [At(&["metadata"]), Ignored, Ignored, Ignored], Ignored),
    row("prediction", Neutral::None, [At(&["prediction"]), Ignored, Ignored, Ignored], Ignored),
    row("prompt_cache_key", Neutral::None, [At(&["prompt_cache_key"]), Ignored, Ignored, Ignored], Ignored),
    row("safety_identifier", Neutral::None, [At(&["safety_identifier"]), Ignored, Ignored, Ignored], Ignored),
    row(
        "chat_template_kwargs",
        Neutral::None,
        [Ignored, At(&["chat_template_kwargs"]), Ignored, Ignored],
        Ignored,
    ),
    row("logprobs", Neutral::Flag(false), [At(&["logprobs"]), At(&["logprobs"]), Refused, Refused], Refused),
    row(
        "top_logprobs",
        Neutral::Number(0.0),
        [At(&["top_logprobs"]), At(&["top_logprobs"]), Refused, Refused],
        Refused,
    ),
    row("n", Neutral::Number(1.0), [Refused; 4], Refused),
    row("modalities", Neutral::Only("text"), [Refused; 4], Refused),
    row("audio", Neutral::None, [Refused; 4], Refused),
    row("prompt", Neutral::None, [Refused; 4], Refused),
    row("web_search_options", Neutral::None, [Refused; 4], Refused),
    row("user", Neutral::None, [At(&["user"]), Ignored, Ignored, Ignored], Ignored),
    row("truncation", Neutral::None, [Ignored; 4], Ignored),
    row("max_tool_calls", Neutral::None, [Ignored; 4], Ignored),
];

const fn row(name: &'static str, neutral: Neutral, ways: [Way; 4], embedded: Way) -> Row {
    let [openai, compatible, anthropic, gemini] = ways;
    Row { name, neutral, openai, compatible, anthropic, gemini, embedded }
}

impl Row {
    fn way(&self, provider: Provider) -> Way {
        match provider {
            Provider::OpenAi => self.openai,
            Provider::Compatible => self.compatible,
            Provider::Anthropic => self.anthropic,
            Provider::Gemini => self.gemini,
            Provider::Embedded => self.embedded,
        }
    }
}

fn find(name: &str) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.name == name)
}

/// The names of all options.
pub fn option_names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|row| row.name)
}

/// Whether a value of an option asks for what is done anyway.
#[must_use]
pub fn asks_nothing(name: &str, value: &Value) -> bool {
    let neutral = find(name).map_or(Neutral::None, |row| row.neutral);
    let is_empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    is_empty
        || match neutral {
            Neutral::None => false,
            Neutral::Number(number) => value.as_f64() == Some(number),
            Neutral::Flag(flag) => value.as_bool() == Some(flag),
            Neutral::Type(kind) => value["type"] == kind,
            Neutral::Only(word) => {
                value.as_array().is_some_and(|items| items.iter().all(|item| item == word))
            }
        }
}

/// What a provider makes of an option with this value.
#[must_use]
pub fn treatment(provider: Provider, name: &str, value: &Value) -> OptionTreatment {
    match find(name).map(|row| row.way(provider)) {
        Some(At(_)) => OptionTreatment::Passed,
        Some(As(make)) if make(value).is_some() => OptionTreatment::Passed,
        Some(As(_) | Refused) => OptionTreatment::Refused,
        Some(Ignored) | None => OptionTreatment::Ignored,
    }
}

/// Writes what the provider takes into the body of its request.
pub(crate) fn write(options: &AnswerOptions, provider: Provider, body: &mut Value) {
    for (name, value) in options.iter() {
        let placed = match find(name).map(|row| row.way(provider)) {
            Some(At(place)) => vec![(place, value.clone())],
            Some(As(make)) => make(value).unwrap_or_default(),
            Some(Ignored | Refused) | None => Vec::new(),
        };
        for (place, value) in placed {
            let field = place.iter().fold(&mut *body, |object, name| &mut object[*name]);
            match (field, value) {
                // What stands there already stays: the choice of a tool, for one.
                (Value::Object(fields), Value::Object(more)) => fields.extend(more),
                (field, value) => *field = value,
            }
        }
    }
}

fn texts(value: &Value) -> Value {
    if value.is_array() { value.clone() } else { json!([value]) }
}

fn anthropic_stop(value: &Value) -> Option<Vec<BodyField>> {
    Some(vec![(&["stop_sequences"], texts(value))])
}

fn gemini_stop(value: &Value) -> Option<Vec<BodyField>> {
    Some(vec![(&["generationConfig", "stopSequences"], texts(value))])
}

/// The schema of a format, if it is one of a schema.
fn schema(format: &Value) -> Option<&Value> {
    (format["type"] == "json_schema")
        .then(|| &format["json_schema"]["schema"])
        .filter(|schema| schema.is_object())
}

fn anthropic_format(value: &Value) -> Option<Vec<BodyField>> {
    let format = json!({"type": "json_schema", "schema": schema(value)?});
    Some(vec![(&["output_config"], json!({"format": format}))])
}

fn gemini_format(value: &Value) -> Option<Vec<BodyField>> {
    let mut placed: Vec<BodyField> =
        vec![(&["generationConfig", "responseMimeType"], json!("application/json"))];
    if value["type"] != "json_object" {
        placed.push((&["generationConfig", "responseJsonSchema"], schema(value)?.clone()));
    }
    Some(placed)
}

fn anthropic_one_call(value: &Value) -> Option<Vec<BodyField>> {
    // Without a choice the provider decides, which has to be said here.
    let choice = json!({"disable_parallel_tool_use": !value.as_bool()?});
    Some(vec![(&["tool_choice"], choice)])
}

/// The table as Markdown.
#[must_use]
pub fn option_table() -> String {
    let word = |way: Way| match way {
        At(_) => "passed",
        As(_) => "passed, in its own form",
        Ignored => "ignored",
        Refused => "refused",
    };
    let mut table = "| Field | openai | ollama, openai-compatible | anthropic | gemini | rules, script |\n|---|---|---|---|---|---|\n".to_owned();
    for row in TABLE {
        let ways = [row.openai, row.compatible, row.anthropic, row.gemini, row.embedded].map(word);
        // Writing to a string cannot fail.
        let _ = writeln!(table, "| `{}` | {} |", row.name, ways.join(" | "));
    }
    table
}
