//! The reference of the operations beside the skill for agents, from the schema of the operations.

use std::fmt::Write as _;
use std::path::PathBuf;

use engross_docx::ops::operations_schema;
use serde_json::Value;

use crate::{Error, Result, root, say};

/// Writes the reference if it differs.
#[expect(clippy::disallowed_methods, reason = "a chore writes files of the repository")]
pub(super) fn write() -> Result<()> {
    let (path, page) = (place(), page());
    if std::fs::read_to_string(&path).ok().as_ref() != Some(&page) {
        std::fs::write(&path, page).map_err(Error::file(&path))?;
        say(&format!("wrote {}", path.display()));
    }
    Ok(())
}

fn place() -> PathBuf {
    root().join("skills/engross/references/operations.md")
}

fn page() -> String {
    let mut page = "# Operations\n\nA paragraph is named by `paragraphIndex` (the N of PN) or `target` (`\"P7\"`, `\"last\"`, `\"§4.2\"`, \
                    `{\"text\": \"words only it has\"}`, `\"footnote:3/P1\"`, `\"header:default@1/P1\"`). Fields with * must be given. Every \
                    operation takes `expectedText`, the paragraph's whole text, and is refused if that differs.\n"
        .to_owned();
    let schema = operations_schema();
    let operations = schema.pointer("/properties/operations/items/anyOf").and_then(Value::as_array);
    for operation in operations.into_iter().flatten() {
        let text = |pointer: &str| operation.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let _ = writeln!(
            page,
            "\n## {}\n\n{}\n",
            text("/properties/op/const"),
            text("/properties/op/description")
        );
        let required: Vec<&str> =
            operation["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in operation["properties"].as_object().into_iter().flatten() {
            if name == "op" || name == "expectedText" {
                continue;
            }
            let star = if required.contains(&name.as_str()) { "*" } else { "" };
            let _ = writeln!(page, "- `{name}`{star}{}", about(name, field));
        }
    }
    page
}

/// What a field takes, in a few words.
fn about(name: &str, field: &Value) -> String {
    let words: Vec<&str> = field["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let mut about = String::new();
    if !words.is_empty() {
        let _ = write!(about, " ({})", words.join(", "));
    } else if let Some(kind) = field["type"].as_str().filter(|kind| *kind != "string") {
        let _ = write!(about, " ({kind})");
    }
    let said = field["description"].as_str().filter(|_| name != "target").unwrap_or_default();
    if !said.is_empty() {
        let _ = write!(about, ": {}", said.trim_end_matches('.'));
    }
    about
}

#[cfg(test)]
mod tests {
    use super::{page, place};

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test looks at a file of the repository")]
    fn the_reference_of_the_skill_is_that_of_the_operations() {
        assert!(std::fs::read_to_string(place()).unwrap() == page(), "run `cargo xtask docs`");
    }
}
