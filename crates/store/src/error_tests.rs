//! Codes, their pages, and what leaves engross.

use std::collections::BTreeSet;

use engross_protocol::{Exit, Failure, SessionId};

use crate::files::{FileError, PathError};
use crate::types::{Fence, Name};
use crate::{Error, codes};

/// One of each.
fn all() -> Vec<(Error, Exit)> {
    let session = SessionId::from_bytes([1; 16]);
    let place = || "/data/sessions.sqlite".to_owned();
    let message = || "why".to_owned();
    vec![
        (Error::Conflict { session, expected: 1, head: 2 }, Exit::Refused),
        (Error::Fenced { session, fence: Fence(1), newest: Fence(2) }, Exit::Refused),
        (Error::NameTaken { name: Name::new("key").unwrap(), session }, Exit::Refused),
        (Error::UnknownSession { session }, Exit::Refused),
        (Name::new("").unwrap_err(), Exit::Usage),
        (Error::TooLarge { bytes: 2, limit: 1 }, Exit::Refused),
        (Error::Full { place: place() }, Exit::Io),
        (Error::InUse { place: place() }, Exit::Io),
        (Error::Unavailable { place: place(), message: message() }, Exit::Io),
        (Error::Damaged { place: place(), message: message() }, Exit::Io),
        (Error::Newer { place: place(), found: 2, known: 1 }, Exit::Io),
        (Error::Unusable { place: place(), message: message() }, Exit::Io),
        (Error::Closed, Exit::Io),
        (Error::HomeLost, Exit::Io),
    ]
}

/// One of each about files.
fn all_of_files() -> Vec<(FileError, Exit)> {
    let path = || "a/b".to_owned();
    let problem = || "why".to_owned();
    vec![
        (FileError::TargetRequired, Exit::Usage),
        (FileError::PathOutsideRoot { path: path(), problem: problem() }, Exit::Usage),
        (FileError::PathInvalid { path: path(), problem: problem() }, Exit::Usage),
        (FileError::ProtectedPath { path: path(), problem: problem() }, Exit::Usage),
        (FileError::TargetExists { path: path() }, Exit::Refused),
        (FileError::TargetMissing { path: path() }, Exit::Refused),
        (FileError::TargetIsDir { path: path() }, Exit::Refused),
        (FileError::TargetChanged { path: path(), expected: "1".into(), found: "2".into() }, Exit::Refused),
        (FileError::PermissionDenied { path: path() }, Exit::Io),
        (FileError::NoSpace { path: path() }, Exit::Io),
        (FileError::TooLarge { path: path(), limit: 7 }, Exit::Refused),
        (FileError::Unreadable { path: path(), reason: problem() }, Exit::Io),
        (FileError::NotWritten { path: path(), reason: problem() }, Exit::Io),
        (FileError::HomeLost { path: path() }, Exit::Io),
    ]
}

/// One of each about files that a person names.
fn all_of_paths() -> Vec<PathError> {
    let path = || std::path::PathBuf::from("a/b");
    let reason = || "why".to_owned();
    vec![
        PathError::NotFound { path: path() },
        PathError::IsADirectory { path: path() },
        PathError::ReadFailed { path: path(), reason: reason() },
        PathError::TooLarge { path: path(), limit: 7 },
        PathError::NotUtf8 { path: path() },
        PathError::NotPrivate { path: path(), mode: 0o644 },
        PathError::WriteFailed { path: path(), reason: reason() },
        PathError::DiskFull { path: path(), reason: reason() },
        PathError::InputChanged { path: path() },
    ]
}

#[test]
fn every_error_has_a_row_of_its_own() {
    let of_files = all_of_files();
    let of_paths = all_of_paths();
    let shared = ["READ_FAILED", "WRITE_FAILED"];
    let of_files = of_files.iter().map(|(error, _)| error.code());
    let of_files = of_files.chain(of_paths.iter().map(PathError::code).filter(|code| !shared.contains(code)));
    for (codes, rows) in [
        (all().iter().map(|(error, _)| error.code()).collect::<BTreeSet<_>>(), codes::ALL),
        (of_files.collect(), crate::files::codes::ALL),
    ] {
        let mut expected: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
        // Rows of several rooms.
        expected.insert("HOME_AWAY");
        if codes.contains("TOO_LARGE") {
            expected.insert("TOO_LARGE");
        }
        assert_eq!(codes, expected);
    }
}

#[test]
fn every_failure_says_what_to_do() {
    let of_files =
        all_of_files().into_iter().map(|(error, exit)| (error.code(), error.to_string(), exit, error.into()));
    let others = all().into_iter().map(|(error, exit)| (error.code(), error.to_string(), exit, error.into()));
    for (code, message, exit, failure) in others.chain(of_files) {
        let failure: Failure = failure;
        assert!(message.contains(':'), "{message}");
        assert_eq!((failure.code, failure.exit, failure.message), (code, exit, message));
    }
}

#[test]
fn particulars_are_machine_readable() {
    let taken = Failure::from(all().swap_remove(2).0);
    let session = "ses_01010101010101010101010101010101";
    assert_eq!(taken.details, serde_json::json!({ "name": "key", "session": session }));
    assert_eq!(
        taken.message,
        format!("the name 'key' already leads to session {session}: load it, or choose another name")
    );
    let conflict = Failure::from(all().swap_remove(0).0);
    assert_eq!(conflict.details, serde_json::json!({ "session": session, "expected": 1, "head": 2 }));
    let of_files = all_of_files().into_iter().map(|(error, _)| Failure::from(error).details);
    let path = serde_json::json!({ "path": "a/b" });
    let mut expected = vec![path; 14];
    expected[0] = serde_json::json!({});
    expected[7] = serde_json::json!({ "path": "a/b", "expected": "1", "found": "2" });
    expected[10] = serde_json::json!({ "path": "a/b", "limit": 7 });
    assert_eq!(of_files.collect::<Vec<_>>(), expected);
}

#[test]
fn names_are_bounded() {
    for good in ["a", &"x".repeat(1024), &"é".repeat(512), " ", "\n"] {
        assert_eq!(Name::new(good).unwrap().as_str(), good);
    }
    for (bad, begins, problem) in [
        ("", String::new(), "it is empty"),
        ("a\0b", "a\0b".to_owned(), "it holds a NUL"),
        (&"é".repeat(513), "é".repeat(40), "it has 1026 bytes, allowed are 1024"),
    ] {
        let error = Error::InvalidName { name: begins, problem: problem.to_owned() };
        assert_eq!(Name::new(bad), Err(error));
    }
}
