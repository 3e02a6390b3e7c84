//! Reading files: whole, in parts, or only what is known about them.
//!
//! Must never open anything but an ordinary file, so that no reader hangs on a pipe or wakes a device.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, Metadata, OpenOptions};
use engross_protocol::hex;
use sha2::{Digest, Sha256};

use super::error::{FileAction, FileError};
use super::path::RelPath;
use super::root::Folder;
use super::stamp::{FileInfo, Stamp};

/// The bytes that are read or written at once.
pub(super) const BLOCK: usize = 128 << 10;

/// An open file. It stays the same file while its name is given to another one.
#[derive(Debug)]
pub struct Reader {
    file: File,
    info: FileInfo,
}

impl Reader {
    pub(super) fn new(file: cap_std::fs::File, metadata: &Metadata) -> Self {
        Self { file: file.into_std(), info: FileInfo::of(metadata) }
    }

    /// What is known about it now.
    ///
    /// # Errors
    /// As the system says.
    pub fn stamp(&self) -> io::Result<Stamp> {
        Metadata::from_file(&self.file).map(|metadata| Stamp::of(&metadata))
    }

    /// Where the next bytes are that the disk really holds, at or behind `from`: everything before is zeros that nobody has
    /// written. `None` when nothing but zeros follows. Leaves the position anywhere.
    ///
    /// # Errors
    /// As the system says. A file system that does not know its holes says that there are none.
    pub fn next_data(&mut self, from: u64) -> io::Result<Option<u64>> {
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Data(from)) {
            Ok(at) => return Ok(Some(at)),
            Err(rustix::io::Errno::NXIO) => return Ok(None),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
        Ok((from < self.file.metadata()?.len()).then_some(from))
    }

    /// Where the next hole begins behind `from`; the end of the file counts as one. Leaves the position anywhere.
    ///
    /// # Errors
    /// As [`Reader::next_data`].
    pub fn next_hole(&mut self, from: u64) -> io::Result<u64> {
        #[cfg(any(target_os = "linux", target_os = "freebsd"))]
        match rustix::fs::seek(&self.file, rustix::fs::SeekFrom::Hole(from)) {
            Ok(at) => return Ok(at),
            Err(rustix::io::Errno::NXIO | rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(self.file.metadata()?.len().max(from))
    }

    /// Lets `to`, which is empty, share the bytes of this file until one of them is written to; says whether the file system
    /// does that.
    pub(super) fn share_with(&self, to: &cap_std::fs::File) -> bool {
        #[cfg(target_os = "linux")]
        return rustix::fs::ioctl_ficlone(to, &self.file).is_ok();
        #[cfg(not(target_os = "linux"))]
        {
            let _ = to;
            false
        }
    }

    /// What was known when it was opened.
    #[must_use]
    pub fn info(&self) -> FileInfo {
        self.info
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.file.read(buffer)
    }
}

impl Seek for Reader {
    fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
        self.file.seek(position)
    }
}

impl Folder {
    /// The bytes of the file at `path`, at most `limit` of them; `None` when there is no such file.
    ///
    /// # Errors
    /// [`FileError::TooLarge`], else as [`Folder::open`].
    pub fn read(&self, path: &RelPath, limit: u64) -> Result<Option<(Vec<u8>, FileInfo)>, FileError> {
        let Some(reader) = self.open(path)? else { return Ok(None) };
        let info = reader.info();
        if info.size > limit {
            return Err(FileError::too_large(path.as_str(), limit));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(info.size).unwrap_or_default());
        // One more than allowed, as it may have grown meanwhile.
        let length = reader.take(limit.saturating_add(1)).read_to_end(&mut bytes);
        match length {
            Ok(length) if length as u64 > limit => Err(FileError::too_large(path.as_str(), limit)),
            Ok(_) => Ok(Some((bytes, info))),
            Err(error) => Err(FileError::io(path.as_str(), FileAction::Reading, &error)),
        }
    }

    /// Opens the file at `path` for reading from any position; `None` when there is no such file.
    ///
    /// # Errors
    /// [`FileError::PathOutsideRoot`] when it is a link or one is on the way, [`FileError::TargetIsDir`],
    /// [`FileError::PathInvalid`] when it is no ordinary file or a folder of it is a file, else as the system says.
    pub fn open(&self, path: &RelPath) -> Result<Option<Reader>, FileError> {
        self.parent_of(path)?.map_or(Ok(None), |parent| open(&parent, path, path.name()))
    }

    /// The SHA-256 of the file at `path`, in lower-case hexadecimal digits, as [`super::Precondition::Sha256`] takes it; `None`
    /// when there is no such file.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn sha256(&self, path: &RelPath) -> Result<Option<(String, FileInfo)>, FileError> {
        let Some(mut reader) = self.open(path)? else { return Ok(None) };
        let sha256 = hash(&mut reader);
        let sha256 = sha256.map_err(|error| FileError::io(path.as_str(), FileAction::Reading, &error))?;
        Ok(Some((sha256, reader.info())))
    }

    /// What is known about the file at `path`; `None` when there is no such file.
    ///
    /// # Errors
    /// As [`Folder::open`].
    pub fn info(&self, path: &RelPath) -> Result<Option<FileInfo>, FileError> {
        let Some(parent) = self.parent_of(path)? else { return Ok(None) };
        Ok(look(&parent, path, path.name())?.as_ref().map(FileInfo::of))
    }
}

/// What is known about the ordinary file `name` in `dir`, which errors call `path`.
pub(super) fn look(dir: &Dir, path: &RelPath, name: &str) -> Result<Option<Metadata>, FileError> {
    match dir.symlink_metadata(name) {
        Ok(metadata) => ordinary(&metadata, path).map(|()| Some(metadata)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(FileError::io(path.as_str(), FileAction::Reading, &error)),
    }
}

/// Opens the ordinary file `name` in `dir`, which errors call `path`.
pub(super) fn open(dir: &Dir, path: &RelPath, name: &str) -> Result<Option<Reader>, FileError> {
    // Opening is what can hang or wake a device, so it is looked at before, and again after.
    if look(dir, path, name)?.is_none() {
        return Ok(None);
    }
    let failed = |error: &io::Error| FileError::io(path.as_str(), FileAction::Reading, error);
    let mut options = OpenOptions::new();
    options.read(true);
    match dir.open_with(name, no_follow(&mut options)) {
        Ok(file) => {
            let metadata = file.metadata().map_err(|error| failed(&error))?;
            ordinary(&metadata, path)?;
            Ok(Some(Reader::new(file, &metadata)))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => look(dir, path, name).and(Err(failed(&error))),
    }
}

/// `options` that open no link and wait for nothing.
pub(super) fn no_follow(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use cap_fs_ext::OpenOptionsSyncExt;
        options.nonblock(true);
    }
    options.follow(FollowSymlinks::No)
}

/// The hash of the rest of `source` in lower-case hexadecimal digits.
pub(super) fn hash(source: &mut impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut block = vec![0; BLOCK];
    loop {
        match source.read(&mut block) {
            Ok(0) => return Ok(hex::encode(digest.finalize())),
            Ok(length) => digest.update(block.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn ordinary(metadata: &Metadata, path: &RelPath) -> Result<(), FileError> {
    if metadata.is_file() {
        Ok(())
    } else if metadata.is_symlink() {
        Err(FileError::link(path.as_str()))
    } else if metadata.is_dir() {
        Err(FileError::is_dir(path.as_str()))
    } else {
        Err(FileError::invalid(path.as_str(), "what is there is no ordinary file"))
    }
}
