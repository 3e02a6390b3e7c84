//! `engross edit`: the main job.
//!
//! Must never write before the run is over: an interrupted run leaves nothing behind.

use std::path::Path;
use std::sync::Arc;

use engross_agent::{EditRun, EditRunEvent, EditRunOperation, EditRunOptions, EditRunOutcome};
use engross_documents::change::Palette;
use engross_documents::report::{self, ending};
use engross_documents::{Receipt, has_worked, signature};
use engross_docx::ops::{Operation, OwnPolicy};
use engross_docx::{EditOptions, OwnRecord, Tracking, WordDocument, guards};
use engross_llm::Model;
use engross_protocol::{Exit, Failure};
use serde::Serialize;
use serde_json::{Value, json};

use super::documents::{clock, deliver, destination, open, pictures_here};
use super::verify::{self, RedlineOrigin};
use super::{CommandEnd, settings};
use crate::cli::EditArgs;
use crate::output::Output;
use crate::progress::Progress;
use engross_compose::failure::{self, usage};
use engross_compose::model;
#[cfg(feature = "server")]
use engross_compose::preferences::Preferences;
use engross_compose::settings::{Environment, Flags};

#[derive(Serialize)]
struct Answer {
    #[serde(flatten)]
    receipt: Receipt<EditRunOperation>,
    model: String,
    rounds: u32,
    text: String,
    complete: bool,
    /// Why it is not complete: `code` and `message`.
    reason: Option<Value>,
}

pub(crate) fn run(args: &EditArgs, environment: &Environment, output: Output) -> Result<CommandEnd, Failure> {
    if args.instruction.trim().is_empty() {
        return Err(usage("USAGE", "the instruction is empty; say what to change"));
    }
    let flags = Flags {
        author: args.signature.author.clone(),
        model: args.model.clone(),
        untracked: args.signature.untracked,
        ..Flags::default()
    };
    let settings = settings(&args.common, flags, environment)?;
    let options = EditRunOptions {
        edit: EditOptions {
            author: signature::author(&settings.author.value)?.to_owned(),
            date: clock(args.signature.date.as_deref())?.now().to_string(),
        },
        max_rounds: settings.max_rounds.value,
    };
    let (input, mut document) = open(&args.file)?;
    match args.signature.own() {
        None | Some(OwnPolicy::Recorded) => {}
        Some(OwnPolicy::Author) => {
            let record = document.record_of(&options.edit.author);
            document.recall(record.map_err(|error| failure::of_document(input.path(), &error))?);
        }
        Some(OwnPolicy::History) => document.recall(OwnRecord::default()),
    }
    let guarded = guards(&document).into_iter().map(|finding| finding.message);
    let destination = destination(&input, &args.target, "redline")?;
    let model = model::open(&settings, environment)?;
    let spec = model.info().spec;
    #[cfg(feature = "server")]
    let preferences = Preferences::of(&settings);
    #[cfg(feature = "server")]
    let kind = Preferences::kind(args.client.as_deref(), &args.file);
    #[cfg(feature = "server")]
    let model = match &preferences {
        Some(preferences) => preferences.recalling(model, &kind, &settings),
        None => model,
    };

    let Some(outcome) = run_model(&mut document, model, options, &args.instruction)? else {
        return Ok(CommandEnd::Interrupted("interrupted; nothing was written"));
    };
    let outcome = outcome.map_err(|error| failure::of_document(input.path(), &error))?;

    let tracking = if settings.untracked.value { Tracking::Untracked } else { Tracking::Tracked };
    let delivery = if outcome.operations.iter().any(|operation| has_worked(&operation.result)) {
        Some(deliver(&document, tracking, &input, &destination)?)
    } else {
        None
    };
    #[cfg(feature = "server")]
    if let (Some(preferences), Some(made), Tracking::Tracked) =
        (&preferences, delivery.as_ref().and_then(|delivery| delivery.output.as_ref()), tracking)
    {
        preferences.record(Path::new(made), std::slice::from_ref(&settings.author.value), &kind);
    }
    if delivery.is_none()
        && let Some(failure) = model_failure(&outcome)
    {
        return Err(failure);
    }
    let exit = exit_of(&outcome);
    let reason = reason(&outcome);
    let mut answer = Answer {
        model: spec,
        rounds: outcome.rounds,
        complete: reason.is_none(),
        reason,
        receipt: Receipt::new(
            input.path().display().to_string(),
            outcome.summary(),
            outcome.operations,
            delivery,
            guarded.chain(outcome.warnings).collect(),
        ),
        text: outcome.text,
    };
    if let (Some(path), Some(made)) = (&args.receipt, &answer.receipt.output) {
        let origin = RedlineOrigin {
            source: document.source(),
            redline: Path::new(made),
            receipt: path,
            author: &settings.author.value,
            model: &answer.model,
        };
        verify::write_receipt(&origin, &answer.receipt.operations, environment)?;
    }
    if output.is_terse(args.detail.which) {
        answer.receipt = answer.receipt.terse(|operation| &mut operation.result);
    }
    output.detailed(args.detail.which, &answer, || text(&answer, tracking, output))?;
    Ok(CommandEnd::With(exit))
}

/// Runs the loop; `None` after Ctrl-C.
fn run_model(
    document: &mut WordDocument,
    model: Arc<dyn Model>,
    options: EditRunOptions,
    instruction: &str,
) -> Result<Option<Result<EditRunOutcome, engross_docx::Error>>, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let message = format!("the machine gives no room to talk to a model: {error}; close other programs");
        Failure::new(Exit::Model, "MODEL_UNAVAILABLE", message)
    })?;
    let progress = Progress::of_long_work();
    let mut said = String::new();
    let mut events = |event| show(event, &progress, &mut said);
    let pictures = |operations: &[&Operation]| pictures_here(operations.iter().copied());
    let mut run = EditRun::new(document, model, options).with_pictures(&pictures);
    Ok(runtime.block_on(async {
        tokio::select! {
            outcome = run.run(instruction, &mut events) => Some(outcome),
            _ = tokio::signal::ctrl_c() => None,
        }
    }))
}

/// Shows what happens. `said` gathers the model's words until it acts; its closing words are part of the answer.
fn show(event: EditRunEvent, progress: &Progress, said: &mut String) {
    match event {
        EditRunEvent::Reading { paragraphs } => progress.status(&format!("Reading {paragraphs} paragraphs")),
        EditRunEvent::Asking { round, of, model } => {
            said.clear();
            progress.status(&format!("Asking {model} ({round} of at most {of})"));
        }
        EditRunEvent::Text(text) => said.push_str(&text),
        EditRunEvent::Applying { summary } => {
            if !said.trim().is_empty() {
                progress.line(&engross_documents::change::printable(said.trim()));
                said.clear();
            }
            progress.status(&format!("Applying edits: {summary}"));
        }
        EditRunEvent::Warning(warning) => progress.line(&format!("Warning: {warning}")),
        EditRunEvent::Operation(_) | EditRunEvent::Done => {}
    }
}

/// The failure of a model that left nothing to write.
fn model_failure(outcome: &EditRunOutcome) -> Option<Failure> {
    use engross_agent::EditRunEnd;
    match &outcome.ending {
        EditRunEnd::ModelFailed(error) => Some(error.clone().into()),
        EditRunEnd::AnswerCut | EditRunEnd::AnswerFiltered => {
            Some(Failure::new(Exit::Model, outcome.ending.code()?, outcome.ending.message()))
        }
        EditRunEnd::Finished
        | EditRunEnd::RoundsExhausted { .. }
        | EditRunEnd::RepeatedCall { .. }
        | EditRunEnd::NoProgress => None,
    }
}

fn exit_of(outcome: &EditRunOutcome) -> Exit {
    if model_failure(outcome).is_some() {
        Exit::Model
    } else if outcome.is_complete() && !outcome.operations.is_empty() {
        Exit::Done
    } else {
        Exit::Refused
    }
}

/// Why the work is not complete, if it is not.
fn reason(outcome: &EditRunOutcome) -> Option<Value> {
    let summary = outcome.summary();
    let left = summary.refused + summary.failed;
    let (code, message) = match outcome.ending.code() {
        Some(code) => (code, outcome.ending.message()),
        None if outcome.operations.is_empty() => {
            ("NOTHING_APPLIED", "the model made no edit; its words say why".to_owned())
        }
        None if left > 0 && !outcome.has_edits() => {
            ("NOTHING_APPLIED", "no edit was applied; each says why".to_owned())
        }
        None if left > 0 => ("NOT_ALL_APPLIED", format!("{left} edits were not applied; each says why")),
        None => return None,
    };
    Some(json!({"code": code, "message": message}))
}

fn text(answer: &Answer, tracking: Tracking, output: Output) -> String {
    let receipt = &answer.receipt;
    let mut end = ending(receipt.output.as_deref(), receipt.proof, tracking);
    if let Some(message) = answer.reason.as_ref().and_then(|reason| reason["message"].as_str()) {
        end.push_str(&format!("\nNot complete: {message}."));
    }
    let results = receipt.operations.iter().map(|operation| &operation.result);
    let summary = report::text(receipt, results, Palette::new(output.colour), &end);
    let words = answer.text.trim();
    if words.is_empty() {
        return summary;
    }
    let words: Vec<String> = words.lines().map(engross_documents::change::printable).collect();
    format!("{}\n\n{summary}", words.join("\n"))
}
