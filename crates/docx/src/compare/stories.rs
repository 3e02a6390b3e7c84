//! Stories besides the body: which notes, headers and footers belong together, and what becomes of those that are alone.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use super::document::says_something;
use super::moved::Moves;
use super::parts::{Importer, notes_in};
use super::redliner::{Closeness, NotePair, Redliner};
use super::report::Limitation;
use super::sections::{PageStory, Section};
use crate::edit::{Ids, PendingParts, note_order, place_note};
use crate::error::Error;
use crate::limits::Limits;
use crate::names::{DEL, ID, INS, W, W_URI};
use crate::parts::parse;
use crate::styles::Styles;

/// What all parts of a comparison share.
pub(super) struct StoryContext<'a> {
    pub(super) importer: &'a mut Importer,
    pub(super) ids: &'a mut Ids,
    pub(super) signature: (&'a str, &'a str),
    pub(super) closeness: Closeness,
    pub(super) with_moves: bool,
    pub(super) keeps_revisions: bool,
    pub(super) limits: &'a Limits,
    pub(super) limitations: Vec<Limitation>,
}

impl StoryContext<'_> {
    /// Works on one part with its partner; what it leads to and says is looked up for both.
    fn with_part(
        &mut self,
        names: (&str, &str),
        tree: &mut Document,
        after: &Document,
        work: impl FnOnce(&mut Redliner<'_>),
    ) {
        let targets = self.importer.targets(names.0, false);
        let after_targets = self.importer.targets(names.1, true);
        tree.ensure_prefix(W, "w", W_URI);
        let mut redliner = Redliner {
            tree,
            after,
            targets: &targets,
            after_targets: &after_targets,
            names,
            importer: self.importer,
            ids: self.ids,
            signature: self.signature,
            closeness: self.closeness,
            with_moves: self.with_moves,
            keeps_revisions: self.keeps_revisions,
            moves: Moves::default(),
            moved: 0,
            pending: PendingParts::default(),
            styles: Styles::default(),
            notes: Vec::new(),
            sections: Vec::new(),
            limitations: Vec::new(),
        };
        work(&mut redliner);
        self.limitations.append(&mut redliner.limitations);
    }

    /// Notes that both documents have, and those that are new.
    pub(super) fn compare_notes(&mut self, notes: &[NotePair], main: &Document) -> Result<(), Error> {
        for is_footnote in [true, false] {
            let pairs: Vec<&NotePair> = notes.iter().filter(|pair| pair.is_footnote == is_footnote).collect();
            let Some(theirs) = self.importer.note_part(is_footnote, true).filter(|_| !pairs.is_empty())
            else {
                continue;
            };
            let xml = &self.limits.xml;
            let after = parse(&self.importer.after, &theirs, xml)?;
            let (ours, mut tree) = match self.importer.note_part(is_footnote, false) {
                Some(ours) => {
                    let tree = parse(&self.importer.before, &ours, xml)?;
                    (ours, tree)
                }
                None => {
                    let kind = if is_footnote { "footnotes" } else { "endnotes" };
                    let Some(ours) = self.importer.bring_part(kind) else { continue };
                    let mut tree = parse(&self.importer.before, &ours, xml)?;
                    notes_in(&tree).into_values().for_each(|node| tree.detach(node));
                    (ours, tree)
                }
            };
            let (own, other) = (notes_in(&tree), notes_in(&after));
            let order = note_order(main, is_footnote);
            let mut compared = Vec::new();
            self.with_part((&ours, &theirs), &mut tree, &after, |redliner| {
                for pair in pairs {
                    let Some(source) = other.get(&pair.after).copied() else { continue };
                    if pair.is_new {
                        let copy = redliner.import(source);
                        redliner.tree.set_attribute(copy, ID, &pair.before);
                        redliner.mark_contents(copy, INS);
                        place_note(redliner.tree, copy, &order);
                    } else if let Some(note) =
                        own.get(&pair.before).copied().filter(|note| !compared.contains(note))
                    {
                        compared.push(note);
                        if redliner.before_signer().blocks(note) != redliner.after_signer().blocks(source) {
                            redliner.compare_containers(note, source);
                        }
                    }
                }
            });
            if !tree.is_clean(tree.root()) {
                self.importer.before.set_part(&ours, tree.write());
            }
        }
        Ok(())
    }
}

impl Redliner<'_> {
    /// Headers and footers of sections that belong together.
    pub(super) fn compare_pages(
        &mut self,
        before: &[Section],
        after: &[Section],
        limits: &Limits,
    ) -> Result<(), Error> {
        let mut done: HashMap<String, String> = HashMap::new();
        let pairs = std::mem::take(&mut self.sections);
        let section = |sections: &[Section], node: NodeId| {
            sections.iter().find(|section| section.node == node).cloned()
        };
        let mut ordered: Vec<(Section, Section)> = pairs
            .iter()
            .filter_map(|(one, other)| Some((section(before, *one)?, section(after, *other)?)))
            .collect();
        let place = |node: NodeId| before.iter().position(|section| section.node == node);
        ordered.sort_by_key(|(section, _)| place(section.node));
        for (one, other) in ordered {
            let mut kinds: Vec<PageStory> = one.shows.keys().chain(other.shows.keys()).cloned().collect();
            kinds.sort();
            kinds.dedup();
            for kind in kinds {
                let ours = one.shows.get(&kind);
                let theirs = other.shows.get(&kind);
                let (main, main_after) = (self.names.0.to_owned(), self.names.1.to_owned());
                let part = |importer: &mut Importer, main: &str, id: &str, is_after: bool| {
                    let own = importer.relations_of(main, is_after).list.iter().find(|own| own.id == id);
                    own.map(|own| own.target.clone())
                };
                let ours = ours.and_then(|(id, _)| part(self.importer, &main, id, false));
                let theirs = theirs.and_then(|(id, _)| part(self.importer, &main_after, id, true));
                self.compare_page(&one, &kind, (ours, theirs), &mut done, limits)?;
            }
        }
        Ok(())
    }

    fn compare_page(
        &mut self,
        section: &Section,
        kind: &PageStory,
        parts: (Option<String>, Option<String>),
        done: &mut HashMap<String, String>,
        limits: &Limits,
    ) -> Result<(), Error> {
        let name = format!("{}:{}", if kind.0 { "header" } else { "footer" }, kind.1);
        match parts {
            (Some(ours), Some(theirs)) => {
                if done.get(&ours).is_some_and(|known| *known == theirs) {
                    return Ok(());
                }
                let after = parse(&self.importer.after, &theirs, &limits.xml)?;
                if let Some(known) = done.get(&ours).cloned() {
                    // A part that two sections share is no longer one for both.
                    let other = parse(&self.importer.after, &known, &limits.xml)?;
                    let numbers = |redliner: &mut Self, tree: &Document, part: &str| {
                        let targets = redliner.importer.targets(part, true);
                        crate::signature::Signer::new(tree, &targets).blocks(tree.root())
                    };
                    if numbers(self, &after, &theirs) != numbers(self, &other, &known) {
                        self.limitations.push(Limitation::left(
                            &name,
                            "sections that shared it show different ones afterwards; the first is compared",
                        ));
                    }
                    return Ok(());
                }
                done.insert(ours.clone(), theirs.clone());
                let mut tree = parse(&self.importer.before, &ours, &limits.xml)?;
                self.on_part((&ours, &theirs), &mut tree, &after, |redliner| {
                    let (one, other) = (redliner.tree.root(), redliner.after.root());
                    if redliner.before_signer().blocks(one) != redliner.after_signer().blocks(other) {
                        redliner.compare_containers(one, other);
                    }
                });
                self.store(&ours, &tree);
            }
            (Some(ours), None) => {
                if done.insert(ours.clone(), String::new()).is_some() {
                    return Ok(());
                }
                let mut tree = parse(&self.importer.before, &ours, &limits.xml)?;
                if says_something(&tree, tree.root()) {
                    let after = tree.clone();
                    self.on_part((&ours, &ours), &mut tree, &after, |redliner| {
                        let root = redliner.tree.root();
                        redliner.mark_contents(root, DEL);
                    });
                    self.limitations.push(Limitation::applied(
                        &name,
                        "it is gone afterwards; its text is deleted, and an empty one stays",
                    ));
                    self.store(&ours, &tree);
                }
            }
            (None, Some(theirs)) => {
                let after = parse(&self.importer.after, &theirs, &limits.xml)?;
                if !says_something(&after, after.root()) {
                    return Ok(());
                }
                let main = self.names.0.to_owned();
                let ours = self.importer.copy_part(&theirs);
                let relation = if kind.0 { "header" } else { "footer" };
                let uri =
                    format!("http://schemas.openxmlformats.org/officeDocument/2006/relationships/{relation}");
                let id = self.importer.relations_of(&main, false).add(&uri, &ours, false);
                let mut tree = parse(&self.importer.before, &ours, &limits.xml)?;
                let copy = tree.clone();
                self.on_part((&ours, &theirs), &mut tree, &copy, |redliner| {
                    let root = redliner.tree.root();
                    redliner.mark_contents(root, INS);
                });
                self.store(&ours, &tree);
                self.show(section.node, kind, &id);
                self.limitations.push(Limitation::applied(
                    &name,
                    "it is new; its text is inserted, and an empty one stays when that is rejected",
                ));
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn store(&mut self, part: &str, tree: &Document) {
        if !tree.is_clean(tree.root()) {
            self.importer.before.set_part(part, tree.write());
        }
    }

    /// Works on another part as on this one.
    fn on_part(
        &mut self,
        names: (&str, &str),
        tree: &mut Document,
        after: &Document,
        work: impl FnOnce(&mut Redliner<'_>),
    ) {
        let mut context = StoryContext {
            importer: self.importer,
            ids: self.ids,
            signature: self.signature,
            closeness: self.closeness,
            with_moves: self.with_moves,
            keeps_revisions: self.keeps_revisions,
            limits: &Limits::default(),
            limitations: Vec::new(),
        };
        context.with_part(names, tree, after, work);
        let mut more = context.limitations;
        self.limitations.append(&mut more);
    }
}
