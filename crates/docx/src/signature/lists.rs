//! What lists are: their levels and overrides, whatever ids they have.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use super::{Signer, Targets};
use crate::names::{ABSTRACT_NUM, ABSTRACT_NUM_ID, LVL, LVL_OVERRIDE, NUM, NUM_ID, VAL};

/// The lists of a part of definitions, by `w:numId`.
pub(crate) fn numbers_in(document: &Document) -> Vec<(String, NodeId)> {
    let numbers = document.children(document.root()).filter(|node| document.name(*node) == NUM);
    numbers.filter_map(|node| Some((document.attribute(node, NUM_ID)?.into_owned(), node))).collect()
}

/// What each list is, by `w:numId`.
pub(crate) fn list_definitions(document: &Document) -> BTreeMap<String, Vec<u64>> {
    let targets = Targets::default();
    let signer = Signer::new(document, &targets);
    let mut levels: HashMap<String, Vec<u64>> = HashMap::new();
    for node in document.children(document.root()).filter(|node| document.name(*node) == ABSTRACT_NUM) {
        let id = document.attribute(node, ABSTRACT_NUM_ID).unwrap_or_default().into_owned();
        let own = document.children(node).filter(|child| document.name(*child) == LVL);
        levels.insert(id, own.map(|level| signer.whole(level)).collect());
    }
    let mut found = BTreeMap::new();
    for (id, node) in numbers_in(document) {
        let link = document.child(node, ABSTRACT_NUM_ID).and_then(|link| document.attribute(link, VAL));
        let mut own = levels.get(&*link.unwrap_or_default()).cloned().unwrap_or_default();
        let overrides = document.children(node).filter(|child| document.name(*child) == LVL_OVERRIDE);
        own.extend(overrides.map(|own| signer.whole(own)));
        found.insert(id, own);
    }
    found
}
