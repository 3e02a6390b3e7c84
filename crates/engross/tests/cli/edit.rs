//! `engross edit`

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::desk::{DATE, TestBench, example, example_argument, settled};

fn review() -> String {
    format!("script:{}", example_argument("scripts/nda-review.json"))
}

fn script(desk: &TestBench, turns: &Value) -> String {
    desk.put("script.json", json!({ "turns": turns }).to_string().as_bytes());
    "script:script.json".to_owned()
}

fn years() -> Value {
    json!({"name": "apply_redlines", "args": {"operations": [
        {"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": "five (5) years"}
    ]}})
}

#[test]
fn a_recorded_review_makes_its_five_edits_and_gives_the_same_bytes_each_time() {
    let desk = TestBench::new();
    let before = desk.files();
    for out in ["a.docx", "b.docx"] {
        let ran = desk.run(&[
            "edit",
            "nda.docx",
            "Tighten it",
            "--model",
            &review(),
            "--date",
            DATE,
            "-o",
            out,
            "--json",
        ]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let report = settled(ran.json(), &desk);
        assert_eq!(report["summary"], json!({"applied": 5, "noChange": 0, "refused": 0, "failed": 0}));
        assert_eq!(report["proof"], json!({"reject": "holds", "accept": "holds"}));
        let rounds: Vec<&Value> =
            report["operations"].as_array().unwrap().iter().map(|operation| &operation["round"]).collect();
        assert_eq!(rounds, [1, 1, 1, 2, 2]);
    }
    assert_eq!(desk.sha256("a.docx"), desk.sha256("b.docx"));
    assert_eq!(desk.files()["nda.docx"], before["nda.docx"]);
}

#[test]
fn the_answer_is_one_json_document() {
    let desk = TestBench::new();
    let spec = script(
        &desk,
        &json!([
            {"when": {"last_role": "user"}, "tool_calls": [years()]},
            {"when": {"last_role": "tool"}, "text": "Five years now."}
        ]),
    );
    let ran = desk.run(&["edit", "nda.docx", "Lengthen the term", "--model", &spec, "--json"]);
    let term = |years: &str| {
        format!(
            "This Agreement starts on the Effective Date and runs for {years} years, unless it is ended earlier under this \
             Section."
        )
    };
    assert_eq!(
        settled(ran.json(), &desk),
        json!({
            "input": "nda.docx",
            "output": "nda.redline.docx",
            "sha256": "of the output",
            "summary": {"applied": 1, "noChange": 0, "refused": 0, "failed": 0},
            "operations": [{
                "index": 0, "op": "modify_text", "status": "applied", "address": "P50", "revisionIds": "some",
                "commentIds": [], "before": term("three (3)"), "after": term("five (5)"), "round": 1
            }],
            "proof": {"reject": "holds", "accept": "holds"},
            "warnings": [],
            "model": "script:script.json",
            "rounds": 2,
            "text": "Five years now.",
            "complete": true,
            "reason": null
        })
    );
    assert_eq!(
        ran.stderr,
        "Reading 90 paragraphs\nAsking script:script.json (1 of at most 6)\nApplying edits: modify_text\n\
         Asking script:script.json (2 of at most 6)\n"
    );
}

#[test]
fn without_a_model_the_rules_are_used_and_that_is_said() {
    let desk = TestBench::new();
    let ran = desk.run(&["edit", "nda.docx", r#"replace "three (3) years" with "five (5) years""#, "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let note = "No model is set, so the embedded rules are used: a few patterns, not a language model (see --model).";
    assert_eq!(ran.stderr.lines().next(), Some(note));
    let report = ran.json();
    assert_eq!((&report["model"], &report["complete"]), (&json!("rules"), &json!(true)));
    let chosen = desk.run(&["edit", "nda.docx", "delete paragraph 4", "--model", "rules", "-o", "b.docx"]);
    assert!(!chosen.stderr.contains("No model"), "{chosen:?}");
}

#[test]
fn an_edit_without_effect_gives_the_identical_file() {
    let desk = TestBench::new();
    let ran = desk.run(&["edit", "nda.docx", r#"replace "Ireland" with "Ireland" everywhere"#, "--json"]);
    assert_eq!((ran.code, &ran.json()["complete"]), (Some(0), &json!(true)), "{ran:?}");
    assert_eq!(desk.bytes("nda.redline.docx"), desk.bytes("nda.docx"));
}

#[test]
fn what_the_rules_do_not_understand_is_refused_with_what_they_do() {
    let desk = TestBench::new();
    let ran = desk.run(&["edit", "nda.docx", "make it sound friendlier", "--json"]);
    assert_eq!(ran.code, Some(1));
    let report = ran.json();
    assert!(
        report["text"].as_str().unwrap().contains("I understand:\n  replace \"X\" with \"Y\""),
        "{report}"
    );
    assert_eq!((&report["output"], &report["complete"]), (&Value::Null, &json!(false)));
    assert_eq!(report["reason"]["code"], "NOTHING_APPLIED");
    assert_eq!(desk.names(), ["nda.docx"]);
}

#[test]
fn a_provider_that_streams_gives_the_same_bytes_as_the_script() {
    let desk = TestBench::new();
    let text = std::fs::read_to_string(example("scripts/nda-review.json")).unwrap();
    let server = ModelServer::start(serde_json::from_str(&text).unwrap());
    let spec = format!("openai-compatible:{}/v1#scripted", server.url());
    let ran = desk.run(&["edit", "nda.docx", "Tighten it", "--model", &spec, "--date", DATE, "-o", "a.docx"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    desk.run(&["edit", "nda.docx", "Tighten it", "--model", &review(), "--date", DATE, "-o", "b.docx"]);
    assert_eq!(desk.sha256("a.docx"), desk.sha256("b.docx"));
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    let tools = requests[0].body["tools"].as_array().unwrap();
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["function"]["name"]).collect();
    assert_eq!(names, ["read_document", "apply_redlines"]);
    let first = requests[0].body["messages"][1]["content"].as_str().unwrap();
    assert!(
        first.starts_with("The document:\n\nStories: body (")
            && first.contains("\n\n[P1|")
            && first.ends_with("\nInstruction:\nTighten it"),
        "{first}"
    );
}

#[test]
fn a_model_that_fails_at_once_leaves_nothing() {
    let desk = TestBench::new();
    let spec = script(&desk, &json!([{"text": "I will", "fault": {"kind": "truncate", "after": 1}}]));
    assert_eq!(
        desk.refuses(&["edit", "nda.docx", "go", "--model", &spec, "--json"]),
        (4, "MODEL_TRUNCATED".to_owned())
    );
    let cut = script(&desk, &json!([{"text": "I will", "finish_reason": "length"}]));
    assert_eq!(
        desk.refuses(&["edit", "nda.docx", "go", "--model", &cut, "--json"]),
        (4, "ANSWER_CUT".to_owned())
    );
}

#[test]
fn a_model_that_fails_after_edits_leaves_what_was_applied_and_says_so() {
    let desk = TestBench::new();
    let spec = script(
        &desk,
        &json!([
            {"when": {"last_role": "user"}, "tool_calls": [years()]},
            {"when": {"last_role": "tool"}, "fault": {"kind": "status", "code": 503}}
        ]),
    );
    let ran = desk.run(&["edit", "nda.docx", "go", "--model", &spec, "--json"]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let report = settled(ran.json(), &desk);
    assert_eq!((&report["complete"], &report["summary"]["applied"]), (&json!(false), &json!(1)));
    assert_eq!(report["reason"]["code"], "MODEL_UNAVAILABLE");
    assert_eq!(report["proof"], json!({"reject": "holds", "accept": "holds"}));
}

#[test]
fn a_model_without_end_is_stopped() {
    let desk = TestBench::new();
    let reads: Vec<Value> = (1..=9)
        .map(|n| json!({"tool_calls": [{"name": "read_document", "args": {"from": format!("P{n}")}}]}))
        .collect();
    let spec = script(&desk, &Value::Array(reads));
    let ran = desk.run(&["edit", "nda.docx", "go", "--model", &spec, "--json"]);
    assert_eq!((ran.code, &ran.json()["reason"]["code"]), (Some(1), &json!("ROUNDS_EXHAUSTED")));
    assert_eq!(ran.json()["rounds"], 6);
    let desk = desk.with_variable("ENGROSS_MAX_ROUNDS", "2");
    assert_eq!(desk.run(&["edit", "nda.docx", "go", "--model", &spec, "--json"]).json()["rounds"], 2);
}

#[test]
fn edits_that_stay_refused_are_not_passed_over() {
    let desk = TestBench::new();
    let wrong = json!({"name": "apply_redlines", "args": {"operations": [
        {"op": "modify_text", "originalText": "no such words", "replacementText": "x"}
    ]}});
    let spec = script(
        &desk,
        &json!([
            {"when": {"last_role": "user"}, "tool_calls": [years(), wrong]},
            {"when": {"last_role": "tool"}, "text": "All done!"}
        ]),
    );
    let ran = desk.run(&["edit", "nda.docx", "go", "--model", &spec, "--json"]);
    let report = ran.json();
    assert_eq!((ran.code, &report["reason"]["code"]), (Some(1), &json!("NOT_ALL_APPLIED")));
    assert_eq!(report["output"], "nda.redline.docx");
    let text = desk.run(&["edit", "nda.docx", "go", "--model", &spec]);
    assert!(text.stdout.starts_with("All done!\n\n"), "{text:?}");
    assert!(text.stdout.ends_with("Not complete: 1 edits were not applied; each says why.\n"), "{text:?}");
}

#[test]
fn what_cannot_be_used_is_refused() {
    let desk = TestBench::new();
    let check = |instruction: &str, flags: &[&str], code: i32, name: &str| {
        let arguments = [&["edit", "nda.docx", instruction, "--json"], flags].concat();
        assert_eq!(desk.refuses(&arguments), (code, name.to_owned()), "{flags:?}");
    };
    check("go", &["--model", "gpt"], 2, "MODEL_UNKNOWN");
    check("go", &["--model", "openai/gpt-5"], 4, "MODEL_KEY_MISSING");
    check("go", &["--model", "script:none.json"], 5, "NOT_FOUND");
    check("go", &["--author", ""], 2, "INVALID_AUTHOR");
    check("go", &["--date", "now"], 2, "INVALID_DATE");
    check("  ", &[], 2, "USAGE");
    check("go", &["--in-place", "-o", "x.docx"], 2, "USAGE");
    desk.put("bad.json", b"{\"turns\": 7}");
    check("go", &["--model", "script:bad.json"], 4, "MODEL_SCRIPT_INVALID");
}

/// A model names a picture as a person does: a file beside the document.
#[test]
fn a_picture_of_the_working_folder_is_put_in() {
    let desk = TestBench::new();
    desk.put("dot.gif", b"GIF89a\x01\x00\x01\x00\x00\x00\x00;");
    let image = |file: &str| {
        json!({"name": "apply_redlines", "args": {"operations": [
            {"op": "insert_image", "after": 3, "file": file, "altText": "Dot"}
        ]}})
    };
    let spec = script(
        &desk,
        &json!([
            {"when": {"last_role": "user"}, "tool_calls": [image("dot.gif"), image("../dot.gif")]},
            {"when": {"last_role": "tool"}, "text": "Done."}
        ]),
    );
    let ran = desk.run(&["edit", "nda.docx", "Add the dot", "--model", &spec, "-o", "out.docx", "--json"]);
    let operations = ran.json()["operations"].clone();
    assert_eq!(operations[0]["status"], "applied", "{ran:?}");
    assert_eq!(operations[1]["code"], "INVALID_CONTENT", "{ran:?}");
    assert!(desk.run(&["read", "out.docx"]).stdout.contains("⟦image:1 \"Dot\"⟧"));
}
