//! Writes a transcript anew with the lines that can be read, byte by byte as they were.
//!
//! Must never invent what was said: only a header is added, and only what stands before a JSON object is cut off.

use std::io::{Read, Write};

use serde::Serialize;

use super::entry::EntryKind;
use super::parse::{LineError, parse};
use super::reader::{LineContent, TranscriptReader};

/// What was done to a file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct RepairReport {
    /// Lines that were taken over as they were.
    pub kept: u64,
    /// Lines that were taken over without the garbage before them, counted from 1.
    pub trimmed: Vec<u64>,
    /// Lines that were left out, with what is wrong with them.
    pub left_out: Vec<(u64, LineError)>,
    /// Further headers that were left out.
    pub headers_left_out: Vec<u64>,
    /// Whether a header was added.
    pub header_added: bool,
}

/// Writes what can be read of `source`. `id` is the session's id where the file does not say it.
///
/// # Errors
/// Whatever source and sink say.
pub fn repair(source: impl Read, mut sink: impl Write, id: &str) -> std::io::Result<RepairReport> {
    let mut repair = RepairReport::default();
    let mut has_header = false;
    let mut reader = TranscriptReader::new(source);
    while let Some(reading) = reader.next_reading()? {
        let number = reading.line.number;
        let mut bytes = reading.line.bytes;
        let parsed;
        let entry = match &reading.item {
            LineContent::Blank => continue,
            LineContent::Entry(entry) => entry,
            LineContent::Bad(bad) => {
                let rest = memchr::memchr(b'{', bytes).and_then(|at| bytes.get(at..)).unwrap_or_default();
                match parse(rest) {
                    Ok(read) if *bad == LineError::Garbage => {
                        bytes = rest;
                        parsed = read.entry;
                        repair.trimmed.push(number);
                        &parsed
                    }
                    _ => {
                        repair.left_out.push((number, *bad));
                        continue;
                    }
                }
            }
        };
        match (&entry.kind, has_header) {
            (EntryKind::Session(_), true) => {
                repair.headers_left_out.push(number);
                continue;
            }
            (EntryKind::Session(_), false) => has_header = true,
            // Only OpenClaw's files have a header.
            (EntryKind::Message(_), false)
                if entry.id.is_some() && bytes.windows(10).any(|part| part == b"\"parentId\"") =>
            {
                let header = serde_json::json!({"type": "session", "version": 3, "id": id, "cwd": "/"});
                writeln!(sink, "{header}")?;
                repair.header_added = true;
                has_header = true;
            }
            _ => {}
        }
        sink.write_all(bytes)?;
        sink.write_all(b"\n")?;
        repair.kept += 1;
    }
    Ok(repair)
}
