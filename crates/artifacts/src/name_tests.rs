use std::collections::{HashMap, HashSet};

use engross_store::files::RelPath;
use proptest::prelude::*;

use super::name::{ArtifactScope, RunId, SessionKey, segment};

/// How a file system that tells apart as little as any sees a name.
fn folded(name: &str) -> String {
    name.to_lowercase()
}

fn is_safe(name: &str) -> bool {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '_' | '-' | '~');
    let parsed = RelPath::parse(name);
    (1..=96).contains(&name.len())
        && name.chars().all(good)
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && !name.ends_with(['.', ' '])
        && parsed.is_ok_and(|path| path.as_str() == name)
}

/// Names that somebody might choose to get at another's folder.
fn hostile() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        "[a-c]{1,3}",
        "[A-C]{1,3}",
        "[./\\\\_ :~-]{1,3}",
        Just("con".to_owned()),
        Just("NUL".to_owned()),
        Just("..".to_owned()),
        Just("tasks/".to_owned()),
        Just("\0".to_owned()),
        Just("\u{e9}".to_owned()),
        Just("e\u{301}".to_owned()),
        Just("\u{202e}".to_owned()),
        Just("任务".to_owned()),
        Just("a".repeat(95)),
        "\\PC{0,8}",
        any::<String>(),
    ];
    prop::collection::vec(part, 0..7).prop_map(|parts| parts.concat())
}

#[test]
fn case_003_good_names_are_their_own_segment() {
    for key in ["run-9", "a", "draft.1", "a_b-c.d", "0", &"x".repeat(96)] {
        assert_eq!(segment(key), key);
    }
}

#[test]
fn case_003_all_other_names_keep_what_can_be_read_of_them() {
    let table = [
        ("agent:main:draft:1811-1", "agent_main_draft_1811-1~"),
        ("a/b", "a_b~"),
        ("a:b", "a_b~"),
        ("a\\//b", "a_b~"),
        ("A", "a~"),
        (" a ", "a~"),
        ("...", "scope~"),
        ("", "scope~"),
        ("任务", "scope~"),
        ("con", "scope~"),
        ("nul.txt", "scope~"),
        ("com1", "scope~"),
        ("a.", "a~"),
        (".git", "git~"),
        ("a__b", "a_b~"),
        ("a~b", "a_b~"),
    ];
    for (key, start) in table {
        let name = segment(key);
        assert!(name.starts_with(start) && name.len() == start.len() + 26, "{key:?} is {name}");
    }
}

#[test]
fn segments_do_not_change_between_versions() {
    assert_eq!(segment("agent:main:draft:1811-1"), "agent_main_draft_1811-1~v4trkoy4edodlyg3f7qftqtd4a");
}

#[test]
fn v1_keys_that_look_alike_have_different_folders() {
    let long = "k".repeat(96);
    let alike = [
        "a/b",
        "a:b",
        "a_b",
        "a\\b",
        "a//b",
        "a b",
        "A_B",
        "a_B",
        " a_b",
        "a_b.",
        "任务",
        "作业",
        "",
        "scope",
        "con",
        "CON",
        ".",
        "..",
        &long,
        &format!("{long}1"),
        &format!("{long}2"),
        "\u{e9}",
        "e\u{301}",
    ];
    let folders: HashSet<String> = alike.iter().map(|key| folded(&segment(key))).collect();
    assert_eq!(folders.len(), alike.len());
}

#[test]
fn v1_a_key_cannot_be_the_folder_of_another() {
    for key in ["a/b", "A", "任务"] {
        assert_ne!(segment(&segment(key)), segment(key), "{key}");
    }
}

#[test]
fn hundred_thousand_hostile_names_are_safe_and_apart() {
    const PARTS: [&str; 20] = [
        "a",
        "A",
        "b",
        "/",
        "\\",
        "_",
        "-",
        ".",
        "..",
        " ",
        ":",
        "~",
        "con",
        "NUL",
        "com1",
        "tasks",
        "\0",
        "e\u{301}",
        "\u{e9}",
        "aaaaaaaaaaaaaaaaaaaaaaaaa",
    ];
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut keys: HashMap<String, String> = HashMap::new();
    while keys.len() < 100_000 {
        let mut key = String::new();
        for _ in 0..random(8) {
            match random(4) {
                0 => key.extend(char::from_u32(u32::try_from(random(0x11_0000)).unwrap())),
                _ => key.push_str(PARTS[random(PARTS.len())]),
            }
        }
        let name = segment(&key);
        assert!(is_safe(&name), "{key:?} is {name:?}");
        if let Some(other) = keys.insert(folded(&name), key.clone()) {
            assert_eq!(other, key, "both are {name:?}");
        }
    }
}

proptest! {
    #[test]
    fn two_keys_never_share_a_folder(one in hostile(), other in hostile()) {
        prop_assert_eq!(one == other, folded(&segment(&one)) == folded(&segment(&other)));
    }

    #[test]
    fn a_scope_is_read_back(session in hostile(), run in hostile()) {
        let (Ok(session), Ok(run)) = (SessionKey::parse(&session), RunId::parse(&run)) else { return Ok(()) };
        let scope = ArtifactScope::of(&session, &run);
        prop_assert_eq!(ArtifactScope::parse(scope.as_str()), Ok(scope.clone()));
        prop_assert!(scope.session().is_none_or(|read| read == session));
        prop_assert!(scope.run().is_none_or(|read| read == run));
        prop_assert_eq!(scope.session().is_some(), segment(session.as_str()) == session.as_str());
    }

    #[test]
    fn what_is_no_scope_is_refused(text in hostile()) {
        if let Ok(scope) = ArtifactScope::parse(&text) {
            prop_assert!(scope.as_str().split('/').skip(1).all(is_safe));
        }
    }
}

#[test]
fn case_040_scopes_that_are_none_are_refused() {
    let table = [
        "",
        "tasks",
        "tasks/a",
        "tasks/a/b/c",
        "/tasks/a/b",
        "tasks/../b",
        "tasks/a/..",
        "tasks//b",
        "tasks/a/b/",
        "Tasks/a/b",
        "tasks/a/b\0",
        "other/a/b",
        "tasks/A/b",
        "tasks/con/b",
        "tasks/a~b/c",
        "tasks\\a\\b",
        "./tasks/a/b",
        "tasks/a /b",
    ];
    for text in table {
        let refused = ArtifactScope::parse(text).map_err(|error| error.code());
        assert_eq!(refused, Err("SCOPE_INVALID"), "{text:?}");
    }
}

#[test]
fn keys_that_are_none_are_refused() {
    for text in ["", "  ", "a\nb", "a\0", "\u{7f}", &"a".repeat(1025)] {
        assert_eq!(
            SessionKey::parse(text).map_err(|error| error.code()),
            Err("SCOPE_KEY_INVALID"),
            "{text:?}"
        );
        assert_eq!(RunId::parse(text).map_err(|error| error.code()), Err("SCOPE_KEY_INVALID"), "{text:?}");
    }
}
