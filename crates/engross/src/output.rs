//! The answer of a command: text, or one JSON document.
//!
//! Must never print anything else to standard output.

use std::io::IsTerminal;

use engross_protocol::{Exit, Failure};
use serde::Serialize;
use serde_json::json;

pub(crate) use engross_compose::console::{note, print, prompt};

/// How to speak to the one who started the program.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Output {
    /// One JSON document instead of text.
    pub(crate) json: bool,
    /// Whether standard output may be coloured.
    pub(crate) colour: bool,
}

/// How much a JSON document tells of what was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Detail {
    /// The words that changed, with a little around them.
    Terse,
    /// Whole paragraphs, and all places.
    Full,
}

impl Output {
    /// Colour only on a terminal, and only if the person wants it.
    pub(crate) fn new(json: bool, allows_colour: bool) -> Self {
        Self { json, colour: allows_colour && !json && std::io::stdout().is_terminal() }
    }

    /// Whether the answer is JSON in few words.
    pub(crate) fn is_terse(self, detail: Detail) -> bool {
        self.json && detail == Detail::Terse
    }

    /// Prints the answer: `value` as JSON, or else the text.
    pub(crate) fn answer<T: Serialize>(
        self,
        value: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if !self.json {
            return print(&text());
        }
        let mut line = serde_json::to_string_pretty(value).map_err(unwritten)?;
        line.push('\n');
        print(&line)
    }

    /// Prints the answer, as JSON on one line where it is to be terse.
    pub(crate) fn detailed<T: Serialize>(
        self,
        detail: Detail,
        value: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Failure> {
        if !self.is_terse(detail) {
            return self.answer(value, text);
        }
        let line = serde_json::to_string(value).map_err(unwritten)?;
        print(&format!("{line}\n"))
    }

    /// Prints a failure: for people on standard error, and with `--json` as JSON on standard output, too.
    pub(crate) fn failure(self, failure: &Failure) {
        note(&format!("error: {} [{}]", failure.message, failure.code));
        if self.json {
            let body = json!({"error": failure.body()});
            let _ = print(&format!("{body:#}\n"));
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "is handed to map_err")]
fn unwritten(error: serde_json::Error) -> Failure {
    Failure::new(Exit::Io, "WRITE_FAILED", error.to_string())
}
