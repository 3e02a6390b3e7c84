//! What is told of a node that ends.

use std::process::Command;
use std::time::Duration;

use super::cluster::{end_of, panic_in};
use crate::faults::server::Server;

/// The script stands for a node that listens, says something and dies.
#[test]
fn an_end_is_told_with_its_signal_and_what_was_said_last() {
    let folder = std::env::temp_dir().join(format!("engross-campaign-test-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let log = folder.join("said-0.log");
    let mut command = Command::new("sh");
    command.arg("-c").arg(
        "echo before >&2; echo 'Listening at http://127.0.0.1:4321/v1 with' >&2; \
         seq 100 >&2; echo 'it has overflowed its stack' >&2; kill -ABRT $$",
    );
    let mut server = Server::start_logged(command, &folder, &log).unwrap();
    assert_eq!(server.address.port(), 4_321);
    assert!(server.ends_within(Duration::from_secs(30)));
    let told = end_of(server.end().unwrap(), &log);
    assert!(told.contains("SIGABRT") && told.contains("said-0.log"), "{told}");
    assert!(told.ends_with("\n100\nit has overflowed its stack"), "{told}");
    assert_eq!(told.lines().count(), 31, "{told}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_panic_is_found_in_what_was_said() {
    assert_eq!(panic_in("Listening\nStopping\n"), None);
    let said = "Listening\nthread 'a' (1) panicked at b.rs:1:2:\nwhy\n";
    assert_eq!(panic_in(said).as_deref(), Some("thread 'a' (1) panicked at b.rs:1:2:\nwhy"));
}
