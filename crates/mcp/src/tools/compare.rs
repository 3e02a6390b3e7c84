//! `compare_documents`: makes a redline of two documents.

use std::fmt::Write as _;

use engross_documents::change::{Palette, printable};
use engross_documents::{Error, IsolatedCompareError, Redline, differences};
use engross_docx::{CompareOptions, ComparedView, Granularity};
use engross_protocol::Failure;
use engross_store::files::Precondition;

use crate::answer::Answer;
use crate::arguments::CallArguments;
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::target::{Usual, target};
use crate::watch::stopped;

use super::{Caller, review};

pub(super) fn run(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    let watch = caller.watch;
    let options = CompareOptions {
        author: documents.author(arguments.text("author"))?.to_owned(),
        date: documents.clock.now().to_string(),
        view: ComparedView::Accepted,
        keep_revisions: false,
        formatting: true,
        moves: true,
        granularity: Granularity::Word,
    };
    watch.step(0, "reading")?;
    let (before, old) = documents.read(arguments.required("before"))?;
    let (after, new) = documents.read(arguments.required("after"))?;
    let naming = documents.naming();
    let target = target(documents, &before, arguments.text("output"), Usual::NewFile("compared"))?;
    if target.is_source || target.place.is(&after) {
        let path = target.place.path.as_str().into();
        return Err(Error::OutputIsInput { path }.into());
    }
    watch.step(1, "comparing")?;
    let made = documents.isolation.redline((&before.shown(), old), (&after.shown(), new), &options);
    let Redline { bytes, report } = made.map_err(|failed| match failed {
        IsolatedCompareError::Compare(failed) => {
            let place = if failed.is_after { &after } else { &before };
            Failure::from(Error::document(place.shown(), failed.error))
        }
        IsolatedCompareError::Isolation(error) => error.into(),
    })?;
    if watch.is_stopped() {
        return Err(stopped());
    }
    watch.step(2, "writing")?;
    let path = target.place.shown();
    let workspace = documents.workspace(&target.place)?.until(watch.stop_signal());
    let put = workspace.put(&target.place.path, &bytes, &Precondition::Absent);
    put.map_err(|error| documents.failure(&target.place, error))?;
    drop(naming);
    let mut text = format!("Wrote {path}: {}", differences::counts(&report.changes, report.proof));
    let mut list = String::new();
    for change in &report.changes {
        let _ = writeln!(
            list,
            "{:<6} {}",
            printable(&change.address),
            differences::line(change, Palette::new(false))
        );
    }
    text.push_str(&Budget::of_tokens(None).cut(&list, "read the redline with mode=revisions"));
    text.push_str(
        &Budget::of_tokens(None).part(4).cut(&differences::limitations(&report.limitations), "and so on"),
    );
    let size = u64::try_from(bytes.len()).unwrap_or_default();
    // Where no page is shown nobody needs to open it.
    let made = caller.abilities.may_show_pages().then(|| documents.isolation.open(&path, bytes).ok());
    let review = made.flatten().and_then(|made| review(documents, &made, &target.place, caller));
    Ok(Answer { text, written: target.place.absolute().map(|path| (path, size)), is_error: false, review })
}
