#![expect(clippy::disallowed_methods, reason = "the tests look at the files that were written")]

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::files::{Destination, LineFile, Target, read_input};

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().unwrap());
        std::fs::write(desk.path("a.docx"), "old").unwrap();
        desk
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Writes "new" about `a.docx`; gives the code of what went wrong.
    fn write(&self, target: Target<'_>) -> Result<PathBuf, &'static str> {
        let (input, _) = read_input(&self.path("a.docx")).unwrap();
        let destination = Destination::of(&input, target).map_err(|error| error.code())?;
        destination.write(b"new").map_err(|error| error.code())?;
        Ok(destination.path().to_owned())
    }
}

#[test]
fn a_result_goes_beside_the_document_and_replaces_an_earlier_one() {
    let desk = Desk::new();
    for _ in 0..2 {
        assert_eq!(desk.write(Target::Beside("redline")), Ok(desk.path("a.redline.docx")));
    }
    assert_eq!(desk.names(), ["a.docx", "a.redline.docx"]);
    assert_eq!((desk.text("a.docx").as_str(), desk.text("a.redline.docx").as_str()), ("old", "new"));
}

#[test]
fn in_place_replaces_the_document() {
    let desk = Desk::new();
    assert_eq!(desk.write(Target::InPlace), Ok(desk.path("a.docx")));
    assert_eq!((desk.names(), desk.text("a.docx").as_str()), (vec!["a.docx".to_owned()], "new"));
}

#[test]
fn in_place_does_not_replace_what_someone_else_has_changed() {
    let desk = Desk::new();
    let (input, _) = read_input(&desk.path("a.docx")).unwrap();
    let destination = Destination::of(&input, Target::InPlace).unwrap();
    std::fs::write(desk.path("a.docx"), "theirs").unwrap();
    assert_eq!(destination.write(b"new").unwrap_err().code(), "INPUT_CHANGED");
    std::fs::remove_file(desk.path("a.docx")).unwrap();
    assert_eq!(destination.write(b"new").unwrap_err().code(), "INPUT_CHANGED");
    assert_eq!(desk.names(), Vec::<String>::new());
}

#[test]
fn the_document_is_never_the_output() {
    let desk = Desk::new();
    assert_eq!(desk.write(Target::File(&desk.path("a.docx"))), Err("OUTPUT_IS_INPUT"));
    assert_eq!(desk.write(Target::File(&desk.path("./a.docx"))), Err("OUTPUT_IS_INPUT"));
    assert_eq!(desk.text("a.docx"), "old");
}

#[test]
fn what_cannot_be_written_is_refused() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("folder")).unwrap();
    assert_eq!(desk.write(Target::File(&desk.path("folder"))), Err("WRITE_FAILED"));
    assert_eq!(desk.write(Target::File(&desk.path("missing/b.docx"))), Err("WRITE_FAILED"));
    assert_eq!(desk.names(), ["a.docx", "folder"]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let desk = Desk::new();
    let code = |path: &Path| read_input(path).unwrap_err().code();
    assert_eq!(code(&desk.path("b.docx")), "NOT_FOUND");
    assert_eq!(code(&desk.path("a.docx/b.docx")), "NOT_FOUND");
    assert_eq!(code(desk.0.path()), "IS_A_DIRECTORY");
    // Takes no room on the disk.
    let huge = std::fs::File::create(desk.path("huge.docx")).unwrap();
    huge.set_len((512 << 20) + 1).unwrap();
    assert_eq!(code(&desk.path("huge.docx")), "FILE_TOO_LARGE");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn links_to_the_document_are_the_document() {
        let desk = Desk::new();
        symlink(desk.path("a.docx"), desk.path("soft.docx")).unwrap();
        std::fs::hard_link(desk.path("a.docx"), desk.path("hard.docx")).unwrap();
        for link in ["soft.docx", "hard.docx"] {
            assert_eq!(desk.write(Target::File(&desk.path(link))), Err("OUTPUT_IS_INPUT"), "{link}");
        }
        assert_eq!(desk.text("a.docx"), "old");
    }

    #[test]
    fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
        let desk = Desk::new();
        std::fs::write(desk.path("b.docx"), "other").unwrap();
        symlink(desk.path("b.docx"), desk.path("link.docx")).unwrap();
        desk.write(Target::File(&desk.path("link.docx"))).unwrap();
        assert!(desk.path("link.docx").is_symlink());
        assert_eq!(desk.text("b.docx"), "new");
    }

    #[test]
    fn a_device_is_no_place_for_a_document() {
        assert_eq!(Desk::new().write(Target::File(Path::new("/dev/null"))), Err("WRITE_FAILED"));
        assert!(!Path::new("/dev/null").is_file());
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions_and_a_new_one_has_the_usual() {
        let desk = Desk::new();
        std::fs::set_permissions(desk.path("a.docx"), std::fs::Permissions::from_mode(0o640)).unwrap();
        desk.write(Target::InPlace).unwrap();
        assert_eq!(mode(&desk.path("a.docx")), 0o640);
        desk.write(Target::Beside("redline")).unwrap();
        std::fs::write(desk.path("usual"), "").unwrap();
        assert_eq!(mode(&desk.path("a.redline.docx")), mode(&desk.path("usual")));
    }
}

#[test]
fn a_file_of_lines_ends_with_a_whole_line() {
    let desk = Desk::new();
    let path = desk.path("lines");
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
        assert_eq!(desk.text("lines"), after);
        file.append(b"more\n").unwrap();
        file.sync().unwrap();
        assert_eq!(desk.text("lines"), format!("{after}more\n"));
    }
}

#[test]
fn a_file_of_lines_that_somebody_else_changed_is_left_alone() {
    let desk = Desk::new();
    let (mut file, _) = LineFile::open(&desk.path("lines")).unwrap();
    file.append(b"a\n").unwrap();
    std::fs::write(desk.path("lines"), "other\n").unwrap();
    assert_eq!(file.append(b"b\n").unwrap_err().code(), "INPUT_CHANGED");
    assert_eq!(desk.text("lines"), "other\n");
    std::fs::remove_file(desk.path("lines")).unwrap();
    assert!(file.append(b"b\n").is_err(), "a file that was there is not made anew without its beginning");
    assert!(!desk.path("lines").exists());
}

#[cfg(unix)]
#[test]
fn a_file_of_lines_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    LineFile::open(&desk.path("lines")).unwrap().0.append(b"a\n").unwrap();
    let mode = std::fs::metadata(desk.path("lines")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
