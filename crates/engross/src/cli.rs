//! The command line: what may be typed. Nothing appears here before it works.
//!
//! Must never do anything: it only says what was asked for.

mod acp;
mod compare;
mod documents;
mod keys;
mod learn;
mod mcp;
mod package;
mod review;
mod serve;
mod sessions;
mod shared;
mod skill;
mod skillbook;
mod task;
mod word;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use acp::AcpArgs;
pub(crate) use compare::{CompareArgs, CompareView, DiffArgs, LeastChange, MergeArgs};
use documents::ViewArg;
pub(crate) use documents::{AcceptArgs, ApplyArgs, EditArgs, ListArgs, ReadArgs, ResolveArgs, VerifyArgs};
pub(crate) use keys::{KeyPlaceArgs, KeysArgs, KeysCommand};
pub(crate) use learn::{
    AgentsMdArgs, AgentsMdCommand, BookArgs, LearnArgs, RepairArgs, SyncBlockArgs, TranscriptArgs,
    TranscriptCommand,
};
pub(crate) use mcp::{McpArgs, McpCommand, McpInstallArgs, McpPlaceArgs, McpToolsArg, McpUninstallArgs};
pub(crate) use package::{CompletionsArgs, ManArgs};
pub(crate) use review::PlaybookReviewArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use sessions::{DeleteSessionsArgs, SessionPlaceArgs, SessionsArgs, SessionsCommand};
pub(crate) use shared::{CommonArgs, TargetArgs};
pub(crate) use skill::{AgentSkillArgs, AgentSkillCommand, AgentSkillInstallArgs};
pub(crate) use skillbook::{
    ExportArgs, FormatArg, ReasonArg, ReportArgs, ReviewArgs, SkillsArgs, SkillsCommand,
};
pub(crate) use task::{
    AnswerArgs, AtBridgeArgs, BridgeArgs, EndArgs, KeyArgs, ListThreadsArgs, OpenArgs, PlaceArgs, RunArgs,
    RunnerArgs, SandboxArgs, SyncArgs, TaskArgs, TaskCommand, ThreadArgs, VerifyFilesArgs, WatchArgs,
};
pub(crate) use word::{WordArgs, WordCommand, WordExportArgs, WordInstallArgs, WordUninstallArgs};

/// Agents that edit Word documents and prove every change.
#[derive(Debug, Parser)]
#[command(name = "engross", version, propagate_version = true, arg_required_else_help = true)]
#[command(
    after_help = "Exit codes: 0 done, 1 finding or refused, 2 wrong usage, 3 not a usable document, 4 model failed, 5 cannot \
                  read or write, 130 interrupted.\nEach error has a code, which docs/errors/CODE.md explains."
)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands. What each may be told is put together only when it is called: all of it would be a fifth of the time of a small edit.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Let a model edit a document; its edits come out as tracked changes.
    Edit(EditArgs),
    /// Show a document as numbered paragraphs.
    Read(ReadArgs),
    /// Apply operations from a JSON file as tracked changes.
    Apply(ApplyArgs),
    /// Accept tracked changes: all, or those of an author, a kind or a place.
    Accept(AcceptArgs),
    /// Reject tracked changes: all, or those of an author, a kind or a place.
    Reject(ResolveArgs),
    /// Make a redline of two documents: the first, with tracked changes that make it the second.
    Compare(CompareArgs),
    /// Show what differs between two documents, without writing a file.
    Diff(DiffArgs),
    /// Bring two documents together that came from one; what both changed otherwise stays open beside a comment.
    Merge(MergeArgs),
    /// List the tracked changes.
    #[command(after_help = "Example:\n  engross revisions nda.redline.docx --json")]
    Revisions(ListArgs),
    /// List the comments.
    #[command(after_help = "Example:\n  engross comments nda.docx")]
    Comments(ListArgs),
    /// Look for damage and for what would not survive accepting or rejecting; exits with 1 on errors.
    #[command(after_help = "Example:\n  engross check nda.redline.docx")]
    Check(ListArgs),
    /// Answer a playbook for a document: a verdict, a citation and a tracked change or comment for each position; exits with 1 where one
    /// is not met.
    Review(PlaybookReviewArgs),
    /// Check that a redline is what it says: rejecting gives the source, and its receipt holds.
    Verify(VerifyArgs),
    /// List, make and restore checkpoints: what a document was before each change in place, and when you said so.
    Checkpoint(CheckpointArgs),
    /// Write a document as Markdown.
    ToMarkdown(ToMarkdownArgs),
    /// Show a document as a page: text, tables, notes, and every tracked change with its author.
    ToHtml(ToHtmlArgs),
    /// Make a document of Markdown.
    FromMarkdown(FromMarkdownArgs),
    /// Write a file from standard input, whole or not at all.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Write(WriteArgs),
    /// Talk with a model in the terminal, about a document or without one; the session is kept.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Chat(ChatArgs),
    /// Answer requests over HTTP in the shapes of the OpenAI API, with sessions that are never lost.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Serve(Box<ServeArgs>),
    /// Make, list and revoke the keys of a server, each with an owner and a right.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Keys(KeysArgs),
    /// List, show, export, delete and copy what is stored of the sessions of a server.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Sessions(SessionsArgs),
    /// Hand tasks to agents, and get back the files that they really made.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Task(TaskArgs),
    /// Learn from sessions of agents: lessons go into a skillbook and into AGENTS.md.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Learn(Box<LearnArgs>),
    /// Read transcripts: count, show, retell, mend.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Transcript(TranscriptArgs),
    /// Look after the lessons that were learnt.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Skills(SkillsArgs),
    /// Keep the lessons in AGENTS.md, CLAUDE.md and GEMINI.md up to date.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    AgentsMd(AgentsMdArgs),
    /// Serve documents to the clients of agents: Claude, Codex, Cursor, VS Code and others, over the Model Context Protocol.
    #[cfg_attr(not(feature = "mcp"), command(hide = true))]
    Mcp(McpArgs),
    /// Be an agent in an editor: Zed, JetBrains, Neovim and others, over the Agent Client Protocol.
    #[cfg_attr(not(feature = "acp"), command(hide = true))]
    Acp(AcpArgs),
    /// Put the pane into Word on this machine, take it away, look whether all is well, or write it as files for a web server.
    #[cfg_attr(not(feature = "server"), command(hide = true))]
    Word(WordArgs),
    /// The skill that tells agents how to work with this program: write it where they look, or print it.
    AgentSkill(AgentSkillArgs),
    /// Show version, settings and where they come from, the model, and what the machine offers.
    Doctor(DoctorArgs),
    /// Print what a shell needs to complete commands and flags.
    Completions(CompletionsArgs),
    /// Print the manual page, or write those of all commands.
    Man(ManArgs),
}

impl Command {
    /// Whether the answer is to be one JSON document.
    pub(crate) fn wants_json(&self) -> bool {
        match self {
            Self::Edit(args) => args.common.json,
            Self::Read(args) => args.common.json,
            Self::Apply(args) => args.common.json,
            Self::Accept(args) => args.resolve.common.json,
            Self::Reject(args) => args.common.json,
            Self::Compare(args) => args.common.json,
            Self::Diff(args) => args.common.json,
            Self::Merge(args) => args.common.json,
            Self::Revisions(args) | Self::Comments(args) | Self::Check(args) => args.common.json,
            Self::Review(args) => args.common.json,
            Self::Verify(args) => args.common.json,
            Self::Checkpoint(args) => args.wants_json(),
            Self::Write(args) => args.common.json,
            Self::Sessions(args) => args.command.place().json,
            Self::Keys(args) => args.command.wants_json(),
            Self::Task(args) => args.command.wants_json(),
            Self::Learn(args) => args.common.json,
            Self::Transcript(args) => args.command.wants_json(),
            Self::Skills(args) => args.command.wants_json(),
            Self::AgentsMd(args) => args.command.wants_json(),
            Self::Doctor(args) => args.common.json,
            Self::Word(args) => args.command.wants_json(),
            Self::Chat(_)
            | Self::Serve(_)
            | Self::Mcp(_)
            | Self::Acp(_)
            | Self::AgentSkill(_)
            | Self::Completions(_)
            | Self::Man(_)
            | Self::ToMarkdown(_)
            | Self::ToHtml(_)
            | Self::FromMarkdown(_) => false,
        }
    }
}

/// `engross checkpoint`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross checkpoint nda.docx\n  \
    engross checkpoint nda.docx save \"before the call\"\n  \
    engross checkpoint nda.docx restore 3\n  \
    engross checkpoint nda.docx restore 3 --change-set")]
pub(crate) struct CheckpointArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(subcommand)]
    pub(crate) command: Option<CheckpointCommand>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What to do with checkpoints.
#[derive(Debug, Subcommand)]
pub(crate) enum CheckpointCommand {
    /// List them, with what changed after each.
    List {
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Keep the document as it is now.
    Save {
        /// What to call it.
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Make the document what it was then. What it is now is kept as a checkpoint.
    Restore {
        /// Which one, as `list` shows it.
        #[arg(value_name = "ID")]
        id: u64,
        /// Take back only the tracked changes that were made right after it; those of later stay.
        #[arg(long)]
        change_set: bool,
        #[command(flatten)]
        common: CommonArgs,
    },
}

impl CheckpointArgs {
    fn wants_json(&self) -> bool {
        let below = match &self.command {
            None => false,
            Some(
                CheckpointCommand::List { common }
                | CheckpointCommand::Save { common, .. }
                | CheckpointCommand::Restore { common, .. },
            ) => common.json,
        };
        below || self.common.json
    }
}

/// `engross to-markdown`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross to-markdown nda.docx > nda.md")]
pub(crate) struct ToMarkdownArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which tracked changes count as done.
    #[arg(long, value_enum, default_value_t = ViewArg::Accepted)]
    pub(crate) view: ViewArg,
    /// Write the pictures beneath this folder too, by the names that the text has for them.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) pictures: Option<PathBuf>,
}

/// `engross to-html`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross to-html nda.redline.docx -o nda.html")]
pub(crate) struct ToHtmlArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Write here; standard output without.
    #[arg(short, long, value_name = "OUT.html")]
    pub(crate) output: Option<PathBuf>,
    /// Which tracked changes count as done.
    #[arg(long, value_enum, default_value_t = ViewArg::Markup)]
    pub(crate) view: ViewArg,
    /// One article element without a page and a style sheet around it.
    #[arg(long)]
    pub(crate) fragment: bool,
}

/// `engross from-markdown`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross from-markdown notes.md -o notes.docx --template letter.docx")]
pub(crate) struct FromMarkdownArgs {
    /// The text; - reads standard input.
    #[arg(value_name = "IN.md")]
    pub(crate) file: PathBuf,
    /// Write here.
    #[arg(short, long, value_name = "OUT.docx")]
    pub(crate) output: PathBuf,
    /// A document whose styles, headers and page layout the new one has.
    #[arg(long, value_name = "T.docx")]
    pub(crate) template: Option<PathBuf>,
}

/// `engross write`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross write notes/plan.md < draft.md\n  \
    generate | engross write data.json --op overwrite --json\n  \
    echo 'one more line' | engross write log.txt --op append\n  \
    echo 'port = 8080' | engross write app.toml --op patch --patch '{\"type\":\"replace_lines\",\"start_line\":3,\"end_line\":3}'\n\n\
The end of standard input ends the file. It is explained in docs/guide/write.md.")]
pub(crate) struct WriteArgs {
    /// The file, beneath the root.
    #[arg(value_name = "TARGET")]
    pub(crate) target: String,
    /// What becomes of the file.
    #[arg(long, value_enum, default_value_t = OperationArg::Create, value_name = "OPERATION")]
    pub(crate) op: OperationArg,
    /// Folder that the file must stay beneath; the current one without.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where the input goes in a patch, as JSON.
    #[arg(long, value_name = "JSON")]
    pub(crate) patch: Option<String>,
    /// Lines that end the file before the input does; without, all of the input is content.
    #[arg(long, value_enum, value_name = "TERMINATOR")]
    pub(crate) terminator: Option<TerminatorArg>,
    /// What findings in the content do; by the kind of file without.
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) validate: Option<ValidateArg>,
    /// The hash that the file must have now, in 64 hexadecimal digits.
    #[arg(long, value_name = "HASH")]
    pub(crate) expect_sha256: Option<String>,
    /// Refuse to overwrite a file that is not there.
    #[arg(long)]
    pub(crate) must_exist: bool,
    /// Put a line end before what is appended, if there is none.
    #[arg(long)]
    pub(crate) join_newline: bool,
    /// Let the content be empty.
    #[arg(long)]
    pub(crate) allow_empty: bool,
    /// The most bytes of content; 64 MiB without.
    #[arg(long, value_name = "N")]
    pub(crate) max_bytes: Option<u64>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum OperationArg {
    /// It must not exist.
    Create,
    /// It is replaced, or made.
    Overwrite,
    /// The input goes behind what is there.
    Append,
    /// The input goes where --patch says.
    Patch,
}

/// What ends a file before its input does.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum TerminatorArg {
    /// The end marker, or DONE as the last line.
    Auto,
    /// The first line DONE outside a code fence.
    Done,
    /// The end marker, which is told on standard error.
    Sentinel,
}

/// What findings do.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ValidateArg {
    /// Nothing is looked at.
    Off,
    /// They are told.
    Warn,
    /// Errors stop the file.
    Strict,
}

/// `engross chat`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross chat nda.docx --model anthropic/claude-sonnet-4-5\n  \
    engross chat --session contract.docx\n  \
    echo 'replace \"three (3) years\" with \"five (5) years\"' | engross chat nda.docx\n\n\
What can be typed, and where edits go, is explained in docs/guide/chat.md.")]
pub(crate) struct ChatArgs {
    /// The document to talk about, a .docx file; edits go to NAME.redline.docx beside it.
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Folder whose text files the model may write; the current one without.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// The session to begin or to go on with; the document's own without.
    #[arg(long, value_name = "KEY")]
    pub(crate) session: Option<String>,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// Author of the changes.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Change the text without tracking.
    #[arg(long)]
    pub(crate) untracked: bool,
    /// Whose document it is, where lessons are learnt from documents: theirs are given, instead of those of the folder.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// At a terminal, make edits and files without asking.
    #[arg(long)]
    pub(crate) auto: bool,
    /// Folder for sessions and checkpoints; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// `engross doctor`
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  engross doctor --json")]
pub(crate) struct DoctorArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
