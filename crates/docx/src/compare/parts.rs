//! Brings over what content of the document after needs: relationships with the parts behind them, lists, styles, notes.
//!
//! What the document before has already is used; nothing of it is changed.

use std::collections::{BTreeMap, HashMap, HashSet};

use engross_xml::{Document, Limits, NodeId};

use super::relations::{PartRelations, RawRelationship};
use crate::error::Error;
use crate::names::{ENDNOTE, FOOTNOTE, ID, TYPE};
use crate::package::Package;
use crate::parts::{ContentTypes, declare_extension, declare_type, highest_referenced_notes, parse};
use crate::signature::Targets;

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
    pub(super) limits: Limits,
    /// In an order that is the same each time, in which they are written.
    relations: BTreeMap<String, PartRelations>,
    after_relations: BTreeMap<String, PartRelations>,
    links: HashMap<(String, String, String), String>,
    copied: HashMap<String, String>,
    types: Vec<(String, String)>,
    /// By `w:numId` after: the one before, or none when it must be made.
    pub(super) lists: BTreeMap<String, Option<String>>,
    pub(super) numbering: Option<(Document, Document, String)>,
    pub(super) styles: Option<(Document, Document, String)>,
    pub(super) known_styles: HashSet<String>,
    pub(super) new_styles: Vec<String>,
    /// Ids of styles after that are others before.
    pub(super) style_ids: HashMap<String, String>,
    notes: (Notes, Notes),
    next_drawing: u64,
    /// Whether formatting is not compared.
    pub(super) without_formats: bool,
    /// Lists before that are defined otherwise after.
    pub(super) changed_lists: Vec<String>,
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
            limits: *limits,
            relations: BTreeMap::new(),
            after_relations: BTreeMap::new(),
            links: HashMap::new(),
            copied: HashMap::new(),
            types: Vec::new(),
            lists: BTreeMap::new(),
            numbering: None,
            styles: None,
            known_styles: HashSet::new(),
            new_styles: Vec::new(),
            style_ids: HashMap::new(),
            notes: (Notes { next: 0 }, Notes { next: 0 }),
            next_drawing: 1_000_000,
            without_formats: false,
            changed_lists: Vec::new(),
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

    /// Keeps the ids of new notes clear of those that the text before refers to.
    pub(super) fn keep_clear_of(&mut self, text: &Document) {
        let [footnotes, endnotes] = highest_referenced_notes(text);
        self.notes.0.next = self.notes.0.next.max(footnotes + 1);
        self.notes.1.next = self.notes.1.next.max(endnotes + 1);
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
        let links = relations.iter().map(|own| (own.id.clone(), own.number(package))).collect();
        let styles = if is_after { self.style_ids.clone() } else { HashMap::new() };
        let without_formats = self.without_formats;
        Targets { links, lists: self.list_numbers(is_after), notes: HashMap::new(), styles, without_formats }
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
        let wanted = theirs.number(&self.after);
        let ours = self.relations_of(before, false).list.clone();
        let same = ours.iter().find(|own| own.number(&self.before) == wanted);
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

    /// The part that a relationship leads to.
    pub(super) fn target(&mut self, part: &str, id: &str, is_after: bool) -> Option<String> {
        let own = self.relations_of(part, is_after).list.iter().find(|own| own.id == id);
        own.map(|own| own.target.clone())
    }

    /// The relationship of a kind before that leads to a part before; a new one where there is none.
    pub(super) fn relation_to(&mut self, from: &str, kind: &str, part: &str) -> String {
        let relations = self.relations_of(from, false);
        let known =
            relations.list.iter().find(|own| own.is_kind(kind) && own.target == part && !own.external);
        match known {
            Some(known) => known.id.clone(),
            None => {
                let uri =
                    format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{kind}");
                relations.add(&uri, part, false)
            }
        }
    }

    /// A name for a part before that is like another name.
    fn free_name(&self, like: &str) -> String {
        let (stem, extension) = like.rsplit_once('.').unwrap_or((like, "bin"));
        let mut name = like.to_owned();
        let mut number = 1;
        while self.before.contains(&name) {
            number += 1;
            name = format!("{stem}_{number}.{extension}");
        }
        name
    }

    /// Copies a part of the document before; the copy leads to what the part leads to. Gives its name.
    pub(super) fn duplicate(&mut self, part: &str) -> String {
        let name = self.free_name(part);
        let bytes = self.before.part(part).map(std::borrow::Cow::into_owned).unwrap_or_default();
        let kind = ContentTypes::parse(&self.before, &self.limits).ok();
        if let Some(kind) = kind.as_ref().and_then(|types| types.of(part)) {
            self.types.push((name.clone(), kind.to_owned()));
        }
        self.before.set_part(&name, bytes);
        let own = self.relations_of(part, false).list.clone();
        if !own.is_empty() {
            self.relations.insert(name.clone(), PartRelations::new(own));
        }
        name
    }

    /// Copies a part of the document after with all that it leads to. Gives its name.
    pub(super) fn copy_part(&mut self, part: &str) -> String {
        if let Some(known) = self.copied.get(part) {
            return known.clone();
        }
        let name = self.free_name(part);
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
            relations.write(&mut self.before, part, &self.limits)?;
        }
        self.declare_types()
    }

    fn declare_types(&mut self) -> Result<(), Error> {
        let known = ContentTypes::parse(&self.before, &self.limits)?;
        let types = std::mem::take(&mut self.types).into_iter();
        for (part, kind) in types.filter(|(part, kind)| known.of(part) != Some(kind)) {
            // A default serves all parts of an extension that no part had before.
            let extension = part.rsplit_once('.').map_or("", |(_, extension)| extension).to_ascii_lowercase();
            if extension == "xml" || !declare_extension(&mut self.before, &extension, &kind, &self.limits)? {
                declare_type(&mut self.before, &part, &kind, &self.limits)?;
            }
        }
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
