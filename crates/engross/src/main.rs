//! The `engross` command line.
//!
//! Must never exit before destructors have run: they delete temporary files. Start at [`cli`], then [`dispatch`].

#![cfg_attr(
    not(feature = "server"),
    expect(dead_code, unused_imports, reason = "what only the server uses is declared all the same")
)]

mod cli;
mod commands;
mod dispatch;
mod output;
mod progress;

#[cfg(test)]
mod codes_tests;

use std::process::ExitCode;

fn main() -> ExitCode {
    dispatch::run(std::env::args_os().collect())
}
