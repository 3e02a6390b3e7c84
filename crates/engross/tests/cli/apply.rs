//! `engross apply`

use std::io::Write;
use std::process::Stdio;

use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::desk::{DATE, ENGROSS, TestBench, example_argument, ran, settled};

const LIST_DUTY: &str = "The Recipient must keep a list of the people to whom it has shown Confidential Information, and \
                         must give that list to the Discloser when asked.";

fn put(desk: &TestBench, operations: &Value) {
    desk.put("ops.json", json!({ "operations": operations }).to_string().as_bytes());
}

fn years() -> Value {
    json!({"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"})
}

fn missing() -> Value {
    json!({"op": "modify_text", "originalText": "no such words", "replacementText": "x"})
}

#[test]
fn five_edits_as_one_json_document() {
    let desk = TestBench::new();
    let before = desk.files();
    let ops = example_argument("operations/nda.json");
    let ran = desk.run(&["apply", "nda.docx", &ops, "--json", "--detail", "full", "--date", DATE]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let report = settled(ran.json(), &desk);
    let applied = |index: usize, op: &str, address: &str, before: &str, after: &str| {
        json!({
            "index": index, "op": op, "status": "applied", "address": address, "revisionIds": "some", "commentIds": [],
            "before": before, "after": after
        })
    };
    let law = |country: &str| {
        format!(
            "This Agreement, and every claim that arises from it, is governed by the law of {country}, and the courts of \
             {country} alone may hear it. Section\u{a0}4 does not limit either party’s right to seek urgent protection elsewhere."
        )
    };
    let term = |years: &str| {
        format!(
            "This Agreement starts on the Effective Date and runs for {years} years, unless it is ended earlier under this \
             Section."
        )
    };
    let purpose = |verb: &str, end: &str| {
        format!(
            "“Permitted Purpose” means to {verb} whether the parties should develop, test or sell products together{end};"
        )
    };
    assert_eq!(
        report,
        json!({
            "input": "nda.docx",
            "output": "nda.redline.docx",
            "sha256": "of the output",
            "summary": {"applied": 5, "noChange": 0, "refused": 0, "failed": 0},
            "operations": [
                applied(0, "modify_text", "P50", &term("three (3)"), &term("five (5)")),
                applied(1, "modify_text", "P69", &law("Ireland"), &law("Scotland")),
                applied(2, "edit_paragraph", "P21", &purpose("study", ""), &purpose("find out", ", and nothing else")),
                applied(
                    3,
                    "delete_paragraph",
                    "P56",
                    "For the avoidance of doubt, the Recipient receives no licence and no other right in the Confidential Information.",
                    ""
                ),
                {
                    "index": 4, "op": "insert_paragraph", "status": "applied", "address": "P34", "revisionIds": "some",
                    "commentIds": [], "after": LIST_DUTY
                },
            ],
            "proof": {"reject": "holds", "accept": "holds"},
            "warnings": [],
            "effects": {
                "renumbered": [{"address": "P58", "from": "7.4", "to": "7.3"}],
                "staleReferences": [],
                "danglingReferences": [],
                "definedTerms": [{
                    "term": "Permitted Purpose", "change": "changed", "used": ["P20", "P21", "P22", "P28", "P30", "P33"]
                }]
            }
        })
    );
    assert_eq!(desk.names(), ["nda.docx", "nda.redline.docx"]);
    assert_eq!(desk.files()["nda.docx"], before["nda.docx"], "the document is never touched");
}

/// For models: 32 operations in at most 8 KB, and of an operation on many places the first.
#[test]
fn an_answer_is_short() {
    let desk = TestBench::new();
    let clause = |number: u32| {
        let content = format!("Clause {number} is new, and what it says is long enough to be told.");
        json!({"op": "insert_paragraph", "after": 34 + number, "content": content})
    };
    let mut edits: Vec<Value> = (0..31).map(clause).collect();
    edits.push(json!({
        "op": "modify_text", "originalText": "the", "replacementText": "this", "occurrence": "all", "wholeWord": true
    }));
    put(&desk, &json!(edits));
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--json"]);
    let report = ran.json();
    assert_eq!(report["summary"]["applied"], 32, "{report}");
    let operations = report["operations"].to_string();
    assert!(operations.len() < 8_192, "{} bytes: {operations}", operations.len());
    let last = &report["operations"][31];
    assert!(last["address"].as_str().unwrap().contains(" more"), "{last}");
    assert!(last["moreRevisions"].as_u64().unwrap() > 0, "{last}");
    let full =
        desk.run(&["apply", "nda.docx", "ops.json", "--json", "--detail", "full", "-o", "full.docx"]).json();
    let ids = |report: &Value| report["operations"][31]["revisionIds"].as_array().unwrap().len() as u64;
    assert_eq!(ids(&full), ids(&report) + last["moreRevisions"].as_u64().unwrap());
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    for out in ["a.docx", "b.docx"] {
        assert_eq!(desk.run(&["apply", "nda.docx", &ops, "--date", DATE, "-o", out]).code, Some(0));
    }
    assert_eq!(desk.sha256("a.docx"), desk.sha256("b.docx"));
}

#[test]
fn for_people_each_change_has_its_address_and_words() {
    let desk = TestBench::new();
    put(&desk, &json!([years(), missing()]));
    let ran = desk.run(&["apply", "nda.docx", "ops.json"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.stderr, "Reading 90 paragraphs\nApplying edits: 2 operations\n");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(
        lines[..2],
        [
            "P50    modify_text       applied",
            "       …arts on the Effective Date and runs for [-three-]{+five+} ([-3-]{+5+}) years, unless it is ended earlier \
             unde…",
        ]
    );
    assert!(lines[2].ends_with("refused TEXT_NOT_FOUND"), "{ran:?}");
    assert_eq!(
        lines.last().unwrap(),
        &"1 applied, 1 refused. Wrote nda.redline.docx: rejecting all gives back the original, accepting all the edited text \
          (both checked)."
    );
    assert!(!ran.stdout.contains('\u{1b}'), "no colours where there is no terminal");
}

#[test]
fn nothing_applied_writes_no_file() {
    let desk = TestBench::new();
    put(&desk, &json!([missing()]));
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--json"]);
    assert_eq!(ran.code, Some(1));
    let report = ran.json();
    assert_eq!((&report["output"], &report["sha256"]), (&Value::Null, &Value::Null));
    assert_eq!(report["summary"], json!({"applied": 0, "noChange": 0, "refused": 1, "failed": 0}));
    assert_eq!(report["proof"], json!({"reject": "not_applicable", "accept": "not_applicable"}));
    assert_eq!(desk.names(), ["nda.docx", "ops.json"]);
}

#[test]
fn an_empty_list_and_edits_without_effect_give_the_identical_file() {
    let same =
        json!({"op": "modify_text", "originalText": "three (3) years", "replacementText": "three (3) years"});
    for operations in [json!([]), json!([same])] {
        let desk = TestBench::new();
        put(&desk, &operations);
        assert_eq!(desk.run(&["apply", "nda.docx", "ops.json"]).code, Some(0), "{operations}");
        assert_eq!(desk.bytes("nda.redline.docx"), desk.bytes("nda.docx"));
    }
}

#[test]
fn case_140_a_dry_run_writes_nothing_and_says_so() {
    let desk = TestBench::new();
    put(&desk, &json!([years()]));
    let before = desk.files();
    let text = desk.run(&["apply", "nda.docx", "ops.json", "--dry-run"]);
    assert!(text.stdout.ends_with("1 applied. This was a dry run: nothing was written.\n"), "{text:?}");
    let json = desk.run(&["apply", "nda.docx", "ops.json", "--dry-run", "--json", "--date", DATE]).json();
    assert_eq!((&json["output"], &json["dryRun"]), (&Value::Null, &json!(true)));
    assert_eq!(desk.files(), before);
    desk.run(&["apply", "nda.docx", "ops.json", "--date", DATE]);
    assert_eq!(json["sha256"], desk.sha256("nda.redline.docx").as_str(), "it would have been the same");
}

#[test]
fn operations_may_come_from_standard_input() {
    let desk = TestBench::new();
    let mut child = desk
        .command(ENGROSS)
        .args(["apply", "nda.docx", "-", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(json!([years()]).to_string().as_bytes()).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.json()["summary"]["applied"], 1, "{ran:?}");
}

#[test]
fn untracked_edits_leave_no_revision() {
    let desk = TestBench::new();
    put(&desk, &json!([years()]));
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--untracked", "--json"]);
    assert_eq!(ran.json()["proof"], json!({"reject": "not_applicable", "accept": "holds"}), "{ran:?}");
    let count =
        |file: &str| desk.run(&["revisions", file, "--json"]).json()["revisions"].as_array().unwrap().len();
    assert_eq!(count("nda.redline.docx"), count("nda.docx"));
    let read = desk.run(&["read", "nda.redline.docx", "--search", "five (5) years"]);
    assert!(read.stdout.starts_with("[P50|"), "{read:?}");
}

#[test]
fn case_148_the_flag_goes_before_the_file_and_the_file_before_the_settings() {
    let desk = TestBench::new().with_variable("ENGROSS_AUTHOR", "Settings");
    let batch = json!({"operations": [years()], "author": "File", "date": "2025-05-05T05:05:05+05:00"});
    let authors = |arguments: &[&str]| {
        desk.run(&[&["apply", "nda.docx", "ops.json"], arguments].concat());
        let revisions = desk.run(&["revisions", "nda.redline.docx", "--json"]).json();
        let ours =
            revisions["revisions"].as_array().unwrap().iter().filter(|revision| revision["address"] == "P50");
        let mut found: Vec<(String, String)> = ours
            .map(|one| (one["author"].as_str().unwrap().to_owned(), one["date"].as_str().unwrap().to_owned()))
            .collect();
        found.dedup();
        found
    };
    let one = |author: &str, date: &str| vec![(author.to_owned(), date.to_owned())];
    desk.put("ops.json", batch.to_string().as_bytes());
    assert_eq!(authors(&[]), one("File", "2025-05-05T00:05:05Z"));
    assert_eq!(authors(&["--author", " Flag ", "--date", DATE]), one("Flag", DATE));
    put(&desk, &json!([years()]));
    assert_eq!(authors(&["--date", DATE]), one("Settings", DATE));
}

#[test]
fn what_cannot_be_used_is_refused_and_nothing_is_written() {
    let desk = TestBench::new();
    let apply = ["apply", "nda.docx", "ops.json", "--json"];
    let check = |operations: &str, flags: &[&str], code: i32, name: &str| {
        desk.put("ops.json", operations.as_bytes());
        assert_eq!(
            desk.refuses(&[&apply, flags].concat()),
            (code, name.to_owned()),
            "{operations} {flags:?}"
        );
    };
    check("[]", &["--author", "  "], 2, "INVALID_AUTHOR");
    check("[]", &["--author", "a\u{7}b"], 2, "INVALID_AUTHOR");
    check("[]", &["--date", "yesterday"], 2, "INVALID_DATE");
    check("[]", &["--date", "2026-01-31T09:30:00"], 2, "INVALID_DATE");
    check(r#"{"operations":[],"author":""}"#, &[], 2, "INVALID_AUTHOR");
    check(r#"{"operations":[],"date":"soon"}"#, &[], 2, "INVALID_DATE");
    check(r#"[{"op":"delete_paragraph","paragraphIndex":1,"author":""}]"#, &[], 2, "INVALID_AUTHOR");
    check("{\"operations\":[", &[], 2, "INVALID_JSON");
    check("7", &[], 2, "INVALID_OPERATION");
    check(r#"[{"op":"delete_paragraf","paragraphIndex":1}]"#, &[], 2, "INVALID_OPERATION");
    check(r#"{"operations":[],"expectedRevision":"0"}"#, &[], 1, "STALE_REVISION");
    check("[]", &["--frobnicate"], 2, "USAGE");
    desk.put("ops.json", b"\xff\xfe");
    assert_eq!(desk.refuses(&apply), (5, "NOT_UTF8".to_owned()));
    assert_eq!(desk.refuses(&["apply", "nda.docx", "none.json", "--json"]), (5, "NOT_FOUND".to_owned()));
}

#[test]
fn an_atomic_batch_is_applied_whole_or_not_at_all() {
    let desk = TestBench::new();
    desk.put("ops.json", json!({"atomic": true, "operations": [years(), missing()]}).to_string().as_bytes());
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--json"]);
    assert_eq!((ran.code, &ran.json()["output"]), (Some(1), &Value::Null));
}

/// contracts/word.md §8 case 112: who edits a guarded document learns of it, from `check` and from the edit.
#[test]
fn case_112_a_guarded_document_is_edited_and_that_is_said() {
    let desk = TestBench::new();
    let guarded = [
        (
            "<w:documentProtection w:edit=\"forms\" w:enforcement=\"1\"/>",
            "DOCUMENT_PROTECTED",
            "filling in forms",
        ),
        ("<w:writeProtection w:recommended=\"1\"/>", "WRITE_PROTECTED", "asks readers not to change"),
    ];
    put(&desk, &json!([{"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "two"}]));
    for (settings, code, words) in guarded {
        desk.put("guarded.docx", &DocxBuilder::new().paragraph("one").settings(settings).build());
        let found = desk.run(&["check", "guarded.docx", "--json"]).json();
        assert!(
            found["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code),
            "{found}"
        );
        let json = desk.run(&["apply", "guarded.docx", "ops.json", "--json"]).json();
        assert_eq!(json["summary"]["applied"], 1, "{json}");
        assert!(json["warnings"][0].as_str().unwrap().contains(words), "{json}");
        let shown = desk.run(&["apply", "guarded.docx", "ops.json"]);
        assert!(format!("{}{}", shown.stdout, shown.stderr).contains(words), "{shown:?}");
        let edited = ["edit", "guarded.docx", "Replace \"one\" with \"two\"", "--model", "rules", "--json"];
        let json = desk.run(&edited).json();
        assert!(json["warnings"][0].as_str().unwrap().contains(words), "{json}");
    }
}
