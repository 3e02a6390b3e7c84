//! `engross apply`

use std::fmt::Write as _;

use engross_docx::ops::{Batch, OperationResult, Status, Summary, parse_batch};
use engross_docx::{EditOptions, Effects, Reference, NumberChange, TermChange, Tracking, guards};
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::{Ended, open, settings};
use crate::change::{Palette, printable};
use crate::cli::ApplyArgs;
use crate::delivery::{Writing, deliver, destination};
use crate::failure::{self, usage};
use crate::files::read_text;
use crate::output::Output;
use crate::progress::Progress;
use crate::report::{NO_PROOF, Report, ending};
use crate::settings::{Environment, Flags};
use crate::signature;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(flatten)]
    report: Report<OperationResult>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Effects::is_empty")]
    effects: Effects,
}

pub(super) fn run(args: &ApplyArgs, environment: &Environment, output: Output) -> Result<Ended, Failure> {
    let flags = Flags {
        author: args.signature.author.clone(),
        untracked: args.signature.untracked,
        ..Flags::default()
    };
    let settings = settings(&args.common, flags, environment)?;
    let options = EditOptions {
        author: signature::author(&settings.author.value)?.to_owned(),
        date: signature::clock(args.signature.date.as_deref())?.now().to_string(),
    };
    let batch = read_batch(args)?;
    let (input, mut document) = open(&args.file)?;
    let warnings = guards(&document).into_iter().map(|finding| finding.message).collect();
    let destination = destination(&input, &args.target, "redline")?;
    let progress = Progress::of_short_work();
    progress.status(&format!("Reading {} paragraphs", document.paragraph_count()));
    let count = batch.operations.len();
    progress.status(&format!("Applying edits: {count} operation{}", if count == 1 { "" } else { "s" }));
    let before = document.survey();
    let operations =
        document.apply(&batch, &options).map_err(|error| failure::of_document(&input.path, &error))?;
    let summary = Summary::of(&operations);
    let tracking = if settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked };
    let writing = if args.dry_run { Writing::DryRun } else { Writing::Real };
    let delivery = if has_result(&operations) {
        Some(deliver(&document, tracking, &input.path, &destination, writing)?)
    } else {
        None
    };
    let report = Report {
        input: input.path.display().to_string(),
        output: delivery.as_ref().and_then(|delivery| delivery.output.clone()),
        sha256: delivery.as_ref().map(|delivery| delivery.sha256.clone()),
        summary,
        operations,
        proof: delivery.map_or(NO_PROOF, |delivery| delivery.proof),
        warnings: if summary.applied > 0 { warnings } else { Vec::new() },
    };
    let effects = document.effects(&before);
    let answer = Answer { report, dry_run: args.dry_run, effects };
    output.answer(&answer, || {
        let report = &answer.report;
        let end = match writing {
            Writing::DryRun => "This was a dry run: nothing was written.".to_owned(),
            Writing::Real => ending(report.output.as_deref(), report.proof, tracking),
        };
        report.text(&report.operations, Palette::new(output.colour), &(told(&answer.effects) + &end))
    })?;
    let is_whole = summary.refused + summary.failed == 0;
    Ok(Ended::With(if is_whole { Exit::Done } else { Exit::Refused }))
}

/// What the edits did besides, for people.
fn told(effects: &Effects) -> String {
    let mut out = String::new();
    for NumberChange { address, from, to } in &effects.renumbered {
        let _ = writeln!(out, "{address} was {from} and is {to}.");
    }
    for Reference { address, names, now } in &effects.stale_references {
        let now = now.as_deref().unwrap_or("gone");
        let _ = writeln!(out, "{address} says {}, which is {now} now.", printable(names));
    }
    for Reference { address, names, .. } in &effects.dangling_references {
        let _ = writeln!(out, "{address} refers to {}, which has no text any more.", printable(names));
    }
    for term in &effects.defined_terms {
        let what = match term.change {
            TermChange::Added => "is defined now",
            TermChange::Removed => "is not defined any more",
            TermChange::Changed => "is defined in other words",
        };
        let _ = writeln!(out, "{} {what}; used in {}.", printable(&term.term), term.used.join(", "));
    }
    out
}

/// Whether there is a file to write: something was applied, or nothing had to be.
fn has_result(operations: &[OperationResult]) -> bool {
    let worked = |result: &OperationResult| matches!(result.status, Status::Applied | Status::NoChange);
    operations.is_empty() || operations.iter().any(worked)
}

/// The operations. What the command line says of author and date goes before what they say.
fn read_batch(args: &ApplyArgs) -> Result<Batch, Failure> {
    let text = read_text(&args.operations)?;
    let path = args.operations.display();
    let json = serde_json::from_str(&text).map_err(|error| {
        usage("INVALID_JSON", format!("{path} is not valid JSON: {error}; correct it there"))
    })?;
    let mut batch = parse_batch(&json).map_err(|error| failure::of_document(&args.operations, &error))?;
    if args.signature.author.is_some() {
        let authors = batch.operations.iter_mut().map(|operation| &mut operation.author);
        authors.chain([&mut batch.author]).for_each(|author| *author = None);
    }
    if args.signature.date.is_some() {
        batch.date = None;
    }
    signature::check(&mut batch)?;
    Ok(batch)
}
