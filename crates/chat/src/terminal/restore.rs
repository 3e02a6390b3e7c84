//! The terminal as it was before the chat.
//!
//! Must never fail: what cannot be put back is left.

/// Puts the terminal back when it is dropped, however the chat ends.
pub(super) struct TerminalGuard {
    #[cfg(unix)]
    attributes: Option<rustix::termios::Termios>,
}

/// Text that is pasted comes as if it were typed again.
const NO_BRACKETS: &str = "\u{1b}[?2004l";

impl TerminalGuard {
    pub(super) fn new() -> Self {
        Self {
            #[cfg(unix)]
            attributes: rustix::termios::tcgetattr(rustix::stdio::stdin()).ok(),
        }
    }
}

impl Drop for TerminalGuard {
    fn drop(&mut self) {
        #[cfg(unix)]
        if let Some(attributes) = &self.attributes {
            use rustix::termios::{OptionalActions, tcsetattr};
            let _ = tcsetattr(rustix::stdio::stdin(), OptionalActions::Now, attributes);
        }
        let _ = engross_compose::console::print(NO_BRACKETS);
    }
}

/// Requests of the system that the process shall end.
pub(super) struct EndSignals {
    #[cfg(unix)]
    signals: Option<[tokio::signal::unix::Signal; 2]>,
}

impl EndSignals {
    /// Listens for them from now on. Those that cannot be listened for act as usual.
    pub(super) fn new() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let asked = signal(SignalKind::terminate());
            let gone = signal(SignalKind::hangup());
            Self { signals: asked.and_then(|asked| Ok([asked, gone?])).ok() }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Resolves when the process is asked to end, or the terminal is gone.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        if let Some([asked, gone]) = &mut self.signals {
            tokio::select! {
                _ = asked.recv() => {}
                _ = gone.recv() => {}
            }
            return;
        }
        std::future::pending::<()>().await;
    }
}
