//! Where a file may go, and what must hold there.

use engross_write::session::{BeginOptions, State, WriteOperation};

use super::desk::{TestBench, code, problem};

#[test]
fn cases_57_59_60_paths_that_are_refused() {
    let desk = TestBench::new();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "s").unwrap();
    desk.put("folder/file", "x");
    #[cfg(unix)]
    {
        use std::os::unix::fs::symlink;
        symlink(outside.path(), desk.path("away")).unwrap();
        symlink(outside.path().join("secret"), desk.path("link")).unwrap();
        symlink("nowhere", desk.path("dangling")).unwrap();
    }
    let table = [
        ("../a", "PATH_OUTSIDE_ROOT"),
        ("a/../../b", "PATH_OUTSIDE_ROOT"),
        ("/etc/passwd", "PATH_OUTSIDE_ROOT"),
        ("away/a", "PATH_OUTSIDE_ROOT"),
        ("link", "PATH_OUTSIDE_ROOT"),
        ("dangling", "PATH_OUTSIDE_ROOT"),
        ("a\0b", "PATH_INVALID"),
        ("a/", "PATH_INVALID"),
        ("folder/file/a", "PATH_INVALID"),
        (&"n".repeat(256), "PATH_INVALID"),
        (".git/config", "PROTECTED_PATH"),
        ("x/../.GIT/config", "PROTECTED_PATH"),
        (".engross-writes/.engross-staged-x", "PROTECTED_PATH"),
        ("folder", "TARGET_IS_DIR"),
        (".", "TARGET_IS_DIR"),
        (" ", "TARGET_REQUIRED"),
    ];
    for (path, expected) in table {
        assert_eq!(code(desk.begin(path, WriteOperation::Overwrite)), expected, "{path:?}");
    }
    let mut options = BeginOptions::new("a", WriteOperation::Create);
    for (root, expected) in
        [("..", "PATH_OUTSIDE_ROOT"), ("away", "PATH_OUTSIDE_ROOT"), ("/", "PATH_OUTSIDE_ROOT")]
    {
        options.root = Some(root.to_owned());
        assert_eq!(code(desk.sessions.begin(&options)), expected, "{root:?}");
    }
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 1);
    assert_eq!(desk.contents().iter().filter(|name| name.starts_with(".engross")).count(), 0);
}

#[test]
fn a_root_is_a_folder_beneath_the_root() {
    let desk = TestBench::new();
    let id =
        desk.begun("b.txt", WriteOperation::Create, |options| options.root = Some("teams/a/".to_owned()));
    desk.send(id, "x\n").unwrap();
    assert_eq!(desk.sessions.finalise(id).unwrap().receipt.unwrap().path, "b.txt");
    assert_eq!(desk.read("teams/a/b.txt").as_deref(), Some("x\n"));
    assert_eq!(code(desk.begin("teams/a/b.txt", WriteOperation::Create)), "TARGET_EXISTS");
}

#[cfg(unix)]
#[test]
fn case_58_a_folder_that_becomes_a_link_is_not_followed() {
    use std::os::unix::fs::symlink;
    let desk = TestBench::new();
    let outside = tempfile::tempdir().unwrap();
    desk.put("sub/deep/other", "x");
    for swapped in ["sub/deep", "sub"] {
        let id = desk.begin("sub/deep/a.txt", WriteOperation::Create).unwrap().id;
        desk.send(id, "text\n").unwrap();
        std::fs::rename(desk.path(swapped), desk.path("moved")).unwrap();
        symlink(outside.path(), desk.path(swapped)).unwrap();
        let view = desk.sessions.finalise(id).unwrap();
        assert_eq!((view.state, problem(&view)), (State::Failed, Some("PATH_OUTSIDE_ROOT")));
        assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0);
        std::fs::remove_file(desk.path(swapped)).unwrap();
        std::fs::rename(desk.path("moved"), desk.path(swapped)).unwrap();
        let view = desk.sessions.finalise(id).unwrap();
        assert_eq!(view.state, State::Committed, "it is tried again");
        std::fs::remove_file(desk.path("sub/deep/a.txt")).unwrap();
    }
}

#[test]
fn cases_61_and_62_somebody_else_was_there() {
    let desk = TestBench::new();
    desk.put("old.txt", "old\n");
    let attempts = [
        ("old.txt", WriteOperation::Overwrite, "TARGET_CHANGED"),
        ("old.txt", WriteOperation::Append, "TARGET_CHANGED"),
        ("new.txt", WriteOperation::Create, "TARGET_EXISTS"),
        ("newer.txt", WriteOperation::Overwrite, "TARGET_CHANGED"),
    ];
    for (path, operation, expected) in attempts {
        let id = desk.begin(path, operation).unwrap().id;
        desk.send(id, "mine\n").unwrap();
        let theirs = format!("theirs, not {operation:?}\n");
        desk.put(path, &theirs);
        let view = desk.sessions.finalise(id).unwrap();
        assert_eq!((view.state, problem(&view)), (State::Failed, Some(expected)), "{path} {operation:?}");
        assert_eq!(desk.read(path), Some(theirs));
    }
    let mut options = BeginOptions::new("old.txt", WriteOperation::Overwrite);
    options.expect_sha256 = Some("0".repeat(64));
    assert_eq!(code(desk.sessions.begin(&options)), "TARGET_CHANGED");
    let mut options = BeginOptions::new("none.txt", WriteOperation::Overwrite);
    options.must_exist = true;
    assert_eq!(code(desk.sessions.begin(&options)), "TARGET_MISSING");
}

#[cfg(unix)]
#[test]
fn case_63_the_mode_is_kept() {
    use std::os::unix::fs::PermissionsExt;
    let desk = TestBench::new();
    desk.put("run.sh", "#!/bin/sh\n");
    std::fs::set_permissions(desk.path("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    for operation in [WriteOperation::Overwrite, WriteOperation::Append] {
        desk.write("run.sh", operation, "true\n").unwrap();
        assert_eq!(std::fs::metadata(desk.path("run.sh")).unwrap().permissions().mode() & 0o7777, 0o750);
    }
}

#[test]
fn case_55_one_file_under_any_spelling_has_one_writer() {
    let desk = TestBench::new();
    let id = desk.begin("Folder/File.txt", WriteOperation::Create).unwrap().id;
    for same in ["Folder/File.txt", "folder/file.TXT", "./x/../Folder//File.txt"] {
        assert_eq!(code(desk.begin(same, WriteOperation::Create)), "SESSION_CONFLICT", "{same}");
    }
    desk.begin("Folder/Other.txt", WriteOperation::Create).unwrap();
    desk.sessions.cancel(id).unwrap();
    desk.begin("folder/file.txt", WriteOperation::Create).unwrap();
}
