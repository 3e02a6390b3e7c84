//! The full JSON of commands that change a document is, to the byte, that of version 0.1.0.

use crate::desk::{DATE, TestBench, example_argument};

/// What `at` says of a checkpoint is the moment of the test.
fn without_moments(json: &str) -> String {
    let is_moment = |line: &&str| line.trim_start().starts_with("\"at\": ");
    json.lines().filter(|line| !is_moment(line)).map(|line| format!("{line}\n")).collect()
}

#[test]
fn receipts_are_those_of_the_first_version() {
    let desk = TestBench::new();
    let word = |from: &str, to: &str| serde_json::json!({"op": "modify_text", "originalText": from, "replacementText": to});
    let (good, bad) = (word("three (3) years", "five (5) years"), word("no such words", "x"));
    desk.put("mixed.json", serde_json::json!([good, bad]).to_string().as_bytes());
    desk.put("refused.json", serde_json::json!([bad]).to_string().as_bytes());
    let example = example_argument("operations/nda.json");
    let signed = ["--date", DATE, "--author", "Ada"];
    let cases: &[(&str, i32, &[&str], bool)] = &[
        ("apply", 0, &["apply", "nda.docx", &example, "-o", "out.docx"], true),
        ("apply-mixed", 1, &["apply", "nda.docx", "mixed.json", "-o", "mixed.docx"], true),
        ("apply-refused", 1, &["apply", "nda.docx", "refused.json"], true),
        ("apply-dry", 1, &["apply", "nda.docx", "mixed.json", "--dry-run"], true),
        ("apply-untracked", 1, &["apply", "nda.docx", "mixed.json", "--untracked", "-o", "u.docx"], true),
        ("edit", 0, &["edit", "nda.docx", "delete paragraph 4", "--model", "rules"], true),
        ("accept", 0, &["accept", "out.docx"], false),
        ("reject-one", 0, &["reject", "out.docx", "--author", "Ada", "-o", "rejected.docx"], false),
        ("read", 0, &["read", "nda.docx", "--search", "confidential", "--limit", "2"], false),
        ("save", 0, &["checkpoint", "nda.docx", "save", "as received"], false),
        ("apply-in-place", 1, &["apply", "nda.docx", "mixed.json", "--in-place"], true),
        ("list", 0, &["checkpoint", "nda.docx"], false),
        ("restore", 0, &["checkpoint", "nda.docx", "restore", "1"], false),
        ("restore-set", 1, &["checkpoint", "nda.docx", "restore", "1", "--change-set"], false),
        ("unknown", 1, &["checkpoint", "nda.docx", "restore", "9"], false),
    ];
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/receipts");
    for (name, code, arguments, is_signed) in cases {
        let more: &[&str] = if *is_signed { &signed } else { &[] };
        let is_change = ["apply", "edit", "accept", "reject"].contains(&arguments[0]);
        let detail: &[&str] = if is_change { &["--detail", "full"] } else { &[] };
        let ran = desk.run(&[arguments, more, &["--json"], detail].concat());
        let expected = std::fs::read_to_string(golden.join(format!("{name}.json"))).unwrap();
        assert_eq!(without_moments(&ran.stdout), without_moments(&expected), "{name}");
        assert_eq!(ran.code, Some(*code), "{name}");
    }
}
