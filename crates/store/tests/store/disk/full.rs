//! Full disks: a small one that is mounted for this, where that is allowed, and a limit on the size of files everywhere.
//!
//! Each needs a process of its own, so the test starts its own binary again.

use std::path::Path;
use std::process::Command;

use engross_store::files::{Ages, AppendFile, FileError, Precondition, Root};
use engross_store::{Error as StoreError, SqliteStore, Store};

use super::{TestBench, code, path, sha256, staged, tree};

/// Names the root, and makes the tests of the inner process run.
const ROOT: &str = "ENGROSS_TEST_FULL_DISK_IN";

/// Runs the ignored test `name` of this file after the shell's `preparation`.
fn run(name: &str, desk: &TestBench, wrapper: &[&str], preparation: &str) {
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).args(["-c", &format!("{preparation} && exec \"$0\" \"$@\"")]);
    command.arg(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("disk::full::{name}"), "--ignored", "--nocapture"]);
    let output = command.env(ROOT, desk.at("")).output().unwrap();
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
}

#[test]
fn a_full_disk_changes_nothing() {
    // Without rights a process may mount something in a name space of its own, where the system allows that.
    let wrapper = ["unshare", "-rm", "sh"];
    let allowed = Command::new("unshare").args(["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        println!("skipped: no disk can be mounted here");
        return;
    }
    let desk = TestBench::new();
    std::fs::create_dir(desk.at("small")).unwrap();
    run("on_a_small_disk", &desk, &wrapper, &format!("mount -t tmpfs -o size=512k none \"${ROOT}/small\""));
    assert_eq!(desk.names(), ["moved", "small/"], "what was on the small disk is gone with it");
}

#[test]
#[ignore = "runs on the small disk that the test above mounts"]
fn on_a_small_disk() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let root = Root::open(Path::new(&root)).unwrap();
    let (top, small) = (root.top(), root.folder(&path("small")).unwrap().unwrap());
    let big = vec![b'x'; 1 << 20];
    small.write(&path("a"), &b"old"[..], &Precondition::Absent).unwrap();
    for target in ["a", "b", "c/d/e"] {
        assert_eq!(code(small.write(&path(target), &big[..], &Precondition::Any)), "NO_SPACE");
    }
    let left = || tree(&Path::new(&std::env::var(ROOT).unwrap()).join("small"));
    assert_eq!(left(), [("a".to_owned(), b"old".to_vec())].into(), "no residue");

    let mut file = small.stage(&staged("s")).unwrap();
    file.append(&big[..100_000]).unwrap();
    assert_eq!(code(file.append(&big)), "NO_SPACE");
    assert_eq!((file.len(), file.reader().unwrap().info().size), (100_000, 100_000));
    file.append(b"end").unwrap();

    let mut log = AppendFile::open(&small, &path("log")).unwrap();
    log.append(b"line\n").unwrap();
    assert_eq!(code(log.append(&big)), "NO_SPACE");
    log.append(b"next\n").unwrap();
    assert_eq!(log.last_line(9).unwrap().unwrap(), b"next");
    assert_eq!(small.read(&path("log"), 99).unwrap().unwrap().0, b"line\nnext\n");
    drop(log);

    // The other disk: copied instead of renamed, and back again where there is no room.
    let content = [&big[..100_000], b"end"].concat();
    let written = file.commit(&top, &path("moved"), &Precondition::Absent).unwrap();
    assert_eq!(written.sha256, sha256(&content));
    assert_eq!(top.read(&path("moved"), 1 << 20).unwrap().unwrap(), (content, written.info));
    assert_eq!(small.staged_names().unwrap(), []);
    let mut file = top.stage(&staged("back")).unwrap();
    file.append(&big).unwrap();
    let refused = file.commit(&small, &path("a"), &Precondition::Any).unwrap_err();
    assert_eq!((refused.error.code(), refused.staged.len()), ("NO_SPACE", 1 << 20));
    refused.staged.discard().unwrap();
    assert_eq!(top.sweep(u64::MAX, Ages::default()), Ok(0));
    assert_eq!(left().into_keys().collect::<Vec<_>>(), ["a", "log"]);

    // A store there is not well before a request meets it.
    let store = SqliteStore::open(&Path::new(&std::env::var(ROOT).unwrap()).join("small/s.sqlite")).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    assert!(matches!(runtime.block_on(store.healthy()), Err(StoreError::Full { .. })));
    drop(store);

    let mut mount = Command::new("mount");
    mount.args(["-o", "remount,ro", "none"]);
    assert!(mount.arg(Path::new(&std::env::var(ROOT).unwrap()).join("small")).status().unwrap().success());
    let denied = small.write(&path("a"), &b"new"[..], &Precondition::Any).unwrap_err();
    assert_eq!(denied, FileError::PermissionDenied { path: "a".to_owned() });
    assert_eq!(code(small.remove(&path("a"), &Precondition::Any)), "PERMISSION_DENIED");
    assert_eq!(code(small.stage(&staged("s"))), "PERMISSION_DENIED");
    assert_eq!(code(small.make_folder(&path("d"))), "PERMISSION_DENIED");
    assert_eq!(code(AppendFile::open(&small, &path("log"))), "PERMISSION_DENIED");
    assert_eq!(small.read(&path("a"), 9).unwrap().unwrap().0, b"old");
}

#[test]
fn a_limit_on_files_is_no_space() {
    let desk = TestBench::new();
    desk.put("a", "old");
    // 64 blocks of 512 or 1024 bytes. The signal that comes with it would end the process.
    run("beneath_a_limit", &desk, &["sh"], "trap '' XFSZ && ulimit -f 64");
    assert_eq!((desk.names(), desk.text("a").as_str()), (vec!["a".to_owned()], "old"));
}

#[test]
#[ignore = "runs in the process that the test above limits"]
fn beneath_a_limit() {
    let Ok(root) = std::env::var(ROOT) else { return };
    let top = Root::open(Path::new(&root)).unwrap().top();
    let big = vec![b'x'; 1 << 20];
    for target in ["a", "b/c"] {
        assert_eq!(code(top.write(&path(target), &big[..], &Precondition::Any)), "NO_SPACE");
    }
    let mut file = top.stage(&staged("s")).unwrap();
    assert_eq!(code(file.append(&big)), "NO_SPACE");
    assert_eq!(file.reader().unwrap().info().size, 0);
    file.discard().unwrap();
}
