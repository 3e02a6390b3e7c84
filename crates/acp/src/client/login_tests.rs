//! Which logins are known, and which renew themselves.

use std::ffi::OsString;

use super::login::{of_program, renewed};

#[expect(clippy::disallowed_methods, reason = "the test makes the login that another program would")]
fn put(path: &std::path::Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

#[test]
fn a_login_that_renews_itself_is_told_from_a_key() {
    let home = tempfile::tempdir().unwrap();
    let environment = vec![(OsString::from("HOME"), home.path().as_os_str().to_owned())];
    let claude = of_program("/usr/bin/claude-agent-acp");
    assert_eq!(claude.len(), 2);
    assert!(of_program("npx").is_empty() && of_program("my-agent").is_empty());
    assert_eq!(renewed(&claude, &environment), None);
    std::fs::create_dir(home.path().join(".claude")).unwrap();
    let file = home.path().join(".claude/.credentials.json");
    for (text, renews) in [
        (r#"{"apiKey":"k"}"#, false),
        (r#"{"oauth":{"refreshToken":""}}"#, false),
        (r#"{"oauth":[{"refreshToken":"r"}]}"#, true),
        (r#"{"tokens":{"refresh_token":"r"}}"#, true),
        ("no json", false),
    ] {
        put(&file, text);
        assert_eq!(renewed(&claude, &environment).is_some(), renews, "{text}");
    }
    put(&file, "{}");
    let elsewhere = tempfile::tempdir().unwrap();
    put(&elsewhere.path().join(".credentials.json"), r#"{"refresh_token":"r"}"#);
    let moved = vec![(OsString::from("CLAUDE_CONFIG_DIR"), elsewhere.path().as_os_str().to_owned())];
    assert_eq!(renewed(&claude, &moved).as_deref(), Some(".claude/.credentials.json"));
}
