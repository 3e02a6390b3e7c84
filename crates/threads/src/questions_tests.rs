//! Which option a person means.

use serde_json::json;

use super::question::ThreadQuestion;

#[test]
fn an_option_is_meant_by_number_id_name_or_its_only_kind() {
    let told = json!({"requestId": "perm-r1-1", "toolCall": {"title": "rm -rf build"}, "createdAt": "x", "options": [
        {"optionId": "a", "name": "Allow", "kind": "allow_once"},
        {"optionId": "b", "name": "Always", "kind": "allow_always"},
        {"optionId": "c", "name": "No", "kind": "reject_once"},
        {"optionId": "d", "name": "Never", "kind": "reject_once"},
    ]});
    let question = ThreadQuestion::of(&told).unwrap();
    assert_eq!((question.request_id.as_str(), question.title.as_str()), ("perm-r1-1", "rm -rf build"));
    let meant = |text: &str| question.option(text).map(|option| option.id.as_str());
    for (text, id) in [
        ("1", Some("a")),
        (" 4 ", Some("d")),
        ("b", Some("b")),
        ("never", Some("d")),
        ("allow_once", Some("a")),
        ("reject_once", None),
        ("0", None),
        ("5", None),
        ("", None),
        ("yes", None),
    ] {
        assert_eq!(meant(text), id, "{text}");
    }
    assert_eq!(ThreadQuestion::of(&json!({"toolCall": {"title": "x"}})), None);
}
