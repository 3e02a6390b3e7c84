use std::io::{Cursor, Read};

use crate::docx::DocxBuilder;

fn read(bytes: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

fn names(bytes: &[u8]) -> Vec<String> {
    let archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_smallest_document_has_three_parts() {
    let bytes = DocxBuilder::new().paragraph("a < b & c").build();
    assert_eq!(names(&bytes), ["[Content_Types].xml", "_rels/.rels", "word/document.xml"]);
    assert!(read(&bytes, "word/document.xml").contains("a &lt; b &amp; c"));
}

#[test]
fn the_same_calls_give_the_same_bytes() {
    let build = || DocxBuilder::new().paragraph("x").styles("").comments("").build();
    assert_eq!(build(), build());
}

#[test]
fn parts_are_related_and_typed() {
    let bytes = DocxBuilder::new().main_name("sub/main.xml").header("rIdH", "<w:p/>").comments("").build();
    let relationships = read(&bytes, "sub/_rels/main.xml.rels");
    assert!(relationships.contains("Id=\"rIdH\"") && relationships.contains("Target=\"comments.xml\""));
    assert!(read(&bytes, "[Content_Types].xml").contains("PartName=\"/sub/header-rIdH.xml\""));
    assert!(read(&bytes, "_rels/.rels").contains("Target=\"sub/main.xml\""));
}

#[test]
fn made_parts_can_be_replaced_and_left_out() {
    let bytes = DocxBuilder::new()
        .part("word/document.xml", "broken")
        .content_type("word/document.xml", "text/plain")
        .without("_rels/.rels")
        .build();
    assert_eq!(names(&bytes), ["[Content_Types].xml", "word/document.xml"]);
    assert_eq!(read(&bytes, "word/document.xml"), "broken");
}
