//! The offline evaluation: does the machinery keep, rank, refresh and remove lessons rightly? It says nothing about how good the
//! lessons of a model are. `cargo xtask eval-learning` runs it.
//!
//! `eval_learning FOLDER` writes `learning-evaluation.md` and its plots there. The same bytes each time.

mod chance;
mod hygiene;
mod plot;
mod poisoned;
mod scores;
mod world;

use std::path::PathBuf;

type EvalError = Box<dyn std::error::Error>;

#[expect(clippy::disallowed_methods, reason = "a tool that writes its report, no part of the product")]
fn main() -> Result<(), EvalError> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("name the folder for the report")?);
    std::fs::create_dir_all(folder.join("images"))?;
    let mut report = include_str!("intro.md").to_owned();
    report.push_str(include_str!("sessions.md"));
    let (text, plots) = world::run();
    report.push_str(&text);
    for (name, svg) in plots {
        std::fs::write(folder.join("images").join(name), svg)?;
    }
    report.push_str(&hygiene::run());
    report.push_str(&poisoned::run()?);
    report.push_str(&scores::run());
    std::fs::write(folder.join("learning-evaluation.md"), report)?;
    Ok(())
}
