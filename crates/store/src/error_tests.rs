//! Codes, their pages, and what leaves engross.

use std::collections::BTreeSet;

use engross_protocol::{Exit, Failure, SessionId};

use crate::types::{Fence, Name};
use crate::{CODES, Error};

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
    ]
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the pages")]
fn every_code_is_listed_and_explained() {
    let codes: Vec<&str> = all().iter().map(|(error, _)| error.code()).collect();
    assert_eq!(codes, CODES);
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    for code in CODES {
        let path = format!("{}/../../docs/errors/{code}.md", env!("CARGO_MANIFEST_DIR"));
        let page = std::fs::read_to_string(&path).unwrap();
        assert!(page.starts_with(&format!("# {code}\n")), "{code}: the title");
        assert!(page.contains("\n## Why\n") && page.contains("\n## What to do\n"), "{code}: the headings");
    }
}

#[test]
fn every_failure_says_what_to_do() {
    for (error, exit) in all() {
        let (code, message) = (error.code(), error.to_string());
        assert!(message.contains(':'), "{message}");
        let failure = Failure::from(error);
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
