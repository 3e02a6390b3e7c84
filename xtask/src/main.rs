//! Build chores that need more than cargo: `cargo xtask help`.
//!
//! Must never hold code of the product.

mod book;
mod circles;
mod corpus;
mod dist;
mod docs;
mod examples;
mod fuzz;
#[cfg(test)]
mod isolation_tests;
#[cfg(test)]
mod layers_tests;
#[cfg(test)]
mod links_tests;
mod long;
#[cfg(test)]
mod nodeless_tests;
mod office;
mod part;
#[cfg(test)]
mod published_tests;
mod python;
#[cfg(test)]
mod review_page_tests;
#[cfg(test)]
mod schema_tests;
mod test;
mod version;
mod wasm;
mod web;
#[cfg(test)]
mod web_tests;
mod words;
#[cfg(test)]
mod words_tests;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use xtask::{Error, Result, root, run_command, say};

/// Build chores of engross.
#[derive(Parser)]
#[command(name = "cargo xtask", disable_help_subcommand = false)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Runs every test. What is not installed is skipped and named; ENGROSS_REQUIRE=wasm,judge makes a skip a failure.
    Test,
    /// Measures the binary against floors in the same run; all parts when none is named. `cargo xtask bench help` lists them.
    Bench {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Edits every document of a corpus at random and has an independent model judge the redlines.
    Corpus {
        /// A CSV whose first column is a path below ROOT.
        #[arg(long)]
        documents: PathBuf,
        /// The folder the paths are below.
        #[arg(long)]
        root: PathBuf,
        /// Which random edits.
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Where plans, redlines and results go.
        #[arg(long, default_value = "target/corpus")]
        out: PathBuf,
    },
    /// Runs the fuzz targets; needs cargo-fuzz.
    Fuzz {
        /// Only this one.
        target: Option<String>,
        /// How long each runs.
        #[arg(long, default_value_t = 600)]
        seconds: u64,
        /// Keep the fewest of all inputs that reach what all of them do, in fuzz/kept, where the tests replay them; with --seconds 0
        /// of what earlier runs have found.
        #[arg(long)]
        keep: bool,
        /// Without the sanitizer of addresses: all of the engine is safe Rust, and more inputs are tried in the same time.
        #[arg(long)]
        plain: bool,
    },
    /// Tries random operations on random documents, judged by the oracle of the engine's tests, and then on documents of people.
    Random {
        /// How long.
        #[arg(long, default_value_t = 600)]
        seconds: u64,
    },
    /// Tries every fault at every byte of a streamed file; the ordinary tests try some.
    WriteMatrix,
    /// Tries random streams of content, ends, cuts and restarts against a plain reader; the ordinary tests try some.
    WriteStreams {
        /// How many for each rule.
        #[arg(long, default_value_t = 50_000)]
        streams: u32,
    },
    /// Has models that deviate write files over cuts, and tries patches against a model; the ordinary tests try some.
    WriteHabits {
        /// Which files and cuts.
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Has servers, databases and disks fail under load, and checks that nothing acknowledged is lost and no session is stuck.
    Faults {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Has several nodes, their database and their network fail at random for long, and holds all promises against what is there.
    Campaign {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Runs client libraries as they are published against the server, and checks what the model behind it received.
    Clients,
    /// Tries random interleavings of requests, results, cancels and deaths of processes against the rules of sessions.
    RandomSessions {
        /// How many sessions.
        #[arg(long, default_value_t = 10_000)]
        sessions: u32,
    },
    /// Tries tasks at length: many that wait while the clock jumps and the server restarts, and files with hostile names.
    TasksAtLength {
        /// How many tasks wait.
        #[arg(long, default_value_t = 5_000)]
        queued: u32,
        /// How many names.
        #[arg(long, default_value_t = 100_000)]
        names: u32,
    },
    /// Evaluates learning offline and writes docs/learning-evaluation.md with its plots.
    EvalLearning,
    /// Builds the book of all pages in target/book/html; needs mdbook.
    Book,
    /// Runs `.ci/run`, and then everything that takes longer: faults, long random runs, fuzzing, LibreOffice.
    CiFull,
    /// Names files of one crate that import each other in a loop, and what ties them.
    Circles,
    /// Counts the words that docs/glossary.md has replaced, and names of types that break its rules.
    Words,
    /// Builds the page for people from web/workbench into crates/http/assets; needs Node.
    Web,
    /// Tries the pages at length in a browser: long documents, every state in every appearance, every conversation with every fault of a Word.
    WebAtLength,
    /// Packs examples/nda/ into examples/nda.docx.
    Examples,
    /// Builds the engine for web pages in web/engine/pkg.
    Wasm {
        /// `web` is small, `ci` is soon there.
        #[arg(long, default_value = "web")]
        profile: String,
    },
    /// Makes all that is handed out of a release: archives, packages, the list of what is in them, checksums.
    Dist(dist::DistArguments),
    /// Builds the engine for Python, and tries it.
    Python,
    /// Sets the version of all that is published.
    Version {
        /// Such as 0.2.0.
        version: String,
    },
    /// Writes the parts of the documentation that are made from tables of the code.
    Docs,
}

fn main() -> ExitCode {
    let done = match Arguments::parse().chore {
        Chore::Test => test::run(),
        Chore::Bench { arguments } => measure("release", "bench", &arguments),
        Chore::Corpus { documents, root, seed, out } => corpus::run(&documents, &root, seed, &out),
        Chore::Fuzz { target, seconds, keep, plain } => fuzz::run(target.as_deref(), seconds, keep, plain),
        Chore::Random { seconds } => fuzz::random(seconds),
        Chore::WriteMatrix => test::write_matrix(),
        Chore::WriteStreams { streams } => test::write_streams(streams),
        Chore::WriteHabits { seed } => test::write_habits(seed),
        Chore::Faults { arguments } => measure("ci", "faults", &arguments),
        Chore::Campaign { arguments } => measure("ci", "campaign", &arguments),
        Chore::Clients => long::clients(),
        Chore::RandomSessions { sessions } => long::random_sessions(sessions),
        Chore::TasksAtLength { queued, names } => long::tasks_at_length(queued, names),
        Chore::EvalLearning => eval_learning(),
        Chore::Book => book::run(),
        Chore::CiFull => long::ci_full(),
        Chore::Circles => circles::run(),
        Chore::Words => words::run(),
        Chore::Web => web::build(),
        Chore::WebAtLength => wasm::build("ci").and_then(|()| web::test_at_length(&test::engine())),
        Chore::Examples => examples::pack(),
        Chore::Wasm { profile } => wasm::build(&profile),
        Chore::Dist(arguments) => dist::run(&arguments),
        Chore::Python => python::run(),
        Chore::Version { version } => version::set(&version),
        Chore::Docs => docs::run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs the crate of benches and faults, which is compiled only for this: together with the program that it starts, so that what
/// both are made of is compiled once.
fn measure(profile: &str, chore: &str, arguments: &[String]) -> Result<()> {
    let build = ["build", "--profile", profile, "--package", "engross", "--features", "engross/full"];
    let build = build.into_iter().chain(["--package", "engross-bench"]);
    run_command(std::process::Command::new(env!("CARGO")).args(build).current_dir(root()))?;
    let program =
        root().join("target").join(profile).join(format!("engross-bench{}", std::env::consts::EXE_SUFFIX));
    run_command(std::process::Command::new(program).arg(chore).args(arguments).current_dir(root()))
}

fn eval_learning() -> Result<()> {
    let arguments =
        ["run", "--release", "--package", "engross-learn", "--example", "eval_learning", "--", "docs"];
    run_command(std::process::Command::new(env!("CARGO")).args(arguments).current_dir(root()))
}
