//! Copies of files that never change again: named by their hash, readable and not writable.
//!
//! Must never give a copy its name whose bytes are not those of the hash, nor share bytes with a file that somebody may
//! write to: a hard link would.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use engross_protocol::hex;
use sha2::{Digest, Sha256};

use super::error::{FileAction, FileError};
use super::mirror::FileChange;
use super::path::RelPath;
use super::platform::sync_file_system;
use super::read::{BLOCK, Reader};
use super::root::Folder;
use super::temporary::{Access, TemporaryFile};

/// What became of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FreezeResult {
    /// It is there.
    Frozen,
    /// The bytes of the source are not those of the hash: nothing is there.
    Differs,
    /// The caller did not want it any more: nothing is there.
    Stopped,
}

impl Folder {
    /// Copies `source` to the new file `name` of this folder, if its bytes have this SHA-256; holes stay holes. Where the file
    /// system can share unchanged bytes it does. The copy is durable after [`Folder::sync_all`].
    ///
    /// # Errors
    /// As [`Folder::write`].
    pub fn freeze(
        &self,
        name: &RelPath,
        source: &mut Reader,
        sha256: &str,
        stop: &dyn Fn() -> bool,
    ) -> Result<FreezeResult, FileError> {
        let failed = |error: io::Error| FileError::io(name.as_str(), FileAction::Writing, &error);
        let temporary = TemporaryFile::create(&self.dir, Access::Owner).map_err(failed)?;
        let mut copy = Copy { source, to: &temporary, digest: Sha256::new(), block: vec![0; BLOCK], stop };
        let Some(found) = copy.whole().map_err(failed)? else { return Ok(FreezeResult::Stopped) };
        if found != sha256 {
            return Ok(FreezeResult::Differs);
        }
        let mut permissions = temporary.file.metadata().map_err(failed)?.permissions();
        permissions.set_readonly(true);
        temporary.file.set_permissions(permissions).map_err(failed)?;
        self.may_write(name.as_str())?;
        self.dir.rename(&temporary.name, &self.dir, Path::new(name.as_str())).map_err(failed)?;
        temporary.placed();
        self.note_elsewhere(&[(name.as_str(), FileChange::Replaced)]);
        Ok(FreezeResult::Frozen)
    }

    /// Makes everything durable that was written to the file system of this folder.
    ///
    /// # Errors
    /// As the system says.
    pub fn sync_all(&self) -> Result<(), FileError> {
        sync_file_system(&self.dir).map_err(|error| FileError::io(".", FileAction::Writing, &error))?;
        self.wait_for_noted(".")
    }
}

struct Copy<'a> {
    source: &'a mut Reader,
    to: &'a TemporaryFile,
    digest: Sha256,
    block: Vec<u8>,
    stop: &'a dyn Fn() -> bool,
}

impl Copy<'_> {
    /// Copies everything; the hash, or `None` when nobody wants it any more.
    fn whole(&mut self) -> io::Result<Option<String>> {
        let size = self.source.stamp()?.size;
        let is_shared = self.source.share_with(&self.to.file);
        let mut at = 0;
        while at < size {
            let data = self.source.next_data(at)?.unwrap_or(size).min(size);
            let hole = if data < size { self.source.next_hole(data)?.clamp(data, size) } else { size };
            if !is_shared && data > at {
                self.to.file.set_len(data)?;
            }
            if !self.zeros(data - at) || !self.bytes(data, hole.max(data), is_shared)? {
                return Ok(None);
            }
            // A file that shrank meanwhile has no more bytes, and another hash.
            at = hole.max(data.saturating_add(1));
        }
        let digest = std::mem::take(&mut self.digest);
        Ok(Some(hex::encode(digest.finalize())))
    }

    fn zeros(&mut self, count: u64) -> bool {
        let mut left = count;
        if left > 0 {
            self.block.fill(0);
        }
        while left > 0 {
            if (self.stop)() {
                return false;
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
            self.digest.update(self.block.get(..most).unwrap_or_default());
            left -= most as u64;
        }
        true
    }

    fn bytes(&mut self, from: u64, to: u64, is_shared: bool) -> io::Result<bool> {
        self.source.seek(SeekFrom::Start(from))?;
        let mut left = to - from;
        while left > 0 {
            if (self.stop)() {
                return Ok(false);
            }
            let most = usize::try_from(left).unwrap_or(usize::MAX).min(BLOCK);
            let count = self.source.read(self.block.get_mut(..most).unwrap_or_default())?;
            if count == 0 {
                return Ok(true);
            }
            let bytes = self.block.get(..count).unwrap_or_default();
            self.digest.update(bytes);
            if !is_shared {
                (&self.to.file).write_all(bytes)?;
            }
            left -= count as u64;
        }
        Ok(true)
    }
}
