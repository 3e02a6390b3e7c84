//! A document as HTML that a browser shows, and that nobody can hide anything in.
//!
//! | File | Question it answers |
//! |---|---|
//! | `source` | what of a document is shown? |
//! | `page` | the stories, notes and comments in their order, and a page around them |
//! | `story` | which address, number and comments has each paragraph of a story? |
//! | `blocks`, `tables` | paragraphs and tables |
//! | `inline`, `objects` | what stands in a paragraph: text, links, fields, controls; notes, pictures, boxes, equations |
//! | `writer`, `line`, `state` | what is known while a story, a paragraph and a view are written |
//! | `changes` | who changed what, as elements and as marks |
//! | `appearance` | which formatting is shown, and by which element or class |
//! | `links`, `pictures` | which addresses and pictures are safe |
//! | `markup` | escaping, and elements that are open |
//!
//! `data-address` holds the addresses of a reading, `data-revision` the ids that accepting and rejecting take. Must never write a
//! script, a style attribute, an address but `https:`, `mailto:` or one within the page, or a character of a document that is not
//! escaped; and never more than a multiple of what the document holds.

mod appearance;
mod blocks;
mod changes;
mod inline;
mod line;
mod links;
mod markup;
mod objects;
mod page;
mod pictures;
mod source;
mod state;
mod story;
mod tables;
mod writer;

pub use page::HtmlOptions;
pub(crate) use page::write;
pub(crate) use source::{HtmlSource, PartSource, roots};

/// The style sheet of the view: light, dark, forced colours and print.
pub const STYLESHEET: &str = include_str!("style.css");
