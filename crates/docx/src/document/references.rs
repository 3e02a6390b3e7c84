//! The references of a document: its stories' trees, what leads where, and typed references whose number is another one.
//!
//! Must never change the document.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use engross_xml::Document;

use super::WordDocument;
use crate::model::{Atom, Barrier, View};
use crate::names::{MOVE_FROM, MOVE_FROM_RANGE_START, MOVE_TO, MOVE_TO_RANGE_START, NAME};
use crate::read::story_root;
use crate::references::{
    PlacedStory, ProvisionKind, References, Story, StoryTrees, key_of, typed_number, typed_references,
};

/// A typed reference whose provision has another number, or none, once all is accepted.
pub(crate) struct StaleReference {
    /// The place of its story in the list.
    pub(crate) story: usize,
    /// Its paragraph, from 0.
    pub(crate) paragraph: usize,
    /// Its number, in bytes of the paragraph's text.
    pub(crate) range: Range<usize>,
    /// What it says: `Clause 11.2`.
    pub(crate) says: String,
    /// The number that it should say; none when the provision is gone.
    pub(crate) now: Option<String>,
    /// The word before its number.
    pub(crate) word: String,
}

impl WordDocument {
    /// The trees of all stories as they are now.
    pub(crate) fn story_trees(&self) -> StoryTrees<'_> {
        let mut others: BTreeMap<String, Cow<'_, Document>> = BTreeMap::new();
        let mut stories = Vec::new();
        for story in self.stories().unwrap_or_default() {
            if story.part != self.main_name && !others.contains_key(&story.part) {
                let Ok(tree) = self.story_tree(&story.part) else { continue };
                others.insert(story.part.clone(), tree);
            }
            let tree = others.get(&story.part).map_or(&self.tree, |tree| tree);
            if let Some(root) = story_root(tree, &story) {
                stories.push((story, root));
            }
        }
        StoryTrees { main: (&self.main_name, &self.tree, self.body), others, stories }
    }

    /// All bookmarks and references in one view.
    pub(crate) fn references(&self, trees: &StoryTrees<'_>, view: View) -> References {
        References::read(trees, view, (&self.styles, &self.numbering))
    }

    /// The typed references that stood in the text before all pending revisions, and whose provision has another number when
    /// they are accepted.
    pub(crate) fn stale_references(
        &self,
        trees: &StoryTrees<'_>,
        accepted: &References,
    ) -> Vec<StaleReference> {
        let original = self.references(trees, View::Original);
        let (Some(before), Some(after)) = (original.stories.first(), accepted.stories.first()) else {
            return Vec::new();
        };
        let moves = Renumbering::of(&self.tree, before, after);
        if moves.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for (at, placed) in accepted.stories.iter().enumerate() {
            let tree = trees.tree(&placed.part);
            let mut division = 0;
            for paragraph in 0..placed.story.paragraphs.len() {
                if at == 0 {
                    division = moves.divisions.get(&paragraph).copied().unwrap_or(division);
                }
                let Some(model) = placed.story.model(tree, paragraph) else { continue };
                for reference in typed_references(&model.text) {
                    let Some(now) = moves.new_number(reference.kind, &reference.number, division) else {
                        continue;
                    };
                    let stood =
                        model.overlapping(reference.range.clone()).all(|atom| stood_before(tree, atom));
                    if stood {
                        found.push(StaleReference {
                            story: at,
                            paragraph,
                            says: format!("{} {}", reference.word, reference.number),
                            range: reference.range,
                            now,
                            word: reference.word,
                        });
                    }
                }
            }
        }
        found
    }
}

/// Whether text is neither new nor the result of a field, which changes by itself.
fn stood_before(tree: &Document, atom: &Atom) -> bool {
    let is_field = matches!(atom.barrier, Some(Barrier::Field(_)));
    !is_field && atom.inserted.is_none_or(|inserted| tree.name(inserted) == MOVE_TO)
}

type Key = (ProvisionKind, String);

/// Which provision got which number.
struct Renumbering {
    /// By kind and old number: the provisions, with their division and their new number.
    provisions: HashMap<Key, Vec<(usize, Option<String>)>>,
    /// By paragraph that begins one: the number of the division, the main text being 0.
    divisions: HashMap<usize, usize>,
}

impl Renumbering {
    fn of(tree: &Document, before: &PlacedStory, after: &PlacedStory) -> Self {
        let copies = moved_paragraphs(tree, &before.story);
        let mut all = Self { provisions: HashMap::new(), divisions: HashMap::new() };
        let contents = before.story.contents_lines(tree);
        let mut division = 0;
        let mut is_changed = false;
        for paragraph in (0..before.story.paragraphs.len()).filter(|at| !contents.contains(at)) {
            let Some((kind, old)) = number_of(tree, before, paragraph) else { continue };
            if matches!(kind, ProvisionKind::Attachment(_)) {
                division += 1;
                all.divisions.insert(paragraph, division);
            }
            let place = copies
                .get(&paragraph)
                .copied()
                .unwrap_or_else(|| stands_at(tree, (before, after), paragraph));
            let now = number_of(tree, after, place).map(|(_, number)| number);
            is_changed |= now.as_deref() != Some(old.as_str());
            all.provisions.entry((kind, key_of(&old))).or_default().push((division, now));
        }
        if is_changed { all } else { Self { provisions: HashMap::new(), divisions: HashMap::new() } }
    }

    fn is_empty(&self) -> bool {
        self.provisions.is_empty()
    }

    /// The number that a reference should name, if that is another one: `Some(None)` when its provision is gone.
    fn new_number(&self, kind: ProvisionKind, number: &str, division: usize) -> Option<Option<String>> {
        let own = match kind {
            ProvisionKind::Paragraph => division,
            _ => 0,
        };
        let kind = if kind == ProvisionKind::Paragraph { ProvisionKind::Provision } else { kind };
        // Of `4.2(b)` perhaps only `4.2` is a number of a paragraph.
        let mut head = number;
        let (tail, known) = loop {
            if let Some(known) = self.provisions.get(&(kind, key_of(head))) {
                break (number.get(head.len()..).unwrap_or_default(), known);
            }
            head = head.get(..head.rfind('(')?)?;
        };
        let is_near =
            |known: &&(usize, Option<String>)| matches!(kind, ProvisionKind::Attachment(_)) || known.0 == own;
        let mut near = known.iter().filter(is_near);
        let first = near.next().or_else(|| known.first().filter(|_| known.len() == 1))?;
        // Of several with one number nobody can say which is meant, unless all went the same way.
        if near.any(|other| other.1 != first.1) {
            return None;
        }
        match &first.1 {
            Some(now) if key_of(now) == key_of(head) => None,
            Some(now) => Some(Some(format!("{now}{tail}"))),
            None => Some(None),
        }
    }
}

/// Where the text of a paragraph stands now. What is typed behind the last one of a container takes its end, so that its text stands in
/// a new element.
fn stands_at(tree: &Document, (before, after): (&PlacedStory, &PlacedStory), paragraph: usize) -> usize {
    let members = before.story.members(paragraph);
    if members.start() == members.end() {
        return paragraph;
    }
    let has_old_text = |at: &usize| {
        let model = after.story.owner(*at).and_then(|owner| after.story.model(tree, owner));
        model.is_some_and(|model| {
            model.visible().any(|atom| !atom.range.is_empty() && atom.inserted.is_none())
        })
    };
    members.rev().find(has_old_text).unwrap_or(paragraph)
}

/// The number of a provision in the view of its story: that of its list, else the one that was typed.
fn number_of(tree: &Document, placed: &PlacedStory, paragraph: usize) -> Option<Key> {
    let story = &placed.story;
    if story.owner(paragraph) != Some(paragraph) {
        return None;
    }
    if let Some(number) = placed.labels.typed(paragraph) {
        // `SCHEDULE 1` may be the number of a list.
        let bare = number.rsplit(char::is_whitespace).next().unwrap_or(&number).to_owned();
        let kind = typed_number(&number).map_or(ProvisionKind::Provision, |(kind, _)| kind);
        return Some((kind, bare));
    }
    let text = story.text(tree, paragraph);
    typed_number(&text)
}

/// For each paragraph that a pending revision moves, the one in which its copy stands.
fn moved_paragraphs(tree: &Document, story: &Story) -> HashMap<usize, usize> {
    let mut sources: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let mut copies: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    let (mut from, mut to): (Option<String>, Option<String>) = (None, None);
    for (at, node) in story.paragraphs.iter().enumerate() {
        for below in tree.descendants(*node) {
            let name = || Some(tree.attribute(below, NAME)?.into_owned());
            match tree.name(below) {
                MOVE_FROM_RANGE_START => from = name(),
                MOVE_TO_RANGE_START => to = name(),
                _ => {}
            }
        }
        let holds = |wanted| tree.descendants(*node).any(|below| tree.name(below) == wanted);
        if let Some(name) = from.clone().filter(|_| holds(MOVE_FROM)) {
            sources.entry(name).or_default().push(at);
        }
        if let Some(name) = to.clone().filter(|_| holds(MOVE_TO)) {
            copies.entry(name).or_default().push(at);
        }
    }
    let mut pairs = HashMap::new();
    for (name, sources) in sources {
        let copies = copies.remove(&name).unwrap_or_default();
        if copies.len() == sources.len() {
            pairs.extend(sources.into_iter().zip(copies));
        }
    }
    pairs
}
