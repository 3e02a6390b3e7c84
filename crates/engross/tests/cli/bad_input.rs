//! What is not a usable document: a clear code, exit 3 or 5, and nothing written.

use std::process::Command;

use engross_testkit::docx::{DocxBuilder, NAMESPACES};

use crate::bomb::bomb;
use crate::desk::{ENGROSS, TestBench, example, example_argument, ran};

/// Every command that opens a document refuses `bad.docx` with this exit code and error code and writes nothing.
fn refused(desk: &TestBench, code: i32, name: &str) {
    let ops = example_argument("operations/nda.json");
    let commands: [&[&str]; 8] = [
        &["read", "bad.docx"],
        &["apply", "bad.docx", &ops],
        &["edit", "bad.docx", "delete paragraph 4"],
        &["accept", "bad.docx", "--in-place"],
        &["reject", "bad.docx", "-o", "out.docx"],
        &["revisions", "bad.docx"],
        &["comments", "bad.docx"],
        &["check", "bad.docx"],
    ];
    for command in commands {
        let arguments = [command, &["--json"]].concat();
        assert_eq!(desk.refuses(&arguments), (code, name.to_owned()), "{arguments:?}");
    }
}

fn check(bytes: &[u8], name: &str) {
    let desk = TestBench::new();
    desk.put("bad.docx", bytes);
    refused(&desk, 3, name);
}

/// A document whose main part is `xml`.
fn with_main_part(xml: impl Into<Vec<u8>>) -> Vec<u8> {
    DocxBuilder::new().part("word/document.xml", xml).build()
}

#[test]
fn other_files() {
    check(b"", "NOT_A_ZIP");
    check(b"Dear Sirs,\n", "NOT_A_ZIP");
    check(b"{\\rtf1 Dear Sirs}", "NOT_A_ZIP");
    check(b"%PDF-1.7\n", "NOT_A_ZIP");
}

#[test]
fn old_and_encrypted_office_files() {
    let mut compound = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    compound.resize(1536, 0);
    let with_stream = |name: &str| {
        let mut bytes = compound.clone();
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        bytes[1024..1024 + name.len()].copy_from_slice(&name);
        // A directory entry keeps the length of its name, terminator included.
        bytes[1088] = u8::try_from(name.len() + 2).unwrap();
        bytes
    };
    check(&with_stream("WordDocument"), "LEGACY_DOC");
    check(&with_stream("EncryptedPackage"), "PACKAGE_ENCRYPTED");
}

#[test]
fn cut_archives() {
    let whole = std::fs::read(example("nda.docx")).unwrap();
    check(&whole[..whole.len() / 2], "ZIP_TRUNCATED");
    check(&whole[..whole.len() - 30], "ZIP_TRUNCATED");
}

#[test]
fn archives_without_a_document() {
    check(&DocxBuilder::new().without("word/document.xml").build(), "NO_MAIN_PART");
    check(&DocxBuilder::new().without("_rels/.rels").build(), "NO_MAIN_PART");
    check(&with_main_part("<workbook xmlns=\"urn:x\"/>"), "NOT_WORDPROCESSING");
}

#[test]
fn broken_xml() {
    check(&with_main_part("<w:document"), "XML_MALFORMED");
    check(
        &with_main_part(format!("<w:document {NAMESPACES}><w:body><w:p></w:body></w:document>")),
        "XML_MALFORMED",
    );
    check(&with_main_part(""), "XML_MALFORMED");
    check(&with_main_part(b"\xff\xff\xff".as_slice()), "XML_ENCODING");
}

#[test]
fn xml_that_attacks() {
    let entity = format!(
        "<!DOCTYPE w:document [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\
         <w:document {NAMESPACES}><w:body><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
    );
    check(&with_main_part(entity), "XML_DOCTYPE");
    let deep = format!(
        "<w:document {NAMESPACES}><w:body>{}{}</w:body></w:document>",
        "<w:p>".repeat(100_000),
        "</w:p>".repeat(100_000)
    );
    check(&with_main_part(deep), "XML_LIMIT");
}

#[test]
fn a_bomb_of_a_gibibyte() {
    check(&bomb("word/document.xml", 1024), "ZIP_BOMB");
}

#[test]
fn folders_and_missing_files() {
    let desk = TestBench::new();
    refused(&desk, 5, "NOT_FOUND");
    std::fs::create_dir(desk.path("bad.docx")).unwrap();
    refused(&desk, 3, "IS_A_DIRECTORY");
}

#[cfg(unix)]
#[test]
fn unreadable_files() {
    use std::os::unix::fs::PermissionsExt;
    let desk = TestBench::new();
    let Some(mut nobody) = unprivileged(&desk) else { return };
    std::fs::set_permissions(desk.path("nda.docx"), std::fs::Permissions::from_mode(0o000)).unwrap();
    let before = desk.names();
    let ran = ran(nobody.args(["accept", "nda.docx", "--json"]).output().unwrap());
    assert_eq!(ran.error(), (5, "READ_FAILED".to_owned()));
    assert_eq!(desk.names(), before);
}

/// The program, to be run by somebody whom permissions bind; `None`, and a word about it, where that cannot be had.
#[cfg(unix)]
#[expect(clippy::print_stdout, reason = "what is skipped is said")]
pub fn unprivileged(desk: &TestBench) -> Option<Command> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !is_root {
        return Some(desk.command(ENGROSS));
    }
    std::fs::set_permissions(desk.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    let nobody = || {
        let mut command = desk.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", ENGROSS]);
        command
    };
    if nobody().arg("--version").output().is_ok_and(|output| output.status.success()) {
        return Some(nobody());
    }
    let required = std::env::var("ENGROSS_REQUIRE").unwrap_or_default();
    assert!(
        !required.contains("unprivileged"),
        "no user who is not root, though ENGROSS_REQUIRE asks for one"
    );
    println!("skipped: this test needs a user who is not root, and setpriv cannot make one here");
    None
}
