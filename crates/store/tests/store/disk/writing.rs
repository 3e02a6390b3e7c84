//! Writing and removing: conditions, what is kept, and that nothing is left behind.

use std::io::Read;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

use engross_store::files::{Ages, Precondition, WrittenFile};

use super::{TestBench, code, path, sha256};
use Precondition::{Absent, Any, Exists, Sha256};

#[test]
fn a_write_reports_what_it_wrote_and_replaced() {
    let desk = TestBench::new();
    let first = desk.top.write(&path("a/b/c.md"), &b"one"[..], &Absent).unwrap();
    assert_eq!(first.previous_sha256, None);
    let second = desk.top.write(&path("a/b/c.md"), &b"two!"[..], &Any).unwrap();
    let info = desk.top.info(&path("a/b/c.md")).unwrap().unwrap();
    let expected = WrittenFile { info, sha256: sha256("two!"), previous_sha256: Some(sha256("one")) };
    assert_eq!(second, expected);
    assert_eq!((info.size, info.inode == first.info.inode), (4, false));
    assert_eq!((desk.text("a/b/c.md").as_str(), desk.names()), ("two!", names(&["a/", "a/b/", "a/b/c.md"])));
}

#[test]
fn every_condition_on_every_state() {
    let old = || Sha256(sha256("old").to_uppercase());
    for (condition, missing, present) in [
        (Absent, Ok(()), Err("TARGET_EXISTS")),
        (Exists, Err("TARGET_MISSING"), Ok(())),
        (old(), Err("TARGET_MISSING"), Ok(())),
        (Sha256(sha256("other")), Err("TARGET_MISSING"), Err("TARGET_CHANGED")),
        (Sha256(String::new()), Err("TARGET_MISSING"), Err("TARGET_CHANGED")),
        (Any, Ok(()), Ok(())),
    ] {
        for (there, expected) in [(false, missing), (true, present)] {
            let desk = TestBench::new();
            if there {
                desk.put("d/a", "old");
            }
            let before = desk.names();
            let done = desk.top.write(&path("d/a"), &b"new"[..], &condition);
            assert_eq!(done.map(drop).map_err(|error| error.code()), expected, "{condition:?} {there}");
            if expected.is_ok() {
                assert_eq!((desk.names(), desk.text("d/a").as_str()), (names(&["d/", "d/a"]), "new"));
            } else {
                assert_eq!(desk.names(), before, "{condition:?}: nothing was made");
                assert!(!there || desk.text("d/a") == "old");
            }
            let removed = desk.top.remove(&path("d/b"), &condition);
            let expected = if missing.is_ok() { Ok(false) } else { missing.map(|()| false) };
            assert_eq!(removed.map_err(|error| error.code()), expected, "{condition:?}");
        }
        let desk = TestBench::new();
        desk.put("a", "old");
        let removed = desk.top.remove(&path("a"), &condition).map_err(|error| error.code());
        assert_eq!(
            (removed, desk.at("a").exists()),
            (present.map(|()| true), present.is_err()),
            "{condition:?}"
        );
    }
}

#[test]
fn a_wrong_hash_is_told_with_the_right_one() {
    let desk = TestBench::new();
    desk.put("a", "theirs");
    let error = desk.top.write(&path("a"), &b"new"[..], &Sha256(sha256("old"))).unwrap_err();
    let details = engross_protocol::Failure::from(error).details;
    let expected = serde_json::json!({ "path": "a", "expected": sha256("old"), "found": sha256("theirs") });
    assert_eq!(details, expected);
}

#[test]
fn what_is_in_the_way_has_a_class() {
    let desk = TestBench::new();
    desk.put("folder/file", "x");
    for (name, expected) in
        [("folder", "TARGET_IS_DIR"), ("folder/file/a", "PATH_INVALID"), ("folder/file/a/b", "PATH_INVALID")]
    {
        for condition in [Absent, Any] {
            assert_eq!(code(desk.top.write(&path(name), &b"new"[..], &condition)), expected, "{name}");
        }
        assert_eq!(code(desk.top.read(&path(name), 9)), expected, "{name}");
        assert_eq!(code(desk.top.info(&path(name))), expected, "{name}");
        assert_eq!(code(desk.top.remove(&path(name), &Any)), expected, "{name}");
    }
    assert_eq!(desk.names(), names(&["folder/", "folder/file"]));
}

#[test]
fn a_replaced_file_passes_on_its_mode_and_a_new_one_has_the_usual() {
    let desk = TestBench::new();
    let mode = |name: &str| std::fs::metadata(desk.at(name)).unwrap().mode() & 0o7777;
    for wanted in [0o600, 0o640, 0o755, 0o664] {
        desk.put("a", "old");
        std::fs::set_permissions(desk.at("a"), PermissionsExt::from_mode(wanted)).unwrap();
        desk.top.write(&path("a"), &b"new"[..], &Any).unwrap();
        assert_eq!(mode("a"), wanted);
    }
    desk.put("usual", "");
    desk.top.write(&path("b"), &b"new"[..], &Absent).unwrap();
    assert_eq!(mode("b"), mode("usual"));
}

#[test]
fn root_keeps_the_owner_of_a_file() {
    let desk = TestBench::new();
    desk.put("a", "old");
    // Only root may give files away.
    if std::os::unix::fs::chown(desk.at("a"), Some(12345), Some(54321)).is_err() {
        return;
    }
    std::fs::set_permissions(desk.at("a"), PermissionsExt::from_mode(0o640)).unwrap();
    desk.top.write(&path("a"), &b"new"[..], &Any).unwrap();
    let found = std::fs::metadata(desk.at("a")).unwrap();
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o7777), (12345, 54321, 0o640));
}

#[test]
fn a_second_name_keeps_the_old_bytes() {
    let desk = TestBench::new();
    desk.put("a", "old");
    std::fs::hard_link(desk.at("a"), desk.outside("hard")).unwrap();
    desk.top.write(&path("a"), &b"new"[..], &Any).unwrap();
    let other = std::fs::read_to_string(desk.outside("hard")).unwrap();
    assert_eq!((desk.text("a").as_str(), other.as_str()), ("new", "old"));
}

#[test]
fn content_that_breaks_off_leaves_nothing() {
    struct BrokenSource(usize);
    impl Read for BrokenSource {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0 = self.0.checked_sub(1).ok_or_else(|| std::io::Error::other("the sender is gone"))?;
            Ok(buffer.len())
        }
    }
    let desk = TestBench::new();
    desk.put("old", "old");
    for name in ["old", "new/a/b", "new"] {
        let error = desk.top.write(&path(name), BrokenSource(3), &Any).unwrap_err();
        assert_eq!(error.code(), "FILE_NOT_WRITTEN");
        assert!(error.to_string().contains("the sender is gone"), "{error}");
    }
    assert_eq!((desk.names(), desk.text("old").as_str()), (names(&["old"]), "old"));
}

#[test]
fn what_is_being_written_is_neither_listed_nor_swept() {
    /// Looks around in the middle of the write.
    struct Nosy<'a>(&'a TestBench, bool);
    impl Read for Nosy<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            if self.1 {
                return Ok(0);
            }
            self.1 = true;
            assert_eq!(self.0.names().len(), 1);
            assert_eq!(self.0.top.list("", None, 9).unwrap().files, []);
            assert_eq!(self.0.top.sweep(u64::MAX, Ages::default()).unwrap(), 0);
            buffer[0] = b'x';
            Ok(1)
        }
    }
    let desk = TestBench::new();
    desk.top.write(&path("a"), Nosy(&desk, false), &Absent).unwrap();
    assert_eq!((desk.names(), desk.text("a").as_str()), (names(&["a"]), "x"));
}

#[test]
fn one_writer_makes_a_new_file() {
    let desk = TestBench::new();
    for round in 0..20 {
        let target = path(&format!("d{round}/a"));
        let write = &|number: u8| match desk.top.write(&target, &[number; 999][..], &Absent) {
            Ok(_) => Some(number),
            Err(error) => {
                assert_eq!(error.code(), "TARGET_EXISTS");
                None
            }
        };
        let wins: Vec<u8> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|number| scope.spawn(move || write(number))).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
        });
        let (bytes, _) = desk.top.read(&target, 999).unwrap().unwrap();
        assert_eq!((wins.len(), bytes), (1, vec![wins[0]; 999]));
    }
    assert_eq!(desk.names().len(), 40);
}

#[test]
fn a_reader_sees_the_old_or_the_new_file() {
    let desk = TestBench::new();
    desk.top.write(&path("a"), &[0; 50_000][..], &Absent).unwrap();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for number in 1..60_u8 {
                let length = 50_000 + usize::from(number);
                desk.top.write(&path("a"), &vec![number; length][..], &Exists).unwrap();
            }
        });
        while !writer.is_finished() {
            let (bytes, info) = desk.top.read(&path("a"), 60_000).unwrap().unwrap();
            assert_eq!((bytes.len(), info.size), (50_000 + usize::from(bytes[0]), bytes.len() as u64));
            assert!(bytes.iter().all(|byte| *byte == bytes[0]));
        }
    });
}

#[test]
fn folders_are_made_and_removed_whole() {
    let desk = TestBench::new();
    assert!(desk.root.folder(&path("work/one")).unwrap().is_none());
    let one = desk.root.make_folder(&path("work/one")).unwrap();
    one.write(&path("x/y"), &b"1"[..], &Absent).unwrap();
    desk.put("work/one/.git/config", "theirs");
    assert_eq!(one.path(), Some(&path("work/one")));
    let again = desk.root.folder(&path("work")).unwrap().unwrap().make_folder(&path("one")).unwrap();
    assert_eq!(again.read(&path("x/y"), 9).unwrap().unwrap().0, b"1");
    assert_eq!(again.lock_key(&path("X/Y")), desk.top.lock_key(&path("WORK/one/x/y")));
    assert_ne!(again.lock_key(&path("x/y")), desk.top.lock_key(&path("x/y")));
    assert_eq!(desk.root.top().remove_folder(&path("work/one")), Ok(true));
    assert_eq!(desk.root.top().remove_folder(&path("work/one")), Ok(false));
    assert_eq!(desk.names(), names(&["work/"]));
    assert_eq!(code(one.write(&path("a"), &b"1"[..], &Any)), "FILE_NOT_WRITTEN");
    desk.put("file", "");
    assert_eq!(code(desk.top.remove_folder(&path("file"))), "PATH_INVALID");
}

pub fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
