//! Lists and styles of the two documents: which are the same, and which are brought over.

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId};

use super::parts::Importer;
use crate::error::Error;
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, BASED_ON, LINK, NEXT, NSID, NUM, NUM_ID, STYLE, STYLE_ID, TMPL, VAL,
};
use crate::parts::parse;
use crate::signature::{Signer, Targets, list_definitions, number_of, numbers_in};

impl Importer {
    pub(super) fn list_numbers(&self, is_after: bool) -> HashMap<String, u64> {
        let number = |id: &str| number_of(31, id);
        if !is_after {
            // Every list before is itself, defined or not.
            let Some((before, ..)) = &self.numbering else { return HashMap::new() };
            return numbers_in(before).into_iter().map(|(id, _)| (id.clone(), number(&id))).collect();
        }
        let named = self.lists.iter();
        named
            .map(|(after, before)| match before {
                Some(before) => (after.clone(), number(before)),
                None => (after.clone(), number(&format!("new {after}"))),
            })
            .collect()
    }

    pub(super) fn pair_lists(&mut self) -> Result<(), Error> {
        let (before, after) = (self.related("numbering", false), self.related("numbering", true));
        let Some(after) = after else { return self.read_own_lists(before) };
        let theirs = parse(&self.after, &after, &self.limits)?;
        let Some(before) = before else {
            self.lists = numbers_in(&theirs).into_iter().map(|(id, _)| (id, None)).collect();
            return Ok(());
        };
        let ours = parse(&self.before, &before, &self.limits)?;
        let known = list_definitions(&ours);
        let mut taken: HashSet<&String> = HashSet::new();
        let wanted = list_definitions(&theirs);
        // The same number with the same definition first.
        for (id, definition) in &wanted {
            if known.get(id) == Some(definition) {
                self.lists.insert(id.clone(), Some(id.clone()));
                taken.extend(known.get_key_value(id).map(|(id, _)| id));
            }
        }
        for (id, definition) in &wanted {
            if self.lists.contains_key(id) {
                continue;
            }
            let same = known.iter().find(|(own, known)| *known == definition && !taken.contains(own));
            taken.extend(same.map(|(own, _)| own));
            self.lists.insert(id.clone(), same.map(|(own, _)| own.clone()));
        }
        self.numbering = Some((ours, theirs, before));
        Ok(())
    }

    fn read_own_lists(&mut self, before: Option<String>) -> Result<(), Error> {
        if let Some(before) = before {
            let ours = parse(&self.before, &before, &self.limits)?;
            let theirs = ours.clone();
            self.numbering = Some((ours, theirs, before));
        }
        Ok(())
    }

    /// The list before that is the list `id` after; it is brought over when there is none.
    pub(super) fn list(&mut self, id: &str) -> String {
        match self.lists.get(id) {
            Some(Some(own)) => return own.clone(),
            // The document before has no lists at all: it gets those of the other.
            Some(None) if self.numbering.is_none() => {
                self.bring_part("numbering");
                self.has_new_lists = true;
                self.lists =
                    std::mem::take(&mut self.lists).into_keys().map(|id| (id.clone(), Some(id))).collect();
                return id.to_owned();
            }
            Some(None) => {}
            None => return id.to_owned(),
        }
        let own = self.bring_list(id).unwrap_or_else(|| id.to_owned());
        self.lists.insert(id.to_owned(), Some(own.clone()));
        self.has_new_lists = true;
        own
    }

    fn bring_list(&mut self, id: &str) -> Option<String> {
        let (ours, theirs, _) = self.numbering.as_mut()?;
        let (_, theirs_num) = numbers_in(theirs).into_iter().find(|(known, _)| known == id)?;
        let of = |document: &Document, node: NodeId| {
            let value =
                document.child(node, ABSTRACT_NUM_ID).and_then(|child| document.attribute(child, VAL));
            value.map(std::borrow::Cow::into_owned)
        };
        let wanted = of(theirs, theirs_num)?;
        let abstracts = |document: &Document| -> Vec<(NodeId, String)> {
            let nodes =
                document.children(document.root()).filter(|node| document.name(*node) == ABSTRACT_NUM);
            nodes
                .map(|node| {
                    (node, document.attribute(node, ABSTRACT_NUM_ID).unwrap_or_default().into_owned())
                })
                .collect()
        };
        let (source, _) = abstracts(theirs).into_iter().find(|(_, known)| *known == wanted)?;
        let highest =
            |ids: Vec<String>| ids.iter().filter_map(|id| id.parse::<i64>().ok()).max().unwrap_or(0);
        let abstract_id = (highest(abstracts(ours).into_iter().map(|(_, id)| id).collect()) + 1).to_string();
        let num_id = (highest(numbers_in(ours).into_iter().map(|(id, _)| id).collect()) + 1).to_string();
        let definition = ours.import(theirs, source).node;
        ours.set_attribute(definition, ABSTRACT_NUM_ID, &abstract_id);
        for name in [NSID, TMPL] {
            if let Some(child) = ours.child(definition, name) {
                ours.detach(child);
            }
        }
        let root = ours.root();
        let first = ours.children(root).find(|node| ours.name(*node) == NUM);
        match first {
            Some(first) => ours.insert_before(first, definition),
            None => ours.append(root, definition),
        }
        let instance = ours.import(theirs, theirs_num).node;
        ours.set_attribute(instance, NUM_ID, &num_id);
        if let Some(link) = ours.child(instance, ABSTRACT_NUM_ID) {
            ours.set_attribute(link, VAL, &abstract_id);
        }
        let last = ours.children(root).filter(|node| ours.name(*node) == NUM).last();
        match last {
            Some(last) => ours.insert_after(last, instance),
            None => ours.append(root, instance),
        }
        Some(num_id)
    }

    pub(super) fn read_styles(&mut self) -> Result<(), Error> {
        let (before, after) = (self.related("styles", false), self.related("styles", true));
        let (Some(before), Some(after)) = (before, after) else { return Ok(()) };
        let ours = parse(&self.before, &before, &self.limits)?;
        let theirs = parse(&self.after, &after, &self.limits)?;
        self.known_styles = styles_in(&ours).into_keys().collect();
        self.styles = Some((ours, theirs, before));
        Ok(())
    }

    /// Brings a style over, with those that it builds on.
    pub(super) fn need_style(&mut self, id: &str) {
        let mut waiting = vec![id.to_owned()];
        while let Some(id) = waiting.pop() {
            if id.is_empty() || !self.known_styles.insert(id.clone()) {
                continue;
            }
            let Some((ours, theirs, _)) = &mut self.styles else {
                self.bring_part("styles");
                return;
            };
            let Some(source) = styles_in(theirs).get(&id).copied() else { continue };
            let copy = ours.import(theirs, source).node;
            ours.remove_attribute(copy, crate::names::DEFAULT);
            let root = ours.root();
            ours.append(root, copy);
            self.new_styles.push(id);
            let more = [BASED_ON, LINK, NEXT].into_iter().filter_map(|name| theirs.child(source, name));
            waiting.extend(
                more.filter_map(|node| theirs.attribute(node, VAL)).map(std::borrow::Cow::into_owned),
            );
            let numbers: Vec<NodeId> =
                ours.descendants(copy).filter(|node| ours.name(*node) == NUM_ID).collect();
            for node in numbers {
                let id =
                    self.styles.as_ref().and_then(|(ours, ..)| ours.attribute(node, VAL)).unwrap_or_default();
                let id = id.into_owned();
                let own = self.list(&id);
                if let Some((ours, ..)) = &mut self.styles {
                    ours.set_attribute(node, VAL, &own);
                }
            }
        }
    }

    /// Styles that both documents define, but not alike.
    pub(super) fn changed_styles(&self) -> Vec<String> {
        let Some((ours, theirs, _)) = &self.styles else { return Vec::new() };
        let targets = Targets::default();
        let before = styles_in(ours);
        let mut changed = Vec::new();
        for (id, node) in styles_in(theirs) {
            let same = before.get(&id).is_none_or(|own| {
                Signer::new(ours, &targets).whole(*own) == Signer::new(theirs, &targets).whole(node)
            });
            if !same {
                changed.push(id);
            }
        }
        changed.sort();
        changed
    }
}

fn styles_in(document: &Document) -> HashMap<String, NodeId> {
    let styles = document.children(document.root()).filter(|node| document.name(*node) == STYLE);
    styles.filter_map(|node| Some((document.attribute(node, STYLE_ID)?.into_owned(), node))).collect()
}
