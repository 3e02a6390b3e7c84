//! `engross accept` and `engross reject`

use engross_documents::Receipt;
use engross_documents::change::Palette;
use engross_documents::report::{ending, text};
use engross_docx::Tracking;
use engross_docx::ops::{OperationResult, Status, Summary};
use engross_docx::revisions::{Choice, RevisionKind, Side};
use engross_docx::{CleanOptions, PlacedRevision, WordDocument};
use engross_protocol::{Exit, Failure};

use super::CommandEnd;
use super::documents::{deliver, destination, open};
use crate::cli::{AcceptArgs, ResolveArgs};
use crate::output::Output;
use engross_compose::failure;

pub(crate) fn accept(args: &AcceptArgs, output: Output) -> Result<CommandEnd, Failure> {
    let options = CleanOptions { keep_comments: args.keep_comments, anonymous: args.anonymous };
    run(&args.resolve, Side::Accept, args.clean.then_some(options), output)
}

pub(crate) fn reject(args: &ResolveArgs, output: Output) -> Result<CommandEnd, Failure> {
    run(args, Side::Reject, None, output)
}

fn run(
    args: &ResolveArgs,
    side: Side,
    clean: Option<CleanOptions>,
    output: Output,
) -> Result<CommandEnd, Failure> {
    let suffix = match (side, clean) {
        (_, Some(_)) => "clean",
        (Side::Accept, None) => "accepted",
        (Side::Reject, None) => "rejected",
    };
    let (input, mut document) = open(&args.file)?;
    let destination = destination(&input, &args.target, suffix)?;
    let of_document = |error| failure::of_document(input.path(), &error);
    let choice = Choice {
        ids: args.id.clone(),
        author: args.author.clone(),
        kinds: args.kind.iter().flat_map(|kinds| kinds.0.clone()).collect(),
        range: args.range.clone(),
    };
    let revisions = document.resolve(side, &choice).map_err(of_document)?;
    if revisions.is_empty() && !choice.is_all() {
        let message =
            format!("{}: no tracked change fits; `engross revisions` lists them", input.path().display());
        return Err(Failure::new(Exit::Refused, "NOTHING_APPLIED", message));
    }
    let kinds: Vec<RevisionKind> = revisions.iter().map(|placed| placed.revision.kind).collect();
    let operations: Vec<OperationResult> =
        revisions.into_iter().enumerate().map(|(index, revision)| result(index, revision, side)).collect();
    let warnings = if choice.is_all() { leftovers(&document).map_err(of_document)? } else { Vec::new() };
    if let Some(options) = clean {
        document.clean(options).map_err(of_document)?;
    }
    let delivery = deliver(&document, Tracking::Tracked, &input, &destination)?;
    let (name, summary) = (input.path().display().to_string(), Summary::of(&operations));
    let mut receipt = Receipt::new(name, summary, operations, Some(delivery), warnings);
    if output.is_terse(args.detail.which) {
        receipt = receipt.terse(|result| result);
    }
    output.detailed(args.detail.which, &receipt, || {
        let end = ending(receipt.output.as_deref(), receipt.proof, Tracking::Tracked);
        let told: Vec<OperationResult> = receipt.operations.iter().zip(kinds).map(in_words).collect();
        text(&receipt, &told, Palette::new(output.colour), &end)
    })?;
    Ok(CommandEnd::With(Exit::Done))
}

/// A resolved revision in the form of an operation's result.
fn result(index: usize, placed: PlacedRevision, side: Side) -> OperationResult {
    let PlacedRevision { address, revision, .. } = placed;
    let comes = matches!(revision.kind, RevisionKind::Insertion | RevisionKind::MoveTo);
    let goes = matches!(revision.kind, RevisionKind::Deletion | RevisionKind::MoveFrom);
    let stays = if side == Side::Accept { comes } else { goes };
    let is_text = comes || goes;
    OperationResult {
        index,
        op: if side == Side::Accept { "accept" } else { "reject" }.to_owned(),
        status: Status::Applied,
        code: None,
        message: None,
        address: Some(address).filter(|address| !address.is_empty()),
        revision_ids: revision.stamp.id.into_iter().collect(),
        gone_revision_ids: Vec::new(),
        more_revisions: 0,
        comment_ids: Vec::new(),
        untracked: Vec::new(),
        before: is_text.then(|| revision.text.clone()),
        after: is_text.then(|| if stays { revision.text } else { String::new() }),
    }
}

/// The same for people: a change without words says what it was.
fn in_words((result, kind): (&OperationResult, RevisionKind)) -> OperationResult {
    let message = result.before.is_none().then(|| kind.in_words().to_owned());
    OperationResult { message, ..result.clone() }
}

/// A warning when revisions are left.
fn leftovers(document: &WordDocument) -> Result<Vec<String>, engross_docx::Error> {
    let left = document.revisions()?.len();
    if left == 0 {
        return Ok(Vec::new());
    }
    Ok(vec![format!("{left} tracked changes are of a kind that is not resolved yet; they stay as they are")])
}
