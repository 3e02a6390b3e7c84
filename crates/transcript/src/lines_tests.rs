//! Lines against splitting the whole file at once.

use std::io::Read;

use proptest::prelude::*;

use super::lines::{LineEnd, LineReader};

/// Gives few bytes at a time.
struct Slow<'a>(&'a [u8], usize);

impl Read for Slow<'_> {
    fn read(&mut self, room: &mut [u8]) -> std::io::Result<usize> {
        let length = self.1.min(room.len()).min(self.0.len());
        let (now, later) = self.0.split_at(length);
        room[..length].copy_from_slice(now);
        self.0 = later;
        Ok(length)
    }
}

fn lines(bytes: &[u8], step: usize, limit: usize) -> Vec<(u64, u64, Vec<u8>, u64, LineEnd)> {
    let mut lines = LineReader::new(Slow(bytes, step)).with_limit(limit);
    let mut all = Vec::new();
    while let Some(line) = lines.next_line().unwrap() {
        all.push((line.number, line.offset, line.bytes.to_vec(), line.length, line.end));
    }
    all
}

#[test]
fn only_line_feeds_end_lines() {
    let text = "a\u{2028}b\u{85}c\u{b}d\n\r\ne\r";
    let expected = [
        (1, 0, "a\u{2028}b\u{85}c\u{b}d".as_bytes().to_vec(), 10, LineEnd::Lf),
        (2, 11, vec![], 0, LineEnd::CrLf),
        (3, 13, b"e\r".to_vec(), 2, LineEnd::File),
    ];
    assert_eq!(lines(text.as_bytes(), 3, 100), expected);
}

#[test]
fn a_line_beyond_the_limit_is_counted_and_not_held() {
    let long = "x".repeat(5_000_000);
    let text = format!("{long}\nshort\n{long}");
    let read = lines(text.as_bytes(), 1 << 20, 1_000_000);
    let seen: Vec<_> = read.iter().map(|line| (line.0, line.1, line.2.len(), line.3)).collect();
    assert_eq!(seen, [(1, 0, 0, 5_000_000), (2, 5_000_001, 5, 5), (3, 5_000_007, 0, 5_000_000)]);
}

proptest! {
    #[test]
    fn lines_are_what_splitting_gives(pieces in prop::collection::vec("[a-c\r\n]{0,5}", 0..20), step in 1usize..9) {
        let text = pieces.concat();
        let read = lines(text.as_bytes(), step, 1000);
        let mut whole = Vec::new();
        for (_, offset, bytes, length, end) in &read {
            prop_assert_eq!(*offset, whole.len() as u64);
            prop_assert_eq!(*length, bytes.len() as u64);
            whole.extend_from_slice(bytes);
            whole.extend_from_slice(match end { LineEnd::Lf => b"\n", LineEnd::CrLf => b"\r\n", LineEnd::File => b"" });
        }
        prop_assert_eq!(whole, text.as_bytes());
        let split: Vec<&str> = text.strip_suffix('\n').unwrap_or(&text).split('\n').collect();
        prop_assert_eq!(read.len(), if text.is_empty() { 0 } else { split.len() });
    }
}
