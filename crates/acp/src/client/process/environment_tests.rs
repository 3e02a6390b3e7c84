use std::ffi::OsString;

use super::environment::{allowed, secrets};

fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
}

#[test]
fn only_usual_and_named_ones_are_passed_on() {
    let parent = environment(&[
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("DATABASE_URL", "postgres://u:p@h"),
        ("ENGROSS_TOKEN", "t"),
        ("GEMINI_API_KEY", "g"),
        ("OPENAI_API_KEY", "o"),
        ("OPENAI_API_KEY_2", "o"),
        ("LD_PRELOAD", "/tmp/evil.so"),
    ]);
    let pass = ["GEMINI_*".to_owned(), "OPENAI_API_KEY".to_owned()];
    assert_eq!(
        allowed(&parent, &pass).collect::<Vec<_>>(),
        environment(&[("PATH", "/bin"), ("LC_ALL", "C"), ("GEMINI_API_KEY", "g"), ("OPENAI_API_KEY", "o")])
    );
}

#[test]
fn secrets_are_known_by_their_names() {
    let parent = environment(&[
        ("OPENAI_API_KEY", "sk-123456"),
        ("github_token", "ghp_abcdef"),
        ("HOME", "/home/somebody"),
        ("SHORT_KEY", "x"),
    ]);
    assert_eq!(secrets(&parent), ["sk-123456", "ghp_abcdef"]);
}
