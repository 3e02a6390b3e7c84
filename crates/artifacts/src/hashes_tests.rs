use std::collections::HashMap;

use engross_store::files::{RelPath, Root, Stamp};
use proptest::prelude::*;

use super::hashes::{Hashes, MemoryHashes, Sha256Sum, is_settled};

fn stamp(inode: u64, changed: i64) -> Stamp {
    Stamp { device: 1, inode, size: 3, modified: 5, changed, links: 1 }
}

fn sum(byte: u8) -> Sha256Sum {
    Sha256Sum::from_bytes([byte; 32])
}

#[test]
fn a_file_that_was_just_changed_is_not_settled() {
    let second = 1_000_000_000_i64;
    let at = |modified: i64, changed: i64| Stamp {
        modified: modified * second,
        changed: changed * second,
        ..stamp(1, 0)
    };
    assert!(is_settled(&at(10, 10), 13_000));
    assert!(!is_settled(&at(10, 10), 12_000), "changed two seconds before");
    assert!(!is_settled(&at(1, 12), 13_000), "its time was set back, not that of the change");
    assert!(!is_settled(&at(99, 1), 13_000), "written in the future");
    assert!(is_settled(&at(-5, -5), 13_000), "before 1970");
}

#[test]
fn any_difference_of_the_stamp_is_another_state() {
    let hashes = MemoryHashes::new(100);
    let known = stamp(1, 7);
    hashes.put(&known, sum(1));
    assert_eq!(hashes.get(&known), Some(sum(1)));
    let others = [
        Stamp { device: 2, ..known },
        Stamp { inode: 2, ..known },
        Stamp { size: 4, ..known },
        Stamp { modified: 6, ..known },
        Stamp { changed: 8, ..known },
        Stamp { links: 2, ..known },
    ];
    assert!(others.iter().all(|other| hashes.get(other).is_none()));
    assert_eq!(hashes.get(&known), Some(sum(1)), "asking forgets nothing");
}

#[test]
fn what_is_asked_for_stays_and_the_rest_goes() {
    let hashes = MemoryHashes::new(100);
    hashes.put(&stamp(0, 0), sum(0));
    for inode in 1..10_000 {
        hashes.put(&stamp(inode, 0), sum(1));
        assert_eq!(hashes.get(&stamp(0, 0)), Some(sum(0)), "after {inode}");
    }
    let kept = (0..10_000).filter(|inode| hashes.get(&stamp(*inode, 0)).is_some()).count();
    assert!((50..=100).contains(&kept), "{kept} are kept");
}

proptest! {
    /// However it is used, what it gives was put for this very stamp, and last.
    #[test]
    fn it_never_gives_what_was_not_put(steps in prop::collection::vec((any::<bool>(), 0_u64..12, 0_i64..3, any::<u8>()), 0..200)) {
        let hashes = MemoryHashes::new(8);
        let mut put = HashMap::new();
        for (is_put, inode, changed, byte) in steps {
            let stamp = stamp(inode, changed);
            if is_put {
                hashes.put(&stamp, sum(byte));
                put.insert(stamp, sum(byte));
            } else if let Some(given) = hashes.get(&stamp) {
                prop_assert_eq!(Some(&given), put.get(&stamp));
            }
        }
    }
}

#[test]
fn saved_hashes_are_loaded_again() {
    let folder = tempfile::tempdir().unwrap();
    let top = Root::open(folder.path()).unwrap().top();
    let path = RelPath::parse("cache/hashes").unwrap();
    assert_eq!(MemoryHashes::load(&top, &path, 10).unwrap().get(&stamp(1, 1)), None, "no file");
    let hashes = MemoryHashes::new(1000);
    (0..300).for_each(|inode| hashes.put(&stamp(inode, -4), sum(9)));
    hashes.save(&top, &path).unwrap();
    let loaded = MemoryHashes::load(&top, &path, 1000).unwrap();
    assert!((0..300).all(|inode| loaded.get(&stamp(inode, -4)) == Some(sum(9))));
    assert_eq!(loaded.get(&stamp(300, -4)), None);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test damages a file")]
fn damaged_lines_are_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let top = Root::open(folder.path()).unwrap().top();
    let path = RelPath::parse("hashes").unwrap();
    let hashes = MemoryHashes::new(10);
    hashes.put(&stamp(1, 1), sum(1));
    hashes.save(&top, &path).unwrap();
    let good = std::fs::read_to_string(folder.path().join("hashes")).unwrap();
    let line = good.lines().nth(1).unwrap();
    let table = [
        (good.clone(), true),
        (format!("{good}nonsense\n1 2 3\n"), true),
        (good.replace("engross hashes 1", "engross hashes 2"), false),
        (good.replace(line, &line[..line.len() - 1]), false),
        (String::new(), false),
    ];
    for (text, is_known) in table {
        std::fs::write(folder.path().join("hashes"), &text).unwrap();
        let loaded = MemoryHashes::load(&top, &path, 10).unwrap();
        assert_eq!(loaded.get(&stamp(1, 1)).is_some(), is_known, "{text}");
    }
}

#[test]
fn sums_are_read_as_they_are_shown() {
    let text = "00ff".repeat(16);
    assert_eq!(Sha256Sum::parse(&text).map(|sum| sum.to_string()), Some(text.clone()));
    assert_eq!(Sha256Sum::parse(&text.to_uppercase()).map(|sum| sum.to_string()), Some(text));
    for text in ["", "00", &"g".repeat(64), &"+0".repeat(32), &"é".repeat(32)] {
        assert_eq!(Sha256Sum::parse(text), None, "{text}");
    }
}
