//! What a program needs that has the same document open in another editor: Word's task pane above all.
//!
//! | File | Question it answers |
//! |---|---|
//! | `items` | what are the paragraphs of a document and what stands around them, as numbers? |
//! | `sameness` | is this the same document, but for ids? |
//! | `steps` | which paragraphs does an edit touch, and how? |
//! | `spans` | is an edit of a paragraph nothing but other words, and which? |
//! | `fragment` | what must be handed over so that another editor has these paragraphs? |
//!
//! Must never change a document.

mod fragment;
mod items;
mod sameness;
mod spans;
mod steps;

pub(crate) use items::StoryItems;
pub use sameness::{Difference, differences};
pub(crate) use spans::text_spans;
pub use spans::{NewTextFormat, TextSpan};
pub use steps::{EditStep, edit_steps};
