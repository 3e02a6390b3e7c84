//! Restores a session after a crash.
//!
//! Must never take for written what is not there with the hash that was noted, and never count bytes that are not.

use engross_store::files::FileError;

use super::WriteSessionId;
use super::content::Content;
use super::environment::Environment;
use super::journal::{Intent, Journal, JournalContents};
use super::loaded::{LoadedSession, StoredTimes};
use super::target::Target;
use super::work::Work;
use crate::error::WriteFailure;
use crate::session::{State, WriteInput};

/// How far event ids jump, so that none that was told but not stored comes again.
const JUMP: u64 = 1_000;

/// The session whose journal is there; `None` when there is nothing to be made of it.
pub(super) fn restart(
    id: WriteSessionId,
    shared: &Environment,
) -> Result<Option<LoadedSession>, WriteFailure> {
    let Some((journal, read)) = Journal::open(&shared.spool, id)? else { return Ok(None) };
    let JournalContents { opening, checkpoint, before, since } = read;
    let (mut session, at, state, events, intent) = match checkpoint {
        Some(last) => (last.session, last.at, last.content, last.events, last.intent),
        None => (opening.session, opening.created, opening.content, 0, None),
    };
    let events = events + JUMP;
    let content = Content::restore(&shared.spool, id, &state)?;
    if session.state().is_final() {
        if let (Some(mut left), false) = (content, session.state() == State::Expired) {
            left.discard();
        }
        let times = StoredTimes { created: opening.created, updated: at, events };
        return Ok(Some(LoadedSession::finished(&session, id, &times, shared)));
    }
    let target = Target::reopen(&shared.root, &opening.path, &opening.shown, opening.base)?;
    // Who goes on with a file that was left takes it again; until then others may write it.
    let is_left = matches!(
        session.state(),
        State::Incomplete | State::Ambiguous | State::NeedsRepair | State::Paused(_)
    );
    let key = target.folder.lock_key(&target.path);
    let lock = if is_left && intent.is_none() { None } else { shared.locks.lock(&key) };
    if lock.is_none() && intent.is_some() {
        return Err(target.conflict());
    }
    for bytes in &before {
        session.remember(bytes);
    }
    let is_there = content.is_some();
    let content = content.unwrap_or_else(|| Content::none(&shared.spool, id));
    let mut work = Work::new(*session, content, target, journal, lock, opening.created, shared);
    work.events = events;
    match intent {
        Some(intent) => finish_commit(&mut work, &intent, is_there)?,
        None if !is_there => {
            let reason = "what was kept of its content is damaged: begin again".to_owned();
            let lost = FileError::Unreadable { path: work.target.path.to_string(), reason };
            let actions = work.lose(lost.into())?;
            work.carry_out(actions);
        }
        None => {
            since.iter().try_for_each(|bytes| work.replay(bytes))?;
            work.pause()?;
        }
    }
    let running = LoadedSession::new(work, id, shared);
    running.resume(shared);
    Ok(Some(running))
}

/// The crash came while the file was about to take its place.
fn finish_commit(work: &mut Work, intent: &Intent, is_there: bool) -> Result<(), WriteFailure> {
    let found = work.target.folder.sha256(&work.target.path)?.map(|(sha256, _)| sha256);
    let input = if found.as_ref() == Some(&intent.sha256) {
        WriteInput::Committed(work.delivery().written(intent))
    } else if is_there {
        // It had not: that is done again.
        work.changes.clone_from(&intent.changes);
        return Ok(());
    } else {
        let (path, found) = (work.target.path.to_string(), found.unwrap_or_default());
        let changed = FileError::TargetChanged { path, expected: intent.sha256.clone(), found };
        WriteInput::CommitFailed(changed.into())
    };
    let actions = work.feed(input)?;
    work.carry_out(actions);
    Ok(())
}
