//! What commands of learning say to people alike: what became of instruction files, and counts.

use std::fmt::Write as _;

use engross_learn::agents_md::BlockWarning;
use engross_learn::disk::BlockSync;

/// What became of the files, for people.
pub(super) fn text(synced: &[BlockSync]) -> String {
    let mut text = String::new();
    for file in synced {
        let said = match (file.is_changed, file.path.exists()) {
            (true, _) => "brought up to date",
            (false, true) => "as it shall be",
            (false, false) => "not there; it is made once there is a lesson to show",
        };
        let _ = writeln!(text, "{}: {said}", file.path.display());
        for warning in &file.warnings {
            let _ = writeln!(text, "  warning: {}", explain(*warning));
        }
        for kept in &file.kept {
            let _ = writeln!(text, "  kept: {}", kept.display());
        }
    }
    text
}

pub(super) fn explain(warning: BlockWarning) -> &'static str {
    match warning {
        BlockWarning::StrayEnd => "an end marker stands without a beginning; it was left",
        BlockWarning::SecondBlock => {
            "there is a second block; only the first is kept up to date (see --repair)"
        }
        BlockWarning::EditedInside => "someone changed the text inside the block",
        BlockWarning::TooLargeForHosts => "the file is longer than agents read (25 KB or 200 lines)",
        BlockWarning::Repaired => "markers were put right",
        BlockWarning::Outdated => {
            "the block is not what the skillbook shows; `engross agents-md sync` brings it up to date"
        }
        BlockWarning::OpenComment => "a comment before the block is never closed; close it with -->",
    }
}

/// A count of things, in good grammar.
pub(super) fn counted(count: usize, thing: &str) -> String {
    if count == 1 { format!("1 {thing}") } else { format!("{count} {thing}s") }
}
