//! Little-endian numbers in zip records. Reading past the end gives `None`, writing there does nothing:
//! records come from hostile files and must not be able to cause a panic.

/// The 16-bit number at `at`.
pub(super) fn read_u16(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().copied().map(u16::from_le_bytes)
}

/// The 32-bit number at `at`.
pub(super) fn read_u32(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

/// Overwrites the 16-bit number at `at`.
pub(super) fn write_u16(bytes: &mut [u8], at: usize, value: u16) {
    write(bytes, at, value.to_le_bytes());
}

/// Overwrites the 32-bit number at `at`.
pub(super) fn write_u32(bytes: &mut [u8], at: usize, value: u32) {
    write(bytes, at, value.to_le_bytes());
}

/// Overwrites the 64-bit number at `at`.
pub(super) fn write_u64(bytes: &mut [u8], at: usize, value: u64) {
    write(bytes, at, value.to_le_bytes());
}

fn write<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
    if let Some(place) = bytes.get_mut(at..).and_then(|rest| rest.first_chunk_mut()) {
        *place = value;
    }
}
