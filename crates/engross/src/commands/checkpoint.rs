//! `engross checkpoint`

use std::fmt::Write as _;

use engross_documents::change::printable;
use engross_documents::{
    Checkpoint, CheckpointStore, Checkpoints, InputFile, TakenBack, losses, new_revisions, without_change_set,
};
use engross_docx::{Limits, WordDocument};
use engross_protocol::{Exit, Failure, SystemClock};
use serde::Serialize;

use super::CommandEnd;
use crate::cli::{CheckpointArgs, CheckpointCommand};
use crate::output::Output;
use engross_compose::data::data_folder;
use engross_compose::failure::of_delivery;
use engross_compose::signals::HeldBack;

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
struct RestoreAnswer {
    file: String,
    restored: u64,
    /// What the document was before.
    checkpoint: u64,
    /// How many tracked changes were taken back; all that came after it without.
    #[serde(skip_serializing_if = "Option::is_none")]
    rejected: Option<usize>,
}

pub(crate) fn run(args: &CheckpointArgs, output: Output) -> Result<CommandEnd, Failure> {
    let (input, bytes) = InputFile::read(&args.file).map_err(of_delivery)?;
    let store = CheckpointStore::in_data(&data_folder(None)?)?;
    let mut known = store.of_path(&input.absolute()).map_err(of_delivery)?;
    match &args.command {
        None | Some(CheckpointCommand::List { .. }) => list(&input, &bytes, &known, output)?,
        Some(CheckpointCommand::Save { name, .. }) => {
            let opened = WordDocument::open(bytes.clone(), &Limits::default());
            opened.map_err(|error| of_delivery(input.wrong(error)))?;
            let made = save(&mut known, &bytes, Some(name))?;
            let row = row(made, None);
            output.answer(&row, || {
                format!("Checkpoint {} keeps {} as it is now.\n", row.id, input.path().display())
            })?;
        }
        Some(CheckpointCommand::Restore { id, change_set, .. }) => {
            restore(&input, &bytes, &mut known, (*id, *change_set), output)?;
        }
    }
    Ok(CommandEnd::With(Exit::Done))
}

fn list(input: &InputFile, now: &[u8], known: &Checkpoints, output: Output) -> Result<(), Failure> {
    let mut rows = Vec::new();
    let mut after = now.to_vec();
    for checkpoint in known.list().map_err(of_delivery)?.into_iter().rev() {
        let bytes = known.read(&checkpoint).map_err(of_delivery)?;
        let changes = changes(&after, &bytes).ok();
        rows.push(row(checkpoint, changes));
        after = bytes;
    }
    rows.reverse();
    let answer = Answer { file: input.path().display().to_string(), checkpoints: rows };
    output.answer(&answer, || text(&answer))
}

fn row(checkpoint: Checkpoint, changes: Option<Changes>) -> Row {
    let Checkpoint { number, name, at, size, sha256, .. } = checkpoint;
    Row { id: number, name, at: at.to_string(), size, sha256, changes }
}

fn changes(after: &[u8], before: &[u8]) -> Result<Changes, engross_docx::Error> {
    let compared = losses(after, before)?;
    let of = |side: Vec<(String, String)>| -> Vec<Paragraph> {
        side.into_iter().map(|(address, text)| Paragraph { address, text }).collect()
    };
    let revisions = new_revisions(after, before)?.len();
    Ok(Changes { added: of(compared.lost), removed: of(compared.back), revisions })
}

fn restore(
    input: &InputFile,
    now: &[u8],
    known: &mut Checkpoints,
    (id, change_set): (u64, bool),
    output: Output,
) -> Result<(), Failure> {
    let all = known.list().map_err(of_delivery)?;
    let Some(at) = all.iter().position(|checkpoint| checkpoint.number == id) else {
        let ids: Vec<String> = all.iter().map(|checkpoint| checkpoint.number.to_string()).collect();
        let there =
            if ids.is_empty() { "there is none".to_owned() } else { format!("there are {}", ids.join(", ")) };
        let message = format!("{} has no checkpoint {id}; {there}", input.path().display());
        return Err(Failure::new(Exit::Refused, "CHECKPOINT_UNKNOWN", message));
    };
    let read = |at: usize| all.get(at).map(|one| known.read(one)).transpose().map_err(of_delivery);
    let wanted = read(at)?.unwrap_or_default();
    let (bytes, rejected) = if change_set {
        let after = read(at + 1)?;
        let rest = without_change_set(now, &wanted, after.as_deref().unwrap_or(now));
        let why = match rest.map_err(|error| of_delivery(input.wrong(error)))? {
            TakenBack::Done(bytes, count) => Ok((bytes, Some(count))),
            TakenBack::NoneLeft => Err("none of the tracked changes made after that checkpoint is left"),
            TakenBack::Merged => Err(
                "what was done after that checkpoint went on with earlier changes of its author, and more was done since",
            ),
        };
        why.map_err(|why| {
            let message =
                format!("{}: {why}; restore it whole, without --change-set", input.path().display());
            Failure::new(Exit::Refused, "NOTHING_APPLIED", message)
        })?
    } else {
        (wanted, None)
    };
    // What is there now can be gone back to as well.
    let before = save(known, now, None)?.number;
    let _held_back = HeldBack::new();
    input.replace(&bytes).map_err(of_delivery)?;
    let answer = RestoreAnswer {
        file: input.path().display().to_string(),
        restored: id,
        checkpoint: before,
        rejected,
    };
    output.answer(&answer, || {
        let what = match rejected {
            Some(count) => {
                format!("{count} tracked changes made after checkpoint {id} are taken back; later ones stay.")
            }
            None => format!("{} is as it was at checkpoint {id}.", answer.file),
        };
        format!("{what} Checkpoint {before} is what it was before.\n")
    })
}

/// Keeps a state of the document.
fn save(known: &mut Checkpoints, bytes: &[u8], name: Option<&str>) -> Result<Checkpoint, Failure> {
    let _held_back = HeldBack::new();
    known.save(bytes, name, &SystemClock).map_err(of_delivery)
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
