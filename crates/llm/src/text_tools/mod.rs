//! Tools for models that have none: calls are lines of text.
//!
//! Must never take text for a call that is not one: a line counts only with the name of a tool on offer and arguments that are
//! an object; nor a call out of content of a file.
//!
//! | File | Question it answers |
//! |---|---|
//! | `request` | how is a conversation with calls told in text? |
//! | `reading` | which of an answer's text are calls, as it streams? |
//! | `form` | what is looked for? |
//! | `printed`, `objects`, `elements`, `marks` | in which forms do models print calls? |
//! | `literal` | what are their arguments? |

mod elements;
mod form;
mod literal;
#[cfg(test)]
mod literal_tests;
mod marks;
mod objects;
mod printed;
mod reading;
mod request;

#[cfg(test)]
mod text_tools_tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::stream::{self, BoxStream, StreamExt};

use crate::options::OptionTreatment;
use crate::{Error, Event, Model, ModelInfo, Request};
use reading::CallReader;
use request::in_text;

/// A model whose printed calls are understood, and that is asked in text once its provider has refused tools.
pub(crate) struct TextTools<M> {
    model: Arc<M>,
    /// Whether the provider has refused tools.
    refused: Arc<AtomicBool>,
}

impl<M: Model + 'static> TextTools<M> {
    pub(crate) fn new(model: M) -> Self {
        Self { model: Arc::new(model), refused: Arc::default() }
    }
}

impl<M: Model + 'static> Model for TextTools<M> {
    fn info(&self) -> ModelInfo {
        self.model.info()
    }

    fn searches(&self) -> bool {
        self.model.searches()
    }

    fn treats(&self, option: &str, value: &serde_json::Value) -> OptionTreatment {
        self.model.treats(option, value)
    }

    fn refuses(&self, attachment: &crate::MessageAttachment) -> Option<&'static str> {
        self.model.refuses(attachment)
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        if request.tools.is_empty() {
            return self.model.answer(request);
        }
        let names: Vec<String> = request.tools.iter().map(|tool| tool.name.clone()).collect();
        let reader = CallReader::new(names, &request.text, request.messages.len());
        if self.refused.load(Ordering::Relaxed) {
            return read(self.model.answer(in_text(request)), reader);
        }
        let (model, refused) = (Arc::clone(&self.model), Arc::clone(&self.refused));
        let first = model.answer(request.clone());
        let begun = async move {
            let mut answer = first;
            let first = answer.next().await;
            match first {
                Some(Err(Error::BadRequest { message, .. })) if refuses_tools(&message) => {
                    refused.store(true, Ordering::Relaxed);
                    tracing::info!(
                        model = model.info().spec,
                        "the model takes no tools, so calls are lines of text"
                    );
                    model.answer(in_text(request))
                }
                first => stream::iter(first).chain(answer).boxed(),
            }
        };
        read(stream::once(begun).flatten().boxed(), reader)
    }
}

/// Whether a provider says that the model has no tools.
fn refuses_tools(message: &str) -> bool {
    let message = message.to_lowercase();
    let about = message.contains("tool") || message.contains("function call");
    let refuses = [
        "not support",
        "unsupported",
        "not supported",
        "not available",
        "not enabled",
        "unknown field",
        "unrecognized",
    ];
    about && refuses.iter().any(|words| message.contains(words))
}

/// The answer with calls in the place of the lines that print them.
fn read(
    answer: BoxStream<'static, Result<Event, Error>>,
    reader: CallReader,
) -> BoxStream<'static, Result<Event, Error>> {
    let events = stream::unfold((answer, reader), |(mut answer, mut reader)| async move {
        let next = answer.next().await?;
        let events: Vec<Result<Event, Error>> = match next {
            Ok(event) => reader.take(event).into_iter().map(Ok).collect(),
            Err(error) => reader.flush().into_iter().map(Ok).chain([Err(error)]).collect(),
        };
        Some((stream::iter(events), (answer, reader)))
    });
    events.flatten().boxed()
}
