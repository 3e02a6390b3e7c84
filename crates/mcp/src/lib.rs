//! A server for the clients of agents, over the Model Context Protocol: Word documents beneath the folders that a person names are
//! read, edited as proven tracked changes, resolved, compared and checked.
//!
//! Six tools in little room; the operations of the language are told when they are asked for. What clients send is brought into its
//! form where it can mean one thing (`arguments`). Documents are named by path in every call, and nothing is remembered between two
//! calls: the revision of this protocol since 2026-07-28 has no sessions. Must never touch a file outside the folders, replace a file
//! that it has not written itself, or ask a model.
//!
//! | File | Question it answers |
//! |---|---|
//! | `server` | how does a request of the protocol become a call, and what is told meanwhile? |
//! | `table` | which tools are there, and what do they take? |
//! | `arguments` | what did the client mean? |
//! | `folders` | which file does a path mean, and may it be touched? |
//! | `documents` | what does every call need: folders, checkpoints, an author, the clock? |
//! | `target` | into which file does a result go? |
//! | `budget` | how much may an answer hold? |
//! | `client` | what can the client do? |
//! | `question` | what is a person asked in the middle of a call? |
//! | `app` | which page shows tracked changes in a chat, and what is it told? |
//! | `tools/` | what does each tool do? |
//! | `more` | which tools come besides those on documents? |
//! | `http` | how is it reached over HTTP? |
//! | `install` | how is a client told of the server? |
//! | `resources`, `prompts` | what may be read and asked besides? |

mod answer;
mod app;
mod arguments;
mod budget;
mod client;
pub mod codes;
mod documents;
mod folders;
#[cfg(feature = "http")]
mod http;
pub mod install;
mod more;
mod nearby;
mod prompts;
mod question;
mod resources;
mod server;
mod spellings;
mod table;
mod target;
mod tools;
mod watch;

#[cfg(test)]
mod arguments_tests;
#[cfg(test)]
mod asking_tests;
#[cfg(test)]
mod budget_tests;
#[cfg(test)]
mod folders_tests;
#[cfg(test)]
mod partner_tests;
#[cfg(test)]
mod table_tests;

pub use arguments::CallArguments;
pub use documents::McpDocuments;
pub use folders::AllowedFolders;
#[cfg(feature = "http")]
pub use http::http_service;
pub use more::{McpTools, MoreCall, MoreTools};
pub use server::{McpServer, serve};
pub use table::{ArgumentKind, ArgumentRow, ToolEffect, ToolRow};
