//! The one place of this crate that touches paths: sessions are found and opened here, books and AGENTS.md files written.
//!
//! Must never open what is no ordinary file, leave half a file behind, or write over bytes that it has not read.

mod again;
mod delivered;
mod instructions;
mod journal;
mod openclaw;
mod session_file;
mod sessions;
mod skill_folders;
mod times;
mod whole;

pub use delivered::DeliveredDocuments;
pub use instructions::{BlockSync, check_file, check_file_against, sync_files};
pub(crate) use journal::processed;
pub use journal::{BookFile, BookPaths};
pub(crate) use journal::{BookStamp, stamp_of};
pub use session_file::{SessionFile, UnreadableFile};
pub use sessions::{
    SessionReader, SparedSession, discover, folder_of, head_of, inspect_file, open, read_session,
    sessions_at, tail_of,
};
pub use skill_folders::export_folder;
pub use whole::{read_text, write as write_whole, write_beside};
