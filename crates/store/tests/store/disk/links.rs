//! Links of every kind, also such that are put in place in the middle of a write.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engross_store::files::{AppendFile, Precondition, Root};

use super::{TestBench, code, path, staged};

#[test]
fn no_link_is_followed() {
    let desk = TestBench::new();
    desk.put("real/a", "old");
    let links = [
        ("absolute", desk.outside("")),
        ("climbing", "../../outside".into()),
        ("inner", "real".into()),
        ("dangling", "nowhere".into()),
        ("itself", "itself".into()),
        ("file", desk.outside("secret")),
        ("new", desk.outside("new")),
        ("proc", "/proc/self/cwd".into()),
    ];
    for (name, target) in &links {
        symlink(target, desk.at(name)).unwrap();
    }
    let before = desk.names();
    for (name, _) in &links {
        for target in [path(name), path(&format!("{name}/secret")), path(&format!("{name}/x/y"))] {
            for condition in [Precondition::Absent, Precondition::Exists, Precondition::Any] {
                let done = desk.top.write(&target, &b"new"[..], &condition);
                assert_eq!(code(done), "PATH_OUTSIDE_ROOT", "{target} {condition:?}");
                assert_eq!(code(desk.top.remove(&target, &condition)), "PATH_OUTSIDE_ROOT", "{target}");
            }
            assert_eq!(code(desk.top.read(&target, 9)), "PATH_OUTSIDE_ROOT", "{target}");
            assert_eq!(code(desk.top.info(&target)), "PATH_OUTSIDE_ROOT", "{target}");
            assert_eq!(code(desk.top.folder(&target)), "PATH_OUTSIDE_ROOT", "{target}");
            assert_eq!(code(desk.top.make_folder(&target)), "PATH_OUTSIDE_ROOT", "{target}");
            assert_eq!(code(desk.top.remove_folder(&target)), "PATH_OUTSIDE_ROOT", "{target}");
            assert_eq!(code(AppendFile::open(&desk.top, &target)), "PATH_OUTSIDE_ROOT", "{target}");
            let mut file = desk.top.stage(&staged("s")).unwrap();
            file.append(b"new").unwrap();
            let refused = file.commit(&desk.top, &target, &Precondition::Any).unwrap_err();
            assert_eq!(refused.error.code(), "PATH_OUTSIDE_ROOT", "{target}");
            refused.staged.discard().unwrap();
        }
    }
    assert_eq!((desk.names(), desk.text("real/a").as_str()), (before, "old"));
    desk.outside_is_untouched();
}

#[test]
fn removing_a_folder_removes_links_but_not_what_they_lead_to() {
    let desk = TestBench::new();
    desk.put("a/b/c", "");
    symlink(desk.outside(""), desk.at("a/link")).unwrap();
    symlink(desk.outside("secret"), desk.at("a/b/file")).unwrap();
    assert_eq!(desk.top.remove_folder(&path("a")), Ok(true));
    assert_eq!(desk.names(), Vec::<String>::new());
    desk.outside_is_untouched();
}

#[test]
fn a_log_with_a_second_name_is_refused() {
    let desk = TestBench::new();
    std::fs::hard_link(desk.outside("secret"), desk.at("log")).unwrap();
    assert_eq!(code(AppendFile::open(&desk.top, &path("log"))), "PATH_OUTSIDE_ROOT");
    desk.outside_is_untouched();
}

#[test]
fn the_root_itself_may_be_a_link() {
    let desk = TestBench::new();
    symlink(desk.at(""), desk.outside("../root")).unwrap();
    let root = Root::open(&desk.outside("../root")).unwrap();
    root.top().write(&path("a"), &b"1"[..], &Precondition::Absent).unwrap();
    assert_eq!(
        (desk.text("a").as_str(), root.top().lock_key(&path("a"))),
        ("1", desk.top.lock_key(&path("a")))
    );
    desk.put("file", "");
    let error = Root::open(&desk.at("file")).unwrap_err();
    assert!(!error.to_string().contains("deep"), "{error}");
}

#[test]
fn a_folder_that_was_moved_out_is_not_written_to() {
    struct Moving<'a>(&'a TestBench, bool);
    impl std::io::Read for Moving<'_> {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            if !std::mem::replace(&mut self.1, true) {
                std::fs::rename(self.0.at("d"), self.0.outside("moved")).unwrap();
                symlink(self.0.outside("moved"), self.0.at("d")).unwrap();
            }
            Ok(0)
        }
    }
    let desk = TestBench::new();
    desk.put("d/a", "old");
    assert_eq!(
        code(desk.top.write(&path("d/a"), Moving(&desk, false), &Precondition::Any)),
        "PATH_OUTSIDE_ROOT"
    );
    std::fs::remove_file(desk.at("d")).unwrap();
    assert_eq!(desk.names(), Vec::<String>::new());
    assert_eq!(super::tree(&desk.outside("moved")), [("a".to_owned(), b"old".to_vec())].into());
}

#[test]
fn an_unfinished_file_exchanged_for_a_link_is_not_put_in_place() {
    struct Exchanging<'a>(&'a TestBench);
    impl std::io::Read for Exchanging<'_> {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            for name in self.0.names().iter().filter(|name| name.starts_with(".engross-tmp-")) {
                std::fs::remove_file(self.0.at(name)).unwrap();
                symlink(self.0.outside("secret"), self.0.at(name)).unwrap();
            }
            Ok(0)
        }
    }
    let desk = TestBench::new();
    desk.put("a", "old");
    for condition in [Precondition::Any, Precondition::Exists] {
        assert_eq!(code(desk.top.write(&path("a"), Exchanging(&desk), &condition)), "FILE_NOT_WRITTEN");
        assert_eq!((desk.names(), desk.text("a").as_str()), (vec!["a".to_owned()], "old"));
    }
    let file = desk.top.stage(&staged("s")).unwrap();
    std::fs::remove_file(desk.at(".engross-staged-s")).unwrap();
    symlink(desk.outside("secret"), desk.at(".engross-staged-s")).unwrap();
    let refused = file.commit(&desk.top, &path("a"), &Precondition::Any).unwrap_err();
    assert_eq!((refused.error.code(), desk.text("a").as_str()), ("FILE_NOT_WRITTEN", "old"));
    assert_eq!(code(refused.staged.reader()), "PATH_OUTSIDE_ROOT");
    assert_eq!(code(desk.top.staged(&staged("s"))), "PATH_OUTSIDE_ROOT");
    desk.outside_is_untouched();
}

/// Exchanges a folder for a link to the outside, and back, as fast as it can.
fn exchange(inside: &Path, outside: &Path, stop: &AtomicBool) -> usize {
    let (aside, link) = (inside.with_extension("aside"), inside.with_extension("link"));
    let mut rounds = 0;
    while !stop.load(Ordering::Relaxed) {
        symlink(outside, &link).unwrap();
        std::fs::rename(inside, &aside).unwrap();
        // Unless a writer has made the folder anew.
        if std::fs::rename(&link, inside).is_ok() {
            std::fs::remove_file(inside).unwrap();
            rounds += 1;
        } else {
            std::fs::remove_file(&link).unwrap();
        }
        while std::fs::rename(&aside, inside).is_err() {
            let _ = std::fs::remove_dir_all(inside);
        }
    }
    rounds
}

#[test]
fn a_folder_exchanged_for_a_link_in_mid_write_leads_nowhere() {
    let desk = TestBench::new();
    desk.put("a/b/file", "old");
    let (stop, begun) = (AtomicBool::new(false), Instant::now());
    let (mut done, mut refused) = (0, 0);
    let rounds = std::thread::scope(|scope| {
        let attacker = scope.spawn(|| exchange(&desk.at("a/b"), &desk.outside(""), &stop));
        // On a busy machine the two may never meet in the shortest time.
        while begun.elapsed() < Duration::from_millis(700)
            || ((done == 0 || refused == 0) && begun.elapsed() < Duration::from_secs(30))
        {
            let mut file = desk.top.stage(&staged("s")).unwrap();
            file.append(b"staged").unwrap();
            let committed = file.commit(&desk.top, &path("a/b/secret"), &Precondition::Any);
            let committed = committed.map(drop).map_err(|refused| {
                refused.staged.discard().unwrap();
                refused.error
            });
            for result in [
                committed,
                desk.top.write(&path("a/b/new"), &b"new"[..], &Precondition::Any).map(drop),
                desk.top.write(&path("a/b/c/d/new"), &b"new"[..], &Precondition::Any).map(drop),
                desk.top.remove(&path("a/b/secret"), &Precondition::Any).map(drop),
                desk.top.remove_folder(&path("a/b/c")).map(drop),
                AppendFile::open(&desk.top, &path("a/b/log"))
                    .and_then(|mut log| log.append(b"x\n"))
                    .map(drop),
            ] {
                if result.is_ok() { done += 1 } else { refused += 1 }
            }
            if let Ok(Some((bytes, _))) = desk.top.read(&path("a/b/secret"), 99) {
                assert_eq!(bytes, b"staged", "nothing outside is read");
            }
            let listing = desk.top.list("", None, 99);
            assert!(!format!("{listing:?}").contains("outside"));
        }
        stop.store(true, Ordering::Relaxed);
        attacker.join().unwrap()
    });
    assert!(rounds > 20 && done > 0 && refused > 0, "{rounds} rounds, {done} done, {refused} refused");
    desk.outside_is_untouched();
}
