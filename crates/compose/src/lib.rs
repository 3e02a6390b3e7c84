//! The only place that puts rooms together: settings, models, stores, sessions, write sessions, tasks, the server.
//!
//! Must never know how a command line is written, nor print a result: commands hand in what they want and say what came of it.
//!
//! | File | Question it answers |
//! |---|---|
//! | `settings` | what did a file, the environment and flags say? |
//! | `console`, `signals`, `files` | how is a person told, an end awaited, a named text read? |
//! | `failure`, `codes` | which code and exit status has a failure? |
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
//! | `homes` | which node has what an owner has, where nodes share it? |
//! | `shared_database` | what do nodes share in a database, and how do files come from there? |
//! | `own_model`, `secret_store` | which model does a person bring, and where is its key? |
//! | `keys` | where are the keys of a server, and what opens each? |
//! | `preferences` | what do people make of what was delivered, and who is given that? |
//! | `runner` | how does a person's own server of tasks begin and end? |
//! | `access_log` | where do the lines about requests go? |
//! | `isolation` | how are documents worked on in processes of their own? |
//! | `allocator` | how does memory go back to the system? |
//! | `server` | what is a server made of, and when does it end? |
//! | `mcp` | how do the clients of agents reach a server's documents? |
//! | `editor` | what is an agent in an editor made of? |
//! | `front` | who may call a server, how is that secured, and how much may come at once? |

#[cfg(feature = "server")]
mod access_log;
#[cfg(all(feature = "server", target_os = "linux", target_env = "gnu"))]
pub mod allocator;
pub mod codes;
pub mod console;
pub mod data;
#[cfg(feature = "acp")]
pub mod editor;
pub mod failure;
pub mod files;
#[cfg(feature = "server")]
mod front;
#[cfg(feature = "server")]
mod homes;
#[cfg(feature = "server")]
pub mod isolation;
#[cfg(feature = "server")]
pub mod keys;
#[cfg(all(feature = "server", feature = "mcp"))]
mod mcp;
pub mod model;
#[cfg(feature = "server")]
mod own_model;
#[cfg(feature = "server")]
pub mod owner;
#[cfg(feature = "server")]
mod owners;
#[cfg(feature = "server")]
pub mod preferences;
#[cfg(feature = "server")]
pub mod runner;
#[cfg(feature = "server")]
mod secret_store;
#[cfg(feature = "server")]
pub mod server;
#[cfg(feature = "server")]
pub mod sessions;
pub mod settings;
#[cfg(feature = "cluster")]
mod shared_database;
pub mod signals;
pub mod signing;
#[cfg(feature = "server")]
mod skill_review;
#[cfg(feature = "server")]
pub mod skillbook;
#[cfg(feature = "server")]
pub mod tasks;
#[cfg(feature = "server")]
mod thread_records;
#[cfg(feature = "server")]
pub mod writes;

#[cfg(feature = "server")]
#[cfg(test)]
mod acp_tests;
#[cfg(test)]
#[cfg(feature = "server")]
mod own_model_tests;
#[cfg(test)]
mod settings_tests;
