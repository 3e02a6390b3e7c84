//! `engross apply`

use std::path::Path;

use engross_documents::change::Palette;
use engross_documents::report::{self, ending, text};
use engross_documents::{Destination, Receipt, has_result, signature, terse_operations};
use engross_docx::ops::{Batch, OperationResult, Summary, parse_batch};
use engross_docx::{EditOptions, Effects, Tracking, guards};
use engross_protocol::{Exit, Failure};
use serde::Serialize;

use super::documents::{clock, deliver, destination, open, pictures_here};
use super::verify::{self, RedlineOrigin};
use super::{CommandEnd, settings};
use crate::cli::ApplyArgs;
use crate::output::Output;
use crate::progress::Progress;
use engross_compose::failure::{self, usage};
use engross_compose::files::read_text;
#[cfg(feature = "server")]
use engross_compose::preferences::Preferences;
use engross_compose::settings::{Environment, Flags};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    #[serde(flatten)]
    receipt: Receipt<OperationResult>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    dry_run: bool,
    #[serde(skip_serializing_if = "Effects::is_empty")]
    effects: Effects,
}

pub(crate) fn run(
    args: &ApplyArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let flags = Flags {
        author: args.signature.author.clone(),
        untracked: args.signature.untracked,
        ..Flags::default()
    };
    let settings = settings(&args.common, flags, environment)?;
    let options = EditOptions {
        author: signature::author(&settings.author.value)?.to_owned(),
        date: clock(args.signature.date.as_deref())?.now().to_string(),
    };
    let batch = read_batch(args)?;
    let (input, mut document) = open(&args.file)?;
    document.give_files(pictures_here(&batch.operations));
    let warnings = guards(&document).into_iter().map(|finding| finding.message).collect();
    let destination = destination(&input, &args.target, "redline")?;
    let progress = Progress::of_short_work();
    progress.status(&format!("Reading {} paragraphs", document.paragraph_count()));
    let count = batch.operations.len();
    progress.status(&format!("Applying edits: {count} operation{}", if count == 1 { "" } else { "s" }));
    let before = document.survey();
    let mut operations =
        document.apply(&batch, &options).map_err(|error| failure::of_document(input.path(), &error))?;
    let summary = Summary::of(&operations);
    let tracking = if settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked };
    let destination = if args.dry_run { Destination::Nowhere } else { destination };
    // Of a change in each paragraph of a long document the results are long, and writing it needs the room; a signed receipt holds
    // them whole.
    let is_terse = output.is_terse(args.detail.which);
    let more_operations = match &args.receipt {
        None if is_terse => terse_operations(&mut operations, |result| result),
        _ => 0,
    };
    let delivery = if has_result(&operations) {
        Some(deliver(&document, tracking, &input, &destination)?)
    } else {
        None
    };
    #[cfg(feature = "server")]
    if let (Some(preferences), Some(made), Tracking::Tracked) = (
        Preferences::of(&settings),
        delivery.as_ref().and_then(|delivery| delivery.output.as_ref()),
        tracking,
    ) {
        let own =
            document.own_record(tracking).map_err(|error| failure::of_document(input.path(), &error))?;
        let authors: Vec<String> = own.authors().map(str::to_owned).collect();
        let kind = Preferences::kind(args.client.as_deref(), &args.file);
        preferences.record(Path::new(made), &authors, &kind);
    }
    let warnings = if summary.applied > 0 { warnings } else { Vec::new() };
    let name = input.path().display().to_string();
    let mut receipt = Receipt::new(name, summary, operations, delivery, warnings);
    receipt.more_operations = more_operations;
    if let (Some(path), Some(made)) = (&args.receipt, &receipt.output) {
        let (redline, source) = (Path::new(made), document.source());
        let origin = RedlineOrigin { source, redline, receipt: path, author: &options.author, model: "" };
        verify::write_receipt(&origin, &receipt.operations, environment)?;
    }
    let mut answer = Answer { receipt, dry_run: args.dry_run, effects: document.effects(&before) };
    if is_terse && args.receipt.is_some() {
        answer.receipt = answer.receipt.terse(|result| result);
    }
    output.detailed(args.detail.which, &answer, || {
        let receipt = &answer.receipt;
        let end = match args.dry_run {
            true => "This was a dry run: nothing was written.".to_owned(),
            false => ending(receipt.output.as_deref(), receipt.proof, tracking),
        };
        let end = report::effects(&answer.effects) + &end;
        text(receipt, &receipt.operations, Palette::new(output.colour), &end)
    })?;
    let is_whole = summary.refused + summary.failed == 0;
    Ok(CommandEnd::With(if is_whole { Exit::Done } else { Exit::Refused }))
}

/// The operations. What the command line says of author and date goes before what they say.
fn read_batch(args: &ApplyArgs) -> Result<Batch, Failure> {
    let json = read_text(&args.operations)?;
    let path = args.operations.display();
    let json = serde_json::from_str(&json).map_err(|error| {
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
    if let Some(own) = args.signature.own() {
        batch.own = own;
    }
    signature::check(&mut batch)?;
    Ok(batch)
}
