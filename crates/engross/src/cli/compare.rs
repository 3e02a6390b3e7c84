//! `engross compare`, `engross diff` and `engross merge`
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::CommonArgs;

/// `engross compare`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross compare nda.docx nda-theirs.docx -o changes.docx\n  \
    engross compare nda.docx nda-theirs.docx --summary\n  \
    engross compare nda.docx nda-theirs.docx --author \"Other side\" --json\n  \
    engross compare --three nda.docx nda-ours.docx nda-theirs.docx -o both.docx\n\n\
Rejecting all changes of the redline gives the first document, accepting them the second (docs/guide/compare.md).")]
pub(crate) struct CompareArgs {
    /// The document as it was, a .docx file.
    #[arg(value_name = "BEFORE")]
    pub(crate) before: PathBuf,
    /// The document as it is, a .docx file.
    #[arg(value_name = "AFTER")]
    pub(crate) after: PathBuf,
    /// With --three: the document of the other side, a .docx file.
    #[arg(value_name = "OTHER", requires = "three")]
    pub(crate) other: Option<PathBuf>,
    /// Put the changes of two sides, AFTER and OTHER, into one redline of BEFORE, with a comment where they conflict.
    #[arg(long, requires = "other", conflicts_with_all = ["html", "no_moves"])]
    pub(crate) three: bool,
    /// With --three: author of the other side's changes; the name of its file without.
    #[arg(long, value_name = "NAME", requires = "three")]
    pub(crate) other_author: Option<String>,
    /// Write the redline here instead of beside the first document; an existing file is replaced.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What becomes of tracked changes that the documents have: they are accepted or rejected first, or all their text counts.
    #[arg(long, value_enum, default_value_t = CompareView::Accepted)]
    pub(crate) view: CompareView,
    /// Keep tracked changes that the documents have, with their authors: rejecting all then gives BEFORE without any, accepting all
    /// AFTER with all done.
    #[arg(long, conflicts_with_all = ["three", "view"])]
    pub(crate) keep_revisions: bool,
    /// Write a paragraph that stands elsewhere as deleted there and inserted here, not as moved.
    #[arg(long)]
    pub(crate) no_moves: bool,
    /// Leave formatting as it is in BEFORE, and compare words alone: another program may format every paragraph anew.
    #[arg(long, conflicts_with = "three")]
    pub(crate) no_formatting: bool,
    /// The least that a change of text replaces: the words that differ, or all of the clause or sentence around them.
    #[arg(long, value_enum, default_value_t = LeastChange::Word)]
    pub(crate) granularity: LeastChange,
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

/// The least that a change of a redline replaces.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LeastChange {
    /// The words that differ.
    Word,
    /// All between two commas, colons or the like.
    Clause,
    /// The whole sentence.
    Sentence,
}

/// In which state documents with tracked changes are compared.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum CompareView {
    /// All their changes are done.
    Accepted,
    /// No change is done.
    Original,
    /// As they are shown: inserted text is there, and deleted text, too.
    AsIs,
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
    /// Compare formatting, tables and pictures as well, as `engross compare` does; without, words alone, which takes less time.
    #[arg(long)]
    pub(crate) formatting: bool,
    /// Exit with 1 when something differs.
    #[arg(long)]
    pub(crate) exit_code: bool,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

/// `engross merge`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    engross merge nda.docx nda-ours.docx nda-theirs.docx -o nda-both.docx\n  \
    engross merge base.docx ours.docx theirs.docx -o merged.docx --json\n\n\
Exits with 1 when something is left open. As a merge driver of git: docs/guide/git.md.")]
pub(crate) struct MergeArgs {
    /// The document that both sides began with, a .docx file.
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
    /// The document of one side, whose change stands in a conflict.
    #[arg(value_name = "ONE")]
    pub(crate) one: PathBuf,
    /// The document of the other side.
    #[arg(value_name = "OTHER")]
    pub(crate) other: PathBuf,
    /// Write the merged document here instead of beside the first; an existing file is replaced.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,
    /// What becomes of tracked changes that the documents have: they are accepted or rejected first.
    #[arg(long, value_enum, default_value_t = CompareView::Accepted)]
    pub(crate) view: CompareView,
    /// Author of one side's changes that stay open; the name of its file without.
    #[arg(long, value_name = "NAME")]
    pub(crate) author: Option<String>,
    /// Author of the other side's comments; the name of its file without.
    #[arg(long, value_name = "NAME")]
    pub(crate) other_author: Option<String>,
    /// Date of the changes, such as 2026-01-31T09:30:00Z; now without.
    #[arg(long, value_name = "RFC3339")]
    pub(crate) date: Option<String>,
    #[command(flatten)]
    pub(crate) common: CommonArgs,
}
