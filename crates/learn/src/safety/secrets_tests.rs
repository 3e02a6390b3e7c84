//! Secrets that must go, and text that must stay. All of them are made up.

use proptest::prelude::*;

use super::{PersonalData, redact};

fn kept(text: &str) -> String {
    redact(text, PersonalData::Keep).into_owned()
}

#[test]
fn case_72_secrets_become_placeholders() {
    let random = "q7Zr2LmX9vTbK4sWnC8yHd3GfJ6pAeUu";
    for (text, secret, kind) in [
        (format!("key sk-ant-api03-{random} end"), format!("sk-ant-api03-{random}"), "api_key"),
        (format!("ghp_{random}abcd"), format!("ghp_{random}abcd"), "api_key"),
        ("AKIAIOSFODNN7EXAMPLE".to_owned(), "AKIAIOSFODNN7EXAMPLE".to_owned(), "api_key"),
        (
            format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{random}"),
            format!("eyJzdWIiOiIxIn0.{random}"),
            "jwt",
        ),
        ("postgres://app:hunter2secret@db:5432/x".to_owned(), "hunter2secret".to_owned(), "url_password"),
        (format!("Authorization: Bearer {random}"), random.to_owned(), "bearer"),
        ("\"password\": \"Tr0ub4dor&3\"".to_owned(), "Tr0ub4dor".to_owned(), "password"),
        ("DB_PASSWORD=correct-horse-battery".to_owned(), "correct-horse-battery".to_owned(), "password"),
        (format!("1234567890:AAH{random}"), format!("AAH{random}"), "bot_token"),
        (format!("value {random}"), random.to_owned(), "entropy"),
        (
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----".to_owned(),
            "MIIEow".to_owned(),
            "pem",
        ),
        ("-----BEGIN PRIVATE KEY-----\nMIIEow cut".to_owned(), "MIIEow".to_owned(), "pem"),
    ] {
        let shown = kept(&text);
        assert!(!shown.contains(&secret), "{text} became {shown}");
        assert!(shown.contains(&format!("[REDACTED {kind} ")), "{text} became {shown}");
        assert_eq!(kept(&shown), shown, "twice is once");
        assert_eq!(kept(&text), shown, "the same each time");
    }
}

#[test]
fn text_that_is_no_secret_stays() {
    for text in [
        "commit 3f45e5c0a1b2c3d4e5f60718293a4b5c6d7e8f90",
        "id 550e8400-e29b-41d4-a716-446655440000",
        "/srv/app/target/release/deps/libengross_learn.rlib",
        "fn token(secret: &str) -> Token",
        "password: required",
        "export API_KEY=$OPENAI_API_KEY",
        "the_quick_brown_fox_jumps_over_the_lazy_dog",
        "https://example.org/path?x=1",
        "tokens: 1200",
    ] {
        assert_eq!(kept(text), text);
    }
}

#[test]
fn case_78_personal_data_goes_unless_it_is_to_stay() {
    for text in [
        "write to jane.doe@example.org",
        "telegram:987654321",
        "\"chat_id\": 987654321",
        "call +49 170 1234567",
    ] {
        assert!(redact(text, PersonalData::Redact).contains("[REDACTED "), "{text}");
        assert_eq!(kept(text), text);
    }
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing_more(text in "(password=|token: |sk-|[A-Za-z0-9_.:@/+-]|\\[|\\]| |\"){0,60}") {
        let once = redact(&text, PersonalData::Redact).into_owned();
        prop_assert_eq!(redact(&once, PersonalData::Redact).into_owned(), once);
    }
}
