//! `engross task`: what may be typed about task threads.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::CommonArgs;

/// `engross task`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross task run \"Write a one-page brief on the draft lease as brief.md\" --thread lease\n  \
    engross task run \"Make it a PDF\" --thread lease --agent codex --require pdf\n  \
    engross task run \"Sum up the lease as summary.md\" --attach lease.docx\n  \
    engross task watch lease          (after Ctrl-C)\n  \
    engross task list\n\n\
Ctrl-C lets go of a task without stopping it; `engross task cancel` stops it. docs/guide/tasks.md tells more.")]
pub(crate) struct TaskArgs {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: TaskCommand,
}

/// The commands about task threads.
#[derive(Debug, Subcommand)]
pub(crate) enum TaskCommand {
    /// Hand a task to an agent, wait for it, and fetch the files it made.
    Run(Box<RunArgs>),
    /// Show a thread: what was said, how its newest task stands, its files.
    Get(ThreadArgs),
    /// Go on with what a thread has under way, and wait for its end.
    Watch(WatchArgs),
    /// Ask once more what was asked last in a thread, as it was.
    Retry(WatchArgs),
    /// Open the folder of a thread's files.
    Open(OpenArgs),
    /// Show what happened in a thread, and what its agent did.
    Logs(AtBridgeArgs),
    /// Stop what a thread has under way.
    Cancel(AtBridgeArgs),
    /// Answer a question of the agent that works for a thread; without an answer, show what it asks.
    Answer(AnswerArgs),
    /// List the threads.
    List(ListThreadsArgs),
    /// Go on with all threads that have something under way, and fetch their files.
    Sync(SyncArgs),
    /// Put a thread away.
    Archive(AtBridgeArgs),
    /// Take a thread back.
    Restore(ThreadArgs),
    /// Check that the files in a folder are what a run made, by the signed receipt that came with them.
    Verify(VerifyFilesArgs),
    /// Show the public key with which this machine signs receipts.
    Key(KeyArgs),
    /// Carry tasks out in the background. Started by the other commands; ends by itself.
    #[command(hide = true)]
    Runner(RunnerArgs),
    /// Write a thread's record, in the schema that other programs read, to standard output.
    Export(ThreadArgs),
    /// Take over a thread from the record of another program.
    Import(ImportArgs),
}

/// Which thread.
#[derive(Debug, Args)]
pub(crate) struct ThreadArgs {
    /// The thread's key, or as much of its beginning as no other thread has.
    #[arg(value_name = "THREAD")]
    pub(crate) thread: String,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which thread, and who works for it.
#[derive(Debug, Args)]
pub(crate) struct AtBridgeArgs {
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    #[command(flatten)]
    pub(crate) bridge: BridgeArgs,
}

/// How the end of a task is told.
#[derive(Debug, Args)]
pub(crate) struct EndArgs {
    /// Every event as a line of JSON on standard output; the last one is the result.
    #[arg(long, conflicts_with = "json")]
    pub(crate) json_lines: bool,
    /// Ring the terminal's bell when the task ends.
    #[arg(long)]
    pub(crate) bell: bool,
    /// Run this when the task ends, with ENGROSS_THREAD and ENGROSS_RESULT in its environment.
    #[arg(long, value_name = "COMMAND")]
    pub(crate) on_end: Option<String>,
}

/// `engross task watch` and `retry`
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    #[command(flatten)]
    pub(crate) at: AtBridgeArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
}

/// `engross task open`
#[derive(Debug, Args)]
pub(crate) struct OpenArgs {
    #[command(flatten)]
    pub(crate) thread: ThreadArgs,
    /// Only print where it is.
    #[arg(long)]
    pub(crate) print: bool,
}

/// What a person answers.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  engross task answer lease            # what is asked\n  engross task answer lease 1          # the first option\n  engross task answer lease --decline"
)]
pub(crate) struct AnswerArgs {
    #[command(flatten)]
    pub(crate) at: AtBridgeArgs,
    /// An option of the question: its number, its id or its name.
    #[arg(value_name = "OPTION")]
    pub(crate) option: Option<String>,
    /// Do not answer; the agent takes that as a no.
    #[arg(long, conflicts_with = "option")]
    pub(crate) decline: bool,
}

/// Where threads are kept.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// Folder for what is kept about threads; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
}

/// Who carries tasks out.
#[derive(Debug, Clone, Args)]
pub(crate) struct BridgeArgs {
    /// A server that carries tasks out, such as http://127.0.0.1:18789; without, a runner in the background, which is started when it is needed.
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// The server's token; better in the variable ENGROSS_TOKEN.
    #[arg(long, value_name = "SECRET")]
    pub(crate) token: Option<String>,
    /// Model of the agent `engross`, when the runner in the background carries tasks out.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
}

/// `engross task run`
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// What is to be done, in your words.
    #[arg(value_name = "TASK")]
    pub(crate) text: String,
    /// The thread to go on with, or to begin; a new one without.
    #[arg(long, value_name = "KEY")]
    pub(crate) thread: Option<String>,
    /// Who does it: engross, codex, opencode, gemini, hermes. Holds for the thread from then on.
    #[arg(long, value_name = "AGENT")]
    pub(crate) agent: Option<String>,
    /// Hand it to a gateway instead, such as openclaw.
    #[arg(long, value_name = "GATEWAY", conflicts_with = "agent")]
    pub(crate) gateway: Option<String>,
    /// A file of this kind must be among the results, such as pdf, or 3 of them by pdf=3. May be repeated.
    #[arg(long, value_name = "EXT[=N]")]
    pub(crate) require: Vec<String>,
    /// End with 1 unless there are files, and all that the answer names among them.
    #[arg(long, conflicts_with = "chat")]
    pub(crate) require_files: bool,
    /// Keep the words of the task and its answer with the signed receipt.
    #[arg(long)]
    pub(crate) with_text: bool,
    /// Bring files, too, that agents keep for themselves or that programs act on, such as .claude, .envrc and .vscode.
    #[arg(long)]
    pub(crate) include_hidden: bool,
    /// A file to send along; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) attach: Vec<PathBuf>,
    /// Only words are wanted, no files.
    #[arg(long, conflicts_with = "require")]
    pub(crate) chat: bool,
    /// How long it may take, such as 10m or 2h.
    #[arg(long, value_name = "TIME", default_value = "30m", value_parser = duration)]
    pub(crate) budget: u64,
    /// Folder for the thread's files; .xworkmate/threads/NAME in the home folder without.
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// Return at once; `engross task watch` goes on.
    #[arg(long)]
    pub(crate) detach: bool,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) end: EndArgs,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) bridge: BridgeArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What is asked of the sandbox around the agent.
#[derive(Debug, Args)]
pub(crate) struct SandboxArgs {
    /// Fence the agent in (on), or not (off); as the settings say without.
    #[arg(long, value_name = "WHEN", value_parser = ["on", "off"])]
    pub(crate) sandbox: Option<String>,
    /// Give the agent no network.
    #[arg(long)]
    pub(crate) no_network: bool,
    /// The most files that the agent may have.
    #[arg(long, value_name = "N")]
    pub(crate) max_files: Option<u64>,
    /// The most bytes that the agent may have on the disk.
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_bytes: Option<u64>,
    /// The most processes that the agent may have at the same time.
    #[arg(long, value_name = "N")]
    pub(crate) max_processes: Option<u64>,
}

/// `engross task list`
#[derive(Debug, Args)]
pub(crate) struct ListThreadsArgs {
    /// Archived threads, too.
    #[arg(long)]
    pub(crate) all: bool,
    /// Stay, and draw the list anew every second.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) bridge: BridgeArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross task sync`
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) bridge: BridgeArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross task runner`
#[derive(Debug, Args)]
pub(crate) struct RunnerArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// Model of the agent `engross`.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Settings file.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// `engross task verify`
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  engross task verify out                          # intact, or what was altered\n  engross task verify out --key 3b6a27bc…           # and signed by this key\n\nThe exit code is 0 when nothing was altered, else 1."
)]
pub(crate) struct VerifyFilesArgs {
    /// The folder of a thread, with its `.xworkmate/receipts`.
    #[arg(value_name = "FOLDER")]
    pub(crate) folder: PathBuf,
    /// The run; the newest without.
    #[arg(long, value_name = "RUN")]
    pub(crate) run: Option<String>,
    /// The public key that you know the signer by: 64 hexadecimal digits, or a file with them.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross task key`
#[derive(Debug, Args)]
pub(crate) struct KeyArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross task import`
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The record, a JSON file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

impl TaskCommand {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Run(args) => args.common.json,
            Self::Get(args) | Self::Restore(args) => args.common.json,
            Self::Cancel(args) | Self::Archive(args) | Self::Logs(args) => args.thread.common.json,
            Self::Watch(args) | Self::Retry(args) => args.at.thread.common.json,
            Self::Open(args) => args.thread.common.json,
            Self::Answer(args) => args.at.thread.common.json,
            Self::List(args) => args.common.json,
            Self::Sync(args) => args.common.json,
            Self::Import(args) => args.common.json,
            Self::Verify(args) => args.common.json,
            Self::Runner(_) => false,
            Self::Key(args) => args.common.json,
            Self::Export(_) => true,
        }
    }
}

/// A time such as `90s`, `10m` or `2h`, in milliseconds.
fn duration(text: &str) -> Result<u64, String> {
    let wrong = || "give a number with s, m or h behind it, such as 10m".to_owned();
    let unit = text.chars().last().ok_or_else(wrong)?;
    let factor = match unit {
        's' => 1_000,
        'm' => 60_000,
        'h' => 3_600_000,
        _ => return Err(wrong()),
    };
    let number: u64 = text.trim_end_matches(unit).parse().map_err(|_| wrong())?;
    match number.checked_mul(factor) {
        Some(time) if (1..=24 * 3_600_000).contains(&time) => Ok(time),
        _ => Err("give a time from 1s to 24h".to_owned()),
    }
}
