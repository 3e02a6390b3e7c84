//! Inflates one part, never trusting what the archive says about its size.
//!
//! Memory grows only with bytes that really came out, and never beyond the declared size, which was
//! checked against the limits when the package was opened.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::error::{Error, shown};
use super::limits::Limits;

/// What the directory says about a part.
pub(super) struct DeclaredSize<'a> {
    pub(super) name: &'a str,
    pub(super) size: u64,
    pub(super) crc: u32,
}

/// The inflated bytes of a deflated part, checked against size and checksum of the directory.
///
/// A forged stream goes on after its declared size. What then comes out is counted, not kept, to tell
/// damage from a bomb.
pub(super) fn inflate(
    compressed: &[u8],
    declared: &DeclaredSize<'_>,
    limits: &Limits,
) -> Result<Vec<u8>, Error> {
    let name = || shown(declared.name);
    let limit = limits.largest_part(compressed.len() as u64);
    let too_large = || Error::bomb(format!("part '{}' unpacks to more than {limit} bytes", name()));
    let size = usize::try_from(declared.size).map_err(|_| too_large())?;

    // Typical XML shrinks to an eighth or less; what shrinks better costs some growing.
    let mut inflated: Vec<u8> = Vec::with_capacity(size.min(compressed.len().saturating_mul(8)));
    let mut scratch = [0_u8; 8192];
    let mut decompress = Decompress::new(false);
    loop {
        let before = (decompress.total_in(), decompress.total_out());
        let rest = usize::try_from(before.0).ok().and_then(|read| compressed.get(read..)).unwrap_or_default();
        let status = if inflated.len() < size {
            if inflated.len() == inflated.capacity() {
                inflated.reserve_exact((size - inflated.len()).min(inflated.len().max(1 << 16)));
            }
            decompress.decompress_vec(rest, &mut inflated, FlushDecompress::Finish)
        } else {
            decompress.decompress(rest, &mut scratch, FlushDecompress::Finish)
        };
        match status {
            Ok(Status::StreamEnd) => break,
            Ok(_) if (decompress.total_in(), decompress.total_out()) == before => {
                return Err(Error::damaged(format!("the compressed data of part '{}' is cut off", name())));
            }
            Ok(_) if decompress.total_out() > limit => return Err(too_large()),
            Ok(_) => {}
            Err(_) => {
                return Err(Error::damaged(format!("the compressed data of part '{}' is broken", name())));
            }
        }
    }
    verify(&inflated, decompress.total_out(), declared)?;
    Ok(inflated)
}

/// Refuses bytes that are not the ones the directory promises. `length` is how many came out, some of
/// which may not have been kept.
pub(super) fn verify(bytes: &[u8], length: u64, declared: &DeclaredSize<'_>) -> Result<(), Error> {
    let name = || shown(declared.name);
    if length != declared.size {
        let size = declared.size;
        return Err(Error::damaged(format!("part '{}' should have {size} bytes, but has {length}", name())));
    }
    if checksum(bytes) != declared.crc {
        return Err(Error::damaged(format!("part '{}' does not match its checksum", name())));
    }
    Ok(())
}

/// The CRC-32 of the zip format.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}
