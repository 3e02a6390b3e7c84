//! The parts of a package, how they relate to each other, and what is said of their types.
//!
//! Must never use the engine.

use std::collections::BTreeMap;
use std::io::Read as _;

use crate::oracle::{Element, parse};

/// A file that is unpacked.
pub(super) struct Package {
    pub(super) parts: BTreeMap<String, Vec<u8>>,
}

/// A relationship of a part.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    pub(super) id: String,
    pub(super) kind: String,
    /// The name of a part, or an address outside.
    pub(super) target: String,
    pub(super) is_external: bool,
}

impl Package {
    pub(super) fn open(bytes: &[u8]) -> Self {
        let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        let parts = (0..archive.len())
            .map(|index| {
                let mut entry = archive.by_index(index).unwrap();
                let mut content = Vec::new();
                entry.read_to_end(&mut content).unwrap();
                (entry.name().unwrap().into_owned(), content)
            })
            .collect();
        Self { parts }
    }

    /// An XML part, if there is one of that name.
    pub(super) fn xml(&self, name: &str) -> Option<Element> {
        self.parts.get(name).map(|content| parse(std::str::from_utf8(content).unwrap()))
    }

    pub(super) fn relations(&self, part: &str) -> Vec<Relation> {
        let (folder, file) = part.rsplit_once('/').unwrap_or(("", part));
        let Some(root) = self.xml(&format!("{folder}/_rels/{file}.rels")) else { return Vec::new() };
        let of = |element: &Element| {
            let get = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
            let is_external = element.attribute("TargetMode") == Some("External");
            let target = if is_external { get("Target") } else { absolute(folder, &get("Target")) };
            let kind = get("Type").rsplit('/').next().unwrap_or_default().to_owned();
            Relation { id: get("Id"), kind, target, is_external }
        };
        root.elements().map(of).collect()
    }

    /// The one part of a kind that the main part relates to.
    pub(super) fn related(&self, kind: &str) -> Option<String> {
        let known = self.relations("word/document.xml");
        known.into_iter().find(|relation| relation.kind == kind).map(|relation| relation.target)
    }

    /// The content type of a part.
    pub(super) fn content_type(&self, name: &str) -> Option<String> {
        let types = self.xml("[Content_Types].xml")?;
        let wanted = format!("/{name}");
        let extension = name.rsplit('.').next().unwrap_or_default();
        let find = |tag: &str, key: &str, value: &str| {
            let mut entries = types.elements().filter(|entry| entry.name.ends_with(tag));
            let hit = entries.find(|e| e.attribute(key).is_some_and(|v| v.eq_ignore_ascii_case(value)));
            hit.and_then(|entry| entry.attribute("ContentType")).map(str::to_owned)
        };
        find("}Override", "PartName", &wanted).or_else(|| find("}Default", "Extension", extension))
    }

    /// The text of the element that a content control is bound to.
    pub(super) fn bound_value(&self, store: &str, xpath: &str) -> Option<String> {
        let properties = self.parts.keys().find(|name| {
            name.starts_with("customXml/itemProps")
                && self.xml(name).is_some_and(|root| root.attributes.values().any(|value| value == store))
        })?;
        let mut element = &self.xml(&properties.replace("itemProps", "item"))?;
        let mut steps = xpath.split('/').filter(|step| !step.is_empty());
        steps.next();
        for step in steps {
            let name = step.split('[').next().unwrap_or_default().rsplit(':').next().unwrap_or_default();
            let local = |child: &&Element| child.name.rsplit('}').next() == Some(name);
            element = element.elements().find(local)?;
        }
        Some(element.characters())
    }
}

/// The name of a part that a relationship of a part in `folder` means.
fn absolute(folder: &str, target: &str) -> String {
    if let Some(target) = target.strip_prefix('/') {
        return target.to_owned();
    }
    let mut steps: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            ".." => {
                steps.pop();
            }
            "." | "" => {}
            step => steps.push(step),
        }
    }
    steps.join("/")
}
