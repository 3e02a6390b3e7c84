//! What is wrong with a receipt, or with the files that it speaks of.
//!
//! Must never be empty for something that was altered.

use std::fmt;

use super::key::PublicKey;

/// Whether the signer is one that the caller knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignerKnown {
    /// There is none that could be read.
    #[default]
    Nobody,
    /// The key is the one that the receipt names itself: somebody signed it.
    Unknown(PublicKey),
    /// It is the caller's.
    Known(PublicKey),
}

/// Something that is not as it was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReceiptFinding {
    /// The signature is not of these bytes.
    Signature,
    /// Another key signed it.
    Signer {
        /// The one that the caller knows.
        expected: PublicKey,
        /// The one that it has.
        found: PublicKey,
    },
    /// The list of files is not the signed one.
    List,
    /// The texts with it are not those whose hashes were signed.
    ReceiptTexts,
    /// A file is said to lie where none of a run is put.
    Place(String),
    /// A file is not there.
    Missing(String),
    /// A file has other bytes.
    Altered(String),
    /// Something that was signed does not hold of a document.
    Document(String),
}

/// All of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReceiptFindings {
    /// Who signed.
    pub signer: SignerKnown,
    /// What is wrong.
    pub all: Vec<ReceiptFinding>,
}

impl ReceiptFindings {
    /// Adds one.
    pub fn add(&mut self, finding: ReceiptFinding) {
        self.all.push(finding);
    }

    /// Whether nothing was altered.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        self.all.is_empty()
    }
}

impl fmt::Display for ReceiptFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signature => f.write_str("the signature is not of this statement"),
            Self::Signer { expected, found } => {
                write!(f, "it is signed by the key {}, not by {}", found.id(), expected.id())
            }
            Self::List => f.write_str("the list of files is not the one that was signed"),
            Self::ReceiptTexts => f.write_str("the texts are not those that were signed"),
            Self::Place(path) => {
                write!(f, "{}: it is said to lie where no file of a run is put", path.escape_debug())
            }
            Self::Missing(path) => write!(f, "{}: it is missing", path.escape_debug()),
            Self::Altered(path) => write!(f, "{}: its bytes are others", path.escape_debug()),
            Self::Document(problem) => f.write_str(problem),
        }
    }
}
