//! The `engross` command line.
//!
//! Must never exit before destructors have run: they delete temporary files. Start at [`cli`], then [`commands`].

mod change;
mod cli;
mod commands;
mod exports;
mod failure;
mod files;
mod output;
mod progress;
mod report;
mod serve;
mod settings;
mod signals;
mod tasks;
#[cfg(feature = "otel")]
mod telemetry;

#[cfg(test)]
mod change_tests;
#[cfg(test)]
mod codes_tests;
#[cfg(test)]
mod settings_tests;
#[cfg(all(test, feature = "otel"))]
mod telemetry_tests;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(std::env::args_os().collect())
}
