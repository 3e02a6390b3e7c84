//! Running other programs, loudly.

use std::process::Command;

use crate::{Error, Result, say};

/// Runs a command; anything but success is an error.
///
/// # Errors
/// When it cannot be started, or fails.
pub fn run_command(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    say(&format!("> {shown}"));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Error::Command { command: shown, how: format!("ended with {status}") }),
        Err(error) => Err(Error::Command { command: shown, how: format!("could not be started: {error}") }),
    }
}
