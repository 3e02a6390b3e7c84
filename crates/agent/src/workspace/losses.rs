//! What going back to a checkpoint would take from a document, and what it would give back.
//!
//! Must never guess which change a paragraph came from: it compares what stands there with what stood there.

use std::collections::HashMap;

use engross_docx::read::ReadOptions;
use engross_docx::{Limits, WordDocument};

/// Two states of a document, compared by the text of their paragraphs as it reads with all changes accepted. A paragraph that
/// only moved is in neither list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    /// Paragraphs of today that would be gone: address and text, in the order of the document.
    pub lost: Vec<(String, String)>,
    /// Paragraphs that would be there again.
    pub back: Vec<(String, String)>,
}

/// Compares the document of `now` with the one of `then`.
///
/// # Errors
/// When one of them is no document.
pub fn losses(now: &[u8], then: &[u8]) -> Result<Losses, engross_docx::Error> {
    let (now, then) = (paragraphs(now)?, paragraphs(then)?);
    Ok(Losses { lost: only_in(&now, &then), back: only_in(&then, &now) })
}

fn paragraphs(bytes: &[u8]) -> Result<Vec<(String, String)>, engross_docx::Error> {
    let reading =
        WordDocument::open(bytes.to_vec(), &Limits::default())?.read(&ReadOptions::default())?.paragraphs;
    Ok(reading.into_iter().map(|paragraph| (paragraph.address, paragraph.text)).collect())
}

/// The paragraphs of `these` whose text is not, or not as often, in `others`.
fn only_in(these: &[(String, String)], others: &[(String, String)]) -> Vec<(String, String)> {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for (_, text) in others {
        *left.entry(text).or_default() += 1;
    }
    let is_new = |(_, text): &&(String, String)| match left.get_mut(text.as_str()) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => !text.is_empty(),
    };
    these.iter().filter(is_new).cloned().collect()
}
