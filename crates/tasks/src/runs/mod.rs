//! Runs: what was asked of an agent, from its acceptance to an end that never changes.
//!
//! Must never speak a protocol, or know what an agent is beside [`crate::runner::TaskRunner`]. What happens next is decided by
//! pure functions over the thread's log; the service carries it out. `docs/design/tasks.md` says what is guaranteed.
//!
//! | File | Question it answers |
//! |---|---|
//! | `request`, `error` | what may be asked, and why is it refused? |
//! | `log` | what happened, in order? |
//! | `state` | what is the state of a thread, as a fold of its log? |
//! | `decide` | what happens next? |
//! | `answer_text` | which text of the agent is the answer? |
//! | `steps` | which steps of the agent are kept for those who come later? |
//! | `claims` | which files does the answer name that are not there? |
//! | `status` | how does a run stand? |
//! | `outcome` | what has a run come to? |
//! | `receipts` | what is signed of it? |
//! | `run_queue` | which run begins when slots are few? |
//! | `notifications`, `updates`, `ticket` | what is published of it, to which listeners, and under which number? |
//! | `config`, `service` | what are all runs made of, and how is a decision stored? |
//! | `submit`, `drive`, `attachments`, `handle` | how is a run accepted, and carried out? |
//! | `blobs` | where are files kept besides? |
//! | `ask` | what can be asked of runs that are there? |
//! | `viewers` | with whose environment does an agent work? |
//! | `collecting` | which files are not needed any more? |
//! | `counters` | how often has something gone wrong? |
//! | `jobs` | which runs are jobs? |
//! | `watch` | what happens to runs that no request asks for? |
//! | `names`, `journal` | how is a thread stored and found again, and what is kept beside it in memory? |

mod answer_text;
mod ask;
mod attachments;
mod blobs;
mod claims;
mod collecting;
mod config;
mod counters;
mod decide;
mod drive;
mod error;
mod handle;
mod jobs;
mod journal;
mod log;
mod names;
mod notifications;
mod outcome;
mod receipts;
mod request;
mod run_queue;
mod service;
mod state;
mod status;
mod steps;
mod submit;
mod ticket;
mod updates;
mod viewers;
mod watch;

#[cfg(test)]
mod answer_text_tests;
#[cfg(test)]
mod claims_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod journal_tests;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod run_queue_tests;
#[cfg(test)]
mod steps_tests;

pub use ask::{CancelResult, Lookup, LookupResult};
pub use blobs::StoredFile;
pub use claims::KnownNames;
pub use config::{RunProvider, RunsConfig};
pub use counters::Counters;
pub use decide::Reply;
pub use error::RunError;
pub use log::{AskedPermissions, PermissionQuestion, RecordedToolCall, RunEnd, RunEvent};
pub use request::{Contract, Hints, Inline, LONGEST_BUDGET, LoadClass, RequestContext, RunRequest, Target};
pub use run_queue::Capacity;
pub use service::Runs;
pub use state::{Active, Exporting, Phase, Run, RunThread};
pub use status::{RunStatus, RunSyncStatus};
pub use submit::{Preparation, Submission};
pub use ticket::{RunListener, RunSnapshot, Ticket};
pub use updates::Update;

pub(crate) use notifications::moment;
