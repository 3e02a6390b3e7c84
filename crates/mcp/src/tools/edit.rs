//! `edit_document`: operations as proven tracked changes, or a new document of Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use engross_documents::change::{Palette, describe};
use engross_documents::{Delivery, EditWork, Error, Workspace, has_result, report, signature};
use engross_docx::ops::{Batch, OperationResult, Proof, Status, Summary, parse_batch};
use engross_docx::{EditOptions, Effects, Limits, Tracking, WordDocument, guards};
use engross_protocol::{Exit, Failure};
use engross_store::files::{FileError, Precondition};
use serde_json::{Map, Value};

use crate::answer::Answer;
use crate::arguments::{CallArguments, invalid};
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::folders::Place;
use crate::question::{Consent, Question};
use crate::target::{Target, Usual, check_ending, target};
use crate::watch::stopped;

use super::{CallEnd, Caller, review};

/// What an edit did.
struct BatchOutcome {
    results: Vec<OperationResult>,
    effects: Effects,
    warnings: Vec<String>,
    /// Paragraphs before and after.
    paragraphs: (usize, usize),
}

/// What became of the file.
struct Outcome {
    edited: BatchOutcome,
    /// What was proven, of a result that there is.
    delivery: Option<Delivery>,
    revision: String,
    checkpoint: Option<String>,
    is_written: bool,
    document: WordDocument,
}

/// How an edit ends.
enum EditEnd {
    Done(Box<Outcome>),
    /// The client took the call back; nothing was written.
    Stopped,
    /// A person is to be asked; nothing was written.
    Asks(Question),
}

/// What came of applying a batch in memory.
enum BatchEnd {
    Done(BatchOutcome),
    Stopped,
    Asks(Question),
}

pub(super) fn run(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<CallEnd, Failure> {
    let path = arguments.required("path");
    match (arguments.value("operations"), arguments.text("from_markdown")) {
        (Some(_), Some(_)) => Err(invalid("give 'operations' or 'from_markdown', not both".to_owned())),
        (None, Some(markdown)) => create(documents, path, markdown, caller).map(CallEnd::from),
        (None, None) => Err(invalid(
            "there is nothing to do; give 'operations', such as [{\"op\": \"modify_text\", \"originalText\": \"30 days\", \
             \"replacementText\": \"60 days\"}]"
                .to_owned(),
        )),
        (Some(operations), None) => {
            let options = EditOptions {
                author: documents.author(arguments.text("author"))?.to_owned(),
                date: documents.clock.now().to_string(),
            };
            caller.watch.step(0, "reading")?;
            let (source, bytes) = documents.read(path)?;
            let (operations, said) = chosen(operations, documents, (&source, &bytes), caller.consent)?;
            let (batch, json) = batch(&operations, arguments)?;
            let naming = documents.naming();
            let target = target(documents, &source, arguments.text("output"), Usual::GoOn("redline"))?;
            let workspace = documents.workspace(&target.place)?.until(caller.watch.stop_signal());
            let workspace = workspace.of_one(target.place.path.clone(), bytes, Some(target.source.clone().into()));
            caller.watch.step(1, "applying")?;
            let is_dry = arguments.flag("dry_run");
            let outcome = if is_dry {
                try_out(&workspace, &target, (&batch, &json), &options)
            } else {
                apply(&workspace, &target, (&batch, &json), &options, caller)
            };
            drop(naming);
            let outcome = match outcome.map_err(|error| documents.failure(&source, error))? {
                EditEnd::Stopped => return Err(stopped()),
                EditEnd::Asks(question) => return Ok(CallEnd::Question(question)),
                EditEnd::Done(outcome) => outcome,
            };
            let mut answer = answer(&workspace, &target, &outcome, is_dry);
            if let Some(said) = said {
                answer.text.push_str(&format!("Note: {said}.\n"));
            }
            if outcome.is_written {
                answer.review = review(documents, &outcome.document, &target.place, caller);
            }
            Ok(answer.into())
        }
    }
}

/// The batch in the language, and as it was read; what is wrong with one operation costs that one.
fn batch(operations: &Value, arguments: &CallArguments) -> Result<(Batch, Value), Failure> {
    let mut json = Map::new();
    json.insert("operations".to_owned(), operations.clone());
    json.insert("atomic".to_owned(), Value::Bool(arguments.flag("atomic")));
    if let Some(revision) = arguments.text("expected_revision") {
        json.insert("expectedRevision".to_owned(), Value::String(revision.to_owned()));
    }
    let json = Value::Object(json);
    let parsed = parse_batch(&json);
    let mut batch = parsed.map_err(|error| {
        let message = format!("{error}; describe_operations tells what there is");
        Failure::new(Exit::Usage, error.code(), message)
    })?;
    signature::check(&mut batch)?;
    Ok((batch, json))
}

fn edit(
    document: &mut WordDocument,
    pictures: BTreeMap<String, Vec<u8>>,
    batch: &Batch,
    options: &EditOptions,
) -> Result<BatchOutcome, engross_docx::Error> {
    let warnings = guards(document).into_iter().map(|finding| finding.message).collect();
    let (before, count) = (document.survey(), document.paragraph_count());
    document.give_files(pictures);
    let results = document.apply(batch, options)?;
    let effects = document.effects(&before);
    Ok(BatchOutcome { results, effects, warnings, paragraphs: (count, document.paragraph_count()) })
}

/// The operations with what a person chose, and what is to be said of it.
fn chosen(
    operations: &Value,
    documents: &McpDocuments,
    (source, bytes): (&Place, &[u8]),
    consent: &Consent,
) -> Result<(Value, Option<&'static str>), Failure> {
    let Consent::Answered(choices) = consent else { return Ok((operations.clone(), None)) };
    let revision = documents.isolation.open(&source.shown(), bytes.to_vec())?.revision();
    let (operations, said) = choices.put_into(operations, &revision);
    Ok((operations, Some(said)))
}

/// Applies a batch to the file, unless the client took the call back or a person is to be asked first.
fn apply(
    workspace: &Workspace,
    target: &Target,
    (batch, json): (&Batch, &Value),
    options: &EditOptions,
    caller: &Caller<'_>,
) -> Result<EditEnd, Error> {
    let path = &target.place.path;
    let pictures = workspace.pictures(&batch.operations);
    let operations = json.get("operations").unwrap_or(&Value::Null);
    let work = EditWork::Operations { batch: json, options };
    let (edited, edit, document) = workspace.edit(path, None, (Tracking::Tracked, &work), |document| {
        let revision = document.revision();
        let edited = edit(document, pictures.clone(), batch, options)?;
        // As it was opened, so nothing is written.
        let leave = |document: &mut WordDocument| {
            *document = WordDocument::open(document.source().to_vec(), &Limits::default())?;
            Ok::<_, engross_docx::Error>(())
        };
        if caller.watch.is_stopped() {
            leave(document)?;
            return Ok(BatchEnd::Stopped);
        }
        if *caller.consent == Consent::MayAsk
            && let Some(question) =
                Question::of(document.source(), &revision, operations, &edited.results, options)?
        {
            leave(document)?;
            return Ok(BatchEnd::Asks(question));
        }
        let _ = caller.watch.step(2, "proving and writing");
        Ok(BatchEnd::Done(edited))
    })?;
    let edited = match edited {
        BatchEnd::Done(edited) => edited,
        BatchEnd::Stopped => return Ok(EditEnd::Stopped),
        BatchEnd::Asks(question) => return Ok(EditEnd::Asks(question)),
    };
    let is_written = edited.results.iter().any(|result| result.status == Status::Applied);
    let delivery = has_result(&edited.results).then(|| Delivery {
        output: is_written.then(|| target.place.shown()),
        sha256: edit.sha256,
        proof: edit.proof,
    });
    let (revision, checkpoint) = (document.revision(), edit.checkpoint);
    Ok(EditEnd::Done(Box::new(Outcome { edited, delivery, revision, checkpoint, is_written, document })))
}

/// Does everything but write.
fn try_out(
    workspace: &Workspace,
    target: &Target,
    (batch, json): (&Batch, &Value),
    options: &EditOptions,
) -> Result<EditEnd, Error> {
    let path = &target.place.path;
    let work = EditWork::Operations { batch: json, options };
    workspace.try_elsewhere(path, Tracking::Tracked, &work)?;
    let mut document = workspace.open(path)?.document;
    let failed = |error| Error::document(path.as_str(), error);
    let edited =
        edit(&mut document, workspace.pictures(&batch.operations), batch, options).map_err(failed)?;
    let saved = document.save(Tracking::Tracked).map_err(failed)?;
    let delivery = has_result(&edited.results).then(|| Delivery {
        output: None,
        sha256: String::new(),
        proof: saved.proof,
    });
    let revision = document.revision();
    let outcome = Outcome { edited, delivery, revision, checkpoint: None, is_written: false, document };
    Ok(EditEnd::Done(Box::new(outcome)))
}

fn answer(workspace: &Workspace, target: &Target, outcome: &Outcome, is_dry: bool) -> Answer {
    let Outcome { edited, delivery, revision, checkpoint, .. } = outcome;
    let summary = Summary::of(&edited.results);
    let output = delivery.as_ref().and_then(|delivery| delivery.output.clone());
    let proof = delivery.as_ref().map_or_else(Proof::default, |delivery| delivery.proof);
    let end = match is_dry {
        true => "This was a dry run: nothing was written.".to_owned(),
        false => report::ending(output.as_deref(), proof, Tracking::Tracked),
    };
    let mut text = format!("{}. {end}\n", report::counts(summary));
    for warning in edited.warnings.iter().filter(|_| summary.applied > 0) {
        let _ = writeln!(text, "Warning: {warning}");
    }
    let budget = Budget::of_tokens(None);
    text.push_str(&listed(&edited.results, budget));
    text.push_str(&budget.part(4).cut(&report::effects(&edited.effects), "the rest is alike"));
    let (before, after) = edited.paragraphs;
    if before != after && !is_dry {
        let _ = writeln!(
            text,
            "There are {after} paragraphs now, {before} before: read again before you name numbers."
        );
    }
    if let Some(output) = &output {
        let _ = writeln!(text, "{output} is at revision {revision}; name it as 'path' to go on.");
    }
    if let Some(checkpoint) = checkpoint {
        let _ = writeln!(text, "What it was before is checkpoint {checkpoint}.");
    }
    if let Some(output) = output.as_ref().filter(|_| target.is_source && target.place.is_open_elsewhere()) {
        text.push_str(&open_elsewhere(output));
    }
    let is_error = summary.applied + summary.no_change == 0 && !edited.results.is_empty();
    let written = output.and_then(|_| written(workspace, &target.place));
    Answer { text, written, is_error, review: None }
}

/// What the person has to be told who has a document open that was written: their program holds what it was, and would write it back.
pub(super) fn open_elsewhere(output: &str) -> String {
    format!(
        "Tell the user: {output} seems to be open in Word or LibreOffice; close it there without saving and open it again, or these changes are lost.\n"
    )
}

/// The results in order, those that need repair before all if not all fit.
fn listed(results: &[OperationResult], budget: Budget) -> String {
    let tell =
        |result: &OperationResult| format!("#{} {}", result.index, describe(result, Palette::new(false)));
    let all: String = results.iter().map(tell).collect();
    if budget.holds(&all) {
        return all;
    }
    let (wrong, right): (Vec<_>, Vec<_>) =
        results.iter().partition(|result| matches!(result.status, Status::Refused | Status::Failed));
    let sorted: String = wrong.into_iter().chain(right).map(tell).collect();
    budget.cut(&sorted, "send fewer operations in one call to see them all")
}

/// The file that was written, and its size.
pub(super) fn written(workspace: &Workspace, place: &Place) -> Option<(PathBuf, u64)> {
    let size = workspace.read(&place.path).ok().flatten().map(|bytes| bytes.len())?;
    Some((place.absolute()?, u64::try_from(size).unwrap_or_default()))
}

/// The failure of a new document whose name another file has.
fn is_there(place: &Place) -> Failure {
    let message = format!(
        "'{}' is there already; give another 'path', or change what is there with 'operations' (replace_document takes Markdown)",
        place.shown()
    );
    Failure::new(Exit::Refused, engross_store::files::codes::TARGET_EXISTS.name, message)
}

/// Makes a document where none is.
fn create(
    documents: &McpDocuments,
    path: &str,
    markdown: &str,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    let place = documents.folders.locate(path)?;
    check_ending(&place)?;
    let _naming = documents.naming();
    let bytes = documents.isolation.compose(&place.shown(), markdown)?.bytes;
    let workspace = documents.workspace(&place)?.until(caller.watch.stop_signal());
    let put = workspace.put(&place.path, &bytes, &Precondition::Absent);
    put.map_err(|error| match error {
        Error::File(FileError::TargetExists { .. }) => is_there(&place),
        other => documents.failure(&place, other),
    })?;
    let text = format!("Wrote {}, a new document.\n", place.shown());
    let written = place.absolute().map(|path| (path, bytes.len() as u64));
    Ok(Answer { written, ..Answer::of(text) })
}
