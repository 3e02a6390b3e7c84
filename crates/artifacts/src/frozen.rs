//! The files of ended runs as they were delivered: copies under their hash that nobody writes to.
//!
//! Must never give out bytes that are not those of the hash, nor keep a copy of what changed while it was copied.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use engross_store::files::{DiskPath, Folder, FreezeResult, Precondition, RelPath};

use super::deliverable::Deliverable;
use super::error::ScopeError;
use super::file_list::FileList;
use super::hashes::Sha256Sum;
use super::hashing::{HashContext, HashResult, hash_one};
use super::open_artifact::OpenArtifact;

/// Where frozen files are kept. Clones are the same place.
#[derive(Debug, Clone)]
pub struct FrozenFiles {
    folder: Folder,
    /// The folders that are open, by the first two digits of the hashes in them.
    open: Arc<Mutex<Vec<Option<Folder>>>>,
}

impl FrozenFiles {
    /// In `folder`, which agents do not write to.
    #[must_use]
    pub fn new(folder: Folder) -> Self {
        Self { folder, open: Arc::new(Mutex::new(vec![None; 256])) }
    }

    /// Where the files are.
    pub(super) fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(super) fn place(&self, sha256: Sha256Sum) -> Result<(Folder, RelPath), ScopeError> {
        let hash = sha256.to_string();
        let (folder, name) = hash.split_at(2);
        let number = usize::from(sha256.as_bytes().first().copied().unwrap_or_default());
        let name = RelPath::parse(name)?;
        let known = self.open.lock().unwrap_or_else(PoisonError::into_inner).get(number).cloned().flatten();
        if let Some(known) = known {
            return Ok((known, name));
        }
        let folder = self.folder.make_folder(&RelPath::parse(folder)?)?;
        if let Some(place) = self.open.lock().unwrap_or_else(PoisonError::into_inner).get_mut(number) {
            *place = Some(folder.clone());
        }
        Ok((folder, name))
    }

    /// The frozen file of this hash, called `path`; `None` when there is none.
    ///
    /// # Errors
    /// [`ScopeError::Changed`] when somebody has written to it after all, else as the system says.
    pub fn open(
        &self,
        sha256: Sha256Sum,
        path: &DiskPath,
        with: HashContext<'_>,
    ) -> Result<Option<OpenArtifact>, ScopeError> {
        let (folder, name) = self.place(sha256)?;
        let name = DiskPath::parse(name.as_str())?;
        let Some((reader, stamp, hashed)) = hash_one(&mut folder.tree(), &name, with)? else {
            return Ok(None);
        };
        match hashed {
            HashResult::As(_, found) if found == sha256 => {
                Ok(Some(OpenArtifact::new(path.clone(), reader, stamp, sha256)))
            }
            HashResult::Stopped => Err(ScopeError::Stopped),
            HashResult::Failed(error) => Err(error.into()),
            _ => Err(ScopeError::changed(path.as_str())),
        }
    }

    pub(super) fn keep_list(&self, files: &[Deliverable]) -> Result<FileList, ScopeError> {
        let mut lines = Lines { files: files.iter(), line: Vec::new(), at: 0 };
        let staged = RelPath::parse("list.new")?;
        let written = self.folder.write(&staged, &mut lines, &Precondition::Any)?;
        let changed = || ScopeError::changed("the list of files");
        let sha256 = Sha256Sum::parse(&written.sha256).ok_or_else(changed)?;
        let (folder, name) = self.place(sha256)?;
        let mut source = self.folder.open(&staged)?.ok_or_else(changed)?;
        let frozen = folder.freeze(&name, &mut source, &written.sha256, &|| false)?;
        self.folder.remove(&staged, &Precondition::Any)?;
        if frozen == FreezeResult::Frozen {
            Ok(FileList { sha256, count: files.len() })
        } else {
            Err(changed())
        }
    }

    /// All that was written is on the disk when this returns.
    pub(super) fn sync(&self) -> Result<(), ScopeError> {
        Ok(self.folder.sync_all()?)
    }

    /// The files of a list from the byte `offset` on, each with the offset of the next.
    pub(super) fn list(
        &self,
        list: &FileList,
        offset: u64,
    ) -> Result<impl Iterator<Item = Result<(Deliverable, u64), ScopeError>> + use<>, ScopeError> {
        let (folder, name) = self.place(list.sha256)?;
        let damaged = || ScopeError::changed("the list of files");
        let mut reader = folder.open(&name)?.ok_or_else(damaged)?;
        reader.seek(SeekFrom::Start(offset)).map_err(|_| damaged())?;
        let mut reader = BufReader::new(reader);
        let mut at = offset;
        Ok(std::iter::from_fn(move || {
            let mut line = String::new();
            match reader.read_line(&mut line) {
                Ok(0) => None,
                Ok(count) => {
                    at += count as u64;
                    Some(serde_json::from_str(&line).map(|file| (file, at)).map_err(|_| damaged()))
                }
                Err(_) => Some(Err(damaged())),
            }
        }))
    }
}

/// The lines of a list, as they are read.
struct Lines<'a> {
    files: std::slice::Iter<'a, Deliverable>,
    line: Vec<u8>,
    at: usize,
}

impl Read for Lines<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at >= self.line.len() {
            let Some(file) = self.files.next() else { return Ok(0) };
            self.line.clear();
            serde_json::to_writer(&mut self.line, file)?;
            self.line.push(b'\n');
            self.at = 0;
        }
        let rest = self.line.get(self.at..).unwrap_or_default();
        let count = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}
