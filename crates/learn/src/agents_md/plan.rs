//! Computes the new bytes of a file from its bytes and the text of its block.

use engross_protocol::hex;
use sha2::{Digest, Sha256};

use super::markers::{END, Marker, START, find};

/// Bytes and lines from which on hosts cut such files.
const HOST_BYTES: usize = 25_000;
const HOST_LINES: usize = 200;

/// What our own line inside the block begins with.
const OWN: &[u8] = b"<!-- engross: ";

/// Whether markers that make no sense are put right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MarkerMode {
    /// They are refused.
    #[default]
    Strict,
    /// They are taken out, or joined to one block.
    Repair,
}

/// What is to be written, and what there is to say.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BlockChange {
    /// The whole file; `None` when it is as it shall be.
    pub bytes: Option<Vec<u8>>,
    /// What a person had changed inside the block; it is replaced.
    pub edited: Option<Vec<u8>>,
    /// What a person should know.
    pub warnings: Vec<BlockWarning>,
}

/// What a person should know about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockWarning {
    /// There is an end marker without a beginning; it was left.
    StrayEnd,
    /// There is more than one block; only the first was changed.
    SecondBlock,
    /// Someone changed the text inside the block.
    EditedInside,
    /// The file is larger than agents read of it.
    TooLargeForHosts,
    /// Markers were put right.
    Repaired,
    /// A comment before the block is never closed, so that the block may not show.
    OpenComment,
    /// The block is not what the skillbook shows.
    Outdated,
}

/// The file's markers make no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MarkerError {
    /// A block begins and does not end, or ends before it begins.
    #[error(
        "a block of lessons begins or ends without its other marker; put the markers right, or allow it with --repair"
    )]
    Unpaired,
    /// A block stands in a block.
    #[error("a block of lessons stands inside another one; put the markers right, or allow it with --repair")]
    Nested,
    /// A code fence is never closed.
    #[error("a code fence is never closed, so a block at the end would be code; close the fence")]
    OpenFence,
}

/// Says what the file must be for its block to hold `inner`, which is Markdown with `\n`; without `inner` there is to be no
/// block. `file` is `None` when there is none.
///
/// # Errors
/// [`MarkerError`] when the markers make no sense, or nothing can be appended.
pub fn plan(file: Option<&[u8]>, inner: Option<&str>, mode: MarkerMode) -> Result<BlockChange, MarkerError> {
    let old = file.unwrap_or_default();
    let mut change = BlockChange::default();
    let (markers, _) = find(old);
    let (bytes, blocks) = sort_out(old, &markers, mode, &mut change)?;
    let new = match (blocks.first(), inner) {
        (Some(block), Some(inner)) => replaced(&bytes, *block, inner, &mut change),
        (Some(block), None) => removed(&bytes, *block, &mut change),
        (None, Some(inner)) => appended(&bytes, inner),
        (None, None) => bytes.clone(),
    };
    if let Some(inner) = inner {
        // What cannot be found again would be added again and again.
        let (found, is_open) = find(&new);
        let stands = found.windows(2).any(|two| match two {
            [start, end] => {
                start.is_start
                    && !end.is_start
                    && with_lf(&inner_of(&new, (*start, *end))) == inner.as_bytes()
            }
            _ => false,
        });
        if !stands {
            return Err(if is_open { MarkerError::OpenFence } else { MarkerError::Unpaired });
        }
        let before = found.first().map_or(0, |start| start.at);
        if has_open_comment(new.get(..before).unwrap_or_default()) {
            change.warnings.push(BlockWarning::OpenComment);
        }
        if new.len() > HOST_BYTES || new.iter().filter(|byte| **byte == b'\n').count() > HOST_LINES {
            change.warnings.push(BlockWarning::TooLargeForHosts);
        }
    }
    if file.is_none() && new.is_empty() || file == Some(new.as_slice()) {
        return Ok(change);
    }
    change.bytes = Some(new);
    Ok(change)
}

/// What is wrong with a file's block, without changing it.
///
/// # Errors
/// As [`plan`].
pub fn check(file: &[u8]) -> Result<Vec<BlockWarning>, MarkerError> {
    let mut change = BlockChange::default();
    let (markers, _) = find(file);
    let (bytes, blocks) = sort_out(file, &markers, MarkerMode::Strict, &mut change)?;
    if let Some(block) = blocks.first()
        && edited(&bytes, *block).is_some()
    {
        change.warnings.push(BlockWarning::EditedInside);
    }
    Ok(change.warnings)
}

/// What the first block of a file holds, and whether somebody changed it since it was written; `None` without a block.
#[must_use]
pub fn edited_inner(file: &[u8]) -> Option<(String, bool)> {
    let (markers, _) = find(file);
    let block = match markers.get(..2)? {
        [start, end] if start.is_start && !end.is_start => (*start, *end),
        _ => return None,
    };
    let inner = with_lf(&inner_of(file, block));
    Some((String::from_utf8_lossy(&inner).into_owned(), edited(file, block).is_some()))
}

type MarkedBlock = (Marker, Marker);

/// Pairs the markers. The bytes differ from the file's only in repair.
fn sort_out(
    bytes: &[u8],
    markers: &[Marker],
    mode: MarkerMode,
    change: &mut BlockChange,
) -> Result<(Vec<u8>, Vec<MarkedBlock>), MarkerError> {
    let is_stray_end = !markers.is_empty() && markers.iter().all(|marker| !marker.is_start);
    if is_stray_end {
        change.warnings.push(BlockWarning::StrayEnd);
        return Ok((bytes.to_vec(), Vec::new()));
    }
    let mut blocks = Vec::new();
    for two in markers.chunks(2) {
        match two {
            [start, end] if start.is_start && !end.is_start => blocks.push((*start, *end)),
            _ => return mended(bytes, markers, mode, change),
        }
    }
    if blocks.len() > 1 {
        if mode == MarkerMode::Strict {
            change.warnings.push(BlockWarning::SecondBlock);
            return Ok((bytes.to_vec(), blocks));
        }
        change.warnings.push(BlockWarning::Repaired);
        let mut rest = bytes.to_vec();
        for (start, end) in blocks.drain(1..).rev() {
            rest.drain(start.at..end.end());
        }
        return Ok((rest, blocks));
    }
    Ok((bytes.to_vec(), blocks))
}

/// Markers that do not pair: refused, or put right.
fn mended(
    bytes: &[u8],
    markers: &[Marker],
    mode: MarkerMode,
    change: &mut BlockChange,
) -> Result<(Vec<u8>, Vec<MarkedBlock>), MarkerError> {
    let first = markers.iter().find(|marker| marker.is_start);
    let last = markers.iter().rfind(|marker| !marker.is_start);
    let outer = match (first, last) {
        (Some(first), Some(last)) if first.at < last.at => Some((*first, *last)),
        _ => None,
    };
    if mode == MarkerMode::Strict {
        return Err(if outer.is_some() { MarkerError::Nested } else { MarkerError::Unpaired });
    }
    change.warnings.push(BlockWarning::Repaired);
    match outer {
        Some(outer) => Ok((bytes.to_vec(), vec![outer])),
        None => {
            let mut rest = bytes.to_vec();
            for marker in markers.iter().rev() {
                rest.drain(marker.at..marker.end());
            }
            Ok((rest, Vec::new()))
        }
    }
}

fn replaced(bytes: &[u8], block: MarkedBlock, inner: &str, change: &mut BlockChange) -> Vec<u8> {
    note_edits(bytes, block, change);
    let own = own_line(bytes, block);
    let (start, end) = block;
    let (before, after) = own.map_or((0, 0), |own| (own.before, own.after));
    let mut new = bytes.get(..start.at).unwrap_or_default().to_vec();
    let eol = eol(bytes);
    new.extend_from_slice(&written(inner, before, after, eol));
    new.extend_from_slice(bytes.get(end.end()..).unwrap_or_default());
    new
}

fn removed(bytes: &[u8], block: MarkedBlock, change: &mut BlockChange) -> Vec<u8> {
    note_edits(bytes, block, change);
    let (start, end) = block;
    let (mut from, mut to) = (start.at, end.end());
    if let Some(own) = own_line(bytes, block) {
        let is_ends = |range: &[u8]| range.iter().all(|byte| matches!(byte, b'\n' | b'\r'));
        let before = from.saturating_sub(own.before);
        if bytes.get(before..from).is_some_and(is_ends) {
            from = before;
        }
        let after = (to + own.after).min(bytes.len());
        if bytes.get(to..after).is_some_and(is_ends) {
            to = after;
        }
    }
    let mut new = bytes.get(..from).unwrap_or_default().to_vec();
    new.extend_from_slice(bytes.get(to..).unwrap_or_default());
    new
}

fn appended(bytes: &[u8], inner: &str) -> Vec<u8> {
    let eol = eol(bytes);
    let mut new = bytes.to_vec();
    let is_only_mark = bytes == b"\xef\xbb\xbf";
    let has_blank_line = bytes.ends_with(format!("{eol}{eol}").as_bytes()) || bytes == eol.as_bytes();
    let ends = match bytes.ends_with(b"\n") {
        _ if bytes.is_empty() || is_only_mark || has_blank_line => 0,
        true => 1,
        false => 2,
    };
    new.extend_from_slice(eol.repeat(ends).as_bytes());
    new.extend_from_slice(&written(inner, ends * eol.len(), eol.len(), eol));
    new.extend_from_slice(eol.as_bytes());
    new
}

/// A block, from marker to marker.
fn written(inner: &str, before: usize, after: usize, eol: &str) -> Vec<u8> {
    let text = format!(
        "{START}\n<!-- engross: before={before} after={after} sha256={} -->\n{inner}{END}",
        hash(inner.as_bytes())
    );
    if eol == "\n" { text.into_bytes() } else { text.replace('\n', eol).into_bytes() }
}

/// What we wrote about the block.
struct BlockHeader {
    /// Bytes of line ends that were put before the block, and behind it.
    before: usize,
    after: usize,
    sha256: String,
}

fn own_line(bytes: &[u8], (start, end): MarkedBlock) -> Option<BlockHeader> {
    let inside = bytes.get(start.end()..end.at)?;
    let line = inside.split(|byte| *byte == b'\n').nth(1)?;
    let text = std::str::from_utf8(line.strip_prefix(OWN)?).ok()?;
    let field =
        |name: &str| text.split_whitespace().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
    let (before, after) = (field("before")?.parse().ok()?, field("after")?.parse().ok()?);
    Some(BlockHeader { before, after, sha256: field("sha256")?.to_owned() })
}

/// What stands in a block behind our own line.
fn inner_of(bytes: &[u8], (start, end): MarkedBlock) -> Vec<u8> {
    let inside = bytes.get(start.end()..end.at).unwrap_or_default();
    let mut lines = inside.split_inclusive(|byte| *byte == b'\n');
    let first = lines.next().map_or(0, <[u8]>::len);
    let own = lines.next().filter(|line| line.starts_with(OWN)).map_or(0, <[u8]>::len);
    inside.get(first + own..).unwrap_or_default().to_vec()
}

fn note_edits(bytes: &[u8], block: MarkedBlock, change: &mut BlockChange) {
    if let Some(edited) = edited(bytes, block) {
        change.warnings.push(BlockWarning::EditedInside);
        change.edited = Some(edited);
    }
}

/// What stands in a block, if it is not what we wrote there. Other line ends are no edit.
fn edited(bytes: &[u8], block: MarkedBlock) -> Option<Vec<u8>> {
    let inner = inner_of(bytes, block);
    match own_line(bytes, block) {
        Some(own) => (hash(&with_lf(&inner)) != own.sha256).then_some(inner),
        // Another program's block, or a person's words between the markers.
        None => inner.iter().any(|byte| !byte.is_ascii_whitespace()).then_some(inner),
    }
}

/// Whether a comment begins and does not end.
fn has_open_comment(bytes: &[u8]) -> bool {
    let begin = memchr::memmem::rfind(bytes, b"<!--");
    let end = memchr::memmem::rfind(bytes, b"-->");
    begin.is_some() && begin > end
}

/// The line end that stands most often.
fn eol(bytes: &[u8]) -> &'static str {
    let all = bytes.iter().filter(|byte| **byte == b'\n').count();
    let crlf = memchr::memmem::find_iter(bytes, b"\r\n").count();
    if crlf * 2 > all { "\r\n" } else { "\n" }
}

fn hash(bytes: &[u8]) -> String {
    hex::encode_prefix(Sha256::digest(bytes), 8)
}

/// The same with `\n` for every `\r\n`.
fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut new = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if !(*byte == b'\r' && bytes.get(at + 1) == Some(&b'\n')) {
            new.push(*byte);
        }
    }
    new
}
