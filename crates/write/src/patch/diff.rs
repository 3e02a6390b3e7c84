//! The difference of two texts for a reader: hunks with line numbers, as `diff -u` has them.
//!
//! Must never be longer than its bound: what is left out is counted.

use std::fmt::Write as _;

use similar::{ChangeTag, TextDiff};

/// Lines before and behind a change.
const CONTEXT: usize = 3;
/// The most lines, and the longest one in characters.
const LINES: usize = 120;
const LINE: usize = 200;
/// Larger files are not compared.
const BYTES: usize = 4 << 20;

/// What has changed from `old` to `new`; `None` where there is nothing to show: both are the same, are too large, or no text.
#[must_use]
pub fn unified_diff(old: &[u8], new: &[u8]) -> Option<String> {
    if old == new || old.len().max(new.len()) > BYTES {
        return None;
    }
    let (old, new) = (std::str::from_utf8(old).ok()?, std::str::from_utf8(new).ok()?);
    let mut config = TextDiff::configure();
    config.timeout(std::time::Duration::from_millis(300));
    let diff = config.diff_lines(old, new);
    let (mut text, mut shown, mut left_out) = (String::new(), 0, 0);
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        if shown < LINES {
            _ = writeln!(text, "{}", hunk.header());
        }
        for change in hunk.iter_changes() {
            if shown >= LINES {
                left_out += 1;
                continue;
            }
            shown += 1;
            let mark = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line: String = change.value().trim_end_matches(['\n', '\r']).chars().take(LINE).collect();
            _ = writeln!(text, "{mark}{line}");
            if change.missing_newline() {
                text.push_str("\\ No newline at end of file\n");
            }
        }
    }
    if left_out > 0 {
        _ = writeln!(text, "({left_out} more lines)");
    }
    Some(text)
}
