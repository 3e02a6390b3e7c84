//! The only place that puts rooms together: models, stores, sessions, write sessions, tasks, the server.
//!
//! Must never know how a command line is written, nor print a result: commands hand in what they want and say what came of it.
//!
//! | File | Question it answers |
//! |---|---|
//! | `data` | where does this program keep its data? |
//! | `model` | which model works? |
//! | `sessions` | where are sessions kept, and what holds for them? |
//! | `writes` | where is unfinished content, and who looks after it? |
//! | `signing` | what are receipts signed with? |
//! | `skillbook` | which files hold the lessons, and how is one changed by a person? |
//! | `skill_review` | how does a page see the lessons of a server, and decide about them? |
//! | `thread_records` | which task threads does a page show, and how are they put away? |
//! | `tasks` | which agents are there, and what are runs made of? |
//! | `owner`, `owners` | what does each owner of a server have, and which owners are there? |
//! | `keys` | where are the keys of a server, and what opens each? |
//! | `preferences` | what do people make of what was delivered, and who is given that? |
//! | `runner` | how does a person's own server of tasks begin and end? |
//! | `access_log` | where do the lines about requests go? |
//! | `allocator` | how does memory go back to the system? |
//! | `server` | what is a server made of, and when does it end? |
//! | `mcp` | how do the clients of agents reach a server's documents? |
//! | `editor` | what is an agent in an editor made of? |
//! | `front` | who may call a server, how is that secured, and how much may come at once? |

#[cfg(feature = "server")]
mod access_log;
#[cfg(all(feature = "server", target_os = "linux", target_env = "gnu"))]
pub(crate) mod allocator;
pub(crate) mod data;
#[cfg(feature = "acp")]
pub(crate) mod editor;
#[cfg(feature = "server")]
mod front;
#[cfg(feature = "server")]
pub(crate) mod keys;
#[cfg(all(feature = "server", feature = "mcp"))]
mod mcp;
pub(crate) mod model;
#[cfg(feature = "server")]
pub(crate) mod owner;
#[cfg(feature = "server")]
mod owners;
#[cfg(feature = "server")]
pub(crate) mod preferences;
#[cfg(feature = "server")]
pub(crate) mod runner;
#[cfg(feature = "server")]
pub(crate) mod server;
#[cfg(feature = "server")]
pub(crate) mod sessions;
pub(crate) mod signing;
#[cfg(feature = "server")]
mod skill_review;
#[cfg(feature = "server")]
pub(crate) mod skillbook;
#[cfg(feature = "server")]
pub(crate) mod tasks;
#[cfg(feature = "server")]
mod thread_records;
#[cfg(feature = "server")]
pub(crate) mod writes;

#[cfg(feature = "server")]
#[cfg(test)]
mod acp_tests;
