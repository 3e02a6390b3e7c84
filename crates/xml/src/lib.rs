//! Lossless XML: text to an arena tree over byte spans, and back.
//!
//! What was not changed is written as the very bytes that were read, so `write(parse(x)) == x` for every accepted `x`.
//! Names are interned to small integers, with namespaces resolved, so that a caller matches on constants
//! ([`Vocabulary`]). Every change can be taken back exactly ([`Document::checkpoint`]).
//!
//! ```
//! use engross_xml::{Document, Limits, QName, NamespaceGroup, Vocabulary};
//!
//! const NONE: NamespaceGroup = NamespaceGroup(0);
//! const TITLE: QName = QName::new(0);
//! static VOCABULARY: Vocabulary = Vocabulary::new(&[&["urn:books"]], &[(NONE, "title")]);
//!
//! # fn main() -> Result<(), engross_xml::Error> {
//! let source = b"<book xmlns='urn:books'  year = \"1984\"><title>One</title></book>".to_vec();
//! let mut document = Document::parse(source.clone(), &VOCABULARY, &Limits::default())?;
//! assert_eq!(document.write(), source); // with its quotes and its spaces
//!
//! let title = document.child(document.root(), TITLE).unwrap_or(document.root());
//! let attempt = document.checkpoint();
//! let more = document.new_text(" & two");
//! document.append(title, more);
//! assert!(String::from_utf8_lossy(&document.write()).contains("<title>One &amp; two</title>"));
//! document.rollback(attempt);
//! assert_eq!(document.write(), source);
//! # Ok(())
//! # }
//! ```
//!
//! # API boundary
//!
//! What this page lists is the whole face of the crate; the modules behind it are private.
//!
//! Must never: do I/O, know what a document format means, expand entities of its own, accept a DOCTYPE, normalise
//! anything nobody asked to change.

mod edit;
mod encoding;
mod error;
mod escape;
mod import;
mod name;
mod parse;
mod tree;
mod write;

pub use edit::TreeCheckpoint;
pub use encoding::XmlEncoding;
pub use error::{Error, ErrorKind, Position};
pub use escape::{escape_attribute, escape_text, is_character, unescape};
pub use import::ImportedNode;
pub use name::{NamespaceGroup, QName, Vocabulary};
pub use parse::Limits;
pub use tree::{Ancestors, Children, Descendants, Document, NodeId, NodeKind};

#[cfg(test)]
mod edit_tests;
#[cfg(test)]
mod import_tests;
#[cfg(test)]
mod parse_tests;
