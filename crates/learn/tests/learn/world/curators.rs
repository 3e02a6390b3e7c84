//! A scripted model that reflects rightly, and keeps the book by one of five habits.

use engross_llm::{Event, Model, ModelInfo, Request};
use futures_util::stream::{BoxStream, StreamExt};
use serde_json::{Value, json};

use super::lessons::{LESSONS, WorldSession, meaning};

/// What a curator does when a lesson is in the book already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Habit {
    /// ADDs the words of the book.
    Repeat,
    /// UPDATEs the skill to its new words.
    Update,
    /// Does nothing: the book says it.
    Nothing,
    /// ADDs its own words.
    OwnWords,
    /// CONFIRMs, as it is asked to.
    Confirm,
}

pub struct ScriptedCurator<'a> {
    pub habit: Habit,
    pub sessions: &'a [WorldSession],
}

impl Model for ScriptedCurator<'_> {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "scripted".to_owned(), language_model: true }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, engross_llm::Error>> {
        let asked: String = request
            .messages
            .iter()
            .map(|message| match message {
                engross_llm::Message::User { content, .. } => content.as_str(),
                _ => "",
            })
            .collect();
        let answer = if asked.contains("What was learnt:") {
            self.curate(&asked)
        } else if asked.contains("Which say the same?") {
            same(&asked)
        } else {
            self.reflect(&asked)
        };
        let events =
            [Ok(Event::Text(answer.to_string())), Ok(Event::Finish(engross_llm::FinishReason::Stop))];
        futures_util::stream::iter(events).boxed()
    }
}

impl ScriptedCurator<'_> {
    fn reflect(&self, asked: &str) -> Value {
        let session = self.sessions.iter().find(|session| asked.contains(&session.question)).unwrap();
        let learning = match session.lesson {
            Some((lesson, words)) => LESSONS[lesson].words[words].to_owned(),
            None => format!("Mind what came up in {}", session.question),
        };
        json!({"reasoning": "r", "key_insight": learning, "extracted_learnings": [
            {"learning": learning, "atomicity_score": 0.9, "evidence": "seen", "justification": "j"}], "skill_tags": []})
    }

    fn curate(&self, asked: &str) -> Value {
        let (book, learnt) = asked.split_once("What was learnt:").unwrap();
        let learnt = object(learnt);
        let learning = learnt["extracted_learnings"][0]["learning"].as_str().unwrap();
        let known = book.lines().find(|line| {
            meaning(line).is_some_and(|lesson| meaning(learning) == Some(lesson)) && line.starts_with("  ")
        });
        let cells: Option<Vec<&str>> = known.map(|line| line.trim().split('\t').collect());
        let operation = match (&cells, self.habit) {
            (Some(cells), Habit::Repeat) => add(cells[2].trim_matches('"')),
            (Some(cells), Habit::Update) => {
                json!({"type": "UPDATE", "skill_id": cells[0], "content": learning})
            }
            (Some(_), Habit::Nothing) => return json!({"reasoning": "r", "operations": []}),
            (Some(cells), Habit::Confirm) => json!({"type": "CONFIRM", "skill_id": cells[0]}),
            _ => add(learning),
        };
        json!({"reasoning": "r", "operations": [operation]})
    }
}

fn add(content: &str) -> Value {
    json!({"type": "ADD", "section": "work", "content": content, "justification": "j", "evidence": "seen"})
}

/// Says which texts mean what which skills mean.
fn same(asked: &str) -> Value {
    let value = object(asked);
    let mut pairs = Vec::new();
    for text in value["texts"].as_array().unwrap() {
        for skill in value["skills"].as_array().unwrap() {
            let of = |value: &Value| value["says"].as_str().and_then(meaning);
            if of(text).is_some() && of(text) == of(skill) {
                pairs.push(json!({"text": text["number"], "skill_id": skill["skill_id"]}));
                break;
            }
        }
    }
    json!({"same": pairs})
}

fn object(text: &str) -> Value {
    let from = text.find('{').unwrap();
    serde_json::Deserializer::from_str(&text[from..]).into_iter::<Value>().next().unwrap().unwrap()
}
