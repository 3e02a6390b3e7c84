//! What a session may begin with.

use engross_write::framing::{Terminator, TextEncoding};
use engross_write::patch::PatchSpec;
use engross_write::session::{BeginOptions, Escape, Join, MAX_BYTES, Unwrap, WriteOperation, marker};
use engross_write::validate::ValidationMode;
use serde_json::{Value, json};

fn code(value: &Value) -> Option<&'static str> {
    BeginOptions::parse(value).err().map(|error| error.code())
}

#[test]
fn every_option_is_read() {
    let all = json!({
        "target_file": "a/b.json", "operation": "append", "intent": "why", "root": "r", "terminator": "sentinel",
        "allow_empty": true, "must_exist": true, "expect_sha256": "aB".repeat(32), "join": "newline",
        "escape": "backslash", "encoding": "replace", "validate": "off", "validate_as": "yaml", "repair_attempts": 1,
        "unwrap": "auto", "max_bytes": 5,
        "continuation": {"overlap": "dedupe", "min_overlap_bytes": 30, "restart": "detect", "max_rounds": 2},
    });
    let options = BeginOptions::parse(&all).unwrap();
    assert_eq!(serde_json::to_value(&options).unwrap()["continuation"], all["continuation"]);
    let mut expected = BeginOptions::new("a/b.json", WriteOperation::Append);
    expected.intent = Some("why".to_owned());
    expected.root = Some("r".to_owned());
    expected.terminator = Terminator::Sentinel;
    (expected.allow_empty, expected.must_exist) = (true, true);
    expected.expect_sha256 = Some("aB".repeat(32));
    expected.join = Some(Join::Newline);
    expected.escape = Some(Escape::Backslash);
    expected.encoding = TextEncoding::Replace;
    expected.validate = Some(ValidationMode::Off);
    expected.validate_as = Some("yaml".to_owned());
    (expected.repair_attempts, expected.max_bytes) = (1, 5);
    expected.unwrap = Unwrap::Auto;
    expected.continuation = options.continuation;
    assert_eq!(options, expected);
    let least = BeginOptions::parse(&json!({"target_file": "a", "operation": "create"})).unwrap();
    assert_eq!(least, BeginOptions::new("a", WriteOperation::Create));
    assert_eq!(
        (least.max_bytes, least.terminator, least.mode()),
        (MAX_BYTES, Terminator::Auto, ValidationMode::Warn)
    );
    let patch = json!({"target_file": "a", "operation": "patch", "patch": {"type": "replace_lines", "start_line": 1, "end_line": 2}});
    let patch = BeginOptions::parse(&patch).unwrap().patch;
    assert_eq!(patch, Some(PatchSpec::ReplaceLines { start_line: 1, end_line: 2 }));
}

#[test]
fn cases_2_and_3_what_makes_no_sense_is_refused() {
    let with = |key: &str, value: Value| {
        let mut options = json!({"target_file": "a.txt", "operation": "overwrite"});
        options[key] = value;
        options
    };
    let cases = [
        (json!({"operation": "create"}), "TARGET_REQUIRED"),
        (with("target_file", json!(" ")), "TARGET_REQUIRED"),
        (with("target_file", json!(1)), "TARGET_REQUIRED"),
        (json!({"target_file": "a"}), "INVALID_OPERATION"),
        (with("operation", json!("delete")), "INVALID_OPERATION"),
        (with("operation", json!(1)), "INVALID_OPERATION"),
        (json!([]), "ARGS_INVALID"),
        (with("content", json!("x")), "ARGS_INVALID"),
        (with("raw_content", json!("x")), "ARGS_INVALID"),
        (with("continuation", json!({"more": 1})), "ARGS_INVALID"),
        (with("continuation", json!({"max_rounds": 17})), "ARGS_INVALID"),
        (with("terminator", json!("eof")), "ARGS_INVALID"),
        (with("patch", json!({"type": "prepend"})), "ARGS_INVALID"),
        (with("operation", json!("patch")), "ARGS_INVALID"),
        (with("join", json!("newline")), "ARGS_INVALID"),
        (with("expect_sha256", json!("abc")), "ARGS_INVALID"),
        (with("validate_as", json!("prose")), "ARGS_INVALID"),
        (with("repair_attempts", json!(4)), "ARGS_INVALID"),
        (with("max_bytes", json!(0)), "ARGS_INVALID"),
        (with("max_bytes", json!(-1)), "ARGS_INVALID"),
        (with("target_file", json!("a.docm")), "UNSUPPORTED_TARGET"),
        (with("validate_as", json!("docx")), "UNSUPPORTED_TARGET"),
        (json!({"target_file": "a.docx", "operation": "append"}), "UNSUPPORTED_TARGET"),
        (json!({"target_file": "a.docx", "operation": "create", "validate_as": "md"}), "UNSUPPORTED_TARGET"),
        (json!({"target_file": "a", "operation": "create", "must_exist": true}), "ARGS_INVALID"),
    ];
    for (value, expected) in cases {
        assert_eq!(code(&value), Some(expected), "{value}");
    }
}

#[test]
fn a_marker_holds_all_its_bits() {
    assert_eq!(marker([0; 10]), "END-AAAAAAAAAAAAAAAA");
    assert_eq!(marker([255; 10]), "END-7777777777777777");
    assert_eq!(marker([0, 0, 0, 0, 0, 0, 0, 0, 0, 33]), "END-AAAAAAAAAAAAAABB");
}
