//! Asks a model: once for each pass of a trace to reflect, once how the book changes.

use engross_llm::{Message, Model, Request, Usage, collect};
use serde_json::Value;

use super::prompts::{CURATE, REFLECT, fenced};
use super::{Learning, Reflection, SkillTag};
use crate::Error;
use crate::safety::{PersonalData, redact, redactions};
use crate::skillbook::{Book, Skill, SkillOperation, SkillRefusal, parse_batch, render};
use crate::trace::Trace;

/// Skills that a curator is shown for each lesson.
const NEAR: usize = 8;

/// How a model is asked.
#[derive(Clone, Copy)]
pub struct ModelReflector<'a> {
    /// The model.
    pub model: &'a dyn Model,
    /// Characters of a trace that it reads at once.
    pub budget: usize,
    /// Whether personal data is taken out.
    pub personal: PersonalData,
    /// Leave out the middle of long results instead of reading in passes.
    pub is_shortened: bool,
}

/// What a model answered, and what it cost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelReply<T> {
    /// The answer.
    pub answer: T,
    /// Tokens, as far as the provider told.
    pub usage: Usage,
    /// How often it was asked.
    pub calls: u32,
    /// So many secrets and personal data were taken out of what it was sent.
    pub redacted: u64,
}

impl<T> ModelReply<T> {
    fn count(&mut self, usage: Option<Usage>) {
        self.calls += 1;
        let usage = usage.unwrap_or_default();
        self.usage.input_tokens += usage.input_tokens;
        self.usage.output_tokens += usage.output_tokens;
    }
}

/// Asks what is to be learnt from a trace. All of it is read: in several passes where it is long.
///
/// # Errors
/// The model's, and [`Error::AnswerInvalid`] when it answers twice with something that is no reflection.
pub async fn reflect(
    asking: ModelReflector<'_>,
    trace: &Trace,
    cited: &[&Skill],
) -> Result<ModelReply<Reflection>, Error> {
    let clean = |text: &str| redact(text, asking.personal).into_owned();
    // A long trace is never held whole: its pieces are counted first, then made again one by one.
    let redacted: u64 = trace.segments.iter().map(|segment| redactions(&clean(&segment.text.whole()))).sum();
    let of = if asking.is_shortened { 1 } else { trace.passes(asking.budget, &clean).count() };
    let passes: Box<dyn Iterator<Item = String>> = match asking.is_shortened {
        true => Box::new(std::iter::once_with(|| trace.view(asking.budget, &clean).text)),
        false => Box::new(trace.passes(asking.budget, &clean)),
    };
    let skills = if cited.is_empty() { "(none)".to_owned() } else { render::toon(cited) };
    let mut asked = ModelReply::<Reflection> { redacted, ..ModelReply::default() };
    let how = match &trace.ground_truth {
        Some(truth) => format!("{}\nThe right answer:\n{}", clean(&trace.feedback), fenced(&clean(truth))),
        None => clean(&trace.feedback),
    };
    for (at, pass) in passes.enumerate() {
        let text = format!(
            "Question of the user:\n{}\n\nHow it went: {}\n\nSkills that the agent named:\n{skills}\n\nThe record, part {} of {}:\n{}\n\nThe agent's last words:\n{}",
            fenced(&clean(&trace.question)),
            how,
            at + 1,
            of,
            fenced(&pass),
            fenced(&clean(&trace.answer)),
        );
        let mut counted = ModelReply::<()>::default();
        let value = ask(asking.model, REFLECT, text, &mut counted, |value| {
            let is_one = value.get("extracted_learnings").is_some() || value.get("key_insight").is_some();
            is_one.then(|| reflection(&value)).ok_or_else(|| "it has no extracted_learnings".to_owned())
        })
        .await?;
        asked.calls += counted.calls;
        asked.usage.input_tokens += counted.usage.input_tokens;
        asked.usage.output_tokens += counted.usage.output_tokens;
        join(&mut asked.answer, value);
    }
    Ok(asked)
}

/// Asks how the book changes by what was learnt.
///
/// # Errors
/// As [`reflect`].
pub async fn curate(
    asking: ModelReflector<'_>,
    reflection: &Reflection,
    book: &Book,
) -> Result<ModelReply<Vec<Result<SkillOperation, SkillRefusal>>>, Error> {
    let mut near: Vec<&Skill> = Vec::new();
    for learning in &reflection.extracted_learnings {
        for found in book.like(&learning.learning, 0.1, NEAR) {
            if let Some(skill) =
                book.at(found.place).filter(|skill| !near.iter().any(|known| known.id == skill.id))
            {
                near.push(skill);
            }
        }
    }
    let learnt = serde_json::to_string_pretty(reflection).unwrap_or_default();
    let text = format!(
        "The book has {} skills. The nearest ones:\n{}\n\nWhat was learnt:\n{}",
        book.skills().len(),
        fenced(&render::toon(&near)),
        fenced(&redact(&learnt, asking.personal)),
    );
    let mut asked = ModelReply::<()>::default();
    let operations = ask(asking.model, CURATE, text, &mut asked, |value| {
        parse_batch(&value).map_err(|refused| refused.message)
    })
    .await?;
    Ok(ModelReply { answer: operations, usage: asked.usage, calls: asked.calls, redacted: 0 })
}

/// Asks once, and once more with what was wrong.
pub(super) async fn ask<T>(
    model: &dyn Model,
    system: &str,
    text: String,
    asked: &mut ModelReply<()>,
    read: impl Fn(Value) -> Result<T, String>,
) -> Result<T, Error> {
    let mut messages = vec![Message::User { content: text, attachments: Vec::new() }];
    let mut reason = String::new();
    for _ in 0..2 {
        let request = Request {
            system: system.to_owned(),
            messages: messages.clone(),
            temperature: Some(0.0),
            ..Request::default()
        };
        let answer = collect(model.answer(request), |_| {}).await?;
        asked.count(answer.usage);
        match object(&answer.text).and_then(&read) {
            Ok(value) => return Ok(value),
            Err(wrong) => reason = wrong,
        }
        messages.push(Message::Assistant {
            content: answer.text,
            tool_calls: Vec::new(),
            thoughts: Vec::new(),
        });
        messages.push(Message::User {
            content: format!("That cannot be used: {reason}. Answer with the JSON object alone."),
            attachments: Vec::new(),
        });
    }
    Err(Error::AnswerInvalid { reason })
}

/// Reads a reflection field by field: one of a wrong type costs itself only.
fn reflection(value: &Value) -> Reflection {
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let list = |name: &str| value[name].as_array().cloned().unwrap_or_default();
    Reflection {
        reasoning: text(value, "reasoning"),
        error_identification: text(value, "error_identification"),
        root_cause_analysis: text(value, "root_cause_analysis"),
        correct_approach: text(value, "correct_approach"),
        key_insight: text(value, "key_insight"),
        extracted_learnings: list("extracted_learnings")
            .iter()
            .map(|learning| Learning {
                learning: text(learning, "learning"),
                atomicity_score: learning["atomicity_score"].as_f64().unwrap_or_default(),
                evidence: text(learning, "evidence"),
                justification: text(learning, "justification"),
            })
            .filter(|learning| !learning.learning.trim().is_empty())
            .collect(),
        skill_tags: list("skill_tags")
            .iter()
            .map(|tag| SkillTag { id: text(tag, "id"), tag: text(tag, "tag") })
            .collect(),
    }
}

/// Adds what a further pass taught.
fn join(whole: &mut Reflection, part: Reflection) {
    let add = |field: &mut String, text: String| {
        if !field.is_empty() && !text.is_empty() {
            field.push('\n');
        }
        field.push_str(&text);
    };
    add(&mut whole.reasoning, part.reasoning);
    add(&mut whole.error_identification, part.error_identification);
    add(&mut whole.root_cause_analysis, part.root_cause_analysis);
    add(&mut whole.correct_approach, part.correct_approach);
    add(&mut whole.key_insight, part.key_insight);
    whole.extracted_learnings.extend(part.extracted_learnings);
    for tag in part.skill_tags {
        // The last pass knows how it ended.
        whole.skill_tags.retain(|known| known.id != tag.id);
        whole.skill_tags.push(tag);
    }
}

/// The first whole JSON object in `text`.
///
/// # Errors
/// Why there is none.
pub(super) fn object(text: &str) -> Result<Value, String> {
    let mut problem = "it holds no JSON object".to_owned();
    let mut rest = text;
    // A few words before the object may hold braces of their own.
    for _ in 0..64 {
        let Some(at) = rest.find('{') else { break };
        rest = rest.get(at..).unwrap_or_default();
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value @ Value::Object(_))) => return Ok(value),
            Some(Err(error)) => problem = format!("its JSON is not valid: {error}"),
            _ => {}
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    Err(problem)
}
