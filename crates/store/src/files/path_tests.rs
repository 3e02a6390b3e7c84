//! Every class of path, and what holds of all of them.

use proptest::prelude::*;

use super::path::RelPath;

fn parse(text: &str) -> Result<String, &'static str> {
    RelPath::parse(text).map(|path| path.as_str().to_owned()).map_err(|error| error.code())
}

#[test]
fn good_paths_take_their_normal_form() {
    for (text, normal) in [
        ("a", "a"),
        ("a/b.md", "a/b.md"),
        ("./a//b", "a/b"),
        ("a/./b", "a/b"),
        ("a/../b", "b"),
        ("a/b/../../c", "c"),
        (".git/../a", "a"),
        (" a", " a"),
        (".hidden", ".hidden"),
        (".gitignore", ".gitignore"),
        (".github/workflows/a.yml", ".github/workflows/a.yml"),
        ("git", "git"),
        ("..a/...b", "..a/...b"),
        ("~/a", "~/a"),
        ("$HOME/*?", "$HOME/*?"),
        ("%2e%2e/a", "%2e%2e/a"),
        ("12:30.md", "12:30.md"),
        ("console", "console"),
        ("com0", "com0"),
        ("com10.txt", "com10.txt"),
        ("a.con", "a.con"),
        ("日本語/العربية/👩‍👩‍👧.md", "日本語/العربية/👩‍👩‍👧.md"),
        ("e\u{301}.md", "e\u{301}.md"),
    ] {
        assert_eq!(parse(text).as_deref(), Ok(normal), "{text:?}");
    }
}

#[test]
fn bad_paths_have_a_class() {
    for (code, texts) in [
        ("TARGET_REQUIRED", &["", " ", "\t\n", "\u{3000}"][..]),
        (
            "PATH_OUTSIDE_ROOT",
            &[
                "..",
                "../a",
                "a/../../b",
                "a/b/../../../c",
                "./..",
                "../.git/config",
                "/",
                "/etc/passwd",
                "//a",
                "C:\\a",
                "c:/a",
                "C:",
                "./C:/a",
                "\\\\server\\share",
                "\\a",
                "/../a",
                "x:y",
            ],
        ),
        (
            "PATH_INVALID",
            &[
                "a\0b",
                "a\nb",
                "a\u{7f}",
                "a\u{85}b",
                "a/",
                "./",
                "a/../",
                "a\\b",
                "..\\a",
                "a/CON",
                "nul",
                "NUL.txt",
                "Com1.tar.gz",
                "lpt9",
                "aux .md",
                "COM¹",
                "conin$",
                "con:x",
                "a.",
                "a./b",
                "...",
                "a ",
                "a /b",
                "a\u{a0}",
                "b/\u{3000}",
            ],
        ),
        ("TARGET_IS_DIR", &[".", "./.", "a/..", "a/.", "a/b/.."]),
        (
            "PROTECTED_PATH",
            &[
                ".git",
                ".git/config",
                "a/.git/hooks/x",
                ".GIT/config",
                ".Git",
                "./.git",
                "a/../.git",
                "git~1/config",
                "GIT~1",
                ".g\u{200c}it/config",
                ".git\u{feff}",
                ".git::$INDEX_ALLOCATION/config",
                ".engross-tmp-1-1",
                "a/.engross-staged-x",
                ".Engross-Tmp-1",
            ],
        ),
    ] {
        for text in texts {
            assert_eq!(parse(text), Err(code), "{text:?}");
        }
    }
}

#[test]
fn lengths_are_bounded_in_bytes() {
    assert_eq!(parse(&"a".repeat(255)), Ok("a".repeat(255)));
    assert_eq!(parse(&"a".repeat(256)), Err("PATH_INVALID"));
    assert_eq!(parse(&"é".repeat(128)), Err("PATH_INVALID"));
    let longest = format!("{}bb", "a/".repeat(511));
    assert_eq!(longest.len(), 1024);
    assert_eq!(parse(&longest), Ok(longest.clone()));
    assert_eq!(parse(&format!("{longest}b")), Err("PATH_INVALID"));
    let message = RelPath::parse(&"x".repeat(9999)).unwrap_err().to_string();
    assert!(message.len() < 400, "{message}");
}

#[test]
fn messages_show_control_characters_as_text() {
    let message = RelPath::parse("a\u{1b}[2J\nb").unwrap_err().to_string();
    assert_eq!(
        message,
        "'a\\u{1b}[2J\\nb' cannot name a file (it has a control character): choose another path"
    );
}

#[test]
fn other_spellings_of_one_file_are_folded_together() {
    let folded = |text: &str| RelPath::parse(text).unwrap().folded();
    for (one, other) in [
        ("A/B.md", "a/b.MD"),
        ("e\u{301}", "\u{e9}"),
        ("É", "e\u{301}"),
        ("straße", "STRASSE"),
        ("ΣΑΣ", "σας"),
        ("./a//b", "A/B"),
        ("\u{212a}", "k"),
    ] {
        assert_eq!(folded(one), folded(other), "{one:?} {other:?}");
    }
    for (one, other) in [("a/b", "ab"), ("a", "b"), ("a b", "ab"), ("e", "é")] {
        assert_ne!(folded(one), folded(other), "{one:?} {other:?}");
    }
}

#[test]
fn paths_are_taken_apart_and_joined() {
    let path = RelPath::parse("a/b/c").unwrap();
    assert_eq!((path.name(), path.parent().unwrap().as_str()), ("c", "a/b"));
    assert_eq!(path.components().collect::<Vec<_>>(), ["a", "b", "c"]);
    assert_eq!(RelPath::parse("c").unwrap().parent(), None);
    assert_eq!(path.join(&path).unwrap().as_str(), "a/b/c/a/b/c");
    let long = RelPath::parse(&"a/".repeat(300).repeat(2)[..1023]).unwrap();
    assert_eq!(long.join(&long).unwrap_err().code(), "PATH_INVALID");
}

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "/", "/", "/", ".", "..", "a", "b", ".git", "C:", "\\", " ", "nul", "\0", "~", "é", "e\u{301}", "\u{200d}",
            ".engross-tmp-", "\u{3000}",
        ])
        .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn a_normal_form_is_a_fixed_point_and_stays_beneath(text in texts()) {
        if let Ok(path) = RelPath::parse(&text) {
            prop_assert_eq!(RelPath::parse(path.as_str()), Ok(path.clone()));
            let below = std::path::Path::new("/root").join(path.as_str());
            prop_assert!(below.starts_with("/root"));
            prop_assert!(below.components().skip(2).all(|part| matches!(part, std::path::Component::Normal(_))));
            prop_assert_eq!(below.components().count(), 2 + path.components().count());
        }
    }

    #[test]
    fn spellings_that_fold_alike_are_refused_alike(text in texts()) {
        if let Ok(path) = RelPath::parse(&text)
            && let Ok(folded) = RelPath::parse(&path.folded())
        {
            prop_assert_eq!(folded.folded(), path.folded());
        }
    }
}
