//! Transcripts: what agents wrote down, read line by line in bounded memory.
//!
//! Must never change a file, fail for a bad line, or take what a line says for an order. [`lines`] splits, `parse` reads a
//! line as an [`Entry`], [`pairing`] and [`Tree`] say how entries belong together, [`stats`] counts.

mod codex;
mod entry;
mod findings;
mod gather;
pub mod lines;
mod message;
mod origin;
mod outcome;
pub mod pairing;
mod parse;
mod reader;
pub mod repair;
mod session;
pub mod stats;
mod tree;

#[cfg(test)]
mod lines_tests;
#[cfg(test)]
mod pairing_tests;
#[cfg(test)]
mod repair_tests;

pub use entry::{Arguments, Block, Call, Content, Entry, Header, Kind, Message, Parent, ResultItem};
pub use findings::{Finding, Findings, Problem};
pub use origin::Origin;
pub use outcome::Outcome;
pub use parse::Bad;
pub use reader::{Item, Oddities, Reader, Reading};
pub use session::{Answered, Called, End, Session, Step, What};
pub use tree::Tree;
