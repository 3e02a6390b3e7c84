//! `cargo xtask docs`: the parts of the documentation that are made from tables of the code.
//!
//! Must never write what a person wrote: each file here owns one part of its pages.

mod operations;
mod skill;

use std::process::Command;

use xtask::{Result, root, run_command};

/// Writes all of them.
pub(crate) fn run() -> Result<()> {
    operations::write()?;
    skill::write()?;
    error_pages()
}

/// Writes `docs/errors` from the tables of codes. Only the program knows all tables, so one of its tests writes the pages.
fn error_pages() -> Result<()> {
    let test =
        ["test", "--profile", "ci", "--workspace", "--features", "engross/full", "--bin", "engross", "--"];
    let name = ["--ignored", "--exact", "codes_tests::write_the_pages"];
    run_command(Command::new(env!("CARGO")).args(test).args(name).current_dir(root()))
}
