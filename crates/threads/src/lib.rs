//! Task threads: what a person asked for, how it stands, and the files that came of it.
//!
//! Must never show a run as ended that is not, or a file that is not of the newest run. The rules are pure: time, files and the
//! bridge come from outside.
//!
//! | File | Question it answers |
//! |---|---|
//! | `record` | how do other programs keep a thread? |
//! | `state` | what does the journal tell? |
//! | `outcome` | what does a bridge say of a run? |
//! | `decision`, `machine` | what may happen, and what happens next? |
//! | `failing` | how is a run told that is no success? |
//! | `slots` | is there room at the gateway? |
//! | `pages` | how is a long answer read to its end? |
//! | `prompt` | what is a runtime told beside the person's words? |
//! | `sync` | how do the files of a run come here? |
//! | `journal` | where are threads kept? |
//! | `link` | what is a bridge to a thread? |
//! | `look_up` | how is a run asked for? |
//! | `log_lines` | what happened, for people? |
//! | `remote` | how is a bridge reached over HTTP? |
//! | `folder` | what is in a thread's folder beside its files? |
//! | `receipts` | what proves later which files a run made? |
//! | `progress` | what does a person see meanwhile? |
//! | `driver` | how is all that carried out? |
//! | `question` | which option does a person mean? |
//! | `questions` | what does its agent ask, and what may be answered? |
//! | `error` | what can go wrong? |

pub mod codes;
mod decision;
mod driver;
mod error;
mod failing;
mod folder;
mod journal;
mod link;
mod log_lines;
mod look_up;
mod machine;
mod outcome;
mod pages;
mod progress;
mod prompt;
mod question;
mod questions;
mod receipts;
mod record;
mod remote;
mod slots;
mod state;
mod sync;

#[cfg(test)]
mod cases_tests;
#[cfg(test)]
mod driver_tests;
#[cfg(test)]
mod golden_tests;
#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod questions_tests;
#[cfg(test)]
mod record_tests;
#[cfg(test)]
mod remote_tests;
#[cfg(test)]
mod sync_tests;

pub use decision::{Rules, SlotState, ThreadAction, ThreadInput, ThreadStep};
pub use driver::ThreadDriver;
pub use engross_tasks::runner::PlanStep;
pub use error::ThreadError;
pub use journal::{LoadedThread, ThreadJournal};
pub use link::{BridgeCall, BridgeFrame, Frames, Link, LinkError, LinkFuture};
pub use log_lines::{LogLine, moment};
pub use machine::{needs_slot, step};
pub use outcome::{BridgeReading, EndNotes, RemoteArtifact, TaskEnd, association_of};
pub use progress::Progress;
pub use prompt::{RUN_FOLDER, SentFiles, params, prompt};
pub use question::ThreadQuestion;
pub use receipts::RECEIPTS;
pub use record::{
    Association, ContextState, ExecutionBinding, ExecutionMode, LifecycleState, Others, OwnerScope,
    SCHEMA_VERSION, ThreadMessage, ThreadRecord, WorkspaceBinding,
};
pub use remote::RemoteBridge;
pub use state::{Ask, Lifecycle, Stage, SyncStatus, TaskInProgress, Thread, ThreadEntry, Work};
pub use sync::{FetchError, FileOutcome, FileReport, FileSource, Sink, SyncReport, sync};
