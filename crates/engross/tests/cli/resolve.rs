//! `engross accept` and `engross reject`

use serde_json::{Value, json};

use crate::desk::{DATE, TestBench, example_argument, settled};

/// The example with five tracked edits as `nda.redline.docx`.
fn redlined() -> TestBench {
    let desk = TestBench::new();
    let ops = example_argument("operations/nda.json");
    assert_eq!(desk.run(&["apply", "nda.docx", &ops, "--date", DATE]).code, Some(0));
    desk
}

fn texts(desk: &TestBench, file: &str) -> Vec<Value> {
    let reading = desk.run(&["read", file, "--json"]).json();
    reading["paragraphs"].as_array().unwrap().iter().map(|paragraph| paragraph["text"].clone()).collect()
}

#[test]
fn the_counterpartys_change_in_the_example() {
    for (command, output, deleted, inserted) in
        [("accept", "nda.accepted.docx", "", "three"), ("reject", "nda.rejected.docx", "ten", "")]
    {
        let desk = TestBench::new();
        let before = desk.files();
        let ran = desk.run(&[command, "nda.docx", "--json"]);
        let change = |index: usize, before: &str, after: &str| {
            json!({
                "index": index, "op": command, "status": "applied", "address": "P32", "revisionIds": "some",
                "commentIds": [], "before": before, "after": after
            })
        };
        assert_eq!(
            settled(ran.json(), &desk),
            json!({
                "input": "nda.docx",
                "output": output,
                "sha256": "of the output",
                "summary": {"applied": 2, "noChange": 0, "refused": 0, "failed": 0},
                "operations": [change(0, "ten", deleted), change(1, "three", inserted)],
                "proof": {"reject": "not_applicable", "accept": "not_applicable"},
                "warnings": []
            })
        );
        assert_eq!(desk.run(&["revisions", output, "--json"]).json(), json!({"revisions": []}));
        assert_eq!(desk.files()["nda.docx"], before["nda.docx"]);
    }
}

#[test]
fn rejecting_a_redline_gives_back_the_text_and_accepting_the_edited_one() {
    let desk = redlined();
    for command in ["accept", "reject"] {
        assert_eq!(desk.run(&[command, "nda.redline.docx"]).code, Some(0));
        desk.run(&[command, "nda.docx"]);
    }
    assert_eq!(texts(&desk, "nda.redline.rejected.docx"), texts(&desk, "nda.rejected.docx"));
    let accepted = texts(&desk, "nda.redline.accepted.docx");
    assert_eq!(accepted.len(), texts(&desk, "nda.accepted.docx").len(), "one deleted, one inserted");
    assert!(accepted.iter().any(|text| text.as_str().unwrap().contains("five (5) years")));
}

#[test]
fn nothing_to_resolve_gives_the_identical_file() {
    let desk = TestBench::new();
    desk.run(&["accept", "nda.docx", "-o", "clean.docx"]);
    let ran = desk.run(&["reject", "clean.docx"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(desk.bytes("clean.rejected.docx"), desk.bytes("clean.docx"));
}

#[test]
fn a_choice_leaves_the_others() {
    let desk = TestBench::new();
    let before = desk.run(&["revisions", "nda.docx", "--json"]).json();
    let all = before["revisions"].as_array().unwrap();
    let id = all[0]["id"].as_str().unwrap();
    let one = desk.run(&["accept", "nda.docx", "--id", id, "-o", "one.docx", "--json"]);
    assert_eq!(one.code, Some(0), "{one:?}");
    assert_eq!(one.json()["operations"].as_array().unwrap().len(), 1);
    let left = desk.run(&["revisions", "one.docx", "--json"]).json();
    assert_eq!(left["revisions"].as_array().unwrap().len(), all.len() - 1);

    let nobody = desk.run(&["reject", "nda.docx", "--author", "Nobody", "-o", "none.docx", "--json"]);
    assert_eq!((nobody.code, nobody.json()["error"]["code"].as_str()), (Some(1), Some("NOTHING_APPLIED")));
    let unknown = desk.run(&["reject", "nda.docx", "--id", "77777", "--json"]);
    assert_eq!((unknown.code, unknown.json()["error"]["code"].as_str()), (Some(2), Some("UNKNOWN_REVISION")));
    assert_eq!(desk.run(&["reject", "nda.docx", "--range", "somewhere"]).code, Some(2));
}

#[test]
fn markdown_both_ways() {
    let desk = TestBench::new();
    desk.put("in.md", b"# Title\n\nSome **bold** words.\n\n- one\n- two");
    let made = desk.run(&["from-markdown", "in.md", "-o", "made.docx"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let told = desk.run(&["to-markdown", "made.docx"]);
    assert_eq!(told.stdout, "# Title\n\nSome **bold** words.\n\n- one\n- two\n");
    desk.put("other.md", b"# Other\n\nAnd more.");
    let styled = desk.run(&["from-markdown", "other.md", "-o", "styled.docx", "--template", "made.docx"]);
    assert_eq!(styled.code, Some(0), "{styled:?}");
    assert_eq!(desk.run(&["to-markdown", "styled.docx"]).stdout, "# Other\n\nAnd more.\n");
    // Nothing of what the template says is left, not even what nobody may type over.
    let nda = desk.run(&["from-markdown", "in.md", "-o", "nda2.docx", "--template", "nda.docx"]);
    assert_eq!(nda.code, Some(0), "{nda:?}");
    assert_eq!(desk.run(&["to-markdown", "nda2.docx"]).stdout, told.stdout);
    assert_eq!(desk.run(&["check", "nda2.docx"]).code, Some(0));
}

/// Accepting and rejecting obey `atomic` as edits do: nothing is applied, and no file is written.
#[test]
fn an_atomic_batch_of_accept_and_reject_is_applied_whole_or_not_at_all() {
    let desk = redlined();
    let id = desk.run(&["revisions", "nda.redline.docx", "--json"]).json()["revisions"][0]["id"].clone();
    let before = desk.files();
    let put = |operations: &Value| {
        desk.put("at.json", json!({"atomic": true, "operations": operations}).to_string().as_bytes());
    };
    for more in [&[][..], &["--dry-run"], &["--in-place"], &["-o", "at.docx"]] {
        put(
            &json!([{"op": "accept", "id": id}, {"op": "reject", "id": "99999"}, {"op": "accept", "by": "Nobody"}]),
        );
        let ran = desk.run(&[&["apply", "nda.redline.docx", "at.json", "--json"], more].concat());
        let json = ran.json();
        assert_eq!((ran.code, &json["output"]), (Some(1), &Value::Null), "{more:?} {json}");
        assert_eq!(
            json["summary"],
            json!({"applied": 0, "noChange": 0, "refused": 3, "failed": 0}),
            "{more:?}"
        );
        let codes: Vec<&Value> =
            json["operations"].as_array().unwrap().iter().map(|result| &result["code"]).collect();
        assert_eq!(codes, ["NOT_ATTEMPTED", "UNKNOWN_REVISION", "NOT_ATTEMPTED"], "{more:?}");
        let mut after = desk.files();
        after.remove("at.json");
        assert_eq!(after, before, "{more:?}");
    }
    put(&json!([{"op": "accept", "id": id}]));
    let ran = desk.run(&["apply", "nda.redline.docx", "at.json", "-o", "at.docx", "--json"]);
    assert_eq!((ran.code, &ran.json()["summary"]["applied"]), (Some(0), &json!(1)));
}
