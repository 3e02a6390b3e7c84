//! Messages between two processes: a JSON text, and files behind it.
//!
//! Must never take more than it was told to expect: the other side may have been taken over.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most files of a message.
const MOST_FILES: u32 = 256;

/// Bytes that are taken at once, so that a length that is a lie costs nothing.
const CHUNK: u64 = 1 << 20;

/// Writes a message.
pub(super) fn write(
    out: &mut impl Write,
    head: &impl Serialize,
    files: &[impl AsRef<[u8]>],
) -> io::Result<()> {
    let head = serde_json::to_vec(head)?;
    let count = u32::try_from(files.len()).map_err(|_| too_much())?;
    out.write_all(&(head.len() as u64).to_le_bytes())?;
    out.write_all(&head)?;
    out.write_all(&count.to_le_bytes())?;
    for file in files {
        let file = file.as_ref();
        out.write_all(&(file.len() as u64).to_le_bytes())?;
        out.write_all(file)?;
    }
    out.flush()
}

/// Reads a message of at most `most` bytes; `None` when there is none any more.
pub(super) fn read<T: DeserializeOwned>(
    from: &mut impl Read,
    most: u64,
) -> io::Result<Option<(T, Vec<Vec<u8>>)>> {
    let mut length = [0; 8];
    let got = loop {
        match from.read(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            got => break got?,
        }
    };
    if got == 0 {
        return Ok(None);
    }
    from.read_exact(length.get_mut(got..).unwrap_or_default())?;
    let mut left = most;
    let head = take(from, u64::from_le_bytes(length), &mut left)?;
    let head: T = serde_json::from_slice(&head)?;
    let mut count = [0; 4];
    from.read_exact(&mut count)?;
    let count = u32::from_le_bytes(count);
    if count > MOST_FILES {
        return Err(too_much());
    }
    let mut files = Vec::new();
    for _ in 0..count {
        let mut length = [0; 8];
        from.read_exact(&mut length)?;
        files.push(take(from, u64::from_le_bytes(length), &mut left)?);
    }
    Ok(Some((head, files)))
}

/// So many bytes of what is left.
fn take(from: &mut impl Read, length: u64, left: &mut u64) -> io::Result<Vec<u8>> {
    *left = left.checked_sub(length).ok_or_else(too_much)?;
    let mut bytes = Vec::new();
    bytes.reserve_exact(usize::try_from(length.min(CHUNK)).unwrap_or_default());
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn too_much() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, "a message is larger than it may be")
}
