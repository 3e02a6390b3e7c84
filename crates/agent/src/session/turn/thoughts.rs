//! How far the model's thinking is, for people: it streams apart from the answer, and is no part of it.
//!
//! Must never reach the log or the conversation.

use crate::session::event::TurnEvent;

/// How often it is told, in milliseconds.
const MILLIS: u64 = 250;

/// The most bytes of it that are told.
const LATEST: usize = 400;

/// What the model thought in its present answer.
#[derive(Debug, Default)]
pub(super) struct Thoughts {
    bytes: u64,
    latest: String,
    /// What was not told yet.
    more: String,
    told_at: Option<u64>,
}

impl Thoughts {
    /// Takes more of it; what to tell at `now`, in milliseconds, if it is time.
    pub(super) fn add(&mut self, text: &str, now: u64) -> Option<TurnEvent> {
        self.bytes += text.len() as u64;
        self.more.push_str(text);
        self.latest.push_str(text);
        let from = self.latest.ceil_char_boundary(self.latest.len().saturating_sub(LATEST));
        self.latest.drain(..from);
        if self.told_at.is_some_and(|told| now < told.saturating_add(MILLIS)) {
            return None;
        }
        self.told_at = Some(now);
        self.rest()
    }

    /// What was not told yet, if there is anything: the model goes on with something else.
    pub(super) fn rest(&mut self) -> Option<TurnEvent> {
        let more = std::mem::take(&mut self.more);
        (!more.is_empty()).then(|| TurnEvent::Thinking {
            bytes: self.bytes,
            latest: self.latest.clone(),
            more,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{LATEST, Thoughts};
    use crate::session::event::TurnEvent;

    fn told(event: Option<TurnEvent>) -> Option<(u64, String, String)> {
        match event {
            Some(TurnEvent::Thinking { bytes, latest, more }) => Some((bytes, latest, more)),
            _ => None,
        }
    }

    #[test]
    fn it_is_told_at_once_then_now_and_then() {
        let mut thoughts = Thoughts::default();
        let of = |bytes, latest: &str, more: &str| Some((bytes, latest.to_owned(), more.to_owned()));
        assert_eq!(told(thoughts.add("I ", 1_000)), of(2, "I ", "I "));
        assert_eq!(told(thoughts.add("think", 1_249)), None);
        assert_eq!(told(thoughts.add(".", 1_250)), of(8, "I think.", "think."));
        let (bytes, latest, _) = told(thoughts.add(&"ü".repeat(1000), 2_000)).unwrap();
        assert_eq!((bytes, latest.len()), (2008, LATEST));
    }

    #[test]
    fn all_of_it_is_told_once() {
        let mut thoughts = Thoughts::default();
        let mut heard = String::new();
        let mut hear = |event| heard.extend(told(event).map(|(_, _, more)| more));
        for step in 0..100 {
            hear(thoughts.add(&format!("{step} "), 1_000 + step * 30));
        }
        hear(thoughts.rest());
        hear(thoughts.rest());
        assert_eq!(heard, (0..100).map(|step| format!("{step} ")).collect::<String>());
    }
}
