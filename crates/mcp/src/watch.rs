//! What a running call tells its client, and whether the client still wants it.
//!
//! Must never wait for the client.

use std::sync::Arc;

use engross_documents::StopSignal;
use engross_protocol::Failure;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use crate::codes;

/// A step that a call has come to: how many are done, and what is done now.
pub(crate) type Step = (u32, &'static str);

/// How many steps a call has.
pub(crate) const STEPS: u32 = 3;

/// The client of a running call.
#[derive(Debug, Clone)]
pub(crate) struct Watch {
    stop: CancellationToken,
    steps: UnboundedSender<Step>,
}

impl Watch {
    /// A client that may stop the call by `stop` and hears of `steps`.
    pub(crate) fn new(stop: CancellationToken, steps: UnboundedSender<Step>) -> Self {
        Self { stop, steps }
    }

    /// Whether the call was taken back.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_cancelled()
    }

    /// The same for those who are about to write.
    pub(crate) fn stop_signal(&self) -> StopSignal {
        let stop = self.stop.clone();
        Arc::new(move || stop.is_cancelled())
    }

    /// Tells of a step, unless the call was taken back.
    pub(crate) fn step(&self, done: u32, what: &'static str) -> Result<(), Failure> {
        if self.is_stopped() {
            return Err(stopped());
        }
        // A client that does not listen is told nothing.
        let _ = self.steps.send((done, what));
        Ok(())
    }
}

/// The failure of a call that was taken back.
pub(crate) fn stopped() -> Failure {
    Failure::of(codes::CALL_STOPPED, "the call was taken back by the client; nothing was written")
}
