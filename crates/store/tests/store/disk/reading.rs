//! Reading: limits, ranges, and what is no ordinary file.

use std::io::{Read, Seek, SeekFrom};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use engross_store::files::{AppendFile, Precondition};

use super::{TestBench, code, path, sha256};

#[test]
fn a_file_is_read_up_to_a_limit() {
    let desk = TestBench::new();
    desk.put("a", "12345");
    let (bytes, info) = desk.top.read(&path("a"), 5).unwrap().unwrap();
    assert_eq!((bytes.as_slice(), info.size), (&b"12345"[..], 5));
    assert_eq!(Some(info), desk.top.info(&path("a")).unwrap());
    assert_eq!(desk.top.sha256(&path("a")).unwrap(), Some((sha256("12345"), info)));
    assert_eq!(desk.top.sha256(&path("b")).unwrap(), None);
    assert_eq!(code(desk.top.read(&path("a"), 4)), "TOO_LARGE");
    assert_eq!(desk.top.read(&path("b"), 5).unwrap(), None);
    assert_eq!(desk.top.read(&path("no/folder/b"), 5).unwrap(), None);
    assert_eq!(desk.top.info(&path("b")).unwrap(), None);
}

#[test]
fn times_are_milliseconds_since_1970() {
    let desk = TestBench::new();
    desk.put("a", "");
    let file = std::fs::File::options().write(true).open(desk.at("a")).unwrap();
    file.set_modified(UNIX_EPOCH + std::time::Duration::from_millis(1_700_000_000_123)).unwrap();
    assert_eq!(desk.top.info(&path("a")).unwrap().unwrap().modified, 1_700_000_000_123);
    file.set_modified(SystemTime::UNIX_EPOCH - std::time::Duration::from_secs(9)).unwrap();
    assert_eq!(desk.top.info(&path("a")).unwrap().unwrap().modified, 0);
}

#[test]
fn an_open_file_is_read_from_anywhere_and_stays_itself() {
    let desk = TestBench::new();
    desk.put("a", "0123456789");
    let mut reader = desk.top.open(&path("a")).unwrap().unwrap();
    desk.top.write(&path("a"), &b"other"[..], &Precondition::Any).unwrap();
    let mut part = String::new();
    reader.seek(SeekFrom::Start(3)).unwrap();
    reader.by_ref().take(4).read_to_string(&mut part).unwrap();
    assert_eq!((part.as_str(), reader.info().size), ("3456", 10));
}

#[test]
fn a_pipe_is_refused_at_once() {
    let desk = TestBench::new();
    assert!(Command::new("mkfifo").arg(desk.at("pipe")).status().unwrap().success());
    let target = path("pipe");
    assert_eq!(code(desk.top.read(&target, 9)), "PATH_INVALID");
    assert_eq!(code(desk.top.open(&target)), "PATH_INVALID");
    assert_eq!(code(desk.top.write(&target, &b"new"[..], &Precondition::Any)), "PATH_INVALID");
    assert_eq!(code(desk.top.remove(&target, &Precondition::Any)), "PATH_INVALID");
    assert_eq!(code(AppendFile::open(&desk.top, &target)), "PATH_INVALID");
    assert_eq!(desk.top.list("", None, 9).unwrap().files, []);
    assert_eq!(desk.names(), ["pipe"]);
}
