#![expect(clippy::disallowed_methods, reason = "the tests look at the disk")]

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::by_path::{check_target, is_same_file, lock_folder, read, write, write_private};

struct TestFolder(TempDir);

impl TestFolder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        std::fs::write(folder.path("a"), "old").unwrap();
        folder
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

    fn code(&self, name: &str) -> Result<(), &'static str> {
        write(&self.path(name), b"new", None).map_err(|error| error.code())
    }
}

#[test]
fn a_file_is_made_and_replaced_and_nothing_else_is_left() {
    let folder = TestFolder::new();
    assert_eq!((folder.code("b"), folder.code("b"), folder.code("a")), (Ok(()), Ok(()), Ok(())));
    assert_eq!(
        (folder.names(), folder.text("a"), folder.text("b")),
        (vec!["a".to_owned(), "b".to_owned()], "new".to_owned(), "new".to_owned())
    );
}

#[test]
fn what_cannot_be_written_is_refused_and_leaves_nothing() {
    let folder = TestFolder::new();
    std::fs::create_dir(folder.path("folder")).unwrap();
    for name in ["folder", "missing/b", "a/b"] {
        assert_eq!(folder.code(name), Err("WRITE_FAILED"), "{name}");
    }
    assert_eq!(folder.names(), ["a", "folder"]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let folder = TestFolder::new();
    let code = |path: &Path, limit| read(path, limit).unwrap_err().code();
    assert_eq!(code(&folder.path("b"), 10), "NOT_FOUND");
    assert_eq!(code(&folder.path("a/b"), 10), "NOT_FOUND");
    assert_eq!(code(folder.0.path(), 10), "IS_A_DIRECTORY");
    assert_eq!(code(&folder.path("a"), 2), "FILE_TOO_LARGE");
    assert_eq!(read(&folder.path("a"), 3).unwrap().0, b"old");
}

#[test]
fn a_file_that_someone_else_changed_is_not_replaced() {
    let folder = TestFolder::new();
    let path = folder.path("a");
    let code = |stamp| write(&path, b"new", Some(stamp)).unwrap_err().code();
    let (_, stamp) = read(&path, 10).unwrap();
    write(&path, b"new", Some(&stamp)).unwrap();
    assert_eq!(code(&stamp), "INPUT_CHANGED", "it is another file now");
    let (_, stamp) = read(&path, 10).unwrap();
    std::fs::write(&path, "theirs").unwrap();
    assert_eq!(code(&stamp), "INPUT_CHANGED");
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code(&stamp), "INPUT_CHANGED");
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn a_folder_is_for_one_process_at_a_time() {
    let folder = TestFolder::new();
    let lock = lock_folder(folder.0.path()).unwrap();
    assert!(lock.is_some() && lock_folder(folder.0.path()).unwrap().is_none());
    drop(lock);
    assert!(lock_folder(folder.0.path()).unwrap().is_some());
}

#[cfg(unix)]
mod unix {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o7777
    }

    #[test]
    fn a_replaced_file_keeps_its_mode_and_a_new_one_has_the_usual() {
        let folder = TestFolder::new();
        std::fs::write(folder.path("usual"), "").unwrap();
        for wanted in [0o600, 0o640, 0o664, 0o444, 0o666] {
            set_mode(&folder.path("a"), wanted);
            folder.code("a").unwrap();
            assert_eq!(mode(&folder.path("a")), wanted);
        }
        folder.code("b").unwrap();
        assert_eq!(mode(&folder.path("b")), mode(&folder.path("usual")));
    }

    #[test]
    fn a_replaced_file_keeps_its_owner_and_group() {
        let folder = TestFolder::new();
        let path = folder.path("a");
        // Only root may give files away.
        if chown(&path, Some(1234), Some(4321)).is_err() {
            return;
        }
        set_mode(&path, 0o6750);
        folder.code("a").unwrap();
        let metadata = std::fs::metadata(&path).unwrap();
        assert_eq!((metadata.uid(), metadata.gid(), metadata.mode() & 0o7777), (1234, 4321, 0o6750));
        assert_eq!(folder.text("a"), "new");
    }

    #[test]
    fn a_private_file_is_its_owners_alone_whatever_was_there() {
        let folder = TestFolder::new();
        set_mode(&folder.path("a"), 0o666);
        for name in ["a", "b"] {
            write_private(&folder.path(name), b"token").unwrap();
            assert_eq!((mode(&folder.path(name)), folder.text(name)), (0o600, "token".to_owned()), "{name}");
        }
        assert_eq!(folder.names(), ["a", "b"]);
    }

    #[test]
    fn what_a_link_leads_to_is_replaced_and_the_link_stays() {
        let folder = TestFolder::new();
        symlink("a", folder.path("link")).unwrap();
        symlink("link", folder.path("far")).unwrap();
        folder.code("far").unwrap();
        assert!(folder.path("link").is_symlink() && folder.path("far").is_symlink());
        assert_eq!(folder.text("a"), "new");
        symlink("nowhere", folder.path("dangling")).unwrap();
        folder.code("dangling").unwrap();
        assert!(folder.path("dangling").is_file() && !folder.path("nowhere").exists());
        assert!(!folder.path("dangling").is_symlink(), "a link that leads nowhere is replaced itself");
    }

    #[test]
    fn a_further_name_of_a_replaced_file_keeps_the_old_bytes() {
        let folder = TestFolder::new();
        std::fs::hard_link(folder.path("a"), folder.path("hard")).unwrap();
        assert!(is_same_file(&folder.path("a"), &folder.path("hard")));
        folder.code("a").unwrap();
        assert_eq!((folder.text("a").as_str(), folder.text("hard").as_str()), ("new", "old"));
        assert!(!is_same_file(&folder.path("a"), &folder.path("hard")));
    }

    #[test]
    fn any_name_can_be_written() {
        let folder = TestFolder::new();
        let path = folder.0.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9 \n.docx"));
        // Some file systems take no such names.
        if std::fs::write(&path, "old").is_ok() {
            write(&path, b"new", None).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"new");
        }
    }

    #[test]
    fn a_device_is_no_place_for_a_file() {
        assert_eq!(write(Path::new("/dev/null"), b"new", None).unwrap_err().code(), "WRITE_FAILED");
        assert_eq!(check_target(Path::new("/dev/null")).unwrap_err().code(), "WRITE_FAILED");
        assert!(!Path::new("/dev/null").is_file());
    }
}

#[cfg(target_os = "linux")]
mod attributes {
    use rustix::fs::{XattrFlags, getxattr, setxattr};

    use super::*;

    fn get(path: &Path, name: &str) -> Option<Vec<u8>> {
        let mut value = vec![0; 1024];
        let length = getxattr(path, name, value.as_mut_slice()).ok()?;
        Some(value[..length].to_vec())
    }

    #[test]
    fn a_replaced_file_keeps_its_attributes() {
        let folder = TestFolder::new();
        let path = folder.path("a");
        // Not every file system has them.
        if setxattr(&path, "user.note", b"signed copy", XattrFlags::empty()).is_ok() {
            write(&path, b"new", None).unwrap();
            assert_eq!(get(&path, "user.note").unwrap(), b"signed copy");
        }
    }

    /// An access list: the owner's rights, those of one user, of the group, the mask and of others.
    fn list(user: u32, rights: [u16; 5]) -> Vec<u8> {
        let tags = [(0x01_u16, u32::MAX), (0x02, user), (0x04, u32::MAX), (0x10, u32::MAX), (0x20, u32::MAX)];
        let mut bytes = 2_u32.to_le_bytes().to_vec();
        for ((tag, id), rights) in tags.into_iter().zip(rights) {
            bytes.extend([tag.to_le_bytes(), rights.to_le_bytes()].concat());
            bytes.extend(id.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn a_replaced_file_keeps_its_access_list_and_gets_none_of_its_folder() {
        const ACCESS: &str = "system.posix_acl_access";
        let folder = TestFolder::new();
        let path = folder.path("a");
        let default = list(4321, [7, 7, 7, 7, 0]);
        if setxattr(folder.0.path(), "system.posix_acl_default", &default, XattrFlags::empty()).is_err() {
            return;
        }
        write(&path, b"new", None).unwrap();
        assert_eq!(get(&path, ACCESS), None, "the file had none, so nobody may read it who could not before");
        let own = list(1234, [6, 4, 0, 4, 0]);
        setxattr(&path, ACCESS, &own, XattrFlags::empty()).unwrap();
        write(&path, b"newer", None).unwrap();
        assert_eq!(get(&path, ACCESS).unwrap(), own);
    }
}
