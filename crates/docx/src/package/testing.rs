//! Builds zip archives by hand, right and wrong ones, so that no library decides what the tests see.
//! Must never use the code that it tests.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::{Error, Limits, Package};

/// Local time 13:45:30 on 2024-03-05: no writer invents it.
pub(super) const TIME: u16 = (13 << 11) | (45 << 5) | 15;
pub(super) const DATE: u16 = (44 << 9) | (3 << 5) | 5;

/// One entry. Fields may be set to lie.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) name: Vec<u8>,
    pub(super) local_name: Option<Vec<u8>>,
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) data: Vec<u8>,
    pub(super) crc: u32,
    pub(super) size: u32,
    pub(super) local_extra: Vec<u8>,
    pub(super) extra: Vec<u8>,
    pub(super) comment: Vec<u8>,
    pub(super) disk: u16,
    /// Bytes between this entry and the next.
    pub(super) gap: Vec<u8>,
    /// Whether sizes stand behind the data only, as streaming writers do it.
    pub(super) streamed: bool,
    /// Whether sizes and offset stand in zip64 fields.
    pub(super) zip64: bool,
    /// Local header of another entry that the record points to.
    pub(super) points_to: Option<usize>,
}

pub(super) fn deflated(name: &str, content: &[u8]) -> Entry {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(1));
    encoder.write_all(content).unwrap();
    Entry { method: 8, data: encoder.finish().unwrap(), ..stored(name, content) }
}

pub(super) fn stored(name: &str, content: &[u8]) -> Entry {
    Entry {
        name: name.as_bytes().to_vec(),
        local_name: None,
        flags: 0,
        method: 0,
        data: content.to_vec(),
        crc: rawzip::crc32(content),
        size: u32::try_from(content.len()).unwrap(),
        local_extra: Vec::new(),
        extra: Vec::new(),
        comment: Vec::new(),
        disk: 0,
        gap: Vec::new(),
        streamed: false,
        zip64: false,
        points_to: None,
    }
}

/// An archive to be.
#[derive(Clone, Default)]
pub(super) struct Archive {
    pub(super) stub: Vec<u8>,
    /// Whether offsets count from the end of the stub.
    pub(super) offsets_skip_stub: bool,
    pub(super) entries: Vec<Entry>,
    /// Sequence of the directory; empty: as the entries.
    pub(super) directory_order: Vec<usize>,
    pub(super) comment: Vec<u8>,
    pub(super) trailing: Vec<u8>,
    /// What the end record says instead of the true count.
    pub(super) count: Option<u16>,
    pub(super) disk: u16,
    /// Whether a zip64 end record precedes the end record.
    pub(super) zip64_end: bool,
}

pub(super) fn archive(entries: Vec<Entry>) -> Archive {
    Archive { entries, ..Archive::default() }
}

impl Archive {
    pub(super) fn build(&self) -> Vec<u8> {
        let mut out = self.stub.clone();
        let base = if self.offsets_skip_stub { self.stub.len() } else { 0 };
        let mut offsets = Vec::new();
        for entry in &self.entries {
            offsets.push(out.len() - base);
            entry.write_local(&mut out);
        }
        let directory = out.len() - base;
        let mut order = self.directory_order.clone();
        if order.is_empty() {
            order = (0..self.entries.len()).collect();
        }
        for &index in &order {
            let entry = &self.entries[index];
            entry.write_record(&mut out, offsets[entry.points_to.unwrap_or(index)]);
        }
        let size = out.len() - base - directory;
        let count = self.count.unwrap_or_else(|| u16::try_from(order.len()).unwrap());
        if self.zip64_end {
            let at = out.len();
            out.extend(b"PK\x06\x06");
            out.extend(44_u64.to_le_bytes());
            out.extend([45, 0, 45, 0]);
            out.extend([0; 8]);
            for value in [usize::from(count), usize::from(count), size, directory] {
                out.extend((value as u64).to_le_bytes());
            }
            out.extend(b"PK\x06\x07");
            out.extend(0_u32.to_le_bytes());
            out.extend((at as u64).to_le_bytes());
            out.extend(1_u32.to_le_bytes());
        }
        out.extend(b"PK\x05\x06");
        let count = if self.zip64_end { u16::MAX } else { count };
        for value in [self.disk, self.disk, count, count] {
            out.extend(value.to_le_bytes());
        }
        for value in [size, directory] {
            let value = if self.zip64_end { u32::MAX } else { u32::try_from(value).unwrap() };
            out.extend(value.to_le_bytes());
        }
        out.extend(u16::try_from(self.comment.len()).unwrap().to_le_bytes());
        out.extend(&self.comment);
        out.extend(&self.trailing);
        out
    }

    pub(super) fn open(&self) -> Result<Package, Error> {
        Package::open(self.build(), &Limits::default())
    }
}

impl Entry {
    fn flags(&self) -> u16 {
        self.flags | if self.streamed { 8 } else { 0 }
    }

    fn compressed(&self) -> u32 {
        u32::try_from(self.data.len()).unwrap()
    }

    fn zip64_field(&self, offset: Option<usize>) -> Vec<u8> {
        let mut values = vec![u64::from(self.size), u64::from(self.compressed())];
        values.extend(offset.map(|offset| offset as u64));
        let mut field = vec![1, 0, u8::try_from(values.len() * 8).unwrap(), 0];
        field.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        field
    }

    fn write_common(&self, out: &mut Vec<u8>, name: &[u8], extra: &[u8], sizes: [u32; 3]) {
        for value in [20, self.flags(), self.method, TIME, DATE] {
            out.extend(value.to_le_bytes());
        }
        for value in sizes {
            out.extend(value.to_le_bytes());
        }
        for length in [name.len(), extra.len()] {
            out.extend(u16::try_from(length).unwrap().to_le_bytes());
        }
    }

    fn write_local(&self, out: &mut Vec<u8>) {
        let name = self.local_name.as_ref().unwrap_or(&self.name);
        let mut extra = self.local_extra.clone();
        if self.zip64 {
            extra.extend(self.zip64_field(None));
        }
        let sizes = match (self.streamed, self.zip64) {
            (true, _) => [0, 0, 0],
            (false, true) => [self.crc, u32::MAX, u32::MAX],
            (false, false) => [self.crc, self.compressed(), self.size],
        };
        out.extend(b"PK\x03\x04");
        self.write_common(out, name, &extra, sizes);
        out.extend(name);
        out.extend(&extra);
        out.extend(&self.data);
        if self.streamed {
            out.extend(b"PK\x07\x08");
            for value in [self.crc, self.compressed(), self.size] {
                out.extend(value.to_le_bytes());
                if self.zip64 && value != self.crc {
                    out.extend([0; 4]);
                }
            }
        }
        out.extend(&self.gap);
    }

    fn write_record(&self, out: &mut Vec<u8>, offset: usize) {
        let mut extra = self.extra.clone();
        if self.zip64 {
            extra.extend(self.zip64_field(Some(offset)));
        }
        let sizes = if self.zip64 {
            [self.crc, u32::MAX, u32::MAX]
        } else {
            [self.crc, self.compressed(), self.size]
        };
        out.extend(b"PK\x01\x02");
        out.extend(0x031E_u16.to_le_bytes());
        self.write_common(out, &self.name, &extra, sizes);
        out.extend(u16::try_from(self.comment.len()).unwrap().to_le_bytes());
        out.extend(self.disk.to_le_bytes());
        out.extend(1_u16.to_le_bytes());
        out.extend(0x81A4_0000_u32.to_le_bytes());
        let offset = if self.zip64 { u32::MAX } else { u32::try_from(offset).unwrap() };
        out.extend(offset.to_le_bytes());
        out.extend(&self.name);
        out.extend(&extra);
        out.extend(&self.comment);
    }
}

/// A small document-like archive with everything that real ones have.
pub(super) fn sample() -> Archive {
    let body = "<w:p><w:r><w:t>Lorem ipsum dolor sit amet</w:t></w:r></w:p>".repeat(40);
    let mut types = deflated("[Content_Types].xml", b"<Types/>");
    types.local_extra = vec![0x20, 0xA2, 4, 0, 0, 0, 0, 0];
    types.flags = 6;
    let mut document = deflated("word/document.xml", body.as_bytes());
    document.flags = 6;
    document.local_extra = vec![0x55, 0x54, 5, 0, 3, 1, 2, 3, 4];
    document.extra = vec![0x55, 0x54, 1, 0, 7];
    document.comment = b"the text".to_vec();
    let mut styles = deflated("word/styles.xml", b"<w:styles/>");
    styles.streamed = true;
    Archive {
        entries: vec![
            types,
            stored("word/", b""),
            document,
            styles,
            stored("word/media/image1.png", b"\x89PNG"),
        ],
        comment: b"made by hand".to_vec(),
        ..Archive::default()
    }
}

/// The code of the refusal.
pub(super) fn code<T>(result: Result<T, Error>) -> &'static str {
    result.err().map_or("no error", |error| error.code())
}
