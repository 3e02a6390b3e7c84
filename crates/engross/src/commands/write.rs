//! `engross write`: standard input becomes a file, whole or not at all.
//!
//! Must never leave anything behind when it does not: neither half a file nor unfinished content.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use engross_protocol::codes::find;
use engross_protocol::{Exit, Failure, RandomIds, SystemClock, shared};
use engross_store::files::{Locks, Root};
use engross_write::framing::{Terminator, TurnFinish};
use engross_write::runner::{ChunkEnd, Config, Limits, WriteSessionView, WriteSessions};
use engross_write::session::{BeginOptions, Join, MAX_BYTES, State, WriteOperation, WriteReceipt};
use engross_write::validate::ValidationMode;
use engross_write::{Error, WriteFailure};

use super::CommandEnd;
use crate::cli::{OperationArg, TerminatorArg, ValidateArg, WriteArgs};
use crate::output::{Output, note};
use engross_compose::failure::usage;
use engross_compose::signals::NotedSignals;
use engross_compose::writes::Typesetter;

/// Bytes that are read at once.
const PIECE: usize = 256 * 1024;

/// How soon an interruption is noticed while nothing comes.
const NOTICED_AFTER: Duration = Duration::from_millis(100);

/// How often it is told how much has come.
const TOLD_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn run(args: &WriteArgs, output: Output) -> Result<CommandEnd, Failure> {
    let options = options(args)?;
    let noted = NotedSignals::new();
    let sessions = WriteSessions::new(Config {
        root: Root::open(args.root.as_deref().unwrap_or(Path::new(".")))?,
        spool: None,
        reviewer: None,
        locks: Locks::new(),
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        composer: Some(Arc::new(Typesetter::default())),
        keeper: None,
        limits: Limits::default(),
    })?;
    // What killed runs have left there, a day ago or more.
    let _ = sessions.sweep();
    let view = sessions.begin(&options).map_err(|problem| failure(&problem))?;
    if options.terminator != Terminator::None {
        note(&format!("The line {} ends the file", view.marker));
    }
    let written = receive(&sessions, &view, &noted);
    // What was not written by now never is.
    let _ = sessions.cancel(view.id);
    sessions.forget(view.id)?;
    match written? {
        None => Ok(CommandEnd::Interrupted("interrupted; nothing was written")),
        Some(view) => match (&view.receipt, &view.problem) {
            (Some(receipt), _) => {
                output.answer(receipt, || told(receipt))?;
                Ok(CommandEnd::With(Exit::Done))
            }
            (None, Some(problem)) => Err(failure(problem)),
            (None, None) => {
                let cause = "no end line";
                let line = view.bytes.min(1);
                Err(failure(&Error::Incomplete { bytes: view.bytes, line, cause }.into()))
            }
        },
    }
}

/// Takes all of standard input. `None` when it was interrupted.
fn receive(
    sessions: &WriteSessions,
    view: &WriteSessionView,
    noted: &NotedSignals,
) -> Result<Option<WriteSessionView>, Failure> {
    let id = view.id;
    let pieces = standard_input();
    let (mut told, mut bytes) = (Instant::now(), 0u64);
    loop {
        if noted.any() {
            return Ok(None);
        }
        let piece = match pieces.recv_timeout(NOTICED_AFTER) {
            Ok(piece) => piece.map_err(|error| {
                Failure::new(
                    Exit::Io,
                    "READ_FAILED",
                    format!("standard input cannot be read: {error}; nothing was written"),
                )
            })?,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => break,
        };
        bytes += piece.len() as u64;
        let view = sessions.chunk(id, None, &piece, ChunkEnd::More).map_err(|problem| failure(&problem))?;
        if view.state.is_final() {
            return Ok(Some(view));
        }
        if told.elapsed() >= TOLD_EVERY {
            told = Instant::now();
            note(&format!("{} MiB have come", bytes >> 20));
        }
    }
    let ended = match view.options.terminator {
        Terminator::None => sessions.finalise(id),
        _ => sessions.turn_end(id, TurnFinish::Stop),
    };
    let ended = ended.map_err(|problem| failure(&problem))?;
    debug_assert!(ended.state != State::Receiving, "an input that is over has come to something");
    Ok(Some(ended))
}

/// The pieces of standard input, read by a thread that nobody waits for.
fn standard_input() -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, receiver) = sync_channel(4);
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        loop {
            let mut piece = vec![0; PIECE];
            let read = match input.read(&mut piece) {
                Ok(0) => return,
                Ok(length) => {
                    piece.truncate(length);
                    Ok(piece)
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => Err(error),
            };
            let is_over = read.is_err();
            if sender.send(read).is_err() || is_over {
                return;
            }
        }
    });
    receiver
}

fn options(args: &WriteArgs) -> Result<BeginOptions, Failure> {
    let operation = match args.op {
        OperationArg::Create => WriteOperation::Create,
        OperationArg::Overwrite => WriteOperation::Overwrite,
        OperationArg::Append => WriteOperation::Append,
        OperationArg::Patch => WriteOperation::Patch,
    };
    let patch = args.patch.as_deref().map(serde_json::from_str).transpose();
    let patch = patch.map_err(|error| usage("PATCH_INVALID", format!("--patch cannot be read: {error}")))?;
    let options = BeginOptions {
        terminator: match args.terminator {
            None => Terminator::None,
            Some(TerminatorArg::Auto) => Terminator::Auto,
            Some(TerminatorArg::Done) => Terminator::Done,
            Some(TerminatorArg::Sentinel) => Terminator::Sentinel,
        },
        validate: args.validate.map(|mode| match mode {
            ValidateArg::Off => ValidationMode::Off,
            ValidateArg::Warn => ValidationMode::Warn,
            ValidateArg::Strict => ValidationMode::Strict,
        }),
        // Nobody is there to mend it.
        repair_attempts: 0,
        allow_empty: args.allow_empty,
        must_exist: args.must_exist,
        expect_sha256: args.expect_sha256.clone(),
        join: args.join_newline.then_some(Join::Newline),
        max_bytes: args.max_bytes.unwrap_or(MAX_BYTES),
        patch,
        ..BeginOptions::new(&args.target, operation)
    };
    options.check().map_err(|error| failure(&error.into()))?;
    Ok(options)
}

/// The receipt for people.
fn told(receipt: &WriteReceipt) -> String {
    let mut text = format!(
        "{}: {} bytes, {} lines, sha256 {}\n",
        receipt.path, receipt.bytes, receipt.lines, receipt.sha256
    );
    for warning in &receipt.warnings {
        text.push_str(&format!("warning: {} [{}]\n", warning.message, warning.code));
    }
    text
}

/// A problem on its way out.
pub(crate) fn failure(problem: &WriteFailure) -> Failure {
    let tables = [engross_write::codes::ALL, engross_store::files::codes::ALL, shared::ALL];
    let row = find(&tables, &problem.code).unwrap_or(engross_store::files::codes::FILE_NOT_WRITTEN);
    Failure::of(row, problem.message.clone())
}
