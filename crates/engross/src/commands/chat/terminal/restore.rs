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
        let _ = crate::output::print(NO_BRACKETS);
    }
}

/// Resolves when the system asks the process to end, or the terminal is gone.
pub(super) async fn asked_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let listen = |kind| signal(kind).ok();
        let (Some(mut end), Some(mut gone)) = (listen(SignalKind::terminate()), listen(SignalKind::hangup()))
        else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = end.recv() => {}
            _ = gone.recv() => {}
        }
    }
    #[cfg(not(unix))]
    std::future::pending::<()>().await;
}
