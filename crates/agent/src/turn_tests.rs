//! Whole runs of the state machine as tables: what goes in, what comes out, and the conversation at the end.

use engross_llm::{Answer, Error, FinishReason, Message, ToolCall};
use serde_json::json;

use crate::tools::{CallResult, ToolUse};
use crate::turn::{Action, Ending, Input, State, step};

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_owned() }
}

fn edit(id: &str) -> ToolCall {
    call(id, "apply_redlines", r#"{"operations":[{"op":"delete_paragraph","paragraphIndex":4}]}"#)
}

fn read(id: &str) -> ToolCall {
    call(id, "read_document", r#"{"from":"P4"}"#)
}

fn answer(text: &str, tool_calls: Vec<ToolCall>) -> Input {
    let finish = if tool_calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    Input::Answer(Answer { text: text.to_owned(), tool_calls, finish, usage: None })
}

fn ran(contents: &[&str]) -> Input {
    let result = |content: &&str| CallResult { content: (*content).to_owned(), is_error: false };
    Input::Ran(contents.iter().map(result).collect())
}

/// What an action is, in short.
fn shown(action: &Action) -> String {
    match action {
        Action::Ask { round } => format!("ask {round}"),
        Action::Translate { instruction, round } => format!("translate {round}: {instruction}"),
        Action::Run(uses) => {
            let names = uses.iter().map(|tool| match tool {
                ToolUse::Read(_) => "read".to_owned(),
                ToolUse::Apply(proposals) => format!("apply {}", proposals.len()),
            });
            format!("run {}", names.collect::<Vec<_>>().join(" + "))
        }
        Action::Warn(_) => "warn".to_owned(),
        Action::End(ending) => format!("end {}", ending.code().unwrap_or("FINISHED")),
    }
}

/// Feeds the inputs; `expected` is what each gives. Returns the results that the model has read.
fn check(limit: u32, inputs: Vec<Input>, expected: &[&str]) -> Vec<(String, String, bool)> {
    let mut state = State::new("go".to_owned(), limit);
    let mut given = Vec::new();
    for input in inputs {
        given.push(step(&mut state, input).iter().map(shown).collect::<Vec<_>>().join(", "));
    }
    assert_eq!(given, expected);
    let results = state.messages().iter().filter_map(|message| match message {
        Message::Tool { tool_call_id, content, is_error, .. } => {
            Some((tool_call_id.clone(), content.clone(), *is_error))
        }
        _ => None,
    });
    results.collect()
}

fn ok(id: &str, content: &str) -> (String, String, bool) {
    (id.to_owned(), content.to_owned(), false)
}

fn code_of(result: &(String, String, bool)) -> String {
    assert!(result.2, "{result:?} is no error");
    let json: serde_json::Value = serde_json::from_str(&result.1).unwrap();
    json["error"]["code"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_reads_edits_and_ends_when_the_model_is_done() {
    let inputs = vec![
        Input::Start,
        answer("Let me look.", vec![read("a")]),
        ran(&["[P4] x"]),
        answer("", vec![edit("b"), read("c")]),
        ran(&["done", "[P4] y"]),
        answer("All done.", vec![]),
    ];
    let results =
        check(6, inputs, &["ask 1", "run read", "ask 2", "run apply 1 + read", "ask 3", "end FINISHED"]);
    assert_eq!(results, [ok("a", "[P4] x"), ok("b", "done"), ok("c", "[P4] y")]);
}

#[test]
fn words_without_a_call_end_the_run() {
    check(6, vec![Input::Start, answer("No.", vec![])], &["ask 1", "end FINISHED"]);
    check(6, vec![Input::Start, answer("", vec![])], &["ask 1", "end FINISHED"]);
}

#[test]
fn no_more_calls_than_allowed() {
    let mut inputs = vec![Input::Start];
    for id in ["a", "b", "c"] {
        inputs.push(answer("", vec![call(id, "read_document", &json!({"from": id}).to_string())]));
        inputs.push(ran(&["x"]));
    }
    let expected = ["ask 1", "run read", "ask 2", "run read", "end ROUNDS_EXHAUSTED", "", ""];
    assert_eq!(check(2, inputs, &expected).len(), 2);
}

#[test]
fn a_repeated_reading_is_done_again_with_a_warning_and_ends_the_run_the_third_time() {
    let inputs = vec![
        Input::Start,
        answer("", vec![read("a")]),
        ran(&["one"]),
        answer("", vec![read("b")]),
        ran(&["two"]),
        answer("", vec![read("c"), edit("d")]),
    ];
    let expected = ["ask 1", "run read", "ask 2", "warn, run read", "ask 3", "end REPEATED_CALL"];
    let results = check(6, inputs, &expected);
    assert_eq!(results[..2], [ok("a", "one"), ok("b", "You made this very call before.\ntwo")]);
    assert_eq!(results.len(), 4, "each call has its result, also where the run stops");
}

#[test]
fn a_repeated_edit_is_answered_with_its_earlier_result() {
    let inputs = vec![
        Input::Start,
        answer("", vec![edit("a"), edit("b")]),
        ran(&["applied"]),
        // The same by meaning, though not by letter.
        answer(
            "",
            vec![call(
                "c",
                "apply_redlines",
                r#"{"operations": [{"paragraphIndex": 4, "op": "delete_paragraph"}]}"#,
            )],
        ),
    ];
    let results = check(6, inputs, &["ask 1", "warn, run apply 1", "ask 2", "end REPEATED_CALL"]);
    assert_eq!(results[..2], [ok("a", "applied"), ok("b", "You made this very call before.\napplied")]);
}

#[test]
fn another_call_in_between_is_no_repetition() {
    let inputs = vec![
        Input::Start,
        answer("", vec![edit("a"), read("b"), edit("c"), read("d"), edit("e")]),
        ran(&["1", "2", "3", "4", "5"]),
        answer("ok", vec![]),
    ];
    let expected = ["ask 1", "run apply 1 + read + apply 1 + read + apply 1", "ask 2", "end FINISHED"];
    check(6, inputs, &expected);
}

#[test]
fn wrong_calls_are_answered_with_an_error_and_the_run_goes_on() {
    let wrong = vec![
        call("a", "delete_everything", "{}"),
        call("b", "apply_redlines", r#"{"operations":[{"op":"#),
        call("c", "apply_redlines", r#"{"operation":[]}"#),
        call("d", "read_document", "[1]"),
    ];
    let inputs = vec![Input::Start, answer("", wrong), answer("Sorry.", vec![])];
    let results = check(6, inputs, &["ask 1", "ask 2", "end FINISHED"]);
    let codes: Vec<String> = results.iter().map(code_of).collect();
    assert_eq!(codes, ["UNKNOWN_TOOL", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS", "INVALID_ARGUMENTS"]);
    assert!(results[2].1.contains("did you mean 'operations'?"), "{}", results[2].1);
}

#[test]
fn calls_of_a_cut_answer_are_not_made() {
    let cut = |finish| {
        Input::Answer(Answer {
            text: "So".to_owned(),
            tool_calls: vec![edit("a"), call("b", "apply_redlines", r#"{"operations":[{"op":"del"#)],
            finish,
            usage: None,
        })
    };
    for finish in [FinishReason::Length, FinishReason::ContentFilter] {
        let results = check(6, vec![Input::Start, cut(finish)], &["ask 1", "ask 2"]);
        assert_eq!(results.iter().map(code_of).collect::<Vec<_>>(), ["ANSWER_CUT", "ANSWER_CUT"]);
    }
}

#[test]
fn a_cut_answer_without_calls_is_no_clean_end() {
    for (finish, ending) in
        [(FinishReason::Length, "end ANSWER_CUT"), (FinishReason::ContentFilter, "end ANSWER_FILTERED")]
    {
        let cut = Answer { text: "I did".to_owned(), tool_calls: vec![], finish, usage: None };
        check(6, vec![Input::Start, Input::Answer(cut)], &["ask 1", ending]);
    }
}

#[test]
fn an_instruction_becomes_operations_by_a_model_call_that_counts() {
    let instruct =
        |id: &str, words: &str| call(id, "apply_redlines", &json!({"instruction": words}).to_string());
    let inputs = vec![
        Input::Start,
        answer("", vec![instruct("a", "delete 4"), edit("b"), instruct("c", "be kind")]),
        answer("```json\n{\"operations\":[{\"op\":\"delete_paragraph\",\"paragraphIndex\":9}]}\n```", vec![]),
        answer("I would rather not.", vec![]),
        ran(&["one", "two"]),
        answer("Done.", vec![]),
    ];
    let expected = [
        "ask 1",
        "translate 2: delete 4",
        "translate 3: be kind",
        "run apply 1 + apply 1",
        "ask 4",
        "end FINISHED",
    ];
    let results = check(6, inputs.clone(), &expected);
    assert_eq!(results[..2], [ok("a", "one"), ok("b", "two")]);
    assert_eq!(code_of(&results[2]), "INVALID_ARGUMENTS");

    // With two calls in all, the second instruction cannot be read any more; what can be done is done.
    let inputs = vec![inputs[0].clone(), inputs[1].clone(), inputs[2].clone(), inputs[4].clone()];
    let expected = ["ask 1", "translate 2: delete 4", "run apply 1 + apply 1", "end ROUNDS_EXHAUSTED"];
    assert_eq!(code_of(&check(2, inputs, &expected)[2]), "ROUNDS_EXHAUSTED");
}

#[test]
fn a_failed_translation_is_an_error_for_its_call_only() {
    let instruct = call("a", "apply_redlines", r#"{"instruction":"delete 4"}"#);
    let inputs = vec![
        Input::Start,
        answer("", vec![instruct, edit("b")]),
        Input::Failed(Error::Truncated),
        ran(&["done"]),
        answer("Half of it.", vec![]),
    ];
    let expected = ["ask 1", "translate 2: delete 4", "run apply 1", "ask 3", "end FINISHED"];
    let results = check(6, inputs, &expected);
    assert_eq!(code_of(&results[0]), "MODEL_TRUNCATED");
    assert_eq!(results[1], ok("b", "done"));
}

#[test]
fn a_failure_of_the_model_ends_the_run() {
    let inputs =
        vec![Input::Start, answer("", vec![edit("a")]), ran(&["done"]), Input::Failed(Error::Truncated)];
    check(6, inputs, &["ask 1", "run apply 1", "ask 2", "end MODEL_TRUNCATED"]);
}

#[test]
fn too_many_calls_at_once_are_sent_back() {
    let calls: Vec<_> = (0..40)
        .map(|n| call(&n.to_string(), "read_document", &json!({"from": format!("P{n}")}).to_string()))
        .collect();
    let mut state = State::new("go".to_owned(), 6);
    step(&mut state, Input::Start);
    let actions = step(&mut state, answer("", calls));
    assert!(matches!(actions.as_slice(), [Action::Run(uses)] if uses.len() == 32), "{actions:?}");
    step(&mut state, ran(&["x"; 32]));
    assert_eq!(state.messages().len(), 42);
}

#[test]
fn what_does_not_fit_changes_nothing() {
    let mut state = State::new("go".to_owned(), 6);
    assert_eq!(step(&mut state, ran(&["x"])), []);
    assert_eq!(step(&mut state, Input::Failed(Error::Truncated)), []);
    assert_eq!(step(&mut state, Input::Start), [Action::Ask { round: 1 }]);
    assert_eq!(step(&mut state, Input::Start), []);
    assert_eq!(step(&mut state, answer("bye", vec![])), [Action::End(Ending::Finished)]);
    assert_eq!(step(&mut state, answer("bye", vec![edit("a")])), []);
    assert_eq!(state.text(), "bye");
}
