//! `engross checkpoint`

use engross_protocol::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::desk::{DATE, TestBench};

fn edit(desk: &TestBench, original: &str, new: &str) {
    let operations = json!([{"op": "modify_text", "originalText": original, "replacementText": new}]);
    desk.put("ops.json", operations.to_string().as_bytes());
    let ran = desk.run(&["apply", "nda.docx", "ops.json", "--in-place", "--date", DATE]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

fn list(desk: &TestBench) -> Vec<Value> {
    let ran = desk.run(&["checkpoint", "nda.docx", "--json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.json()["checkpoints"].as_array().unwrap().clone()
}

#[test]
fn a_change_in_place_can_be_taken_back_to_the_byte() {
    let desk = TestBench::new();
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
    let desk = TestBench::new();
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
    let desk = TestBench::new();
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
    let desk = TestBench::new();
    edit(&desk, "three (3) years", "five (5) years");
    let before = desk.bytes("nda.docx");
    desk.spoil_files_of("pieces");
    let refused = desk.refuses(&["checkpoint", "nda.docx", "restore", "1", "--json"]);
    assert_eq!(refused, (5, "CHECKPOINT_DAMAGED".to_owned()));
    assert_eq!(desk.bytes("nda.docx"), before);
}

#[test]
fn checkpoints_of_the_first_version_are_listed_as_then_and_restored() {
    let old =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../documents/tests/fixtures/0.1.0/by_path");
    let desk = TestBench::new();
    desk.put("agreement.docx", &std::fs::read(old.join("agreement.docx")).unwrap());
    let document = std::fs::canonicalize(desk.path("agreement.docx")).unwrap();
    let key = hex::encode(Sha256::digest(document.as_os_str().as_encoded_bytes()));
    // The folder for data of the system is found by letting the program make it.
    desk.run(&["checkpoint", "nda.docx", "save", "to have a folder"]);
    let place = desk.folder_of("documents").join(&key[..32]);
    for kind in ["lists", "pieces"] {
        std::fs::create_dir_all(place.join(kind)).unwrap();
        for entry in std::fs::read_dir(old.join(kind)).unwrap().map(Result::unwrap) {
            std::fs::copy(entry.path(), place.join(kind).join(entry.file_name())).unwrap();
        }
    }
    let listed = desk.run(&["checkpoint", "agreement.docx", "--json"]);
    assert_eq!(listed.stdout, std::fs::read_to_string(old.join("list.json")).unwrap());
    let restored = desk.run(&["checkpoint", "agreement.docx", "restore", "1", "--json"]).json();
    assert_eq!((&restored["restored"], &restored["checkpoint"]), (&json!(1), &json!(3)));
    assert!(desk.sha256("agreement.docx").starts_with("5cdae98ebf8b"));
}
