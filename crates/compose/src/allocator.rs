//! How the C library gives memory back to the system: its own rule learns from large bodies that it need not, so that a server
//! keeps for good what one burst of them took. It is told at the start of a process alone, by variables.
//!
//! Must never change what was set by somebody else, nor keep a server from starting.

use std::os::unix::process::CommandExt;
use std::process::Command;

use crate::settings::{ALLOCATOR, Environment};

/// Pieces of so many bytes go back to the system one by one.
const LARGE: &str = "131072";

/// Each of them keeps what its threads have freed.
const ARENAS: (&str, &str) = ("MALLOC_ARENA_MAX", "4");

/// Begins the process anew with these variables, once. Where that cannot be done it goes on as it is.
pub fn settle(environment: &Environment) {
    if environment.get(ALLOCATOR).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        let mut arguments = std::env::args_os();
        let mut command = Command::new(program);
        if let Some(name) = arguments.next() {
            command.arg0(name);
        }
        let error = command.args(arguments).env(ALLOCATOR, LARGE).env(ARENAS.0, ARENAS.1).exec();
        // It comes back only when it failed.
        tracing::debug!("memory is given back as the system has it: {error}");
    }
}
