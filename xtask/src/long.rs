//! Long runs of tests that are short by default.
//!
//! Must never hold a rule of its own: the tests judge.

use std::process::Command;

use crate::{Result, root, run_command};

/// Random interleavings against the rules of sessions, so many.
pub(crate) fn random_sessions(sessions: u32) -> Result<()> {
    run_command(
        Command::new(env!("CARGO"))
            .env("ENGROSS_RANDOM_SESSIONS", sessions.to_string())
            .current_dir(root())
            .args(["test", "--profile", "ci", "--package", "engross-agent", "--lib", "random_sessions_hold"])
            .args(["--", "--nocapture"]),
    )
}

/// Tasks that wait for a gateway, so many, over restarts and a clock that jumps; and hostile names of files, so many.
pub(crate) fn tasks_at_length(queued: u32, names: u32) -> Result<()> {
    run_command(
        Command::new(env!("CARGO"))
            .env("ENGROSS_QUEUED_TASKS", queued.to_string())
            .env("ENGROSS_HOSTILE_NAMES", names.to_string())
            .current_dir(root())
            .args([
                "test",
                "--profile",
                "ci",
                "--package",
                "engross-artifacts",
                "--package",
                "engross-tasks",
                "--tests",
                "at_length",
            ])
            .args(["--", "--nocapture"]),
    )
}

/// Client libraries as they are published, against the server.
pub(crate) fn clients() -> Result<()> {
    run_command(
        Command::new(env!("CARGO"))
            .args(["build", "--profile", "ci", "--package", "engross", "--features", "engross/full"])
            .current_dir(root()),
    )?;
    run_command(Command::new("tests/clients/run").arg("--with-aider").current_dir(root()))
}

/// The gate, and then what is too long for it. What a chore prints are its figures.
pub(crate) fn ci_full() -> Result<()> {
    run_command(Command::new("bash").arg(".ci/run").current_dir(root()))?;
    let chores: [&[&str]; 17] = [
        &["test"],
        &["web-at-length"],
        &["write-matrix"],
        &["write-streams"],
        &["write-habits"],
        &["random-sessions"],
        &["tasks-at-length"],
        &["faults"],
        &["campaign", "--faults", "300"],
        &["clients"],
        &["random", "--seconds", "600"],
        &["fuzz", "--seconds", "60"],
        &["bench"],
        &["wasm"],
        &["python"],
        &["dist", "--profile", "release"],
        &["dist", "--try"],
    ];
    for chore in chores {
        let mut command = Command::new(env!("CARGO"));
        command.arg("xtask").args(chore).current_dir(root());
        if chore == ["test"] {
            command.env("ENGROSS_REQUIRE", "wasm,judge,soffice,postgres,pgbouncer,node,chromium,moto");
        }
        run_command(&mut command)?;
    }
    Ok(())
}
