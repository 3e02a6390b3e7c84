//! Staged files: growing, found again, committed.

use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use engross_store::WriteFence;
use engross_store::files::{Ages, AppendFile, Precondition, Root, StagedName, WrittenFile};

use super::{TestBench, code, path, sha256, staged};

#[test]
fn a_staged_file_becomes_the_file_itself() {
    let desk = TestBench::new();
    let spool = desk.root.make_folder(&path(".spool")).unwrap();
    let mut file = spool.stage(&staged("s1")).unwrap();
    file.append(b"one ").unwrap();
    file.write_all(b"two").unwrap();
    file.sync().unwrap();
    assert_eq!((file.len(), file.sha256().unwrap()), (7, sha256("one two")));
    let mut bytes = String::new();
    file.reader().unwrap().read_to_string(&mut bytes).unwrap();
    assert_eq!(bytes, "one two");
    let inode = std::fs::metadata(desk.at(".spool/.engross-staged-s1")).unwrap().ino();
    let written = file.commit(&desk.top, &path("a/b"), &Precondition::Absent).unwrap();
    let info = desk.top.info(&path("a/b")).unwrap().unwrap();
    assert_eq!(written, WrittenFile { info, sha256: sha256("one two"), previous_sha256: None });
    assert_eq!((info.inode, desk.text("a/b").as_str()), (inode, "one two"));
    assert_eq!(desk.names(), [".spool/", "a/", "a/b"]);
}

#[test]
fn its_mode_is_its_owners_until_it_is_committed() {
    let desk = TestBench::new();
    let mode = |name: &str| std::fs::metadata(desk.at(name)).unwrap().mode() & 0o777;
    desk.put("usual", "");
    let file = desk.top.stage(&staged("s")).unwrap();
    assert_eq!(mode(".engross-staged-s"), 0o600);
    let condition = Precondition::Sha256(sha256("other"));
    let refused = file.commit(&desk.top, &path("usual"), &condition).unwrap_err();
    assert_eq!((refused.error.code(), mode(".engross-staged-s")), ("TARGET_CHANGED", 0o600));
    refused.staged.commit(&desk.top, &path("new"), &Precondition::Any).unwrap();
    assert_eq!((mode("new"), desk.names()), (mode("usual"), vec!["new".to_owned(), "usual".to_owned()]));
}

#[test]
fn it_is_found_again_and_goes_on() {
    let desk = TestBench::new();
    let mut file = desk.top.stage(&staged("s")).unwrap();
    file.append(b"0123456789").unwrap();
    assert_eq!(code(desk.top.stage(&staged("s"))), "TARGET_EXISTS");
    assert_eq!(code(desk.top.staged(&staged("s"))), "FILE_NOT_WRITTEN");
    drop(file);
    let mut file = desk.top.staged(&staged("s")).unwrap().unwrap();
    assert_eq!((file.len(), file.sha256().unwrap()), (10, sha256("0123456789")));
    file.truncate(99).unwrap();
    file.truncate(4).unwrap();
    file.append(b"x").unwrap();
    assert_eq!((file.len(), file.sha256().unwrap()), (5, sha256("0123x")));
    file.truncate(0).unwrap();
    file.append(b"y").unwrap();
    assert_eq!(file.sha256().unwrap(), sha256("y"));
    drop(file);
    desk.top.stage(&staged("r")).unwrap();
    assert_eq!(desk.top.staged_names().unwrap(), [staged("r"), staged("s")]);
    assert_eq!(desk.top.list("", None, 9).unwrap().files, []);
    desk.top.staged(&staged("s")).unwrap().unwrap().discard().unwrap();
    assert!(desk.top.staged(&staged("s")).unwrap().is_none());
    assert_eq!(desk.names(), [".engross-staged-r"]);
}

#[test]
fn a_refused_commit_gives_it_back() {
    let desk = TestBench::new();
    desk.put("a", "old");
    let mut file = desk.top.stage(&staged("s")).unwrap();
    file.append(b"new").unwrap();
    for (target, condition, expected) in [
        ("a", Precondition::Absent, "TARGET_EXISTS"),
        ("b/c", Precondition::Exists, "TARGET_MISSING"),
        ("a", Precondition::Sha256(sha256("other")), "TARGET_CHANGED"),
        ("a/b", Precondition::Any, "PATH_INVALID"),
    ] {
        let refused = file.commit(&desk.top, &path(target), &condition).unwrap_err();
        assert_eq!(refused.error.code(), expected);
        assert_eq!(desk.names(), [".engross-staged-s", "a"]);
        file = refused.staged;
    }
    file.append(b"er").unwrap();
    let written = file.commit(&desk.top, &path("a"), &Precondition::Sha256(sha256("old"))).unwrap();
    assert_eq!((written.sha256, written.previous_sha256), (sha256("newer"), Some(sha256("old"))));
    assert_eq!((desk.names(), desk.text("a").as_str()), (vec!["a".to_owned()], "newer"));
}

#[test]
fn names_are_plain() {
    for good in ["a", "A-z_09", &"x".repeat(128)] {
        assert_eq!(StagedName::new(good).unwrap().as_str(), good);
    }
    for bad in ["", ".", "..", "a/b", "a.b", "é", "a b", &"x".repeat(129)] {
        assert_eq!(code(StagedName::new(bad)), "PATH_INVALID", "{bad}");
    }
}

#[test]
fn only_what_is_old_and_nobodys_is_swept() {
    let desk = TestBench::new();
    let open = desk.top.stage(&staged("open")).unwrap();
    drop(desk.root.make_folder(&path("d/e")).unwrap().stage(&staged("left")).unwrap());
    desk.put("d/.engross-tmp-1-1", "left");
    desk.put("a", "");
    desk.put(".engrossed", "");
    let at = desk.top.info(&path("a")).unwrap().unwrap().modified;
    let ages = Ages { temporary: 100_000, staged: 1_000_000 };
    assert_eq!(desk.top.sweep(at + 90_000, ages).unwrap(), 0);
    assert_eq!(desk.top.sweep(at + 110_000, ages).unwrap(), 1);
    assert_eq!(
        desk.names(),
        [".engross-staged-open", ".engrossed", "a", "d/", "d/e/", "d/e/.engross-staged-left"]
    );
    assert_eq!(desk.top.sweep(at + 1_100_000, ages).unwrap(), 1);
    drop(open);
    assert_eq!(desk.top.sweep(at + 1_100_000, ages).unwrap(), 1);
    assert_eq!(desk.names(), [".engrossed", "a", "d/", "d/e/"]);
}

/// Several who bring the same file at once, as terminals do that look on at one task: one who comes when another one has just put it
/// into its place must not have that file in hand, to cut it and to write to it.
#[test]
fn who_comes_late_has_nothing_of_a_file_that_has_its_place() {
    const ROUNDS: usize = 4_000;
    let desk = TestBench::new();
    let bring = |round: usize| {
        let (name, to) = (staged(&format!("s{round}")), path(&format!("f{round}")));
        while desk.top.info(&to).unwrap().is_none() {
            let opened = match desk.top.staged(&name) {
                Ok(Some(opened)) => Ok(opened),
                Ok(None) => desk.top.stage(&name),
                Err(error) => Err(error),
            };
            // Another one has it.
            let Ok(mut file) = opened else { continue };
            file.truncate(0).unwrap();
            file.append(b"all of it").unwrap();
            let _ = file.commit(&desk.top, &to, &Precondition::Absent);
        }
    };
    for round in 0..ROUNDS {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| bring(round));
            }
        });
        assert_eq!(desk.text(&format!("f{round}")), "all of it", "round {round}");
    }
}

#[test]
fn who_is_fenced_off_writes_nothing_more_and_keeps_nobody_out() {
    let desk = TestBench::new();
    let open = |fence: &WriteFence| {
        fence.extend(Instant::now() + Duration::from_secs(60));
        Root::open(&desk.at("")).unwrap().fenced(fence.clone())
    };
    let (old, new) = (WriteFence::closed(), WriteFence::closed());
    let (before, after) = (open(&old), open(&new));
    let mut file = before.top().stage(&staged("s")).unwrap();
    file.append(b"one ").unwrap();
    file.sync().unwrap();
    before.top().write(&path("kept"), &b"old"[..], &Precondition::Absent).unwrap();
    let mut lines = AppendFile::open(&before.top(), &path("lines")).unwrap();
    lines.append(b"a\n").unwrap();
    // The process stands still, and another one takes over what it has open.
    old.shut();
    let mut taken = after.top().staged(&staged("s")).unwrap().unwrap();
    let mut taken_lines = AppendFile::open(&after.top(), &path("lines")).unwrap();
    assert_eq!(code(file.append(b"late")), "HOME_AWAY");
    assert_eq!(code(file.sync()), "HOME_AWAY");
    assert_eq!(code(file.truncate(0)), "HOME_AWAY");
    assert_eq!(code(lines.append(b"late\n")), "HOME_AWAY");
    let late = file.commit(&before.top(), &path("file"), &Precondition::Any).unwrap_err();
    assert_eq!(late.error.code(), "HOME_AWAY");
    assert_eq!(code(late.staged.discard()), "HOME_AWAY");
    let top = before.top();
    assert_eq!(code(top.write(&path("kept"), &b"late"[..], &Precondition::Any)), "HOME_AWAY");
    assert_eq!(code(top.write_private(&path("new"), &b"late"[..], &Precondition::Any)), "HOME_AWAY");
    assert_eq!(code(top.remove(&path("kept"), &Precondition::Any)), "HOME_AWAY");
    assert_eq!(code(top.make_folder(&path("folder"))), "HOME_AWAY");
    assert_eq!(code(top.stage(&staged("t"))), "HOME_AWAY");
    assert_eq!(top.read(&path("kept"), 10).unwrap().unwrap().0, b"old");
    taken.append(b"two").unwrap();
    taken_lines.append(b"b\n").unwrap();
    taken.commit(&after.top(), &path("file"), &Precondition::Absent).unwrap();
    assert_eq!((desk.text("file").as_str(), desk.text("lines").as_str()), ("one two", "a\nb\n"));
    assert_eq!(code(top.remove_folder(&path("file"))), "HOME_AWAY");
}
