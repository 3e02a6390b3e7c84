//! A value of the settings, where it came from, and what is wrong with one.

use crate::files;

/// A value and its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting<T> {
    pub(crate) value: T,
    pub(crate) origin: Origin,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
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
pub(crate) enum Error {
    #[error(transparent)]
    File(#[from] files::Error),
    #[error("{origin}: {message}")]
    Invalid { origin: String, message: String },
}
