//! Whether two documents are the same but for what an editor numbers anew: ids, sessions, how text is cut into runs.

use serde::Serialize;

use super::items::{StoryItems, stories};
use crate::document::WordDocument;
use crate::error::Error;
use crate::model::{Paragraph, View, fields_at_start, paragraphs};
use crate::revisions::Side;
use crate::text::pairing::{equal_pairs, gaps};

/// The most that are told.
const MOST: usize = 50;
/// Characters of a text that are told.
const SHOWN: usize = 200;

/// A place where two documents differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// `body`, `footnote:3`, `header:default@1`.
    pub story: String,
    /// The first of the paragraphs that differ, counted from 1, in the first document; the one that would come next where it has
    /// none of them.
    pub paragraph: usize,
    /// `text` where a paragraph says something else, `format` where only its form is another, `paragraphs` where one has more of
    /// them, `structure` where tables, controls or sections differ.
    pub what: &'static str,
    /// What the first says there, cut.
    pub one: String,
    /// What the second says there, cut.
    pub other: String,
}

/// Where two documents differ, the first fifty places: equal words, form, tables, notes, headers and tracked changes are no
/// difference, whatever ids, sessions and runs they are written with. Comments and bookmarks do not count.
///
/// With a `side` both are compared as if all tracked changes were accepted, or rejected, and paragraphs are counted in that state.
///
/// ```
/// use engross_docx::{Limits, WordDocument, differences, from_markdown};
///
/// # fn main() -> Result<(), engross_docx::Error> {
/// let open = |text: &str| WordDocument::open(from_markdown(text, None, &Limits::default())?, &Limits::default());
/// let (one, other) = (open("Pay at once.")?, open("Pay at *once*.")?);
/// assert!(differences(&one, &one, None)?.is_empty());
/// assert_eq!(differences(&one, &other, None)?[0].what, "format");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// When a part cannot be read.
pub fn differences(
    one: &WordDocument,
    other: &WordDocument,
    side: Option<Side>,
) -> Result<Vec<Difference>, Error> {
    if let Some(side) = side {
        let (mut one, mut other) = (one.clone(), other.clone());
        one.resolve_all(side)?;
        other.resolve_all(side)?;
        return differences(&one, &other, None);
    }
    let (one, other) = (stories(one)?, stories(other)?);
    let mut found = Vec::new();
    for (mine, theirs) in story_pairs(&one, &other) {
        match (mine, theirs) {
            (Some(mine), Some(theirs)) => in_story(mine, theirs, &mut found),
            (mine, theirs) => {
                let text = |story: Option<&StoryItems<'_>>| {
                    story.map_or_else(String::new, |story| text(story, 0..story.items.len()))
                };
                let Some(story) = mine.or(theirs) else { continue };
                let (one, other) = (text(mine), text(theirs));
                // An empty header or note says nothing.
                if one != other {
                    let story = story.name.clone();
                    let (one, other) = (cut(&one), cut(&other));
                    found.push(Difference { story, paragraph: 1, what: "paragraphs", one, other });
                }
            }
        }
    }
    found.truncate(MOST);
    Ok(found)
}

/// The stories that belong together: those of a kind in their order, since ids of notes are given anew.
fn story_pairs<'a, 'b>(
    one: &'a [StoryItems<'b>],
    other: &'a [StoryItems<'b>],
) -> Vec<(Option<&'a StoryItems<'b>>, Option<&'a StoryItems<'b>>)> {
    let kind = |story: &StoryItems<'_>| story.name.split(':').next().unwrap_or_default().to_owned();
    let mut kinds: Vec<String> = Vec::new();
    for story in one.iter().chain(other) {
        let kind = kind(story);
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut pairs = Vec::new();
    for wanted in kinds {
        let of =
            |all: &'a [StoryItems<'b>]| all.iter().filter(|story| kind(story) == wanted).collect::<Vec<_>>();
        let (mine, theirs) = (of(one), of(other));
        for at in 0..mine.len().max(theirs.len()) {
            pairs.push((mine.get(at).copied(), theirs.get(at).copied()));
        }
    }
    pairs
}

fn in_story(one: &StoryItems<'_>, other: &StoryItems<'_>, found: &mut Vec<Difference>) {
    let (mine, theirs) = (one.numbers(), other.numbers());
    if mine == theirs {
        return;
    }
    let pairs = equal_pairs(&mine, &theirs);
    let mut next = 1;
    for (old, new) in gaps(&pairs, (mine.len(), theirs.len())) {
        let after = one.items.get(old.end).and_then(|item| item.paragraph);
        if found.len() >= MOST {
            return;
        }
        if old.is_empty() && new.is_empty() {
            next = after.map_or(next, |paragraph| paragraph + 1);
            continue;
        }
        let paragraph = one.paragraphs(old.clone()).map_or(next, |(first, _)| first);
        let count = |story: &StoryItems<'_>, range: &std::ops::Range<usize>| {
            story
                .items
                .get(range.clone())
                .unwrap_or_default()
                .iter()
                .filter(|item| item.paragraph.is_some())
                .count()
        };
        let (said, says) = (text(one, old.clone()), text(other, new.clone()));
        let (before, now) = (count(one, &old), count(other, &new));
        let what = match () {
            () if old.len() != before || new.len() != now => "structure",
            () if before != now => "paragraphs",
            () if said != says => "text",
            () => "format",
        };
        next = after.map_or(paragraph + before, |paragraph| paragraph + 1);
        let story = one.name.clone();
        found.push(Difference { story, paragraph, what, one: cut(&said), other: cut(&says) });
    }
}

/// What some items of a story say.
fn text(story: &StoryItems<'_>, range: std::ops::Range<usize>) -> String {
    let document: &engross_xml::Document = &story.tree;
    let all = paragraphs(document, story.root);
    let fields = fields_at_start(document, &all);
    let items = story.items.get(range).unwrap_or_default().iter().filter(|item| item.paragraph.is_some());
    let texts = items
        .map(|item| Paragraph::read(document, item.node, View::Markup, fields.get(&item.node)).text)
        .collect::<Vec<_>>();
    texts.join("\n")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
