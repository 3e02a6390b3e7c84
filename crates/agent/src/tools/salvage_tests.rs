use serde_json::{Value, json};

use super::salvage::{complete_operations, tell_cut};

#[test]
fn every_cut_keeps_what_is_complete_and_nothing_else() {
    let operations = json!([
        {"op": "replace_text", "at": "P1", "find": "a \"}]}\" \\", "with": "ünï"},
        {"op": "insert_paragraph", "after": {"paragraph": "P2", "n": [1, {"x": 2}]}, "content": "one\ntwo"},
        {"op": "delete_paragraph", "at": "P3"}
    ]);
    let whole = json!({"file": "a.docx", "operations": operations}).to_string();
    let mut most = 0;
    for cut in (0..whole.len()).filter(|cut| whole.is_char_boundary(*cut)) {
        let Some(kept) = complete_operations(&whole[..cut]) else {
            assert_eq!(most, 0, "what was complete stays so");
            continue;
        };
        let kept: Value = serde_json::from_str(&kept).unwrap();
        let list = kept["operations"].as_array().unwrap();
        assert_eq!(list[..], operations.as_array().unwrap()[..list.len()], "{cut}");
        assert_eq!((&kept["file"], &kept["cut"]), (&json!("a.docx"), &json!(true)));
        assert!(list.len() >= most);
        most = list.len();
    }
    assert_eq!(most, 3);
}

#[test]
fn what_holds_no_operations_gives_none() {
    for cut in
        ["", "{", "[{}", r#"{"operations":[{"op":"#, r#"{"other":[{"a":1},{"#, r#"{"operations":[[{}],"#]
    {
        assert_eq!(complete_operations(cut), None, "{cut}");
    }
}

#[test]
fn only_a_call_that_was_cut_is_told_so() {
    let kept = complete_operations(r#"{"operations":[{"op":"x"},{"op":"#).unwrap();
    let told: Value = serde_json::from_str(&tell_cut(&kept, r#"{"summary":1}"#.to_owned())).unwrap();
    assert!(told["cut"].as_str().unwrap().contains("first 1 operations") && told["summary"] == 1, "{told}");
    assert!(told["cut"].as_str().unwrap().contains("contentFrom"));
    assert_eq!(tell_cut(r#"{"operations":[]}"#, "as it was".to_owned()), "as it was");
}
