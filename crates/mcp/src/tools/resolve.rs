//! `resolve_changes`: accepts or rejects tracked changes.

use engross_documents::{EditWork, listing, report};
use engross_docx::Tracking;
use engross_docx::revisions::{Choice, Range, RevisionKind, Side};
use engross_protocol::{Exit, Failure};

use crate::answer::Answer;
use crate::arguments::{CallArguments, invalid};
use crate::budget::Budget;
use crate::documents::McpDocuments;
use crate::target::{Usual, target};

use super::{Caller, review};

pub(super) fn run(
    documents: &McpDocuments,
    arguments: &CallArguments,
    caller: &Caller<'_>,
) -> Result<Answer, Failure> {
    let watch = caller.watch;
    let (side, suffix, done) = match arguments.required("action") {
        "reject" => (Side::Reject, "rejected", "rejected"),
        _ => (Side::Accept, "accepted", "accepted"),
    };
    let choice = choice(arguments)?;
    watch.step(0, "reading")?;
    let (source, bytes) = documents.read(arguments.required("path"))?;
    let naming = documents.naming();
    let target = target(documents, &source, arguments.text("output"), Usual::NewFile(suffix))?;
    let workspace = documents.workspace(&target.place)?.until(watch.stop_signal()).of_one(
        target.place.path.clone(),
        bytes,
        Some(target.source.into()),
    );
    watch.step(1, "resolving")?;
    let resolved =
        workspace.edit(&target.place.path, None, (Tracking::Tracked, &EditWork::Resolution), |document| {
            let resolved = document.resolve(side, &choice)?;
            Ok((resolved, document.revisions()?.len()))
        });
    drop(naming);
    let ((resolved, left), edit, document) = resolved.map_err(|error| documents.failure(&source, error))?;
    if resolved.is_empty() {
        let message = format!(
            "{}: no tracked change fits; read_document with mode=revisions lists them",
            source.shown()
        );
        return Err(Failure::new(Exit::Refused, "NOTHING_APPLIED", message));
    }
    let path = target.place.shown();
    let changes = if resolved.len() == 1 { "change" } else { "changes" };
    let mut text = format!("{} {changes} {done}, {left} left. ", resolved.len());
    text.push_str(&report::ending(Some(&path), edit.proof, Tracking::Tracked));
    text.push('\n');
    if let Some(checkpoint) = &edit.checkpoint {
        text.push_str(&format!("What {path} was before is checkpoint {checkpoint}.\n"));
    }
    if target.is_source && target.place.is_open_elsewhere() {
        text.push_str(&super::edit::open_elsewhere(&path));
    }
    let list = Budget::of_tokens(None).cut(&listing::revisions(&resolved), "they are resolved as well");
    Ok(Answer {
        text: text + &list,
        written: super::edit::written(&workspace, &target.place),
        is_error: false,
        review: review(documents, &document, &target.place, caller),
    })
}

/// `P3:P9`, `3 - 9`, `P3 to P9` as ranges are written.
fn range(text: &str) -> String {
    let number = |part: &str| {
        let digits = part.trim().trim_start_matches(['P', 'p']);
        (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.to_owned())
    };
    for sign in ["..", ":", "–", "—", " to ", "-"] {
        if let Some((first, last)) = text.split_once(sign)
            && let (Some(first), Some(last)) = (number(first), number(last))
        {
            return format!("P{first}-P{last}");
        }
    }
    text.to_owned()
}

fn choice(arguments: &CallArguments) -> Result<Choice, Failure> {
    let range = arguments.text("range").map(|text| {
        Range::parse(&range(text)).ok_or_else(|| {
            invalid(format!("'range' cannot be '{text}'; give P3-P9, P3, footnote:3/P1-P2 or footnote:3"))
        })
    });
    Ok(Choice {
        ids: arguments.texts("ids").iter().map(|id| id.trim_start_matches("rev:").to_owned()).collect(),
        author: arguments.text("by_author").map(str::to_owned),
        kinds: arguments.text("kind").map(RevisionKind::named).unwrap_or_default(),
        range: range.transpose()?,
    })
}
