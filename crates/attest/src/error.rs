//! Why a receipt cannot be read or made.

use engross_protocol::{Code, Failure};

use crate::codes;

/// Something about a receipt is wrong before anything of it can be checked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// It is none.
    #[error("this is no receipt ({problem}): give the file as it was written")]
    Invalid {
        /// What is wrong with it.
        problem: String,
    },
    /// A key is none.
    #[error(
        "the key cannot be used ({problem}): a public key is 64 hexadecimal digits, a secret has at least 16 bytes"
    )]
    Key {
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl ReceiptError {
    /// The row of its code.
    #[must_use]
    pub fn row(&self) -> &'static Code {
        match self {
            Self::Invalid { .. } => codes::RECEIPT_INVALID,
            Self::Key { .. } => codes::RECEIPT_KEY_INVALID,
        }
    }

    pub(super) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }
}

impl From<ReceiptError> for Failure {
    fn from(error: ReceiptError) -> Self {
        Self::of(error.row(), error.to_string())
    }
}
