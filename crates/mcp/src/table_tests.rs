use engross_docx::ops::operations_schema;
use serde_json::{Value, json};

use crate::budget::tokens;
use crate::table::{TOOLS, tools};

#[test]
fn the_definitions_cost_little() {
    for (shows_pages, count, most) in [(false, 6, 1_900), (true, 7, 2_100)] {
        let definitions =
            tools(shows_pages).map(|row| serde_json::to_value(row.definition(shows_pages)).unwrap());
        let definitions: Vec<Value> = definitions.collect();
        let text = json!({"tools": definitions}).to_string();
        assert!(tokens(&text) <= most, "{} tokens", tokens(&text));
        assert_eq!(definitions.len(), count);
    }
}

#[test]
fn schemas_are_what_clients_keep_whole() {
    for row in tools(true) {
        let definition = serde_json::to_value(row.definition(true)).unwrap();
        let text = definition.to_string();
        for mangled in ["anyOf", "oneOf", "$ref", "\"const\""] {
            assert!(!text.contains(mangled), "{} has {mangled}", row.name);
        }
        assert_eq!(definition.pointer("/inputSchema/type"), Some(&json!("object")));
        let annotations = definition.get("annotations").unwrap();
        assert_eq!(annotations.get("destructiveHint"), Some(&json!(false)));
        assert_eq!(annotations.get("openWorldHint"), Some(&json!(false)));
    }
}

/// The operations that the definition names are in the language, with those fields.
#[test]
fn what_the_definition_says_of_operations_holds() {
    let about = TOOLS.iter().find(|row| row.name == "edit_document").unwrap().about;
    let schema = operations_schema();
    let all = schema.pointer("/properties/operations/items/anyOf").unwrap().as_array().unwrap();
    let mut named = 0;
    for example in about.split("{op:").skip(1) {
        let fields: Vec<&str> = example.split('}').next().unwrap().split(", ").collect();
        let operation = all.iter().find(|one| one.pointer("/properties/op/const") == Some(&json!(fields[0])));
        let operation = operation.unwrap_or_else(|| panic!("no {}", fields[0]));
        for field in &fields[1..] {
            let name = field.trim_end_matches('?');
            assert!(
                operation.pointer(&format!("/properties/{name}")).is_some(),
                "{} has no {name}",
                fields[0]
            );
        }
        for needed in operation.get("required").unwrap().as_array().unwrap() {
            let needed = needed.as_str().unwrap();
            assert!(needed == "op" || fields.contains(&needed), "{} needs {needed}", fields[0]);
        }
        named += 1;
    }
    assert_eq!(named, 5);
}
