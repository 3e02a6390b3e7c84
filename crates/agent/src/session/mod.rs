//! Sessions: one conversation over many requests, with tools that the client carries out.
//!
//! Must never speak HTTP or SQL. What happens next is decided by pure functions over the session's log; the service carries
//! it out.
//!
//! | File | Question it answers |
//! |---|---|
//! | `request`, `settings`, `event`, `error` | what may a client ask or set, and what does it hear? |
//! | `log` | what happened, in order? |
//! | `state`, `turn_state` | what is the state of a session and of its turn, as a fold of its log? |
//! | `calls` | when are two calls the same, and which call does a result mean? |
//! | `intake`, `known` | what of a request is new, and which results belong to which calls? |
//! | `mend` | which results of a history that a client broke belong where? |
//! | `decide` | what happens next? |
//! | `decide/write`, `turn/write` | the same where an answer is content of a file |
//! | `rounds` | what has a turn done so far, and does it get on? |
//! | `render`, `channel`, `answer` | how does the log become what listeners receive? |
//! | `toolbox` | what can the server itself do for the model? |
//! | `service`, `config` | what can be asked of all sessions, and what are they made of? |
//! | `submit`, `turn` | how does a request get in, and who carries it out, one at a time? |
//! | `manage` | what can be done to a session beside asking it? |
//! | `branch` | how does a request go on from an answer that is not the newest? |
//! | `watch` | what happens to a session when no request comes? |
//! | `record`, `names`, `idempotency` | how is it stored, and found again? |
//! | `observe` | who else is notified of what was stored? |
//! | `spans` | what does a tracing collector see of a turn? |
//! | `one_turn` | how does a run without a store use all this? |
//! | `transcript` | how is the log written as a transcript of OpenClaw? |
//! | `context` | how is the context window built, and what if a provider refuses it? |
//! | `summary` | how is the model asked what of a conversation it is not given any more? |
//! | `work_queue` | who waits for a place to work? |

mod answer;
mod branch;
mod calls;
mod channel;
mod config;
mod context;
mod decide;
mod error;
mod event;
mod follow;
mod idempotency;
mod intake;
mod known;
mod log;
mod manage;
mod mend;
mod names;
mod observe;
pub(crate) mod one_turn;
mod prepared;
mod record;
mod render;
mod request;
mod rounds;
mod server_tool;
mod service;
mod settings;
mod spans;
mod state;
mod stored;
#[cfg(test)]
mod stored_tests;
mod submit;
mod summary;
mod toolbox;
pub mod transcript;
mod turn;
mod turn_state;
mod watch;
mod work_queue;

#[cfg(test)]
mod cases_tests;
#[cfg(test)]
mod context_tests;
#[cfg(test)]
mod follow_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod habits;
#[cfg(test)]
mod hand_on_tests;
#[cfg(test)]
mod lease_tests;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod manage_tests;
#[cfg(test)]
mod mend_tests;
#[cfg(test)]
mod random_support;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
pub(crate) mod service_support;
#[cfg(test)]
mod service_tests;
#[cfg(test)]
mod spans_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod summary_tests;
#[cfg(test)]
mod watch_tests;
#[cfg(test)]
mod write_argument_tests;
#[cfg(test)]
mod write_cases_tests;
#[cfg(test)]
mod write_files_tests;
#[cfg(test)]
mod write_support;

pub use answer::AnswerStream;

pub use config::{Models, OWN_MODEL, OwnModels, SessionsConfig};
pub use context::ContextPolicy;
pub use decide::TurnRules;
pub use error::{RefusalKind, RequestError};
pub use event::{AnswerFinish, PositionedEvent, ToolStep, TurnEvent};
pub use log::{
    AcceptedRequest, CallSide, LogEvent, ModelCall, OpenedFile, ResultSource, SeenFile, Standing, ToolResult,
    TurnEnding, TurnEndingKind, WriteReport,
};
pub use manage::{AnswerView, SessionLine, SessionOverview, SessionView};
pub use observe::{Observer, StoredEntries};
pub use request::{AnswerPlace, ClientTool, ClientToolChoice, Parameters, SessionName, TurnRequest};
pub use server_tool::ServerTool;
pub use service::Sessions;
pub use settings::Settings;
pub use spans::model_name;
pub use state::{ConversationSummary, SessionState};
pub use stored::{
    CopyOutcome, StoredSession, copy_stored, delete_stored, find_stored, read_stored, stored_sessions,
};
pub use toolbox::{
    Briefing, BriefingFuture, NoToolboxes, ToolResultsFuture, ToolRound, Toolbox, ToolboxFuture, Toolboxes,
};
pub use turn_state::{FileInProgress, OpenCall, TurnPhase, TurnState};

/// The whole log of a session.
#[cfg(test)]
pub(crate) async fn recorded(
    store: &dyn engross_store::Store,
    id: engross_protocol::SessionId,
) -> Result<Vec<LogEvent>, RequestError> {
    Ok(record::read_log(store, id).await?.into_iter().map(|entry| entry.event).collect())
}
