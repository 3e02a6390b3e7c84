//! How a failure reaches JavaScript.

/// What went wrong, as a JSON text.
pub(crate) type Failure = String;
