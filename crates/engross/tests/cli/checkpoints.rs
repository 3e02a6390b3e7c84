//! `engross checkpoint`

use serde_json::{Value, json};

use crate::desk::{DATE, Desk};

fn edit(desk: &Desk, original: &str, new: &str) {
    let operations = json!([{"op": "modify_text", "originalText": original, "replacementText": new}]);
    desk.put("ops.json", operations.to_string().as_bytes());
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--in-place", "--date", DATE]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn list(desk: &Desk) -> Vec<Value> {
    let ran = desk.run(&["checkpoint", "nda.docx", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()["checkpoints"].as_array().unwrap().clone()
}

#[test]
fn a_change_in_place_can_be_taken_back_to_the_byte() {
    let desk = Desk::new();
    let source = desk.bytes("nda.docx");
    assert_eq!(list(&desk), Vec::<Value>::new());
    edit(&desk, "three (3) years", "five (5) years");
    let edited = desk.bytes("nda.docx");
    let known = list(&desk);
    assert_eq!((known.len(), &known[0]["id"], &known[0]["name"]), (1, &json!(1), &Value::Null));
    assert_eq!(known[0]["changes"]["revisions"], 4, "{known:?}");
    assert!(
        known[0]["changes"]["added"][0]["text"].as_str().unwrap().contains("five (5) years"),
        "{known:?}"
    );
    assert!(
        known[0]["changes"]["removed"][0]["text"].as_str().unwrap().contains("three (3) years"),
        "{known:?}"
    );
    let restored = desk.run(&["checkpoint", "nda.docx", "restore", "1", "--json"]).json();
    assert_eq!((&restored["restored"], &restored["checkpoint"]), (&json!(1), &json!(2)));
    assert_eq!(desk.bytes("nda.docx"), source);
    assert_eq!(desk.run(&["checkpoint", "nda.docx", "restore", "2"]).code, Some(0));
    assert_eq!(desk.bytes("nda.docx"), edited);
    assert_eq!(
        desk.refuses(&["checkpoint", "nda.docx", "restore", "9", "--json"]),
        (1, "CHECKPOINT_UNKNOWN".to_owned())
    );
}

#[test]
fn a_change_set_is_taken_back_and_later_ones_stay() {
    let desk = Desk::new();
    let saved = desk.run(&["checkpoint", "nda.docx", "save", "as received", "--json"]).json();
    assert_eq!((&saved["id"], &saved["name"]), (&json!(1), &json!("as received")));
    edit(&desk, "three (3) years", "five (5) years");
    edit(&desk, "by itself without using", "alone without using");
    assert_eq!(list(&desk).len(), 2, "the first change found the state that was saved");
    let ran = desk.run(&["checkpoint", "nda.docx", "restore", "1", "--change-set", "--json"]).json();
    assert_eq!(ran["rejected"], 4, "{ran}");
    let read = desk.run(&["read", "nda.docx"]).stdout;
    assert!(
        read.contains("three (3) years")
            && read.contains("alone without using")
            && !read.contains("five (5) years"),
        "{read}"
    );
    // A second time there is nothing left to take back.
    let again = desk.refuses(&["checkpoint", "nda.docx", "restore", "1", "--change-set", "--json"]);
    assert_eq!(again, (1, "NOTHING_APPLIED".to_owned()));
}

#[test]
fn checkpoints_of_two_documents_never_mix_and_share_their_pieces() {
    let desk = Desk::new();
    desk.put("other.docx", &desk.bytes("nda.docx"));
    edit(&desk, "three (3) years", "five (5) years");
    assert_eq!(desk.run(&["checkpoint", "other.docx", "--json"]).json()["checkpoints"], json!([]));
    assert_eq!(desk.refuses(&["checkpoint", "other.docx", "restore", "1", "--json"]).1, "CHECKPOINT_UNKNOWN");
    let kept = || -> u64 { desk.files_of("documents").iter().map(|bytes| bytes.len() as u64).sum() };
    let first = kept();
    edit(&desk, "by itself without using", "alone without using");
    let size = desk.bytes("nda.docx").len() as u64;
    assert!(
        kept() - first < size * 2 / 3,
        "what an edit leaves alone is kept once: {} of {size}",
        kept() - first
    );
}

#[test]
fn a_damaged_checkpoint_is_never_given_back() {
    let desk = Desk::new();
    edit(&desk, "three (3) years", "five (5) years");
    let before = desk.bytes("nda.docx");
    desk.spoil_files_of("pieces");
    let refused = desk.refuses(&["checkpoint", "nda.docx", "restore", "1", "--json"]);
    assert_eq!(refused, (5, "CHECKPOINT_DAMAGED".to_owned()));
    assert_eq!(desk.bytes("nda.docx"), before);
}
