//! Finds the markers of a block in a file of any bytes.

/// What a block begins with.
pub const START: &str = "<!-- ACE:SKILLBOOK:START -->";

/// What a block ends with.
pub const END: &str = "<!-- ACE:SKILLBOOK:END -->";

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

fn of_line(line: &[u8], offset: usize, markers: &mut Vec<Marker>) {
    let mut from = 0;
    loop {
        let rest = line.get(from..).unwrap_or_default();
        let start = memchr::memmem::find(rest, START.as_bytes());
        let end = memchr::memmem::find(rest, END.as_bytes());
        let marker = match (start, end) {
            (Some(start), Some(end)) if start < end => Marker { is_start: true, at: start },
            (_, Some(end)) => Marker { is_start: false, at: end },
            (Some(start), None) => Marker { is_start: true, at: start },
            (None, None) => return,
        };
        let marker = Marker { at: offset + from + marker.at, ..marker };
        from = marker.end() - offset;
        markers.push(marker);
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
