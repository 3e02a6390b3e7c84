//! Finds the markers of a block in a file of any bytes.

/// What a block begins with.
pub const START: &str = "<!-- ACE:SKILLBOOK:START -->";

/// What a block ends with.
pub const END: &str = "<!-- ACE:SKILLBOOK:END -->";

/// What some editors begin a file with.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// A marker outside of code fences.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) is_start: bool,
    /// Where it begins, in bytes.
    pub(super) at: usize,
}

impl Marker {
    /// Where it ends, in bytes.
    pub(super) fn end(self) -> usize {
        self.at + if self.is_start { START.len() } else { END.len() }
    }
}

/// All markers outside of code fences, in order; and whether a fence is open at the end.
pub(super) fn find(bytes: &[u8]) -> (Vec<Marker>, bool) {
    let mut markers = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut offset = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match (fence, fence_of(line)) {
            (None, Some((mark, length, _))) => fence = Some((mark, length)),
            (Some((open, least)), Some((mark, length, is_bare)))
                if mark == open && length >= least && is_bare =>
            {
                fence = None;
            }
            (None, None) => of_line(line, offset, &mut markers),
            (Some(_), _) => {}
        }
        offset += line.len();
    }
    (markers, fence.is_some())
}

/// A marker counts alone on its line only: in a sentence it is mentioned, and indented by four it is code.
fn of_line(line: &[u8], offset: usize, markers: &mut Vec<Marker>) {
    let bare = if offset == 0 { line.strip_prefix(BOM).unwrap_or(line) } else { line };
    let skipped = line.len() - bare.len();
    let line = bare;
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    let text = line.trim_ascii();
    if indent > 3 || line.first() == Some(&b'\t') {
        return;
    }
    let is_start = text == START.as_bytes();
    if is_start || text == END.as_bytes() {
        markers.push(Marker { is_start, at: offset + skipped + indent });
    }
}

/// The mark of a code fence, its length, and whether nothing follows it.
fn fence_of(line: &[u8]) -> Option<(u8, usize, bool)> {
    let indent = line.iter().take_while(|byte| **byte == b' ').count();
    let rest = line.get(indent..).filter(|_| indent <= 3)?;
    let mark = *rest.first().filter(|mark| matches!(**mark, b'`' | b'~'))?;
    let length = rest.iter().take_while(|byte| **byte == mark).count();
    let info = rest.get(length..)?;
    // A backtick in the info string makes it inline code.
    let is_fence = length >= 3 && !(mark == b'`' && info.contains(&b'`'));
    is_fence.then(|| (mark, length, info.iter().all(u8::is_ascii_whitespace)))
}
