//! A list of files that is a file of its own.
//!
//! Must never say where it is: that is [`super::FrozenFiles`].

use serde::{Deserialize, Serialize};

use super::hashes::Sha256Sum;

/// A list of files that is a file of its own: one [`super::Deliverable`] a line, as JSON, in the order of the manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FileList {
    /// The hash of the list.
    pub sha256: Sha256Sum,
    /// How many files it names.
    pub count: usize,
}
