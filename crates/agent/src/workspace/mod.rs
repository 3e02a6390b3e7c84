//! Workspaces by name, and what a session's model may do with the documents in one.
//!
//! Must never change a document that the model has not read in its present form. Everything that touches a file blocks and is
//! done on a blocking thread. What a workspace is, and how its documents are edited and kept, is in `engross-documents`.
//!
//! | File | Question it answers |
//! |---|---|
//! | `tools` | what may a model do with documents? |
//! | `asking` | what has the model to answer before its calls can be carried out? |
//! | `approval` | who agrees to edits before they are made? |
//! | `playbooks` | what follows from a model's answers to a playbook? |
//! | `all` | where are workspaces kept, and which names may they have? |

mod all;
mod approval;
mod asking;
mod playbooks;
mod tools;

#[cfg(test)]
mod all_tests;
#[cfg(test)]
mod asking_tests;
#[cfg(test)]
mod large_tests;
#[cfg(test)]
mod playbooks_tests;
#[cfg(test)]
mod tools_tests;

pub use all::Workspaces;
pub use approval::{ApprovalFuture, Approver, ProposedEdits};
pub use tools::DocumentTools;
