//! What a person reads while something goes on, on standard error, and what a program reads, on standard output.
//!
//! Must never panic because nobody reads any more: a closed pipe is the reader's good right.

use std::io::{ErrorKind, Write};

use engross_protocol::{Exit, Failure};

/// Prints a line for people on standard error.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Asks for a line on standard error.
pub fn prompt(text: &str) {
    let mut stderr = std::io::stderr().lock();
    let _ = stderr.write_all(text.as_bytes()).and_then(|()| stderr.flush());
}

/// Prints to standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Failure::new(
            Exit::Io,
            "WRITE_FAILED",
            format!("standard output cannot be written: {error}; check where it goes"),
        )),
        _ => Ok(()),
    }
}
