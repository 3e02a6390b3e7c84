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
    told_at: Option<u64>,
}

impl Thoughts {
    /// Takes more of it; what to tell at `now`, in milliseconds, if it is time.
    pub(super) fn add(&mut self, text: &str, now: u64) -> Option<TurnEvent> {
        self.bytes += text.len() as u64;
        self.latest.push_str(text);
        let from = self.latest.ceil_char_boundary(self.latest.len().saturating_sub(LATEST));
        self.latest.drain(..from);
        if self.told_at.is_some_and(|told| now < told.saturating_add(MILLIS)) {
            return None;
        }
        self.told_at = Some(now);
        Some(TurnEvent::Thinking { bytes: self.bytes, latest: self.latest.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::{LATEST, Thoughts};
    use crate::session::event::TurnEvent;

    #[test]
    fn it_is_told_at_once_then_now_and_then_and_never_in_full() {
        let mut thoughts = Thoughts::default();
        let told = |event: Option<TurnEvent>| match event {
            Some(TurnEvent::Thinking { bytes, latest }) => Some((bytes, latest)),
            _ => None,
        };
        assert_eq!(told(thoughts.add("I ", 1_000)), Some((2, "I ".to_owned())));
        assert_eq!(told(thoughts.add("think", 1_249)), None);
        assert_eq!(told(thoughts.add(".", 1_250)), Some((8, "I think.".to_owned())));
        let (bytes, latest) = told(thoughts.add(&"ü".repeat(1000), 2_000)).unwrap();
        assert_eq!((bytes, latest.len()), (2008, LATEST));
    }
}
