//! Write sessions: a file streamed as text, delivered whole or loudly incomplete.
pub mod continuation;
pub mod framing;
pub mod json_field;
pub mod patch;
pub mod validate;
