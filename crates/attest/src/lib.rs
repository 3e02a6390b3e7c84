//! Receipts: small signed statements about files, which anybody can check with the public key alone.
//!
//! Must never read a clock, a disk or randomness, hold a text that it was not given to hold, or call a receipt good of which a
//! byte was altered. `docs/design/receipts.md` describes the format.
//!
//! | File | Question it answers |
//! |---|---|
//! | `envelope`, `key` | who signed these bytes? |
//! | `merkle` | which one number stands for a list of files? |
//! | `statement` | what is said of a run, or of a redline? |
//! | `receipt` | what is in the file that a person keeps? |
//! | `findings` | what is wrong with it, or with the files? |

pub mod codes;
mod envelope;
mod error;
mod findings;
mod key;
mod merkle;
mod receipt;
mod statement;

#[cfg(test)]
mod receipt_tests;

pub use envelope::Envelope;
pub use error::ReceiptError;
pub use findings::{ReceiptFinding, ReceiptFindings, SignerKnown};
pub use key::{PublicKey, SigningIdentity};
pub use merkle::{Leaf, MerkleTree, merkle_root};
pub use receipt::{FIRST_BESIDE, FileEntry, LAST_BESIDE, ReceiptTexts, SignedReceipt, name_beside};
pub use statement::{
    DocumentFile, FileSummary, PermissionCount, RedlineStatement, RevisionEntry, RunStatement, Statement,
};
