//! The benches and the faults: `cargo xtask bench` and `cargo xtask faults` start it.
//!
//! Must never hold code of the product. It stands apart from `xtask`, so that who only runs the tests does not compile it.

mod bench;
mod campaign;
mod faults;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use xtask::{Error, Result, root, run_command, say};

/// Benches and faults of engross.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Measures the binary against floors in the same run; all parts when none is named.
    Bench {
        #[command(subcommand)]
        part: Option<bench::Part>,
    },
    /// Has servers, databases and disks fail under load, and checks that nothing acknowledged is lost and no session is stuck.
    Faults {
        /// A tenth of each.
        #[arg(long)]
        quick: bool,
        /// Only scenarios whose name holds this: kill-sqlite, kill-postgres, database, nodes, disk, tasks, disk-of-tasks, attack.
        #[arg(long)]
        only: Option<String>,
    },
    /// Has several nodes, their database and their network fail at random for long, and holds all promises against what is there.
    Campaign(campaign::CampaignArguments),
    #[command(hide = true)]
    AcpAgent,
    #[command(hide = true)]
    Floor { file: PathBuf, part: String },
    #[command(hide = true)]
    FloorServer { model: String },
    #[command(hide = true)]
    FloorWrite { source: PathBuf, folder: PathBuf },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Bench { part } => bench::run(part),
        Chore::Faults { quick, only } => faults::run(quick, only.as_deref()),
        Chore::Campaign(arguments) => campaign::run(&arguments),
        // Its end is reported by the process that started it.
        Chore::AcpAgent => {
            let _ = engross_testkit::acp_agent::serve(std::io::stdin().lock(), std::io::stdout());
            Ok(())
        }
        Chore::Floor { file, part } => bench::edit::floor(&file, &part),
        Chore::FloorServer { model } => bench::serve::floor::run(&model),
        Chore::FloorWrite { source, folder } => bench::write::floor::run(&source, &folder),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
