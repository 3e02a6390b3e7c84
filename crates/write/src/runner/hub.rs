//! Publishes the events of a session to its listeners, also to late ones.
//!
//! Must never hold content, and never make the session wait for a listener.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use engross_store::Millis;
use tokio::sync::watch;

use crate::error::WriteFailure;
use crate::session::{Pause, Prompt, State, WriteReceipt};

/// Events that are kept for late listeners. Of progress only the last is, so that a long file drives nothing else out.
const KEPT: usize = 512;

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedEvent {
    /// Counts from 1 in a session, and grows also over restarts.
    pub id: u64,
    /// When, in milliseconds since 1970.
    pub at: Millis,
    /// Bytes received by then.
    pub offset: u64,
    /// What.
    pub news: Notice,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The session began.
    Opened,
    /// Content came.
    Progress {
        /// Bytes of content.
        bytes: u64,
        /// Lines of content.
        lines: u64,
        /// Bytes a second, since the session began.
        rate: u64,
    },
    /// Somebody is asked something: whether the file is finished, to go on, to mend it.
    Prompt(Prompt),
    /// The content broke off.
    Cut {
        /// How, if it is only a pause.
        pause: Option<Pause>,
        /// What is missing.
        error: Option<WriteFailure>,
    },
    /// It is doubtful where the file ends.
    Ambiguous(Option<WriteFailure>),
    /// Content comes again.
    Resumed,
    /// The content is complete and looked at.
    Validating,
    /// It has errors.
    RepairNeeded(Option<WriteFailure>),
    /// The file is being written.
    Committing,
    /// The file is written.
    Committed(WriteReceipt),
    /// The session is over without a file.
    Over {
        /// Cancelled, expired or failed.
        state: State,
        /// Why.
        error: Option<WriteFailure>,
    },
}

impl Notice {
    fn is_progress(&self) -> bool {
        matches!(self, Self::Progress { .. })
    }
}

/// The events of one session.
#[derive(Debug)]
pub(super) struct EventHub {
    ring: Mutex<EventRing>,
    latest: watch::Sender<u64>,
}

#[derive(Debug)]
struct EventRing {
    last: u64,
    kept: VecDeque<PublishedEvent>,
    over: bool,
}

impl EventHub {
    /// One whose events count on behind `last`.
    pub(super) fn after_event(last: u64) -> Self {
        Self {
            ring: Mutex::new(EventRing { last, kept: VecDeque::new(), over: false }),
            latest: watch::Sender::new(last),
        }
    }

    /// The number of the last event.
    pub(super) fn last(&self) -> u64 {
        *self.latest.borrow()
    }

    pub(super) fn publish(&self, at: Millis, offset: u64, news: Notice) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.last += 1;
        let id = ring.last;
        if news.is_progress() && ring.kept.back().is_some_and(|event| event.news.is_progress()) {
            ring.kept.pop_back();
        }
        if ring.kept.len() == KEPT {
            ring.kept.pop_front();
        }
        ring.over = matches!(news, Notice::Committed(_) | Notice::Over { .. });
        ring.kept.push_back(PublishedEvent { id, at, offset, news });
        drop(ring);
        self.latest.send_replace(id);
    }

    /// The events behind `id`, and whether no more follow.
    pub(super) fn after(&self, id: u64) -> (Vec<PublishedEvent>, bool) {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        (ring.kept.iter().filter(|event| event.id > id).cloned().collect(), ring.over)
    }

    pub(super) fn watch(&self) -> watch::Receiver<u64> {
        self.latest.subscribe()
    }
}
