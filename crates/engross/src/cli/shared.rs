//! Arguments that many commands have: where the result goes, in whose name, in which form.
//!
//! Must never do anything: it only says what was asked for.

use std::path::PathBuf;

use clap::Args;
use engross_docx::ops::OwnPolicy;

use crate::output::Detail;

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

/// How much of what was done the JSON document tells.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DetailArgs {
    /// With --json: the words that changed with a little around them, or the whole paragraphs and all places.
    #[arg(
        long = "detail",
        value_enum,
        value_name = "WHICH",
        default_value = "terse",
        hide_default_value = true
    )]
    pub(crate) which: Detail,
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

pub(crate) fn positive(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|number| *number > 0).ok_or_else(|| "give a number from 1".to_owned())
}
