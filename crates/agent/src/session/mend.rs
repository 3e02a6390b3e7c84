//! Histories as clients send them that keep the conversation themselves: cut off in the middle of a round, reordered, doubled.
//!
//! Must never lose a result whose call is known, nor take one for another call. What only brings results is not mended: its
//! client has to know that they do not fit. A pure function.

use engross_llm::{Message, ToolCall};

use super::calls::which;
use super::turn_state::OpenCall;

/// A history in which every result stands behind its call.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct MendedHistory {
    pub(super) messages: Vec<Message>,
    /// Results of calls that are not there.
    pub(super) left_out: usize,
    /// Results that stood behind what was said later, or before their call.
    pub(super) moved: usize,
    /// From which message on something was mended.
    pub(super) from: usize,
}

impl MendedHistory {
    /// What to tell of it.
    pub(super) fn told(&self) -> String {
        let mut told = Vec::new();
        if self.left_out > 0 {
            told.push(format!("results without a call that were left out: {}", self.left_out));
        }
        if self.moved > 0 {
            told.push(format!("results that were put behind their calls: {}", self.moved));
        }
        format!("the history that was sent was mended: {}", told.join("; "))
    }
}

/// Calls of one answer that have no result yet, and where the next one belongs.
struct Round {
    open: Vec<ToolCall>,
    place: usize,
}

fn is_result_of(message: &Message, call: &str) -> bool {
    matches!(message, Message::Tool { tool_call_id, .. } if !call.is_empty() && tool_call_id == call)
}

/// Mends what was `sent` to a session in which `waiting` are the calls that it waits for. Nothing when there is nothing to mend, or
/// when what would be left is nothing to answer.
pub(super) fn mend(sent: &[Message], waiting: &[OpenCall], is_new: bool) -> Option<MendedHistory> {
    let keeps_history = sent.iter().any(|message| matches!(message, Message::Assistant { .. }));
    let mut mended = MendedHistory { from: usize::MAX, ..MendedHistory::default() };
    let mut rounds: Vec<Round> = Vec::new();
    // Whether the last round may still get its results without being moved.
    let mut at_hand = false;
    // Results that came before any call of theirs.
    let mut early: Vec<&Message> = Vec::new();
    for (index, message) in sent.iter().enumerate() {
        let Message::Tool { tool_call_id, name, .. } = message else {
            at_hand = false;
            mended.messages.push(message.clone());
            if let Message::Assistant { tool_calls, .. } = message
                && !tool_calls.is_empty()
            {
                at_hand = true;
                let mut round = Round { open: tool_calls.clone(), place: mended.messages.len() };
                let later = sent.get(index + 1..).unwrap_or_default();
                round.open.retain(|call| {
                    let is_of = |message: &&Message| is_result_of(message, &call.id);
                    let came = early.iter().position(is_of).filter(|_| !later.iter().any(|it| is_of(&it)));
                    let Some(came) = came else { return true };
                    mended.from = mended.from.min(mended.messages.len());
                    mended.messages.push(early.remove(came).clone());
                    (mended.left_out, mended.moved) = (mended.left_out - 1, mended.moved + 1);
                    false
                });
                round.place = mended.messages.len();
                rounds.push(round);
            }
            continue;
        };
        if at_hand
            && let Some(round) = rounds.last_mut()
            && let Some(call) = which(round.open.iter(), tool_call_id, name)
        {
            round.open.remove(call);
            mended.messages.push(message.clone());
            round.place = mended.messages.len();
            continue;
        }
        let of_call = |round: &Round| round.open.iter().position(|call| call.id == *tool_call_id);
        let found = rounds.iter().enumerate().rev().find_map(|(at, round)| Some((at, of_call(round)?)));
        if let Some((at, call)) = found.filter(|_| !tool_call_id.is_empty())
            && let Some(round) = rounds.get_mut(at)
        {
            round.open.remove(call);
            mended.moved += 1;
            mended.from = mended.from.min(round.place);
            mended.messages.insert(round.place, message.clone());
            rounds.iter_mut().skip(at).for_each(|round| round.place += 1);
            continue;
        }
        let heard_before = !rounds.is_empty();
        let fits =
            !heard_before && which(waiting.iter().map(|call| &call.call), tool_call_id, name).is_some();
        let goes_on = || sent.iter().skip(index + 1).any(|later| matches!(later, Message::User { .. }));
        if fits || !(keeps_history || (is_new && goes_on())) {
            mended.messages.push(message.clone());
        } else {
            mended.left_out += 1;
            let calls_it = |message: &Message| matches!(message, Message::Assistant { tool_calls, .. } if tool_calls.iter().any(|call| call.id == *tool_call_id));
            // A second result of a call that had one is of no other.
            if !sent.iter().take(index).any(calls_it) {
                early.push(message);
            }
            mended.from = mended.from.min(mended.messages.len());
        }
    }
    let is_mended = mended.left_out + mended.moved > 0;
    let is_to_answer = mended.messages.last().is_some_and(|last| !matches!(last, Message::Assistant { .. }));
    (is_mended && is_to_answer).then_some(mended)
}
