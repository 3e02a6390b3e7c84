//! The stories of a document besides the body, by the names that addresses use.

use std::borrow::Cow;
use std::collections::BTreeSet;

use engross_xml::{Document, NodeId, QName};

use crate::error::Error;
use crate::names::{
    COMMENT, ENDNOTE, FALLBACK, FOOTER_REFERENCE, FOOTNOTE, HEADER_REFERENCE, ID, R_ID, SECT_PR,
    SECT_PR_CHANGE, TXBX_CONTENT, TYPE,
};
use crate::parts::Relationship;

const TEXT_BOX: &str = "textbox:";

/// A story: where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StoryPart {
    /// `footnote:3`, `header:default@2`, `textbox:1`, `header:default@2/textbox:1`, `comment:4`.
    pub(crate) name: String,
    /// The part it stands in.
    pub(crate) part: String,
    /// Which of the part's stories: the `w:id`, or `textbox:` and its number; empty for a whole part.
    pub(crate) key: String,
    /// How many sections show it.
    pub(crate) sections: usize,
}

impl StoryPart {
    /// `footnote`, `header`, `textbox` and so on.
    pub(crate) fn kind(&self) -> &str {
        let own = self.name.rsplit('/').next().unwrap_or_default();
        own.split(':').next().unwrap_or_default()
    }
}

/// All stories besides the body, with their names. `tree_of` gives a part as it is now; none when the package has no such part.
pub(crate) fn find_stories<'a>(
    main: (&str, &Document),
    relationships: &[Relationship],
    tree_of: impl Fn(&str) -> Result<Option<Cow<'a, Document>>, Error>,
) -> Result<Vec<StoryPart>, Error> {
    let (main_name, document) = main;
    let mut stories = headers_and_footers(document, relationships);
    let mut boxes = Vec::new();
    for story in &stories {
        let is_new = boxes.iter().all(|known: &StoryPart| known.part != story.part);
        if is_new && let Some(part) = tree_of(&story.part)? {
            boxes.extend((1..=text_boxes(&part).len()).map(|number| StoryPart {
                name: format!("{}/{TEXT_BOX}{number}", story.name),
                key: format!("{TEXT_BOX}{number}"),
                ..story.clone()
            }));
        }
    }
    stories.append(&mut boxes);
    for relationship in relationships.iter().filter(|relationship| !relationship.external) {
        let (element, prefix) = match relationship.kind.as_str() {
            "footnotes" => (FOOTNOTE, "footnote"),
            "endnotes" => (ENDNOTE, "endnote"),
            "comments" => (COMMENT, "comment"),
            _ => continue,
        };
        let Some(part) = tree_of(&relationship.target)? else { continue };
        for node in part.children(part.root()).filter(|node| part.name(*node) == element) {
            // Separators are notes of a type of their own (ISO/IEC 29500-1 §17.11.10).
            let ordinary = part.attribute(node, TYPE).is_none_or(|kind| kind == "normal");
            let id = part.attribute(node, ID).unwrap_or_default();
            if ordinary {
                stories.push(StoryPart {
                    name: format!("{prefix}:{id}"),
                    part: relationship.target.clone(),
                    key: id.into_owned(),
                    sections: 1,
                });
            }
        }
    }
    for (number, _) in text_boxes(document).into_iter().enumerate() {
        let number = number + 1;
        stories.push(StoryPart {
            name: format!("{TEXT_BOX}{number}"),
            part: main_name.to_owned(),
            key: format!("{TEXT_BOX}{number}"),
            sections: 1,
        });
    }
    Ok(stories)
}

/// The node below which a story's paragraphs stand.
pub(crate) fn story_root(document: &Document, story: &StoryPart) -> Option<NodeId> {
    if story.key.is_empty() {
        return Some(document.root());
    }
    if let Some(number) = story.key.strip_prefix(TEXT_BOX) {
        let number: usize = number.parse().ok()?;
        return text_boxes(document).get(number.checked_sub(1)?).copied();
    }
    document
        .children(document.root())
        .find(|node| document.attribute(*node, ID).is_some_and(|id| id == story.key.as_str()))
}

fn headers_and_footers(document: &Document, relationships: &[Relationship]) -> Vec<StoryPart> {
    let mut stories = Vec::new();
    let mut section = 0;
    for node in document.descendants(document.root()).filter(|node| is_section(document, *node)) {
        section += 1;
        for reference in document.children(node) {
            let prefix = match document.name(reference) {
                HEADER_REFERENCE => "header",
                FOOTER_REFERENCE => "footer",
                _ => continue,
            };
            let kind = document.attribute(reference, TYPE).unwrap_or_else(|| "default".into());
            let id = document.attribute(reference, R_ID).unwrap_or_default();
            if let Some(target) = relationships.iter().find(|relationship| relationship.id == *id) {
                stories.push(StoryPart {
                    name: format!("{prefix}:{kind}@{section}"),
                    part: target.target.clone(),
                    key: String::new(),
                    sections: 1,
                });
            }
        }
    }
    stories
}

/// The parts of headers and footers that a section shows.
pub(crate) fn shown_headers(document: &Document, relationships: &[Relationship]) -> BTreeSet<String> {
    headers_and_footers(document, relationships).into_iter().map(|story| story.part).collect()
}

/// A record of earlier properties holds a `w:sectPr`, too, which is no section.
pub(crate) fn is_section(document: &Document, node: NodeId) -> bool {
    document.name(node) == SECT_PR
        && document.parent(node).is_none_or(|above| document.name(above) != SECT_PR_CHANGE)
}

/// How many sections show a header or footer part. A section without a reference of a kind goes on with the one before
/// (ISO/IEC 29500-1 §17.10.1).
pub(crate) fn sections_of(document: &Document, relationships: &[Relationship], part: &str) -> usize {
    let ids: Vec<&str> = relationships
        .iter()
        .filter(|relationship| !relationship.external && relationship.target == part)
        .map(|relationship| relationship.id.as_str())
        .collect();
    let mut current: Vec<(QName, String, bool)> = Vec::new();
    let mut count = 0;
    for section in document.descendants(document.root()).filter(|node| is_section(document, *node)) {
        for reference in document.children(section) {
            let name = document.name(reference);
            if !matches!(name, HEADER_REFERENCE | FOOTER_REFERENCE) {
                continue;
            }
            let kind = document.attribute(reference, TYPE).unwrap_or_else(|| "default".into()).into_owned();
            let shows = document.attribute(reference, R_ID).is_some_and(|id| ids.contains(&&*id));
            current.retain(|(known, of, _)| *known != name || *of != kind);
            current.push((name, kind, shows));
        }
        count += usize::from(current.iter().any(|(.., shows)| *shows));
    }
    count
}

/// Contents of text boxes in file order; the old-style copy of a box is not counted.
pub(crate) fn text_boxes(document: &Document) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(document.root());
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK => nodes.skip_below(node),
            TXBX_CONTENT => found.push(node),
            _ => {}
        }
    }
    found
}
