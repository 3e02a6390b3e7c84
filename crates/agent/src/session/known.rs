//! How much of what a client sends the session has already.
//!
//! Must never count a message as known that the session does not have. Pure functions.

use engross_llm::{Message, MessageAttachment};

use super::calls::same_call;
use super::state::SessionState;

/// How much of a request the session knows already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct KnownMessages {
    /// Messages of the request that the session has already.
    pub(super) consumed: usize,
    /// Messages of the session that stay.
    pub(super) keep: usize,
    /// From which message of the session on the client sent the conversation itself.
    pub(super) sent_from: usize,
}

impl KnownMessages {
    /// Finds how much of `sent` the session has; `is_whole` when it is the whole conversation.
    pub(super) fn find(session: &SessionState, sent: &[Message], is_whole: bool) -> Self {
        let mut known = if is_whole {
            branch(&session.messages, sent)
        } else {
            repeats(session, sent).unwrap_or_else(|| align(&session.messages, sent))
        };
        // A client may leave out results that the session has. A branch never begins between a call and its result.
        let results = session.messages.get(known.keep..).unwrap_or_default();
        known.keep += results.iter().take_while(|message| matches!(message, Message::Tool { .. })).count();
        known
    }
}

/// Finds what of `sent` is in `stored` already.
///
/// A client that keeps the conversation itself sends all of it, or its end. A client that does not sends what is new. The
/// two differ in this: only the former sends words of the model.
fn align(stored: &[Message], sent: &[Message]) -> KnownMessages {
    let tail = stored.iter().rposition(is_assistant).map_or(0, |last| last + 1);
    let Some(last_answer) = sent.iter().rposition(is_assistant) else {
        // Messages that got no answer are sent again when a request is repeated.
        let unanswered = stored.get(tail..).unwrap_or_default();
        let again = unanswered.iter().any(|message| matches!(message, Message::User { .. }))
            && starts_with(sent, unanswered);
        let consumed = if again { unanswered.len() } else { 0 };
        return KnownMessages { consumed, keep: stored.len(), sent_from: stored.len() - consumed };
    };
    let history = sent.get(..=last_answer).unwrap_or_default();
    let common = stored.iter().zip(sent).take_while(|(left, right)| same(left, right)).count();
    if common >= history.len() {
        let diverges = common < stored.len();
        // What is behind the history in the session was sent differently, or not at all.
        return KnownMessages {
            consumed: common,
            keep: if diverges { common } else { stored.len() },
            sent_from: 0,
        };
    }
    // A client that has dropped the beginning sends the end.
    let ends_with = |at: usize| {
        stored.get(at..).is_some_and(|end| end.len() <= sent.len() && starts_with(sent, end)) && at > 0
    };
    let first =
        (0..stored.len()).find(|at| ends_with(*at) && stored.len() - at >= history.len().min(stored.len()));
    if let Some(at) = first.filter(|at| stored.len() - at >= history.len()) {
        return KnownMessages { consumed: stored.len() - at, keep: stored.len(), sent_from: at };
    }
    KnownMessages { consumed: common, keep: common, sent_from: 0 }
}

/// A message that is sent again after its answer was cut: the new answer comes in the place of what was heard of the old one.
fn repeats(session: &SessionState, sent: &[Message]) -> Option<KnownMessages> {
    let before = session.messages.get(..session.cut?)?;
    if session.messages.len() > before.len() + 1 || sent.iter().any(is_assistant) {
        return None;
    }
    let known = align(before, sent);
    (known.consumed > 0).then_some(known)
}

/// Where a conversation that was sent as a whole leaves the stored one: before its last message at the latest.
fn branch(stored: &[Message], sent: &[Message]) -> KnownMessages {
    let before = sent.get(..sent.len().saturating_sub(1)).unwrap_or_default();
    let common = stored.iter().zip(before).take_while(|(left, right)| same(left, right)).count();
    KnownMessages { consumed: common, keep: common, sent_from: common }
}

fn starts_with(messages: &[Message], beginning: &[Message]) -> bool {
    messages.len() >= beginning.len() && messages.iter().zip(beginning).all(|(left, right)| same(left, right))
}

pub(super) fn is_assistant(message: &Message) -> bool {
    matches!(message, Message::Assistant { .. })
}

/// Whether two messages are the same but for what clients change on the way: outer white space, the form of arguments, the
/// name beside a result.
fn same(left: &Message, right: &Message) -> bool {
    let text = |left: &str, right: &str| left.trim() == right.trim();
    match (left, right) {
        (
            Message::User { content: left, attachments: left_more },
            Message::User { content: right, attachments: right_more },
        ) => text(left, right) && carry_same(left_more, right_more),
        (
            Message::Assistant { content: left, tool_calls: left_calls, .. },
            Message::Assistant { content: right, tool_calls: right_calls, .. },
        ) => {
            text(left, right)
                && left_calls.len() == right_calls.len()
                && left_calls.iter().zip(right_calls).all(|(left, right)| same_call(left, right))
        }
        (
            Message::Tool { tool_call_id: left_id, content: left, attachments: left_more, .. },
            Message::Tool { tool_call_id: right_id, content: right, attachments: right_more, .. },
        ) => left_id == right_id && text(left, right) && carry_same(left_more, right_more),
        _ => false,
    }
}

fn carry_same(left: &[MessageAttachment], right: &[MessageAttachment]) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.source == right.source)
}
