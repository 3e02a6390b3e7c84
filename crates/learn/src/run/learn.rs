//! The course of a run.

use std::path::PathBuf;

use engross_protocol::Clock;
use engross_protocol::shared;

use super::one::{Learner, Processed};
use super::report::{Counts, Outcome, Report, SessionReport};
use crate::Error;
use crate::disk::{BookFile, Found, Passed, discover, look_into, processed};
use crate::reflect::Asking;
use crate::safety::Personal;
use crate::skillbook::conflicts;

/// Who finds the lessons.
#[derive(Clone, Copy)]
pub enum Mind<'a> {
    /// The embedded rules: offline, narrow, honest.
    Rules,
    /// A model.
    Model(Asking<'a>),
}

/// Which sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// All of a folder.
    Folder(PathBuf),
    /// These files, whether they rest or still grow.
    Files(Vec<PathBuf>),
}

/// How to learn.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Who finds the lessons.
    pub mind: Mind<'a>,
    /// Tells the time.
    pub clock: &'a dyn Clock,
    /// Learn from all sessions anew.
    pub reprocess: bool,
    /// Write nothing.
    pub dry_run: bool,
    /// Whether personal data is taken out.
    pub personal: Personal,
    /// A file that was not changed for so many milliseconds does not grow any more.
    pub rests_after: u64,
    /// Says that the run shall stop before the next session.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// Something that goes on.
#[derive(Debug)]
pub enum Event<'a> {
    /// So many files were found.
    Found {
        /// How many.
        count: usize,
    },
    /// A file is being read.
    Reading {
        /// Its name.
        file: &'a str,
        /// Which it is, from 1.
        number: usize,
        /// Of how many.
        of: usize,
    },
    /// A file is done.
    Done(&'a SessionReport),
}

/// Learns from sessions into a book. After each session that was learnt from, what was learnt is on disk.
///
/// # Errors
/// [`Error::SessionsMissing`], [`Error::ReadFailed`] for a folder, and [`Error::WriteFailed`]. What befalls one session is told
/// in its report.
pub async fn learn(
    book: &mut BookFile,
    input: &Input,
    options: Options<'_>,
    on_event: &mut dyn FnMut(Event<'_>),
) -> Result<Report, Error> {
    let (found, passed) = match input {
        Input::Folder(folder) => discover(folder)?,
        Input::Files(paths) => listed(paths),
    };
    on_event(Event::Found { count: found.len() + passed.len() });
    let mut report = Report {
        found: found.len() + passed.len(),
        before: Counts::of(&book.journal.book),
        notes: std::mem::take(&mut book.notes),
        dry_run: options.dry_run,
        ..Report::default()
    };
    for Passed { name, reason } in passed {
        report.failed += 1;
        let outcome = Outcome::Failed { code: shared::READ_FAILED.name.to_owned(), message: reason };
        report.sessions.push(SessionReport { file: name, outcome, losses: 0 });
    }
    let learnt_before = processed(&book.paths().processed())?;
    let is_explicit = matches!(input, Input::Files(_));
    let mut learner = Learner { options, is_explicit, learnt_before, usage: Processed::default() };
    for (number, file) in found.iter().enumerate() {
        if (options.is_stopped)() {
            report.interrupted = true;
            break;
        }
        if learner.is_unchanged(book, file) {
            report.skipped += 1;
            continue;
        }
        on_event(Event::Reading { file: &file.name, number: number + 1, of: found.len() });
        let session = learner.one(book, file, &found).await;
        match &session.outcome {
            Outcome::Learnt { .. } => report.learnt += 1,
            Outcome::Skipped { .. } | Outcome::Waiting { .. } => report.skipped += 1,
            Outcome::Failed { .. } => report.failed += 1,
        }
        on_event(Event::Done(&session));
        report.sessions.push(session);
        if !options.dry_run {
            book.save()?;
        }
    }
    if !options.dry_run {
        book.finish()?;
    }
    report.after = Counts::of(&book.journal.book);
    report.conflicts = conflicts(&book.journal.book);
    report.usage = learner.usage.usage;
    report.calls = learner.usage.calls;
    Ok(report)
}

fn listed(paths: &[PathBuf]) -> (Vec<Found>, Vec<Passed>) {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    for path in paths {
        let (those, failed) = look_into(path);
        found.extend(those);
        passed.extend(failed);
    }
    (found, passed)
}
