//! Builds the model's context window from the log.
//!
//! Must never cut between a call and its result, leave out what the client itself sent, or leave anything out in silence.

use engross_llm::{Message, MessageAttachment};

use super::request::ClientToolChoice;
use super::state::SessionState;

/// How much room pictures and files of a conversation have in one request, as base64: providers refuse more than about 20 MB.
const ATTACHMENT_BYTES: usize = 16 << 20;

/// How much stored history a model is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContextPolicy {
    /// Turns, the present one included; a turn is a user message with all up to the next.
    pub turns: usize,
    /// Tokens, the present turn included, by estimate; no bound without.
    pub tokens: Option<usize>,
    /// Whether the model is asked for a summary of what it is not given any more.
    pub summary: bool,
}

impl Default for ContextPolicy {
    fn default() -> Self {
        Self { turns: 10, tokens: None, summary: false }
    }
}

impl ContextPolicy {
    /// Half of it: a summary leaves room for the next turns, so that not each of them needs another one.
    fn half(self) -> Self {
        Self { turns: self.turns.div_ceil(2), tokens: self.tokens.map(|tokens| tokens / 2), ..self }
    }
}

/// The messages for the model, and how many before them are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Window {
    pub(crate) messages: Vec<Message>,
    pub(crate) left_out: usize,
    /// How many pictures and files there was no room for: words stand in their place.
    pub(crate) told: usize,
    /// Whether the session's summary stands for what is left out, as far as it goes.
    pub(crate) is_summarised: bool,
    /// The number of messages that a new summary should stand for.
    pub(crate) to_summarise: Option<usize>,
}

/// The window over the session's messages.
pub(crate) fn window(session: &SessionState, policy: ContextPolicy) -> Window {
    let messages = &session.messages;
    let summary = session.summary.as_ref().filter(|_| policy.summary).map_or(0, |summary| summary.until);
    let bounded = begin(session, policy);
    let to_summarise =
        (policy.summary && bounded > summary).then(|| begin(session, policy.half()).max(bounded));
    let sent_from = session.turn.as_ref().map_or(messages.len(), |turn| turn.sent_from);
    // A client that sends what is summed up wants the model to see it.
    let stands = summary > 0 && summary <= sent_from && bounded > 0;
    let from = if stands { bounded.max(summary) } else { bounded };
    let present = session.turn.as_ref().map_or(messages.len(), |turn| turn.start.min(turn.sent_from));
    let stays = |(at, message): (usize, &Message)| {
        // What the client sends itself is its own affair.
        (at >= present || !session.refused.contains(&at)).then(|| (at, message.clone()))
    };
    let mut given: Vec<(usize, Message)> = messages.iter().enumerate().skip(from).filter_map(stays).collect();
    let told = make_room(&mut given, present, ATTACHMENT_BYTES);
    let left_out = messages.len() - given.len();
    let messages = given.into_iter().map(|(_, message)| message).collect();
    Window { messages, left_out, told, is_summarised: stands, to_summarise }
}

/// Where the window begins by what is allowed. What the client itself has sent is never left out.
fn begin(session: &SessionState, policy: ContextPolicy) -> usize {
    let messages = &session.messages;
    let by_turns = turn_starts(messages).nth(policy.turns.max(1) - 1).unwrap_or(0);
    let by_tokens = policy.tokens.map_or(0, |tokens| within(messages, tokens));
    let by_policy = by_turns.max(by_tokens);
    let sent_from = session.turn.as_ref().map_or(messages.len(), |turn| turn.sent_from);
    if sent_from >= by_policy {
        return by_policy;
    }
    // It may begin in the middle of a turn: the whole turn is given then.
    turn_starts(messages).find(|start| *start <= sent_from).unwrap_or(0)
}

/// Where the last turns begin that have so many tokens together at most; the last one is always among them.
fn within(messages: &[Message], tokens: usize) -> usize {
    let (mut sum, mut end, mut begin) = (0_usize, messages.len(), None);
    for start in turn_starts(messages) {
        sum = sum.saturating_add(messages.get(start..end).unwrap_or_default().iter().map(tokens_of).sum());
        end = start;
        if sum > tokens {
            break;
        }
        begin = Some(start);
    }
    begin.or_else(|| turn_starts(messages).next()).unwrap_or(0)
}

/// The tokens of a message by estimate: nobody here knows how its model counts.
fn tokens_of(message: &Message) -> usize {
    let calls = match message {
        Message::Assistant { tool_calls, .. } => tool_calls.as_slice(),
        _ => &[],
    };
    let (Message::User { content, .. } | Message::Assistant { content, .. } | Message::Tool { content, .. }) =
        message;
    let calls: usize = calls.iter().map(|call| 8 + tokens_in(&call.name) + tokens_in(&call.arguments)).sum();
    // About what providers count for a picture of usual size, or for a page or two.
    4 + tokens_in(content) + calls + message.attachments().len() * 1_000
}

/// Four letters of English are about a token, and so are one or two of most other scripts.
fn tokens_in(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let others = text.bytes().filter(|byte| byte & 0xc0 == 0xc0).count();
    ascii.div_ceil(4) + (others * 2).div_ceil(3)
}

/// Puts words in the place of what earlier messages carry beside text, the oldest first, where there is no `room`. What the
/// client sends now always stays. Gives how many.
pub(super) fn make_room(given: &mut [(usize, Message)], present: usize, room: usize) -> usize {
    let size = |message: &Message| message.attachments().iter().map(MessageAttachment::size).sum::<usize>();
    let sent: usize = given.iter().filter(|(at, _)| *at >= present).map(|(_, message)| size(message)).sum();
    let (mut room, mut told) = (room.saturating_sub(sent), 0);
    let earlier = given.iter_mut().rev().filter(|(at, message)| *at < present && size(message) > 0);
    for (_, message) in earlier {
        if let Some(left) = room.checked_sub(size(message)) {
            room = left;
            continue;
        }
        // An older one that is small must not stand where a newer one is missing.
        room = 0;
        told += message.attachments().len();
        *message = message.clone().without_attachments(|_| true);
    }
    told
}

/// Where turns begin, the last one first: at a user message that does not follow another.
fn turn_starts(messages: &[Message]) -> impl Iterator<Item = usize> {
    let is_user = |at: usize| matches!(messages.get(at), Some(Message::User { .. }));
    (0..messages.len()).rev().filter(move |at| is_user(*at) && (*at == 0 || !is_user(at - 1)))
}

/// What the model may and must call, as far as the choice of the request goes: `None` for all.
pub(crate) fn offered<'a>(choice: &'a ClientToolChoice, names: &[&'a str]) -> Vec<&'a str> {
    match choice {
        ClientToolChoice::None => Vec::new(),
        ClientToolChoice::Named(name) => names.iter().copied().filter(|known| known == name).collect(),
        ClientToolChoice::Auto | ClientToolChoice::Required => names.to_vec(),
    }
}

/// A way to repair a conversation that a provider refused, gentlest first. All work on a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HistoryRepair {
    /// Calls and results are paired anew.
    Pairs,
    /// Calls and results are left out.
    NoCalls,
    /// Only the last user message is left.
    FreshStart,
}

impl HistoryRepair {
    /// The first, then the next after a failure.
    pub(crate) fn after(earlier: Option<Self>) -> Option<Self> {
        match earlier {
            None => Some(Self::Pairs),
            Some(Self::Pairs) => Some(Self::NoCalls),
            Some(Self::NoCalls) => Some(Self::FreshStart),
            Some(Self::FreshStart) => None,
        }
    }

    /// A window with the first `before` messages of the session mended. What was said since the provider took the mended
    /// copy is no part of what it refused: without it the model would never see the results of its calls.
    pub(crate) fn mend(self, window: Window, before: usize) -> Vec<Message> {
        let Window { messages, left_out, .. } = window;
        let (refused, since) = messages.split_at(before.saturating_sub(left_out).min(messages.len()));
        let mut mended = match self {
            Self::Pairs => pair(refused),
            Self::NoCalls => without_calls(refused),
            Self::FreshStart => {
                let last = refused.iter().rev().find(|message| matches!(message, Message::User { .. }));
                last.cloned().into_iter().collect()
            }
        };
        mended.extend_from_slice(since);
        mended
    }
}

/// Every call followed by its one result, every result by a call; a conversation begins with a user message.
fn pair(messages: &[Message]) -> Vec<Message> {
    let mut paired: Vec<Message> = Vec::with_capacity(messages.len());
    let begin = messages.iter().position(|message| matches!(message, Message::User { .. })).unwrap_or(0);
    let mut at = begin;
    while let Some(message) = messages.get(at) {
        at += 1;
        match message {
            Message::Tool { .. } => {}
            Message::Assistant { tool_calls, .. } if !tool_calls.is_empty() => {
                paired.push(message.clone());
                let following = messages.get(at..).unwrap_or_default();
                let results: Vec<&Message> =
                    following.iter().take_while(|message| matches!(message, Message::Tool { .. })).collect();
                for call in tool_calls {
                    let of_call = |result: &&&Message| matches!(result, Message::Tool { tool_call_id, .. } if *tool_call_id == call.id);
                    paired.push(match results.iter().find(of_call) {
                        Some(result) => (*result).clone(),
                        None => Message::Tool {
                            tool_call_id: call.id.clone(),
                            name: call.name.clone(),
                            content: super::calls::NO_RESULT.to_owned(),
                            is_error: true,
                            attachments: Vec::new(),
                        },
                    });
                }
            }
            _ => paired.push(message.clone()),
        }
    }
    paired
}

fn without_calls(messages: &[Message]) -> Vec<Message> {
    messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { .. } => None,
            Message::Assistant { content, .. } => (!content.trim().is_empty()).then(|| Message::Assistant {
                content: content.clone(),
                tool_calls: Vec::new(),
                thoughts: Vec::new(),
            }),
            Message::User { .. } => Some(message.clone()),
        })
        .collect()
}
