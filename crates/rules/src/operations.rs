//! The operations that the patterns give, as JSON (`docs/guide/rules.md` has one of each).
//!
//! Must never leave out what would make an operation mean more text than the instruction named.

use serde_json::{Map, Value, json};

use crate::limits::MAXIMUM_OPERATIONS;
use crate::refusal::Reason;

/// Which paragraph.
pub(crate) enum Place {
    Number(u32),
    First,
    Last,
    Containing(String),
}

impl Place {
    /// As the value of `target`, `after` or `before`.
    pub(crate) fn address(&self) -> Value {
        match self {
            Self::Number(number) => json!(format!("P{number}")),
            Self::First => json!("first"),
            Self::Last => json!("last"),
            Self::Containing(text) => json!({ "text": text }),
        }
    }

    fn add_to(&self, operation: &mut Map<String, Value>) {
        match self {
            Self::Number(number) => operation.insert("paragraphIndex".to_owned(), json!(number)),
            Self::First | Self::Last | Self::Containing(_) => {
                operation.insert("target".to_owned(), self.address())
            }
        };
    }
}

/// Which of several hits.
#[derive(PartialEq)]
pub(crate) enum Occurrence {
    Number(u32),
    Last,
    All,
}

impl Occurrence {
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Number(number) => json!(number),
            Self::Last => json!("last"),
            Self::All => json!("all"),
        }
    }
}

pub(crate) fn modify_text(
    original: &str,
    replacement: &str,
    occurrence: Option<Occurrence>,
    place: Option<&Place>,
) -> Result<Vec<Value>, Reason> {
    if occurrence.is_some() && matches!(place, Some(Place::Containing(_))) {
        return Err(Reason::OccurrenceInContaining);
    }
    let fields = [("originalText", json!(original)), ("replacementText", json!(replacement))]
        .into_iter()
        .chain(occurrence.map(|occurrence| ("occurrence", occurrence.value())));
    Ok(vec![with_plain(operation("modify_text", place, fields), replacement)])
}

pub(crate) fn delete_paragraphs(first: u32, last: u32) -> Result<Vec<Value>, Reason> {
    if last < first {
        return Err(Reason::ReversedRange { first, last });
    }
    if usize::try_from(last - first).is_ok_and(|more| more >= MAXIMUM_OPERATIONS) {
        return Err(Reason::TooManyOperations);
    }
    Ok((first..=last).map(|number| operation("delete_paragraph", Some(&Place::Number(number)), [])).collect())
}

pub(crate) fn operation(
    name: &str,
    place: Option<&Place>,
    fields: impl IntoIterator<Item = (&'static str, Value)>,
) -> Value {
    let mut operation = Map::new();
    operation.insert("op".to_owned(), json!(name));
    if let Some(place) = place {
        place.add_to(&mut operation);
    }
    operation.extend(fields.into_iter().map(|(field, value)| (field.to_owned(), value)));
    Value::Object(operation)
}

/// Marks a value as plain text, unless it carries Markdown marks for bold, underline or strikethrough.
pub(crate) fn with_plain(mut operation: Value, text: &str) -> Value {
    let marked = ["**", "++", "~~"].iter().any(|mark| text.contains(mark));
    if let (false, Some(fields)) = (marked, operation.as_object_mut()) {
        fields.insert("plain".to_owned(), json!(true));
    }
    operation
}
