//! Lossless XML: text to an arena tree over byte spans, and back.
//!
//! What was not changed is written as the very bytes that were read, so `write(parse(x)) == x` for every accepted `x`.
//! Names are interned to small integers, with namespaces resolved, so that a caller matches on constants
//! ([`Vocabulary`]). Every change can be taken back exactly ([`Document::checkpoint`]).
//!
//! Must never: do I/O, know what a document format means, expand entities of its own, accept a DOCTYPE, normalise
//! anything nobody asked to change.

mod edit;
mod encoding;
mod error;
mod escape;
mod name;
mod parse;
mod tree;
mod write;

pub use edit::Checkpoint;
pub use encoding::Encoding;
pub use error::{Error, ErrorKind, Position};
pub use escape::{escape_attribute, escape_text};
pub use name::{Name, NamespaceGroup, Vocabulary};
pub use parse::Limits;
pub use tree::{Ancestors, Children, Descendants, Document, Kind, NodeId};

#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod parse_tests;
