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
//! | `machine` | what happens next? |
//! | `error` | what can go wrong? |

mod error;
mod machine;
mod outcome;
mod record;
mod state;

#[cfg(test)]
mod machine_tests;
#[cfg(test)]
mod record_tests;

pub use error::{CODES, ThreadError};
pub use machine::{Action, Input, Lane, Rules, Step, needs_lane, step};
pub use outcome::{Reading, RemoteArtifact, Terminal, association_of};
pub use record::{
    Association, ContextState, ExecutionBinding, ExecutionMode, LifecycleState, Others, OwnerScope,
    SCHEMA_VERSION, ThreadMessage, ThreadRecord, WorkspaceBinding,
};
pub use state::{Ask, Entry, Lifecycle, Running, Stage, SyncStatus, Thread, Work};
