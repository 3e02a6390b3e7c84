use super::language::OPERATIONS;
use super::operations_schema;

/// A field without a schema of its own would be told to models as anything at all.
#[test]
fn every_operation_and_field_is_described() {
    let schema = operations_schema();
    let listed = schema["properties"]["operations"]["items"]["anyOf"].as_array().unwrap();
    assert_eq!(listed.len(), OPERATIONS.len() - 1);
    for (entry, (name, fields)) in listed.iter().zip(OPERATIONS) {
        assert_eq!(entry["properties"]["op"]["const"], *name);
        for field in *fields {
            let described = entry["properties"][field].as_object().unwrap();
            assert!(!described.is_empty(), "{name}.{field}");
        }
        for required in entry["required"].as_array().unwrap() {
            let known = required == "op" || fields.iter().any(|field| required == field);
            assert!(known, "{name} requires {required}");
        }
    }
}

/// Models and clients read it; what it says is changed on purpose only.
#[test]
#[expect(clippy::disallowed_methods, reason = "reads and writes the pinned schema")]
fn the_schema_is_pinned() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/operations_schema.json");
    let text = serde_json::to_string_pretty(&operations_schema()).unwrap() + "\n";
    if std::env::var_os("ENGROSS_UPDATE_SCENARIOS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(text, std::fs::read_to_string(path).unwrap());
}
