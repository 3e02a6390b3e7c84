use super::known::{KnownFiles, PART, Plan, TAIL, next_part};
use super::table::{FileContent, FilePart, FileRow};
use crate::files::{FileChange, SeenOnDisk, Stamp};

fn stamp(inode: u64, size: u64, modified: i64) -> Stamp {
    Stamp { device: 1, inode, size, modified, changed: modified, links: 1 }
}

fn part(length: u64) -> FilePart {
    FilePart { length, sha256: [7; 32], term: 1 }
}

fn file(path: &str, parts: Vec<FilePart>, tail: usize) -> FileRow {
    let content = FileContent::Bytes { parts, tail: vec![0; tail] };
    FileRow { path: path.to_owned(), mode: 0o600, modified: 0, content }
}

#[test]
fn a_file_that_grew_sends_what_is_new() {
    let mut known = KnownFiles::default();
    known.put(file("f/a", vec![part(100)], 5), Some(stamp(3, 105, 1)));
    let grown = known.plan("f/a", FileChange::Grown, &stamp(3, 300, 2));
    assert_eq!(grown, Plan::Rest { parts: vec![part(100)] });
    let same = known.plan("f/a", FileChange::Replaced, &stamp(3, 105, 1));
    assert_eq!(same, Plan::Nothing);
}

#[test]
fn growth_of_another_file_of_that_name_is_no_growth() {
    let mut known = KnownFiles::default();
    known.put(file("f/a", vec![part(100)], 5), Some(stamp(3, 105, 1)));
    let compared = Plan::Compare { parts: vec![part(100)] };
    assert_eq!(known.plan("f/a", FileChange::Grown, &stamp(4, 300, 2)), compared);
    assert_eq!(known.plan("f/a", FileChange::Grown, &stamp(3, 50, 2)), compared);
    assert_eq!(known.plan("f/a", FileChange::Replaced, &stamp(3, 300, 2)), compared);
    assert_eq!(known.plan("f/b", FileChange::Grown, &stamp(9, 300, 2)), Plan::Compare { parts: Vec::new() });
}

#[test]
fn an_unfinished_file_that_takes_its_place_sends_nothing() {
    let mut known = KnownFiles::default();
    known.put(file("f/.engross-staged-w", vec![part(100)], 5), Some(stamp(3, 105, 1)));
    let now = Stamp { changed: 9, ..stamp(3, 105, 1) };
    assert_eq!(known.plan("f/a", FileChange::Replaced, &now), Plan::Rest { parts: vec![part(100)] });
    // Written to in the same moment.
    let written = known.plan("f/a", FileChange::Replaced, &stamp(3, 105, 2));
    assert_eq!(written, Plan::Compare { parts: Vec::new() });
    known.remove("f/.engross-staged-w");
    assert_eq!(known.plan("f/a", FileChange::Replaced, &now), Plan::Compare { parts: Vec::new() });
}

/// A system gives the number of a removed file to the next one, and `tar` sets its time to that of another.
#[test]
fn another_file_that_looks_like_a_removed_one_is_read() {
    let mut known = KnownFiles::default();
    known.put(file("f/a", vec![part(100)], 5), Some(stamp(3, 105, 1)));
    let now = Stamp { changed: 9, ..stamp(3, 105, 1) };
    let compared = Plan::Compare { parts: vec![part(100)] };
    assert_eq!(known.plan("f/b", FileChange::Found, &now), compared);
    assert_eq!(known.plan("f/b", FileChange::Replaced, &now), compared);
    // Nor is what somebody makes of an unfinished file believed unread.
    known.put(file("f/.engross-staged-w", vec![part(100)], 5), Some(stamp(3, 105, 1)));
    assert_eq!(known.plan("f/b", FileChange::Found, &now), compared);
}

#[test]
fn many_small_parts_become_fewer() {
    let mut known = KnownFiles::default();
    let mut parts = vec![part(PART)];
    parts.extend((0..16).map(|_| part(1000)));
    let size = PART + 16_000;
    known.put(file("f/a", parts, 0), Some(stamp(3, size, 1)));
    let grown = known.plan("f/a", FileChange::Grown, &stamp(3, size + 1, 2));
    assert_eq!(grown, Plan::Rest { parts: vec![part(PART)] });
}

#[test]
fn the_end_of_a_file_is_in_its_row() {
    assert_eq!(next_part(0), None);
    assert_eq!(next_part(TAIL), None);
    assert_eq!(next_part(TAIL + 1), Some(TAIL + 1));
    assert_eq!(next_part(PART + 1), Some(PART));
}

#[test]
fn what_others_did_is_seen() {
    let mut known = KnownFiles::default();
    known.put(file("f/same", Vec::new(), 1), Some(stamp(1, 1, 1)));
    known.put(file("f/gone", Vec::new(), 1), Some(stamp(2, 1, 1)));
    known.put(file("f/other", Vec::new(), 1), Some(stamp(3, 1, 1)));
    known.put(file("f/in/inner", Vec::new(), 1), Some(stamp(4, 1, 1)));
    known.put(file("f/.engross-staged-x", Vec::new(), 1), Some(stamp(5, 1, 1)));
    known.put(file("g/elsewhere", Vec::new(), 1), Some(stamp(6, 1, 1)));
    let seen = |path: &str, stamp| SeenOnDisk { path: path.to_owned(), stamp };
    let there = [
        seen("same", Some(stamp(1, 1, 1))),
        seen("other", Some(stamp(3, 1, 2))),
        seen("new", Some(stamp(7, 1, 1))),
        seen("in", None),
        seen("in/inner", Some(stamp(4, 1, 1))),
        seen("empty", None),
        seen(".engross-staged-y", Some(stamp(8, 1, 1))),
    ];
    let mut differing: Vec<String> =
        known.differing("f", "f", &there, &[], false).into_iter().map(|(path, _)| path).collect();
    differing.sort();
    assert_eq!(differing, ["f/empty", "f/gone", "f/new", "f/other"]);
    // What is taken in for the first time was being written, too.
    let all = known.differing("f", "f", &there, &[], true);
    assert!(all.contains(&("f/.engross-staged-y".to_owned(), FileChange::Found)));
    let beneath = known.differing("f", "f/in", &[], &[], false);
    assert_eq!(beneath, [("f/in/inner".to_owned(), FileChange::Found)]);
    assert_eq!(known.differing("f", "f/in", &[], &["f/in".to_owned()], false), []);
    assert_eq!(known.differing("f", "f/in", &[], &["f/i".to_owned()], false).len(), 1);
}
