//! Changes as a person sees them: edits of a document with their words, files as a diff of lines.
//!
//! Must never hide that something is left out.

use engross_documents::change::{Palette, propose};
use engross_docx::ops::OperationResult;
use similar::{ChangeTag, TextDiff};

use super::styled::{Colour, Style, StyledLine, Theme, wrap_hanging};
use crate::approvals::{Change, FileChange};

/// Unchanged lines around changed ones.
const CONTEXT: usize = 2;

/// How long a comparison may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_millis(500);

/// What a change is, in a line.
pub(super) fn title(change: &Change) -> StyledLine {
    let mut line = StyledLine::default();
    match change {
        Change::Edits(edits) => {
            let count = edits.operations.len();
            let noun = if count == 1 { "edit" } else { "edits" };
            line.push(&format!("{count} {noun} of {}", edits.file), Style::BOLD);
        }
        Change::File(file) => {
            let verb = if file.before.is_some() { "Change" } else { "New file" };
            line.push(&format!("{verb} {}", file.path), Style::BOLD);
            line.push(&format!(" · {}", size(file)), Style::DIM);
        }
    }
    line
}

/// Lines and bytes of a file, or what is added and taken away.
fn size(file: &FileChange) -> String {
    match (&file.before, &file.after) {
        (Some(before), Some(after)) => {
            let (added, removed) = counts(before, after);
            format!("+{added} −{removed}")
        }
        (None, Some(after)) => format!("{} lines, {} bytes", after.lines().count(), file.bytes),
        _ => format!("{} bytes", file.bytes),
    }
}

fn counts(before: &str, after: &str) -> (usize, usize) {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before, after);
    let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
    (count(ChangeTag::Insert), count(ChangeTag::Delete))
}

/// A change in lines of `width` cells, at most `most` of them; what is left out is said in one more.
pub(super) fn lines(change: &Change, (theme, width): (Theme, usize), most: usize) -> Vec<StyledLine> {
    let mut lines = match change {
        Change::Edits(edits) => edit_lines(&edits.operations, (theme, width), propose),
        Change::File(file) => file_lines(file),
    };
    let left = lines.len().saturating_sub(most);
    if left > 0 {
        lines.truncate(most);
        lines.push(StyledLine::of(&format!("  … {left} more lines; /diff shows all"), Style::DIM));
    }
    lines
}

/// Operations, each as `describe` has it.
pub(super) fn edit_lines(
    operations: &[OperationResult],
    (theme, width): (Theme, usize),
    describe: fn(&OperationResult, Palette) -> String,
) -> Vec<StyledLine> {
    let palette = Palette::new(theme.colour);
    let described: Vec<String> = operations.iter().map(|operation| describe(operation, palette)).collect();
    let lines = described.iter().flat_map(|text| text.lines()).map(StyledLine::of_rendered);
    lines.flat_map(|line| wrap_hanging(&line, width)).collect()
}

fn file_lines(file: &FileChange) -> Vec<StyledLine> {
    let Some(after) = &file.after else {
        return vec![StyledLine::of("  It is too large to be shown, or no text", Style::DIM)];
    };
    let Some(before) = &file.before else {
        let added = |line| changed('+', line, Style::coloured(Colour::Green));
        return after.lines().map(added).collect();
    };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(before.as_str(), after.as_str());
    let mut lines = Vec::new();
    for group in diff.grouped_ops(CONTEXT) {
        if let Some(first) = group.first() {
            let at = first.new_range().start + 1;
            lines.push(StyledLine::of(&format!("  line {at}"), Style::DIM));
        }
        for change in group.iter().flat_map(|operation| diff.iter_changes(operation)) {
            let (sign, style) = match change.tag() {
                ChangeTag::Delete => ('-', Style::coloured(Colour::Red)),
                ChangeTag::Insert => ('+', Style::coloured(Colour::Green)),
                ChangeTag::Equal => (' ', Style::default()),
            };
            lines.push(changed(sign, change.value().trim_end_matches(['\n', '\r']), style));
        }
    }
    if lines.is_empty() {
        lines.push(StyledLine::of("  Only line ends differ, or nothing", Style::DIM));
    }
    lines
}

fn changed(sign: char, text: &str, style: Style) -> StyledLine {
    StyledLine::of(&format!("  {sign} {text}"), style)
}
