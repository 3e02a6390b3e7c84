//! The guide has a page for each operation, with all of its fields and an example that works.
#![expect(clippy::disallowed_methods, reason = "reads the guide and the example document")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use engross_docx::ops::{Status, field_tables, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    let path = root().join("docs/guide/operations").join(format!("{name}.md"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The example document has no content controls.
fn form() -> Vec<u8> {
    let control = |properties: &str| {
        format!(
            "<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent><w:r><w:t>…</w:t></w:r></w:sdtContent></w:sdt>"
        )
    };
    let body = [
        "<w:tag w:val=\"supplier\"/><w:text/>",
        "<w:tag w:val=\"kind\"/><w:dropDownList><w:listItem w:displayText=\"Partnership\" w:value=\"p\"/></w:dropDownList>",
        "<w:date><w:dateFormat w:val=\"d MMMM yyyy\"/><w:lid w:val=\"en-GB\"/></w:date>",
        "<w14:checkbox xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\"><w14:checked w14:val=\"0\"/></w14:checkbox>",
    ];
    let body: String = body.iter().map(|own| format!("<w:p>{}</w:p>", control(own))).collect();
    DocxBuilder::new().body(&body).build()
}

/// A document with a link, a note and a picture.
fn with_objects() -> Vec<u8> {
    let pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=";
    let markdown = format!(
        "One.\n\nTwo.\n\nThe [Parties](https://example.com/old).[^1]\n\n![A page]({pixel})\n\n[^1]: See.\n"
    );
    engross_docx::from_markdown(&markdown, None, &Limits::default()).unwrap()
}

/// Two sections with a header and a footer each.
fn sections() -> Vec<u8> {
    let section = "<w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/><w:footerReference w:type=\"default\" r:id=\"f\"/></w:sectPr>";
    let story = |kind: &str| {
        format!(
            "<w:{kind} xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:p/></w:{kind}>"
        )
    };
    DocxBuilder::new()
        .body(&format!("<w:p><w:pPr>{section}</w:pPr></w:p><w:p/>{section}"))
        .part("word/header1.xml", story("hdr"))
        .part("word/footer1.xml", story("ftr"))
        .relationship("h", "header", "header1.xml")
        .relationship("f", "footer", "footer1.xml")
        .build()
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
            let source = match name {
                "fill_control" => form(),
                "edit_link" | "remove_link" | "edit_note" | "edit_image" | "delete_image" => with_objects(),
                "link_header" | "link_footer" => sections(),
                _ => example.clone(),
            };
            let mut document = WordDocument::open(source, &Limits::default()).unwrap();
            if name == "restore_paragraph" {
                let theirs =
                    serde_json::json!([{"op": "delete_paragraph", "paragraphIndex": 3, "author": "B"}]);
                document.apply(&parse_batch(&theirs).unwrap(), &options).unwrap();
                let saved = document.save(Tracking::Tracked).unwrap().bytes;
                document = WordDocument::open(saved, &Limits::default()).unwrap();
            }
            let other = engross_docx::from_markdown("Another text.", None, &Limits::default()).unwrap();
            document.give_files([("nda-theirs.docx".to_owned(), other)].into());
            let results = document.apply(&batch, &options).unwrap();
            let idle = ["navigate_to_section", "update_references", "update_fields"];
            let wanted = if idle.contains(&name) { Status::NoChange } else { Status::Applied };
            assert!(results.iter().all(|result| result.status == wanted), "{name}: {results:#?}");
            document.save(Tracking::Tracked).unwrap();
        }
    }
}
