//! The process that watches in the tests: one with a single thread, as the program is when it is told to watch.
//!
//! Must never do anything else.

use std::process::ExitCode;

#[expect(clippy::disallowed_methods, reason = "the program that it stands for reads its settings by itself")]
fn main() -> ExitCode {
    let order = std::env::var(engross_sandbox::VARIABLE).unwrap_or_default();
    ExitCode::from(engross_sandbox::supervise(&order))
}
