use serde_json::{Value, json};

use crate::ops::{parse_operations, repair_operations};

/// What clients send for one and the same operation.
#[test]
fn one_operation_in_the_forms_of_many_clients() {
    let meant =
        json!([{"op": "modify_text", "paragraphIndex": 7, "originalText": "three", "replacementText": "5"}]);
    let fields = json!({"paragraphIndex": 7, "originalText": "three", "replacementText": "5"});
    let sent = [
        meant.clone(),
        Value::String(meant.to_string()),
        Value::String(Value::String(meant.to_string()).to_string()),
        meant[0].clone(),
        Value::String(meant[0].to_string()),
        json!({"operations": meant}),
        json!({"operations": meant.to_string()}),
        json!([meant[0].to_string()]),
        json!([{"modify_text": fields}]),
        json!({"modifyText": fields}),
        json!([{"op": "MODIFY-TEXT", "params": fields}]),
        json!([{"type": "modifyText", "arguments": fields.to_string()}]),
        json!([{"Op": "modify_text", "paragraph_index": "P7", "original_text": "three", "ReplacementText": 5}]),
        json!([{"operation": "modify_text", "paragraphIndex": 7.0, "originalText": "three", "replacementText": "5", "target": null, "occurrence": null}]),
    ];
    for sent in sent {
        let repaired = repair_operations(sent.clone()).operations;
        let parsed = parse_operations(&repaired).unwrap_or_else(|error| panic!("{sent}: {error}"));
        assert_eq!(parsed, parse_operations(&meant).unwrap(), "{sent} became {repaired}");
    }
    assert_eq!(repair_operations(meant).remarks, Vec::<String>::new());
}

#[test]
fn what_could_mean_two_things_stays_and_is_refused_by_name() {
    let cases = [
        (json!("please delete clause 4"), "'operations' is no array"),
        (json!([{"op": "rewrite_text", "paragraphIndex": 7}]), "'rewrite_text' is no operation"),
        (json!([{"op": "delete_paragraph", "paragraphIndex": "seven"}]), "'seven'"),
        (
            json!([{"op": "delete_paragraph", "paragraphIndex": 7, "args": {"paragraphIndex": 8}}]),
            "no field 'args'",
        ),
        (
            json!([{"op": "modify_text", "paragraphIndex": 7, "find": "a", "replacementText": "b"}]),
            "no field 'find'",
        ),
        (json!([[{"op": "delete_paragraph"}]]), "it is no object"),
    ];
    for (sent, says) in cases {
        let error = parse_operations(&repair_operations(sent.clone()).operations).unwrap_err().to_string();
        assert!(error.contains(says), "{sent}: {error}");
    }
}

#[test]
fn properties_that_are_to_go_stay_null() {
    let sent = json!([{"op": "set_properties", "custom": {"Matter": null}, "properties": null}]);
    let repaired = repair_operations(sent).operations;
    assert_eq!(repaired, json!([{"op": "set_properties", "custom": {"Matter": null}}]));
}
