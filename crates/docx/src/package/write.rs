//! Writes a changed package: everything that did not change is copied, byte for byte.
//!
//! An unchanged entry keeps its local header, compressed bytes, data descriptor and the gap behind it;
//! only offsets in the central directory move. A changed entry is packed anew under its own headers.
//! Never asks the clock: a new part has the earliest time a zip archive can state.

use std::collections::BTreeSet;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::bytes::{read_u16, read_u32, write_u16, write_u32, write_u64};
use super::directory::{Directory, Entry, LOCAL_HEADER_SIZE, RECORD_SIZE};
use super::error::{Error, shown};
use super::inflate::checksum;
use super::name;

const ZIP64_FIELD: u16 = 1;
/// Flags of a changed entry that its new data makes untrue: the deflate level hint (bits 1 and 2) and
/// the data descriptor (bit 3), whose values stand in the local header now.
const STALE_FLAGS: u16 = 0b1110;
const FLAG_UTF8: u16 = 1 << 11;
const VERSION_DEFLATE: u16 = 20;
const METHOD_DEFLATE: u16 = 8;
/// 1980-01-01, the first day of DOS dates.
const FIRST_DATE: u16 = 0x0021;

/// A part that the source does not have.
#[derive(Debug, Clone)]
pub(super) struct AddedPart {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
}

/// What a package consists of when it is written.
pub(super) struct Parts<'a> {
    pub(super) source: &'a [u8],
    pub(super) directory: &'a Directory,
    /// One for each entry of the directory.
    pub(super) replacements: &'a [Option<Vec<u8>>],
    /// Entries that are left out.
    pub(super) removed: &'a BTreeSet<usize>,
    pub(super) added: &'a [AddedPart],
}

/// The bytes of the changed package.
pub(super) fn write(parts: &Parts<'_>) -> Result<Vec<u8>, Error> {
    let Parts { source, directory, replacements, removed, added } = *parts;
    let count = u16::try_from(directory.entries.len() - removed.len() + added.len())
        .ok()
        .filter(|&count| count < u16::MAX);
    let count = count.ok_or_else(needs_zip64)?;
    let changed = replacements.iter().flatten().chain(added.iter().map(|added| &added.bytes));
    let room: usize = changed.map(|bytes| bytes.len() / 4 + 512).sum();
    let mut out = Vec::with_capacity(source.len() + room);
    out.extend_from_slice(slice(source, 0..directory.entries_start)?);

    let mut written: Vec<EntryRecord> = vec![EntryRecord::default(); directory.entries.len()];
    for &index in &directory.by_place {
        let (Some(entry), Some(place)) = (directory.entries.get(index), written.get_mut(index)) else {
            continue;
        };
        if removed.contains(&index) {
            continue;
        }
        place.offset = out.len();
        match replacements.get(index).and_then(Option::as_ref) {
            None => out.extend_from_slice(slice(source, entry.place.clone())?),
            Some(bytes) => place.packed = Some(write_changed_entry(&mut out, source, entry, bytes)?),
        }
    }
    let mut added_records = Vec::new();
    for part in added {
        write_added_entry(&mut out, &mut added_records, directory.base, part)?;
    }

    let directory_start = out.len();
    let staying = directory.entries.iter().zip(&written).enumerate();
    for (_, (entry, place)) in staying.filter(|(index, _)| !removed.contains(index)) {
        write_record(&mut out, source, directory.base, entry, place)?;
    }
    out.extend_from_slice(&added_records);
    write_end(&mut out, parts, count, directory_start)?;
    Ok(out)
}

/// Where an entry went and, if it was packed anew, what its record must say.
#[derive(Clone, Default)]
struct EntryRecord {
    offset: usize,
    packed: Option<PackedBytes>,
}

#[derive(Clone)]
struct PackedBytes {
    crc: u32,
    compressed: u32,
    size: u32,
}

/// Writes a changed entry under its own local header.
fn write_changed_entry(
    out: &mut Vec<u8>,
    source: &[u8],
    entry: &Entry,
    bytes: &[u8],
) -> Result<PackedBytes, Error> {
    let start = out.len();
    let header = slice(source, entry.place.start..entry.data.start)?;
    let (fixed, variable) = split(header, LOCAL_HEADER_SIZE)?;
    let (raw_name, extra) = split(variable, usize::from(read_u16(fixed, 26).unwrap_or_default()))?;
    let extra = without_zip64(extra);
    out.extend_from_slice(fixed);
    out.extend_from_slice(raw_name);
    out.extend_from_slice(&extra);
    let packed = pack(out, &entry.name, bytes, entry.is_stored)?;
    let header = out.get_mut(start..).unwrap_or_default();
    write_u16(header, 6, read_u16(header, 6).unwrap_or_default() & !STALE_FLAGS);
    write_u32(header, 14, packed.crc);
    write_u32(header, 18, packed.compressed);
    write_u32(header, 22, packed.size);
    write_u16(header, 28, u16::try_from(extra.len()).unwrap_or_default());
    Ok(packed)
}

/// Writes a new entry, and its record to `records`.
fn write_added_entry(
    out: &mut Vec<u8>,
    records: &mut Vec<u8>,
    base: u64,
    part: &AddedPart,
) -> Result<(), Error> {
    name::check(&part.name)?;
    let invalid = |reason| Error::PartNameInvalid { name: shown(&part.name), reason };
    if name::is_folder(&part.name) {
        return Err(invalid("it ends with a slash, like a folder"));
    }
    let name_length = u16::try_from(part.name.len()).map_err(|_| invalid("it is longer than 65535 bytes"))?;
    let flags = if part.name.is_ascii() { 0 } else { FLAG_UTF8 };

    let start = out.len();
    let offset = stored_offset(start, base)?;
    // What local header and record have in common: version needed, flags, method, time, date, then the
    // checksum and sizes that follow from packing, name length, no extra field.
    let mut common = Vec::with_capacity(26);
    for value in [VERSION_DEFLATE, flags, METHOD_DEFLATE, 0, FIRST_DATE, 0, 0, 0, 0, 0, 0, name_length, 0] {
        common.extend_from_slice(&value.to_le_bytes());
    }
    out.extend_from_slice(b"PK\x03\x04");
    out.extend_from_slice(&common);
    out.extend_from_slice(part.name.as_bytes());
    let packed = pack(out, &part.name, &part.bytes, false)?;
    write_u32(&mut common, 10, packed.crc);
    write_u32(&mut common, 14, packed.compressed);
    write_u32(&mut common, 18, packed.size);
    if let Some(place) = out.get_mut(start + 4..start + 4 + common.len()) {
        place.copy_from_slice(&common);
    }

    records.extend_from_slice(b"PK\x01\x02");
    records.extend_from_slice(&VERSION_DEFLATE.to_le_bytes());
    records.extend_from_slice(&common);
    // No comment, first disk, no attributes.
    records.extend_from_slice(&[0; 10]);
    records.extend_from_slice(&offset.to_le_bytes());
    records.extend_from_slice(part.name.as_bytes());
    Ok(())
}

/// Appends the packed bytes and says what they are.
fn pack(out: &mut Vec<u8>, part: &str, bytes: &[u8], is_stored: bool) -> Result<PackedBytes, Error> {
    let start = out.len();
    if is_stored {
        out.extend_from_slice(bytes);
    } else {
        let mut encoder = DeflateEncoder::new(&mut *out, Compression::new(6));
        encoder
            .write_all(bytes)
            .and_then(|()| encoder.try_finish())
            .map_err(|_| Error::unsupported(format!("part '{}' could not be compressed", shown(part))))?;
    }
    Ok(PackedBytes {
        crc: checksum(bytes),
        compressed: below_limit(out.len() - start).ok_or_else(needs_zip64)?,
        size: below_limit(bytes.len()).ok_or_else(needs_zip64)?,
    })
}

/// Writes the record of an entry of the source: as it was, with the new offset and, if the entry
/// changed, what follows from its new data.
fn write_record(
    out: &mut Vec<u8>,
    source: &[u8],
    base: u64,
    entry: &Entry,
    place: &EntryRecord,
) -> Result<(), Error> {
    let start = out.len();
    let offset = stored_offset(place.offset, base)?;
    let (fixed, variable) = split(slice(source, entry.record.clone())?, RECORD_SIZE)?;
    let Some(packed) = &place.packed else {
        out.extend_from_slice(fixed);
        out.extend_from_slice(variable);
        let record = out.get_mut(start..).unwrap_or_default();
        match zip64_offset(record) {
            Some(at) => write_u64(record, at, u64::from(offset)),
            None => write_u32(record, 42, offset),
        }
        return Ok(());
    };
    let (raw_name, rest) = split(variable, usize::from(read_u16(fixed, 28).unwrap_or_default()))?;
    let (extra, comment) = split(rest, usize::from(read_u16(fixed, 30).unwrap_or_default()))?;
    let extra = without_zip64(extra);
    for piece in [fixed, raw_name, &extra, comment] {
        out.extend_from_slice(piece);
    }
    let record = out.get_mut(start..).unwrap_or_default();
    write_u16(record, 8, read_u16(record, 8).unwrap_or_default() & !STALE_FLAGS);
    write_u32(record, 16, packed.crc);
    write_u32(record, 20, packed.compressed);
    write_u32(record, 24, packed.size);
    write_u16(record, 30, u16::try_from(extra.len()).unwrap_or_default());
    write_u16(record, 34, 0);
    write_u32(record, 42, offset);
    Ok(())
}

/// Writes the end record, with the archive's comment and whatever was appended to it. A zip64 end record
/// and a signature of the old directory are left out: the one is not needed, the other not true any more.
fn write_end(out: &mut Vec<u8>, parts: &Parts<'_>, count: u16, directory_start: usize) -> Result<(), Error> {
    let size = below_limit(out.len() - directory_start).ok_or_else(needs_zip64)?;
    let offset = stored_offset(directory_start, parts.directory.base)?;

    let start = out.len();
    out.extend_from_slice(slice(parts.source, parts.directory.end_record..parts.source.len())?);
    let end = out.get_mut(start..).unwrap_or_default();
    write_u16(end, 4, 0);
    write_u16(end, 6, 0);
    write_u16(end, 8, count);
    write_u16(end, 10, count);
    write_u32(end, 12, size);
    write_u32(end, 16, offset);
    Ok(())
}

/// Where an unchanged record keeps its offset when that is in a zip64 field: behind the sizes that are
/// there too.
fn zip64_offset(record: &[u8]) -> Option<usize> {
    if read_u32(record, 42)? != u32::MAX {
        return None;
    }
    let extra_start = RECORD_SIZE + usize::from(read_u16(record, 28)?);
    let extra = record.get(extra_start..extra_start + usize::from(read_u16(record, 30)?))?;
    let (_, field) = fields(extra).find(|(id, _)| *id == ZIP64_FIELD)?;
    let sizes = [20, 24].iter().filter(|&&at| read_u32(record, at) == Some(u32::MAX)).count();
    Some(extra_start + field.start + 4 + 8 * sizes)
}

/// An extra field without its zip64 sizes, which a changed entry does not need.
fn without_zip64(extra: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(extra.len());
    let mut end = 0;
    for (id, field) in fields(extra) {
        end = field.end;
        if id != ZIP64_FIELD {
            kept.extend_from_slice(extra.get(field).unwrap_or_default());
        }
    }
    kept.extend_from_slice(extra.get(end..).unwrap_or_default());
    kept
}

/// The fields of an extra field: number and place, each with its four bytes of number and length.
fn fields(extra: &[u8]) -> impl Iterator<Item = (u16, std::ops::Range<usize>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let id = read_u16(extra, at)?;
        let end = at + 4 + usize::from(read_u16(extra, at + 2)?);
        let field = at..end;
        extra.get(field.clone())?;
        at = end;
        Some((id, field))
    })
}

/// An offset as the archive counts it.
fn stored_offset(position: usize, base: u64) -> Result<u32, Error> {
    let offset = (position as u64).checked_sub(base).and_then(|offset| usize::try_from(offset).ok());
    offset.and_then(below_limit).ok_or_else(needs_zip64)
}

fn needs_zip64() -> Error {
    Error::unsupported("it would have too many parts, or more than 4 GiB, for a plain zip archive")
}

/// A number that fits a 32-bit field without being the mark that sends readers to a zip64 field.
fn below_limit(value: usize) -> Option<u32> {
    u32::try_from(value).ok().filter(|&value| value < u32::MAX)
}

fn split(bytes: &[u8], at: usize) -> Result<(&[u8], &[u8]), Error> {
    bytes.split_at_checked(at).ok_or_else(|| Error::damaged("an entry header is broken off"))
}

fn slice(source: &[u8], range: std::ops::Range<usize>) -> Result<&[u8], Error> {
    source.get(range).ok_or_else(|| Error::damaged("its directory points outside the file"))
}
