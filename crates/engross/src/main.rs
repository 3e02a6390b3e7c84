//! The `engross` command line.
//!
//! Must never exit before destructors have run: they delete temporary files. Start at [`cli`], then [`dispatch`].

#![cfg_attr(
    not(feature = "server"),
    expect(dead_code, unused_imports, reason = "what only the server uses is declared all the same")
)]

mod cli;
mod codes;
mod commands;
mod compose;
mod dispatch;
mod failure;
mod files;
mod output;
mod progress;
mod settings;
mod signals;

#[cfg(test)]
mod codes_tests;
#[cfg(test)]
mod settings_tests;

use std::process::ExitCode;

fn main() -> ExitCode {
    dispatch::run(std::env::args_os().collect())
}
