//! Reads the directory of a zip archive and refuses every archive that means different things to
//! different readers: overlapping entries, names or methods that differ between the two headers of an
//! entry, wrong counts, archives inside archives.
//!
//! Inflates nothing and copies nothing but names.

use std::ops::Range;

use rawzip::{CompressionMethod, ErrorKind, ZipArchive, ZipFileHeaderRecord, ZipSliceArchive};

use super::bytes::{read_u16, read_u32};
use super::error::{Error, shown};
use super::limits::Limits;
use super::{name, sniff};

/// Fixed part of a central directory record.
pub(super) const RECORD_SIZE: usize = 46;
/// Fixed part of a local header.
pub(super) const LOCAL_HEADER_SIZE: usize = 30;
const LOCAL_HEADER_SIGNATURE: &[u8] = b"PK\x03\x04";

/// Where everything is in the source bytes.
#[derive(Debug, Clone)]
pub(super) struct Directory {
    /// In directory order.
    pub(super) entries: Vec<Entry>,
    /// Indexes into `entries` in the order of their place in the file.
    pub(super) by_place: Vec<usize>,
    /// Where the first entry begins; what precedes it is a stub, such as a self-extracting program.
    pub(super) entries_start: usize,
    /// Where the end record begins; the archive's comment and anything appended follow it.
    pub(super) end_record: usize,
    /// What to add to the offsets that the archive stores: they may be counted from the end of the stub.
    pub(super) base: u64,
}

/// One entry of the archive.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// As in the archive.
    pub(super) name: String,
    /// Folder entries are kept but are no parts.
    pub(super) is_folder: bool,
    /// Its record in the central directory.
    pub(super) record: Range<usize>,
    /// From its local header to the next entry: with data descriptor and any gap.
    pub(super) place: Range<usize>,
    /// Its compressed bytes.
    pub(super) data: Range<usize>,
    pub(super) is_stored: bool,
    pub(super) crc: u32,
    /// Inflated size in bytes.
    pub(super) size: u64,
}

/// Reads and checks the directory.
pub(super) fn read(source: &[u8], limits: &Limits) -> Result<Directory, Error> {
    let archive = ZipArchive::from_slice(source).map_err(|error| match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory | ErrorKind::Eof => sniff::no_archive(source),
        _ => Error::damaged("the directory of its parts is unreadable"),
    })?;
    let too_many = |count: u64| {
        let limit = limits.max_entries;
        Error::bomb(format!("it has {count} parts or more, and the limit is {limit}"))
    };
    if archive.entries_hint() > limits.max_entries as u64 {
        return Err(too_many(archive.entries_hint()));
    }
    let end_record = position(archive.eocd_offset())?;
    let directory_start = position(archive.directory_offset())?;
    refuse_split_archive(source, end_record)?;

    let mut entries = Vec::new();
    let mut records = archive.entries();
    loop {
        match records.next_entry() {
            Ok(Some(_)) if entries.len() >= limits.max_entries => return Err(too_many(entries.len() as u64)),
            Ok(Some(record)) => entries.push(read_entry(source, &archive, &record)?),
            Ok(None) => break,
            // Anything may follow the last record, but nothing may be missing.
            Err(_) if entries.len() as u64 == archive.entries_hint() => break,
            Err(_) => return Err(Error::damaged("the directory of its parts is broken off")),
        }
    }
    if entries.len() as u64 != archive.entries_hint() {
        let (found, stated) = (entries.len(), archive.entries_hint());
        return Err(Error::damaged(format!("its directory has {found} entries, but its end says {stated}")));
    }
    check_sizes(&entries, limits)?;
    let by_place = settle_places(&mut entries, directory_start)?;

    let stored_start = read_u32(source, end_record + 16).unwrap_or_default();
    let base = archive.directory_offset().saturating_sub(u64::from(stored_start));
    if base > 0 && source.starts_with(LOCAL_HEADER_SIGNATURE) {
        // The archive that was found lies inside another, whose own end is missing: a cut-off document
        // with a document embedded in it.
        return Err(Error::Truncated);
    }
    let first = by_place.first().and_then(|&index| entries.get(index));
    let entries_start = first.map_or(directory_start, |entry| entry.place.start);
    Ok(Directory { entries, by_place, entries_start, end_record, base })
}

/// Refuses archives that continue in other files.
fn refuse_split_archive(source: &[u8], end_record: usize) -> Result<(), Error> {
    let number = |at| read_u16(source, end_record + at);
    // 0xFFFF sends the reader to the zip64 record.
    let is_first_disk = |disk| matches!(disk, Some(0 | u16::MAX));
    if is_first_disk(number(4)) && is_first_disk(number(6)) && number(8) == number(10) {
        return Ok(());
    }
    Err(Error::unsupported("it is one piece of a zip archive split over several files"))
}

fn read_entry(
    source: &[u8],
    archive: &ZipSliceArchive<&[u8]>,
    record: &ZipFileHeaderRecord<'_>,
) -> Result<Entry, Error> {
    let raw_name = record.file_path();
    let name = name::decode(raw_name.as_bytes());
    name::check(&name)?;
    let part = || shown(&name);

    let local = archive
        .get_entry(record.wayfinder())
        .map_err(|_| Error::damaged(format!("part '{}' is not where the directory says", part())))?;
    let header = local.local_header();
    let (flags, local_flags) = (record.flags(), header.flags());
    if [flags, local_flags].iter().any(|f| f.is_encrypted() || f.has_strong_encryption() || f.is_masked()) {
        let what = format!("part '{}' needs a password", part());
        return Err(Error::Encrypted { what });
    }
    let method = record.compression_method();
    if !matches!(method, CompressionMethod::STORE | CompressionMethod::DEFLATE) {
        return Err(Error::unsupported(format!("part '{}' is compressed by method {method}", part())));
    }
    if header.compression_method() != method || header.file_path().as_bytes() != raw_name.as_bytes() {
        return Err(Error::damaged(format!(
            "part '{}' is named or packed differently in its two headers",
            part()
        )));
    }
    let is_stored = method == CompressionMethod::STORE;
    if is_stored && record.compressed_size_hint() != record.uncompressed_size_hint() {
        return Err(Error::damaged(format!("part '{}' is not compressed, yet has two sizes", part())));
    }

    let record_start = position(record.central_directory_offset())?;
    let record_end = record_start
        + RECORD_SIZE
        + raw_name.len()
        + record.extra_fields().remaining_bytes().len()
        + record.comment().as_bytes().len();
    if !matches!(read_u16(source, record_start + 34), Some(0 | u16::MAX)) {
        return Err(Error::unsupported(format!("part '{}' lies in another file of a split archive", part())));
    }
    let start = position(record.local_header_offset())?;
    let (data_start, data_end) = local.compressed_data_range();
    let data = position(data_start)?..position(data_end)?;
    Ok(Entry {
        is_folder: name::is_folder(&name),
        record: record_start..record_end,
        place: start..data.end,
        data,
        is_stored,
        crc: record.crc32(),
        size: record.uncompressed_size_hint(),
        name,
    })
}

/// Refuses bombs that do not even hide. What the directory hides is found when a part is inflated.
fn check_sizes(entries: &[Entry], limits: &Limits) -> Result<(), Error> {
    let mut total = 0_u64;
    for entry in entries {
        let (part, size) = (|| shown(&entry.name), entry.size);
        if size > limits.max_part_bytes {
            let limit = limits.max_part_bytes;
            return Err(Error::bomb(format!(
                "part '{}' unpacks to {size} bytes, and the limit is {limit}",
                part()
            )));
        }
        if size > limits.largest_part(entry.data.len() as u64) && !entry.is_stored {
            let ratio = limits.max_ratio;
            return Err(Error::bomb(format!(
                "part '{}' unpacks to {size} bytes, more than {ratio} times its packed size",
                part()
            )));
        }
        total = total.saturating_add(size);
    }
    if total > limits.max_total_bytes {
        let limit = limits.max_total_bytes;
        return Err(Error::bomb(format!("its parts unpack to {total} bytes, and the limit is {limit}")));
    }
    Ok(())
}

/// Orders the entries by their place in the file, lets each place reach to the next one, and refuses
/// entries that share bytes: overlapping entries make an archive unpack to far more than its size.
fn settle_places(entries: &mut [Entry], directory_start: usize) -> Result<Vec<usize>, Error> {
    let mut by_place: Vec<(usize, usize)> =
        entries.iter().enumerate().map(|(index, entry)| (entry.place.start, index)).collect();
    by_place.sort_unstable();
    let ends = by_place.iter().skip(1).map(|&(start, _)| start).chain([directory_start]);
    for (&(_, index), end) in by_place.iter().zip(ends) {
        let Some(entry) = entries.get_mut(index) else { continue };
        if entry.data.end > end {
            let part = shown(&entry.name);
            return Err(Error::damaged(format!("part '{part}' overlaps what follows it in the archive")));
        }
        entry.place.end = end;
    }
    Ok(by_place.into_iter().map(|(_, index)| index).collect())
}

fn position(offset: u64) -> Result<usize, Error> {
    usize::try_from(offset).map_err(|_| Error::damaged("its directory points outside the file"))
}
