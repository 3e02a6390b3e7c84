//! The guide has a page for each operation, with all of its fields and an example that works.
#![expect(clippy::disallowed_methods, reason = "reads the guide and the example document")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engross_docx::ops::{Status, field_tables, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    let path = root().join("docs/guide/operations").join(format!("{name}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_operation_has_a_page_with_its_fields() {
    let mut pages: BTreeSet<String> = std::fs::read_dir(root().join("docs/guide/operations"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap().trim_end_matches(".md").to_owned())
        .collect();
    for (name, table) in field_tables() {
        let text = page(name);
        assert!(text.contains(&format!("## Fields\n\n{table}\n")), "{name}: run `cargo xtask docs`");
        assert!(pages.remove(name), "{name}");
    }
    assert_eq!(pages, BTreeSet::new(), "pages about nothing");
}

#[test]
fn every_example_does_what_it_says() {
    let example = std::fs::read(root().join("examples/nda.docx")).unwrap();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    for (name, _) in field_tables() {
        let text = page(name);
        let examples: Vec<&str> =
            text.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
        assert!(!examples.is_empty(), "{name} has no example");
        for json in examples {
            let batch = parse_batch(&serde_json::from_str(json).unwrap()).unwrap();
            assert!(batch.operations.iter().all(|operation| operation.edit.name() == name), "{name}: {json}");
            let mut document = WordDocument::open(example.clone(), &Limits::default()).unwrap();
            if name == "restore_paragraph" {
                let theirs =
                    serde_json::json!([{"op": "delete_paragraph", "paragraphIndex": 3, "author": "B"}]);
                document.apply(&parse_batch(&theirs).unwrap(), &options).unwrap();
                let saved = document.save(Tracking::Tracked).unwrap().bytes;
                document = WordDocument::open(saved, &Limits::default()).unwrap();
            }
            let results = document.apply(&batch, &options).unwrap();
            let idle = ["navigate_to_section", "update_references", "update_fields"];
            let wanted = if idle.contains(&name) { Status::NoChange } else { Status::Applied };
            assert!(results.iter().all(|result| result.status == wanted), "{name}: {results:#?}");
            document.save(Tracking::Tracked).unwrap();
        }
    }
}
