//! Windows bounded by tokens, and what stands in the place of what they leave out.

use engross_llm::Message;

use super::context::{ContextPolicy, window};
use super::log::{AcceptedRequest, LogEvent};
use super::state::{ConversationSummary, SessionState};
use super::summary;

/// A session of so many turns, each with a question and an answer of 400 letters, whose last turn is open.
fn session(turns: usize) -> SessionState {
    let mut session = SessionState::default();
    for turn in 1..=turns {
        let stored = session.messages.len();
        session.apply(&LogEvent::Accepted(AcceptedRequest {
            turn: turn as u64,
            messages: vec![Message::user(format!("q{turn} {}", "a".repeat(397)))],
            sent_from: stored,
            ..AcceptedRequest::default()
        }));
        if turn < turns {
            session.messages.push(Message::Assistant {
                content: format!("a{turn} {}", "b".repeat(397)),
                tool_calls: Vec::new(),
                thoughts: Vec::new(),
            });
            session.turn = None;
        }
    }
    session
}

fn policy(turns: usize, tokens: Option<usize>, summary: bool) -> ContextPolicy {
    ContextPolicy { turns, tokens, summary }
}

#[test]
fn the_window_is_bounded_by_tokens_and_keeps_whole_turns() {
    let session = session(6);
    let count = |tokens| window(&session, policy(100, tokens, false)).messages.len();
    assert_eq!(count(None), 11);
    // A turn of two messages has about 210 tokens, the open one half of it.
    assert_eq!(count(Some(10_000)), 11);
    assert_eq!(count(Some(600)), 5);
    assert_eq!(count(Some(300)), 1);
    assert_eq!(count(Some(1)), 1, "the present turn always stays");
    let narrow = window(&session, policy(2, Some(10_000), false));
    assert_eq!((narrow.messages.len(), narrow.left_out, narrow.to_summarise), (3, 8, None));
}

#[test]
fn other_scripts_weigh_more() {
    let mut session = session(2);
    session.messages[0] = Message::user("的".repeat(397));
    // As many letters, more tokens.
    assert_eq!(window(&session, policy(100, Some(330), false)).messages.len(), 1);
}

#[test]
fn what_the_client_sends_is_never_left_out() {
    let mut session = session(6);
    session.turn.as_mut().unwrap().sent_from = 4;
    let window = window(&session, policy(2, Some(300), true));
    assert_eq!((window.messages.len(), window.left_out), (7, 4));
}

#[test]
fn a_summary_is_wanted_once_for_several_turns() {
    let mut session = session(9);
    let bound = policy(8, None, true);
    let wanted = window(&session, bound).to_summarise.unwrap();
    assert_eq!(wanted, 10, "four of nine turns stay, the open one among them");
    let asked = summary::question(&session, wanted);
    let Message::User { content, .. } = &asked.messages[0] else { panic!("{asked:?}") };
    assert!(content.contains("User: q1 ") && content.contains("Assistant: a5 ") && !content.contains("q6"));
    session.summary = Some(ConversationSummary { until: wanted, text: "so far".to_owned() });
    let window = window(&session, bound);
    assert_eq!((window.messages.len(), window.is_summarised, window.to_summarise), (7, true, None));
    // The next one goes on from it.
    let asked = summary::question(&session, 12);
    let Message::User { content, .. } = &asked.messages[0] else { panic!("{asked:?}") };
    assert!(content.contains("so far") && content.contains("q6") && !content.contains("q5"), "{content}");
}

#[test]
fn a_summary_goes_with_what_it_is_of() {
    let mut session = session(9);
    session.summary = Some(ConversationSummary { until: 10, text: "so far".to_owned() });
    let edited = |keep| AcceptedRequest {
        turn: 10,
        keep: Some(keep),
        messages: vec![Message::user("anew")],
        ..AcceptedRequest::default()
    };
    let mut later = session.clone();
    later.apply(&LogEvent::Accepted(edited(12)));
    assert!(later.summary.is_some());
    session.apply(&LogEvent::Accepted(edited(9)));
    assert_eq!(session.summary, None, "the client has edited what was summed up");
}

#[test]
fn long_messages_are_shown_by_their_ends() {
    let mut session = session(3);
    session.messages[0] = Message::user(format!("begin {} end", "ü".repeat(100_000)));
    let asked = summary::question(&session, 2);
    let Message::User { content, .. } = &asked.messages[0] else { panic!("{asked:?}") };
    assert!(content.contains("begin ü") && content.contains("ü end") && content.len() < 6_000);
    session.messages = (0..200).map(|n| Message::user(format!("m{n} {}", "x".repeat(3_000)))).collect();
    let asked = summary::question(&session, 200);
    let Message::User { content, .. } = &asked.messages[0] else { panic!("{asked:?}") };
    assert!(content.contains("earlier messages are left out") && content.contains("m199"));
    assert!(!content.contains("User: m0 ") && content.len() < 170_000);
}
