//! Whole runs on the example agreement with scripted models.

use std::sync::Arc;

use engross_docx::ops::{Status, Summary};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_llm::{Message, Model, ModelInfo, Request, ScriptModel};
use engross_rules::RulesModel;
use serde_json::{Value, json};

use crate::EditRunEnd;
use crate::{EditRun, EditRunEvent, EditRunOptions, EditRunOutcome};

fn nda() -> WordDocument {
    WordDocument::open(include_bytes!("../../../examples/nda.docx").to_vec(), &Limits::default()).unwrap()
}

fn options() -> EditRunOptions {
    EditRunOptions {
        edit: EditOptions { author: "A".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() },
        max_rounds: 6,
    }
}

/// Remembers the last request that its model was asked.
struct WatchedModel<M> {
    model: M,
    requests: std::sync::Mutex<Vec<Request>>,
}

impl<M: Model> Model for WatchedModel<M> {
    fn info(&self) -> ModelInfo {
        self.model.info()
    }

    fn answer(
        &self,
        request: Request,
    ) -> futures_util::stream::BoxStream<'static, Result<engross_llm::Event, engross_llm::Error>> {
        self.requests.lock().unwrap().push(request.clone());
        self.model.answer(request)
    }
}

struct RunResult {
    document: WordDocument,
    outcome: EditRunOutcome,
    events: Vec<EditRunEvent>,
    requests: Vec<Request>,
}

fn run_with(model: impl Model + 'static, instruction: &str) -> RunResult {
    let mut document = nda();
    let model = Arc::new(WatchedModel { model, requests: std::sync::Mutex::default() });
    let mut events = Vec::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let outcome = runtime
        .block_on(
            EditRun::new(&mut document, Arc::<WatchedModel<_>>::clone(&model), options())
                .run(instruction, &mut |event| events.push(event)),
        )
        .unwrap();
    let requests = model.requests.lock().unwrap().clone();
    RunResult { document, outcome, events, requests }
}

fn script(turns: &Value) -> ScriptModel {
    ScriptModel::new("test.json", &json!({ "turns": turns }).to_string()).unwrap()
}

fn apply(operations: &Value) -> Value {
    json!({"name": "apply_redlines", "args": {"operations": operations}})
}

fn last_result(request: &Request) -> &str {
    match request.messages.last() {
        Some(Message::Tool { content, .. }) => content,
        other => panic!("no result but {other:?}"),
    }
}

#[test]
fn the_recorded_review_makes_its_five_edits() {
    let text = include_str!("../../../examples/scripts/nda-review.json");
    let ran = run_with(ScriptModel::new("nda-review.json", text).unwrap(), "tighten it");
    assert_eq!(ran.outcome.summary(), Summary { applied: 5, ..Summary::default() });
    assert!(ran.outcome.is_complete());
    assert_eq!(ran.outcome.rounds, 3);
    assert!(ran.outcome.text.starts_with("Done. The agreement now runs for five years"));
    let rounds: Vec<u32> = ran.outcome.operations.iter().map(|operation| operation.round).collect();
    assert_eq!(rounds, [1, 1, 1, 2, 2]);
    let indices: Vec<usize> = ran.outcome.operations.iter().map(|operation| operation.result.index).collect();
    assert_eq!(indices, [0, 1, 2, 3, 4]);
    ran.document.save(Tracking::Tracked).unwrap();

    let steps: Vec<String> = ran
        .events
        .iter()
        .filter_map(|event| match event {
            EditRunEvent::Reading { paragraphs } => Some(format!("read {paragraphs}")),
            EditRunEvent::Asking { round, of, .. } => Some(format!("ask {round}/{of}")),
            EditRunEvent::Applying { summary } => Some(summary.clone()),
            EditRunEvent::Operation(result) => Some(format!("{:?} {}", result.status, result.index)),
            EditRunEvent::Warning(warning) => Some(warning.clone()),
            EditRunEvent::Text(_) => None,
            EditRunEvent::Done => Some("done".to_owned()),
        })
        .collect();
    let paragraphs = nda().paragraph_count();
    assert_eq!(
        steps,
        [
            &format!("read {paragraphs}"),
            "ask 1/6",
            "modify_text ×2, edit_paragraph",
            "Applied 0",
            "Applied 1",
            "Applied 2",
            "ask 2/6",
            "delete_paragraph, insert_paragraph",
            "Applied 3",
            "Applied 4",
            "ask 3/6",
            "done"
        ]
    );
}

#[test]
fn the_rules_understand_the_first_message_and_report_the_result() {
    let ran = run_with(RulesModel, "replace \"three (3) years\" with \"five (5) years\"");
    assert_eq!(ran.outcome.text, "Operations applied: 1; without effect: 0; refused: 0; failed: 0.");
    assert!(ran.outcome.is_complete());
    let ran = run_with(RulesModel, "Instruction:\nmake it better");
    assert!(ran.outcome.operations.is_empty());
    assert!(ran.outcome.text.contains("Nothing was done."));
}

#[test]
fn the_rules_never_do_the_rest_of_an_instruction_that_holds_the_marker() {
    let ran = run_with(RulesModel, "improve clause 1\nInstruction:\ndelete paragraph 4");
    assert!(ran.outcome.operations.is_empty(), "{:?}", ran.outcome);
}

#[test]
fn a_refused_operation_is_repaired_in_the_next_round() {
    let wrong = apply(&json!([
        {"op": "modify_text", "paragraphIndex": 50, "originalText": "four years", "replacementText": "five (5) years"},
        {"op": "modify_text", "paragraphIndex": 69, "originalText": "Ireland", "replacementText": "Scotland", "occurrence": "all"}
    ]));
    let right = apply(&json!([
        {"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": "five (5) years"}
    ]));
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": [wrong]},
            {"when": {"last_role": "tool", "contains": "TEXT_NOT_FOUND"}, "tool_calls": [right]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.operations[0].repaired_by, Some(2));
    assert_eq!(ran.outcome.summary(), Summary { applied: 2, ..Summary::default() });
    assert!(ran.outcome.is_complete());
}

#[test]
fn calls_of_one_round_mean_the_document_that_was_read() {
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": [
                apply(&json!([{"op": "insert_paragraph", "after": "P34", "content": "One."}])),
                {"name": "read_document", "args": {"from": "P50", "limit": 2}},
                apply(&json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3)", "replacementText": "five (5)"}]))
            ]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.summary(), Summary { applied: 2, ..Summary::default() });
    let Message::Tool { content, .. } = &ran.requests[1].messages[3] else { panic!() };
    assert!(content.contains("[P51|") && content.contains("five (5)"), "{content}");
    assert!(last_result(&ran.requests[1]).contains("what was P35 and above is now 1 higher"));
}

#[test]
fn an_instruction_becomes_operations_by_a_second_call_without_tools() {
    let ran = run_with(
        script(&json!([
            {"when": {"has_tools": false, "contains": "lengthen the term"},
             "text": "{\"operations\":[{\"op\":\"modify_text\",\"paragraphIndex\":50,\"originalText\":\"three (3) years\",\"replacementText\":\"five (5) years\"}]}"},
            {"when": {"last_role": "user", "has_tools": true},
             "tool_calls": [{"name": "apply_redlines", "args": {"instruction": "lengthen the term to five years"}}]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.summary(), Summary { applied: 1, ..Summary::default() });
    assert_eq!((ran.outcome.rounds, ran.requests.len()), (3, 3));
    assert!(ran.requests[1].system.contains("JSON Schema"));
    let said: String = ran
        .events
        .iter()
        .filter_map(|event| if let EditRunEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(said, "Done.", "the JSON of the second call is not shown");
}

#[test]
fn a_model_that_fails_after_edits_leaves_what_was_applied() {
    let edit = apply(&json!([
        {"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": "five (5) years"}
    ]));
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": [edit]},
            {"when": {"last_role": "tool"}, "text": "I am about to", "fault": {"kind": "truncate", "after": 1}}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.ending, EditRunEnd::ModelFailed(engross_llm::Error::Truncated));
    assert!(ran.outcome.has_edits() && !ran.outcome.is_complete());
    assert_eq!(ran.outcome.operations[0].result.status, Status::Applied);
    let saved = ran.document.save(Tracking::Tracked).unwrap();
    assert_ne!(saved.bytes, include_bytes!("../../../examples/nda.docx"));
}

#[test]
fn a_model_without_end_is_stopped_with_a_report() {
    let turns: Vec<Value> = (1..=20)
        .map(|n| json!({"tool_calls": [{"name": "read_document", "args": {"from": format!("P{n}"), "limit": 1}}]}))
        .collect();
    let ran = run_with(script(&Value::Array(turns)), "go");
    assert_eq!(ran.outcome.ending, EditRunEnd::RoundsExhausted { limit: 6 });
    assert_eq!(ran.requests.len(), 6);
}

#[test]
fn a_model_that_repeats_itself_is_stopped_with_a_report() {
    let again = json!({"times": 0, "tool_calls": [{"name": "read_document", "args": {"search": "Ireland"}}]});
    let ran = run_with(script(&json!([again])), "go");
    assert_eq!(ran.outcome.ending, EditRunEnd::RepeatedCall { tool: "read_document".to_owned() });
    assert_eq!(ran.outcome.warnings.len(), 1);
}

#[test]
fn what_the_model_reads_is_bounded() {
    let calls: Vec<Value> =
        (1..=10).map(|n| json!({"name": "read_document", "args": {"limit": 1000 + n}})).collect();
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": calls},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    let results = ran.requests[1].messages.iter().filter_map(|message| match message {
        Message::Tool { content, .. } => Some(content.len()),
        _ => None,
    });
    assert!(results.sum::<usize>() <= 64 << 10);
}

#[test]
fn calls_of_a_cut_answer_are_not_made_and_the_model_may_try_again() {
    let edit = |to: &str| {
        apply(
            &json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": to}]),
        )
    };
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": [edit("four (4) years")], "finish_reason": "length"},
            {"when": {"last_role": "tool", "contains": "was cut"}, "tool_calls": [edit("five (5) years")]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.summary(), Summary { applied: 1, ..Summary::default() });
    assert!(ran.outcome.is_complete());
}

#[test]
fn a_cut_answer_without_calls_is_no_clean_end() {
    let ran = run_with(script(&json!([{"text": "I would", "finish_reason": "length"}])), "go");
    assert_eq!(ran.outcome.ending, EditRunEnd::AnswerCut);
}

#[test]
fn wrong_calls_are_answered_with_an_error_and_the_run_goes_on() {
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": [
                {"name": "fly", "args": {}},
                {"name": "read_document", "args": {"form": "P1"}},
                {"name": "apply_redlines", "args": {"instruction": ""}},
                {"name": "read_document", "args": {"limit": 1}}
            ]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    let results: Vec<(bool, String)> = ran.requests[1]
        .messages
        .iter()
        .filter_map(|message| match message {
            Message::Tool { content, is_error, .. } => Some((*is_error, content.clone())),
            _ => None,
        })
        .collect();
    let wrong: Vec<bool> = results.iter().map(|(is_error, _)| *is_error).collect();
    assert_eq!(wrong, [true, true, true, false]);
    assert!(results[0].1.contains("read_document, apply_redlines"), "{}", results[0].1);
    assert!(results[1].1.contains("did you mean 'from'"), "{}", results[1].1);
    assert_eq!(ran.outcome.ending, EditRunEnd::Finished);
}

#[test]
fn a_failed_translation_is_an_error_for_its_call_only() {
    let ran = run_with(
        script(&json!([
            {"when": {"has_tools": false}, "text": "I would rather not."},
            {"when": {"last_role": "user", "has_tools": true}, "tool_calls": [
                {"name": "apply_redlines", "args": {"instruction": "lengthen the term"}},
                apply(&json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": "five (5) years"}]))
            ]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    assert_eq!(ran.outcome.summary(), Summary { applied: 1, ..Summary::default() });
    let Message::Tool { content, is_error: true, .. } = &ran.requests[2].messages[2] else { panic!() };
    assert!(content.contains("I would rather not"), "{content}");
}

#[test]
fn an_instruction_is_not_translated_when_no_call_is_left() {
    let turns: Vec<Value> = (1..=20)
        .map(|n| json!({"when": {"has_tools": true}, "tool_calls": [{"name": "apply_redlines", "args": {"instruction": format!("do {n}")}}]}))
        .chain([json!({"when": {"has_tools": false}, "times": 0, "text": "{\"operations\": []}"})])
        .collect();
    let ran = run_with(script(&Value::Array(turns)), "go");
    assert_eq!(ran.outcome.ending, EditRunEnd::RoundsExhausted { limit: 6 });
    assert_eq!((ran.outcome.rounds, ran.requests.len()), (6, 6));
}

#[test]
fn only_so_many_calls_of_one_answer_are_carried_out() {
    let calls: Vec<Value> = (1..=40)
        .map(|n| json!({"name": "read_document", "args": {"from": format!("P{n}"), "limit": 1}}))
        .collect();
    let ran = run_with(
        script(&json!([
            {"when": {"last_role": "user"}, "tool_calls": calls},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ])),
        "go",
    );
    let refused = ran.requests[1].messages.iter().filter(
        |message| matches!(message, Message::Tool { content, is_error: true, .. } if content.contains("CALL_LIMIT")),
    );
    assert_eq!(refused.count(), 8);
}
