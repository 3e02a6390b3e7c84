//! Workspaces: folders of documents that a session's model may read and edit.
//!
//! Must never change a document that the model has not read in its present form, or without a checkpoint before it. Everything
//! that touches a file blocks and is done on a blocking thread.
//!
//! | File | Question it answers |
//! |---|---|
//! | `folder` | which documents are there, and how is one read, edited, put, removed? |
//! | `checkpoint` | what was a document before each change? |
//! | `losses` | what would going back to a checkpoint take? |
//! | `tools` | what may a model do with them? |
//! | `all` | where are workspaces kept, and which names may they have? |
//! | `error` | what can go wrong? |

mod all;
mod asking;
mod checkpoint;
mod error;
mod folder;
mod losses;
mod tools;

#[cfg(test)]
mod asking_tests;
#[cfg(test)]
mod folder_tests;
#[cfg(test)]
mod large_tests;
#[cfg(test)]
mod tools_tests;

pub use all::Workspaces;
pub use checkpoint::Checkpoint;
pub use error::WorkspaceError;
pub use folder::{Edited, Opened, Workspace};
pub use losses::{Losses, losses};
pub use tools::DocumentTools;
