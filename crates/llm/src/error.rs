//! What can go wrong between us and a model.

/// A failed answer. `code` is stable and explained in `docs/errors/`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The stream ended before the model said it was done.
    #[error("the model's answer was cut off before its end; ask again, nothing of it was used")]
    Truncated,
}
