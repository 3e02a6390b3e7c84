//! What failed when, in a file: to be read beside what the nodes said, where a promise was broken.
//!
//! Must never decide anything.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use engross_protocol::{Clock, SystemClock};

use crate::{Error, Result};

/// The faults of a campaign, a line each.
pub(super) struct FaultJournal {
    path: PathBuf,
    file: File,
}

impl FaultJournal {
    /// Begins the file in the folder of a campaign.
    #[expect(clippy::disallowed_methods, reason = "a chore keeps what it did")]
    pub(super) fn begin(folder: &Path) -> Result<Self> {
        let path = folder.join("faults.log");
        let file = File::create(&path).map_err(Error::file(&path))?;
        Ok(Self { path, file })
    }

    /// Notes what happens now, with the second of the day (UTC).
    pub(super) fn note(&mut self, what: &str) -> Result<()> {
        let millis = SystemClock.millis();
        let (seconds, millis) = ((millis / 1_000) % 86_400, millis % 1_000);
        let (hours, minutes, seconds) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
        writeln!(self.file, "{hours:02}:{minutes:02}:{seconds:02}.{millis:03} {what}")
            .map_err(Error::file(&self.path))
    }
}
