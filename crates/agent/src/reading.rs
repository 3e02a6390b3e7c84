//! The document as text for a model, bounded in bytes.
//!
//! Must never leave anything out without saying so, and never be longer than asked for.

use engross_docx::read::{ParagraphReading, ReadOptions, Reading, notation};
use engross_docx::revisions::Comment;
use engross_docx::{Error, WordDocument};

use crate::tools::cut;

/// The note for comments that do not fit.
const WITHOUT_COMMENTS: &str = "\n(The comments are left out here because they are too long.)\n";

/// About how many bytes the name and the size of a story take.
const STORY_BYTES: usize = 48;

/// A part of the document as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadText {
    /// The notation.
    pub(crate) text: String,
    /// How many paragraphs it shows.
    pub(crate) paragraphs: usize,
}

/// Reads what `options` ask for into at most `bytes` bytes.
pub(crate) fn text(document: &WordDocument, options: &ReadOptions, bytes: usize) -> Result<ReadText, Error> {
    let reading = document.read(&ReadOptions { fingerprints: false, ..options.clone() })?;
    Ok(bounded(reading, &comments(document)?, bytes))
}

/// The paragraphs that carry one of `revisions`, each with its neighbours, in at most `bytes` bytes.
pub(crate) fn around(document: &WordDocument, revisions: &[i64], bytes: usize) -> Result<ReadText, Error> {
    let mut reading = document.read(&ReadOptions { fingerprints: false, ..ReadOptions::default() })?;
    let changed = |paragraph: &ParagraphReading| {
        paragraph.revisions.iter().any(|id| id.parse().is_ok_and(|id| revisions.contains(&id)))
    };
    let changed: Vec<bool> = reading.paragraphs.iter().map(changed).collect();
    let mut index = 0_usize;
    reading.paragraphs.retain(|_| {
        let nearby = changed.get(index.saturating_sub(1)..changed.len().min(index + 2));
        index += 1;
        nearby.is_some_and(|nearby| nearby.contains(&true))
    });
    Ok(bounded(reading, &[], bytes))
}

/// As much of `reading` as fits. What does not is told by a cursor, or by a mark where a text is cut.
pub(crate) fn bounded(mut reading: Reading, comments: &[Comment], bytes: usize) -> ReadText {
    let mut comments = comments;
    let mut left_out = "";
    // Where there is room for little, it is for the text.
    if reading.stories.len().saturating_mul(STORY_BYTES) > bytes / 4 {
        reading.stories.clear();
    }
    loop {
        let text = notation(&reading, comments);
        let excess = (text.len() + left_out.len()).saturating_sub(bytes);
        if excess == 0 {
            return ReadText { text: text + left_out, paragraphs: reading.paragraphs.len() };
        }
        let of_comments = text.len() - notation(&reading, &[]).len();
        if !comments.is_empty() && (of_comments > bytes / 2 || reading.paragraphs.len() <= 1) {
            comments = &[];
            left_out = WITHOUT_COMMENTS;
            continue;
        }
        match reading.paragraphs.as_mut_slice() {
            [] => return ReadText { text: cut(&text, bytes), paragraphs: 0 },
            [only] => {
                only.text = cut(&only.text, only.text.len().saturating_sub(excess));
                let text = notation(&reading, comments) + left_out;
                return ReadText { text: cut(&text, bytes), paragraphs: 1 };
            }
            _ => shorten(&mut reading, excess),
        }
    }
}

/// Drops paragraphs at the end: as many as it takes by their text alone, one at least.
fn shorten(reading: &mut Reading, excess: usize) {
    let mut dropped = 0;
    while reading.paragraphs.len() > 1 && dropped < excess {
        if let Some(paragraph) = reading.paragraphs.pop() {
            dropped += paragraph.text.len() + 1;
            reading.cursor = Some(paragraph.address);
        }
    }
}

/// All comments of the document.
fn comments(document: &WordDocument) -> Result<Vec<Comment>, Error> {
    Ok(document.comments()?.into_iter().map(|placed| placed.comment).collect())
}
