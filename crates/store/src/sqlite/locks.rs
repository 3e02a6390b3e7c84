//! The lock files beside an open file, which say whether other processes have it open.
//!
//! Must never be dropped before the file is closed.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use super::fault::place;
use crate::Error;

/// How long a process waits for the others to let it in.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long until a lock is tried again.
pub(super) const PAUSE: Duration = Duration::from_millis(10);

/// The lock files of an open file.
pub(super) struct Locks {
    /// Held as long as the file is open.
    pub(super) file: File,
    /// `None` for a file that belongs to one process.
    pub(super) join: Option<File>,
}

impl Locks {
    /// Takes the file at `path` for this process alone.
    pub(super) fn exclusive(path: &Path) -> Result<Self, Error> {
        let file = lock_file(path, "-lock")?;
        match file.try_lock() {
            Ok(()) => Ok(Self { file, join: None }),
            Err(error) => Err(refusal(path, error)),
        }
    }

    /// Takes the file at `path` beside other processes; tells whether there is none now. The others stay out until
    /// [`Locks::joined`].
    pub(super) fn join(path: &Path) -> Result<(Self, bool), Error> {
        let (file, join) = (lock_file(path, "-lock")?, lock_file(path, "-join")?);
        let until = Instant::now() + PATIENCE;
        wait_until(path, until, || join.try_lock())?;
        let is_alone = match file.try_lock() {
            Ok(()) => true,
            // A process that is alone sees that this one waits, and lets it in.
            Err(TryLockError::WouldBlock) => {
                wait_until(path, until, || file.try_lock_shared())?;
                false
            }
            Err(error) => return Err(refusal(path, error)),
        };
        Ok((Self { file, join: Some(join) }, is_alone))
    }

    /// Handles of the same locks.
    pub(super) fn copy(&self, path: &Path) -> Result<Self, Error> {
        let copy = || {
            Ok(Self {
                file: self.file.try_clone()?,
                join: self.join.as_ref().map(File::try_clone).transpose()?,
            })
        };
        copy().map_err(|error| refusal(path, TryLockError::Error(error)))
    }

    /// Lets other processes join.
    pub(super) fn joined(&self) -> std::io::Result<()> {
        self.join.as_ref().map_or(Ok(()), File::unlock)
    }
}

fn lock_file(path: &Path, suffix: &str) -> Result<File, Error> {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    // A file of its own: closing the database file itself would drop the locks of SQLite on it.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(name);
    file.map_err(|error| refusal(path, TryLockError::Error(error)))
}

fn wait_until(
    path: &Path,
    until: Instant,
    mut lock: impl FnMut() -> Result<(), TryLockError>,
) -> Result<(), Error> {
    loop {
        match lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(PAUSE),
            locked => return locked.map_err(|error| refusal(path, error)),
        }
    }
}

pub(super) fn refusal(path: &Path, error: TryLockError) -> Error {
    match error {
        TryLockError::WouldBlock => Error::InUse { place: place(path) },
        TryLockError::Error(error) => Error::Unusable { place: place(path), message: error.to_string() },
    }
}
