//! `engross verify`: a redline is what it says, and no matter who made it.

use serde_json::{Value, json};

use crate::altering::{Dice, alter, base64, in_base64, leaves};
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
}

/// Documents, receipt, signed statement, its times and its key: with the key and without, nothing is altered unseen.
#[test]
fn every_alteration_is_found() {
    let desk = TestBench::new();
    made(&desk);
    let key = desk.run(&["task", "key", "--json"]).json()["publicKey"].as_str().unwrap().to_owned();
    let holds = |more: &[&str]| {
        let mut all = vec!["verify", "nda.docx", "red.docx", "red.json"];
        all.extend(more);
        let got = desk.run(&all);
        assert!(matches!(got.code, Some(0..=3)), "{got:?}");
        got.code == Some(0)
    };
    assert!(holds(&["--key", &key]) && holds(&[]));
    let mut tried = 0;
    let mut found = |what: &str| {
        assert!(!holds(&["--key", &key]), "{what}, and nobody has seen it");
        assert!(!holds(&[]), "{what}, and nobody without the key has seen it");
        tried += 1;
    };
    let count = std::env::var("ENGROSS_ALTERATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(10);
    let mut dice = Dice(11);
    for file in ["nda.docx", "red.docx", "red.json"] {
        let whole = desk.bytes(file);
        for _ in 0..count {
            let mut altered = whole.clone();
            let at = dice.below(altered.len());
            let what = match dice.below(6) {
                0 => {
                    altered.truncate(at);
                    "a cut"
                }
                1 => {
                    altered.insert(at, 0x20);
                    "an addition"
                }
                _ => {
                    altered[at] ^= 1 << dice.below(8);
                    "a bit"
                }
            };
            desk.put(file, &altered);
            found(&format!("{what} of {file} at {at}"));
        }
        desk.put(file, &whole);
    }
    let (source, redline) = (desk.bytes("nda.docx"), desk.bytes("red.docx"));
    desk.put("nda.docx", &redline);
    found("the redline as its source");
    desk.put("nda.docx", &source);
    desk.put("red.docx", &source);
    found("the source as its redline");
    desk.put("red.docx", &redline);

    let receipt: Value = serde_json::from_slice(&desk.bytes("red.json")).unwrap();
    let put = |receipt: &Value| desk.put("red.json", format!("{receipt}\n").as_bytes());
    for field in leaves(&receipt) {
        let mut altered = receipt.clone();
        alter(altered.pointer_mut(&field).unwrap());
        put(&altered);
        found(&field);
    }
    // The signature does not go with another statement, nor with that of another redline.
    let payload = receipt.pointer("/envelope/payload").unwrap().as_str().unwrap();
    let statement: Value = serde_json::from_slice(&base64(payload)).unwrap();
    let all = leaves(&statement);
    for needed in
        ["/madeAt", "/model", "/author", "/source/sha256", "/revisions/0/author", "/revisions/0/date"]
    {
        assert!(all.iter().any(|field| field == needed), "{needed} is not in {all:?}");
    }
    for field in all {
        let mut altered = statement.clone();
        alter(altered.pointer_mut(&field).unwrap());
        let mut forged = receipt.clone();
        forged["envelope"]["payload"] = json!(in_base64(altered.to_string().as_bytes()));
        put(&forged);
        found(&field);
    }
    for (field, value) in
        [("files", json!([])), ("texts", json!({"prompt": "", "answer": ""})), ("more", json!(1))]
    {
        let mut forged = receipt.clone();
        forged[field] = value;
        put(&forged);
        found(field);
    }
    put(&receipt);
    assert!(holds(&["--key", &key]) && tried > 3 * count, "{tried}");
    println!("{tried} alterations, each with the key and without: all found");
}
