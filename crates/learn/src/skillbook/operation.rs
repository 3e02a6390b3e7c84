//! Reads the operations of a curator one by one: an invalid operation costs itself only.

use serde_json::Value;

use crate::codes;

/// Characters of the longest lesson, justification or evidence.
const LONGEST: usize = 4_000;

/// The most that one operation may count.
const MOST: u64 = 1_000;

/// One change of the book.
#[derive(Debug, Clone, PartialEq)]
pub enum SkillOperation {
    /// A new lesson.
    Add {
        /// What it is about.
        section: String,
        /// What to do.
        content: String,
        /// The id that is wished for.
        id: Option<String>,
        /// Why.
        justification: Option<String>,
        /// What speaks for it.
        evidence: Option<String>,
        /// What goes wrong without it.
        issue: Option<String>,
        /// Words to find it by.
        keywords: Vec<String>,
    },
    /// Other words for a lesson. What is not given stays.
    Update {
        /// Which.
        id: String,
        /// What it is about.
        section: Option<String>,
        /// What to do.
        content: Option<String>,
        /// Why.
        justification: Option<String>,
        /// What speaks for it.
        evidence: Option<String>,
    },
    /// A session taught the same once more.
    Confirm {
        /// What.
        id: String,
        /// What speaks for it there.
        evidence: Option<String>,
    },
    /// How a lesson did.
    Tag {
        /// Which.
        id: String,
        /// How often it helped.
        helpful: u32,
        /// How often it harmed.
        harmful: u32,
        /// How often it did neither.
        neutral: u32,
    },
    /// Takes a lesson out.
    Remove {
        /// Which.
        id: String,
    },
    /// Several lessons become one.
    Merge {
        /// All of them.
        sources: Vec<String>,
        /// The one that stays.
        keep: String,
        /// Its words.
        content: String,
    },
    /// Lessons that look alike are several things.
    Keep {
        /// Which.
        ids: Vec<String>,
        /// Why.
        reason: String,
    },
    /// Protects a lesson, or no longer. A person's.
    Pin {
        /// Which.
        id: String,
        /// Whether it is protected.
        on: bool,
    },
    /// Shows a lesson that waits; of one that is shown, takes over the words that were proposed for it. A person's.
    Accept {
        /// Which.
        id: String,
    },
    /// Leaves a lesson as it is and drops the words that were proposed for it. A person's.
    Decline {
        /// Which.
        id: String,
    },
}

/// Why an operation was not done.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct SkillRefusal {
    /// Stable code, explained in `docs/errors/CODE.md`.
    pub code: &'static str,
    /// What is wrong with it.
    pub message: String,
}

impl SkillRefusal {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The lesson was read, not lived through.
    pub(crate) fn not_experience(message: impl Into<String>) -> Self {
        Self::new(codes::LEARN_NOT_EXPERIENCE.name, message)
    }

    /// The operation is none that can be settled.
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(codes::SKILL_OPERATION_INVALID.name, message)
    }
}

/// Reads what a curator answered: a list, `{"operations":[…]}`, or that under `update`.
///
/// # Errors
/// When there is no list at all.
pub fn parse_batch(answer: &Value) -> Result<Vec<Result<SkillOperation, SkillRefusal>>, SkillRefusal> {
    let within = if answer["update"].is_object() { &answer["update"] } else { answer };
    let list = within.as_array().or_else(|| within["operations"].as_array());
    let list = list.ok_or_else(|| SkillRefusal::invalid("the answer has no list of operations"))?;
    Ok(list.iter().map(parse).collect())
}

fn parse(value: &Value) -> Result<SkillOperation, SkillRefusal> {
    let typ =
        value["type"].as_str().ok_or_else(|| SkillRefusal::invalid("the operation does not say its type"))?;
    match typ.trim().to_ascii_uppercase().as_str() {
        "ADD" => Ok(SkillOperation::Add {
            section: section(&value["section"]),
            content: words(value, "content")?
                .or(words(value, "insight")?)
                .ok_or_else(|| SkillRefusal::invalid("ADD needs content"))?,
            id: words(value, "skill_id")?,
            justification: words(value, "justification")?,
            evidence: words(value, "evidence")?,
            issue: words(value, "issue")?,
            keywords: list(&value["keywords"]),
        }),
        "UPDATE" => {
            let content = match words(value, "content")? {
                Some(content) => Some(content),
                None => words(value, "new_content")?,
            };
            let section = value["section"].is_string().then(|| section(&value["section"]));
            let (justification, evidence) = (words(value, "justification")?, words(value, "evidence")?);
            if content.is_none() && section.is_none() && justification.is_none() && evidence.is_none() {
                return Err(SkillRefusal::invalid("UPDATE changes nothing"));
            }
            Ok(SkillOperation::Update { id: id(value)?, section, content, justification, evidence })
        }
        "CONFIRM" => Ok(SkillOperation::Confirm { id: id(value)?, evidence: words(value, "evidence")? }),
        "TAG" => tag(value),
        "REMOVE" | "DELETE" => Ok(SkillOperation::Remove { id: id(value)? }),
        "MERGE" => {
            let sources = list(&value["source_ids"]);
            let keep =
                words(value, "keep_id")?.ok_or_else(|| SkillRefusal::invalid("MERGE needs keep_id"))?;
            let content = words(value, "merged_content")?
                .ok_or_else(|| SkillRefusal::invalid("MERGE needs merged_content"))?;
            if sources.len() < 2 {
                return Err(SkillRefusal::invalid("MERGE needs two source_ids or more"));
            }
            Ok(SkillOperation::Merge { sources, keep, content })
        }
        "KEEP" => {
            let ids = list(&value["skill_ids"]);
            if ids.len() < 2 {
                return Err(SkillRefusal::invalid("KEEP needs two skill_ids or more"));
            }
            Ok(SkillOperation::Keep { ids, reason: words(value, "reasoning")?.unwrap_or_default() })
        }
        other => Err(SkillRefusal::invalid(format!("'{other}' is no type of operation"))),
    }
}

/// `metadata{helpful,…}`, the same fields at the top, or `tag` and `delta`.
fn tag(value: &Value) -> Result<SkillOperation, SkillRefusal> {
    let id = id(value)?;
    let place = if value["metadata"].is_object() { &value["metadata"] } else { value };
    let (mut helpful, mut harmful, mut neutral) =
        (number(place, "helpful")?, number(place, "harmful")?, number(place, "neutral")?);
    if let Some(tag) = value["tag"].as_str() {
        match tag.to_ascii_lowercase().as_str() {
            "helpful" => helpful += 1,
            "harmful" => harmful += 1,
            "neutral" => neutral += 1,
            other => return Err(SkillRefusal::invalid(format!("'{other}' is no tag"))),
        }
    }
    match &value["delta"] {
        Value::Null => {}
        delta => match delta.as_i64() {
            Some(1) => helpful += 1,
            Some(-1) => harmful += 1,
            Some(0) => neutral += 1,
            _ => return Err(SkillRefusal::invalid(format!("delta must be 1, 0 or -1, not {delta}"))),
        },
    }
    if helpful + harmful + neutral == 0 {
        return Err(SkillRefusal::invalid("TAG counts nothing"));
    }
    Ok(SkillOperation::Tag { id, helpful, harmful, neutral })
}

fn number(place: &Value, name: &str) -> Result<u32, SkillRefusal> {
    let value = &place[name];
    if value.is_null() {
        return Ok(0);
    }
    let count = value.as_u64().filter(|count| *count <= MOST).and_then(|count| u32::try_from(count).ok());
    count.ok_or_else(|| {
        SkillRefusal::invalid(format!("{name} must be a whole number from 0 to {MOST}, not {value}"))
    })
}

fn id(value: &Value) -> Result<String, SkillRefusal> {
    words(value, "skill_id")?
        .ok_or_else(|| SkillRefusal::invalid("the operation does not say which skill_id"))
}

/// A text that is there and says something.
fn words(value: &Value, name: &str) -> Result<Option<String>, SkillRefusal> {
    match &value[name] {
        Value::Null => Ok(None),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) if text.chars().count() > LONGEST => {
            Err(SkillRefusal::invalid(format!("{name} is longer than {LONGEST} characters")))
        }
        Value::String(text) => Ok(Some(text.trim().to_owned())),
        _ => Err(SkillRefusal::invalid(format!("{name} is no text"))),
    }
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item.as_str().map(|text| text.trim().to_owned()))
        .filter(|text| !text.is_empty())
        .collect()
}

/// A section's name; `general` when it is none. Ids are made of it, so it holds letters, digits and `_ - /` only.
fn section(value: &Value) -> String {
    let name = value.as_str().unwrap_or_default().trim().to_lowercase();
    let name: Vec<&str> =
        name.split(|c: char| !(c.is_alphanumeric() || "_-/".contains(c))).filter(|w| !w.is_empty()).collect();
    let name = name.join("_");
    let has_letter = name.chars().any(char::is_alphabetic);
    if has_letter && name.chars().count() <= 64 { name } else { "general".to_owned() }
}

pub(crate) fn section_name(name: &str) -> String {
    // What was taken out of a name leaves none.
    let name = if name.contains("[REDACTED") { "" } else { name };
    section(&Value::String(name.to_owned()))
}
