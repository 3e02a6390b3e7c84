//! A value of the settings, where it came from, and what is wrong with one.

use crate::files;

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// What holds.
    pub value: T,
    /// Who said so.
    pub origin: Origin,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// The settings file, an environment variable, or a flag, by its name.
    Given(String),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::Given(name) => f.write_str(name),
        }
    }
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The settings file cannot be read.
    #[error(transparent)]
    File(#[from] files::Error),
    /// A value cannot be used.
    #[error("{origin}: {message}")]
    Invalid {
        /// Who gave it: a file with its line, a variable or a flag.
        origin: String,
        /// What is wrong with it, and what would be right.
        message: String,
    },
}
