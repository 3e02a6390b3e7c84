//! Runs: what was asked of an agent, from its acceptance to an end that never changes.
//!
//! Must never speak a protocol, or know what an agent is beside [`crate::runner::TaskRunner`]. What happens next is decided by
//! pure functions over the thread's log; the service carries it out. `docs/design/tasks.md` says what is guaranteed.
//!
//! | File | Question it answers |
//! |---|---|
//! | `order`, `error` | what may be asked, and why is it refused? |
//! | `log` | what happened, in order? |
//! | `state` | where does a thread stand, as the log tells it? |
//! | `decide` | what happens next? |
//! | `said` | which of the agent's words are the answer? |
//! | `status` | how does a run stand? |
//! | `outcome` | what has a run come to? |
//! | `lane` | who may begin when places are few? |
//! | `tell`, `updates`, `ticket` | what of it is told, to whom, and under which number? |
//! | `config`, `service` | what are all runs made of, and how is a decision stored? |
//! | `submit`, `drive`, `attachments`, `handle`, `lock` | how is a run accepted, and carried out? |
//! | `blobs` | where are files kept besides? |
//! | `ask` | what can be asked of runs that are there? |
//! | `counters` | how often has something gone wrong? |
//! | `jobs` | which runs did somebody ask for as jobs? |
//! | `watch` | who looks after runs that nobody asks for? |
//! | `names`, `journal` | how is a thread stored, and found again? |

mod ask;
mod attachments;
mod blobs;
mod config;
mod counters;
mod decide;
mod drive;
mod error;
mod handle;
mod jobs;
mod journal;
mod lane;
mod lock;
mod log;
mod names;
mod order;
mod outcome;
mod said;
mod service;
mod state;
mod status;
mod submit;
mod tell;
mod ticket;
mod updates;
mod watch;

#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod lane_tests;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod said_tests;

pub use ask::{Cancelled, Found, Lookup};
pub use blobs::KeptFile;
pub use config::{Provider, RunsConfig};
pub use counters::Counters;
pub use decide::Reply;
pub use error::{CODES, RunError};
pub use lane::Places;
pub use log::{Question, RunEvent, Terminal};
pub use order::{Contract, Face, Inline, LONGEST_BUDGET, LoadClass, Order, Target};
pub use service::Runs;
pub use state::{Active, Exporting, Phase, Run, Thread};
pub use status::{Status, SyncStatus};
pub use submit::{Preparation, Submission};
pub use ticket::{Listener, Snapshot, Ticket};
pub use updates::Update;

pub(crate) use tell::moment;
