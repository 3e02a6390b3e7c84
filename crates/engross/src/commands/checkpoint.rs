//! `engross checkpoint`

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

use engross_agent::workspace::losses;
use engross_docx::revisions::{Choice, Side};
use engross_docx::{Limits, PlacedRevision, Tracking, WordDocument};
use engross_protocol::{Clock as _, Exit, Failure, SystemClock};
use serde::Serialize;

use super::Ended;
use super::sessions::data_folder;
use crate::change::printable;
use crate::checkpoints::{Checkpoint, Checkpoints};
use crate::cli::{CheckpointArgs, CheckpointCommand};
use crate::failure;
use crate::files::{Destination, Input, Target, read_input};
use crate::output::Output;

/// Paragraphs shown of each side of a comparison.
const SHOWN: usize = 5;

#[derive(Serialize)]
struct Answer {
    file: String,
    checkpoints: Vec<Row>,
}

/// A checkpoint and what came after it.
#[derive(Serialize)]
struct Row {
    id: u64,
    name: Option<String>,
    at: String,
    size: u64,
    sha256: String,
    changes: Option<Changes>,
}

/// What the state after a checkpoint has and it has not, and the other way round.
#[derive(Serialize)]
struct Changes {
    added: Vec<Paragraph>,
    removed: Vec<Paragraph>,
    revisions: usize,
}

#[derive(Serialize)]
struct Paragraph {
    address: String,
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Restored {
    file: String,
    restored: u64,
    /// What the document was before.
    checkpoint: u64,
    /// How many tracked changes were taken back; all that came after it without.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<usize>,
}

pub(super) fn run(args: &CheckpointArgs, output: Output) -> Result<Ended, Failure> {
    let (input, bytes) = read_input(&args.file)?;
    let known = Checkpoints::open(&data_folder(None)?, &input.absolute())?;
    match &args.command {
        None | Some(CheckpointCommand::List { .. }) => list(&input, &bytes, &known, output)?,
        Some(CheckpointCommand::Save { name, .. }) => {
            document(&input.path, &bytes)?;
            let made = known.save(&bytes, Some(name), SystemClock.now())?;
            let row = row(made, None);
            output.answer(&row, || {
                format!("Checkpoint {} keeps {} as it is now.\n", row.id, input.path.display())
            })?;
        }
        Some(CheckpointCommand::Restore { id, change_set, .. }) => {
            restore(&input, &bytes, &known, (*id, *change_set), output)?;
        }
    }
    Ok(Ended::With(Exit::Done))
}

fn list(input: &Input, now: &[u8], known: &Checkpoints, output: Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut after = now.to_vec();
    for checkpoint in known.list()?.into_iter().rev() {
        let bytes = known.read(&checkpoint)?;
        let changes = changes(&after, &bytes).ok();
        rows.push(row(checkpoint, changes));
        after = bytes;
    }
    rows.reverse();
    let answer = Answer { file: input.path.display().to_string(), checkpoints: rows };
    output.answer(&answer, || text(&answer))
}

fn row(checkpoint: Checkpoint, changes: Option<Changes>) -> Row {
    let Checkpoint { id, name, at, size, sha256, .. } = checkpoint;
    Row { id, name, at, size, sha256, changes }
}

fn changes(after: &[u8], before: &[u8]) -> Result<Changes, engross_docx::Error> {
    let compared = losses(after, before)?;
    let of = |side: Vec<(String, String)>| -> Vec<Paragraph> {
        side.into_iter().map(|(address, text)| Paragraph { address, text }).collect()
    };
    let revisions = new_revisions(after, before)?.len();
    Ok(Changes { added: of(compared.lost), removed: of(compared.back), revisions })
}

/// What tells a tracked change from all others, in whatever state of the document.
fn key(placed: &PlacedRevision) -> (String, Option<i64>, String, Option<String>, String) {
    let stamp = &placed.revision.stamp;
    let kind = format!("{:?}", placed.revision.kind);
    (placed.part.clone(), stamp.id, stamp.author.clone(), stamp.date.clone(), kind)
}

type Key = (String, Option<i64>, String, Option<String>, String);

/// The tracked changes that `after` has and `before` has not.
fn new_revisions(after: &[u8], before: &[u8]) -> Result<BTreeSet<Key>, engross_docx::Error> {
    let keys = |bytes: &[u8]| -> Result<BTreeSet<Key>, engross_docx::Error> {
        let document = WordDocument::open(bytes.to_vec(), &Limits::default())?;
        Ok(document.revisions()?.iter().map(key).collect())
    };
    let old = keys(before)?;
    Ok(keys(after)?.into_iter().filter(|key| !old.contains(key)).collect())
}

fn restore(
    input: &Input,
    now: &[u8],
    known: &Checkpoints,
    (id, change_set): (u64, bool),
    output: Output,
) -> Result<(), Failure> {
    let all = known.list()?;
    let Some(at) = all.iter().position(|checkpoint| checkpoint.id == id) else {
        let ids: Vec<String> = all.iter().map(|checkpoint| checkpoint.id.to_string()).collect();
        let there =
            if ids.is_empty() { "there is none".to_owned() } else { format!("there are {}", ids.join(", ")) };
        let message = format!("{} has no checkpoint {id}; {there}", input.path.display());
        return Err(Failure::new(Exit::Refused, "CHECKPOINT_UNKNOWN", message));
    };
    let wanted = all.get(at).map(|checkpoint| known.read(checkpoint)).transpose()?.unwrap_or_default();
    let (bytes, rejected) = if change_set {
        let after = all.get(at + 1).map(|next| known.read(next)).transpose()?;
        let (bytes, count) = without_change_set(&input.path, now, &wanted, after.as_deref().unwrap_or(now))?;
        (bytes, Some(count))
    } else {
        (wanted, None)
    };
    // What is there now can be gone back to as well.
    let before = known.save(now, None, SystemClock.now())?;
    Destination::of(input, Target::InPlace)?.write(&bytes)?;
    let answer =
        Restored { file: input.path.display().to_string(), restored: id, checkpoint: before.id, rejected };
    output.answer(&answer, || {
        let what = match rejected {
            Some(count) => {
                format!("{count} tracked changes made after checkpoint {id} are taken back; later ones stay.")
            }
            None => format!("{} is as it was at checkpoint {id}.", answer.file),
        };
        format!("{what} Checkpoint {} is what it was before.\n", before.id)
    })
}

/// The document of now without the tracked changes that came between two states, and how many these were.
fn without_change_set(
    path: &Path,
    now: &[u8],
    before: &[u8],
    after: &[u8],
) -> Result<(Vec<u8>, usize), Failure> {
    let of_document = |error: engross_docx::Error| failure::of_document(path, &error);
    let meant = new_revisions(after, before).map_err(of_document)?;
    let mut document = document(path, now)?;
    let revisions = document.revisions().map_err(of_document)?;
    let ids: Vec<String> =
        revisions.into_iter().filter(|placed| meant.contains(&key(placed))).map(|placed| placed.id).collect();
    if ids.is_empty() {
        let message = format!(
            "{}: none of the tracked changes made after that checkpoint is left; restore it whole, without --change-set",
            path.display()
        );
        return Err(Failure::new(Exit::Refused, "NOTHING_APPLIED", message));
    }
    let count = ids.len();
    document.resolve(Side::Reject, &Choice { ids, ..Choice::default() }).map_err(of_document)?;
    let saved = document.save(Tracking::Tracked).map_err(of_document)?;
    Ok((saved.bytes, count))
}

fn document(path: &Path, bytes: &[u8]) -> Result<WordDocument, Failure> {
    WordDocument::open(bytes.to_vec(), &Limits::default()).map_err(|error| failure::of_document(path, &error))
}

fn text(answer: &Answer) -> String {
    let mut out = String::new();
    for row in &answer.checkpoints {
        let name = row.name.as_deref().unwrap_or("before a change");
        let _ = writeln!(out, "{:<4} {}  {}  {} bytes", row.id, row.at, printable(name), row.size);
        let Some(changes) = &row.changes else { continue };
        let _ = writeln!(
            out,
            "     then: {} paragraphs added, {} removed, {} tracked changes",
            changes.added.len(),
            changes.removed.len(),
            changes.revisions
        );
        for (mark, side) in [('-', &changes.removed), ('+', &changes.added)] {
            for paragraph in side.iter().take(SHOWN) {
                let _ = writeln!(out, "     {mark} {}: {}", paragraph.address, printable(&paragraph.text));
            }
            if side.len() > SHOWN {
                let _ = writeln!(out, "     {mark} and {} more", side.len() - SHOWN);
            }
        }
    }
    let _ = writeln!(out, "{} checkpoints.", answer.checkpoints.len());
    out
}
