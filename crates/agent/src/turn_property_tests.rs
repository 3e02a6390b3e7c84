//! Whatever comes in: no panic, never too many model calls, and each call gets exactly one result, in order.

use engross_llm::{Answer, Error, FinishReason, Message, ToolCall};
use proptest::prelude::*;

use crate::tools::CallResult;
use crate::turn::{Action, Input, State, step};

fn tool_call() -> impl Strategy<Value = ToolCall> {
    let arguments = prop_oneof![
        Just(r#"{"operations":[{"op":"delete_paragraph","paragraphIndex":4}]}"#.to_owned()),
        Just(r#"{"operations":[]}"#.to_owned()),
        Just(r#"{"operations":[{"op":"nonsense"},7]}"#.to_owned()),
        Just(r#"{"instruction":"tidy up"}"#.to_owned()),
        Just(r#"{"from":"P3","limit":2}"#.to_owned()),
        Just(r#"{"search":"#.to_owned()),
        Just(String::new()),
        ".{0,20}",
    ];
    let name = prop_oneof![Just("read_document"), Just("apply_redlines"), Just("web_search")];
    ("[a-c]", name, arguments).prop_map(|(id, name, arguments)| ToolCall {
        id,
        name: name.to_owned(),
        arguments,
    })
}

fn input() -> impl Strategy<Value = Input> {
    let finish = prop_oneof![
        4 => Just(FinishReason::ToolCalls),
        1 => Just(FinishReason::Stop),
        1 => Just(FinishReason::Length),
        1 => Just(FinishReason::ContentFilter),
    ];
    let text = prop_oneof![
        Just(String::new()),
        Just(r#"{"operations":[{"op":"delete_paragraph","paragraphIndex":1}]}"#.to_owned()),
        ".{0,10}",
    ];
    let answer = (text, prop::collection::vec(tool_call(), 0..4), finish)
        .prop_map(|(text, tool_calls, finish)| Answer { text, tool_calls, finish, usage: None });
    let result = (".{0,5}", any::<bool>()).prop_map(|(content, is_error)| CallResult { content, is_error });
    prop_oneof![
        1 => Just(Input::Start),
        6 => answer.prop_map(Input::Answer),
        1 => Just(Input::Failed(Error::Truncated)),
        4 => prop::collection::vec(result, 0..5).prop_map(Input::Ran),
    ]
}

/// Each call's result follows it at once, in the order of the calls; only the last answer may still wait.
fn assert_well_formed(messages: &[Message], may_wait: bool) {
    let mut rest = messages.iter().peekable();
    while let Some(message) = rest.next() {
        let Message::Assistant { tool_calls, .. } = message else {
            assert!(matches!(message, Message::User { .. }), "a result without its call: {message:?}");
            continue;
        };
        for call in tool_calls {
            match rest.next() {
                Some(Message::Tool { tool_call_id, name, .. }) => {
                    assert_eq!((tool_call_id, name), (&call.id, &call.name));
                }
                None => assert!(may_wait, "{call:?} has no result"),
                other => panic!("{call:?} is followed by {other:?}"),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_inputs_keep_the_promises(limit in 0_u32..8, inputs in prop::collection::vec(input(), 0..40)) {
        let mut state = State::new("go".to_owned(), limit);
        let mut asked = 0;
        let mut ended = false;
        step(&mut state, Input::Start);
        asked += 1;
        let mut waiting = true;
        for input in inputs {
            let actions = step(&mut state, input);
            for action in &actions {
                prop_assert!(!ended, "something after the end: {action:?}");
                match action {
                    Action::Ask { round } | Action::Translate { round, .. } => {
                        asked += 1;
                        prop_assert_eq!(*round, asked);
                        waiting = matches!(action, Action::Translate { .. });
                    }
                    Action::Run(uses) => {
                        prop_assert!(!uses.is_empty());
                        waiting = true;
                    }
                    Action::Warn(_) => {}
                    Action::End(_) => {
                        ended = true;
                        waiting = false;
                    }
                }
            }
            prop_assert!(asked <= limit.max(1));
            assert_well_formed(state.messages(), waiting);
        }
        prop_assert_eq!(state.rounds(), asked);
    }
}
