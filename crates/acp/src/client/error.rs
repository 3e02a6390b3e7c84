//! The errors of an agent's process and of what it sends.

use std::time::Duration;

use engross_protocol::Code;
use engross_tasks::runner::AgentError;

use crate::codes;

/// What can go wrong with an agent. Texts of the agent are cut and have no control characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AgentFault {
    /// Its program is not there.
    #[error("`{program}` is not installed: {help}")]
    Missing {
        /// The program.
        program: String,
        /// What would bring it.
        help: String,
    },
    /// It did not start, or ended before it was ready.
    #[error("the agent does not start: {problem}; run its command in a terminal to see what it lacks")]
    Start {
        /// What happened, with the last words of the agent.
        problem: String,
    },
    /// It was not ready in time.
    #[error(
        "the agent did not answer `{method}` within {} s{said}; try again, or allow it more time",
        limit.as_secs_f32()
    )]
    Slow {
        /// What it was asked.
        method: &'static str,
        /// How long it had.
        limit: Duration,
        /// The last words of the agent, in brackets, or nothing.
        said: String,
    },
    /// It ended in the middle of a turn.
    #[error("the agent ended before its turn did{said}; what it wrote is kept; send the task again")]
    Exited {
        /// The last words of the agent, in brackets, or nothing.
        said: String,
    },
    /// It does not keep to the protocol.
    #[error(
        "the agent does not speak ACP version 1 as it should: {problem}; check its command and its version"
    )]
    Protocol {
        /// What is wrong.
        problem: String,
    },
    /// A message of it is too long.
    #[error("the agent sent a message of more than {limit} bytes; let it hand over large content as a file")]
    FrameTooLarge {
        /// The most that is taken.
        limit: usize,
    },
    /// It has said nothing for too long.
    #[error("the agent has said nothing for {} s and was stopped; send the task again, or allow longer silence", limit.as_secs())]
    Silent {
        /// How long.
        limit: Duration,
    },
    /// The run's time is over.
    #[error("the time of the run is over and the agent was stopped; ask for more time, or for less work")]
    Deadline,
    /// It wants somebody to log in.
    #[error(
        "the agent asks for a login ({methods}){said}; log in with its own command, or give it a key, then try again"
    )]
    Login {
        /// The ways that it offers.
        methods: String,
        /// Its own words behind a colon, or nothing.
        said: String,
    },
    /// It answers with an error.
    #[error("the agent answered `{method}` with an error: {problem}; see the agent's own log")]
    Refused {
        /// What it was asked.
        method: &'static str,
        /// What it says.
        problem: String,
    },
    /// It will not do this.
    #[error("the agent declined the task; word it differently, or give it to another agent")]
    Declined,
    /// It stopped before it was done.
    #[error(
        "the agent stopped at its own limit ({limit}) before it was done; ask it to go on in the same session"
    )]
    Incomplete {
        /// Which limit.
        limit: &'static str,
    },
    /// It does not offer the model.
    #[error("the agent does not offer the model `{model}`; {offered}")]
    Model {
        /// What was asked for.
        model: String,
        /// What it offers, as a sentence.
        offered: String,
    },
    /// It used more than it may.
    #[error(
        "the agent used more {what} than it may, and was ended with all that it had started; allow more, or ask for less"
    )]
    Quota {
        /// Of what.
        what: &'static str,
    },
    /// What was asked of its sandbox cannot be had.
    #[error(
        "the agent cannot be fenced in here: {problem}; leave the option out, or run it where that can be enforced"
    )]
    Sandbox {
        /// Why not.
        problem: String,
    },
    /// A command line cannot be read.
    #[error("`{command}` is no command line: {problem}")]
    Command {
        /// What was given.
        command: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// It does not know the conversation any more.
    #[error("the agent does not have this conversation any more ({reason}): start a new session")]
    Continuation {
        /// Why not.
        reason: String,
    },
}

impl AgentFault {
    /// Its stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.row().name
    }

    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Missing { .. } => engross_tasks::codes::PROVIDER_UNAVAILABLE,
            Self::Start { .. } => codes::AGENT_START_FAILED,
            Self::Slow { .. } => codes::AGENT_START_TIMEOUT,
            Self::Exited { .. } => codes::AGENT_EXITED,
            Self::Protocol { .. } => codes::AGENT_PROTOCOL,
            Self::FrameTooLarge { .. } => codes::AGENT_FRAME_TOO_LARGE,
            Self::Silent { .. } => codes::AGENT_SILENT,
            Self::Deadline => codes::AGENT_DEADLINE,
            Self::Login { .. } => codes::AGENT_AUTH_REQUIRED,
            Self::Refused { .. } => codes::AGENT_ERROR,
            Self::Declined => codes::AGENT_REFUSED,
            Self::Incomplete { .. } => codes::AGENT_INCOMPLETE,
            Self::Model { .. } => codes::AGENT_MODEL_UNAVAILABLE,
            Self::Quota { .. } => codes::AGENT_QUOTA,
            Self::Sandbox { .. } => engross_tasks::codes::SANDBOX_UNAVAILABLE,
            Self::Command { .. } => codes::AGENT_COMMAND_INVALID,
            Self::Continuation { .. } => engross_tasks::codes::SESSION_CONTINUATION_UNAVAILABLE,
        }
    }

    pub(super) fn protocol(problem: impl Into<String>) -> Self {
        Self::Protocol { problem: problem.into() }
    }

    /// Whether the process can still be used after it.
    pub(super) fn leaves_agent_usable(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::Declined | Self::Incomplete { .. } | Self::Model { .. })
    }
}

impl From<AgentFault> for AgentError {
    fn from(fault: AgentFault) -> Self {
        Self::new(fault.code(), fault.to_string())
    }
}

/// `text` as errors repeat it: one line, at most 300 characters, no control characters.
pub(super) fn shown(text: &str) -> String {
    const SHOWN: usize = 300;
    let plain = |c: char| if c.is_control() { ' ' } else { c };
    let text = text.trim();
    let mut shown: String = text.chars().take(SHOWN).map(plain).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
