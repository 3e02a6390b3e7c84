//! Runs over sessions and reports on each.

use std::path::PathBuf;

use super::learner::{Learner, ModelUsage};
use super::options::{Options, SessionSource};
use super::report::{LearnReport, SessionOutcome, SessionReport, SkillCounts};
use crate::Error;
use crate::disk::{BookFile, SessionFile, UnreadableFile, discover, processed, sessions_at};
use crate::skillbook::conflicts;
use engross_protocol::shared;

/// Something that goes on.
#[derive(Debug)]
pub enum LearnEvent<'a> {
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
    input: &SessionSource,
    options: Options<'_>,
    on_event: &mut dyn FnMut(LearnEvent<'_>),
) -> Result<LearnReport, Error> {
    book.sweep(options.clock.millis());
    let (found, passed) = match input {
        SessionSource::Folder(folder) => discover(folder)?,
        SessionSource::Files(paths) => listed(paths),
    };
    on_event(LearnEvent::Found { count: found.len() + passed.len() });
    let mut report = LearnReport {
        found: found.len() + passed.len(),
        before: SkillCounts::of(&book.journal.book),
        notes: std::mem::take(&mut book.notes),
        dry_run: options.dry_run,
        ..LearnReport::default()
    };
    for UnreadableFile { name, reason } in passed {
        report.failed += 1;
        let outcome = SessionOutcome::Failed { code: shared::READ_FAILED.name.to_owned(), message: reason };
        report.sessions.push(SessionReport { file: name, outcome, losses: 0 });
    }
    let learnt_before = processed(&book.paths().processed())?;
    let is_explicit = matches!(input, SessionSource::Files(_));
    let mut learner = Learner { options, is_explicit, learnt_before, usage: ModelUsage::default() };
    for (number, file) in found.iter().enumerate() {
        if (options.is_stopped)() {
            report.interrupted = true;
            break;
        }
        if learner.is_unchanged(book, file) {
            report.skipped += 1;
            continue;
        }
        on_event(LearnEvent::Reading { file: &file.name, number: number + 1, of: found.len() });
        let session = learner.learn_from(book, file, &found).await;
        match &session.outcome {
            SessionOutcome::Learnt { .. } => report.learnt += 1,
            SessionOutcome::Skipped { .. } | SessionOutcome::Waiting { .. } => report.skipped += 1,
            SessionOutcome::Failed { .. } => report.failed += 1,
        }
        on_event(LearnEvent::Done(&session));
        report.sessions.push(session);
        if !options.dry_run {
            book.save()?;
        }
    }
    if !options.dry_run {
        book.finish()?;
    }
    report.after = SkillCounts::of(&book.journal.book);
    report.conflicts = conflicts(&book.journal.book);
    report.usage = learner.usage.usage;
    report.calls = learner.usage.calls;
    report.redacted = learner.usage.redacted;
    Ok(report)
}

fn listed(paths: &[PathBuf]) -> (Vec<SessionFile>, Vec<UnreadableFile>) {
    let (mut found, mut passed) = (Vec::new(), Vec::new());
    for path in paths {
        let (those, failed) = sessions_at(path);
        found.extend(those);
        passed.extend(failed);
    }
    (found, passed)
}
