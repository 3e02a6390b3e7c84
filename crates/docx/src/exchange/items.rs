//! A document as rows of items, one row for each story: its paragraphs, and the beginnings and ends of what stands around them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use engross_xml::{Document, NodeId, NodeKind};

use crate::document::WordDocument;
use crate::error::Error;
use crate::model::is_range_marker;
use crate::names::{NUM_ID, P, P_PR, R_PR, SECT_PR, TBL_GRID, VAL};
use crate::read::{StoryPart, story_root};
use crate::signature::{Signer, Targets, list_definitions, number_of, relation_number};

/// A story, and what it says.
pub(crate) struct StoryItems<'a> {
    /// `body`, or as addresses name it.
    pub(crate) name: String,
    /// The part it stands in.
    pub(crate) part: String,
    pub(crate) tree: Cow<'a, Document>,
    pub(crate) root: NodeId,
    pub(crate) targets: Targets,
    pub(crate) items: Vec<Item>,
}

/// A paragraph, or an edge of what stands around paragraphs.
pub(crate) struct Item {
    /// Equal numbers mean equal to a reader.
    pub(crate) number: u64,
    pub(crate) node: NodeId,
    /// Which of the story's paragraphs it is, counted from 1.
    pub(crate) paragraph: Option<usize>,
}

impl StoryItems<'_> {
    pub(super) fn signer(&self) -> Signer<'_> {
        signer(&self.tree, &self.targets)
    }

    pub(super) fn numbers(&self) -> Vec<u64> {
        self.items.iter().map(|item| item.number).collect()
    }

    /// The paragraphs among some of its items: the first and the last.
    pub(super) fn paragraphs(&self, range: std::ops::Range<usize>) -> Option<(usize, usize)> {
        let mut numbers = self.items.get(range).unwrap_or_default().iter().filter_map(|item| item.paragraph);
        let first = numbers.next()?;
        Some((first, numbers.next_back().unwrap_or(first)))
    }
}

fn signer<'a>(document: &'a Document, targets: &'a Targets) -> Signer<'a> {
    Signer { with_revisions: true, with_boxes: false, ..Signer::new(document, targets) }
}

/// All stories but comments, each once, the body first.
pub(super) fn stories(document: &WordDocument) -> Result<Vec<StoryItems<'_>>, Error> {
    let definitions = match document.related("numbering")? {
        Some(part) => list_definitions(&part),
        None => std::collections::BTreeMap::new(),
    };
    let body = StoryPart {
        name: "body".to_owned(),
        part: document.main_name.clone(),
        key: String::new(),
        sections: 1,
    };
    let mut shown: BTreeSet<(String, String)> = BTreeSet::new();
    let mut all = Vec::new();
    for story in std::iter::once(body).chain(document.stories()?) {
        if story.kind() == "comment" || !shown.insert((story.part.clone(), story.key.clone())) {
            continue;
        }
        let is_main = story.part == document.main_name;
        let tree = match is_main {
            true => Cow::Borrowed(&document.tree),
            false => document.story_tree(&story.part)?,
        };
        let root = match (is_main, story.key.is_empty()) {
            (true, true) => Some(document.body),
            _ => story_root(&tree, &story),
        };
        let Some(root) = root else { continue };
        let relations = document.relationships_of(if is_main { "" } else { &story.part })?;
        let links = relations.iter().map(|own| {
            let xml = (!own.external).then(|| document.story_tree(&own.target).ok()).flatten();
            // The same chart may be written with another declaration.
            let number = match xml {
                Some(part) => Signer::new(&part, &Targets::default()).whole(part.root()),
                None => relation_number(&document.package, &own.kind, (&own.target, own.external)),
            };
            (own.id.clone(), number)
        });
        let targets = Targets {
            links: links.collect(),
            lists: lists(&tree, root, &definitions),
            notes: HashMap::new(),
            styles: HashMap::new(),
            without_formats: false,
        };
        let items = items(&tree, root, &targets);
        all.push(StoryItems { name: story.name, part: story.part, tree, root, targets, items });
    }
    Ok(all)
}

/// The lists of a story: what each is, and the how manieth it is to appear.
fn lists(
    document: &Document,
    root: NodeId,
    definitions: &std::collections::BTreeMap<String, Vec<u64>>,
) -> HashMap<String, u64> {
    let mut found: HashMap<String, u64> = HashMap::new();
    for node in document.descendants(root).filter(|node| document.name(*node) == NUM_ID) {
        let id = document.attribute(node, VAL).unwrap_or_default();
        if let Some(definition) = definitions.get(&*id) {
            let rank = found.len();
            found.entry(id.into_owned()).or_insert_with(|| number_of(34, &format!("{rank} {definition:?}")));
        }
    }
    found
}

fn items(document: &Document, root: NodeId, targets: &Targets) -> Vec<Item> {
    let mut walk = Walk { document, signer: signer(document, targets), items: Vec::new(), paragraphs: 0 };
    walk.container(root);
    walk.items
}

struct Walk<'a> {
    document: &'a Document,
    signer: Signer<'a>,
    items: Vec<Item>,
    paragraphs: usize,
}

impl Walk<'_> {
    // Depth is bounded by the XML parser's limit.
    fn container(&mut self, container: NodeId) {
        let document = self.document;
        for child in document.children(container) {
            let name = document.name(child);
            let local = document.local_name(name);
            if document.kind(child) != NodeKind::Element || is_range_marker(name) {
                continue;
            }
            match name {
                P => {
                    self.paragraphs += 1;
                    let (number, _) = self.signer.paragraph(child);
                    self.items.push(Item { number, node: child, paragraph: Some(self.paragraphs) });
                }
                SECT_PR => self.edge(child, self.signer.properties(Some(child))),
                P_PR | R_PR | TBL_GRID => {}
                _ if local.ends_with("Pr") || local.ends_with("PrEx") => {}
                _ => {
                    self.edge(child, self.signer.shell(child));
                    self.container(child);
                    self.edge(child, 0);
                }
            }
        }
    }

    fn edge(&mut self, node: NodeId, number: u64) {
        self.items.push(Item { number, node, paragraph: None });
    }
}
