//! Folders that want to be read as more than they are.
#![cfg(unix)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

use engross_artifacts::{ArtifactQuery, PageRequest};

use super::{TestBench, paths, run, session, tree, write};

#[test]
fn v6_hard_links_to_files_outside_are_neither_listed_nor_read() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    std::fs::hard_link(desk.beside("outside/secret.pdf"), desk.within(&scope, "stolen.pdf")).unwrap();
    let manifest = desk.manifest(&scope);
    assert_eq!((paths(&manifest), manifest.warnings.len()), (vec![], 1));
    let wanted = ArtifactQuery {
        artifact_scope: Some(scope.name().as_str()),
        relative_path: Some("stolen.pdf"),
        ..Default::default()
    };
    assert_eq!(desk.refusal(&scope, wanted), "ARTIFACT_REFUSED");
}

#[test]
fn v6_hard_links_within_the_scope_are_files() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let path = desk.put(&scope, "a.pdf", "a");
    std::fs::create_dir(desk.within(&scope, "x")).unwrap();
    std::fs::hard_link(&path, desk.within(&scope, "x/b.pdf")).unwrap();
    assert_eq!(desk.manifest(&scope).files.len(), 2);
    let read = |path| {
        let artifact_scope = Some(scope.name().as_str());
        desk.refusal(
            &scope,
            ArtifactQuery { artifact_scope, relative_path: Some(path), ..Default::default() },
        )
    };
    assert_eq!([read("a.pdf"), read("x/b.pdf")], ["opened", "opened"]);
    // A third name in a folder that is not looked through is one too many.
    std::fs::create_dir(desk.within(&scope, ".git")).unwrap();
    std::fs::hard_link(&path, desk.within(&scope, ".git/c")).unwrap();
    assert_eq!(desk.manifest(&scope).files.len(), 0);
}

#[test]
fn case_041_links_are_refused_wherever_they_stand() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "real/a.md", "a");
    symlink(desk.beside("outside/secret.pdf"), desk.within(&scope, "file.pdf")).unwrap();
    symlink(desk.beside("outside"), desk.within(&scope, "dir")).unwrap();
    symlink("real", desk.within(&scope, "inner")).unwrap();
    symlink(".", desk.within(&scope, "loop")).unwrap();
    for path in ["file.pdf", "dir/secret.pdf", "inner/a.md", "loop/real/a.md"] {
        let artifact_scope = Some(scope.name().as_str());
        let wanted = ArtifactQuery { artifact_scope, relative_path: Some(path), ..Default::default() };
        assert_eq!(desk.refusal(&scope, wanted), "ARTIFACT_REFUSED", "{path}");
    }
}

#[test]
fn case_041_a_link_in_place_of_the_scope_or_above_it_is_refused() {
    for part in ["tasks", "tasks/s", "tasks/s/r"] {
        let desk = TestBench::new();
        let scope = desk.scope("s", "r");
        std::fs::remove_dir_all(desk.at(part)).unwrap();
        symlink(desk.beside("outside"), desk.at(part)).unwrap();
        let before = desk.all_but(&scope);
        let (key, id) = (session("s"), run("r"));
        let prepared = desk.workspace.prepare(&key, &id, &[]).map(|_| ());
        assert_eq!(prepared.map_err(|error| error.code()), Err("PATH_OUTSIDE_ROOT"), "{part}");
        let opened = desk.workspace.open(&key, &id, None).map(|_| ());
        assert_eq!(opened.map_err(|error| error.code()), Err("PATH_OUTSIDE_ROOT"), "{part}");
        assert_eq!(desk.all_but(&scope), before);
    }
}

#[test]
fn special_files_are_skipped_and_nobody_waits_for_them() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let mode = rustix::fs::Mode::from_raw_mode(0o644);
    rustix::fs::mknodat(rustix::fs::CWD, desk.within(&scope, "pipe"), rustix::fs::FileType::Fifo, mode, 0)
        .unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(desk.within(&scope, "s")).unwrap();
    desk.put(&scope, "a", "a");
    let manifest = desk.manifest(&scope);
    assert_eq!((paths(&manifest), manifest.warnings.len()), (vec!["a"], 2));
    let artifact_scope = Some(scope.name().as_str());
    let wanted = ArtifactQuery { artifact_scope, relative_path: Some("pipe"), ..Default::default() };
    assert_eq!(desk.refusal(&scope, wanted), "ARTIFACT_REFUSED");
}

#[test]
fn v8_odd_names_are_exported_and_read_back() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let names: [&[u8]; 16] = [
        b"back\\slash.txt",
        b"line\nbreak",
        b"tab\t",
        b"C:x",
        b"nul.txt",
        b"dot.",
        b" blank ",
        b"-rf",
        b"*",
        b"%41",
        b"quote\"'",
        b"latin-\xe4.txt",
        b"\xff",
        "mark-\u{fffd}41".as_bytes(),
        "\u{202e}fdp.exe".as_bytes(),
        b"folder\\\xfe/in\xc3ner.md",
    ];
    for (number, name) in names.iter().enumerate() {
        write(&desk.within(&scope, "").join(OsStr::from_bytes(name)), format!("content {number}"));
    }
    let page = desk.page(&scope, PageRequest { inline: Some(100), ..Default::default() });
    let texts: std::collections::BTreeSet<_> =
        page.artifacts.iter().map(|artifact| &artifact.relative_path).collect();
    assert_eq!((page.artifacts.len(), texts.len(), page.warnings.len()), (16, 16, 0), "{:?}", page.warnings);
    for artifact in &page.artifacts {
        let by_ref = ArtifactQuery { artifact_ref: Some(&artifact.artifact_ref), ..Default::default() };
        let by_path = ArtifactQuery {
            artifact_scope: Some(scope.name().as_str()),
            relative_path: Some(&artifact.relative_path),
            ..Default::default()
        };
        for wanted in [by_ref, by_path] {
            let open = desk.open(&scope, wanted).unwrap();
            assert_eq!(open.sha256(), artifact.sha256, "{:?}", artifact.relative_path);
        }
    }
    let text = |part: &str| texts.iter().any(|text| text.as_str() == part);
    assert!(text("back\\slash.txt") && text("latin-\u{fffd}E4.txt"), "{texts:?}");
}

#[test]
fn deep_folders_are_looked_through_as_far_as_a_path_reaches() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let mut folder = std::fs::File::open(desk.within(&scope, "")).unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o755);
    for depth in 0..2_500 {
        if depth % 100 == 0 {
            let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
            let file = rustix::fs::openat(&folder, "f", flags, mode).unwrap();
            std::io::Write::write_all(&mut std::fs::File::from(file), b"x").unwrap();
        }
        rustix::fs::mkdirat(&folder, "d", mode).unwrap();
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::RDONLY;
        folder = rustix::fs::openat(&folder, "d", flags, mode).unwrap().into();
    }
    let manifest = desk.manifest(&scope);
    assert_eq!(manifest.files.len(), 21, "those with paths of up to 4096 bytes");
    assert_eq!(manifest.warnings.len(), 1, "{:?}", manifest.warnings);
    let deepest = manifest.files.iter().map(|file| file.relative_path.as_str()).max_by_key(|path| path.len());
    let artifact_scope = Some(scope.name().as_str());
    assert_eq!(
        desk.refusal(&scope, ArtifactQuery { artifact_scope, relative_path: deepest, ..Default::default() }),
        "opened"
    );
    // The removal of a temporary folder does not reach so deep by itself.
    desk.workspace.remove(&session("s"), &run("r")).unwrap();
}

#[test]
fn many_strange_names_do_not_fill_the_memory_with_warnings() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    (0..500).for_each(|number| symlink("x", desk.within(&scope, &format!("{number}"))).unwrap());
    let warnings = desk.manifest(&scope).warnings;
    assert_eq!((warnings.len(), warnings.last().unwrap().as_str()), (101, "and 400 more like these"));
}

/// Somebody exchanges a folder for a link to the outside, over and over, while the scope is exported and read.
#[test]
fn a_race_for_a_folder_never_leads_outside() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let (folder, aside) = (desk.within(&scope, "x"), desk.within(&scope, "aside"));
    write(&folder.join("secret.pdf"), "mine");
    let before = desk.all_but(&scope);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|threads| {
        threads.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                std::fs::rename(&folder, &aside).unwrap();
                symlink(desk.beside("outside"), &folder).unwrap();
                std::fs::remove_file(&folder).unwrap();
                std::fs::rename(&aside, &folder).unwrap();
            }
        });
        let mut seen = 0;
        for _ in 0..400 {
            let page = desk.page(&scope, PageRequest { inline: Some(100), ..Default::default() });
            for artifact in page.artifacts {
                assert!(artifact.content.is_none_or(|content| content == "bWluZQ=="));
                assert_eq!(artifact.size_bytes, 4);
                seen += 1;
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(seen > 0);
    });
    assert_eq!(desk.all_but(&scope), before);
}

#[test]
fn what_cannot_be_read_is_a_warning_and_the_rest_is_there() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "a", "a");
    desk.put(&scope, "locked/b", "b");
    let locked = desk.within(&scope, "locked");
    let mode = |mode| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&locked, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0);
    let manifest = desk.manifest(&scope);
    mode(0o755);
    let all = if rustix::process::geteuid().is_root() { (2, 0) } else { (1, 1) };
    assert_eq!((manifest.files.len(), manifest.warnings.len()), all, "{:?}", manifest.warnings);
    assert!(!tree(&desk.within(&scope, "")).is_empty());
}
