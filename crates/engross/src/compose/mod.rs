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
//! | `skillbook` | which files hold the lessons? |
//! | `tasks` | which agents are there, and what are runs made of? |
//! | `server` | what is a server made of, and when does it end? |
//! | `mcp` | how do the clients of agents reach a server's documents? |
//! | `front` | who may call a server, how is that secured, and how much may come at once? |

pub(crate) mod data;
#[cfg(feature = "server")]
mod front;
#[cfg(all(feature = "server", feature = "mcp"))]
mod mcp;
pub(crate) mod model;
#[cfg(feature = "server")]
pub(crate) mod server;
#[cfg(feature = "server")]
pub(crate) mod sessions;
#[cfg(feature = "server")]
pub(crate) mod skillbook;
#[cfg(feature = "server")]
pub(crate) mod tasks;
#[cfg(feature = "server")]
pub(crate) mod writes;

#[cfg(feature = "server")]
#[cfg(test)]
mod acp_tests;
