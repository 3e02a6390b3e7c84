//! One write session, from its beginning to its receipt.
//!
//! Must never do I/O, know the time, or report as written what has no end. Bytes and events go in; content goes to a spool,
//! and what is to be done comes out.
//!
//! | File | Question it answers |
//! |---|---|
//! | `options` | what was asked for, and does it make sense? |
//! | `state` | where does a session stand, what happens to it, and what is to be done? |
//! | `machine` | what does each input lead to? |
//! | `intake` | which bytes of a chunk are new, and what becomes of them? |
//! | `closing` | what follows the end of the content? |
//! | `assemble` | what file comes from the content? |
//! | `resume` | how is the rest of a file asked for? |
//! | `resent` | are bytes that come again the same? |
//! | `prompts` | what is the model told? |

mod assemble;
mod closing;
mod intake;
mod machine;
mod options;
mod prompts;
mod resent;
mod resume;
mod state;

pub use assemble::assemble;
pub use machine::WriteSession;
pub use options::{BeginOptions, Escape, Join, MAX_BYTES, Unwrap, WriteOperation};
pub use prompts::marker;
pub use state::{
    Assembly, AssemblyBase, CommittedFile, Pause, Prompt, PromptKind, Spool, State, WriteAction, WriteEvent,
    WriteInput, WriteReceipt, WriteWarning,
};
