//! Tells whether a file can be what its name says: not empty, not left half-written, and of the kind of its extension.
//!
//! Must never judge what is in a document, nor refuse a kind that it does not know.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use engross_store::files::Reader;
use serde::de::IgnoredAny;

/// The bytes of the longest JSON that is read to its end.
const JSON_MAX: u64 = 64 << 20;

/// The bytes at the end of a file among which its last mark must be.
const TAIL: u64 = 66 << 10;

/// The bytes of the longest list of a zip's entries that is read.
const DIRECTORY_MAX: u64 = 16 << 20;

/// Empty files that mean something by being there.
const MEANT_EMPTY: &[&str] = &["__init__.py", "py.typed", ".gitkeep", ".keep", ".nojekyll", ".gitignore"];

/// Whether a file is one that a program left when it was not done: of an office program, a browser, an editor.
pub(super) fn is_leftover(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let ends = [".tmp", ".part", ".crdownload", ".swp", ".bak"];
    name.starts_with("~$")
        || (name.starts_with(".~lock.") && name.ends_with('#'))
        || ends.iter().any(|end| lower.ends_with(end))
}

/// Whether nothing can be told of the file but by its bytes.
pub(super) fn is_to_be_read(name: &str, size: u64) -> bool {
    size == 0 || Kind::of(name).is_some()
}

/// What is wrong with the file called `name`, as the end of a sentence; `None` when nothing is.
pub(super) fn problem(reader: &mut Reader, name: &str, size: u64) -> io::Result<Option<String>> {
    if size == 0 {
        return Ok((!MEANT_EMPTY.contains(&name)).then(|| "it is empty".to_owned()));
    }
    let Some(kind) = Kind::of(name) else { return Ok(None) };
    let is_one = kind.is_kind_of(reader, size)?;
    Ok((!is_one).then(|| format!("its bytes are no whole {}", kind.name())))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Pdf,
    Png,
    Jpeg,
    Json,
    Zip,
    /// A zip with parts in this folder.
    Office(&'static str, &'static str),
}

impl Kind {
    fn of(name: &str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        if stem.is_empty() {
            return None;
        }
        Some(match extension.to_ascii_lowercase().as_str() {
            "pdf" => Self::Pdf,
            "png" => Self::Png,
            "jpg" | "jpeg" => Self::Jpeg,
            "json" => Self::Json,
            "zip" => Self::Zip,
            "docx" => Self::Office("docx", "word/"),
            "xlsx" => Self::Office("xlsx", "xl/"),
            "pptx" => Self::Office("pptx", "ppt/"),
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Pdf => "pdf",
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Json => "json",
            Self::Zip => "zip",
            Self::Office(name, _) => name,
        }
    }

    fn is_kind_of(self, reader: &mut Reader, size: u64) -> io::Result<bool> {
        match self {
            Self::Pdf => {
                let head = part(reader, 0, 1024)?;
                Ok(contains(&head, b"%PDF-") && contains(&tail(reader, size)?, b"%%EOF"))
            }
            Self::Png => {
                let head = part(reader, 0, 8)?;
                Ok(head == b"\x89PNG\r\n\x1a\n" && contains(&tail(reader, size)?, b"IEND"))
            }
            Self::Jpeg => {
                let head = part(reader, 0, 3)?;
                Ok(head == b"\xff\xd8\xff" && contains(&tail(reader, size)?, b"\xff\xd9"))
            }
            Self::Json => is_json(reader, size),
            Self::Zip => Ok(entries(reader, size)?.is_some()),
            Self::Office(_, folder) => {
                let Some(entries) = entries(reader, size)? else { return Ok(false) };
                let has = |wanted: &dyn Fn(&str) -> bool| entries.iter().any(|name| wanted(name));
                Ok(has(&|name| name == "[Content_Types].xml") && has(&|name| name.starts_with(folder)))
            }
        }
    }
}

fn is_json(reader: &mut Reader, size: u64) -> io::Result<bool> {
    if size > JSON_MAX {
        return Ok(true);
    }
    let skipped = if part(reader, 0, 3)? == b"\xef\xbb\xbf" { 3 } else { 0 };
    reader.seek(SeekFrom::Start(skipped))?;
    let read: Result<IgnoredAny, _> = serde_json::from_reader(BufReader::new(reader.take(JSON_MAX)));
    match read {
        Err(error) if error.is_io() => Err(error.into()),
        read => Ok(read.is_ok()),
    }
}

/// The names in a zip; `None` when it has no list of them that can be read to its end.
fn entries(reader: &mut Reader, size: u64) -> io::Result<Option<Vec<String>>> {
    /// The parts of the record at the end: where the list begins is behind 16 bytes, its length before that.
    const END: &[u8] = b"PK\x05\x06";
    let end = tail(reader, size)?;
    let Some(at) = end.windows(END.len()).rposition(|window| window == END) else { return Ok(None) };
    let record = end.get(at..).unwrap_or_default();
    let (Some(count), Some(length), Some(begin)) =
        (number(record, 10, 2), number(record, 12, 4), number(record, 16, 4))
    else {
        return Ok(None);
    };
    if begin == u64::from(u32::MAX) || count == u64::from(u16::MAX) {
        // A zip64 says these elsewhere; that its first entry is one is enough.
        return Ok((part(reader, 0, 4)? == b"PK\x03\x04").then(Vec::new));
    }
    if length > DIRECTORY_MAX || begin.saturating_add(length) > size {
        return Ok(None);
    }
    let list = part(reader, begin, length)?;
    let mut names = Vec::new();
    let mut at = 0;
    for _ in 0..count {
        let entry = list.get(at..).unwrap_or_default();
        let lengths = [28, 30, 32].map(|place| number(entry, place, 2));
        let [Some(name), Some(extra), Some(comment)] = lengths else { return Ok(None) };
        if !entry.starts_with(b"PK\x01\x02") {
            return Ok(None);
        }
        let name_end = 46 + usize::try_from(name).unwrap_or_default();
        let Some(name) = entry.get(46..name_end) else { return Ok(None) };
        names.push(String::from_utf8_lossy(name).into_owned());
        at += name_end + usize::try_from(extra + comment).unwrap_or_default();
    }
    Ok(Some(names))
}

/// The number of `length` bytes at a place, least first.
fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
}

fn tail(reader: &mut Reader, size: u64) -> io::Result<Vec<u8>> {
    part(reader, size.saturating_sub(TAIL), TAIL)
}

fn part(reader: &mut Reader, from: u64, most: u64) -> io::Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    reader.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn contains(bytes: &[u8], mark: &[u8]) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark)
}
