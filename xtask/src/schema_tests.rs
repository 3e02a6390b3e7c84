//! JSON against JSON Schema, as far as the schemas in `packaging/schemas` go: an unknown keyword is an error, not a pass.
//!
//! The crate for it would bring 40 others into the lock file, for two schemas that are checked in tests alone.

use regex::Regex;
use serde_json::{Map, Value, json};

/// Words of schemas that ask for nothing.
const REMARKS: [&str; 11] = [
    "$comment",
    "$id",
    "$schema",
    "default",
    "definitions",
    "description",
    "example",
    "examples",
    "format",
    "title",
    "readOnly",
];

/// What is wrong with `value`, each with its place.
pub(crate) fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    check(schema, schema, value, "", &mut wrong);
    wrong
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, wrong: &mut Vec<String>) {
    let Some(rules) = schema.as_object() else {
        if schema == &json!(false) {
            wrong.push(format!("{at}: must not be there"));
        }
        return;
    };
    for (rule, wanted) in rules.iter().filter(|(rule, _)| !REMARKS.contains(&rule.as_str())) {
        let holds = |schema: &Value| {
            let mut wrong = Vec::new();
            check(root, schema, value, at, &mut wrong);
            wrong.is_empty()
        };
        let length = || value.as_str().map(|text| text.chars().count() as u64);
        let is_right = match rule.as_str() {
            "$ref" => {
                let pointer = wanted.as_str().unwrap().trim_start_matches('#');
                check(root, root.pointer(pointer).unwrap(), value, at, wrong);
                true
            }
            "allOf" => {
                wanted.as_array().unwrap().iter().for_each(|schema| check(root, schema, value, at, wrong));
                true
            }
            "properties" | "additionalProperties" => {
                if let Some(fields) = value.as_object() {
                    check_fields(root, rules, (rule, wanted), fields, at, wrong);
                }
                true
            }
            "items" => {
                for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{at}/{number}"), wrong);
                }
                true
            }
            "anyOf" => wanted.as_array().unwrap().iter().any(holds),
            "not" => !holds(wanted),
            "const" => value == wanted,
            "enum" => wanted.as_array().unwrap().contains(value),
            "minLength" => length().is_none_or(|length| length >= wanted.as_u64().unwrap()),
            "maxLength" => length().is_none_or(|length| length <= wanted.as_u64().unwrap()),
            "pattern" => {
                let pattern = Regex::new(wanted.as_str().unwrap()).unwrap();
                value.as_str().is_none_or(|text| pattern.is_match(text))
            }
            "required" => match value.as_object() {
                Some(fields) => {
                    wanted.as_array().unwrap().iter().all(|name| fields.contains_key(name.as_str().unwrap()))
                }
                None => true,
            },
            "type" => match wanted {
                Value::Array(kinds) => kinds.iter().any(|kind| is_a(value, kind)),
                kind => is_a(value, kind),
            },
            other => panic!("{at}: this checker does not know '{other}'"),
        };
        if !is_right {
            wrong.push(format!("{at}: {value} does not hold to {rule} {wanted}"));
        }
    }
}

fn check_fields(
    root: &Value,
    rules: &Map<String, Value>,
    (rule, wanted): (&str, &Value),
    fields: &Map<String, Value>,
    at: &str,
    wrong: &mut Vec<String>,
) {
    let named = rules.get("properties").and_then(Value::as_object);
    for (name, field) in fields {
        let at = format!("{at}/{name}");
        let named = named.and_then(|named| named.get(name));
        match (rule, named) {
            ("properties", Some(schema)) => check(root, schema, field, &at, wrong),
            ("additionalProperties", None) => check(root, wanted, field, &at, wrong),
            _ => {}
        }
    }
}

fn is_a(value: &Value, kind: &Value) -> bool {
    match kind.as_str().unwrap() {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("there is no type {other}"),
    }
}

#[test]
fn what_is_wrong_is_found() {
    let schema = json!({
        "definitions": {"name": {"type": "string", "pattern": "^[a-z]+$", "maxLength": 3}},
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"$ref": "#/definitions/name"}, "b": {"anyOf": [{"const": 1}, {"enum": [2, 3]}]},
                       "c": {"items": {"not": {"const": "x"}}, "type": "array"}},
        "additionalProperties": false,
    });
    assert_eq!(violations(&schema, &json!({"a": "abc", "b": 3, "c": ["y"]})), Vec::<String>::new());
    for value in [
        json!([]),
        json!({}),
        json!({"a": "ABC"}),
        json!({"a": "abcd"}),
        json!({"a": 1}),
        json!({"a": "abc", "b": 4}),
        json!({"a": "abc", "c": ["x"]}),
        json!({"a": "abc", "d": 1}),
    ] {
        assert_ne!(violations(&schema, &value), Vec::<String>::new(), "{value}");
    }
}
