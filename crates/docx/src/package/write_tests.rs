//! What writing keeps and what it changes.

use super::package_oracle::expect_only_changed;
use super::testing::{Archive, archive, code, deflated, sample, stored};
use super::{Limits, Package};

fn reopen(package: &Package) -> Package {
    Package::open(package.write().unwrap(), &Limits::default()).unwrap()
}

#[test]
fn unchanged_is_identical() {
    for archive in [sample(), Archive { trailing: b"\0\0".to_vec(), ..sample() }] {
        assert_eq!(archive.open().unwrap().write().unwrap(), archive.build());
    }
}

#[test]
fn setting_the_same_bytes_is_no_change() {
    let mut package = sample().open().unwrap();
    let original = package.part("word/document.xml").unwrap().into_owned();
    package.set_part("word/document.xml", b"other".to_vec());
    assert!(package.is_changed());
    package.set_part("word/document.xml", original);
    assert!(!package.is_changed());
    assert_eq!(package.write().unwrap(), sample().build());
}

#[test]
fn each_part_can_change_alone() {
    let gap = |mut archive: Archive| {
        archive.entries[2].gap = b"left over".to_vec();
        archive.entries[4].gap = b"padding".to_vec();
        archive
    };
    let zip64 = |mut archive: Archive| {
        archive.entries.iter_mut().for_each(|entry| entry.zip64 = true);
        archive
    };
    let stub = b"#!/bin/sh\n".to_vec();
    let archives = [
        sample(),
        Archive { directory_order: vec![4, 2, 0, 1, 3], ..sample() },
        Archive { stub: stub.clone(), ..sample() },
        Archive { stub, offsets_skip_stub: true, ..sample() },
        Archive { trailing: b"appended".to_vec(), ..sample() },
        gap(sample()),
        zip64(sample()),
        Archive { zip64_end: true, ..zip64(sample()) },
    ];
    for archive in &archives {
        let package = archive.open().unwrap();
        for name in package.names() {
            for content in [&b""[..], b"new", &b"<new/>".repeat(1000)] {
                let mut changed = package.clone();
                changed.set_part(name, content.to_vec());
                let written = changed.write().unwrap();
                expect_only_changed(package.source(), &written, name, content);
                assert_eq!(*reopen(&changed).part(name).unwrap(), *content);
                assert_eq!(written, changed.write().unwrap());
            }
        }
    }
}

#[test]
fn comment_stub_and_appended_bytes_are_kept() {
    let source = Archive { stub: b"stub".to_vec(), trailing: b"appended".to_vec(), ..sample() };
    let mut package = source.open().unwrap();
    package.set_part("word/styles.xml", b"new".to_vec());
    let written = package.write().unwrap();
    assert!(written.starts_with(b"stubPK\x03\x04"));
    assert!(written.ends_with(b"made by handappended"));
}

#[test]
fn a_gap_goes_only_with_the_entry_before_it() {
    let mut source = sample();
    source.entries[2].gap = b"left over".to_vec();
    let written_with = |name: &str| {
        let mut package = source.open().unwrap();
        package.set_part(name, b"new".to_vec());
        package.write().unwrap()
    };
    let has_gap = |bytes: &[u8]| memchr::memmem::find(bytes, b"left over").is_some();
    assert!(has_gap(&written_with("word/styles.xml")));
    assert!(!has_gap(&written_with("word/document.xml")));
}

#[test]
fn zip64_fields_of_a_changed_entry_are_dropped_and_others_kept() {
    let mut source = sample();
    source.entries[2].zip64 = true;
    let mut package = source.open().unwrap();
    package.set_part("word/document.xml", b"new".to_vec());
    let written = package.write().unwrap();
    let start = memchr::memmem::rfind(&written, b"word/document.xml").unwrap();
    let rest = &written[start + "word/document.xml".len()..];
    assert!(rest.starts_with(b"\x55\x54\x01\x00\x07the text"), "{rest:?}");
}

#[test]
fn added_parts_go_to_the_end() {
    let mut package = sample().open().unwrap();
    package.set_part("/word\\comments.xml", b"<w:comments/>".to_vec());
    package.set_part("word/Überschrift.xml", b"".to_vec());
    package.set_part("Word/Comments.xml", b"<w:comments>".to_vec());
    let names: Vec<&str> = package.names().collect();
    assert_eq!(names[4..], ["word/comments.xml", "word/Überschrift.xml"]);
    let written = package.write().unwrap();
    let mut oracle = zip::ZipArchive::new(std::io::Cursor::new(&written)).unwrap();
    assert_eq!(oracle.len(), 7);
    let entry = oracle.by_index(5).unwrap();
    assert_eq!((entry.name_raw(), entry.size()), (&b"word/comments.xml"[..], 12));
    assert_eq!(entry.last_modified(), Some(zip::DateTime::default()));
    assert_eq!(entry.compression(), zip::CompressionMethod::Deflated);
    drop(entry);
    assert_eq!(oracle.by_index(6).unwrap().name().unwrap(), "word/Überschrift.xml");
    assert_eq!(*reopen(&package).part("word/comments.xml").unwrap(), *b"<w:comments>");
    let untouched = sample().build();
    let directory = memchr::memmem::find(&untouched, b"PK\x01\x02").unwrap();
    assert_eq!(written[..directory], untouched[..directory]);
}

#[test]
fn parts_can_be_added_behind_a_stub_and_to_nothing() {
    let stub = Archive { stub: b"stub".to_vec(), offsets_skip_stub: true, ..sample() };
    for source in [stub, Archive::default()] {
        let mut package = source.open().unwrap();
        package.set_part("a", b"text".to_vec());
        assert_eq!(*reopen(&package).part("a").unwrap(), *b"text");
    }
}

#[test]
fn bad_names_are_refused_on_writing() {
    for name in ["", "/", "a/../b", "word/", "a\0", &"x".repeat(70_000)] {
        let mut package = sample().open().unwrap();
        package.set_part(name, b"text".to_vec());
        assert_eq!(code(package.write()), "PART_NAME_INVALID", "{name:.20}");
    }
}

#[test]
fn too_many_parts_for_a_plain_zip_are_refused() {
    let mut package = archive(vec![stored("a", b""), deflated("b", b"")]).open().unwrap();
    for number in 0..65_533 {
        package.set_part(&number.to_string(), Vec::new());
    }
    assert_eq!(code(package.write()), "ZIP_UNSUPPORTED");
}
