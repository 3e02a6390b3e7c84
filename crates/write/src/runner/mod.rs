//! Carries out write sessions on disk, many at once.
//!
//! Must never tell an offset that a loss of power takes back, or a receipt that is not stored; and never let one session
//! wait for another. Everything blocks, except for [`WriteService`], which asynchronous callers use.
//!
//! | File | Question it answers |
//! |---|---|
//! | `config` | what does a runner need, and where are its bounds? |
//! | `content` | where are the bytes of the content? |
//! | `journal` | what is stored beside them? |
//! | `target` | where does the file go, and what must hold there? |
//! | `work` | what is done with an input, and when is it durable? |
//! | `deliver` | how does the file come from the content, and take its place? |
//! | `restart` | what is a session after a crash? |
//! | `environment` | what do all sessions share? |
//! | `counters` | how many sessions began, and how did they end? |
//! | `hub` | which events do listeners get, also late ones? |
//! | `loaded` | who drives a session, and what do others see of it meanwhile? |
//! | `caller` | who begins them? |
//! | `registry` | which sessions are there? |
//! | `reservation` | is there room for one more? |
//! | `sessions` | what can be done with them? |
//! | `watch` | which of them are silent, too old, forgotten? |
//! | `service` | the same for asynchronous callers |

mod caller;
mod config;
mod content;
mod counters;
mod deliver;
mod environment;
mod hub;
mod journal;
mod loaded;
mod record;
mod registry;
mod reservation;
mod restart;
mod service;
mod sessions;
mod target;
mod text;
mod watch;
mod work;

#[cfg(test)]
mod golden_tests;

pub use caller::WriteCaller;
pub use config::{
    ComposedDocument, Composer, Config, Durability, FileKeeper, Limits, ProposedFile, Reviewer,
};
pub use counters::WriteCounters;
pub use engross_protocol::WriteSessionId;
pub use hub::{Notice, PublishedEvent};
pub use loaded::WriteSessionView;
pub use service::{WriteListener, WriteService};
pub use sessions::{ChunkEnd, WriteSessions};
pub use text::TextError;
