#![expect(clippy::disallowed_methods, reason = "the tests look at the files that were written")]

use tempfile::TempDir;

use super::lines::LineFile;

struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }
}

#[test]
fn a_file_of_lines_ends_with_a_whole_line() {
    let folder = TestFolder::new();
    let path = folder.path("lines");
    let long = "x".repeat(40_000);
    let cases = [
        (None, None, "new\n".to_owned()),
        (Some(String::new()), None, "new\n".to_owned()),
        (Some("torn".to_owned()), None, "new\n".to_owned()),
        (Some("\n".to_owned()), Some(String::new()), "\nnew\n".to_owned()),
        (Some("a\nb\n".to_owned()), Some("b".to_owned()), "a\nb\nnew\n".to_owned()),
        (Some("a\nb\ntorn".to_owned()), Some("b".to_owned()), "a\nb\nnew\n".to_owned()),
        (Some(format!("a\n{long}\n{long}")), Some(long.clone()), format!("a\n{long}\nnew\n")),
        (Some(format!("{long}{long}\n")), Some(format!("{long}{long}")), format!("{long}{long}\nnew\n")),
    ];
    for (before, last, after) in cases {
        let _ = std::fs::remove_file(&path);
        if let Some(before) = &before {
            std::fs::write(&path, before).unwrap();
        }
        let (mut file, found) = LineFile::open(&path).unwrap();
        assert_eq!(found.map(|line| String::from_utf8(line).unwrap()), last);
        assert_eq!(std::fs::read_to_string(&path).ok(), before, "looking changes nothing");
        file.append(b"new\n").unwrap();
        assert_eq!(folder.text("lines"), after);
        file.append(b"more\n").unwrap();
        file.sync().unwrap();
        assert_eq!(folder.text("lines"), format!("{after}more\n"));
    }
}

#[test]
fn a_file_of_lines_that_somebody_else_changed_is_left_alone() {
    let folder = TestFolder::new();
    let (mut file, _) = LineFile::open(&folder.path("lines")).unwrap();
    file.append(b"a\n").unwrap();
    std::fs::write(folder.path("lines"), "other\n").unwrap();
    assert_eq!(file.append(b"b\n").unwrap_err().code(), "INPUT_CHANGED");
    assert_eq!(folder.text("lines"), "other\n");
    std::fs::remove_file(folder.path("lines")).unwrap();
    assert!(file.append(b"b\n").is_err(), "a file that was there is not made anew without its beginning");
    assert!(!folder.path("lines").exists());
}

#[cfg(unix)]
#[test]
fn a_file_of_lines_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TestFolder::new();
    LineFile::open(&folder.path("lines")).unwrap().0.append(b"a\n").unwrap();
    let mode = std::fs::metadata(folder.path("lines")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
