//! Gives a session its skills, all while they fit the budget, else those that fit what goes on: a model in front of another one.
//!
//! Must never hold a session up because a book cannot be read, show more than its budget, or write: what a session teaches, and how it
//! votes, comes from its transcript, in a run of its own.

use std::sync::{Arc, Mutex, PoisonError};

use engross_llm::{Error, Event, Message, Model, ModelInfo, Request, ToolSpec};
use engross_protocol::Clock;
use futures_util::stream::BoxStream;

use crate::disk::{BookFile, BookPaths, BookStamp, stamp_of};
use crate::skillbook::Book;
use crate::skillbook::render::{RecallSituation, recall, wrapped};

/// Bytes of what was asked by which skills are chosen.
const ASKED: usize = 4 << 10;

/// So many turns before the last request count, too.
const TURNS: usize = 2;

/// A model that is given skills.
pub struct RecallingModel {
    model: Arc<dyn Model>,
    shelf: BookCache,
    tokens: usize,
    clock: Arc<dyn Clock>,
}

impl RecallingModel {
    /// `model`, given the active skills of the book at `paths`: all, or those that fit the conversation, in at most `tokens` tokens of four
    /// bytes. The book is read again when it has changed. `complain` hears why it cannot be read, once for each state of its files.
    #[must_use]
    pub fn new(
        model: Arc<dyn Model>,
        paths: BookPaths,
        tokens: usize,
        clock: Arc<dyn Clock>,
        complain: fn(&crate::Error),
    ) -> Self {
        let shelf = BookCache { paths, complain, held: Mutex::new(CachedBook::default()) };
        Self { model, shelf, tokens, clock }
    }

    /// The skills for a conversation, as a part of its instructions; empty when none fits.
    fn lessons(&self, messages: &[Message], tools: &[ToolSpec]) -> String {
        let Some(situation) = situation(messages, tools) else { return String::new() };
        let book = self.shelf.book();
        wrapped(&recall(&book, &situation, self.tokens, self.clock.millis()))
    }
}

/// What a conversation is about; `None` before anybody has asked anything.
fn situation(messages: &[Message], tools: &[ToolSpec]) -> Option<RecallSituation> {
    let head = |text: &str| text.get(..text.floor_char_boundary(ASKED)).unwrap_or(text).to_owned();
    let place = messages.iter().rposition(|message| matches!(message, Message::User { .. }))?;
    let (before, now) = messages.split_at(place);
    let asked = |message: &Message| match message {
        Message::User { content, .. } => Some(head(content)),
        _ => None,
    };
    let calls = now.iter().filter_map(|message| match message {
        Message::Assistant { tool_calls, .. } => Some(tool_calls),
        _ => None,
    });
    let calls: Vec<String> =
        calls.flatten().map(|call| format!("{} {}", call.name, head(&call.arguments))).collect();
    let tools: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    Some(RecallSituation {
        asked: now.first().and_then(asked)?,
        calls: head(&calls.join(" ")),
        before: before.iter().rev().filter_map(asked).take(TURNS).collect(),
        tools: tools.join(" "),
    })
}

impl Model for RecallingModel {
    fn info(&self) -> ModelInfo {
        self.model.info()
    }

    fn searches(&self) -> bool {
        self.model.searches()
    }

    fn treats(&self, option: &str, value: &serde_json::Value) -> engross_llm::OptionTreatment {
        self.model.treats(option, value)
    }

    fn refuses(&self, attachment: &engross_llm::MessageAttachment) -> Option<&'static str> {
        self.model.refuses(attachment)
    }

    fn answer(&self, mut request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let lessons = self.lessons(&request.messages, &request.tools);
        if !lessons.is_empty() {
            if !request.system.is_empty() {
                request.system.push_str("\n\n");
            }
            request.system.push_str("## Learned Strategies\n\n");
            request.system.push_str(&lessons);
        }
        self.model.answer(request)
    }
}

/// A book that is read again when its files change.
struct BookCache {
    paths: BookPaths,
    complain: fn(&crate::Error),
    held: Mutex<CachedBook>,
}

#[derive(Default)]
struct CachedBook {
    stamp: Option<BookStamp>,
    book: Arc<Book>,
}

impl BookCache {
    fn book(&self) -> Arc<Book> {
        let stamp = stamp_of(&self.paths);
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.stamp != Some(stamp) {
            // What cannot be read leaves the skills from before, and is tried again when it has changed.
            match BookFile::read(self.paths.clone()) {
                Ok(file) => held.book = Arc::new(file.journal.book),
                Err(error) => (self.complain)(&error),
            }
            held.stamp = Some(stamp);
        }
        Arc::clone(&held.book)
    }
}
