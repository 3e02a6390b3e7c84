//! The JSON Schema of the operation language, for models and clients.

use serde_json::{Value, json};

/// Schema of `{"operations": […]}`.
#[must_use]
pub fn operations_schema() -> Value {
    let address = json!({
        "description": "Which paragraph: \"P12\" (from the reading), \"first\", \"last\", \"paraId:1A2B3C4D\", \
                        or {\"text\": \"words only this paragraph contains\"}.",
        "anyOf": [
            {"type": "string"},
            {"type": "integer", "minimum": 1},
            {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
        ]
    });
    let occurrence = json!({
        "description": "Which of several hits: a number from 1, \"first\", \"last\" or \"all\".",
        "anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["first", "last", "all"]}]
    });
    let text = |description: &str| json!({"type": "string", "description": description});
    let plain = json!({"type": "boolean", "description": "true: take the text literally, without Markdown."});
    let number = json!({"type": "integer", "minimum": 1, "description": "The N of PN in the reading."});
    let operation = |name: &str, required: &[&str], mut properties: Value| {
        if let Some(map) = properties.as_object_mut() {
            map.insert("op".to_owned(), json!({"const": name}));
            map.insert(
                "expectedText".to_owned(),
                text(
                    "Optional guard: the paragraph's whole current text; the edit is refused if it differs.",
                ),
            );
        }
        let required: Vec<&str> = std::iter::once("op").chain(required.iter().copied()).collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    };
    json!({
        "type": "object",
        "required": ["operations"],
        "additionalProperties": false,
        "properties": {"operations": {"type": "array", "items": {"anyOf": [
            operation("modify_text", &["originalText", "replacementText"], json!({
                "paragraphIndex": number.clone(), "target": address.clone(), "occurrence": occurrence.clone(),
                "originalText": text("The words to replace, exactly as they stand in the document."),
                "replacementText": text("What takes their place; inline Markdown. Empty: the words go."),
                "plain": plain.clone()
            })),
            operation("edit_paragraph", &[], json!({
                "paragraphIndex": number.clone(), "target": address.clone(), "occurrence": occurrence.clone(),
                "newContent": text("The paragraph's whole new text; inline Markdown. Words that stay are not touched. \
                                    A blank line begins a new paragraph."),
                "append": text("Instead of newContent: text to add at the end."),
                "prepend": text("Instead of newContent: text to add at the start."),
                "plain": plain.clone()
            })),
            operation("insert_paragraph", &["content"], json!({
                "after": address.clone(), "before": address.clone(), "occurrence": occurrence.clone(),
                "content": text("The new paragraph's text; a blank line begins another paragraph."),
                "style": text("Id or name of its paragraph style; like the paragraph beside it when left out."),
                "plain": plain
            })),
            operation("delete_paragraph", &[], json!({
                "paragraphIndex": number, "target": address, "occurrence": occurrence
            }))
        ]}}}
    })
}
