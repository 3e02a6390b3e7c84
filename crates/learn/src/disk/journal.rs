//! Keeps a skillbook on disk: the journal, the file for others beside it, and the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use engross_store::files::{Ages, Root};

use super::times::modified;
use super::whole::{read, read_text, unwritable, write_beside, write_private};
use crate::Error;
use crate::skillbook::journal::{self, BookJournal, Record};
use crate::skillbook::{
    Import, ReadList, SkillStatus, deletions, edit_of, import, plain_list, put_ids_right, read_list,
    to_hybrid,
};

/// A journal is written anew when it has so many records for each that counts.
const STALE: u64 = 4;

/// The files of a skillbook, by the one that others read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookPaths {
    /// The hybrid file, such as `ace_skillbook.json`.
    pub json: PathBuf,
}

impl BookPaths {
    /// The truth.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.json.with_extension("journal.jsonl")
    }

    /// The list for people, which they may edit.
    #[must_use]
    pub fn markdown(&self) -> PathBuf {
        self.json.with_extension("md")
    }

    /// The list of names that the reference keeps.
    #[must_use]
    pub fn processed(&self) -> PathBuf {
        self.json.with_file_name("ace_processed.txt")
    }
}

/// A skillbook that is open.
#[derive(Debug)]
pub struct BookFile {
    paths: BookPaths,
    /// What it holds.
    pub journal: BookJournal,
    /// What was noticed while opening it.
    pub notes: Vec<String>,
    /// Open and locked, unless nothing may be written.
    file: Option<File>,
    /// Bytes of whole records on disk.
    whole: u64,
    /// Records that are not on disk yet.
    pending: Vec<Record>,
    /// Whether the list holds something that nobody may write over.
    is_list_kept: bool,
}

impl BookFile {
    /// Opens a book to read it. Nothing is written, ever.
    ///
    /// # Errors
    /// [`Error::ReadFailed`], [`Error::Damaged`], [`Error::Invalid`].
    pub fn read(paths: BookPaths) -> Result<Self, Error> {
        Self::load(paths, None)
    }

    /// Opens a book to change it, and keeps others out.
    ///
    /// # Errors
    /// [`Error::Busy`] and as [`BookFile::read`]; [`Error::WriteFailed`].
    pub fn open(paths: BookPaths) -> Result<Self, Error> {
        let path = paths.journal();
        let failed = |error: std::io::Error| unwritable(&path, &error);
        std::fs::create_dir_all(super::whole::folder_of(&path)).map_err(failed)?;
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            // Another run may have put a new file in its place between opening and locking.
            Ok(()) if !is_still_at(&file, &path) => Err(Error::Busy { path: path.display().to_string() }),
            Ok(()) => Self::load(paths, Some(file)),
            Err(TryLockError::WouldBlock) => Err(Error::Busy { path: path.display().to_string() }),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    fn load(paths: BookPaths, file: Option<File>) -> Result<Self, Error> {
        let path = paths.journal();
        let bytes = read(&path)?.unwrap_or_default();
        let journal = journal::read(&bytes)
            .map_err(|damaged| Error::Damaged { path: path.display().to_string(), line: damaged.line })?;
        let whole = journal.whole;
        let mut book =
            Self { paths, journal, notes: Vec::new(), file, whole, pending: Vec::new(), is_list_kept: false };
        let written = book.take_over()?;
        book.take_list(written.as_ref())?;
        book.take_proposals()?;
        Ok(book)
    }

    /// Takes over what others wrote into the file beside.
    fn take_over(&mut self) -> Result<Option<Import>, Error> {
        let path = self.paths.json.clone();
        let text = match read_text(&path) {
            Ok(Some(text)) => text,
            Ok(None) => return Ok(None),
            Err(error) => return Err(error),
        };
        match import(&text) {
            Ok(import) => {
                let records = self.journal.book.merge(&import);
                if !records.is_empty() {
                    self.notes.push(format!(
                        "{} changes were taken over from {}",
                        records.len(),
                        path.display()
                    ));
                }
                self.notes.extend(import.repairs.iter().cloned());
                for record in records {
                    self.add(record);
                }
                Ok(Some(import))
            }
            Err(reason) => {
                let kept = match self.file {
                    Some(_) => write_beside(&path, "unreadable", text.as_bytes())?.display().to_string(),
                    None => path.display().to_string(),
                };
                if self.journal.book.is_empty() {
                    return Err(Error::Invalid { path: path.display().to_string(), reason, kept });
                }
                self.notes.push(format!(
                    "{} is no skillbook ({reason}); it is made anew, the old one is {kept}",
                    path.display()
                ));
                Ok(None)
            }
        }
    }

    /// Takes over what a person changed in the list. `written` is the file that was written together with it.
    fn take_list(&mut self, written: Option<&Import>) -> Result<(), Error> {
        let path = self.paths.markdown();
        let Some(text) = read_text(&path)? else { return Ok(()) };
        let lines = match read_list(&text) {
            ReadList::Foreign | ReadList::Untouched => return Ok(()),
            ReadList::Unmerged => {
                self.is_list_kept = true;
                self.notes.push(format!("{} holds an unfinished merge; it is left as it is", path.display()));
                return Ok(());
            }
            ReadList::Edited(lines) => lines,
        };
        let (base, now) = (written.map(Import::written).unwrap_or_default(), modified(&path));
        let (lines, mended) = put_ids_right(&self.journal.book, lines, &base);
        if mended > 0 {
            self.notes.push(format!(
                "{mended} lines of {} had ids that are not known; their lessons were kept",
                path.display()
            ));
        }
        let (before, waiting) = (self.pending.len(), self.journal.book.count(SkillStatus::Quarantined));
        for line in &lines {
            for record in edit_of(&self.journal.book, line, &base, now) {
                self.add(record);
            }
        }
        for record in deletions(&self.journal.book, &lines, &base, now) {
            self.add(record);
        }
        let changes = self.pending.len() - before;
        if changes > 0 {
            let were = if changes == 1 { "change was" } else { "changes were" };
            self.notes.push(format!("{changes} {were} taken over from {}", path.display()));
        }
        let waiting = self.journal.book.count(SkillStatus::Quarantined).saturating_sub(waiting);
        if waiting > 0 {
            let (are, wait) = if waiting == 1 { ("is", "waits") } else { ("are", "wait") };
            self.notes.push(format!("{waiting} of them {are} doubtful and {wait} for engross skills review"));
        }
        Ok(())
    }

    /// Removes what killed runs have left beside the book. What cannot be removed now is left for the next run.
    pub fn sweep(&self, now: u64) {
        let folder = super::whole::folder_of(&self.paths.json);
        if self.file.is_some()
            && let Ok(root) = Root::open(folder)
        {
            let _ = root.top().sweep_here(now, Ages::default());
        }
    }

    /// Where its files are.
    #[must_use]
    pub fn paths(&self) -> &BookPaths {
        &self.paths
    }

    /// Does what a record says; [`BookFile::save`] keeps it.
    pub fn add(&mut self, record: Record) {
        self.pending.push(record.clone());
        self.journal.apply(record);
    }

    /// Keeps all records so far, so that they outlive a crash. Does nothing for a book that is only read.
    ///
    /// # Errors
    /// [`Error::WriteFailed`]; the records before are untouched then.
    pub fn save(&mut self) -> Result<(), Error> {
        let path = self.paths.journal();
        let Some(file) = self.file.as_mut().filter(|_| !self.pending.is_empty()) else { return Ok(()) };
        let lines = journal::write(&self.pending);
        let written = file
            .set_len(self.whole)
            .and_then(|()| file.seek(SeekFrom::Start(self.whole)))
            .and_then(|_| file.write_all(&lines))
            .and_then(|()| file.sync_data());
        if let Err(error) = written {
            // If not even this works, the next to open the file finds a torn record.
            let _ = file.set_len(self.whole);
            return Err(unwritable(&path, &error));
        }
        self.whole += u64::try_from(lines.len()).unwrap_or_default();
        self.journal.records += u64::try_from(self.pending.len()).unwrap_or_default();
        self.pending.clear();
        Ok(())
    }

    /// Keeps everything and writes the files for others, where they differ.
    ///
    /// # Errors
    /// [`Error::WriteFailed`].
    pub fn finish(&mut self) -> Result<(), Error> {
        self.save()?;
        if self.file.is_none() {
            return Ok(());
        }
        self.update_folders()?;
        self.save()?;
        self.compact()?;
        let book = &self.journal.book;
        let mut json = serde_json::to_string_pretty(&to_hybrid(book)).unwrap_or_default();
        json.push('\n');
        // The list comes first: what it holds and the other file does not is no edit, the other way round it would be one.
        let list = (!self.is_list_kept).then(|| (self.paths.markdown(), plain_list(book)));
        for (path, bytes) in list.into_iter().chain([(self.paths.json.clone(), json)]) {
            if read(&path)?.as_deref() != Some(bytes.as_bytes()) {
                write_private(&path, bytes.as_bytes())?;
            }
        }
        Ok(())
    }

    /// Writes the journal anew when most of it is history.
    fn compact(&mut self) -> Result<(), Error> {
        let compact = self.journal.compact();
        let needed = u64::try_from(compact.len()).unwrap_or_default().max(1_000);
        if self.journal.records < needed * STALE {
            return Ok(());
        }
        let path = self.paths.journal();
        write_private(&path, &journal::write(&compact))?;
        // The lock was on the file that was replaced: take the new one's.
        let reopened = OpenOptions::new().read(true).write(true).open(&path);
        let file = reopened.map_err(|error| unwritable(&path, &error))?;
        let _ = file.try_lock();
        self.whole = file.metadata().map(|metadata| metadata.len()).unwrap_or_default();
        self.journal.records = u64::try_from(compact.len()).unwrap_or_default();
        self.file = Some(file);
        Ok(())
    }
}

/// Whether an open file is the one that its path leads to.
fn is_still_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let (open, there) = (file.metadata().map(identity), std::fs::metadata(path).map(identity));
        matches!((open, there), (Ok(open), Ok(there)) if open == there)
    }
    #[cfg(not(unix))]
    {
        let _ = (file, path);
        true
    }
}

/// The names that the reference has learnt from, one a line.
pub(crate) fn processed(path: &Path) -> Result<Vec<String>, Error> {
    let text = read_text(path)?.unwrap_or_default();
    Ok(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// What changes when one of a book's files does: bytes and times, the journal's first.
pub(crate) type BookStamp = [(u64, Option<SystemTime>); 2];

/// How the files of a book look now.
pub(crate) fn stamp_of(paths: &BookPaths) -> BookStamp {
    [paths.journal(), paths.json.clone()].map(|path| {
        let metadata = std::fs::metadata(path);
        metadata.map_or((0, None), |metadata| (metadata.len(), metadata.modified().ok()))
    })
}
