//! What is going on, on standard error: a moving line on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::ProgressBar;

use crate::output::note;

/// Tells what is going on.
#[derive(Debug)]
pub(crate) struct Progress {
    spinner: Option<ProgressBar>,
}

impl Progress {
    /// For work that takes a moment: plain lines.
    pub(crate) fn of_short_work() -> Self {
        Self { spinner: None }
    }

    /// For work that may take long, such as waiting for a model.
    pub(crate) fn of_long_work() -> Self {
        let spinner = std::io::stderr().is_terminal().then(|| {
            let spinner = ProgressBar::new_spinner();
            spinner.enable_steady_tick(Duration::from_millis(120));
            spinner
        });
        Self { spinner }
    }

    /// What is being done now.
    pub(crate) fn status(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.set_message(line.to_owned()),
            None => note(line),
        }
    }

    /// Something that stays to be read.
    pub(crate) fn line(&self, line: &str) {
        match &self.spinner {
            Some(spinner) => spinner.suspend(|| note(line)),
            None => note(line),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(spinner) = &self.spinner {
            spinner.finish_and_clear();
        }
    }
}
