//! What the model answered, and whether that holds: each verdict needs words that are in the clause.
//!
//! Must never mend an answer so that it says something else; what does not hold is refused with what is wrong.

use std::collections::BTreeMap;
use std::ops::Range;

use engross_llm::Answer;
use engross_protocol::Code;
use serde_json::{Map, Value};

use crate::clauses::Clause;
use crate::codes;
use crate::playbook::PlaybookPosition;
use crate::report::{Citation, ClauseVerdict};
use crate::text::{DocumentText, find};

/// The tool by which the model answers.
pub(crate) const TOOL: &str = "answer_positions";

/// The fewest letters of a quote, unless its paragraph has no more.
const QUOTE_LETTERS: usize = 8;

/// The most bytes of a reason or a new clause.
const TEXT_BYTES: usize = 8 << 10;

/// Why an answer, or a part of it, is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: &'static Code,
    pub(crate) message: String,
}

/// An answer that holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Judgement {
    pub(crate) verdict: ClauseVerdict,
    pub(crate) citation: Option<Citation>,
    pub(crate) reason: String,
    pub(crate) change: Option<Change>,
    /// Why a change is not taken, though the verdict is.
    pub(crate) refused_change: Option<Problem>,
}

/// A change that a model proposes, checked against the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// Words of a paragraph become others.
    Replace { address: String, original: String, replacement: String },
    /// A clause comes behind a paragraph.
    Insert { after: String, content: String },
}

/// Entries by the names of their positions, and what is wrong with the answer as a whole.
pub(crate) fn entries(
    given: Vec<Map<String, Value>>,
    positions: &[&PlaybookPosition],
) -> (BTreeMap<String, Map<String, Value>>, Vec<String>) {
    let mut warnings = Vec::new();
    let mut entries = BTreeMap::new();
    for entry in given {
        let named = text(&entry, "position");
        let position = positions.iter().find(|position| is_name(&position.name, named));
        match position {
            None => {
                let shown: String = named.chars().take(80).collect();
                warnings.push(format!("the model answered '{shown}', which nobody asked for"));
            }
            Some(position) if entries.contains_key(&position.name) => {
                warnings.push(format!("the model answered '{}' twice; the first counts", position.name));
            }
            Some(position) => {
                entries.insert(position.name.clone(), entry);
            }
        }
    }
    (entries, warnings)
}

/// The entries of a model's answer, from the call or from JSON in the text; nothing of an answer in prose.
pub(crate) fn answers_in(answer: &Answer) -> Vec<Map<String, Value>> {
    let calls = answer.tool_calls.iter().filter(|call| call.name == TOOL);
    let mut values: Vec<Value> =
        calls.filter_map(|call| serde_json::from_str(&call.arguments).ok()).collect();
    if values.is_empty()
        && let (Some(start), Some(end)) = (answer.text.find(['{', '[']), answer.text.rfind(['}', ']']))
        && let Some(json) = answer.text.get(start..=end)
    {
        values.extend(serde_json::from_str::<Value>(json));
    }
    values.into_iter().flat_map(answers_of).collect()
}

/// The entries in a value: a list of them, an object that holds one, or a text of either.
pub(crate) fn answers_of(value: Value) -> Vec<Map<String, Value>> {
    let parsed = |text: String| serde_json::from_str::<Value>(&text).unwrap_or_default();
    // Some clients and models send a list as text.
    let value = match value {
        Value::String(text) => parsed(text),
        other => other,
    };
    let list = match value {
        Value::Object(mut object) => match object.remove("answers") {
            Some(Value::Array(list)) => list,
            Some(Value::String(text)) => parsed(text).as_array().cloned().unwrap_or_default(),
            Some(Value::Object(one)) => vec![Value::Object(one)],
            _ => Vec::new(),
        },
        Value::Array(list) => list,
        _ => Vec::new(),
    };
    let entries = list.into_iter().map(|entry| match entry {
        Value::Object(entry) => Some(entry),
        _ => None,
    });
    entries.flatten().collect()
}

/// Checks the entry of a position. `clauses` are those of all positions, with their names.
pub(crate) fn judge(
    entry: &Map<String, Value>,
    (position, clause): (&PlaybookPosition, Option<&Clause>),
    clauses: &[(&str, &Clause)],
    document: &DocumentText,
) -> Result<Judgement, Problem> {
    let unusable = |message: String| Problem { code: codes::POSITION_UNANSWERED, message };
    let verdict = match text(entry, "verdict").to_lowercase().as_str() {
        "standard" => ClauseVerdict::Standard,
        "fallback" if position.fallback.is_empty() => {
            return Err(unusable("the playbook has no Fallback here".to_owned()));
        }
        "fallback" => ClauseVerdict::Fallback,
        "deviates" => ClauseVerdict::Deviates,
        "never" if position.never.is_empty() => {
            return Err(unusable("the playbook has no Never here".to_owned()));
        }
        "never" => ClauseVerdict::Never,
        "missing" => ClauseVerdict::Missing,
        other => {
            let shown: String = other.chars().take(40).collect();
            return Err(unusable(format!("there is no verdict '{shown}'")));
        }
    };
    let reason = cut(text(entry, "reason"));
    if reason.is_empty() && !verdict.is_acceptable() {
        return Err(unusable(format!("the verdict '{}' has no reason", verdict.word())));
    }
    if verdict == ClauseVerdict::Missing {
        if let Some(clause) = clause {
            let message =
                format!("the clause is there: '{}' at P{}; judge it", clause.title, clause.range.start);
            return Err(Problem { code: codes::CITATION_REFUSED, message });
        }
        let (change, refused_change) = split(insertion(entry, document));
        return Ok(Judgement { verdict, citation: None, reason, change, refused_change });
    }
    let citation = cite(entry, (position, clause), clauses, document)?;
    let change = if verdict.is_acceptable() { Ok(None) } else { replacement(entry, &citation, document) };
    let (change, refused_change) = split(change);
    Ok(Judgement { verdict, citation: Some(citation), reason, change, refused_change })
}

fn split(change: Result<Option<Change>, Problem>) -> (Option<Change>, Option<Problem>) {
    match change {
        Ok(change) => (change, None),
        Err(problem) => (None, Some(problem)),
    }
}

/// The words that an entry cites, as the document has them.
fn cite(
    entry: &Map<String, Value>,
    (position, clause): (&PlaybookPosition, Option<&Clause>),
    clauses: &[(&str, &Clause)],
    document: &DocumentText,
) -> Result<Citation, Problem> {
    let refused = |message: String| Problem { code: codes::CITATION_REFUSED, message };
    let (named, quote) = (text(entry, "paragraph"), text(entry, "quote"));
    let Some(paragraph) = document.at(named) else {
        let shown: String = named.chars().take(40).collect();
        return Err(refused(format!("the document has no paragraph '{shown}'")));
    };
    let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).count();
    let enough = QUOTE_LETTERS.min(letters(&paragraph.text)).max(1);
    if letters(quote) < enough {
        return Err(refused("the quote is too short; copy at least three words".to_owned()));
    }
    let Some(range) = find(&paragraph.text, quote, false) else {
        let elsewhere = document.find(quote);
        let where_it_is = elsewhere.map_or_else(
            || "nowhere in the document".to_owned(),
            |other| format!("not in {}, but in {}", paragraph.address, other.address),
        );
        return Err(refused(format!("the quoted words are {where_it_is}; copy them exactly")));
    };
    let is_in = |clause: &Clause| clause.range.contains(&paragraph.index);
    if let Some(clause) = clause {
        if !is_in(clause) {
            let last = clause.range.end.saturating_sub(1);
            let message = format!(
                "{} is not in the clause, which is '{}', P{} to P{last}",
                paragraph.address, clause.title, clause.range.start
            );
            return Err(refused(message));
        }
    } else if let Some((other, clause)) =
        clauses.iter().find(|(name, clause)| *name != position.name && is_in(clause))
    {
        return Err(refused(format!("{} belongs to '{other}' ('{}')", paragraph.address, clause.title)));
    }
    let quote = paragraph.text.get(range).unwrap_or_default().to_owned();
    Ok(Citation { address: paragraph.address.clone(), quote })
}

/// The words that an entry replaces, which must be in the paragraph that it cites.
fn replacement(
    entry: &Map<String, Value>,
    citation: &Citation,
    document: &DocumentText,
) -> Result<Option<Change>, Problem> {
    let (original, replacement) = (text(entry, "original"), cut(text(entry, "replacement")));
    let is_given = entry.get("replacement").is_some_and(|given| !given.is_null());
    if original.is_empty() {
        return Ok(None);
    }
    let refused = |message: String| Problem { code: codes::CHANGE_REFUSED, message };
    if !is_given {
        return Err(refused("'original' has no 'replacement'".to_owned()));
    }
    let address = citation.address.clone();
    let found = document.at(&address).and_then(|paragraph| {
        let range: Range<usize> = find(&paragraph.text, original, false)?;
        paragraph.text.get(range).map(str::to_owned)
    });
    let original = found.ok_or_else(|| refused(format!("the words of 'original' are not in {address}")))?;
    Ok((original != replacement).then_some(Change::Replace { address, original, replacement }))
}

/// The clause that an entry puts in.
fn insertion(entry: &Map<String, Value>, document: &DocumentText) -> Result<Option<Change>, Problem> {
    let content = cut(text(entry, "content"));
    if content.is_empty() {
        return Ok(None);
    }
    let named = text(entry, "insertAfter");
    let Some(after) = document.at(named) else {
        let shown: String = named.chars().take(40).collect();
        let message = format!("the document has no paragraph '{shown}' to put the clause behind");
        return Err(Problem { code: codes::CHANGE_REFUSED, message });
    };
    Ok(Some(Change::Insert { after: after.address.clone(), content }))
}

/// Whether a model means the position of that name.
fn is_name(name: &str, said: &str) -> bool {
    let bare = |text: &str| text.trim().trim_start_matches('#').trim().to_lowercase();
    bare(name) == bare(said)
}

fn text<'a>(entry: &'a Map<String, Value>, name: &str) -> &'a str {
    entry.get(name).and_then(Value::as_str).unwrap_or_default().trim()
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(TEXT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default().to_owned()
}
