//! A file of lines that only grows.
//!
//! Must never leave half a line before a whole one: what a crash or a full disk cut off is taken away.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{File, OpenOptions};

use super::error::{FileAction, FileError};
use super::mirror::FileChange;
use super::path::RelPath;
use super::platform::sync_entries;
use super::read::{BLOCK, look, no_follow};
use super::root::Folder;
use super::temporary::{Lock, lock};

/// A file of lines, each ending in a line feed, that one handle at a time appends to.
#[derive(Debug)]
pub struct AppendFile {
    file: File,
    path: RelPath,
    length: u64,
    cut: u64,
    folder: Folder,
}

impl AppendFile {
    /// Opens the file at `path` of `folder`, makes it if it is missing, and takes away a last line without an end.
    ///
    /// # Errors
    /// [`FileError::PathOutsideRoot`] when it is a link, one is on the way, or the file has further names, as they may be
    /// elsewhere; [`FileError::NotWritten`] while another handle or process has it; else as [`Folder::open`].
    pub fn open(folder: &Folder, path: &RelPath) -> Result<Self, FileError> {
        let failed = |error: io::Error| FileError::io(path.as_str(), FileAction::Writing, &error);
        folder.may_write(path.as_str())?;
        let mut parent = folder.make_parent_of(path)?;
        look(&parent.dir, path, path.name())?;
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = match parent.dir.open_with(path.name(), no_follow(&mut options)) {
            Ok(file) => file,
            Err(error) => return look(&parent.dir, path, path.name()).and(Err(failed(error))),
        };
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(FileError::invalid(path.as_str(), "what is there is no ordinary file"));
        }
        if metadata.nlink() > 1 {
            return Err(FileError::outside(path.as_str(), "the file has another name too"));
        }
        parent.keep();
        let (file, lock) = lock(file);
        // Who has it and is fenced off will not write to it any more.
        if lock == Lock::Elsewhere && folder.fence.is_none() {
            return Err(FileError::not_written(path.as_str(), "it is being written already"));
        }
        sync_entries(&parent.dir).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut opened = Self { file, path: path.clone(), length, cut: 0, folder: folder.clone() };
        let whole = opened.line_end_before(length, u64::MAX).map_err(failed)?.unwrap_or_default();
        if whole < length {
            opened.file.set_len(whole).map_err(failed)?;
            (opened.length, opened.cut) = (whole, length - whole);
        }
        folder.keep_elsewhere(&[(path.as_str(), FileChange::Replaced)])?;
        Ok(opened)
    }

    /// Its length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.length
    }

    /// Whether it has no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// How many bytes of a line without an end were taken away when it was opened.
    #[must_use]
    pub fn cut(&self) -> u64 {
        self.cut
    }

    /// Adds whole lines, all of them or none; gives the new length. The last one ends in a line feed, as it is taken away
    /// at the next opening otherwise.
    ///
    /// # Errors
    /// [`FileError::NoSpace`], else as the system says.
    pub fn append(&mut self, lines: &[u8]) -> Result<u64, FileError> {
        self.folder.may_write(self.path.as_str())?;
        if let Err(error) = self.file.write_all(lines) {
            // Should this fail too, the next opening does it.
            let _ = self.file.set_len(self.length);
            return Err(FileError::io(self.path.as_str(), FileAction::Writing, &error));
        }
        self.length += lines.len() as u64;
        Ok(self.length)
    }

    /// Makes what was appended durable.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync(&self) -> Result<(), FileError> {
        self.folder.may_write(self.path.as_str())?;
        let failed = |error: io::Error| FileError::io(self.path.as_str(), FileAction::Writing, &error);
        self.file.sync_data().map_err(failed)?;
        self.folder.keep_elsewhere(&[(self.path.as_str(), FileChange::Grown)])
    }

    /// The last line without its line feed; `None` when there is none.
    ///
    /// # Errors
    /// [`FileError::TooLarge`] when it has more than `limit` bytes, else as the system says.
    pub fn last_line(&mut self, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        let failed = |error: io::Error| FileError::io(self.path.as_str(), FileAction::Reading, &error);
        let Some(end) = self.length.checked_sub(1) else { return Ok(None) };
        let mut file = self.file.try_clone().map_err(failed)?;
        let Some(start) = self.line_end_before(end, limit).map_err(failed)? else {
            return Err(FileError::too_large(self.path.as_str(), limit));
        };
        let mut line = Vec::new();
        file.seek(SeekFrom::Start(start)).map_err(failed)?;
        file.take(end - start).read_to_end(&mut line).map_err(failed)?;
        Ok(Some(line))
    }

    /// Where the last line feed before `end` is over, or 0 when there is none; `None` when it is more than `limit` bytes
    /// before `end`.
    fn line_end_before(&self, end: u64, limit: u64) -> io::Result<Option<u64>> {
        let mut file = self.file.try_clone()?;
        let mut block = vec![0; BLOCK];
        let mut upper = end;
        while upper > 0 {
            let lower = upper.saturating_sub(BLOCK as u64);
            let length = usize::try_from(upper - lower).map_err(|_| ErrorKind::InvalidData)?;
            let part = block.get_mut(..length).ok_or(ErrorKind::InvalidData)?;
            file.seek(SeekFrom::Start(lower))?;
            file.read_exact(part)?;
            if let Some(at) = part.iter().rposition(|byte| *byte == b'\n') {
                let found = lower + at as u64 + 1;
                return Ok((end - found <= limit).then_some(found));
            }
            if end - lower > limit {
                return Ok(None);
            }
            upper = lower;
        }
        Ok(Some(0))
    }
}
