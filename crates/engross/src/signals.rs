//! Signals that must not tear a file in two.
//!
//! Must never swallow one: outside the moment of writing, each does what it always does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Holds signals back while it lives. Held back are those that would end the process and leave a temporary file behind:
/// Ctrl-C, a request to end, and, instead of an error, a file beyond the size limit of the process.
pub(crate) struct HeldBack {
    free: Arc<AtomicBool>,
}

impl HeldBack {
    /// Holds back from now on.
    pub(crate) fn new() -> Self {
        let free = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGINT, SIGTERM};
            use signal_hook::flag::{register, register_conditional_default};
            // A signal that cannot be caught just acts as usual.
            for signal in [SIGINT, SIGTERM] {
                let _ = register_conditional_default(signal, Arc::clone(&free));
            }
            let _ = register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        }
        Self { free }
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        self.free.store(true, Ordering::SeqCst);
    }
}

/// POSIX gives it no number, but every Unix that Rust supports uses this one, Haiku and Illumos aside.
#[cfg(unix)]
const SIGXFSZ: std::os::raw::c_int = 25;
