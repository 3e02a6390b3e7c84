//! Stories as numbered paragraphs: all of one, those that a search finds, or as many as there is room for.
//!
//! Must never change the document.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use engross_xml::{Document, NodeId};

use super::routes::find_story;
use super::{EVERYWHERE, LoadedStory, WordDocument};
use crate::error::Error;
use crate::model::{View, paragraphs};
use crate::names::{BOOKMARK_START, NAME};
use crate::parts::relationships;
use crate::read::{
    LabelSources, ParagraphReading, ReadDetail, ReadOptions, Reading, Sources, StoryPart, StorySize,
    read_story, story_root, without_object_labels,
};
use crate::text::{Finder, LetterCase, MatchRules};

impl WordDocument {
    /// Reads a story.
    ///
    /// # Errors
    /// When there is no such story or cursor, a pattern is none, or another part cannot be read.
    pub fn read(&self, options: &ReadOptions) -> Result<Reading, Error> {
        let searches = options.search.is_some() || options.pattern.is_some();
        // Who looks for words means all of the document, unless a story is named.
        let story = options.story.as_deref().or(searches.then_some(EVERYWHERE));
        let detail = ReadDetail { labels: options.labels, fingerprints: options.fingerprints };
        let (mut all, mut total) = self.read_paragraphs(story, options.view, detail)?;
        if options.story.is_none() {
            total = self.paragraph_count();
        }
        if let Some(from) = &options.from {
            let number = from.trim_start_matches('[').trim_end_matches(']');
            let index = number.strip_prefix('P').unwrap_or(number).parse().ok();
            let start = all.iter().position(|paragraph| {
                // The view may not show the paragraph itself.
                paragraph.address == number
                    || paragraph.address.starts_with('P')
                        && index.is_some_and(|index: usize| {
                            (index..=total).contains(&paragraph.index) && index > 0
                        })
            });
            let Some(start) = start else { return Err(Error::InvalidCursor { cursor: from.clone() }) };
            all.drain(..start);
        }
        // Before a page is made of it: the body is as long as it is.
        let is_first = options.story.is_none() && options.from.is_none() && !searches;
        let stories = if is_first { self.story_sizes(&all)? } else { Vec::new() };
        let mut note = None;
        if let Some(finder) = finder(options)? {
            let hit = |paragraph: &ParagraphReading| is_hit(&finder, paragraph);
            all.retain(hit);
            if all.is_empty() {
                note = self.found_elsewhere(story, options.view, &finder)?;
            }
        }
        let mut cursor = None;
        let most = options.max_bytes.map(|bytes| count_within(&all, bytes));
        let most = [options.limit, most].into_iter().flatten().min();
        if let Some(most) = most.filter(|most| *most < all.len()) {
            cursor = all.get(most).map(|paragraph| paragraph.address.clone());
            all.truncate(most);
        }
        let view = match options.view {
            View::Original => "original",
            View::Markup => "markup",
            _ => "accepted",
        };
        Ok(Reading { revision: self.revision(), view, stories, paragraphs: all, cursor, total, note })
    }

    /// Where a search that found nothing would have found something: text that a pending revision deletes or inserts.
    fn found_elsewhere(
        &self,
        story: Option<&str>,
        view: View,
        finder: &Finder,
    ) -> Result<Option<String>, Error> {
        let (other, told) = match view {
            View::Original => (View::Accepted, "a pending revision inserts it; read with the accepted view"),
            _ => (View::Original, "a pending revision deletes it; read with the original view"),
        };
        let (elsewhere, _) = self.read_paragraphs(story, other, ReadDetail::NONE)?;
        let hits = elsewhere.into_iter().filter(|paragraph| is_hit(finder, paragraph));
        let places: Vec<String> = hits.take(5).map(|paragraph| paragraph.address).collect();
        let note = || {
            format!("'{}' is in no text of this view, but in {}: {told}", finder.shown(), places.join(", "))
        };
        Ok((!places.is_empty()).then(note))
    }

    /// The stories of the document with their sizes; none where there is only the body, `body` as read.
    fn story_sizes(&self, body: &[ParagraphReading]) -> Result<Vec<StorySize>, Error> {
        let size = |name: &str, paragraphs: &[ParagraphReading]| StorySize {
            name: name.to_owned(),
            paragraphs: paragraphs.len(),
            characters: paragraphs.iter().map(|paragraph| paragraph.text.chars().count()).sum(),
        };
        let mut sizes = vec![size("body", body)];
        let mut shown: BTreeSet<(String, String)> = BTreeSet::new();
        for story in self.stories()? {
            // A header that several sections show is one.
            if shown.insert((story.part.clone(), story.key.clone())) {
                let (paragraphs, _) =
                    self.read_paragraphs(Some(&story.name), View::Accepted, ReadDetail::NONE)?;
                sizes.push(size(&story.name, &paragraphs));
            }
        }
        Ok(if sizes.len() > 1 { sizes } else { Vec::new() })
    }

    /// The paragraphs of a story, the body without, of all stories of a kind, or of all; and how many there are, with those that
    /// the view does not show.
    pub(super) fn read_paragraphs(
        &self,
        story: Option<&str>,
        view: View,
        detail: ReadDetail,
    ) -> Result<(Vec<ParagraphReading>, usize), Error> {
        let wanted = story.unwrap_or("body");
        let (mut all, mut total) = match wanted {
            "body" | EVERYWHERE => {
                self.read_in(&self.tree, self.body, (&self.main_name, ""), (view, detail))?
            }
            _ => (Vec::new(), 0),
        };
        let stories = match wanted {
            "body" => Vec::new(),
            EVERYWHERE => self.every_story()?,
            _ => self.stories_named(wanted)?,
        };
        for (story, part) in stories {
            let document = part.as_deref().unwrap_or(&self.tree);
            if let Some(root) = story_root(document, &story) {
                let (own, count) =
                    self.read_in(document, root, (&story.part, &story.name), (view, detail))?;
                all.extend(own);
                total += count;
            }
        }
        Ok((all, total))
    }

    /// The paragraphs of the story `name` (empty: the body) of a part.
    fn read_in(
        &self,
        document: &Document,
        root: NodeId,
        (part, name): (&str, &str),
        (view, detail): (View, ReadDetail),
    ) -> Result<(Vec<ParagraphReading>, usize), Error> {
        let relationships = match part == self.main_name {
            true => Cow::Borrowed(&self.relationships),
            false => Cow::Owned(relationships(&self.package, part, &self.limits.xml)?),
        };
        let (bookmarks, numbers) = (OnceCell::new(), OnceCell::new());
        let told = LabelSources {
            bookmark: &|name| {
                let known = bookmarks.get_or_init(|| self.bookmark_places());
                known.get(&name.to_lowercase()).cloned()
            },
            address: &|id| {
                relationships.iter().find(|known| known.id == id).map(|known| known.target.clone())
            },
            control: &|node| {
                // What cannot be read has no numbers.
                let known = numbers.get_or_init(|| self.control_numbers(part).unwrap_or_default());
                known.get(&node).copied()
            },
        };
        let sources = Sources {
            document,
            styles: &self.styles,
            numbering: &self.numbering,
            revision_names: &|id| id.to_string(),
            labels: detail.labels.then_some(told),
            fingerprints: detail.fingerprints,
        };
        Ok(read_story(sources, root, name, view))
    }

    /// The addresses of the paragraphs of the body in which bookmarks begin, by their names in small letters; the first of a name.
    pub(super) fn bookmark_places(&self) -> HashMap<String, String> {
        let paragraphs = paragraphs(&self.tree, self.body);
        let last = paragraphs.len();
        // Those of text boxes are stories of their own, and not counted.
        let numbers: HashMap<NodeId, usize> = paragraphs.into_iter().zip(1..).collect();
        let mut found = HashMap::new();
        let mut number = 0;
        for node in self.tree.descendants(self.body) {
            if let Some(known) = numbers.get(&node) {
                number = *known;
            } else if self.tree.name(node) == BOOKMARK_START {
                let within = self.tree.ancestors(node).find_map(|above| numbers.get(&above));
                let place = within.copied().unwrap_or((number + 1).min(last));
                let name = self.tree.attribute(node, NAME).unwrap_or_default().to_lowercase();
                found.entry(name).or_insert_with(|| format!("P{place}"));
            }
        }
        found
    }

    /// Stories of that name (`footnote:3`), or of that kind (`footnotes`), with their part unless it is the main one.
    fn stories_named(&self, wanted: &str) -> Result<Vec<LoadedStory<'_>>, Error> {
        let stories = self.stories()?;
        let kind = wanted.strip_suffix("es").filter(|kind| *kind == "textbox").or(wanted.strip_suffix('s'));
        let fits = |story: &&StoryPart| story.name == wanted || kind.is_some_and(|kind| story.kind() == kind);
        let mut chosen: Vec<StoryPart> = stories.iter().filter(fits).cloned().collect();
        if chosen.is_empty() {
            chosen.extend(find_story(&stories, wanted).cloned());
        }
        if chosen.is_empty() {
            let mut known: Vec<&str> =
                std::iter::once("body").chain(stories.iter().map(|s| s.name.as_str())).collect();
            known.truncate(20);
            return Err(Error::UnknownStory { name: wanted.to_owned(), known: known.join(", ") });
        }
        chosen.into_iter().map(|story| self.with_part(story)).collect()
    }

    /// All stories besides the body, each once.
    fn every_story(&self) -> Result<Vec<LoadedStory<'_>>, Error> {
        let mut shown: BTreeSet<(String, String)> = BTreeSet::new();
        let stories = self.stories()?.into_iter();
        let once = stories.filter(|story| shown.insert((story.part.clone(), story.key.clone())));
        once.map(|story| self.with_part(story)).collect()
    }

    fn with_part(&self, story: StoryPart) -> Result<LoadedStory<'_>, Error> {
        let part = if story.part == self.main_name { None } else { Some(self.story_tree(&story.part)?) };
        Ok((story, part))
    }
}

/// What the options look for, if for anything; case aside.
fn finder(options: &ReadOptions) -> Result<Option<Finder>, Error> {
    let rules = MatchRules { case: LetterCase::Ignored, whole_words: false };
    match (&options.pattern, &options.search) {
        (Some(pattern), _) => match Finder::pattern(pattern, rules) {
            Ok(finder) => Ok(Some(finder)),
            Err(message) => Err(Error::InvalidPattern { message }),
        },
        (None, Some(words)) => Ok(Some(Finder::words(words.clone(), rules))),
        (None, None) => Ok(None),
    }
}

/// Whether a paragraph has it. What a label shows is text between other text.
fn is_hit(finder: &Finder, paragraph: &ParagraphReading) -> bool {
    !finder.find(&without_object_labels(&paragraph.text)).is_empty()
}

/// Bytes of a paragraph besides its text, where it is read as a line.
const TAGS: usize = 24;

/// How many paragraphs have room in so many bytes; one always has.
fn count_within(paragraphs: &[ParagraphReading], bytes: usize) -> usize {
    let mut room = bytes;
    let fits = paragraphs.iter().take_while(|paragraph| {
        let size = paragraph.text.len() + TAGS;
        let fits = size <= room;
        room = room.saturating_sub(size);
        fits
    });
    fits.count().max(1)
}
