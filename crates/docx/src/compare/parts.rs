//! Brings over what content of the document after needs: relationships with the parts behind them, lists, styles, notes.
//!
//! What the document before has already is used; nothing of it is changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use engross_xml::{Document, Limits, NodeId};

use super::relations::{PartRelations, RawRelationship, relation_number};
use super::signature::{Signer, Targets, number_of};
use crate::error::Error;
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, BASED_ON, CT_DEFAULT, ENDNOTE, FOOTNOTE, ID, LINK, LVL, LVL_OVERRIDE,
    N_CONTENT_TYPE, N_EXTENSION, N_PART_NAME, NEXT, NSID, NUM, NUM_ID, OVERRIDE, STYLE, STYLE_ID, TMPL, TYPE,
    VAL,
};
use crate::package::Package;
use crate::parts::{ContentTypes, parse, relationships_part};

/// What of a kind of note is there.
#[derive(Debug, Default)]
struct Notes {
    next: i64,
}

/// The two packages, and what was brought over.
pub(super) struct Importer {
    pub(super) before: Package,
    pub(super) after: Package,
    pub(super) mains: (String, String),
    limits: Limits,
    relations: HashMap<String, PartRelations>,
    after_relations: HashMap<String, PartRelations>,
    links: HashMap<(String, String, String), String>,
    copied: HashMap<String, String>,
    types: Vec<(String, String)>,
    /// By `w:numId` after: the one before, or none when it must be made.
    lists: BTreeMap<String, Option<String>>,
    numbering: Option<(Document, Document, String)>,
    styles: Option<(Document, Document, String)>,
    known_styles: HashSet<String>,
    new_styles: Vec<String>,
    notes: (Notes, Notes),
    next_drawing: u64,
    /// Whether a list was brought over.
    pub(super) has_new_lists: bool,
}

impl Importer {
    pub(super) fn new(
        before: Package,
        after: Package,
        mains: (String, String),
        limits: &Limits,
    ) -> Result<Self, Error> {
        let mut importer = Self {
            before,
            after,
            mains,
            limits: limits.clone(),
            relations: HashMap::new(),
            after_relations: HashMap::new(),
            links: HashMap::new(),
            copied: HashMap::new(),
            types: Vec::new(),
            lists: BTreeMap::new(),
            numbering: None,
            styles: None,
            known_styles: HashSet::new(),
            new_styles: Vec::new(),
            notes: (Notes { next: 0 }, Notes { next: 0 }),
            next_drawing: 1_000_000,
            has_new_lists: false,
        };
        importer.pair_lists()?;
        importer.read_styles()?;
        for is_footnote in [true, false] {
            let highest = match importer.note_part(is_footnote, false) {
                Some(part) => highest_note(&parse(&importer.before, &part, limits)?),
                None => 0,
            };
            let notes = if is_footnote { &mut importer.notes.0 } else { &mut importer.notes.1 };
            notes.next = highest.max(0) + 1;
        }
        Ok(importer)
    }

    /// The relationships of a part before (or after).
    pub(super) fn relations_of(&mut self, part: &str, is_after: bool) -> &mut PartRelations {
        let (package, map) = match is_after {
            true => (&self.after, &mut self.after_relations),
            false => (&self.before, &mut self.relations),
        };
        map.entry(part.to_owned())
            .or_insert_with(|| PartRelations::read(package, part, &self.limits).unwrap_or_default())
    }

    /// The part of a kind that the main part leads to.
    pub(super) fn related(&mut self, kind: &str, is_after: bool) -> Option<String> {
        let main = if is_after { self.mains.1.clone() } else { self.mains.0.clone() };
        let found =
            self.relations_of(&main, is_after).list.iter().find(|own| own.is_kind(kind) && !own.external);
        let target = found.map(|own| own.target.clone())?;
        let package = if is_after { &self.after } else { &self.before };
        package.contains(&target).then_some(target)
    }

    pub(super) fn note_part(&mut self, is_footnote: bool, is_after: bool) -> Option<String> {
        self.related(if is_footnote { "footnotes" } else { "endnotes" }, is_after)
    }

    /// What the references of a part lead to.
    pub(super) fn targets(&mut self, part: &str, is_after: bool) -> Targets {
        let relations = self.relations_of(part, is_after).list.clone();
        let package = if is_after { &self.after } else { &self.before };
        let links = relations.iter().map(|own| (own.id.clone(), relation_number(package, own))).collect();
        Targets { links, lists: self.list_numbers(is_after), notes: HashMap::new() }
    }

    fn list_numbers(&self, is_after: bool) -> HashMap<String, u64> {
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

    fn pair_lists(&mut self) -> Result<(), Error> {
        let (before, after) = (self.related("numbering", false), self.related("numbering", true));
        let Some(after) = after else { return self.read_own_lists(before) };
        let theirs = parse(&self.after, &after, &self.limits)?;
        let Some(before) = before else {
            self.lists = numbers_in(&theirs).into_iter().map(|(id, _)| (id, None)).collect();
            return Ok(());
        };
        let ours = parse(&self.before, &before, &self.limits)?;
        let known = definitions(&ours);
        let mut taken: HashSet<&String> = HashSet::new();
        let wanted = definitions(&theirs);
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

    fn read_styles(&mut self) -> Result<(), Error> {
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

    /// A new `w:id` for a note.
    pub(super) fn new_note(&mut self, is_footnote: bool) -> String {
        let notes = if is_footnote { &mut self.notes.0 } else { &mut self.notes.1 };
        let id = notes.next;
        notes.next += 1;
        id.to_string()
    }

    pub(super) fn drawing_id(&mut self) -> String {
        self.next_drawing += 1;
        self.next_drawing.to_string()
    }

    /// The relationship before that leads where `id` leads after.
    pub(super) fn link(&mut self, before: &str, after: &str, id: &str) -> String {
        let key = (before.to_owned(), after.to_owned(), id.to_owned());
        if let Some(known) = self.links.get(&key) {
            return known.clone();
        }
        let theirs = self.relations_of(after, true).list.iter().find(|own| own.id == id).cloned();
        let Some(theirs) = theirs else { return id.to_owned() };
        let wanted = relation_number(&self.after, &theirs);
        let ours = self.relations_of(before, false).list.clone();
        let same = ours.iter().find(|own| relation_number(&self.before, own) == wanted);
        let own = match same {
            Some(same) => same.id.clone(),
            None => {
                let target =
                    if theirs.external { theirs.target.clone() } else { self.copy_part(&theirs.target) };
                self.relations_of(before, false).add(&theirs.kind, &target, theirs.external)
            }
        };
        self.links.insert(key, own.clone());
        own
    }

    /// Copies a part of the document after with all that it leads to. Gives its name.
    pub(super) fn copy_part(&mut self, part: &str) -> String {
        if let Some(known) = self.copied.get(part) {
            return known.clone();
        }
        let (stem, extension) = part.rsplit_once('.').unwrap_or((part, "bin"));
        let mut name = part.to_owned();
        let mut number = 1;
        while self.before.contains(&name) {
            number += 1;
            name = format!("{stem}_{number}.{extension}");
        }
        self.copied.insert(part.to_owned(), name.clone());
        let bytes = self.after.part(part).map(std::borrow::Cow::into_owned).unwrap_or_default();
        self.before.set_part(&name, bytes);
        let kind = ContentTypes::parse(&self.after, &self.limits).ok();
        if let Some(kind) = kind.as_ref().and_then(|types| types.of(part)) {
            self.types.push((name.clone(), kind.to_owned()));
        }
        let theirs = self.relations_of(part, true).list.clone();
        if !theirs.is_empty() {
            let copies: Vec<RawRelationship> = theirs
                .into_iter()
                .map(|own| {
                    let target = if own.external { own.target.clone() } else { self.copy_part(&own.target) };
                    RawRelationship { target, ..own }
                })
                .collect();
            self.relations.insert(name.clone(), PartRelations::new(copies));
        }
        name
    }

    /// Gives the document before a part of a kind that only the other has.
    pub(super) fn bring_part(&mut self, kind: &str) -> Option<String> {
        let part = self.related(kind, true)?;
        let main = self.mains.1.clone();
        let theirs = self.relations_of(&main, true).list.iter().find(|own| own.is_kind(kind)).cloned()?;
        let name = self.copy_part(&part);
        let main = self.mains.0.clone();
        if !self.relations_of(&main, false).list.iter().any(|own| own.target == name) {
            self.relations_of(&main, false).add(&theirs.kind, &name, false);
        }
        Some(name)
    }

    /// Writes what was brought over into the package.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        if let Some((ours, _, part)) = &self.numbering
            && !ours.is_clean(ours.root())
        {
            self.before.set_part(part, ours.write());
        }
        if let Some((ours, _, part)) = &self.styles
            && !self.new_styles.is_empty()
        {
            self.before.set_part(part, ours.write());
        }
        for (part, relations) in &self.relations {
            if let Some(bytes) = relations.written(&self.before, part, &self.limits)? {
                self.before.set_part(&relationships_part(part), bytes);
            }
        }
        self.declare_types()
    }

    fn declare_types(&mut self) -> Result<(), Error> {
        let known = ContentTypes::parse(&self.before, &self.limits)?;
        let missing: Vec<(String, String)> =
            self.types.drain(..).filter(|(part, kind)| known.of(part) != Some(kind)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let mut tree = parse(&self.before, "[Content_Types].xml", &self.limits)?;
        let root = tree.root();
        for (part, kind) in missing {
            // A default serves all parts of an extension that no part had before.
            let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
            let has_default = tree.children(root).any(|node| {
                tree.name(node) == CT_DEFAULT
                    && tree
                        .attribute(node, N_EXTENSION)
                        .is_some_and(|own| own.eq_ignore_ascii_case(&extension))
            });
            if has_default || extension == "xml" {
                let node = tree.new_element(OVERRIDE);
                tree.set_attribute(node, N_PART_NAME, &format!("/{part}"));
                tree.set_attribute(node, N_CONTENT_TYPE, &kind);
                tree.append(root, node);
            } else {
                let node = tree.new_element(CT_DEFAULT);
                tree.set_attribute(node, N_EXTENSION, &extension);
                tree.set_attribute(node, N_CONTENT_TYPE, &kind);
                tree.prepend(root, node);
            }
        }
        self.before.set_part("[Content_Types].xml", tree.write());
        Ok(())
    }
}

/// The notes of a part that are text of people, by `w:id`.
pub(super) fn notes_in(document: &Document) -> HashMap<String, NodeId> {
    let notes =
        document.children(document.root()).filter(|node| matches!(document.name(*node), FOOTNOTE | ENDNOTE));
    notes
        .filter(|node| document.attribute(*node, TYPE).is_none_or(|kind| kind == "normal"))
        .map(|node| (document.attribute(node, ID).unwrap_or_default().into_owned(), node))
        .collect()
}

fn highest_note(document: &Document) -> i64 {
    let ids = document
        .children(document.root())
        .filter_map(|node| document.attribute(node, ID)?.trim().parse().ok());
    ids.max().unwrap_or(0)
}

fn styles_in(document: &Document) -> HashMap<String, NodeId> {
    let styles = document.children(document.root()).filter(|node| document.name(*node) == STYLE);
    styles.filter_map(|node| Some((document.attribute(node, STYLE_ID)?.into_owned(), node))).collect()
}

fn numbers_in(document: &Document) -> Vec<(String, NodeId)> {
    let numbers = document.children(document.root()).filter(|node| document.name(*node) == NUM);
    numbers.filter_map(|node| Some((document.attribute(node, NUM_ID)?.into_owned(), node))).collect()
}

/// What each list is, by `w:numId`.
fn definitions(document: &Document) -> BTreeMap<String, Vec<u64>> {
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
