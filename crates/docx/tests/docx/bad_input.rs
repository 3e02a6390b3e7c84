//! Files as people really have them: cut, locked, renamed, hostile, or just unusual. Each is either used or refused with
//! its code, in bounded time and memory.

use std::time::{Duration, Instant};

use engross_docx::ops::{Status, parse_batch};
use engross_docx::read::{ReadOptions, View};
use engross_docx::{EditOptions, Error, Limits, Tracking, WordDocument, check};
use engross_testkit::docx::DocxBuilder;
use serde_json::json;

const WORD: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const MAIN: &str = "word/document.xml";

fn open(bytes: Vec<u8>) -> Result<WordDocument, Error> {
    WordDocument::open(bytes, &Limits::default())
}

/// Opens what must be refused: gives the code, after a look at the message and the time it took.
fn refused(bytes: Vec<u8>) -> &'static str {
    let start = Instant::now();
    let Err(error) = open(bytes) else { panic!("this file must be refused") };
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    let message = error.to_string();
    assert!(message.len() > 40 && message.contains(';'), "says what to do next: {message}");
    error.code()
}

/// The document is used like any other: it is read, edited, proven, saved, and read again.
fn works(bytes: &[u8]) -> WordDocument {
    let source = open(bytes.to_vec()).unwrap();
    let texts = |document: &WordDocument, view| -> Vec<String> {
        let options = ReadOptions { view, ..ReadOptions::default() };
        document.read(&options).unwrap().paragraphs.into_iter().map(|paragraph| paragraph.text).collect()
    };
    assert_eq!(texts(&source, View::Accepted), ["thirty days"]);
    assert_eq!(
        source.save(Tracking::Tracked).unwrap().bytes,
        bytes,
        "nothing changed, so not a byte differs"
    );

    let batch = parse_batch(&json!({"operations": [
        {"op": "modify_text", "paragraphIndex": 1, "originalText": "thirty", "replacementText": "sixty"},
        {"op": "insert_paragraph", "after": 1, "content": "new"},
    ]}))
    .unwrap();
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let mut edited = source.clone();
    let results = edited.apply(&batch, &options).unwrap();
    assert!(results.iter().all(|result| result.status == Status::Applied), "{results:#?}");
    let again = open(edited.save(Tracking::Tracked).unwrap().bytes).unwrap();
    assert_eq!(texts(&again, View::Accepted), ["sixty days", "new"]);
    assert_eq!(texts(&again, View::Original)[0], "thirty days");
    let codes = |document: &WordDocument| -> Vec<&str> {
        check(document).unwrap().iter().map(|finding| finding.code).collect()
    };
    assert_eq!(codes(&again), codes(&source), "editing brings no new faults");
    again
}

fn sample() -> DocxBuilder {
    DocxBuilder::new().paragraph("thirty days")
}

/// The sample with another main part.
fn with_main(xml: impl Into<Vec<u8>>) -> Vec<u8> {
    sample().part(MAIN, xml).build()
}

fn relationships(target: &str) -> String {
    format!(
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"r\" \
         Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument\" Target=\"{target}\"/>\
         </Relationships>"
    )
}

/// A compound file, the container of old and of encrypted documents, with a stream of that name.
fn compound_file(stream: &str) -> Vec<u8> {
    let mut bytes = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    bytes.resize(1024, 0);
    let name: Vec<u8> = stream.encode_utf16().chain([0]).flat_map(u16::to_le_bytes).collect();
    let mut entry = name.clone();
    entry.resize(64, 0);
    entry.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
    entry.resize(128, 0);
    bytes.extend(entry);
    bytes
}

/// Changes bytes of the main part's local header and of its directory record, at those offsets.
fn patch_headers(bytes: &mut [u8], local: usize, directory: usize, value: &[u8]) {
    let starts: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(b"PK")).collect();
    for start in starts {
        let (name, field) = match bytes.get(start + 2..start + 4) {
            Some(b"\x03\x04") => (start + 30, start + local),
            Some(b"\x01\x02") => (start + 46, start + directory),
            _ => continue,
        };
        if bytes[name..].starts_with(MAIN.as_bytes()) {
            bytes[field..field + value.len()].copy_from_slice(value);
        }
    }
}

/// Text that does not shrink much.
fn noise(length: usize) -> String {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        format!("{state:016x}")
    };
    let mut text = String::with_capacity(length + 16);
    while text.len() < length {
        text.push_str(&next());
    }
    text
}

fn document_with(body: &str) -> String {
    format!("<w:document xmlns:w=\"{WORD}\"><w:body>{body}</w:body></w:document>")
}

#[test]
fn what_is_no_document_at_all() {
    for bytes in
        [&b""[..], b"plain text", b"%PDF-1.7", b"{\\rtf1}", b"<html></html>", &[0; 100], b"\x1F\x8B\x08"]
    {
        assert_eq!(refused(bytes.to_vec()), "NOT_A_ZIP", "{bytes:?}");
    }
    assert_eq!(refused(compound_file("WordDocument")), "LEGACY_DOC");
    assert_eq!(refused(compound_file("EncryptedPackage")), "PACKAGE_ENCRYPTED");
}

#[test]
fn a_download_that_stopped() {
    let bytes = sample().paragraph(&noise(10_000)).build();
    for kept in [4, 30, 200, bytes.len() / 2, bytes.len() - 30] {
        assert_eq!(refused(bytes[..kept].to_vec()), "ZIP_TRUNCATED", "{kept} of {} bytes", bytes.len());
    }
    for kept in 0..bytes.len() {
        assert!(open(bytes[..kept].to_vec()).is_err(), "{kept} of {} bytes", bytes.len());
    }
}

#[test]
fn a_damaged_or_locked_main_part() {
    let mut flipped = sample().build();
    patch_headers(&mut flipped, 14, 16, &[1, 2, 3, 4]);
    assert_eq!(refused(flipped), "ZIP_DAMAGED");
    let mut locked = sample().build();
    patch_headers(&mut locked, 6, 8, &[1, 0]);
    assert_eq!(refused(locked), "PACKAGE_ENCRYPTED");
}

#[test]
fn bombs() {
    let spaces = " ".repeat(8 << 20);
    assert_eq!(refused(with_main(document_with(&spaces))), "ZIP_BOMB");

    // One GiB, as far as the directory says.
    let mut huge = with_main(document_with(&noise(4 << 20)));
    patch_headers(&mut huge, 22, 24, &(1_u32 << 30).to_le_bytes());
    assert_eq!(refused(huge), "ZIP_BOMB");

    // A stream that goes on beyond what the directory says.
    let mut liar = with_main(document_with(&spaces));
    patch_headers(&mut liar, 22, 24, &1000_u32.to_le_bytes());
    assert!(["ZIP_BOMB", "ZIP_DAMAGED"].contains(&refused(liar)));

    if let Some(peak) = peak_memory() {
        assert!(peak < 512 << 20, "the process used {peak} bytes");
    }
}

/// The most memory that this process ever used, where the system tells.
#[expect(clippy::disallowed_methods, reason = "asks the system, not a file")]
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes << 10)
}

#[test]
fn no_main_part() {
    assert_eq!(refused(sample().without(MAIN).build()), "NO_MAIN_PART");
    assert_eq!(refused(sample().without("_rels/.rels").build()), "NO_MAIN_PART");
    assert_eq!(
        refused(sample().part("_rels/.rels", relationships("../../etc/passwd")).build()),
        "NO_MAIN_PART"
    );
    assert_eq!(refused(with_main("<workbook xmlns=\"urn:x\"/>")), "NOT_WORDPROCESSING");
    assert_eq!(refused(with_main(format!("<w:document xmlns:w=\"{WORD}\"/>"))), "NOT_WORDPROCESSING");
    assert_eq!(
        refused(with_main("<w:document xmlns:w=\"urn:w\"><w:body/></w:document>")),
        "NOT_WORDPROCESSING"
    );
}

#[test]
fn broken_xml() {
    for xml in [
        "",
        "<",
        "text",
        "<w:document>",
        "<w:document xmlns:w='urn:x'>",
        "<a></b>",
        "<a>&unknown;</a>",
        "<a>\u{1}</a>",
    ] {
        assert_eq!(refused(with_main(xml)), "XML_MALFORMED", "{xml}");
    }
    assert_eq!(refused(with_main(b"<a>\xFF\xFE</a>".to_vec())), "XML_ENCODING");
    for side in ["_rels/.rels", "word/_rels/document.xml.rels", "word/styles.xml", "word/numbering.xml"] {
        let bytes = sample().styles("").numbering("").part(side, "<a>").build();
        assert_eq!(refused(bytes), "XML_MALFORMED", "{side}");
    }
}

#[test]
fn entities_and_depth() {
    let laughs =
        "<!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]><a>&b;</a>";
    assert_eq!(refused(with_main(laughs)), "XML_DOCTYPE");
    let outside = "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>";
    assert_eq!(refused(with_main(outside)), "XML_DOCTYPE");
    let deep = format!("{}{}", "<w:sdt>".repeat(100_000), "</w:sdt>".repeat(100_000));
    assert_eq!(refused(with_main(document_with(&deep))), "XML_LIMIT");
    let wide: String = (0..10_000).map(|number| format!(" a{number}=\"\"")).collect();
    assert_eq!(refused(with_main(document_with(&format!("<w:p{wide}/>")))), "XML_LIMIT");
}

/// As deep as is allowed: nothing that walks the tree may run out of stack.
#[test]
fn depth_at_the_limit() {
    let depth = 500;
    let deep = format!(
        "{}<w:p><w:r><w:t>thirty days</w:t></w:r></w:p>{}",
        "<w:customXml>".repeat(depth),
        "</w:customXml>".repeat(depth)
    );
    works(&with_main(document_with(&deep)));
    let cells = "<w:tbl><w:tr><w:tc>".repeat(160) + "<w:p/>" + &"</w:tc></w:tr></w:tbl>".repeat(160);
    let document = open(with_main(document_with(&cells))).unwrap();
    assert_eq!(document.paragraph_count(), 1);
    assert!(!check(&document).unwrap().is_empty());
}

#[test]
fn utf16() {
    let xml = sample().main_xml().replace("UTF-8", "UTF-16");
    let little: Vec<u8> = [0xFEFF].into_iter().chain(xml.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = [0xFEFF].into_iter().chain(xml.encode_utf16()).flat_map(u16::to_be_bytes).collect();
    for bytes in [little, big] {
        works(&with_main(bytes));
    }
    assert_eq!(refused(with_main(&b"\xFF\xFE<\0a\0/\0>"[..])), "XML_ENCODING");
}

#[test]
fn strict_namespaces() {
    let xml = sample().main_xml().replace(WORD, "http://purl.oclc.org/ooxml/wordprocessingml/main").replace(
        "http://schemas.openxmlformats.org/officeDocument/2006",
        "http://purl.oclc.org/ooxml/officeDocument",
    );
    let package = relationships(MAIN).replace(
        "http://schemas.openxmlformats.org/officeDocument/2006",
        "http://purl.oclc.org/ooxml/officeDocument",
    );
    works(&sample().part(MAIN, xml).part("_rels/.rels", package).build());
}

#[test]
fn the_default_namespace_without_a_prefix() {
    let xml = format!("<document xmlns=\"{WORD}\"><body><p><r><t>thirty days</t></r></p></body></document>");
    let edited = works(&with_main(xml));
    assert_eq!(edited.revisions().unwrap().len(), 4);
    assert!(edited.revisions().unwrap().iter().all(|placed| placed.revision.stamp.author == "A"));
}

#[test]
fn another_prefix() {
    let xml = "<x:document xmlns:x=\"WORD\"><x:body><x:p><x:r><x:t>thirty days</x:t></x:r></x:p></x:body></x:document>";
    works(&with_main(xml.replace("WORD", WORD)));
}

#[test]
fn unusual_names_and_targets() {
    works(&sample().main_name("content/The Text.xml").build());
    works(&DocxBuilder::new().main_name("text.xml").paragraph("thirty days").styles("").build());
    for target in
        ["/word/document.xml", "word/../word/./document.xml", "./word/document.xml", "WORD/Document.xml"]
    {
        works(&sample().part("_rels/.rels", relationships(target)).build());
    }
    let styles =
        "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"N\"><w:name w:val=\"Normal\"/></w:style>";
    for target in ["/word/other/styles.xml", "../word/other/styles.xml", "other/../other/styles.xml"] {
        let root = format!("<w:styles xmlns:w=\"{WORD}\">{styles}</w:styles>");
        let bytes =
            sample().part("word/other/styles.xml", root).relationship("rId1", "styles", target).build();
        let document = works(&bytes);
        let found = check(&document).unwrap();
        assert!(found.is_empty(), "{found:?}");
    }
}

#[test]
fn missing_side_parts() {
    let found = |bytes: Vec<u8>| -> Vec<&str> {
        check(&works(&bytes)).unwrap().iter().map(|finding| finding.code).collect()
    };
    let styles = sample().relationship("rId1", "styles", "styles.xml").build();
    assert_eq!(found(styles), ["RELATIONSHIP_TARGET_MISSING"]);
    let types = sample().without("[Content_Types].xml").build();
    assert_eq!(found(types), ["CONTENT_TYPES_MISSING"]);
}

/// A part that nobody asked for cannot keep an edit elsewhere from being saved: it is written as the bytes that it was.
#[test]
fn a_part_that_cannot_be_unpacked_keeps_nobody_from_saving() {
    let settings = "<w:zoom w:percent=\"100\"/><w:defaultTabStop w:val=\"720\"/>";
    let mut bytes = DocxBuilder::new().paragraph("one word").settings(settings).build();
    let name = b"word/settings.xml";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    for byte in &mut bytes[at..at + 40] {
        *byte ^= 0x55;
    }
    let mut document = WordDocument::open(bytes, &Limits::default()).unwrap();
    assert!(check(&document).is_err(), "the part is broken");
    let operation = json!([{"op": "modify_text", "originalText": "one", "replacementText": "two"}]);
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    let results = document.apply(&parse_batch(&operation).unwrap(), &options).unwrap();
    assert_eq!(results[0].status, Status::Applied, "{results:?}");
    assert!(document.save(Tracking::Tracked).is_ok());
}
