//! What differs between two states of a document, and how a change set is taken back.
//!
//! Must never guess which change a paragraph came from: it compares what stands there with what stood there.

use std::collections::{BTreeSet, HashMap};

use engross_docx::read::ReadOptions;
use engross_docx::revisions::PlacedRevision;
use engross_docx::revisions::{Choice, Side};
use engross_docx::{Limits, Tracking, WordDocument};

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
    // What a label tells of other paragraphs is no text of this one.
    let options = ReadOptions { labels: false, fingerprints: false, ..ReadOptions::default() };
    let reading = WordDocument::open(bytes.to_vec(), &Limits::default())?.read(&options)?.paragraphs;
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

/// What tells a tracked change from all others, in whatever state of the document: part, number, author, date, kind.
pub type RevisionKey = (String, Option<i64>, String, Option<String>, String);

fn key(placed: &PlacedRevision) -> RevisionKey {
    let stamp = &placed.revision.stamp;
    let kind = format!("{:?}", placed.revision.kind);
    (placed.part.clone(), stamp.id, stamp.author.clone(), stamp.date.clone(), kind)
}

/// The tracked changes that the document of `after` has and the one of `before` has not.
///
/// # Errors
/// When one of them is no document.
pub fn new_revisions(after: &[u8], before: &[u8]) -> Result<BTreeSet<RevisionKey>, engross_docx::Error> {
    let keys = |bytes: &[u8]| -> Result<BTreeSet<RevisionKey>, engross_docx::Error> {
        let document = WordDocument::open(bytes.to_vec(), &Limits::default())?;
        Ok(document.revisions()?.iter().map(key).collect())
    };
    let old = keys(before)?;
    Ok(keys(after)?.into_iter().filter(|key| !old.contains(key)).collect())
}

/// What became of taking a change set back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakenBack {
    /// The document without it, and how many tracked changes it had.
    Done(Vec<u8>, usize),
    /// None of its changes is left.
    NoneLeft,
    /// It went on with earlier changes of its author, so that it cannot be told from these any more, and the document was changed
    /// since.
    Merged,
}

/// The document of `now` without the tracked changes that came between `before` and `after`; later ones stay.
///
/// # Errors
/// When one of them is no document, or the rest cannot be proven.
pub fn without_change_set(now: &[u8], before: &[u8], after: &[u8]) -> Result<TakenBack, engross_docx::Error> {
    let meant = new_revisions(after, before)?;
    if !new_revisions(before, after)?.is_empty() {
        // Earlier changes are gone: they are one redline with these.
        let is_last = now == after;
        return Ok(if is_last { TakenBack::Done(before.to_vec(), meant.len()) } else { TakenBack::Merged });
    }
    let mut document = WordDocument::open(now.to_vec(), &Limits::default())?;
    let revisions = document.revisions()?.into_iter().filter(|placed| meant.contains(&key(placed)));
    let ids: Vec<String> = revisions.map(|placed| placed.id).collect();
    if ids.is_empty() {
        return Ok(TakenBack::NoneLeft);
    }
    let count = ids.len();
    document.resolve(Side::Reject, &Choice { ids, ..Choice::default() })?;
    Ok(TakenBack::Done(document.save(Tracking::Tracked)?.bytes, count))
}
