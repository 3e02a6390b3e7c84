//! Keeps the tool calls of one answer apart, and gives each an id that names it alone.
//!
//! Must never let two calls of a conversation share an id: results are bound to calls by it.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::http::Endpoint;
use crate::{Error, Event, Limits, Message, Request};

/// The calls of one answer.
pub(super) struct Calls {
    /// Ids that the conversation has used already.
    taken: HashSet<String>,
    /// Tells this answer's ids from those of other answers.
    seed: u64,
    calls: Vec<Call>,
}

struct Call {
    /// The provider's number for it; not always unique.
    number: u64,
    /// The provider's id for it, possibly empty.
    provider_id: String,
    has_arguments: bool,
}

impl Calls {
    /// No calls yet in the answer to `request`.
    pub(super) fn new(request: &Request) -> Self {
        let mut taken = HashSet::new();
        let mut hasher = DefaultHasher::new();
        for message in &request.messages {
            match message {
                Message::User { content, .. } => content.hash(&mut hasher),
                Message::Tool { content, .. } => content.hash(&mut hasher),
                Message::Assistant { content, tool_calls, .. } => {
                    content.hash(&mut hasher);
                    for call in tool_calls {
                        (&call.id, &call.arguments).hash(&mut hasher);
                        taken.insert(call.id.clone());
                    }
                }
            }
        }
        Self { taken, seed: hasher.finish(), calls: Vec::new() }
    }

    /// Whether there are any.
    pub(super) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// How many have begun: a number that none of them has yet, for providers that do not number them.
    pub(super) fn len(&self) -> u64 {
        self.calls.len() as u64
    }

    /// A call begins. Returns the id it goes by.
    pub(super) fn start(
        &mut self,
        number: u64,
        provider_id: &str,
        name: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<String, Error> {
        let limit = Limits::default().calls;
        if self.calls.len() >= limit {
            return Err(Error::TooLarge { what: "tool calls", limit });
        }
        if name.is_empty() {
            return Err(from.protocol("a tool call names no tool"));
        }
        let index = self.calls.len();
        let mut id = provider_id.to_owned();
        if id.is_empty() || self.taken.contains(&id) {
            id = format!("call_{:016x}_{index}", self.seed);
        }
        self.taken.insert(id.clone());
        self.calls.push(Call { number, provider_id: provider_id.to_owned(), has_arguments: false });
        events.push_back(Event::ToolCallStart { index, id: id.clone(), name: name.to_owned() });
        Ok(id)
    }

    /// Whether what carries this number and id belongs to the latest call of that number. An empty id leaves it open.
    pub(super) fn continues(&self, number: u64, provider_id: &str) -> bool {
        self.latest(number).is_some_and(|index| {
            provider_id.is_empty()
                || self.calls.get(index).is_some_and(|call| call.provider_id == provider_id)
        })
    }

    /// More arguments for the latest call of that number.
    pub(super) fn arguments(
        &mut self,
        number: u64,
        delta: &str,
        from: &Endpoint,
        events: &mut VecDeque<Event>,
    ) -> Result<(), Error> {
        if delta.is_empty() {
            return Ok(());
        }
        let index = self.latest(number).ok_or_else(|| from.protocol("arguments came for no tool call"))?;
        if let Some(call) = self.calls.get_mut(index) {
            call.has_arguments = true;
        }
        events.push_back(Event::ToolCallArguments { index, delta: delta.to_owned() });
        Ok(())
    }

    /// The text of the latest call of that number is whole, and so is the JSON around it.
    pub(super) fn argument_end(&mut self, number: u64, events: &mut VecDeque<Event>) {
        if let Some(index) = self.latest(number) {
            events.push_back(Event::ToolCallArguments { index, delta: "\"}".to_owned() });
        }
    }

    /// No more calls: one that came without arguments has none, which is `{}`.
    pub(super) fn end(&mut self, events: &mut VecDeque<Event>) {
        for (index, call) in self.calls.iter_mut().enumerate() {
            if !call.has_arguments {
                call.has_arguments = true;
                events.push_back(Event::ToolCallArguments { index, delta: "{}".to_owned() });
            }
        }
    }

    fn latest(&self, number: u64) -> Option<usize> {
        self.calls.iter().rposition(|call| call.number == number)
    }
}
