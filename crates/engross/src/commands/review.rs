//! `engross review`: a playbook, answered for a document.
//!
//! Must never write before the review is over, nor over the document unless that was asked for.

use std::path::Path;

use engross_documents::change::printable;
use engross_documents::{Destination, has_worked, signature};
use engross_docx::{EditOptions, Tracking, WordDocument};
use engross_llm::Model;
use engross_playbook::report::{html, markdown, text};
use engross_playbook::{Playbook, ReviewError, ReviewReport, codes, review};
use engross_protocol::{Exit, Failure};
use serde_json::json;

use super::documents::{clock, deliver, destination, open};
use super::{CommandEnd, settings};
use crate::cli::PlaybookReviewArgs;
use crate::output::Output;
use crate::progress::Progress;
use engross_compose::failure::{self, of_delivery};
use engross_compose::files::{by_path, read_text};
use engross_compose::model;
use engross_compose::settings::{Environment, Flags, ProgramSettings};

pub(crate) fn run(
    args: &PlaybookReviewArgs,
    environment: &Environment,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let flags = Flags { author: args.author.clone(), model: args.model.clone(), ..Flags::default() };
    let settings = settings(&args.common, flags, environment)?;
    let options = EditOptions {
        author: signature::author(&settings.author.value)?.to_owned(),
        date: clock(args.date.as_deref())?.now().to_string(),
    };
    let playbook = read_playbook(&args.playbook)?;
    let (input, mut document) = open(&args.file)?;
    let target = destination(&input, &args.target, "review")?;
    for report in [&args.markdown, &args.html].into_iter().flatten() {
        input.check(&Destination::NewFile(report.clone())).map_err(of_delivery)?;
    }
    let model = match named(&settings) {
        true => Some(model::open(&settings, environment)?),
        false => None,
    };
    let Some(made) = ask(&mut document, &playbook, model.as_deref(), &options)? else {
        return Ok(CommandEnd::Interrupted("interrupted; nothing was written"));
    };
    let mut report = made.map_err(|error| match error {
        ReviewError::Document(error) => failure::of_document(input.path(), &error),
        ReviewError::Model(error) => error.into(),
    })?;
    report.document = input.path().display().to_string();
    report.playbook = args.playbook.display().to_string();
    if report.positions.iter().flat_map(|position| &position.operations).any(has_worked) {
        let delivery = deliver(&document, Tracking::Tracked, &input, &target)?;
        report.output = delivery.output;
        report.sha256 = Some(delivery.sha256);
        report.proof = delivery.proof;
    }
    let pages = [(&args.markdown, markdown as fn(&ReviewReport) -> String), (&args.html, html)];
    for (path, render) in pages {
        if let Some(path) = path {
            by_path::write(path, render(&report).as_bytes(), None)
                .map_err(|error| of_delivery(error.into()))?;
        }
    }
    output.answer(&report, || text(&report, printable))?;
    let is_fine = report.positions.iter().all(|position| position.verdict.is_acceptable());
    Ok(CommandEnd::With(if is_fine { Exit::Done } else { Exit::Refused }))
}

/// Whether a model is set that can judge: the rules only know patterns of edits.
fn named(settings: &ProgramSettings) -> bool {
    settings.model.value.as_deref().is_some_and(|model| model != "rules")
}

fn read_playbook(path: &Path) -> Result<Playbook, Failure> {
    let text = read_text(path)?;
    Playbook::read(text.as_bytes()).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Failure::of(codes::PLAYBOOK_INVALID, message).with_details(json!({"line": error.line}))
    })
}

/// The review; `None` after Ctrl-C.
fn ask(
    document: &mut WordDocument,
    playbook: &Playbook,
    model: Option<&dyn Model>,
    options: &EditOptions,
) -> Result<Option<Result<ReviewReport, ReviewError>>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message = format!("the machine gives no room to talk to a model: {error}; close other programs");
        Failure::new(Exit::Model, "MODEL_UNAVAILABLE", message)
    })?;
    let progress = Progress::of_long_work();
    if let Some(model) = model {
        progress.status(&format!(
            "Asking {} about {} positions",
            model.info().spec,
            playbook.positions.len()
        ));
    }
    Ok(runtime.block_on(async {
        tokio::select! {
            report = review(document, playbook, model, options) => Some(report),
            _ = tokio::signal::ctrl_c() => None,
        }
    }))
}
