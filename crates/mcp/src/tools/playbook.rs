//! `review_playbook`: the positions of a playbook, answered by who calls and checked against the document.
//!
//! The caller has read the document; the engine finds missing clauses and forbidden words itself, and takes no verdict without words of the
//! clause. Must never ask a model.

use std::fmt::Write as _;

use engross_documents::change::printable;
use engross_documents::{EditWork, Error, has_worked, report};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_playbook::report::{asked, text};
use engross_playbook::{Playbook, plan_with, review_with};
use engross_protocol::Failure;
use serde_json::json;

use crate::answer::Answer;
use crate::arguments::CallArguments;
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::folders::Place;
use crate::target::{Usual, target};
use crate::watch::stopped;

use super::{Caller, review};

pub(super) fn run(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    let playbook = playbook(documents, arguments.required("playbook"))?;
    caller.watch.step(0, "reading")?;
    let (source, bytes) = documents.read(arguments.required("path"))?;
    let options = EditOptions {
        author: documents.author(arguments.text("author"))?.to_owned(),
        date: documents.clock.now().to_string(),
    };
    let Some(answers) = arguments.value("answers") else {
        return look(documents, (&source, bytes), &playbook, &options);
    };
    let naming = documents.naming();
    let target = target(documents, &source, arguments.text("output"), Usual::GoOn("review"))?;
    let workspace = documents.workspace(&target.place)?;
    let workspace = workspace.of_one(target.place.path.clone(), bytes, Some(target.source.clone().into()));
    caller.watch.step(1, "checking the answers")?;
    let path = &target.place.path;
    let opened = workspace.open(path).map_err(|error| documents.failure(&source, error))?;
    let plan = plan_with(&opened.document, &playbook, Some(answers));
    let plan = plan.map_err(|error| Failure::from(Error::document(source.shown(), error)))?;
    let batch = json!(plan.operations());
    let work = EditWork::Operations { batch: &batch, options: &options };
    let reviewed = workspace.edit(path, None, (Tracking::Tracked, &work), |document| {
        let made = plan_with(document, &playbook, Some(answers))?.carry_out(document, &options)?;
        if caller.watch.is_stopped() {
            *document = WordDocument::open(document.source().to_vec(), &Limits::default())?;
        }
        Ok(made)
    });
    drop(naming);
    let (mut made, edit, document) = reviewed.map_err(|error| documents.failure(&source, error))?;
    if caller.watch.is_stopped() {
        return Err(stopped());
    }
    let is_written = made.positions.iter().flat_map(|position| &position.operations).any(has_worked);
    made.output = is_written.then(|| target.place.shown());
    let mut out = report::ending(made.output.as_deref(), edit.proof, Tracking::Tracked);
    out.push('\n');
    out.push_str(&Budget::of_tokens(None).cut(&text(&made, printable), "the rest is in the file"));
    let open = made.summary.unanswered;
    if open > 0 {
        let _ = writeln!(
            out,
            "{open} positions have no answer that holds; mend those and call again with the file that was written."
        );
    }
    let written = is_written.then(|| super::edit::written(&workspace, &target.place)).flatten();
    let review = is_written.then(|| review(documents, &document, &target.place, caller)).flatten();
    Ok(Answer { written, review, ..Answer::of(out) })
}

/// What words alone tell, and what is to be answered. Writes nothing.
fn look(
    documents: &McpDocuments,
    (source, bytes): (&Place, Vec<u8>),
    playbook: &Playbook,
    options: &EditOptions,
) -> Result<Answer, Failure> {
    let of = |error| Failure::from(Error::document(source.shown(), error));
    let mut document = documents.isolation.open(&source.shown(), bytes)?;
    let found = review_with(&mut document, playbook, None, options).map_err(of)?;
    let out = asked(playbook, &found, printable);
    Ok(Answer::of(Budget::of_tokens(None).cut(&out, "answer these first")))
}

fn playbook(documents: &McpDocuments, path: &str) -> Result<Playbook, Failure> {
    let (place, bytes) = documents.read(path)?;
    read(&place.shown(), &bytes)
}

/// A playbook in the bytes of a file.
pub(crate) fn read(shown: &str, bytes: &[u8]) -> Result<Playbook, Failure> {
    Playbook::read(bytes).map_err(|error| {
        Failure::of(engross_playbook::codes::PLAYBOOK_INVALID, format!("the playbook {shown}: {error}"))
    })
}
