//! The relationships of one part, and what they lead to as a number.

use engross_xml::{Document, Limits};

use super::signature::number_of;
use crate::error::Error;
use crate::names::{N_ID, N_TARGET, N_TARGET_MODE, N_TYPE, RELATIONSHIP, VOCABULARY};
use crate::package::Package;
use crate::parts::{parse, relationships, relationships_part};

/// A relationship with the whole URI of its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRelationship {
    pub(super) id: String,
    pub(super) kind: String,
    /// A part, or an address outside of the package.
    pub(super) target: String,
    pub(super) external: bool,
}

impl RawRelationship {
    pub(super) fn is_kind(&self, kind: &str) -> bool {
        self.kind.rsplit('/').next() == Some(kind)
    }
}

/// The relationships of a part; those from `known` on are new.
#[derive(Debug, Clone, Default)]
pub(super) struct PartRelations {
    pub(super) list: Vec<RawRelationship>,
    known: usize,
}

impl PartRelations {
    /// Those of a part that is new itself.
    pub(super) fn new(list: Vec<RawRelationship>) -> Self {
        Self { list, known: 0 }
    }

    pub(super) fn read(package: &Package, part: &str, limits: &Limits) -> Result<Self, Error> {
        let name = relationships_part(part);
        if !package.contains(&name) {
            return Ok(Self::default());
        }
        let resolved = relationships(package, part, limits)?;
        let document = parse(package, &name, limits)?;
        let nodes = document.children(document.root()).filter(|node| document.name(*node) == RELATIONSHIP);
        let list: Vec<RawRelationship> = nodes
            .zip(resolved)
            .map(|(node, own)| RawRelationship {
                id: own.id,
                kind: document.attribute(node, N_TYPE).unwrap_or_default().into_owned(),
                target: own.target,
                external: own.external,
            })
            .collect();
        let known = list.len();
        Ok(Self { list, known })
    }

    /// Adds a relationship. Gives its id.
    pub(super) fn add(&mut self, kind: &str, target: &str, external: bool) -> String {
        let is_free = |id: &String| self.list.iter().all(|own| own.id != *id);
        let id = (1..).map(|number| format!("rId{number}")).find(is_free).unwrap_or_default();
        let own =
            RawRelationship { id: id.clone(), kind: kind.to_owned(), target: target.to_owned(), external };
        self.list.push(own);
        id
    }

    /// The bytes of the relationships part, if there is anything new.
    pub(super) fn written(
        &self,
        package: &Package,
        part: &str,
        limits: &Limits,
    ) -> Result<Option<Vec<u8>>, Error> {
        let new = self.list.get(self.known..).unwrap_or_default();
        if new.is_empty() {
            return Ok(None);
        }
        let name = relationships_part(part);
        let mut tree = if package.contains(&name) {
            parse(package, &name, limits)?
        } else {
            let empty = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"></Relationships>";
            Document::parse(empty.as_bytes().to_vec(), &VOCABULARY, limits)
                .map_err(|source| Error::Xml { part: name.clone(), source })?
        };
        let root = tree.root();
        let folder = part.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for own in new {
            let node = tree.new_element(RELATIONSHIP);
            let target =
                match own.target.strip_prefix(&folder).filter(|_| !own.external && !folder.is_empty()) {
                    Some(beside) => beside.to_owned(),
                    None if own.external => own.target.clone(),
                    None => format!("/{}", own.target),
                };
            for (name, value) in [(N_ID, &own.id), (N_TYPE, &own.kind), (N_TARGET, &target)] {
                tree.set_attribute(node, name, value);
            }
            if own.external {
                tree.set_attribute(node, N_TARGET_MODE, "External");
            }
            tree.append(root, node);
        }
        Ok(Some(tree.write()))
    }
}

/// What a relationship leads to: an address, or the bytes of a part.
pub(super) fn relation_number(package: &Package, own: &RawRelationship) -> u64 {
    let kind = own.kind.rsplit('/').next().unwrap_or_default();
    if own.external {
        return number_of(32, &format!("{kind} {}", own.target));
    }
    let (size, checksum) = package.fingerprint(&own.target).unwrap_or_default();
    number_of(33, &format!("{kind} {size} {checksum}"))
}
