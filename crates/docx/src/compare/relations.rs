//! The relationships of one part.

use engross_xml::Limits;

use crate::error::Error;
use crate::names::{N_TYPE, RELATIONSHIP};
use crate::package::Package;
use crate::parts::{NewRelation, parse, relate, relationships, relationships_part};
use crate::signature::relation_number;

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
    /// What it leads to, as a number.
    pub(super) fn number(&self, package: &Package) -> u64 {
        let kind = self.kind.rsplit('/').next().unwrap_or_default();
        relation_number(package, kind, (&self.target, self.external))
    }

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

    /// Writes those that are new into the package.
    pub(super) fn write(&self, package: &mut Package, part: &str, limits: &Limits) -> Result<(), Error> {
        let new = self.list.get(self.known..).unwrap_or_default();
        if new.is_empty() {
            return Ok(());
        }
        let new = new.iter().map(|RawRelationship { id, kind, target, external }| NewRelation {
            id,
            kind,
            target,
            external: *external,
        });
        relate(package, part, new, limits)
    }
}
