//! `cargo xtask bench`: what the binary costs, as ratios to floors measured in the same run.
//!
//! Must never judge by figures of another run or machine: only ratios, and the few bars that are times.

pub(crate) mod edit;
pub(crate) mod learn;
pub(crate) mod nodes;
pub(crate) mod scopes;
pub(crate) mod serve;
pub(crate) mod write;

use std::path::PathBuf;
use std::process::Command;

use clap::Subcommand;

use crate::run_command;
use crate::{Result, root};

/// What is measured.
#[derive(Subcommand)]
pub(crate) enum Part {
    /// Edits of documents; the floor unpacks, scans and packs the same bytes.
    Edit {
        /// Runs of each command; the median counts.
        #[arg(long, default_value_t = RUNS)]
        runs: usize,
    },
    /// The files of a run; the floor is sha256sum over the same files. Linux only; takes 6 GB of room, sparse.
    Scopes,
    /// Streamed files; the floors copy the same bytes and make them durable. Linux only; takes 2 GB of room.
    Write {
        /// How often 64 MiB are sent; medians count.
        #[arg(long, default_value_t = WRITES)]
        rounds: usize,
    },
    /// Transcripts and a skillbook; the floors are a bare typed parse and a Python loop over the same files. Linux only.
    Learn {
        /// Megabytes of transcripts, which are made if they are not there.
        #[arg(long, default_value_t = TRANSCRIPTS)]
        megabytes: u32,
    },
    /// Turns on one, two and three nodes, with more and more clients: what each part of a cluster uses, and where it ends. Linux only.
    Nodes {
        /// How many turns for each number of clients.
        #[arg(long, default_value_t = TURNS)]
        turns: usize,
        /// Where the curves are drawn to.
        #[arg(long)]
        pictures: Option<PathBuf>,
    },
    /// A database of ten thousand, a hundred thousand, a million sessions: what is asked of it, and what deletion costs. Linux only; takes
    /// 8 GB of memory or of the folder for temporary files.
    Sessions {
        /// How many there are at most.
        #[arg(long, default_value_t = SESSIONS)]
        most: usize,
    },
    /// Turns over HTTP; the floor passes the same request on to the same model and stores nothing. Linux only.
    Serve {
        /// One short round, for a first impression: its figures scatter.
        #[arg(long)]
        quick: bool,
        /// Only the rows of the table whose name holds this, and nothing else.
        #[arg(long)]
        rows: Option<String>,
    },
}

const RUNS: usize = 15;
const TURNS: usize = 3_000;
const SESSIONS: usize = 1_000_000;
const WRITES: usize = 9;
const TRANSCRIPTS: u32 = 1_200;

/// Measures one part, or all.
pub(crate) fn run(part: Option<Part>) -> Result<()> {
    match part {
        Some(Part::Edit { runs }) => edit::run(runs),
        Some(Part::Serve { quick, rows }) => serve::run(quick, rows.as_deref()),
        Some(Part::Nodes { turns, pictures }) => nodes::run(turns, pictures.as_deref()),
        Some(Part::Sessions { most }) => nodes::many::run(most),
        Some(Part::Learn { megabytes }) => learn::run(megabytes),
        Some(Part::Scopes) => scopes::run(),
        Some(Part::Write { rounds }) => write::run(rounds),
        None => {
            let edited = edit::run(RUNS);
            let exported = scopes::run();
            let written = write::run(WRITES);
            let learnt = learn::run(TRANSCRIPTS);
            nodes::run(TURNS, None)?;
            nodes::many::run(SESSIONS / 10)?;
            serve::run(false, None)?;
            edited.and(exported).and(written).and(learnt)
        }
    }
}

/// The programs that are measured.
struct BuiltPrograms {
    engine: PathBuf,
    chore: PathBuf,
}

fn build() -> Result<BuiltPrograms> {
    run_command(
        Command::new(env!("CARGO"))
            .args([
                "build",
                "--release",
                "--package",
                "engross",
                "--features",
                "engross/full",
                "--package",
                "engross-bench",
            ])
            .current_dir(root()),
    )?;
    let suffix = std::env::consts::EXE_SUFFIX;
    let built = |name: &str| root().join("target/release").join(format!("{name}{suffix}"));
    Ok(BuiltPrograms { engine: built("engross"), chore: built("engross-bench") })
}
