//! Keeps the bytes of the content: raw, in staged files, so that the last one only needs a name to be the file.
//!
//! Must never take away bytes that the journal still counts on: what is cut off or replaced goes once the journal says so.

use std::io::{BufReader, Read, Seek, SeekFrom};
use std::thread::JoinHandle;

use bytes::Bytes;
use engross_store::files::{FileError, Folder, StagedFile, StagedName};
use serde::{Deserialize, Serialize};

use super::WriteSessionId;
use crate::session::Spool;

/// Bytes that are read at once.
const BLOCK: usize = 128 << 10;

/// What is known about some bytes without reading them again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Fingerprint {
    pub(super) length: u64,
    crc: u32,
    newlines: u64,
    last: u8,
}

impl Fingerprint {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        let mut crc = crc32fast::Hasher::new_with_initial_len(self.crc, self.length);
        crc.update(bytes);
        self.crc = crc.finalize();
        self.length += bytes.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', bytes).count() as u64;
        self.last = *last;
    }

    /// Whether there is a last line without a line end.
    pub(super) fn lacks_line_end(&self) -> bool {
        self.length > 0 && self.last != b'\n'
    }

    /// Lines, a last one without a line end included.
    pub(super) fn lines(&self) -> u64 {
        self.newlines + u64::from(self.lacks_line_end())
    }
}

/// One staged file of a session, by its number.
#[derive(Debug)]
pub(super) struct ContentPart {
    pub(super) number: u32,
    pub(super) staged: StagedFile,
    pub(super) print: Fingerprint,
}

/// A part as the journal knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PartState {
    pub(super) number: u32,
    pub(super) print: Fingerprint,
}

impl ContentPart {
    /// Adds bytes at its end.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.append_part(bytes, None)
    }

    /// The same for a part of `source`.
    fn append_part(&mut self, bytes: &[u8], source: Option<&Bytes>) -> Result<(), FileError> {
        self.cut()?;
        self.staged.append_part(bytes, source)?;
        self.print.add(bytes);
        Ok(())
    }

    /// Takes away what does not count any more.
    pub(super) fn cut(&mut self) -> Result<(), FileError> {
        self.staged.truncate(self.print.length)
    }

    pub(super) fn state(&self) -> PartState {
        PartState { number: self.number, print: self.print }
    }

    /// All of its bytes that count.
    pub(super) fn read(&self) -> Result<Vec<u8>, FileError> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.print.length).unwrap_or_default());
        let read = self.staged.reader()?.take(self.print.length).read_to_end(&mut bytes);
        read.map_err(|error| self.unreadable(&error))?;
        Ok(bytes)
    }

    /// What is known about its first `length` bytes.
    fn print_of(&self, length: u64) -> Result<Fingerprint, FileError> {
        let mut reader = self.staged.reader()?.take(length);
        let mut block = vec![0; BLOCK];
        let mut print = Fingerprint::default();
        loop {
            match reader.read(&mut block).map_err(|error| self.unreadable(&error))? {
                0 => return Ok(print),
                count => print.add(block.get(..count).unwrap_or_default()),
            }
        }
    }

    fn unreadable(&self, error: &std::io::Error) -> FileError {
        FileError::Unreadable { path: self.staged.name().as_str().to_owned(), reason: error.to_string() }
    }
}

/// The content of a session, and what was set aside.
#[derive(Debug)]
pub(super) struct Content {
    folder: Folder,
    id: WriteSessionId,
    next: u32,
    /// What comes goes here; it is gone once the file has its place.
    pub(super) now: Option<ContentPart>,
    pub(super) aside: Option<ContentPart>,
    /// The file that was put together from it.
    pub(super) file: Option<ContentPart>,
    /// Parts that no later checkpoint counts on.
    retired: Vec<ContentPart>,
    /// Makes what has come durable meanwhile, so that less is left to be when somebody waits for it.
    syncing: Option<JoinHandle<Result<(), FileError>>>,
    /// What content is being taken from.
    pub(super) source: Option<Bytes>,
    failure: Option<FileError>,
}

/// The content as the journal knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct ContentState {
    next: u32,
    now: Option<PartState>,
    aside: Option<PartState>,
    file: Option<PartState>,
}

impl ContentState {
    /// Whether files of content belong to it.
    pub(super) fn has_parts(&self) -> bool {
        self.now.is_some() || self.aside.is_some() || self.file.is_some()
    }
}

/// The name of a part.
fn part_name(id: WriteSessionId, number: u32) -> Result<StagedName, FileError> {
    StagedName::new(format!("{id}-{number}"))
}

impl Content {
    /// None, of a session that has no use for any.
    pub(super) fn none(folder: &Folder, id: WriteSessionId) -> Self {
        Self {
            folder: folder.clone(),
            id,
            next: 0,
            now: None,
            aside: None,
            file: None,
            retired: Vec::new(),
            syncing: None,
            source: None,
            failure: None,
        }
    }

    /// An empty one. Its name is durable with that of the journal, which is made next.
    pub(super) fn create(folder: &Folder, id: WriteSessionId) -> Result<Self, FileError> {
        let mut content = Self::none(folder, id);
        content.now = Some(content.part_of(Folder::stage_unsynced)?);
        Ok(content)
    }

    /// The one that the journal knows; `None` when it is not there as it was.
    pub(super) fn restore(
        folder: &Folder,
        id: WriteSessionId,
        state: &ContentState,
    ) -> Result<Option<Self>, FileError> {
        let restored = |part: Option<PartState>| part.map(|part| restore(folder, id, part)).transpose();
        let (now, aside, file) = (restored(state.now)?, restored(state.aside)?, restored(state.file)?);
        if matches!(now, Some(None)) || matches!(aside, Some(None)) || matches!(file, Some(None)) {
            return Ok(None);
        }
        let (now, aside, file) = (now.flatten(), aside.flatten(), file.flatten());
        Ok(Some(Self { next: state.next, now, aside, file, ..Self::none(folder, id) }))
    }

    pub(super) fn state(&self) -> ContentState {
        let state = |part: &Option<ContentPart>| part.as_ref().map(ContentPart::state);
        ContentState {
            next: self.next,
            now: state(&self.now),
            aside: state(&self.aside),
            file: state(&self.file),
        }
    }

    /// A new part.
    pub(super) fn part(&mut self) -> Result<ContentPart, FileError> {
        self.part_of(Folder::stage)
    }

    fn part_of(
        &mut self,
        stage: impl Fn(&Folder, &StagedName) -> Result<StagedFile, FileError>,
    ) -> Result<ContentPart, FileError> {
        let number = self.next;
        // What a killed process left under that name counts for nothing.
        if let Some(left) = self.folder.staged(&part_name(self.id, number)?)? {
            left.discard()?;
        }
        let staged = stage(&self.folder, &part_name(self.id, number)?)?;
        self.next += 1;
        Ok(ContentPart { number, staged, print: Fingerprint::default() })
    }

    /// What went wrong since this was last asked.
    pub(super) fn take_failure(&mut self) -> Option<FileError> {
        self.failure.take()
    }

    /// Begins to make its bytes durable, unless that is going on.
    pub(super) fn begin_sync(&mut self) -> Result<(), FileError> {
        if self.syncing.as_ref().is_some_and(|syncing| !syncing.is_finished()) {
            return Ok(());
        }
        self.end_sync()?;
        if let Some(now) = &self.now {
            self.syncing = Some(std::thread::spawn(now.staged.syncer()?));
        }
        Ok(())
    }

    /// Waits for what was begun. Its failure is told nowhere else.
    fn end_sync(&mut self) -> Result<(), FileError> {
        self.syncing.take().and_then(|syncing| syncing.join().ok()).unwrap_or(Ok(()))
    }

    /// Makes its bytes durable.
    pub(super) fn sync(&mut self) -> Result<(), FileError> {
        self.end_sync()?;
        [&self.now, &self.aside, &self.file].into_iter().flatten().try_for_each(|part| part.staged.sync())
    }

    /// A part takes the place of the content, and nothing is aside any more.
    pub(super) fn replace(&mut self, part: ContentPart) {
        self.retired.extend(self.now.replace(part));
        self.retired.extend(self.aside.take());
    }

    /// The journal counts on nothing but what counts now.
    pub(super) fn settle(&mut self) {
        for part in self.retired.drain(..) {
            // What cannot be removed now is swept later.
            let _ = part.staged.discard();
        }
        if let Some(now) = &mut self.now {
            // If this fails, it is cut before it is used.
            let _ = now.cut();
        }
    }

    /// Removes all of it.
    pub(super) fn discard(&mut self) {
        self.retired.extend([self.now.take(), self.aside.take(), self.file.take()].into_iter().flatten());
        self.settle();
    }

    fn keep(&mut self, done: Result<(), FileError>) {
        if let Err(error) = done {
            self.failure.get_or_insert(error);
        }
    }

    fn begin_anew(&mut self) -> Option<ContentPart> {
        match self.part() {
            Ok(part) => self.now.replace(part),
            Err(error) => {
                self.failure.get_or_insert(error);
                None
            }
        }
    }
}

impl Spool for Content {
    fn append(&mut self, bytes: &[u8]) {
        if self.failure.is_none()
            && let Some(now) = &mut self.now
        {
            let done = now.append_part(bytes, self.source.as_ref());
            self.keep(done);
        }
    }

    fn truncate(&mut self, length: u64) {
        let Some(now) = &mut self.now else { return };
        if length == 0 && now.print.length > 0 {
            let old = self.begin_anew();
            self.retired.extend(old);
        } else if length < now.print.length {
            match now.print_of(length) {
                Ok(print) => now.print = print,
                Err(error) => self.keep(Err(error)),
            }
        }
    }

    fn set_aside(&mut self) {
        let old = self.begin_anew();
        self.retired.extend(self.aside.take());
        self.aside = old;
    }

    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool {
        let Some(now) = &self.now else { return false };
        let same = || -> Result<bool, FileError> {
            let mut reader = BufReader::new(now.staged.reader()?);
            let mut there = vec![0; bytes.len()];
            let read = reader.seek(SeekFrom::Start(offset)).and_then(|_| reader.read_exact(&mut there));
            Ok(read.is_ok() && there == bytes)
        };
        match same() {
            Ok(same) => same,
            Err(error) => {
                self.keep(Err(error));
                false
            }
        }
    }
}

fn restore(folder: &Folder, id: WriteSessionId, state: PartState) -> Result<Option<ContentPart>, FileError> {
    let Some(staged) = folder.staged(&part_name(id, state.number)?)? else { return Ok(None) };
    if staged.len() < state.print.length {
        return Ok(None);
    }
    let mut part = ContentPart { number: state.number, staged, print: state.print };
    if part.print_of(state.print.length)? != state.print {
        return Ok(None);
    }
    part.cut()?;
    Ok(Some(part))
}
