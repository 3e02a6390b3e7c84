//! Asks a model, once for a session, which of the new lessons the book says already in other words.
//!
//! Must never take a lesson for one that words show to be its opposite or another value of it.

use engross_llm::Usage;
use serde_json::{Value, json};

use super::ask::ask;
use super::prompts::{SAME, fenced};
use super::{ModelReflector, ModelReply, Reflection};
use crate::Error;
use crate::safety::redact;
use crate::skillbook::{Book, Likeness, Skill, SkillOperation, SkillRefusal, SkillStatus, likeness};

/// Skills that are held against one lesson.
const NEAR: usize = 8;

/// How alike by words a skill must be to be asked about.
const LEAST: f64 = 0.05;

type Changes = Vec<Result<SkillOperation, SkillRefusal>>;

/// The changes of a curator with what the book says already made into confirmations: new lessons in other words, and what was
/// learnt and asks for no change. A model is asked only where words leave it open.
///
/// # Errors
/// The model's; see [`super::reflect`].
pub async fn join_same(
    asking: ModelReflector<'_>,
    reflection: &Reflection,
    changes: Changes,
    book: &Book,
) -> Result<ModelReply<Changes>, Error> {
    let mut questions = Questions::default();
    let mut joined: Changes = Vec::new();
    for change in changes {
        let open = match &change {
            Ok(SkillOperation::Add { content, .. }) if book.same(content).next().is_none() => {
                Some(content.clone())
            }
            _ => None,
        };
        if let Some(content) = open {
            questions.add(book, content, Some(joined.len()));
        }
        joined.push(change);
    }
    let lessons = joined.iter().filter(|change| matches!(change, Ok(change) if is_lesson(change))).count();
    if lessons < reflection.extracted_learnings.len() {
        for learning in &reflection.extracted_learnings {
            let text = &learning.learning;
            if joined.iter().any(|change| matches!(change, Ok(change) if is_about(change, book, text))) {
                continue;
            }
            let known = book.same(text).find(|skill| skill.status != SkillStatus::Retired);
            match known.map(|skill| skill.id.clone()) {
                Some(id) => {
                    let evidence = Some(learning.evidence.clone());
                    joined.push(Ok(SkillOperation::Confirm { id, evidence }));
                }
                None => questions.add(book, text.clone(), None),
            }
        }
    }
    if questions.skills.is_empty() {
        return Ok(ModelReply { answer: joined, usage: Usage::default(), calls: 0, redacted: 0 });
    }
    let mut asked = ModelReply::<()>::default();
    let text = format!("Which say the same?\n{}", fenced(&redact(&questions.text(), asking.personal)));
    let pairs = ask(asking.model, SAME, text, &mut asked, |value| {
        value["same"].as_array().cloned().ok_or_else(|| "it has no list 'same'".to_owned())
    })
    .await?;
    for pair in &pairs {
        let Some((change, id)) = questions.answered(pair) else { continue };
        let evidence = None;
        match change.and_then(|at| joined.get_mut(at)) {
            Some(change) => *change = Ok(SkillOperation::Confirm { id, evidence }),
            None => joined.push(Ok(SkillOperation::Confirm { id, evidence })),
        }
    }
    Ok(ModelReply { answer: joined, usage: asked.usage, calls: asked.calls, redacted: 0 })
}

/// Lessons and skills that a model is asked about.
#[derive(Default)]
struct Questions<'a> {
    /// Each lesson, with the change that it is to take the place of.
    texts: Vec<(String, Option<usize>)>,
    skills: Vec<&'a Skill>,
}

impl<'a> Questions<'a> {
    fn add(&mut self, book: &'a Book, text: String, change: Option<usize>) {
        let near = book.like(&text, LEAST, NEAR).into_iter().filter_map(|found| book.at(found.place));
        let near = near.filter(|skill| {
            skill.status != SkillStatus::Retired && likeness(&skill.content, &text) != Likeness::Opposite
        });
        let near: Vec<&Skill> = near.collect();
        if near.is_empty() {
            return;
        }
        for skill in near {
            if !self.skills.iter().any(|known| known.id == skill.id) {
                self.skills.push(skill);
            }
        }
        self.texts.push((text, change));
    }

    fn text(&self) -> String {
        let texts = self.texts.iter().enumerate();
        let texts: Vec<Value> = texts.map(|(at, (text, _))| json!({"number": at, "says": text})).collect();
        let skills = self.skills.iter();
        let skills: Vec<Value> =
            skills.map(|skill| json!({"skill_id": skill.id, "says": skill.content})).collect();
        json!({"texts": texts, "skills": skills}).to_string()
    }

    /// The change and the skill of a pair, if both were asked about and words do not speak against it.
    fn answered(&self, pair: &Value) -> Option<(Option<usize>, String)> {
        let number = usize::try_from(pair["text"].as_u64()?).ok()?;
        let (text, change) = self.texts.get(number)?;
        let skill = self.skills.iter().find(|skill| pair["skill_id"] == skill.id.as_str())?;
        (likeness(&skill.content, text) != Likeness::Opposite).then(|| (*change, skill.id.clone()))
    }
}

fn is_lesson(change: &SkillOperation) -> bool {
    matches!(
        change,
        SkillOperation::Add { .. }
            | SkillOperation::Update { .. }
            | SkillOperation::Confirm { .. }
            | SkillOperation::Merge { .. }
    )
}

/// Whether a change speaks about what was learnt.
fn is_about(change: &SkillOperation, book: &Book, learnt: &str) -> bool {
    let content = match change {
        SkillOperation::Add { content, .. }
        | SkillOperation::Update { content: Some(content), .. }
        | SkillOperation::Merge { content, .. } => content,
        SkillOperation::Confirm { id, .. } => match book.get(id) {
            Some(skill) => &skill.content,
            None => return false,
        },
        _ => return false,
    };
    matches!(likeness(content, learnt), Likeness::Same | Likeness::Near)
}
