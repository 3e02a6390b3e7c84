//! An artifact that is open, and its bytes from any position.
//!
//! Must never end a stream as whole when the file changed under it.

use std::io::{self, Read, Seek, SeekFrom};

use engross_store::files::{DiskPath, FileError, Reader, Stamp};

use super::content_type::content_type;
use super::error::{ScopeError, shown};
use super::hashes::Sha256Sum;

/// An artifact that is open. It stays the same file while its name is given to another one.
#[derive(Debug)]
pub struct OpenArtifact {
    path: DiskPath,
    reader: Reader,
    stamp: Stamp,
    sha256: Sha256Sum,
}

impl OpenArtifact {
    pub(super) fn new(path: DiskPath, reader: Reader, stamp: Stamp, sha256: Sha256Sum) -> Self {
        Self { path, reader, stamp, sha256 }
    }

    /// Its path beneath the scope.
    #[must_use]
    pub fn path(&self) -> &DiskPath {
        &self.path
    }

    /// Its length in bytes.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.stamp.size
    }

    /// The hash of its bytes.
    #[must_use]
    pub fn sha256(&self) -> Sha256Sum {
        self.sha256
    }

    /// Its entity tag: its hash in quotes. Two files with one tag have the same bytes.
    #[must_use]
    pub fn etag(&self) -> String {
        format!("\"{}\"", self.sha256)
    }

    /// Its media type.
    #[must_use]
    pub fn content_type(&self) -> &'static str {
        content_type(self.path.name())
    }

    /// Its bytes in `span`, as they are read.
    ///
    /// # Errors
    /// [`ScopeError::RangeInvalid`] when it does not have them, else as the system says.
    pub fn stream(mut self, span: ByteSpan) -> Result<ArtifactStream, ScopeError> {
        if span.start > span.end || span.end > self.size() {
            return Err(ScopeError::RangeInvalid { size: self.size() });
        }
        let sought = self.reader.seek(SeekFrom::Start(span.start));
        sought.map_err(|error| unreadable(&self.path, &error))?;
        Ok(ArtifactStream {
            left: span.end - span.start,
            ended: false,
            reader: self.reader,
            stamp: self.stamp,
        })
    }

    /// All its bytes, as they are read.
    ///
    /// # Errors
    /// As [`OpenArtifact::stream`].
    pub fn stream_all(self) -> Result<ArtifactStream, ScopeError> {
        let end = self.size();
        self.stream(ByteSpan { start: 0, end })
    }
}

/// The bytes of an artifact as they were when it was opened. If they are written to meanwhile reading fails, at the latest in
/// place of the last bytes. Renaming or removing the file does not disturb.
#[derive(Debug)]
pub struct ArtifactStream {
    reader: Reader,
    stamp: Stamp,
    left: u64,
    ended: bool,
}

impl ArtifactStream {
    /// How many bytes are still to come.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left
    }
}

impl Read for ArtifactStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.ended {
            return Ok(0);
        }
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let count = self.reader.read(buffer.get_mut(..most).unwrap_or_default())?;
        self.left -= count as u64;
        if self.left == 0 || count == 0 {
            let now = self.reader.stamp()?;
            if self.left > 0 || (now.size, now.modified) != (self.stamp.size, self.stamp.modified) {
                return Err(io::Error::other("the artifact was changed while it was read"));
            }
            self.ended = true;
        }
        Ok(count)
    }
}

/// A part of a file: from `start`, up to but not including `end`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteSpan {
    /// The first byte, from 0.
    pub start: u64,
    /// The byte behind the last.
    pub end: u64,
}

impl ByteSpan {
    /// The part that an HTTP `Range` header asks for of a file of `size` bytes: `bytes=2-5`, `bytes=7-`, `bytes=-3`. `None`
    /// when the whole file is to be sent, as HTTP has it for headers that are not understood and for several ranges at once.
    ///
    /// # Errors
    /// [`ScopeError::RangeInvalid`] when the file has no such bytes (HTTP 416).
    pub fn of_header(header: &str, size: u64) -> Result<Option<Self>, ScopeError> {
        let Some((unit, range)) = header.split_once('=') else { return Ok(None) };
        let Some((first, last)) = range.trim().split_once('-') else { return Ok(None) };
        let number = |text: &str| -> Option<u64> {
            let digits = !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
            // More than any file has is as good as the most.
            digits.then(|| text.parse().unwrap_or(u64::MAX))
        };
        let span = match (number(first), number(last)) {
            _ if !unit.trim().eq_ignore_ascii_case("bytes") => return Ok(None),
            (Some(start), Some(last)) if start <= last => {
                Self { start, end: last.saturating_add(1).min(size) }
            }
            (Some(start), None) if last.is_empty() => Self { start, end: size },
            (None, Some(count)) if first.is_empty() => Self { start: size - count.min(size), end: size },
            _ => return Ok(None),
        };
        if span.start < span.end { Ok(Some(span)) } else { Err(ScopeError::RangeInvalid { size }) }
    }
}

fn unreadable(path: &DiskPath, error: &io::Error) -> ScopeError {
    let path = shown(path.as_str());
    FileError::Unreadable { path, reason: error.to_string() }.into()
}
