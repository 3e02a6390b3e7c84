//! What lists are: their levels and overrides, whatever ids they have.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId, QName};

use super::{Signer, Targets};
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, ILVL, LVL, LVL_OVERRIDE, LVL_TEXT, NUM, NUM_FMT, NUM_ID, START,
    START_OVERRIDE, VAL,
};

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

/// What each list shows, by `w:numId`: of every level its format, its text and where it starts.
pub(crate) fn shown_levels(document: &Document) -> BTreeMap<String, Vec<[String; 4]>> {
    let read = |level: NodeId| {
        let value = |name: QName| {
            let child = document.child(level, name).and_then(|child| document.attribute(child, VAL));
            child.map(std::borrow::Cow::into_owned).unwrap_or_default()
        };
        let at = document.attribute(level, ILVL).unwrap_or_default().into_owned();
        [at, value(NUM_FMT), value(LVL_TEXT), value(START)]
    };
    let levels = |node: NodeId| -> Vec<[String; 4]> {
        document.children(node).filter(|child| document.name(*child) == LVL).map(read).collect()
    };
    let mut known: HashMap<String, Vec<[String; 4]>> = HashMap::new();
    for node in document.children(document.root()).filter(|node| document.name(*node) == ABSTRACT_NUM) {
        let id = document.attribute(node, ABSTRACT_NUM_ID).unwrap_or_default().into_owned();
        known.insert(id, levels(node));
    }
    let mut found = BTreeMap::new();
    for (id, node) in numbers_in(document) {
        let link = document.child(node, ABSTRACT_NUM_ID).and_then(|link| document.attribute(link, VAL));
        let mut own = known.get(&*link.unwrap_or_default()).cloned().unwrap_or_default();
        for instead in document.children(node).filter(|child| document.name(*child) == LVL_OVERRIDE) {
            own.extend(levels(instead));
            let start =
                document.child(instead, START_OVERRIDE).and_then(|child| document.attribute(child, VAL));
            let at = document.attribute(instead, ILVL).unwrap_or_default().into_owned();
            own.extend(start.map(|start| [at, String::new(), String::new(), start.into_owned()]));
        }
        found.insert(id, own);
    }
    found
}
