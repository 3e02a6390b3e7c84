//! Gives long texts of a session again, from the lines where they were read.
//!
//! Must never give another text than was read: a file that changed meanwhile fails, and says so.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use engross_transcript::{TextPlace, TextSource, text_in};

/// The lines of a session.
#[derive(Debug)]
pub(super) struct SessionLines {
    kept: KeptLines,
    has_failed: AtomicBool,
}

#[derive(Debug)]
enum KeptLines {
    /// An open file, so that one of the same name in its place changes nothing.
    File(Mutex<File>),
    /// What was made of a file of another program.
    Memory(Vec<u8>),
}

impl SessionLines {
    pub(super) fn of_file(file: File) -> Self {
        Self { kept: KeptLines::File(Mutex::new(file)), has_failed: AtomicBool::new(false) }
    }

    pub(super) fn of_memory(lines: Vec<u8>) -> Self {
        Self { kept: KeptLines::Memory(lines), has_failed: AtomicBool::new(false) }
    }

    /// What is held in memory.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.kept {
            KeptLines::Memory(lines) => lines,
            KeptLines::File(_) => &[],
        }
    }

    fn read(&self, place: &TextPlace) -> Option<String> {
        let length = usize::try_from(place.length).ok()?;
        match &self.kept {
            KeptLines::Memory(lines) => {
                let begin = usize::try_from(place.offset).ok()?;
                text_in(lines.get(begin..begin.checked_add(length)?)?, place)
            }
            KeptLines::File(file) => {
                let mut line = vec![0; length];
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(place.offset)).ok()?;
                file.read_exact(&mut line).ok()?;
                drop(file);
                text_in(&line, place)
            }
        }
    }
}

impl TextSource for SessionLines {
    fn text(&self, place: &TextPlace) -> Option<String> {
        let text = self.read(place);
        self.has_failed.fetch_or(text.is_none(), Ordering::Relaxed);
        text
    }

    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }
}
