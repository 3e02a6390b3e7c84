//! Some paragraphs of a document as a package of their own: what Word's `insertOoxml` takes.
//!
//! The package holds the blocks with their tracked changes as they are, and of the other parts only what they use: styles,
//! lists, notes, comments, and what relationships lead to. Ids stay. Must never write a part that the blocks do not need.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use engross_xml::{Document, NodeId, NodeKind, QName, escape_attribute};

use super::items::{StoryItems, stories};
use crate::document::WordDocument;
use crate::error::Error;
use crate::flat_opc::{EMPTY_ARCHIVE, Types, flat_opc};
use crate::model::{FieldContext, Paragraph, View, fields_at_start, paragraphs};
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, BASED_ON, COMMENT, COMMENT_RANGE_START, COMMENT_REFERENCE, DEFAULT,
    ENDNOTE, ENDNOTE_REFERENCE, FOOTNOTE, FOOTNOTE_REFERENCE, ID, LINK, N_ID, NEXT, NUM, NUM_ID, P_STYLE,
    R_STYLE, RELATIONSHIP, SECT_PR, STYLE, STYLE_ID, TBL_STYLE, TYPE, VAL,
};
use crate::package::Package;
use crate::parts::{ContentTypes, TYPES_PART, parse, relationships, relationships_part};
use crate::signature::numbers_in;

/// The main part of a package whose source has another story.
const MAIN_TYPE: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const OFFICE_DOCUMENT: &str =
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument";

impl WordDocument {
    /// Some paragraphs as one XML file (Flat OPC): those from `first` to `last` of a story, counted from 1, with all tracked changes,
    /// and what they need of styles, lists, notes, comments and pictures.
    ///
    /// ```
    /// use engross_docx::{Limits, WordDocument, from_markdown, is_flat_opc};
    ///
    /// # fn main() -> Result<(), engross_docx::Error> {
    /// let bytes = from_markdown("# Terms\n\nPay *at once*.\n\nOr never.", None, &Limits::default())?;
    /// let document = WordDocument::open(bytes, &Limits::default())?;
    /// let fragment = document.fragment("body", 2, 2)?;
    /// assert!(is_flat_opc(&fragment));
    /// let opened = WordDocument::open(fragment, &Limits::default())?;
    /// assert_eq!(opened.paragraph_count(), 1);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// `UNKNOWN_STORY`; `NO_FRAGMENT` where the paragraphs are no whole blocks of one place.
    pub fn fragment(&self, story: &str, first: usize, last: usize) -> Result<Vec<u8>, Error> {
        let all = stories(self)?;
        let Some(own) = all.iter().find(|own| own.name == story) else {
            let known: Vec<&str> = all.iter().take(20).map(|own| own.name.as_str()).collect();
            return Err(Error::UnknownStory { name: story.to_owned(), known: known.join(", ") });
        };
        let refuse = |message: String| Error::NoFragment { story: story.to_owned(), first, last, message };
        let blocks = blocks(own, first, last).map_err(refuse)?;
        Fragment { document: self, story: own, blocks }.write()
    }
}

/// The blocks that hold the paragraphs and no others.
fn blocks(story: &StoryItems<'_>, first: usize, last: usize) -> Result<Vec<NodeId>, String> {
    let document: &Document = &story.tree;
    let all = paragraphs(document, story.root);
    let wanted = first.checked_sub(1).filter(|_| first <= last).and_then(|from| all.get(from..last));
    let Some(wanted) = wanted else {
        return Err(format!("the story has the paragraphs 1 to {}", all.len()));
    };
    let (Some(one), Some(other)) = (wanted.first().copied(), wanted.last().copied()) else {
        return Err("there are none".to_owned());
    };
    // The nearest place that holds all of them.
    let above: Vec<NodeId> = document.ancestors(one).collect();
    let place = document.ancestors(other).find(|node| above.contains(node)).unwrap_or(story.root);
    let holder = |paragraph: NodeId| {
        std::iter::once(paragraph)
            .chain(document.ancestors(paragraph))
            .find(|node| document.parent(*node) == Some(place))
    };
    let (Some(from), Some(to)) = (holder(one), holder(other)) else {
        return Err("they stand in no common place".to_owned());
    };
    let mut blocks = Vec::new();
    let mut node = Some(from);
    while let Some(block) = node {
        blocks.push(block);
        node = if block == to { None } else { document.next(block) };
    }
    let inside: Vec<NodeId> = blocks.iter().flat_map(|block| document.descendants(*block)).collect();
    let known: HashSet<NodeId> = all.iter().copied().collect();
    let held = inside.iter().filter(|node| known.contains(node)).count();
    if held != wanted.len() {
        return Err("other paragraphs stand in the same table or control; ask for all of it".to_owned());
    }
    let is_row = |block: &NodeId| !matches!(document.local_name(document.name(*block)), "p" | "tbl" | "sdt");
    if blocks.iter().any(|block| {
        document.kind(*block) == NodeKind::Element && is_row(block) && !is_mark(document, *block)
    }) {
        return Err("they are rows or cells; ask for the whole table".to_owned());
    }
    if inside.iter().any(|node| document.name(*node) == SECT_PR) {
        return Err("a section ends there".to_owned());
    }
    let fields = fields_at_start(document, &all);
    let start = fields.get(&one);
    let end = Paragraph::read(document, other, View::Markup, fields.get(&other));
    if start.is_some_and(|field| FieldContext::depth(field) > 0) || end.fields_at_end > 0 {
        return Err("a field begins or ends elsewhere".to_owned());
    }
    Ok(blocks)
}

/// Whether an element between blocks is a mark without content: a bookmark, the end of a comment.
fn is_mark(document: &Document, node: NodeId) -> bool {
    document.first_child(node).is_none()
}

struct Fragment<'a> {
    document: &'a WordDocument,
    story: &'a StoryItems<'a>,
    blocks: Vec<NodeId>,
}

/// What content uses of other parts.
#[derive(Default)]
struct Uses {
    styles: BTreeSet<String>,
    lists: BTreeSet<String>,
    footnotes: BTreeSet<String>,
    endnotes: BTreeSet<String>,
    comments: BTreeSet<String>,
    relations: BTreeSet<String>,
}

impl Uses {
    fn take(&mut self, document: &Document, node: NodeId) {
        for node in document.descendants(node) {
            let value = |name| document.attribute(node, name).unwrap_or_default().into_owned();
            match document.name(node) {
                P_STYLE | R_STYLE | TBL_STYLE => drop(self.styles.insert(value(VAL))),
                NUM_ID => drop(self.lists.insert(value(VAL))),
                FOOTNOTE_REFERENCE => drop(self.footnotes.insert(value(ID))),
                ENDNOTE_REFERENCE => drop(self.endnotes.insert(value(ID))),
                COMMENT_REFERENCE | COMMENT_RANGE_START => drop(self.comments.insert(value(ID))),
                _ => {}
            }
            for (name, _, value) in document.raw_attributes(node) {
                if name != QName::NONE && document.namespace_uri(name).ends_with("/relationships") {
                    self.relations.insert(value.to_owned());
                }
            }
        }
    }
}

impl Fragment<'_> {
    fn write(self) -> Result<Vec<u8>, Error> {
        let Self { document, story, ref blocks } = self;
        let limits = &document.limits;
        let tree: &Document = &story.tree;
        let mut uses = Uses::default();
        for block in blocks {
            uses.take(tree, *block);
        }
        let mut package = Package::open(EMPTY_ARCHIVE.to_vec(), &limits.package)?;
        let mut parts = BTreeMap::from([(story.part.clone(), self.main_part(blocks))]);
        let styles = self.part("styles", &mut uses)?;
        let mut kept: BTreeSet<String> = BTreeSet::new();
        kept.extend(styles.as_ref().map(|(name, _)| name.clone()));
        parts.extend(styles);
        for kind in ["numbering", "footnotes", "endnotes", "comments"] {
            if let Some((name, bytes)) = self.part(kind, &mut uses)? {
                kept.insert(name.clone());
                parts.insert(name, bytes);
            }
        }
        let relations = self.main_relations(&uses, &kept, &mut parts)?;
        let types = ContentTypes::parse(&document.package, &limits.xml)?;
        let mut declared = Types::default();
        for name in parts.keys() {
            let kind = if *name == story.part { MAIN_TYPE } else { types.of(name).unwrap_or_default() };
            declared.declare(name, kind);
        }
        package.set_part(TYPES_PART, declared.finish());
        let main = escape_attribute(&story.part).into_owned();
        package.set_part(
            "_rels/.rels",
            relations_part(&format!(
                "<Relationship Id=\"rId1\" Type=\"{OFFICE_DOCUMENT}\" Target=\"{main}\"/>"
            )),
        );
        if !relations.is_empty() {
            package.set_part(&relationships_part(&story.part), relations_part(&relations));
        }
        for (name, bytes) in parts {
            package.set_part(&name, bytes);
        }
        flat_opc(package.write()?, limits)
    }

    /// The blocks as the body of a main part, with the namespaces that the source declares.
    fn main_part(&self, blocks: &[NodeId]) -> Vec<u8> {
        let tree: &Document = &self.story.tree;
        let prefix = match tree.qualified_name(tree.root()).split_once(':') {
            Some((prefix, _)) => format!("{prefix}:"),
            None => String::new(),
        };
        let mut out = b"<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".to_vec();
        out.extend_from_slice(format!("<{prefix}document").as_bytes());
        for (_, name, value) in tree.raw_attributes(tree.root()) {
            let quote = if value.contains('"') { '\'' } else { '"' };
            out.extend_from_slice(format!(" {name}={quote}{value}{quote}").as_bytes());
        }
        out.extend_from_slice(format!("><{prefix}body>").as_bytes());
        for block in blocks {
            out.extend_from_slice(&tree.write_node(*block));
        }
        out.extend_from_slice(format!("</{prefix}body></{prefix}document>").as_bytes());
        out
    }

    /// The part of a kind with only what is used; nothing where nothing of it is.
    fn part(&self, kind: &str, uses: &mut Uses) -> Result<Option<(String, Vec<u8>)>, Error> {
        let document = self.document;
        let (Some(name), Some(part)) = (document.related_name(kind), document.related(kind)?) else {
            return Ok(None);
        };
        let mut part = part.into_owned();
        match kind {
            "styles" => keep_styles(&mut part, uses),
            "numbering" => {
                if uses.lists.iter().all(|id| id == "0") {
                    return Ok(None);
                }
                keep_lists(&mut part, &uses.lists);
            }
            _ => {
                let (element, ids) = match kind {
                    "footnotes" => (FOOTNOTE, &uses.footnotes),
                    "endnotes" => (ENDNOTE, &uses.endnotes),
                    _ => (COMMENT, &uses.comments),
                };
                if ids.is_empty() {
                    return Ok(None);
                }
                // Separators are no notes of people, but the part must have them.
                keep(&mut part, |part, node| {
                    let id = part.attribute(node, ID).unwrap_or_default();
                    part.name(node) != element || part.attribute(node, TYPE).is_some() || ids.contains(&*id)
                });
            }
        }
        Ok(Some((name, part.write())))
    }

    /// The relationships of the part that are used, as XML; parts that they lead to are added to `parts`.
    fn main_relations(
        &self,
        uses: &Uses,
        kept: &BTreeSet<String>,
        parts: &mut BTreeMap<String, Vec<u8>>,
    ) -> Result<String, Error> {
        let Self { document, story, .. } = self;
        let is_main = story.part == document.main_name;
        let mut written = String::new();
        // A header has no styles of its own; they are the document's.
        let sources: &[&str] =
            if is_main { &[&document.main_name] } else { &[&document.main_name, &story.part] };
        for source in sources {
            let name = relationships_part(source);
            if !document.package.contains(&name) {
                continue;
            }
            let tree = parse(&document.package, &name, &document.limits.xml)?;
            let nodes = tree.children(tree.root()).filter(|node| tree.name(*node) == RELATIONSHIP);
            let resolved = relationships(&document.package, source, &document.limits.xml)?;
            for (node, own) in nodes.zip(resolved) {
                let id = tree.attribute(node, N_ID).unwrap_or_default();
                let is_used = **source == story.part && uses.relations.contains(&*id);
                let is_kept = !own.external && kept.contains(&own.target);
                if is_kept || is_used {
                    let target = if own.external { own.target.clone() } else { format!("/{}", own.target) };
                    let id = if is_used { id.into_owned() } else { format!("engross{}", written.len()) };
                    let kind = tree.attribute(node, crate::names::N_TYPE).unwrap_or_default();
                    let mode = if own.external { " TargetMode=\"External\"" } else { "" };
                    written.push_str(&format!(
                        "<Relationship Id=\"{}\" Type=\"{}\" Target=\"{}\"{mode}/>",
                        escape_attribute(&id),
                        escape_attribute(&kind),
                        escape_attribute(&target),
                    ));
                }
                if is_used && !own.external {
                    self.bring(&own.target, parts)?;
                }
            }
        }
        Ok(written)
    }

    /// Adds a part with all that it leads to.
    fn bring(&self, name: &str, parts: &mut BTreeMap<String, Vec<u8>>) -> Result<(), Error> {
        let package = &self.document.package;
        let mut waiting = vec![name.to_owned()];
        while let Some(name) = waiting.pop() {
            if parts.contains_key(&name) || !package.contains(&name) {
                continue;
            }
            parts.insert(name.clone(), package.part(&name)?.into_owned());
            let own = relationships_part(&name);
            if package.contains(&own) {
                let more = relationships(package, &name, &self.document.limits.xml)?;
                waiting.extend(more.into_iter().filter(|own| !own.external).map(|own| own.target));
                parts.insert(own.clone(), package.part(&own)?.into_owned());
            }
        }
        Ok(())
    }
}

fn relations_part(rows: &str) -> Vec<u8> {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships \
         xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">{rows}</Relationships>"
    )
    .into_bytes()
}

/// Takes away the children of the root that are not wanted.
fn keep(part: &mut Document, is_wanted: impl Fn(&Document, NodeId) -> bool) {
    let children: Vec<NodeId> = part.children(part.root()).collect();
    for node in children {
        if part.kind(node) == NodeKind::Element && !is_wanted(part, node) {
            part.detach(node);
        }
    }
}

/// Keeps the styles that are used, those that they build on, and the default ones.
fn keep_styles(part: &mut Document, uses: &mut Uses) {
    let styles: BTreeMap<String, NodeId> = part
        .children(part.root())
        .filter(|node| part.name(*node) == STYLE)
        .map(|node| (part.attribute(node, STYLE_ID).unwrap_or_default().into_owned(), node))
        .collect();
    let is_default = |node: &NodeId| {
        part.attribute(*node, DEFAULT).is_some_and(|value| matches!(&*value, "1" | "true" | "on"))
    };
    let mut waiting: Vec<String> = uses.styles.iter().cloned().collect();
    waiting.extend(styles.iter().filter(|(_, node)| is_default(node)).map(|(id, _)| id.clone()));
    let mut wanted = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        let Some(node) = styles.get(&id).copied() else { continue };
        if !wanted.insert(id) {
            continue;
        }
        uses.take(part, node);
        let more = [BASED_ON, NEXT, LINK].into_iter().filter_map(|name| part.child(node, name));
        waiting.extend(more.filter_map(|more| part.attribute(more, VAL)).map(std::borrow::Cow::into_owned));
    }
    keep(part, |part, node| match part.name(node) {
        STYLE => wanted.contains(&*part.attribute(node, STYLE_ID).unwrap_or_default()),
        name => part.local_name(name) != "latentStyles",
    });
}

/// Keeps the lists that are used, with their definitions.
fn keep_lists(part: &mut Document, used: &BTreeSet<String>) {
    let links = numbers_in(part).into_iter().filter(|(id, _)| used.contains(id));
    let links = links.filter_map(|(_, node)| part.child(node, ABSTRACT_NUM_ID));
    let definitions: BTreeSet<String> =
        links.filter_map(|link| part.attribute(link, VAL)).map(std::borrow::Cow::into_owned).collect();
    keep(part, |part, node| {
        let id = |name| part.attribute(node, name).unwrap_or_default().into_owned();
        match part.name(node) {
            NUM => used.contains(&id(NUM_ID)),
            ABSTRACT_NUM => definitions.contains(&id(ABSTRACT_NUM_ID)),
            _ => true,
        }
    });
}
