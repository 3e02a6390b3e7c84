//! Somebody else at the same folder, who means ill.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use super::server::{Server, code};

#[test]
fn case_58_a_folder_is_swapped_for_a_link_all_the_time() {
    let server = Server::start();
    let outside = tempfile::tempdir().unwrap();
    let (real, hidden, link) = (server.path("sub"), server.path("hidden"), server.path("link"));
    std::fs::create_dir(&real).unwrap();
    symlink(outside.path(), &link).unwrap();
    let stop = AtomicBool::new(false);
    let mut written = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = std::fs::rename(&real, &hidden);
                let _ = std::fs::rename(&link, &real);
                std::thread::yield_now();
                let _ = std::fs::rename(&real, &link);
                let _ = std::fs::rename(&hidden, &real);
                std::thread::sleep(std::time::Duration::from_micros(300));
            }
        });
        for n in 0..150 {
            let (status, begun) =
                server.begin(&json!({"target_file": format!("sub/{n}.txt"), "operation": "overwrite"}));
            if status != 201 {
                continue;
            }
            let id = begun["session_id"].as_str().unwrap();
            server.content(id, 0, "text\n");
            written += usize::from(server.finalise(id).1["state"] == "committed");
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(std::fs::read_dir(outside.path()).unwrap().count(), 0, "nothing outside");
    assert!(written > 0, "the attack lets some through");
}

#[test]
fn the_spool_cannot_be_named_and_a_link_in_its_place_is_not_followed() {
    let server = Server::start();
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "create"}));
    for name in
        [format!(".engross-writes/.engross-staged-{id}-0"), ".ENGROSS-writes/.Engross-Staged-x".to_owned()]
    {
        let answer = server.begin(&json!({"target_file": name, "operation": "overwrite"}));
        assert_eq!(code(&answer), (403, "PROTECTED_PATH"), "{name}");
    }
    server.content(&id, 0, "text\n");
    let spool = server.path(&format!(".engross-writes/.engross-staged-{id}-0"));
    let secret = server.folder.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    std::fs::remove_file(&spool).unwrap();
    symlink(&secret, &spool).unwrap();
    let answer = server.finalise(&id);
    assert!(answer.1["receipt"].is_null(), "{answer:?}");
    assert_eq!(
        (server.read("a.txt"), std::fs::read_to_string(&secret).unwrap()),
        (None, "secret".to_owned())
    );
}

#[test]
fn a_target_that_becomes_a_link_a_pipe_or_a_folder_is_not_written() {
    let server = Server::start();
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    std::fs::write(&victim, "safe").unwrap();
    type Make = fn(&std::path::Path, &std::path::Path);
    let attacks: [(Make, &str); 3] = [
        (|at, victim| symlink(victim, at).unwrap(), "PATH_OUTSIDE_ROOT"),
        (|at, _| std::fs::create_dir(at).unwrap(), "TARGET_IS_DIR"),
        (
            |at, _| assert!(std::process::Command::new("mkfifo").arg(at).status().unwrap().success()),
            "PATH_INVALID",
        ),
    ];
    for (n, (attack, expected)) in attacks.into_iter().enumerate() {
        let target = format!("{n}.txt");
        let (id, _) = server.begun(&json!({"target_file": target, "operation": "overwrite"}));
        server.content(&id, 0, "mine\n");
        attack(&server.path(&target), &victim);
        assert_eq!(code(&server.finalise(&id)).1, expected);
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "safe");
    }
}

/// There is no room, the old file stays, nothing else does.
#[test]
fn case_64_and_65_a_full_disk_leaves_the_old_file_and_nothing_else() {
    let server = Server::limited(Some(512));
    server.put("a.txt", "old\n");
    let (id, _) = server.begun(&json!({"target_file": "a.txt", "operation": "overwrite"}));
    let answer = server.content(&id, 0, "x".repeat(2 << 20));
    assert_eq!(code(&answer), (507, "NO_SPACE"));
    assert_eq!((server.read("a.txt").as_deref(), server.spooled()), (Some("old\n"), Vec::new()));
    assert_eq!(server.look(&id).1["state"], "failed");
    // What is appended has room, both together have not.
    server.put("b.txt", "y".repeat(400 << 10));
    let (id, _) = server.begun(&json!({"target_file": "b.txt", "operation": "append"}));
    assert_eq!(server.content(&id, 0, "z".repeat(200 << 10)).0, 200);
    assert_eq!(code(&server.finalise(&id)), (507, "NO_SPACE"));
    assert_eq!((server.read("b.txt").unwrap().len(), server.spooled()), (400 << 10, Vec::new()));
    let (id, marker) = server.begun(&json!({"target_file": "a.txt", "operation": "overwrite"}));
    assert_eq!(server.content(&id, 0, format!("new\n{marker}\n")).1["state"], "committed");
}
