//! Who begins write sessions, so that nobody takes the room of another.

/// One who begins write sessions. Each has its own bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCaller {
    /// A program that sends content itself, under a name that tells it from other programs; empty where there is but one.
    Client(String),
    /// A session of the agent, by its key. Its model is told of what it has open, so fewer at once are enough.
    AgentSession(String),
}

impl WriteCaller {
    /// Its name, as a log shows it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Client(name) | Self::AgentSession(name) => name,
        }
    }
}

impl Default for WriteCaller {
    /// The only client.
    fn default() -> Self {
        Self::Client(String::new())
    }
}
