//! engross as an agent in an editor: the other side of the Agent Client Protocol, version 1.
//!
//! Must never run a turn in another way than the session service does, write a file that the person has not agreed to, or keep a
//! session but in the log.
//!
//! | File | Question it answers |
//! |---|---|
//! | `host` | what does the program hand in: models, sessions, the documents of a folder? |
//! | `server` | which method is asked for, and of which session? |
//! | `connection` | how does a message get to the editor, and an answer back? |
//! | `profile` | what does the agent say of itself: capabilities, modes, commands, ways to log in? |
//! | `session` | what is kept of a session while the editor has it open? |
//! | `folder` | what is a path of the editor beneath the session's folder? |
//! | `prompt` | what did the person write: a message, with which files, or a command? |
//! | `mentioned` | which of the files that the person named cannot be read? |
//! | `turn` | how is a message answered, from the request to the reason it stopped? |
//! | `progress` | what does the editor show of a turn: text, tool calls, diffs, the plan? |
//! | `permission` | who agrees before a file is written? |
//! | `command` | what do `/accept` and `/compare` do, which need no model? |
//! | `codes`, `refusal` | which error does the editor get? |
//! | `replay` | how is a stored session shown again? |

pub mod codes;
mod command;
mod connection;
mod folder;
mod host;
mod mentioned;
mod permission;
mod profile;
mod progress;
mod prompt;
mod refusal;
mod replay;
mod server;
mod session;
mod turn;

#[cfg(test)]
mod progress_tests;
#[cfg(test)]
mod prompt_tests;

pub use host::{EditorHost, OpenedFolder};
pub use server::serve;
