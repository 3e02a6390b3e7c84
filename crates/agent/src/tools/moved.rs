//! How paragraph numbers have moved by the edits of a round, in words for the model.

use engross_docx::revisions::RevisionKind;
use engross_docx::{Error, WordDocument};

/// Steps that are told one by one.
const MOST: usize = 20;

/// What to say of the paragraph numbers after edits that wrote `revisions`.
pub(crate) fn moved(document: &WordDocument, revisions: &[i64]) -> Result<String, Error> {
    let is_new = |id: Option<i64>| id.is_some_and(|id| revisions.contains(&id));
    let mut inserted: Vec<usize> = document
        .revisions()?
        .iter()
        .filter(|placed| placed.revision.kind == RevisionKind::ParagraphInsertion)
        .filter(|placed| is_new(placed.revision.stamp.id))
        .filter_map(|placed| placed.address.strip_prefix('P')?.parse().ok())
        .collect();
    inserted.sort_unstable();
    Ok(say(&inserted))
}

/// `inserted` are the present numbers of the new paragraphs, in order.
pub(super) fn say(inserted: &[usize]) -> String {
    if inserted.is_empty() {
        return "Paragraph numbers are as they were.".to_owned();
    }
    if inserted.len() > MOST {
        return format!(
            "Paragraph numbers have moved: {} were inserted. Read again before you use any.",
            inserted.len()
        );
    }
    let mut steps: Vec<(usize, usize)> = Vec::new();
    for (earlier, number) in inserted.iter().enumerate() {
        let from = number.saturating_sub(earlier);
        match steps.last_mut() {
            Some((last, by)) if *last == from => *by += 1,
            _ => steps.push((from, earlier + 1)),
        }
    }
    let steps: Vec<String> = steps
        .into_iter()
        .map(|(from, by)| format!("what was P{from} and above is now {by} higher"))
        .collect();
    format!("Paragraph numbers have moved: {}.", steps.join("; "))
}
