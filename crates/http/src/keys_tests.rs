//! Session keys: canonical forms, and what is refused.

use engross_agent::session::SessionName;
use proptest::prelude::*;

use super::keys::{canonical, of_header, of_user};

#[test]
fn canonical_forms() {
    for (raw, expected) in [
        ("doc-123", "agent:main:doc-123"),
        ("  doc-123\t", "agent:main:doc-123"),
        ("Main", "agent:main:main"),
        ("agent:main:doc-9", "agent:main:doc-9"),
        ("Agent:Main:Doc-9", "agent:main:doc-9"),
        ("agent:other_1:a:b", "agent:other_1:a:b"),
        ("agents", "agent:main:agents"),
        ("Doc ABC/Ü %20 x", "agent:main:doc abc/ü %20 x"),
        ("a:b", "agent:main:a:b"),
        ("cronos", "agent:main:cronos"),
        ("ses_00000000000000000000000000000007", "ses_00000000000000000000000000000007"),
        ("SES_00000000000000000000000000000007", "agent:main:ses_00000000000000000000000000000007"),
    ] {
        assert_eq!(canonical(raw).as_deref(), Ok(expected), "{raw}");
    }
}

#[test]
fn refused_keys() {
    let long = "x".repeat(513);
    for (raw, part) in [
        ("", "is empty"),
        (" \t", "is empty"),
        (long.as_str(), "longer than 512 bytes"),
        ("a\u{0}b", "control characters"),
        ("agent:", "agent:AGENT:NAME"),
        ("agent:main", "agent:AGENT:NAME"),
        ("agent:main:", "agent:AGENT:NAME"),
        ("agent::x", "agent:AGENT:NAME"),
        ("agent:-a:x", "agent:AGENT:NAME"),
        ("agent:ü:x", "agent:AGENT:NAME"),
        (&format!("agent:{}:x", "a".repeat(65)), "agent:AGENT:NAME"),
        ("subagent:foo", "reserved"),
        ("Cron:x", "reserved"),
        ("acp:", "reserved"),
        ("agent:main:subagent:foo", "reserved"),
    ] {
        let error = canonical(raw).unwrap_err();
        assert_eq!((error.code(), error.status()), ("SESSION_KEY_INVALID", 400), "{raw}");
        assert!(error.to_string().contains(part), "{raw}: {error}");
    }
    assert_eq!(canonical(&long[..512]).map(|key| key.len()), Ok(512 + "agent:main:".len()));
}

#[test]
fn headers_are_utf_8() {
    let key = SessionName::Named("agent:main:ü".to_owned());
    assert_eq!(of_header("Ü".as_bytes()), Ok(key));
    let error = of_header(b"\xdc").unwrap_err();
    assert_eq!(error.to_string(), "The session key is not UTF-8. Encode it as UTF-8, or use ASCII only.");
}

#[test]
fn users_have_sessions_of_their_own() {
    assert_eq!(of_user("Conv:42"), Ok(Some(SessionName::User("conv:42".to_owned()))));
    assert_eq!(
        of_user("cron:1"),
        Ok(Some(SessionName::User("cron:1".to_owned()))),
        "behind a prefix nothing is reserved"
    );
    assert_eq!(of_user(" "), Ok(None));
    assert!(of_user(&"x".repeat(600)).is_err());
}

proptest! {
    /// A key that came back in a header leads to the same session when it is sent again.
    #[test]
    fn a_canonical_key_is_its_own(raw in "(agent:[a-z]{1,3}:)?\\PC{1,20}") {
        if let Ok(key) = canonical(&raw) {
            prop_assert_eq!(canonical(&key), Ok(key.clone()));
        }
    }
}
