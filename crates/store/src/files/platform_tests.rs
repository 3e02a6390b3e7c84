//! Both ways to take a name that must be free.
#![expect(clippy::disallowed_methods, reason = "the tests look at the disk")]

use std::io::{self, ErrorKind};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::platform::{link_new, rename_new};

type Rename = fn(&Dir, &str, &Dir, &Path) -> io::Result<()>;

#[test]
fn a_free_name_is_taken_and_any_other_is_left() {
    for rename in [rename_new as Rename, link_new] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("d")).unwrap();
        std::fs::write(at("file"), "theirs").unwrap();
        std::os::unix::fs::symlink("nowhere", at("link")).unwrap();
        std::fs::write(at("d/new"), "new").unwrap();
        let top = Dir::open_ambient_dir(folder.path(), ambient_authority()).unwrap();
        let inner = top.open_dir("d").unwrap();
        for taken in ["file", "link", "d"] {
            let error = rename(&inner, "new", &top, Path::new(taken)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{taken}");
        }
        assert_eq!(rename(&inner, "gone", &top, Path::new("free")).unwrap_err().kind(), ErrorKind::NotFound);
        rename(&inner, "new", &top, Path::new("free")).unwrap();
        let text = |name: &str| std::fs::read_to_string(at(name)).unwrap();
        assert_eq!((text("free").as_str(), text("file").as_str()), ("new", "theirs"));
        assert!(!at("d/new").exists() && at("link").is_symlink());
    }
}
