//! The parts of a Word package: their relationships and content types (ISO/IEC 29500-2 §9).

use std::collections::HashMap;

use engross_xml::{Document, Limits, NodeId};

use crate::error::Error;
use crate::names::{
    CT_DEFAULT, N_CONTENT_TYPE, N_EXTENSION, N_ID, N_PART_NAME, N_TARGET, N_TARGET_MODE, N_TYPE, OVERRIDE,
    RELATIONSHIP, VOCABULARY,
};
use crate::package::Package;

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
        let name = "[Content_Types].xml";
        if !package.contains(name) {
            return Ok(types);
        }
        let document = parse(package, name, limits)?;
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
