//! A run that is with its agent, as those see it who want something of it.

use std::sync::{Arc, Mutex};

use tokio_util::sync::CancellationToken;

use super::journal::lock;
use crate::runner::Control;

/// What reaches a run that is under way.
#[derive(Default)]
pub(super) struct Handle {
    /// Somebody wants an end.
    pub(super) cancelled: CancellationToken,
    control: Mutex<Option<Arc<dyn Control>>>,
}

impl Handle {
    pub(super) fn set(&self, control: Arc<dyn Control>) {
        *lock(&self.control) = Some(control);
    }

    /// How the agent is reached, once it has begun.
    pub(super) fn control(&self) -> Option<Arc<dyn Control>> {
        lock(&self.control).clone()
    }
}
