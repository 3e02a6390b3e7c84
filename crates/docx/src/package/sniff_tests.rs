//! What is said about files that are no zip archive.

use super::testing::{code, sample};
use super::{Limits, Package};

fn message(bytes: &[u8]) -> (&'static str, String) {
    let error = Package::open(bytes.to_vec(), &Limits::default()).unwrap_err();
    (error.code(), error.to_string())
}

#[test]
fn other_formats_are_named() {
    let flat =
        r#"<?xml version="1.0"?><?mso-application progid="Word.Document"?><pkg:package xmlns:pkg="…"/>"#;
    let checks: [(&[u8], &str); 14] = [
        (b"", "it is empty"),
        (b"{\\rtf1\\ansi hello}", "RTF"),
        (b"%PDF-1.7\n", "PDF"),
        (b"\xEF\xBB\xBF\n<!DOCTYPE html><html>", "HTML"),
        (b"<HTML><body>", "HTML"),
        (b"MIME-Version: 1.0\r\n", "MHTML"),
        (flat.as_bytes(), "Flat OPC"),
        (b"<?xml version='1.0'?><a/>", "an XML file"),
        (b"Dear Sir or Madam,\n", "plain text"),
        ("Grüße aus Köln".as_bytes(), "plain text"),
        (b"\xFF\xFEH\0i\0", "plain text"),
        (b"\0\0\0\0\0\0", "zero bytes"),
        (b"Rar!\x1A\x07", "another kind of archive"),
        (b"\x89PNG\r\n\x1A\n\0\0", "no format that engross knows"),
    ];
    for (bytes, expected) in checks {
        let (code, message) = message(bytes);
        assert_eq!(code, "NOT_A_ZIP", "{message}");
        assert!(message.contains(expected), "{message}");
    }
    assert!(message(b"{\\rtf1}").1.ends_with("save it as .docx"));
}

#[test]
fn text_cut_inside_a_character_is_still_text() {
    let mut text = "x".repeat(4095);
    text.push('é');
    assert!(message(text.as_bytes()).1.contains("plain text"));
}

#[test]
fn an_archive_attached_to_another_format_is_not_opened() {
    for start in [&b"%PDF-1.7\n"[..], b"{\\rtf1 ", b"<html>"] {
        let bytes = [start, &sample().build()].concat();
        assert_eq!(message(&bytes).0, "NOT_A_ZIP");
    }
}

#[test]
fn a_start_of_a_zip_is_an_incomplete_file() {
    for bytes in [&b"PK"[..], b"PK\x03", b"PK\x03\x04", b"PK\x03\x04 and more"] {
        assert_eq!(message(bytes).0, "ZIP_TRUNCATED", "{bytes:?}");
    }
    assert_eq!(message(b"PK is short for pack").0, "NOT_A_ZIP");
}

/// A compound file with one directory entry, in which the names in `text` stand as text too.
fn compound_file(stream: &str, text: &str) -> Vec<u8> {
    let utf16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    bytes.resize(512, 0);
    bytes.extend(utf16(text));
    bytes.resize(1024, 0);
    bytes.extend(utf16(stream));
    bytes.resize(1024 + 64, 0);
    bytes.extend(u16::try_from(stream.len() * 2 + 2).unwrap().to_le_bytes());
    bytes.resize(1024 + 128, 0);
    bytes
}

#[test]
fn compound_files_are_told_apart_by_their_streams() {
    assert_eq!(message(&compound_file("EncryptedPackage", "")).0, "PACKAGE_ENCRYPTED");
    let (code, message) = message(&compound_file("WordDocument", "EncryptedPackage"));
    assert_eq!(code, "LEGACY_DOC");
    assert!(message.contains("Word 97–2003"), "{message}");
    let workbook = self::message(&compound_file("Workbook", ""));
    assert_eq!(workbook.0, "LEGACY_DOC");
    assert!(workbook.1.contains("another compound file"), "{}", workbook.1);
}

#[test]
fn a_self_extracting_stub_is_no_other_format() {
    let mut with_stub = sample();
    with_stub.stub = b"MZ stub".to_vec();
    assert_eq!(code(with_stub.open()), "no error");
}
