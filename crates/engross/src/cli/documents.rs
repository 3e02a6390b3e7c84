//! The arguments of the commands that edit, read and resolve one document.
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use engross_docx::read::View;
use engross_docx::revisions::{Range, RevisionKind};

use super::shared::{CommonArgs, DetailArgs, SignatureArgs, TargetArgs, positive};

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
    /// Write a signed receipt of the redline there; `engross verify` checks it.
    #[arg(long, value_name = "FILE")]
    pub(crate) receipt: Option<PathBuf>,
    /// Whose document it is, where lessons are learnt from documents: theirs are given, instead of those of the folder.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    #[command(flatten)]
    pub(crate) detail: DetailArgs,
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
    /// Only paragraphs that this regular expression fits, whatever the case.
    #[arg(long, value_name = "REGEX", conflicts_with = "search")]
    pub(crate) pattern: Option<String>,
    /// Begin here: the cursor of an earlier reading, such as P120.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) from: Option<String>,
    /// At most so many paragraphs.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) limit: Option<usize>,
    /// At most so many bytes; the answer then has a cursor to read on from.
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(crate) max_bytes: Option<usize>,
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

impl From<ViewArg> for View {
    fn from(view: ViewArg) -> Self {
        match view {
            ViewArg::Accepted => Self::Accepted,
            ViewArg::Original => Self::Original,
            ViewArg::Markup => Self::Markup,
        }
    }
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
    /// Write a signed receipt of the redline there; `engross verify` checks it.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub(crate) receipt: Option<PathBuf>,
    /// Whose document it is, for lessons from documents.
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) signature: SignatureArgs,
    #[command(flatten)]
    pub(crate) detail: DetailArgs,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross verify`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross verify nda.docx nda.redline.docx\n  \
    engross verify nda.docx nda.redline.docx nda.receipt.json --key 3b6a27bc…\n\n\
The exit code is 0 when everything holds, else 1.")]
pub(crate) struct VerifyArgs {
    /// The document before.
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// The document with its tracked changes.
    #[arg(value_name = "REDLINE")]
    pub(crate) redline: PathBuf,
    /// The receipt that `--receipt` wrote when the redline was made.
    #[arg(value_name = "RECEIPT")]
    pub(crate) receipt: Option<PathBuf>,
    /// The public key that you know the signer by: 64 hexadecimal digits, or a file with them.
    #[arg(long, value_name = "KEY", requires = "receipt")]
    pub(crate) key: Option<String>,
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
    /// Only changes of this kind: ins, del, move, format, row, cell, control, paragraph, or one as `engross revisions` names it.
    #[arg(long, value_name = "KIND", value_parser = parse_kind)]
    pub(crate) kind: Vec<Kinds>,
    /// Only changes in these paragraphs, such as P3-P9, footnote:3/P1 or footnote:3.
    #[arg(long, value_name = "RANGE", value_parser = parse_range)]
    pub(crate) range: Option<Range>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) detail: DetailArgs,
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

/// Kinds of changes that one word means.
#[derive(Debug, Clone)]
pub(crate) struct Kinds(pub(crate) Vec<RevisionKind>);

fn parse_kind(word: &str) -> Result<Kinds, String> {
    let kinds = RevisionKind::named(word);
    if kinds.is_empty() {
        return Err("known are ins, del, move, format, row, cell, control, paragraph, and the kinds that `engross revisions` lists"
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
