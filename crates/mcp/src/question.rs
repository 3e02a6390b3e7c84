//! What a person is asked in the middle of a call: which of several places an operation means.
//!
//! Only clients that have said that they put questions to a person are asked. Must never choose itself, nor carry an answer over to a
//! document that has become another one meanwhile.

use std::collections::BTreeMap;

use engross_documents::change::{Palette, words};
use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Error, Limits, WordDocument};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema};
use serde_json::{Map, Value, json};

/// The code of operations that could mean several places.
const AMBIGUOUS: &str = "AMBIGUOUS_TARGET";

/// The most operations that are asked about, and places that are offered for one.
const MOST_ASKED: usize = 4;
const MOST_PLACES: usize = 12;

/// The most characters of a place as it is offered.
const LONGEST: usize = 160;

/// The answers besides the places.
const ALL: &str = "all";
const NONE: &str = "none";

/// Whether a person can be asked, and what they said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Consent {
    /// The client puts no questions.
    #[default]
    CannotAsk,
    /// Nobody was asked yet.
    MayAsk,
    /// Somebody was asked.
    Answered(Choices),
}

/// What a person said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Choices {
    /// The document that they were asked about.
    revision: String,
    /// By the operation's number; nothing of those that they left open.
    places: BTreeMap<usize, Value>,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Question {
    revision: String,
    asked: Vec<OpenPlace>,
}

/// An operation that could mean several places.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OpenPlace {
    index: usize,
    about: String,
    /// What would change at each place, in order.
    places: Vec<String>,
}

impl Question {
    /// What is to be asked after a batch was tried on the document with these bytes; nothing when all is clear.
    pub(crate) fn of(
        source: &[u8],
        revision: &str,
        operations: &Value,
        results: &[OperationResult],
        options: &EditOptions,
    ) -> Result<Option<Self>, Error> {
        let mut asked = Vec::new();
        let open = results.iter().filter(|result| result.code.as_deref() == Some(AMBIGUOUS));
        for result in open.take(MOST_ASKED) {
            let Some(operation) = operations.get(result.index) else { continue };
            let mut places = Vec::new();
            for number in 1..=MOST_PLACES {
                match at_place(source, operation, &json!(number), options)? {
                    Some(place) => places.push(place),
                    None => break,
                }
            }
            if places.len() > 1 {
                let about = format!("{}: {}", result.op, about(operation));
                asked.push(OpenPlace { index: result.index, about, places });
            }
        }
        Ok((!asked.is_empty()).then(|| Self { revision: revision.to_owned(), asked }))
    }

    /// The question as a form. Names of choices are in the form that all revisions of the protocol know, and in the message.
    pub(crate) fn form(&self) -> Option<ElicitRequestParams> {
        let mut message = String::from("Which place is meant?");
        let mut properties = Map::new();
        for open in &self.asked {
            message.push_str(&format!("\n\n{}", open.about));
            let mut choices: Vec<(String, String)> = Vec::new();
            for (number, place) in (1..).zip(&open.places) {
                message.push_str(&format!("\n{number}. {place}"));
                choices.push((number.to_string(), format!("{number}. {place}")));
            }
            choices.push((ALL.to_owned(), "All of them".to_owned()));
            choices.push((NONE.to_owned(), "None of them".to_owned()));
            let (values, names): (Vec<String>, Vec<String>) = choices.into_iter().unzip();
            let field = json!({"type": "string", "title": open.about, "enum": values, "enumNames": names});
            properties.insert(field_of(open.index), field);
        }
        let required: Vec<String> = self.asked.iter().map(|open| field_of(open.index)).collect();
        let schema = json!({"type": "object", "properties": properties, "required": required});
        let schema = schema
            .as_object()
            .cloned()
            .and_then(|schema| ElicitationSchema::from_json_schema(schema).ok())?;
        Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema: schema })
    }

    /// Told again with the answer, so that it is known what was asked about.
    pub(crate) fn state(&self) -> String {
        self.revision.clone()
    }
}

impl Choices {
    /// What an answer means. A refusal, and what was not offered, is no choice.
    pub(crate) fn of(answer: Option<&ElicitResult>, revision: &str) -> Self {
        let content = answer.filter(|answer| answer.action == ElicitationAction::Accept);
        let content = content.and_then(|answer| answer.content.as_ref()).and_then(Value::as_object);
        let chosen = |(field, value): (&String, &Value)| {
            let index = field.strip_prefix("operation_")?.parse::<usize>().ok()?.checked_sub(1)?;
            let place = match value.as_str()? {
                ALL => json!(ALL),
                number => {
                    json!(number.parse::<usize>().ok().filter(|number| (1..=MOST_PLACES).contains(number))?)
                }
            };
            Some((index, place))
        };
        Self {
            revision: revision.to_owned(),
            places: content.into_iter().flatten().filter_map(chosen).collect(),
        }
    }

    /// The operations with what was chosen, if the document is still the one that was asked about; and what is to be said of it.
    pub(crate) fn put_into(&self, operations: &Value, revision: &str) -> (Value, &'static str) {
        if self.revision != revision {
            return (
                operations.clone(),
                "the document was changed while the user was asked, so the answer was not used",
            );
        }
        let mut out = operations.clone();
        let mut said = "the user was asked which place is meant and chose none: do not choose for them, and ask what they want";
        for (index, place) in &self.places {
            if let Some(operation) = out.get_mut(*index) {
                *operation = with_place(operation, place);
                said = "the user chose the place";
            }
        }
        (out, said)
    }
}

fn field_of(index: usize) -> String {
    format!("operation_{}", index + 1)
}

/// What an operation would do at the n-th place; nothing when there is none.
fn at_place(
    source: &[u8],
    operation: &Value,
    place: &Value,
    options: &EditOptions,
) -> Result<Option<String>, Error> {
    let Ok(batch) = parse_batch(&json!([with_place(operation, place)])) else { return Ok(None) };
    let mut document = WordDocument::open(source.to_vec(), &Limits::default())?;
    let result = document.apply(&batch, options)?.into_iter().next();
    Ok(result.filter(|result| result.status == Status::Applied).map(|result| {
        let (before, after) = (result.before.unwrap_or_default(), result.after.unwrap_or_default());
        let shown = words(&before, &after, Palette::new(false));
        let shown = if before == after { before } else { shown };
        format!("{} {}", result.address.unwrap_or_default(), cut(&shown))
    }))
}

/// The operation at the n-th of the places that it could mean.
fn with_place(operation: &Value, place: &Value) -> Value {
    let mut operation = operation.clone();
    let target = operation.get_mut("target").and_then(Value::as_object_mut);
    // A place that is named by its text can be one of several; else the words that are looked for.
    match target.filter(|target| target.contains_key("text") && !target.contains_key("occurrence")) {
        Some(target) => {
            target.insert("occurrence".to_owned(), place.clone());
        }
        None => {
            if let Some(fields) = operation.as_object_mut() {
                fields.insert("occurrence".to_owned(), place.clone());
            }
        }
    }
    operation
}

/// The words that an operation is about.
fn about(operation: &Value) -> String {
    let words = ["originalText", "textToFind", "text"].iter().find_map(|name| operation.get(name)?.as_str());
    let target = || operation.pointer("/target/text").and_then(Value::as_str);
    words.or_else(target).map_or_else(|| "which place?".to_owned(), |words| format!("“{}”", cut(words)))
}

fn cut(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text.split_at(at).0),
        None => text,
    }
}
