//! The limits of an agent in time and size.

use std::time::Duration;

/// How long and how much an agent may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Until it has answered `initialize`.
    pub start: Duration,
    /// Until it has made a session, or taken one up again.
    pub session: Duration,
    /// Without a word in a turn, while no tool of it runs and no question is open.
    pub silence: Duration,
    /// Until a question is answered as cancelled.
    pub question: Duration,
    /// To end a turn that is cancelled, before it is stopped.
    pub cancel: Duration,
    /// To end when it is asked to, before it is killed.
    pub stop: Duration,
    /// Bytes of a message.
    pub message: usize,
    /// Lines that are no message, before it is given up.
    pub noise: usize,
    /// Bytes of a file that it reads or writes through us.
    pub file: u64,
    /// Processes of conversations that are kept for the next turn, over all threads of a provider.
    pub kept: usize,
    /// How long they are kept.
    pub kept_for: Duration,
    /// Conversations that are remembered, so that they can be taken up again.
    pub conversations: usize,
    /// How long it is remembered whether it works.
    pub health: Duration,
    /// How long it may take to find out.
    pub probe: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        const MINUTE: Duration = Duration::from_secs(60);
        Self {
            start: MINUTE,
            session: MINUTE,
            silence: 10 * MINUTE,
            question: 10 * MINUTE,
            cancel: Duration::from_secs(2),
            stop: Duration::from_secs(1),
            message: 16 << 20,
            noise: 100,
            file: 8 << 20,
            kept: 4,
            kept_for: 10 * MINUTE,
            conversations: 10_000,
            health: 5 * MINUTE,
            probe: Duration::from_secs(45),
        }
    }
}
