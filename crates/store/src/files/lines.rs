//! Files that a person names and that only grow, line by line.
//!
//! Must never write behind half a line, nor into a file that somebody else has changed.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::by_path::PathError;

/// How much of a file's end is read at first to find its last line.
const END: u64 = 16 << 10;

/// A file of lines, which need not be there yet. Only its owner may read it.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    /// Bytes of whole lines.
    whole: u64,
    /// Bytes of a line behind them that was never finished.
    torn: u64,
}

impl LineFile {
    /// Looks at the file; gives its last whole line, without its end.
    ///
    /// # Errors
    /// [`PathError::IsADirectory`], [`PathError::ReadFailed`].
    pub fn open(path: &Path) -> Result<(Self, Option<Vec<u8>>), PathError> {
        let wrong = |error: std::io::Error| PathError::ReadFailed {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        let mut file = match OpenOptions::new().read(true).open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok((Self { path: path.to_owned(), whole: 0, torn: 0 }, None));
            }
            Err(error) => return Err(wrong(error)),
        };
        let metadata = file.metadata().map_err(wrong)?;
        if !metadata.is_file() {
            return Err(PathError::IsADirectory { path: path.to_owned() });
        }
        let bytes = metadata.len();
        let (whole, last) = last_line(&mut file, bytes).map_err(wrong)?;
        Ok((Self { path: path.to_owned(), whole, torn: bytes.saturating_sub(whole) }, last))
    }

    /// Adds whole lines, all of them or none. What was torn before is cut off first. After a failure the file has to be
    /// opened again.
    ///
    /// # Errors
    /// [`PathError::InputChanged`], [`PathError::DiskFull`], [`PathError::WriteFailed`].
    pub fn append(&mut self, lines: &[u8]) -> Result<(), PathError> {
        let wrong = |error: std::io::Error| PathError::writing(&self.path, &error);
        let mut options = OpenOptions::new();
        options.write(true).create(self.whole == 0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let mut file = options.open(&self.path).map_err(wrong)?;
        if file.metadata().map_err(wrong)?.len() != self.whole + self.torn {
            return Err(PathError::InputChanged { path: self.path.clone() });
        }
        if self.torn > 0 {
            file.set_len(self.whole).map_err(wrong)?;
            self.torn = 0;
        }
        let written = file.seek(SeekFrom::Start(self.whole)).and_then(|_| file.write_all(lines));
        if let Err(error) = written {
            // If not even this works, the next to open the file finds a torn line.
            let _ = file.set_len(self.whole);
            return Err(PathError::writing(&self.path, &error));
        }
        self.whole += u64::try_from(lines.len()).unwrap_or_default();
        Ok(())
    }

    /// Waits until what was added would outlive a loss of power.
    ///
    /// # Errors
    /// [`PathError::WriteFailed`].
    pub fn sync(&self) -> Result<(), PathError> {
        let wrong = |error: std::io::Error| PathError::writing(&self.path, &error);
        OpenOptions::new().write(true).open(&self.path).and_then(|file| file.sync_all()).map_err(wrong)
    }
}

/// Where the last whole line ends, and what it holds.
fn last_line(file: &mut File, bytes: u64) -> std::io::Result<(u64, Option<Vec<u8>>)> {
    let mut size = END;
    loop {
        let from = bytes.saturating_sub(size);
        file.seek(SeekFrom::Start(from))?;
        let mut end = Vec::new();
        file.take(bytes - from).read_to_end(&mut end)?;
        let last = end.iter().rposition(|byte| *byte == b'\n');
        let lines = end.get(..last.unwrap_or_default()).unwrap_or_default();
        let begin = lines.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
        match (last, begin.or((from == 0).then_some(0))) {
            (Some(last), Some(begin)) => {
                let whole = from + u64::try_from(last + 1).unwrap_or_default();
                return Ok((whole, lines.get(begin..).map(<[u8]>::to_vec)));
            }
            (None, _) if from == 0 => return Ok((0, None)),
            _ => size = size.saturating_mul(8),
        }
    }
}
