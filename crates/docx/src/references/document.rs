//! References over all stories: what each leads to, what it shows, and what it should show.
//!
//! Must never change a tree. A part that cannot be read refers to nothing.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use super::instruction::{NumberContext, Shows};
use super::labels::Labels;
use super::story::{Bookmark, Field, Leaf, Story};
use crate::model::{OBJECT, View};
use crate::names::{BOOKMARK_START, NAME};
use crate::numbering::Numbering;
use crate::read::StoryPart;
use crate::styles::Styles;

/// The trees of a document's stories, each part once.
pub(crate) struct StoryTrees<'a> {
    pub(crate) main: (&'a str, &'a Document, NodeId),
    pub(crate) others: BTreeMap<String, Cow<'a, Document>>,
    /// All stories but the body, with their roots.
    pub(crate) stories: Vec<(StoryPart, NodeId)>,
}

impl StoryTrees<'_> {
    pub(crate) fn tree(&self, part: &str) -> &Document {
        let (_, main, _) = self.main;
        self.others.get(part).map_or(main, |tree| tree)
    }

    /// Whether any story holds a bookmark of that name, seen in one view or not. Names differ by more than their case.
    pub(crate) fn has_bookmark(&self, name: &str) -> bool {
        let (_, main, _) = self.main;
        let name = name.to_lowercase();
        std::iter::once(main).chain(self.others.values().map(|tree| &**tree)).any(|tree| {
            tree.descendants(tree.root()).any(|node| {
                tree.name(node) == BOOKMARK_START
                    && tree.attribute(node, NAME).is_some_and(|known| known.to_lowercase() == name)
            })
        })
    }
}

/// A story with the part it stands in.
pub(crate) struct PlacedStory {
    pub(crate) part: String,
    pub(crate) story: Story,
    pub(crate) labels: Labels,
}

/// The references of a document in one view.
pub(crate) struct References {
    /// The body first.
    pub(crate) stories: Vec<PlacedStory>,
}

/// A field that shows something else than it should.
pub(crate) struct OutdatedField<'a> {
    /// The place of its story in the list.
    pub(crate) story: usize,
    pub(crate) field: &'a Field,
    /// What it shows.
    pub(crate) result: Vec<Leaf>,
    /// What it should show.
    pub(crate) expected: String,
}

/// What a reference leads to.
pub(crate) struct Target<'a> {
    /// The place of its story in the list.
    pub(crate) story: usize,
    pub(crate) bookmark: &'a Bookmark,
    /// The paragraph in which the bookmark begins; nothing when it went with a row.
    pub(crate) owner: Option<usize>,
}

impl References {
    pub(crate) fn read(
        trees: &StoryTrees<'_>,
        view: View,
        (styles, numbering): (&Styles, &Numbering),
    ) -> Self {
        let (main_name, main, body) = trees.main;
        let read = |part: &str, tree: &Document, root: NodeId, prefix: &str| {
            let story = Story::read(tree, root, prefix, view);
            let labels = Labels::read(tree, &story, styles, numbering);
            PlacedStory { part: part.to_owned(), story, labels }
        };
        let mut stories = vec![read(main_name, main, body, "")];
        let others = trees.stories.iter();
        stories.extend(others.map(|(story, root)| {
            read(&story.part, trees.tree(&story.part), *root, &format!("{}/", story.name))
        }));
        Self { stories }
    }

    /// Every field and link that stands in the view, with its story.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (usize, &PlacedStory, &Field)> {
        let fields = |(at, placed)| move |field| (at, placed, field);
        self.stories.iter().enumerate().flat_map(move |(at, placed): (usize, &PlacedStory)| {
            placed.story.fields.iter().map(fields((at, placed)))
        })
    }

    /// The bookmark of that name.
    pub(crate) fn target(&self, name: &str) -> Option<Target<'_>> {
        self.stories.iter().enumerate().find_map(|(at, placed)| {
            let bookmark = placed.story.bookmark(name)?;
            Some(Target { story: at, bookmark, owner: placed.story.owner(bookmark.first) })
        })
    }

    /// Whether the paragraph in which the bookmark begins has a number.
    pub(crate) fn has_number(&self, target: &Target<'_>) -> bool {
        let story = self.stories.get(target.story);
        let number = |placed: &PlacedStory| placed.labels.reference(target.owner?, NumberContext::Full, None);
        story.and_then(number).is_some()
    }

    /// What stands in a bookmark.
    pub(crate) fn content(&self, trees: &StoryTrees<'_>, target: &Target<'_>) -> Vec<Leaf> {
        let Some(placed) = self.stories.get(target.story) else { return Vec::new() };
        placed.story.content(trees.tree(&placed.part), target.bookmark)
    }

    /// What a reference should show: the words or the number of its target. Nothing when only Word can know, as with pages.
    pub(crate) fn expected(&self, trees: &StoryTrees<'_>, at: usize, field: &Field) -> Option<String> {
        let instruction = &field.instruction;
        if instruction.name() != "REF" || instruction.has_switch('p') || instruction.has_switch('f') {
            return None;
        }
        let target = self.target(instruction.bookmark()?)?;
        let text = match instruction.shows() {
            Shows::Text => {
                let content = self.content(trees, &target);
                let paragraph = content.first()?.paragraph;
                let is_one = content.iter().all(|leaf| leaf.paragraph == paragraph);
                Some(content.iter().map(|leaf| leaf.text.as_str()).collect::<String>())
                    .filter(|text| is_one && !text.contains([OBJECT, '\n', '\u{B}', '\u{C}']))?
            }
            Shows::Number(context) => {
                let (from, placed) = (self.stories.get(at)?, self.stories.get(target.story)?);
                let from = Some(from)
                    .filter(|_| at == target.story)
                    .and_then(|placed| placed.story.owner(field.first));
                let number = placed.labels.reference(target.owner?, context, from)?;
                if instruction.has_switch('t') { digits_of(&number).to_owned() } else { number }
            }
            Shows::Place | Shows::Note => return None,
        };
        let form = instruction.switch_argument('*').unwrap_or_default().to_ascii_lowercase();
        match form.as_str() {
            "" | "mergeformat" | "charformat" => Some(text),
            "upper" => Some(text.to_uppercase()),
            "lower" => Some(text.to_lowercase()),
            _ => None,
        }
    }

    /// The fields that show something else than they should, each with its story, what it shows, and what it should.
    pub(crate) fn outdated(&self, trees: &StoryTrees<'_>) -> Vec<OutdatedField<'_>> {
        let sequences = self.sequences();
        let mut found = Vec::new();
        for (at, placed) in self.stories.iter().enumerate() {
            for (number, field) in placed.story.fields.iter().enumerate() {
                let expected = match sequences.get(&(at, number)) {
                    Some(count) => Some(count.clone()),
                    None => self.expected(trees, at, field),
                };
                let Some(expected) = expected.filter(|_| !placed.story.is_in_contents(field)) else {
                    continue;
                };
                let result = placed.story.result(trees.tree(&placed.part), field);
                let shown: String = result.iter().map(|leaf| leaf.text.as_str()).collect();
                if shown != expected {
                    found.push(OutdatedField { story: at, field, result, expected });
                }
            }
        }
        found
    }

    /// What the fields of sequences (`SEQ Figure`) should show, by story and place among its fields.
    pub(crate) fn sequences(&self) -> HashMap<(usize, usize), String> {
        let mut counts: HashMap<String, i64> = HashMap::new();
        let mut found = HashMap::new();
        for (at, placed) in self.stories.iter().enumerate().take(1) {
            for (number, field) in placed.story.fields.iter().enumerate() {
                let instruction = &field.instruction;
                let (true, Some(name)) = (instruction.name() == "SEQ", instruction.argument(0)) else {
                    continue;
                };
                let count = counts.entry(name.to_lowercase()).or_default();
                // Where headings or bookmarks have a say, only Word counts right.
                if instruction.has_switch('s') || instruction.argument(1).is_some() {
                    *count = i64::MIN;
                }
                match instruction.switch_argument('r').and_then(|start| start.parse().ok()) {
                    Some(start) => *count = start,
                    None if instruction.has_switch('c') => {}
                    None => *count = count.saturating_add(1),
                }
                let form = instruction.switch_argument('*').unwrap_or("ARABIC");
                let is_plain =
                    form.eq_ignore_ascii_case("arabic") || form.eq_ignore_ascii_case("mergeformat");
                if *count > 0 && is_plain && !instruction.has_switch('h') {
                    found.insert((at, number), count.to_string());
                }
            }
        }
        found
    }
}

/// A number without words before it: `Section 1.01` is `1.01`.
fn digits_of(number: &str) -> &str {
    number.rsplit(char::is_whitespace).next().unwrap_or(number)
}
