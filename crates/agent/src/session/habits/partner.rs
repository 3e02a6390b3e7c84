//! A model that writes one file over a cut, with a habit. It knows the file that it wants to write and what it is shown.

use std::sync::Mutex;

use engross_llm::{Error, Event, FinishReason, Message, Model, ModelInfo, Request};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::{Value, json};

use super::habit::Habit;

/// What stands before the text that is to be repeated.
pub(super) const REPEAT: &str = "First repeat exactly this, then go on from its last character:\n";

/// What a run tries.
#[derive(Debug, Clone)]
pub(super) struct Trial {
    pub(super) name: String,
    pub(super) file: String,
    /// The first answer is cut behind so many bytes.
    pub(super) cut: usize,
    pub(super) habit: Habit,
    /// Whether it does so again when it is asked again.
    pub(super) is_stubborn: bool,
}

pub(super) struct Partner {
    trial: Trial,
    /// The file in the form in which the model writes it.
    written: String,
    /// Where its first answer ends.
    cut: usize,
    state: Mutex<PartnerState>,
}

#[derive(Default)]
struct PartnerState {
    begun: bool,
    wrote_first: bool,
    /// How often it was asked to go on.
    continued: u32,
    /// Whether all of the file has come, as far as it knows.
    is_whole: bool,
}

impl Partner {
    pub(super) fn new(trial: Trial) -> Self {
        let written = trial.habit.written(&trial.file);
        // As far through it as the cut is through the file.
        let cut = written.floor_char_boundary(trial.cut * written.len() / trial.file.len());
        Self { trial, written, cut, state: Mutex::default() }
    }

    fn reply(&self, request: &Request) -> Vec<Result<Event, Error>> {
        let mut state = self.state.lock().unwrap();
        let Trial { file, habit, is_stubborn, name, .. } = &self.trial;
        let (written, cut) = (&self.written, self.cut);
        if !state.begun {
            state.begun = true;
            return call(&json!({"target_file": name, "operation": "create"}));
        }
        let asked = last_words(request);
        let end = end_line(request);
        if !state.wrote_first {
            state.wrote_first = true;
            let (behind, is_ended) = habit.last_words();
            let finish = if is_ended { FinishReason::Stop } else { FinishReason::Length };
            return answer(&format!("{}{}{behind}", habit.first_words(), &written[..cut]), finish);
        }
        if asked.contains("has errors:")
            || asked.contains("Write all of it now")
            || asked.contains("all of it anew")
        {
            state.is_whole = true;
            let words = if *is_stubborn { *habit } else { Habit::Obeys };
            return answer(&words.whole(file, &end), FinishReason::Stop);
        }
        if asked.contains(" is DONE, ") {
            return answer("DONE\n", FinishReason::Stop);
        }
        if !asked.contains("is not complete") {
            return answer("That is all.", FinishReason::Stop);
        }
        state.continued += 1;
        let deviates = *is_stubborn || state.continued == 1 || (state.continued == 2 && state.is_whole);
        let habit = if deviates { *habit } else { Habit::Obeys };
        if state.is_whole && !asked.contains("was cut off") {
            return answer(&habit.at_the_end(&end), FinishReason::Stop);
        }
        if habit == Habit::RenamesMidway && !asked.contains("write its content first") {
            return call(&json!({"target_file": format!("part2_{name}"), "operation": "create"}));
        }
        let (anchor, seen) = places(written, cut, &asked);
        state.is_whole = matches!(habit, Habit::ForgetsEnd | Habit::ForgetsEndAndSaysDone | Habit::BoldDone);
        let finish = if habit == Habit::EmptyRound { FinishReason::Length } else { FinishReason::Stop };
        answer(&habit.continuation(written, anchor, seen, &end), finish)
    }
}

impl Model for Partner {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "partner".to_owned(), language_model: true }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        stream::iter(self.reply(&request)).boxed()
    }
}

/// Where in `file` the text begins that is to be repeated, and where it ends: as far as the model believes to have come.
fn places(file: &str, cut: usize, asked: &str) -> (usize, usize) {
    let Some(text) = asked.split_once(REPEAT).map(|(_, text)| text) else { return (cut, cut) };
    let text = text.split("\n\nNo words before it").next().unwrap_or(text);
    // The file so far is all that it could have been shown.
    let found = file[..cut].rfind(text);
    found.map_or((cut, cut), |at| (at, at + text.len()))
}

pub(super) fn last_words(request: &Request) -> String {
    match request.messages.last() {
        Some(Message::User { content, .. } | Message::Tool { content, .. }) => content.clone(),
        _ => String::new(),
    }
}

/// The end line that the model was told.
pub(super) fn end_line(request: &Request) -> String {
    let told = request.messages.iter().rev().find_map(|message| match message {
        Message::Tool { content, .. } => {
            serde_json::from_str::<Value>(content).ok()?["end_marker"].as_str().map(str::to_owned)
        }
        _ => None,
    });
    told.unwrap_or_else(|| "DONE".to_owned())
}

pub(super) fn call(arguments: &Value) -> Vec<Result<Event, Error>> {
    vec![
        Ok(Event::ToolCallStart {
            index: 0,
            id: "call_1".to_owned(),
            name: "WritePlanTool_begin".to_owned(),
        }),
        Ok(Event::ToolCallArguments { index: 0, delta: arguments.to_string() }),
        Ok(Event::Finish(FinishReason::ToolCalls)),
    ]
}

/// An answer of this text in pieces.
pub(super) fn answer(text: &str, finish: FinishReason) -> Vec<Result<Event, Error>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.ceil_char_boundary(23.min(rest.len())));
        pieces.push(Ok(Event::Text(now.to_owned())));
        rest = later;
    }
    pieces.push(Ok(Event::Finish(finish)));
    pieces
}
