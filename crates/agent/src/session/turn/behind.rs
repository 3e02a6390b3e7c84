//! Content that a model writes in one answer with the call that begins its file, as models without tools do.
//!
//! Must never take words to the person for content: what neither ends as files do nor is cut, and is short, is said.

use std::collections::BTreeMap;

use engross_llm::{Answer, Error, Event, FinishReason};
use engross_write::framing::TurnFinish;

use crate::writing::BEGIN;

/// A text of fewer lines that does not end as files do is words to the person.
const LINES: usize = 4;

/// Sorts the text of an answer as it streams: what comes behind a call that begins a file waits for the end of the answer.
pub(super) struct TextBehind {
    has_files: bool,
    /// The call that text comes behind.
    call: Option<String>,
    texts: Vec<(String, String)>,
    /// What was said before and between.
    said: String,
}

/// What an answer holds besides words and calls: content of files, by the call that begins each.
#[derive(Debug, Default)]
pub(super) struct ContentBehind {
    texts: BTreeMap<String, (String, TurnFinish)>,
}

/// The content of an answer, and its words without that.
pub(super) struct AnswerParts {
    content: ContentBehind,
    words: String,
}

impl TextBehind {
    /// For an answer of a model that may begin files, or may not.
    pub(super) fn new(has_files: bool) -> Self {
        Self { has_files, call: None, texts: Vec::new(), said: String::new() }
    }

    /// Whether the event is text behind a call, which nobody is told yet.
    pub(super) fn takes(&mut self, event: &Event) -> bool {
        match event {
            Event::ToolCallStart { id, name, .. } => {
                self.call = (self.has_files && name == BEGIN).then(|| id.clone());
                self.texts.extend(self.call.iter().map(|id| (id.clone(), String::new())));
                false
            }
            Event::Text(text) => match (&self.call, self.texts.last_mut()) {
                (Some(_), Some((_, behind))) => {
                    behind.push_str(text);
                    true
                }
                _ => {
                    self.said.push_str(text);
                    false
                }
            },
            _ => false,
        }
    }

    /// The answer is over: what of it is content, and what was only said and has not been told yet.
    pub(super) fn end(self, answer: Option<&Answer>) -> (AnswerParts, String) {
        let cut = answer.is_none_or(|answer| answer.finish.is_cut());
        let last = self.texts.len().saturating_sub(1);
        let (mut content, mut told) = (ContentBehind::default(), String::new());
        for (at, (call, text)) in self.texts.into_iter().enumerate() {
            let is_cut = cut && at == last;
            if answer.is_some() && is_content(&text, is_cut) {
                let finish = if is_cut { TurnFinish::Length } else { TurnFinish::Stop };
                content.texts.insert(call, (text.trim_start_matches(['\n', '\r']).to_owned(), finish));
            } else {
                told.push_str(&text);
            }
        }
        let words = format!("{}{told}", self.said);
        (AnswerParts { content, words }, told)
    }
}

impl AnswerParts {
    /// The answer without its content, and that.
    pub(super) fn part(self, mut answer: Answer) -> (Answer, ContentBehind) {
        if !self.content.texts.is_empty() {
            answer.text = self.words;
            // Its calls are whole, as text follows them.
            if answer.finish == FinishReason::Length {
                answer.finish = FinishReason::ToolCalls;
            }
        }
        (answer, self.content)
    }
}

impl ContentBehind {
    /// Keeps the content of an answer until its files are begun.
    pub(super) fn keep(&mut self, answer: Result<(Answer, Self), Error>) -> Result<Answer, Error> {
        let (answer, content) = answer?;
        self.texts = content.texts;
        Ok(answer)
    }

    /// The content that came behind `call`, once: the call of a file that has waited bears a longer id.
    pub(super) fn take(&mut self, call: &str) -> Option<(String, TurnFinish)> {
        self.texts.remove(call.strip_suffix("_again").unwrap_or(call))
    }
}

/// Whether a text behind a call is content of its file.
fn is_content(text: &str, is_cut: bool) -> bool {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let ends = text.lines().any(|line| line.trim_end() == "DONE");
    ends || lines.count() >= if is_cut { 1 } else { LINES }
}
