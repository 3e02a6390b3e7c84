//! Signals that must not tear a file in two.
//!
//! Must never swallow one: outside the moment of writing, each does what it always does.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Holds signals back while it lives. Held back are those that would end the process and leave a temporary file behind:
/// Ctrl-C, a request to end, and, instead of an error, a file beyond the size limit of the process.
pub struct HeldBack {
    free: Arc<AtomicBool>,
}

impl Default for HeldBack {
    fn default() -> Self {
        Self::new()
    }
}

impl HeldBack {
    /// Holds back from now on.
    pub fn new() -> Self {
        let free = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGINT, SIGTERM};
            use signal_hook::flag::register_conditional_default;
            // A signal that cannot be caught just acts as usual.
            for signal in [SIGINT, SIGTERM] {
                let _ = register_conditional_default(signal, Arc::clone(&free));
            }
        }
        survive_file_limit();
        Self { free }
    }
}

impl Drop for HeldBack {
    fn drop(&mut self) {
        self.free.store(true, Ordering::SeqCst);
    }
}

/// Notes signals that would end the process, for the one who has something to put away before.
pub struct NotedSignals(Arc<AtomicBool>);

impl Default for NotedSignals {
    fn default() -> Self {
        Self::new()
    }
}

impl NotedSignals {
    /// Notes Ctrl-C and a request to end from now on. A file beyond the size limit of the process is an error.
    pub fn new() -> Self {
        let noted = Arc::new(AtomicBool::new(false));
        #[cfg(unix)]
        {
            use signal_hook::consts::{SIGINT, SIGTERM};
            use signal_hook::flag::register;
            // A signal that cannot be caught just acts as usual.
            for signal in [SIGINT, SIGTERM] {
                let _ = register(signal, Arc::clone(&noted));
            }
        }
        survive_file_limit();
        Self(noted)
    }

    /// Whether there was one.
    pub fn any(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Resolves when the person or the system wants an end. They may want it from now on, before this is awaited; called within a
/// runtime.
pub fn asked_to_stop() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let asked = {
        use tokio::signal::unix::{SignalKind, signal};
        (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
    };
    async move {
        #[cfg(unix)]
        if let (Ok(mut terminate), Ok(mut interrupt)) = asked {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
        let _ = tokio::signal::ctrl_c().await;
    }
}

/// From now on a file beyond the size limit of the process is an error, not the end of it.
pub fn survive_file_limit() {
    #[cfg(unix)]
    {
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    }
}

/// POSIX gives it no number, but every Unix that Rust supports uses this one, Haiku and Illumos aside.
#[cfg(unix)]
const SIGXFSZ: std::os::raw::c_int = 25;
