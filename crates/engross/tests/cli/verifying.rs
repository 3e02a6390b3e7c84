//! `engross verify`: a redline is what it says, and no matter who made it.

use serde_json::json;

use crate::desk::TestBench;

fn made(desk: &TestBench) {
    let operations = json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"}]);
    desk.put("ops.json", operations.to_string().as_bytes());
    let applied = desk.run(&[
        "apply",
        "nda.docx",
        "ops.json",
        "-o",
        "red.docx",
        "--receipt",
        "red.json",
        "--author",
        "Ada",
        "--json",
    ]);
    assert_eq!(applied.code, Some(0), "{applied:?}");
}

#[test]
fn a_redline_and_its_receipt_hold_and_nothing_else_does() {
    let desk = TestBench::new();
    made(&desk);
    let verify = |arguments: &[&str]| {
        let mut all = vec!["verify"];
        all.extend(arguments);
        all.push("--json");
        desk.run(&all)
    };
    let plain = verify(&["nda.docx", "red.docx"]);
    assert_eq!((plain.code, &plain.json()["holds"]), (Some(0), &json!(true)), "{plain:?}");
    assert_eq!(plain.json()["changes"][0]["author"], "Ada");
    let with = verify(&["nda.docx", "red.docx", "red.json"]);
    assert_eq!((with.code, &with.json()["signerKnown"]), (Some(0), &json!(false)), "{with:?}");
    assert_eq!(with.json()["receipt"]["operations"], json!({ "modify_text": 1 }));
    let key = desk.run(&["task", "key", "--json"]).json()["publicKey"].as_str().unwrap().to_owned();
    assert_eq!(verify(&["nda.docx", "red.docx", "red.json", "--key", &key]).json()["signerKnown"], true);
    assert_eq!(verify(&["nda.docx", "red.docx", "red.json", "--key", &"2".repeat(64)]).code, Some(1));

    // Another redline of the same source is none that was signed.
    let more = json!([{"op": "modify_text", "originalText": "three (3) years", "replacementText": "nine (9) years"}]);
    desk.put("ops.json", more.to_string().as_bytes());
    assert_eq!(desk.run(&["apply", "nda.docx", "ops.json", "-o", "other.docx", "--json"]).code, Some(0));
    assert_eq!(verify(&["nda.docx", "other.docx"]).code, Some(0));
    let other = verify(&["nda.docx", "other.docx", "red.json"]);
    assert_eq!((other.code, &other.json()["holds"]), (Some(1), &json!(false)), "{other:?}");
    // What was changed without tracking does not give the source.
    assert_eq!(
        desk.run(&["apply", "nda.docx", "ops.json", "-o", "hidden.docx", "--untracked", "--json"]).code,
        Some(0)
    );
    let hidden = verify(&["nda.docx", "hidden.docx"]);
    assert_eq!((hidden.code, &hidden.json()["rejectGivesSource"]), (Some(1), &json!(false)), "{hidden:?}");
    // A receipt of which a byte was altered is none.
    let receipt = desk.bytes("red.json");
    for at in (0..receipt.len()).step_by(receipt.len() / 25) {
        let mut altered = receipt.clone();
        altered[at] ^= 1;
        desk.put("red.json", &altered);
        assert_ne!(verify(&["nda.docx", "red.docx", "red.json"]).code, Some(0), "byte {at}");
    }
}
