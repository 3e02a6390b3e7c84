//! What a package answers about its parts, and which archives it refuses.

use std::borrow::Cow;

use super::testing::{Archive, Entry, archive, code, deflated, sample, stored};
use super::{Error, Limits, Package};

fn limits() -> Limits {
    Limits::default()
}

#[test]
fn names_are_those_of_the_directory_without_folders() {
    let package = sample().open().unwrap();
    let names: Vec<&str> = package.names().collect();
    let expected = ["[Content_Types].xml", "word/document.xml", "word/styles.xml", "word/media/image1.png"];
    assert_eq!(names, expected);
    assert!(!package.is_changed());
    assert_eq!(package.source(), sample().build());
}

#[test]
fn names_compare_as_opc_says() {
    let mut package = archive(vec![deflated("word\\Document.xml", b"<w:document/>")]).open().unwrap();
    for name in ["word/document.xml", "/word/document.xml", "WORD\\DOCUMENT.XML"] {
        assert!(package.contains(name), "{name}");
        assert_eq!(*package.part(name).unwrap(), *b"<w:document/>");
    }
    assert_eq!(package.names().collect::<Vec<_>>(), ["word\\Document.xml"]);
    package.set_part("/word/document.xml", b"new".to_vec());
    assert_eq!(package.names().count(), 1);
    assert_eq!(*package.part("word/document.xml").unwrap(), *b"new");
}

#[test]
fn names_that_are_not_utf8_stay_apart() {
    let name = |byte| Entry { name: vec![b'a', byte], ..stored("", b"x") };
    let package = archive(vec![name(0x81), name(0x82)]).open().unwrap();
    assert_eq!(package.names().collect::<Vec<_>>(), ["a\u{81}", "a\u{82}"]);
}

#[test]
fn stored_parts_are_borrowed() {
    let package = sample().open().unwrap();
    assert!(matches!(package.part("word/media/image1.png"), Ok(Cow::Borrowed(b"\x89PNG"))));
}

#[test]
fn absent_part() {
    let package = sample().open().unwrap();
    assert_eq!(package.part("word/none.xml"), Err(Error::PartNotFound { name: "word/none.xml".to_owned() }));
    assert_eq!(code(package.part("word/")), "PART_NOT_FOUND");
}

#[test]
fn bad_names_are_refused() {
    for name in ["", "/word/document.xml", "\\word", "C:\\word.xml", "a/../b", "..\\a", "./a", "a/..", "a\0b"]
    {
        assert_eq!(code(archive(vec![stored(name, b"")]).open()), "PART_NAME_INVALID", "{name:?}");
    }
    for name in ["word..xml", "...", "ab:c", "é.xml", "a//b"] {
        assert_eq!(code(archive(vec![stored(name, b"")]).open()), "no error", "{name:?}");
    }
}

#[test]
fn two_parts_of_one_name_are_refused() {
    for other in ["word/document.xml", "Word/Document.XML", "word\\document.xml"] {
        let entries = vec![stored("word/document.xml", b"a"), stored(other, b"b")];
        assert_eq!(code(archive(entries).open()), "PART_NAME_INVALID", "{other}");
    }
    let folders = vec![stored("word/", b""), stored("word/", b"")];
    assert_eq!(code(archive(folders).open()), "no error");
}

#[test]
fn messages_shorten_and_escape_names() {
    let message =
        archive(vec![stored(&format!("a\0{}", "x".repeat(500)), b"")]).open().unwrap_err().to_string();
    assert!(message.starts_with("the part name 'a\\0xxx") && message.len() < 300, "{message}");
}

#[test]
fn streaming_writers_and_their_zeroed_local_sizes_are_read() {
    for zip64 in [false, true] {
        let mut entry = deflated("a", b"text");
        (entry.streamed, entry.zip64) = (true, zip64);
        let package = archive(vec![entry, stored("b", b"")]).open().unwrap();
        assert_eq!(*package.part("a").unwrap(), *b"text");
    }
}

#[test]
fn zip64_archives_are_read() {
    let mut entry = deflated("a", b"text");
    entry.zip64 = true;
    let zip64 = Archive { zip64_end: true, ..archive(vec![entry, stored("b", b"")]) };
    let package = zip64.open().unwrap();
    assert_eq!(*package.part("a").unwrap(), *b"text");
}

#[test]
fn an_archive_without_entries_is_a_package_without_parts() {
    assert_eq!(Archive::default().open().unwrap().names().count(), 0);
}

#[test]
fn every_cut_is_noticed() {
    let bytes = sample().build();
    for length in 2..bytes.len() {
        let result = Package::open(bytes[..length].to_vec(), &limits());
        assert_eq!(code(result), "ZIP_TRUNCATED", "{length} of {}", bytes.len());
    }
}

#[test]
fn a_cut_document_is_not_taken_for_the_one_embedded_in_it() {
    let inner = sample().build();
    let outer = archive(vec![stored("word/embeddings/inner.docx", &inner), stored("z", b"z")]).build();
    let cut = outer[..30 + 26 + inner.len() + 10].to_vec();
    assert_eq!(code(Package::open(cut, &limits())), "ZIP_TRUNCATED");
    assert_eq!(code(Package::open(outer, &limits())), "no error");
}

#[test]
fn wrong_content_is_damage() {
    let wrong = |change: fn(&mut Entry)| {
        let mut entry = deflated("a", b"some text that is long enough");
        change(&mut entry);
        archive(vec![entry, stored("b", b"b")]).open().and_then(|package| package.part("a").map(|_| ()))
    };
    assert_eq!(code(wrong(|_| {})), "no error");
    assert_eq!(code(wrong(|entry| entry.crc ^= 1)), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.size += 1)), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.size -= 1)), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.size = 0)), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.data.truncate(9))), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.data.clear())), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.data[0] = 0xFF)), "ZIP_DAMAGED");
    assert_eq!(code(wrong(|entry| entry.local_name = Some(b"c".to_vec()))), "ZIP_DAMAGED");
    let stored_wrong = Entry { crc: 1, ..stored("a", b"a") };
    let package = archive(vec![stored_wrong]).open().unwrap();
    assert_eq!(code(package.part("a")), "ZIP_DAMAGED");
    let two_sizes = Entry { size: 2, ..stored("a", b"a") };
    assert_eq!(code(archive(vec![two_sizes]).open()), "ZIP_DAMAGED");
}

#[test]
fn wrong_directories_are_damage() {
    for count in [0, 1, 3] {
        let wrong = Archive { count: Some(count), ..archive(vec![stored("a", b"a"), stored("b", b"b")]) };
        assert_eq!(code(wrong.open()), "ZIP_DAMAGED", "{count}");
    }
    let mut bytes = sample().build();
    bytes[..4].copy_from_slice(b"PK\x03\x05");
    assert_eq!(code(Package::open(bytes, &limits())), "ZIP_DAMAGED");
}

#[test]
fn overlapping_entries_are_refused() {
    let content = b"the same bytes for two";
    let twin = Entry { points_to: Some(0), local_name: None, ..deflated("a", content) };
    assert_eq!(code(archive(vec![deflated("a", content), twin]).open()), "ZIP_DAMAGED");

    // A local header inside the data of the entry before it.
    let inner = archive(vec![stored("b", b"inner")]).build();
    let outer = stored("a", &inner);
    let mut both = archive(vec![outer, stored("b", b"inner")]).build();
    let record = memchr::memmem::rfind(&both, b"PK\x01\x02").unwrap();
    both[record + 42..record + 46].copy_from_slice(&31_u32.to_le_bytes());
    assert_eq!(code(Package::open(both, &limits())), "ZIP_DAMAGED");
}

#[test]
fn encrypted_entries_are_refused() {
    for flags in [1, 0x41, 0x2000] {
        let entry = Entry { flags, ..deflated("a", b"a") };
        assert_eq!(code(archive(vec![entry]).open()), "PACKAGE_ENCRYPTED");
    }
}

#[test]
fn other_compressions_and_split_archives_are_refused() {
    let entry = Entry { method: 14, ..deflated("a", b"a") };
    let error = archive(vec![entry]).open().unwrap_err();
    assert_eq!(error.code(), "ZIP_UNSUPPORTED");
    assert!(error.to_string().contains("part 'a' is compressed by method 14 (LZMA)"), "{error}");
    let split = Archive { disk: 1, ..sample() };
    assert_eq!(code(split.open()), "ZIP_UNSUPPORTED");
    let elsewhere = Entry { disk: 1, ..stored("a", b"a") };
    assert_eq!(code(archive(vec![elsewhere]).open()), "ZIP_UNSUPPORTED");
}

#[test]
fn limits_are_checked_on_opening() {
    let big = vec![b' '; 3 << 20];
    let mut packed = Vec::with_capacity(1 << 16);
    let mut compress = flate2::Compress::new(flate2::Compression::new(9), false);
    compress.compress_vec(&big, &mut packed, flate2::FlushCompress::Finish).unwrap();
    let packed = Entry { data: packed, method: 8, ..stored("a", &big) };
    let bytes = archive(vec![packed, deflated("b", b"text")]).build();
    let check = |limits: Limits| code(Package::open(bytes.clone(), &limits));
    assert_eq!(check(limits()), "ZIP_BOMB");
    let loose = Limits { max_ratio: 2000, ..limits() };
    assert_eq!(check(loose.clone()), "no error");
    assert_eq!(check(Limits { max_file_bytes: 100, ..loose.clone() }), "ZIP_BOMB");
    assert_eq!(check(Limits { max_entries: 1, ..loose.clone() }), "ZIP_BOMB");
    assert_eq!(check(Limits { max_part_bytes: 3 << 20, ..loose.clone() }), "no error");
    assert_eq!(check(Limits { max_part_bytes: (3 << 20) - 1, ..loose.clone() }), "ZIP_BOMB");
    assert_eq!(check(Limits { max_total_bytes: 3 << 20, ..loose }), "ZIP_BOMB");
}

/// A deflate stream that inflates to a thousand megabytes of spaces: one block, repeated, and an end.
fn gigabyte() -> Vec<u8> {
    let mut compress = flate2::Compress::new(flate2::Compression::new(9), false);
    let mut block = Vec::with_capacity(1 << 16);
    compress.compress_vec(&vec![b' '; 1_000_000], &mut block, flate2::FlushCompress::Full).unwrap();
    let mut stream = block.repeat(1000);
    stream.extend([3, 0]);
    stream
}

#[test]
fn a_bomb_with_a_forged_size_is_refused_while_it_inflates() {
    let bomb = |size, max_part_bytes| {
        let entry = Entry { data: gigabyte(), size, ..deflated("word/document.xml", b"") };
        let limits = Limits { max_part_bytes, ..limits() };
        let package = Package::open(archive(vec![entry]).build(), &limits)?;
        package.part("word/document.xml").map(|_| ())
    };
    assert_eq!(code(bomb(1_000_000_000, 256 << 20)), "ZIP_BOMB");
    assert_eq!(code(bomb(100, 2 << 20)), "ZIP_BOMB");
    assert_eq!(code(bomb(1_500_000, 2 << 20)), "ZIP_BOMB");
}

#[test]
fn debug_shows_names_not_bytes() {
    let text = format!("{:?}", archive(vec![stored("a", b"secret")]).open().unwrap());
    assert_eq!(text, r#"Package { names: ["a"], changed: false }"#);
}
