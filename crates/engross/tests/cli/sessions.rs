//! `engross sessions`: what is stored can be looked at, taken elsewhere, and deleted so that no file holds it any more.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::desk::{ENGROSS, Ran, ran};
use crate::owners::{add_key, until};
use crate::serve::Server;

fn sessions(data: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(ENGROSS);
    command.arg("sessions").args(arguments).arg("--data").arg(data).env_remove("ENGROSS_TOKEN");
    command.env("ENGROSS_CONFIG", data.parent().unwrap().join("engross.toml"));
    ran(command.output().unwrap())
}

/// A server on which Ann and the default owner have said something under one key.
fn talked(folder: &Path) -> Server {
    std::fs::write(folder.join("engross.toml"), "").unwrap();
    let key = add_key(&folder.join("data"), "ann-1", "ann", "write");
    let arguments =
        ["--model", "rules", "--token", "t", "--transcripts", &folder.join("told").display().to_string()];
    let server = Server::try_start(folder, &arguments).unwrap();
    for (secret, said) in [("t", "OWNWORDS here"), (&key, "ANNSWORDS here")] {
        let authorization = format!("Bearer {secret}");
        let headers = [("authorization", authorization.as_str()), ("x-engross-session-key", "matter")];
        let body = json!({"messages": [{"role": "user", "content": said}]});
        assert_eq!(server.post("/v1/chat/completions", &headers, &body).unwrap().0, 200);
    }
    server
}

/// The files beneath a folder that hold some words.
fn holding(folder: &Path, words: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(holding(&path, words));
        } else if std::fs::read(&path).unwrap_or_default().windows(words.len()).any(|part| part == words) {
            found.push(path);
        }
    }
    found
}

#[test]
fn what_is_stored_is_listed_shown_and_exported_by_owner() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = talked(folder.path());
    let listed = sessions(&data, &["list", "--json"]).json();
    let rows: Vec<(&str, &str)> = listed["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["owner"].as_str().unwrap(), row["key"].as_str().unwrap()))
        .collect();
    assert_eq!(rows, [("ann", "agent:main:matter"), ("default", "agent:main:matter")]);
    assert_eq!(sessions(&data, &["list", "--owner", "ann"]).stdout.lines().count(), 1);
    let shown = sessions(&data, &["show", "matter", "--owner", "ann"]).stdout;
    assert!(shown.contains("ANNSWORDS") && !shown.contains("OWNWORDS"), "{shown}");
    let exported = sessions(&data, &["export", "matter"]).stdout;
    let lines: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.len() >= 4 && lines[0]["entry"]["event"] == "opened", "{exported}");
    assert!(exported.contains("OWNWORDS") && !exported.contains("ANNSWORDS"));
    for (arguments, code) in [
        (&["show", "nothing"][..], "SESSION_UNKNOWN"),
        (&["show", "matter", "--owner", "../x"], "USAGE"),
        (&["list", "--store", "memory"], "USAGE"),
    ] {
        let refused = sessions(&data, arguments);
        assert!(refused.code != Some(0) && refused.stderr.contains(code), "{arguments:?}: {refused:?}");
    }
    let nowhere = sessions(&folder.path().join("nowhere"), &["list"]);
    assert!(nowhere.stderr.contains("NOT_FOUND") && !folder.path().join("nowhere").exists(), "{nowhere:?}");
    drop(server);
}

#[test]
fn what_is_deleted_is_in_no_file_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = talked(folder.path());
    until("transcripts are written", || holding(&folder.path().join("told"), b"ANNSWORDS").len() == 1);
    assert!(!holding(&data, b"ANNSWORDS").is_empty() && !holding(&data, b"OWNWORDS").is_empty());
    // The server has told its transcripts' folder by a flag; the command reads it in the settings.
    let told = format!("[serve]\ntranscripts = \"{}\"\n", folder.path().join("told").display());
    std::fs::write(folder.path().join("engross.toml"), told).unwrap();
    let deleted = sessions(&data, &["delete", "matter", "--owner", "ann", "--json"]);
    assert_eq!(
        (deleted.code, deleted.json()["deleted"].as_array().unwrap().len()),
        (Some(0), 1),
        "{deleted:?}"
    );
    let refused = sessions(&data, &["show", "matter", "--owner", "ann"]);
    assert!(refused.stderr.contains("SESSION_UNKNOWN"), "{refused:?}");
    // The other one of that key is as it was, also for the server that runs.
    let headers = [("authorization", "Bearer t")];
    let (status, body) = server.send("GET", "/v1/sessions/matter", &headers, b"").unwrap();
    assert!(status == 200 && String::from_utf8_lossy(&body).contains("OWNWORDS"));
    let (_, rest) = server.send("DELETE", "/v1/sessions/matter", &headers, b"").unwrap();
    assert!(String::from_utf8_lossy(&rest).contains("\"deleted\":true"));
    until("the server's own deletion reaches its transcripts", || {
        holding(&folder.path().join("told"), b"WORDS").is_empty()
    });
    drop(server);
    // Ending, SQLite puts away what it kept beside the file.
    let again = Server::try_start(folder.path(), &["--model", "rules", "--token", "t"]).unwrap();
    drop(again);
    let left: Vec<PathBuf> =
        [&b"ANNSWORDS"[..], b"OWNWORDS"].iter().flat_map(|words| holding(folder.path(), words)).collect();
    assert_eq!(left, Vec::<PathBuf>::new());
}

/// Every command on what is stored, asked for one owner with all the names that another one's session has.
#[test]
fn no_command_for_one_owner_reaches_anything_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    drop(talked(folder.path()));
    let listed = sessions(&data, &["list", "--json", "--owner", "ann"]).json();
    let id = listed["sessions"][0]["id"].as_str().unwrap().to_owned();
    let help = ran(Command::new(ENGROSS).args(["sessions", "--help"]).output().unwrap()).stdout;
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let commands: Vec<&str> =
        commands.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next()).collect();
    assert_eq!(
        commands,
        ["list", "show", "export", "delete", "copy", "help"],
        "a new one is to be tried below, too"
    );
    let to = folder.path().join("stolen").display().to_string();
    for owner in ["bob", "default"] {
        for name in ["matter", "agent:main:matter", &id] {
            for command in ["show", "export", "delete"] {
                let told = sessions(&data, &[command, name, "--owner", owner]);
                // The default owner has one of this name, too.
                let is_own = owner == "default" && name != id;
                assert!(
                    is_own || told.stderr.contains("SESSION_UNKNOWN"),
                    "{owner} {command} {name}: {told:?}"
                );
                assert!(
                    !told.stdout.contains("ANNSWORDS") && !told.stdout.contains(&id),
                    "{command}: {told:?}"
                );
            }
        }
        let all =
            [&["list"][..], &["list", "--json"], &["delete", "--older-than", "0"], &["copy", "--to", &to]];
        for arguments in all {
            let told = sessions(&data, &[arguments, &["--owner", owner]].concat());
            assert_eq!(told.code, Some(0), "{told:?}");
            assert!(!told.stdout.contains(&id) && !told.stdout.contains("ANNSWORDS"), "{told:?}");
        }
    }
    assert_eq!(holding(&folder.path().join("stolen"), b"ANNSWORDS"), Vec::<PathBuf>::new());
    let shown = sessions(&data, &["show", &id, "--owner", "ann"]).stdout;
    assert!(shown.contains("ANNSWORDS"), "hers is there still: {shown}");
}

#[test]
fn sessions_move_to_another_store_and_go_on_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    drop(talked(folder.path()));
    let target = tempfile::tempdir().unwrap();
    let to = target.path().join("data");
    for expected in ["2 copied, 0 were there, 0 left", "0 copied, 2 were there, 0 left"] {
        let copied = sessions(&data, &["copy", "--to", to.to_str().unwrap()]);
        assert!(copied.code == Some(0) && copied.stdout.contains(expected), "{copied:?}");
    }
    let server = Server::try_start(target.path(), &["--model", "rules", "--token", "t"]).unwrap();
    let headers = [("authorization", "Bearer t"), ("x-engross-session-key", "matter")];
    let more = json!({"messages": [{"role": "user", "content": "and more"}]});
    assert_eq!(server.post("/v1/chat/completions", &headers, &more).unwrap().0, 200);
    let (_, body) = server.send("GET", "/v1/sessions/matter", &headers, b"").unwrap();
    let body = String::from_utf8_lossy(&body).into_owned();
    assert!(body.contains("OWNWORDS") && body.contains("and more"), "{body}");
    drop(server);
    let again = sessions(&data, &["copy", "--to", to.to_str().unwrap()]);
    assert!(
        again.code == Some(1) && again.stderr.contains("SESSION_TAKEN"),
        "it has gone on there: {again:?}"
    );
}

/// The same between a file and a database, and back: it goes on in each.
#[cfg(feature = "cluster")]
#[test]
fn sessions_move_to_a_database_and_back() {
    let Some(url) = engross_testkit::postgres::shared() else { return };
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    drop(talked(folder.path()));
    for expected in ["2 copied, 0 were there, 0 left", "0 copied, 2 were there, 0 left"] {
        let copied = sessions(&data, &["copy", "--to", url]);
        assert!(copied.code == Some(0) && copied.stdout.contains(expected), "{copied:?}");
    }
    let server =
        Server::try_start(folder.path(), &["--model", "rules", "--token", "t", "--store", url]).unwrap();
    let headers = [("authorization", "Bearer t"), ("x-engross-session-key", "matter")];
    let more = json!({"messages": [{"role": "user", "content": "and more"}]});
    assert_eq!(server.post("/v1/chat/completions", &headers, &more).unwrap().0, 200);
    drop(server);
    let back = folder.path().join("back");
    let copied = sessions(&data, &["copy", "--store", url, "--to", back.to_str().unwrap()]);
    assert!(copied.code == Some(0) && copied.stdout.contains("2 copied"), "{copied:?}");
    let shown = sessions(&back, &["show", "matter"]).stdout;
    assert!(shown.contains("OWNWORDS") && shown.contains("and more"), "{shown}");
    let shown = sessions(&back, &["show", "matter", "--owner", "ann"]).stdout;
    assert!(shown.contains("ANNSWORDS") && !shown.contains("OWNWORDS"), "{shown}");
    let deleted = sessions(&data, &["delete", "matter", "--store", url, "--json"]);
    assert_eq!(deleted.code, Some(0), "{deleted:?}");
}
