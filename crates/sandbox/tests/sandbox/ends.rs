//! Nothing outlives the program, the one who watches, or the one who started it.

use std::process::{Command, Stdio};

use engross_sandbox::{Quota, VARIABLE, WatchOrder, WatchStage};

use super::fixture::{WATCHER, World, is_alive, python, soon};

const FOLDER: &str = "ENGROSS_TEST_FOLDER";

/// Starts daemons with an empty environment, and stays.
const DAEMONS: &str = "
import subprocess, sys, time
late = [sys.executable, '-c', 'import time; time.sleep(300)', sys.argv[1]]
for _ in range(3):
    subprocess.Popen(late, env={}, start_new_session=True)
subprocess.Popen(['sh', '-c', '(\"$@\" &)', 'sh', *late], env={}, start_new_session=True)
open('ready', 'w').close()
time.sleep(300)";

/// The process that starts the one who watches, and is killed.
#[test]
#[ignore = "started by the other tests"]
fn starter() {
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let mut words = folder.split('\n').map(str::to_owned);
    let (folder, marker, python) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
    let order = WatchOrder {
        stage: WatchStage::Watch,
        parent: std::process::id(),
        again: Vec::new(),
        program: python.into(),
        arguments: ["-c", DAEMONS, &marker].map(str::to_owned).to_vec(),
        mark: ("ENGROSS_AGENT".to_owned(), "test.1".to_owned()),
        fence: None,
        quota: Quota::default(),
        grouped: true,
    };
    let mut child =
        Command::new(WATCHER).env(VARIABLE, order.text().unwrap()).current_dir(folder).spawn().unwrap();
    child.wait().unwrap();
}

#[test]
fn killing_the_one_who_started_it_ends_all() {
    let world = World::new();
    let told = format!("{}\n{}\n{}", world.path("scope").display(), world.marker(), python());
    let mut starter = Command::new(std::env::current_exe().unwrap())
        .args(["ends::starter", "--exact", "--ignored", "--nocapture"])
        .env(FOLDER, told)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    soon("the daemons are there", || world.path("scope/ready").exists() && world.left().len() >= 5);
    starter.kill().unwrap();
    starter.wait().unwrap();
    soon("nothing is left", || world.left().is_empty());
}

#[test]
fn asking_the_one_who_watches_ends_all() {
    let world = World::new();
    let python = python();
    let marker = world.marker();
    let mut watching = world.start(&[&python, "-c", DAEMONS, &marker], None, Quota::default());
    soon("the daemons are there", || world.path("scope/ready").exists() && world.left().len() >= 5);
    let watcher = i32::try_from(watching.id()).unwrap();
    assert!(is_alive(watcher));
    Command::new("kill").args(["-TERM", &watcher.to_string()]).status().unwrap();
    watching.wait().unwrap();
    assert!(world.left().is_empty());
}

#[test]
fn an_order_is_void_for_another_parent() {
    let world = World::new();
    let order = WatchOrder {
        stage: WatchStage::Watch,
        parent: 1,
        again: Vec::new(),
        program: "/bin/touch".into(),
        arguments: vec!["made".to_owned()],
        mark: ("ENGROSS_AGENT".to_owned(), "test.1".to_owned()),
        fence: None,
        quota: Quota::default(),
        grouped: true,
    };
    for text in [order.text().unwrap(), "{}".to_owned(), String::new()] {
        let mut command = Command::new(WATCHER);
        command.env(VARIABLE, text).current_dir(world.path("scope")).stdout(Stdio::null());
        assert_eq!(command.status().unwrap().code(), Some(125));
    }
    assert!(!world.path("scope/made").exists());
}
