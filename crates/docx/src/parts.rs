//! The parts of a Word package: their relationships and content types (ISO/IEC 29500-2 §9).

use std::collections::HashMap;

use engross_xml::{Document, Limits, NodeId, QName};

use crate::error::Error;
use crate::names::{
    CT_DEFAULT, ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, ID, N_CONTENT_TYPE, N_EXTENSION, N_ID, N_PART_NAME,
    N_TARGET, N_TARGET_MODE, N_TYPE, OVERRIDE, RELATIONSHIP, VOCABULARY,
};
use crate::package::Package;

/// Name of the part that holds the content types.
pub(crate) const TYPES_PART: &str = "[Content_Types].xml";
const TYPES_URI: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const RELATIONSHIPS_URI: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

/// One relationship of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Relationship {
    pub(crate) id: String,
    /// The last step of its type URI, which strict and transitional documents share.
    pub(crate) kind: String,
    /// The part it leads to; for an external one, the address.
    pub(crate) target: String,
    pub(crate) external: bool,
}

/// Parses a part of the package.
pub(crate) fn parse(package: &Package, name: &str, limits: &Limits) -> Result<Document, Error> {
    let bytes = package.part(name)?.into_owned();
    Document::parse(bytes, &VOCABULARY, limits).map_err(|source| Error::Xml { part: name.to_owned(), source })
}

/// The relationships of `part` (empty: of the package itself). None is no error.
pub(crate) fn relationships(
    package: &Package,
    part: &str,
    limits: &Limits,
) -> Result<Vec<Relationship>, Error> {
    let name = relationships_part(part);
    if !package.contains(&name) {
        return Ok(Vec::new());
    }
    let document = parse(package, &name, limits)?;
    let read = |node: NodeId| {
        let text = |name| document.attribute(node, name).unwrap_or_default().into_owned();
        let external = text(N_TARGET_MODE) == "External";
        let target = text(N_TARGET);
        let kind = text(N_TYPE);
        Relationship {
            id: text(N_ID),
            kind: kind.rsplit('/').next().unwrap_or(&kind).to_owned(),
            target: if external { target } else { resolve_target(part, &target) },
            external,
        }
    };
    let nodes = document.children(document.root()).filter(|node| document.name(*node) == RELATIONSHIP);
    Ok(nodes.map(read).collect())
}

/// Name of the part that holds the relationships of `part`.
pub(crate) fn relationships_part(part: &str) -> String {
    match part.rsplit_once('/') {
        Some((folder, file)) => format!("{folder}/_rels/{file}.rels"),
        None => format!("_rels/{part}.rels"),
    }
}

/// The part that a relative target means.
fn resolve_target(part: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let folder = part.rsplit_once('/').map_or("", |(folder, _)| folder);
    let joined = match target.strip_prefix('/') {
        Some(absolute) => absolute.to_owned(),
        None => format!("{folder}/{target}"),
    };
    let mut steps: Vec<&str> = Vec::new();
    for step in joined.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}

/// A relationship to be written, with the whole URI of its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NewRelation<'a> {
    pub(crate) id: &'a str,
    pub(crate) kind: &'a str,
    /// The part it leads to; for an external one, the address.
    pub(crate) target: &'a str,
    pub(crate) external: bool,
}

/// Gives `of` (empty: the package itself) further relationships.
pub(crate) fn relate<'a>(
    package: &mut Package,
    of: &str,
    new: impl IntoIterator<Item = NewRelation<'a>>,
    limits: &Limits,
) -> Result<(), Error> {
    let part = relationships_part(of);
    let mut tree = list_part(package, &part, "Relationships", RELATIONSHIPS_URI, limits)?;
    let root = tree.root();
    let folder = of.rsplit_once('/').map_or("", |(folder, _)| folder);
    for NewRelation { id, kind, target, external } in new {
        let beside = target.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
        let target = match (external, beside) {
            (true, _) => target.to_owned(),
            (false, Some(beside)) if !folder.is_empty() => beside.to_owned(),
            (false, _) if of.is_empty() => target.to_owned(),
            (false, _) => format!("/{target}"),
        };
        let node = tree.new_element(RELATIONSHIP);
        for (name, value) in [(N_ID, id), (N_TYPE, kind), (N_TARGET, target.as_str())] {
            tree.set_attribute(node, name, value);
        }
        if external {
            tree.set_attribute(node, N_TARGET_MODE, "External");
        }
        tree.append(root, node);
    }
    package.set_part(&part, tree.write());
    Ok(())
}

/// Gives a part a content type of its own.
pub(crate) fn declare_type(
    package: &mut Package,
    part: &str,
    content_type: &str,
    limits: &Limits,
) -> Result<(), Error> {
    let mut tree = list_part(package, TYPES_PART, "Types", TYPES_URI, limits)?;
    let root = tree.root();
    let part = format!("/{part}");
    let old = find_entry(&tree, (OVERRIDE, N_PART_NAME), &part);
    let node = old.unwrap_or_else(|| {
        let node = tree.new_element(OVERRIDE);
        tree.set_attribute(node, N_PART_NAME, &part);
        tree.append(root, node);
        node
    });
    tree.set_attribute(node, N_CONTENT_TYPE, content_type);
    package.set_part(TYPES_PART, tree.write());
    Ok(())
}

/// The content types of templates, each with that of the documents that are made of them (ECMA-376 Part 1 §11.3.10, [MS-OFFMACRO] §2.2).
const TEMPLATES: [(&str, &str); 2] = [
    (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml",
    ),
    (
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
        "application/vnd.ms-word.document.macroEnabled.main+xml",
    ),
];

/// Makes a document of a template: its main part gets the content type of one. What is no template stays as it is.
pub(crate) fn make_document(package: &mut Package, main: &str, limits: &Limits) -> Result<(), Error> {
    let types = ContentTypes::parse(package, limits)?;
    let is = |(template, _): &&(&str, &str)| {
        types.of(main).is_some_and(|known| known.trim().eq_ignore_ascii_case(template))
    };
    match TEMPLATES.iter().find(is) {
        Some((_, document)) => declare_type(package, main, document, limits),
        None => Ok(()),
    }
}

/// Gives parts with this extension a content type, unless they have one. Says whether they had none.
pub(crate) fn declare_extension(
    package: &mut Package,
    extension: &str,
    content_type: &str,
    limits: &Limits,
) -> Result<bool, Error> {
    let mut tree = list_part(package, TYPES_PART, "Types", TYPES_URI, limits)?;
    if find_entry(&tree, (CT_DEFAULT, N_EXTENSION), extension).is_some() {
        return Ok(false);
    }
    let (root, node) = (tree.root(), tree.new_element(CT_DEFAULT));
    tree.set_attribute(node, N_EXTENSION, extension);
    tree.set_attribute(node, N_CONTENT_TYPE, content_type);
    tree.prepend(root, node);
    package.set_part(TYPES_PART, tree.write());
    Ok(true)
}

/// The entry of a list whose attribute says this, case aside.
fn find_entry(tree: &Document, (element, attribute): (QName, QName), value: &str) -> Option<NodeId> {
    let says = |node: &NodeId| {
        tree.attribute(*node, attribute).is_some_and(|known| known.eq_ignore_ascii_case(value))
    };
    tree.children(tree.root()).filter(|node| tree.name(*node) == element).find(says)
}

/// Takes the entries of a list of the package away whose attribute is meant.
pub(crate) fn drop_entries(
    package: &mut Package,
    list: &str,
    (element, attribute): (QName, QName),
    is_meant: impl Fn(&str) -> bool,
    limits: &Limits,
) -> Result<(), Error> {
    let mut tree = parse(package, list, limits)?;
    let gone: Vec<NodeId> = tree
        .children(tree.root())
        .filter(|node| tree.name(*node) == element)
        .filter(|node| tree.attribute(*node, attribute).is_some_and(|value| is_meant(&value)))
        .collect();
    if !gone.is_empty() {
        gone.into_iter().for_each(|node| tree.detach(node));
        package.set_part(list, tree.write());
    }
    Ok(())
}

/// A part that is a list of entries; an empty one when it is not there.
fn list_part(
    package: &Package,
    name: &str,
    root: &str,
    uri: &str,
    limits: &Limits,
) -> Result<Document, Error> {
    if package.contains(name) {
        return parse(package, name, limits);
    }
    let empty = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<{root} xmlns=\"{uri}\"></{root}>"
    );
    Document::parse(empty.into_bytes(), &VOCABULARY, limits)
        .map_err(|source| Error::Xml { part: name.to_owned(), source })
}

/// Content types by part.
#[derive(Debug, Default)]
pub(crate) struct ContentTypes {
    /// Parts that have a type of their own, as written.
    named: Vec<String>,
    /// By name in lower case.
    overrides: HashMap<String, String>,
    /// By extension in lower case.
    defaults: HashMap<String, String>,
}

impl ContentTypes {
    pub(crate) fn parse(package: &Package, limits: &Limits) -> Result<Self, Error> {
        let mut types = Self::default();
        if !package.contains(TYPES_PART) {
            return Ok(types);
        }
        let document = parse(package, TYPES_PART, limits)?;
        for node in document.children(document.root()) {
            let text = |name| document.attribute(node, name).unwrap_or_default().into_owned();
            match document.name(node) {
                OVERRIDE => {
                    let part = text(N_PART_NAME).trim_start_matches('/').to_owned();
                    types.overrides.entry(part.to_ascii_lowercase()).or_insert_with(|| text(N_CONTENT_TYPE));
                    types.named.push(part);
                }
                CT_DEFAULT => {
                    let extension = text(N_EXTENSION).to_ascii_lowercase();
                    types.defaults.entry(extension).or_insert_with(|| text(N_CONTENT_TYPE));
                }
                _ => {}
            }
        }
        Ok(types)
    }

    /// The content type of a part.
    pub(crate) fn of(&self, part: &str) -> Option<&str> {
        let part = part.to_ascii_lowercase();
        let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension);
        self.overrides.get(&part).or_else(|| self.defaults.get(extension)).map(String::as_str)
    }

    /// Parts that have a type of their own, as often as they are given one.
    pub(crate) fn overrides(&self) -> impl Iterator<Item = &str> {
        self.named.iter().map(String::as_str)
    }
}

/// The highest ids of footnotes and of endnotes that a text refers to, also of those that are not there: a new note must not
/// become what such a reference means.
pub(crate) fn highest_referenced_notes(text: &Document) -> [i64; 2] {
    let mut highest = [0, 0];
    for node in text.descendants(text.root()) {
        let [footnote, endnote] = &mut highest;
        let highest = match text.name(node) {
            FOOTNOTE_REFERENCE => footnote,
            ENDNOTE_REFERENCE => endnote,
            _ => continue,
        };
        let id: Option<i64> = text.attribute(node, ID).and_then(|id| id.trim().parse().ok());
        *highest = id.unwrap_or_default().max(*highest);
    }
    highest
}
