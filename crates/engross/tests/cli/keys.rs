//! Keys: made, listed, revoked, read again while a server runs, and refused when their file cannot be trusted.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::desk::{ENGROSS, TestBench};
use crate::owners::{add_key, until};
use crate::serve::Server;

fn keys(data: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let ran = Command::new(ENGROSS).arg("keys").args(arguments).arg("--data").arg(data).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code(), text(ran.stdout), text(ran.stderr))
}

#[test]
fn a_key_is_shown_once_and_kept_as_its_hash() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let key = add_key(&data, "pane", "ann", "read");
    assert!(key.starts_with("engross_") && key.len() == "engross_".len() + 64, "{key}");
    let file = std::fs::read_to_string(data.join("keys.json")).unwrap();
    assert!(!file.contains(&key[8..]) && file.contains("\"sha256\""), "{file}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(data.join("keys.json")), mode(data.clone())), (0o600, 0o700));
    }
    let (_, listed, _) = keys(&data, &["list", "--json"]);
    assert!(
        listed.contains("\"ann\"") && listed.contains("\"read\"") && !listed.contains("sha256"),
        "{listed}"
    );
    for (arguments, problem) in [
        (&["add", "pane"][..], "already"),
        (&["add", "a b"], "name of a key"),
        (&["add", "x", "--owner", "../x"], "owner"),
        (&["add", "x", "--owner", "Ann"], "owner"),
        (&["add", "x", "--owner", "con"], "owner"),
        (&["add", "x", "--right", "all"], "right"),
        (&["revoke", "nobody"], "KEY_UNKNOWN"),
    ] {
        let (code, _, said) = keys(&data, arguments);
        assert!(code != Some(0) && said.contains(problem), "{arguments:?}: {code:?} {said}");
    }
    assert_eq!(keys(&data, &["revoke", "pane"]).0, Some(0));
    assert!(keys(&data, &["list"]).1.contains("There are no keys"));
}

#[test]
fn keys_that_are_made_at_once_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let count = 24;
    std::thread::scope(|scope| {
        for number in 0..count {
            let data = &data;
            scope.spawn(move || add_key(data, &format!("key-{number}"), "default", "write"));
        }
    });
    assert_eq!(keys(&data, &["list"]).1.lines().count(), count);
    std::thread::scope(|scope| {
        for number in 0..count / 2 {
            let data = &data;
            scope.spawn(move || assert_eq!(keys(data, &["revoke", &format!("key-{number}")]).0, Some(0)));
        }
    });
    assert_eq!(keys(&data, &["list"]).1.lines().count(), count / 2);
}

/// A server whose words go into a file.
struct LoggedServer {
    child: Child,
    log: PathBuf,
    server: Server,
}

impl LoggedServer {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let log = folder.join("log");
        let child = Command::new(ENGROSS)
            .args(["serve", "--listen", "127.0.0.1:0", "--data"])
            .arg(folder.join("data"))
            .args(arguments)
            .env_remove("ENGROSS_TOKEN")
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut address = None;
        until("the server listens", || {
            let said = std::fs::read_to_string(&log).unwrap();
            address =
                said.split("http://").nth(1).and_then(|rest| Some(rest.split_once("/v1")?.0.to_owned()));
            address.is_some()
        });
        Self { child, log, server: Server::of(address.unwrap()) }
    }

    fn hang_up(&self) {
        assert!(
            Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status().unwrap().success()
        );
    }

    fn status(&self, key: &str) -> u16 {
        let authorization = format!("Bearer {key}");
        self.server.send("GET", "/v1/models", &[("authorization", &authorization)], b"").unwrap().0
    }

    /// Sends SIGHUP and waits for what the server says of it.
    fn reload(&self, expected: &str) {
        let before = std::fs::read_to_string(&self.log).unwrap().len();
        self.hang_up();
        until(expected, || std::fs::read_to_string(&self.log).unwrap()[before..].contains(expected));
    }
}

impl Drop for LoggedServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn keys_come_and_go_while_the_server_runs_and_a_broken_file_changes_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let told = LoggedServer::start(folder.path(), &["--model", "rules"]);
    assert_eq!(told.status("nothing"), 200, "without keys everybody on this machine may come in");
    let first = add_key(&data, "first", "ann", "write");
    told.reload("The keys were read again");
    assert_eq!((told.status(&first), told.status("nothing")), (200, 401));
    let file = data.join("keys.json");
    let good = std::fs::read_to_string(&file).unwrap();
    for (broken, mode) in [
        ("{", 0o600),
        (good.replace("write", "wirte").as_str(), 0o600),
        (good.replace("\"ann\"", "\"../ann\"").as_str(), 0o600),
        (good.as_str(), 0o644),
    ] {
        std::fs::write(&file, broken).unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        told.reload("the old keys stay");
        assert_eq!((told.status(&first), told.status("nothing")), (200, 401), "{broken}");
    }
    std::fs::remove_file(&file).unwrap();
    told.reload("the old keys stay");
    assert_eq!((told.status(&first), told.status("nothing")), (200, 401));
    std::fs::write(&file, &good).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    let second = add_key(&data, "second", "bob", "read");
    assert_eq!(keys(&data, &["revoke", "first"]).0, Some(0));
    told.reload("The keys were read again");
    assert_eq!((told.status(&first), told.status(&second)), (401, 200));
    assert_eq!(keys(&data, &["revoke", "second"]).0, Some(0));
    told.reload("The keys were read again");
    assert_eq!((told.status(&second), told.status("nothing")), (401, 401), "no key is no open door");
}

#[cfg(unix)]
#[test]
fn a_server_does_not_start_with_keys_that_others_can_read() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    add_key(&data, "k", "ann", "write");
    std::fs::set_permissions(data.join("keys.json"), std::fs::Permissions::from_mode(0o640)).unwrap();
    let said = Server::try_start(folder.path(), &["--model", "rules"]).err().unwrap();
    assert!(said.contains("NOT_PRIVATE") && said.contains("640"), "{said}");
}

#[test]
fn other_machines_are_let_in_with_a_key_alone() {
    let desk = TestBench::new();
    let folder = desk.path("server");
    std::fs::create_dir(&folder).unwrap();
    let key = add_key(&folder.join("data"), "k", "default", "write");
    let server = Server::try_start(&folder, &["--model", "rules", "--listen", "0.0.0.0:0"]).unwrap();
    let local = Server::of(server.address().replace("0.0.0.0", "127.0.0.1"));
    let authorization = format!("Bearer {key}");
    assert_eq!(local.send("GET", "/v1/models", &[("authorization", &authorization)], b"").unwrap().0, 200);
    assert_eq!(local.send("GET", "/v1/models", &[], b"").unwrap().0, 401);
}
