//! The command line: what may be typed. Nothing appears here before it works.
//!
//! Must never do anything: it only says what was asked for.

mod learn;
mod mcp;
mod skill;
mod task;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use engross_docx::ops::OwnPolicy;
use engross_docx::revisions::{Range, RevisionKind};

pub(crate) use learn::{
    AgentsMdArgs, AgentsMdCommand, BookArgs, ExportArgs, FormatArg, LearnArgs, RepairArgs, ReviewArgs,
    SkillsArgs, SkillsCommand, SyncBlockArgs, TranscriptArgs, TranscriptCommand,
};
pub(crate) use mcp::{McpArgs, McpCommand, McpInstallArgs, McpPlaceArgs, McpUninstallArgs};
pub(crate) use skill::{AgentSkillArgs, AgentSkillCommand, AgentSkillInstallArgs};
pub(crate) use task::{
    AnswerArgs, AtBridgeArgs, BridgeArgs, PlaceArgs, RunArgs, SyncArgs, TaskArgs, TaskCommand, ThreadArgs,
};

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

/// The commands.
#[derive(Debug, Subcommand)]
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
    /// List the tracked changes.
    #[command(after_help = "Example:\n  engross revisions nda.redline.docx --json")]
    Revisions(ListArgs),
    /// List the comments.
    #[command(after_help = "Example:\n  engross comments nda.docx")]
    Comments(ListArgs),
    /// Look for damage and for what would not survive accepting or rejecting; exits with 1 on errors.
    #[command(after_help = "Example:\n  engross check nda.redline.docx")]
    Check(ListArgs),
    /// List, make and restore checkpoints: what a document was before each change in place, and when you said so.
    Checkpoint(CheckpointArgs),
    /// Write a document as Markdown.
    ToMarkdown(ToMarkdownArgs),
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
    Serve(ServeArgs),
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
    /// The skill that tells agents how to work with this program: write it where they look, or print it.
    AgentSkill(AgentSkillArgs),
    /// Show version, settings and where they come from, the model, and what the machine offers.
    Doctor(DoctorArgs),
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
            Self::Revisions(args) | Self::Comments(args) | Self::Check(args) => args.common.json,
            Self::Checkpoint(args) => args.wants_json(),
            Self::Write(args) => args.common.json,
            Self::Task(args) => args.command.wants_json(),
            Self::Learn(args) => args.common.json,
            Self::Transcript(args) => args.command.wants_json(),
            Self::Skills(args) => args.command.wants_json(),
            Self::AgentsMd(args) => args.command.wants_json(),
            Self::Doctor(args) => args.common.json,
            Self::Chat(_)
            | Self::Serve(_)
            | Self::Mcp(_)
            | Self::AgentSkill(_)
            | Self::ToMarkdown(_)
            | Self::FromMarkdown(_) => false,
        }
    }
}

/// `engross edit`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross edit nda.docx 'replace \"three (3) years\" with \"five (5) years\"'\n  \
    engross edit nda.docx \"Make the confidentiality period five years throughout\" --model anthropic/claude-sonnet-4-5\n  \
    engross edit nda.docx \"Tighten clause 2\" --model ollama/qwen3 -o tightened.docx --json\n\n\
Without a model, 'rules' is used: a few instruction patterns that work offline (docs/guide/rules.md).")]
pub(crate) struct EditArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What to change, in your words.
    #[arg(value_name = "INSTRUCTION")]
    pub(crate) instruction: String,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross read`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross read nda.docx\n  \
    engross read nda.docx --search \"Confidential Information\"\n  \
    engross read nda.docx --from P120 --limit 40 --json\n  \
    engross read nda.docx --story footnotes --view markup")]
pub(crate) struct ReadArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Which tracked changes count as done.
    #[arg(long, value_enum, default_value_t = ViewArg::Accepted)]
    pub(crate) view: ViewArg,
    /// Another story than the body, such as footnotes, footnote:3, header:default@1 or comments.
    #[arg(long, value_name = "NAME")]
    pub(crate) story: Option<String>,
    /// Only paragraphs that contain this text.
    #[arg(long, value_name = "TEXT")]
    pub(crate) search: Option<String>,
    /// Begin here: the cursor of an earlier reading, such as P120.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) from: Option<String>,
    /// At most so many paragraphs.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) limit: Option<usize>,
    /// The content controls of all stories instead: number, kind, tag, what they say and what they take.
    #[arg(long, conflicts_with_all = ["styles", "properties", "story", "search", "from", "limit"])]
    pub(crate) controls: bool,
    /// The styles instead.
    #[arg(long, conflicts_with_all = ["properties", "story", "search", "from", "limit"])]
    pub(crate) styles: bool,
    /// The properties of the document instead: title, author and the like.
    #[arg(long, conflicts_with_all = ["story", "search", "from", "limit"])]
    pub(crate) properties: bool,
    /// The headings, schedules and tables of the body instead, with their places and sizes.
    #[arg(long, conflicts_with_all = ["controls", "styles", "properties", "story", "search", "from", "limit", "view"])]
    pub(crate) outline: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// Which revisions count as done.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ViewArg {
    /// All changes are done.
    Accepted,
    /// No change is done.
    Original,
    /// Both are shown: {++inserted++} and {--deleted--}.
    Markup,
}

/// `engross apply`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross apply nda.docx edits.json\n  \
    engross apply nda.docx edits.json --dry-run --json\n  \
    echo '{\"operations\":[{\"op\":\"delete_paragraph\",\"paragraphIndex\":4}]}' | engross apply nda.docx -\n\n\
The operations are explained in docs/guide/editing.md.")]
pub(crate) struct ApplyArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// JSON file with the operations; - reads standard input.
    #[arg(value_name = "OPS.json")]
    pub(crate) operations: PathBuf,
    /// Do everything but write the file.
    #[arg(long)]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross accept` and `engross reject`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross accept nda.redline.docx -o final.docx\n  \
    engross accept nda.redline.docx --author engross --kind ins\n  \
    engross reject nda.redline.docx --range P3-P9 --in-place")]
pub(crate) struct ResolveArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Only the change with this id, as `engross revisions` lists it; may be given several times.
    #[arg(long, value_name = "N")]
    pub(crate) id: Vec<String>,
    /// Only changes of this author.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Only changes of this kind: ins, del, move, format, row, cell, paragraph, or one as `engross revisions` names it.
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    pub(crate) kind: Vec<Kinds>,
    /// Only changes in these paragraphs, such as P3-P9, footnote:3/P1 or footnote:3.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub(crate) range: Option<Range>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross accept`
#[derive(Debug, Args)]
pub(crate) struct AcceptArgs {
    #[command(flatten)]
    pub(crate) resolve: ResolveArgs,
    /// A version to hand out: all changes are accepted, and comments go.
    #[arg(long, conflicts_with_all = ["id", "author", "kind", "range"])]
    pub(crate) clean: bool,
    /// With --clean: comments stay.
    #[arg(long, requires = "clean")]
    pub(crate) keep_comments: bool,
    /// With --clean: nothing says who worked on it (authors, company, custom properties, rsids).
    #[arg(long, requires = "clean")]
    pub(crate) anonymous: bool,
}

/// `engross compare`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross compare nda.docx nda-theirs.docx -o changes.docx\n  \
    engross compare nda.docx nda-theirs.docx --summary\n  \
    engross compare nda.docx nda-theirs.docx --author \"Other side\" --json\n\n\
Rejecting all changes of the redline gives the first document, accepting them the second (docs/guide/compare.md).")]
pub(crate) struct CompareArgs {
    /// The document as it was, a .docx file.
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The document as it is, a .docx file.
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// Write the redline here instead of beside the first document; an existing file is replaced.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What becomes of tracked changes that the documents have: they are accepted or rejected first.
    #[arg(long, value_enum, default_value_t = CompareView::Accepted)]
    pub(crate) view: CompareView,
    /// Write a paragraph that stands elsewhere as deleted there and inserted here, not as moved.
    #[arg(long)]
    pub(crate) no_moves: bool,
    /// Write a page, too, that shows both documents side by side.
    #[arg(long, value_name = "PAGE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Say in plain words what changed: amounts, dates, numbers and names first.
    #[arg(long)]
    pub(crate) summary: bool,
    /// Author of the changes.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Date of the changes, such as 2026-01-31T09:30:00Z; now without.
    #[arg(long, value_name = "RFC3339")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// In which state documents with tracked changes are compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CompareView {
    /// All their changes are done.
    Accepted,
    /// No change is done.
    Original,
}

/// `engross diff`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross diff nda.docx nda-theirs.docx\n  \
    git difftool --extcmd 'engross diff' HEAD~1 -- nda.docx\n\n\
How git shows Word documents: docs/guide/git.md.")]
pub(crate) struct DiffArgs {
    /// The document as it was, a .docx file.
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The document as it is, a .docx file.
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// In which state documents with tracked changes are compared.
    #[arg(long, value_enum, default_value_t = CompareView::Accepted)]
    pub(crate) view: CompareView,
    /// Exit with 1 when something differs.
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
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

/// Kinds of changes that one word means.
#[derive(Debug, Clone)]
pub(crate) struct Kinds(pub(crate) Vec<RevisionKind>);

fn parse_kind(word: &str) -> Result<Kinds, String> {
    let kinds = RevisionKind::named(word);
    if kinds.is_empty() {
        return Err("known are ins, del, move, format, row, cell, paragraph, and the kinds that `engross revisions` lists"
            .to_owned());
    }
    Ok(Kinds(kinds))
}

fn parse_range(text: &str) -> Result<Range, String> {
    Range::parse(text).ok_or_else(|| "a range is P3-P9, P3, footnote:3/P1-P2 or footnote:3".to_owned())
}

/// `engross revisions`, `engross comments` and `engross check`
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// The document, a .docx file.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
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

/// `engross serve`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross serve --model ollama/qwen3\n  \
    engross serve --model anthropic/claude-sonnet-4-5 --listen 0.0.0.0:18789 --token SECRET --cors https://addin.example\n  \
    engross serve --store postgres://engross@db.internal/engross\n\n\
The routes are explained in docs/protocol/sessions.md, running a server in docs/guide/serve.md.")]
pub(crate) struct ServeArgs {
    /// Address to listen at; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:18789")]
    pub(crate) listen: std::net::SocketAddr,
    /// openai/NAME, anthropic/NAME, gemini/NAME, ollama/NAME, openai-compatible:URL#NAME, script:FILE or rules.
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Folder for sessions; the platform's folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// The one folder whose files may be written over HTTP and whose documents sessions may read and edit: workspaces are
    /// folders in it; workspace in the folder for data without.
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,
    /// Where sessions are kept: sqlite (a file in the data folder), postgres://…, or memory.
    #[arg(long, value_name = "STORE", default_value = "sqlite")]
    pub(crate) store: String,
    /// Folder for transcripts of all sessions, written as they go on; none without.
    #[arg(long, value_name = "DIR")]
    pub(crate) transcripts: Option<PathBuf>,
    /// Database for traces of all sessions, such as postgres://user@host/name; none without.
    #[arg(long, value_name = "URL")]
    pub(crate) traces: Option<String>,
    /// Object storage where the files of tasks are kept besides, such as s3://bucket/prefix; with AWS_REGION,
    /// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_ENDPOINT_URL from the environment.
    #[arg(long, value_name = "URL")]
    pub(crate) blobs: Option<String>,
    /// Secret that clients must send as a bearer token; ENGROSS_TOKEN keeps it out of sight.
    #[arg(long, value_name = "SECRET")]
    pub(crate) token: Option<String>,
    /// File with the certificates, in PEM, that make the server speak https; needs --tls-key.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// File with the private key of the certificate, in PEM. Both files are read again on SIGHUP.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Origin that web pages may call from, besides this machine; may be repeated.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) cors: Vec<String>,
    /// Refuse models other than those that GET /v1/models lists.
    #[arg(long)]
    pub(crate) strict_models: bool,
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

/// Where the result goes.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// Write here instead of beside the document; an existing file is replaced.
    #[arg(short, long, value_name = "OUT", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the document itself.
    #[arg(long)]
    pub(crate) in_place: bool,
}

/// In whose name changes are made.
#[derive(Debug, Args)]
pub(crate) struct SignatureArgs {
    /// Author of the changes.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Date of the changes, such as 2026-01-31T09:30:00Z; now without.
    #[arg(long, value_name = "RFC3339")]
    pub(crate) date: Option<String>,
    /// Change the text without tracking.
    #[arg(long)]
    pub(crate) untracked: bool,
    /// Which pending changes of the same author become one redline with the new ones: those that engross recorded for this file,
    /// all of the author, or none.
    #[arg(long, value_name = "WHICH", value_parser = ["recorded", "author", "history"])]
    pub(crate) own: Option<String>,
}

impl SignatureArgs {
    /// What it says of earlier changes of the same author.
    pub(crate) fn own(&self) -> Option<OwnPolicy> {
        self.own.as_deref().and_then(OwnPolicy::named)
    }
}

/// For every command.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    /// Settings file instead of the one in the platform's config folder.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print one JSON document.
    #[arg(long)]
    pub(crate) json: bool,
}

fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "give a number from 1".to_owned())
}
