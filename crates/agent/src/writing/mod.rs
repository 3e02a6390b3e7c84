//! Files that a model writes: one small call names the file, the model's text is its content.
//!
//! Must never put content into a call's result, the log or the conversation, nor guess what is missing. Where a file ends, how
//! pieces join and what is wrong with them is said by `engross_write`.
//!
//! | File | Question it answers |
//! |---|---|
//! | `tool` | what is the model offered, and what do its arguments say? |
//! | `writer` | what does a call, or the end of an answer, mean for the write session? |
//! | `files` | how does a model look at text files? |
//! | `lines` | what does it read of one? |
//! | `progress` | how far is the file, for people? |
//! | `recall` | what of its own text does the model see again? |
//! | `outline` | what is a long text in few bytes? |
//! | `argument` | how does content get out of a call that carries it? |
//! | `texts` | which text does an operation take from a file that was written? |
//! | `only` | what are the tools of a session without documents? |

mod argument;
mod files;
mod lines;
mod only;
mod outline;
mod progress;
mod recall;
mod texts;
mod tool;
mod writer;

pub(crate) use only::TEXT_FILES;
pub use only::WritingTools;
pub use texts::Texts;
pub use tool::ContentTools;
pub use writer::Writer;

pub(crate) use argument::ArgumentStreams;
pub(crate) use progress::Progress;
pub(crate) use recall::recall;
pub(crate) use texts::{check_inline, offer as offer_texts};
pub(crate) use tool::BEGIN;
pub(crate) use writer::CallContext;
