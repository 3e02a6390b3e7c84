use proptest::prelude::*;

use super::DiskPath;
use super::disk_path::{name_of, text_of};

#[test]
fn ordinary_names_are_their_own_text() {
    for text in ["a.md", "a/b c/d", "umlaut-ä", "a\\b", "C:x", "line\nbreak", "%41", "...", "~"] {
        if cfg!(unix) {
            assert_eq!(DiskPath::parse(text).map(DiskPath::into_text).as_deref(), Ok(text));
        }
    }
}

#[test]
fn paths_that_could_lead_out_or_mean_nothing_are_refused() {
    let table = [
        ("", "TARGET_REQUIRED"),
        ("/a", "PATH_OUTSIDE_ROOT"),
        ("..", "PATH_OUTSIDE_ROOT"),
        ("a/../b", "PATH_OUTSIDE_ROOT"),
        ("a/.", "PATH_OUTSIDE_ROOT"),
        ("a/", "PATH_INVALID"),
        ("a//b", "PATH_INVALID"),
        ("a\0", "PATH_INVALID"),
        (".engross-tmp-1", "PROTECTED_PATH"),
        ("a/.engross-staged-x", "PROTECTED_PATH"),
        ("\u{fffd}", "PATH_INVALID"),
        ("\u{fffd}4", "PATH_INVALID"),
        ("\u{fffd}ff", "PATH_INVALID"),
        ("\u{fffd}+1", "PATH_INVALID"),
        ("\u{fffd}2E", "PATH_INVALID"),
        ("\u{fffd}2F", "PATH_INVALID"),
        ("\u{fffd}00", "PATH_INVALID"),
        ("\u{fffd}C3\u{fffd}A4", "PATH_INVALID"),
    ];
    for (text, code) in table {
        assert_eq!(DiskPath::parse(text).map_err(|error| error.code()), Err(code), "{text:?}");
    }
    assert!(DiskPath::parse(&"a/".repeat(2048)).is_err());
    assert!(DiskPath::parse(&"a".repeat(DiskPath::MAX + 1)).is_err());
}

#[cfg(unix)]
proptest! {
    #[test]
    fn a_name_comes_back_from_its_text(bytes in prop::collection::vec(prop_oneof![any::<u8>(), Just(0xef), Just(0xbf), Just(0xbd), Just(b'A')], 0..12)) {
        use std::os::unix::ffi::{OsStrExt, OsStringExt};

        let name = std::ffi::OsString::from_vec(bytes);
        let text = text_of(&name).unwrap();
        let back = name_of(&text).unwrap();
        prop_assert_eq!(back.as_bytes(), name.as_bytes());
        let is_text = name.to_str().is_some_and(|name| !name.contains('\u{fffd}'));
        prop_assert_eq!(name.to_str() == Some(&*text), is_text);
    }

    #[test]
    fn two_texts_never_name_one_file(one in "(\u{fffd}|[A-F0-9e/]|é){0,6}", other in "(\u{fffd}|[A-F0-9e/]|é){0,6}") {
        if let (Ok(one), Ok(other)) = (DiskPath::parse(&one), DiskPath::parse(&other)) {
            let names = |path: &DiskPath| path.components().map(|part| name_of(part).unwrap().into_owned()).collect::<Vec<_>>();
            prop_assert_eq!(one == other, names(&one) == names(&other));
        }
    }
}
