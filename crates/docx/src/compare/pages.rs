//! Headers and footers: which of them belong together, and what sections show afterwards.
//!
//! A part that several pages show is compared with what the first of them shows afterwards. Pages that show something else get a copy
//! of their own: no reference to a part is a tracked change, and a part cannot become two. Must never let a section show what neither
//! document shows there.

use std::collections::HashMap;

use engross_xml::{Document, NodeId};

use super::document::says_something;
use super::redliner::Redliner;
use super::report::Limitation;
use super::sections::{PageStory, Section, sections_of};
use super::stories::StoryContext;
use crate::error::Error;
use crate::limits::Limits;
use crate::names::{DEL, INS};
use crate::parts::parse;
use crate::signature::Signer;

/// What a page of one kind shows in a section.
struct Place {
    section: NodeId,
    kind: PageStory,
    /// Whether only the document after has the section.
    is_new: bool,
    ours: Option<String>,
    theirs: Option<String>,
    /// What the document after says there; nothing when it shows none, or an empty one.
    says: Vec<u64>,
}

/// A part of the redline that is compared once, wherever it is shown.
struct Work {
    part: String,
    theirs: Option<String>,
    kind: PageStory,
    origin: Origin,
}

/// Where a part of the redline comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The document before has it.
    Before,
    /// Pages that shared it do so no longer.
    Copy,
    /// Only the document after has it.
    After,
}

/// What a page shall show in the redline.
enum PageContent {
    Part(String),
    /// Nothing, if need be by an empty part of the document after.
    Nothing(Option<String>),
}

impl Redliner<'_> {
    /// Headers and footers of all sections of the redline.
    pub(super) fn compare_pages(
        &mut self,
        before: &[Section],
        after: &[Section],
        limits: &Limits,
    ) -> Result<(), Error> {
        let places = self.places(before, after, limits)?;
        let mut primary: HashMap<&str, &[u64]> = HashMap::new();
        for place in places.iter().filter(|place| !place.is_new) {
            if let Some(ours) = &place.ours {
                let says = primary.entry(ours).or_insert(&place.says);
                if says.is_empty() {
                    *says = &place.says;
                }
            }
        }
        let mut made: HashMap<(Option<&str>, &[u64]), String> = HashMap::new();
        let mut works: Vec<Work> = Vec::new();
        let mut wanted: HashMap<(NodeId, &PageStory), PageContent> = HashMap::new();
        // Sections that are there already come first: a new one may show what they do. Copies are made before anything is marked in what
        // they are made of.
        let (new, kept): (Vec<&Place>, Vec<&Place>) = places.iter().partition(|place| place.is_new);
        for place in kept.into_iter().chain(new) {
            let says = place.says.as_slice();
            let (part, origin) = match (&place.ours, &place.theirs) {
                (None, theirs) if says.is_empty() => {
                    let nothing = PageContent::Nothing(theirs.clone());
                    wanted.insert((place.section, &place.kind), nothing);
                    continue;
                }
                (Some(ours), _) if primary.get(ours.as_str()) == Some(&says) => {
                    (ours.clone(), Origin::Before)
                }
                (Some(ours), _) => match made.get(&(Some(ours), says)) {
                    Some(known) => (known.clone(), Origin::Copy),
                    None => (self.importer.duplicate(ours), Origin::Copy),
                },
                (None, Some(theirs)) => {
                    let shown = made.iter().filter(|((_, said), _)| place.is_new && *said == says);
                    match shown.map(|(_, part)| part).min().or_else(|| made.get(&(None, says))) {
                        Some(known) => (known.clone(), Origin::After),
                        None => (self.importer.copy_part(theirs), Origin::After),
                    }
                }
                (None, None) => continue,
            };
            wanted.insert((place.section, &place.kind), PageContent::Part(part.clone()));
            made.entry((place.ours.as_deref(), says)).or_insert_with(|| part.clone());
            // What a new section alone shows goes with it.
            if !place.is_new && !works.iter().any(|work| work.part == part) {
                let (theirs, kind) = (place.theirs.clone(), place.kind.clone());
                works.push(Work { part, theirs, kind, origin });
            }
        }
        self.show_pages(before, &wanted);
        works.iter().try_for_each(|work| self.compare_page(work, limits))
    }

    /// What pages show in sections that both documents have, and in those that are new, in their order.
    fn places(
        &mut self,
        before: &[Section],
        after: &[Section],
        limits: &Limits,
    ) -> Result<Vec<Place>, Error> {
        let pairs = std::mem::take(&mut self.sections);
        let (main, main_after) = (self.names.0.to_owned(), self.names.1.to_owned());
        let mut new = after.iter().filter(|section| pairs.iter().all(|(_, theirs)| *theirs != section.node));
        let mut said: HashMap<String, Vec<u64>> = HashMap::new();
        let mut places = Vec::new();
        for section in sections_of(self.tree) {
            let one = before.iter().find(|known| known.node == section.node);
            let pair = pairs.iter().find(|(ours, _)| *ours == section.node);
            let other = match (one, pair) {
                (_, Some((_, theirs))) => after.iter().find(|section| section.node == *theirs),
                (Some(_), None) => None,
                (None, None) => new.next(),
            };
            let Some(other) = other else { continue };
            let mut kinds: Vec<&PageStory> = other.shows.keys().collect();
            kinds.extend(one.iter().flat_map(|one| one.shows.keys()));
            kinds.sort();
            kinds.dedup();
            for kind in kinds {
                let ours = one.and_then(|one| one.shows.get(kind));
                let ours = ours.and_then(|(id, _)| self.importer.target(&main, id, false));
                let theirs =
                    other.shows.get(kind).and_then(|(id, _)| self.importer.target(&main_after, id, true));
                let says = match &theirs {
                    None => Vec::new(),
                    Some(theirs) => match said.get(theirs) {
                        Some(known) => known.clone(),
                        None => {
                            let tree = parse(&self.importer.after, theirs, &limits.xml)?;
                            let targets = self.importer.targets(theirs, true);
                            let says = match says_something(&tree, tree.root()) {
                                true => Signer::new(&tree, &targets).blocks(tree.root()),
                                false => Vec::new(),
                            };
                            said.insert(theirs.clone(), says.clone());
                            says
                        }
                    },
                };
                let (section, is_new) = (section.node, one.is_none());
                places.push(Place { section, kind: kind.clone(), is_new, ours, theirs, says });
            }
        }
        Ok(places)
    }

    /// Lets sections show what they shall, where they would not do so by themselves.
    fn show_pages(&mut self, before: &[Section], wanted: &HashMap<(NodeId, &PageStory), PageContent>) {
        let main = self.names.0.to_owned();
        // What a section goes on with that names none of a kind: when all is rejected, and when it is accepted.
        let mut current: [HashMap<PageStory, String>; 2] = Default::default();
        for section in sections_of(self.tree) {
            let (is_before, is_after) = (
                before.iter().any(|known| known.node == section.node),
                wanted.keys().any(|(node, _)| *node == section.node),
            );
            let sides = [is_before, is_after || !is_before];
            let mut own: HashMap<&PageStory, Option<String>> = HashMap::new();
            for (kind, (id, _)) in section.shows.iter().filter(|(_, (_, is_own))| *is_own) {
                own.insert(kind, self.importer.target(&main, id, false));
            }
            let mut kinds: Vec<&PageStory> = own.keys().copied().collect();
            kinds.extend(wanted.keys().filter(|(node, _)| *node == section.node).map(|(_, kind)| *kind));
            kinds.sort();
            kinds.dedup();
            for kind in kinds {
                let is_shown = |part: Option<&String>| match own.get(kind) {
                    Some(own) => own.as_ref() == part,
                    None => current.iter().zip(sides).all(|(known, side)| !side || known.get(kind) == part),
                };
                let part = match wanted.get(&(section.node, kind)) {
                    Some(PageContent::Part(part)) => (!is_shown(Some(part))).then(|| part.clone()),
                    Some(PageContent::Nothing(Some(theirs))) if !is_shown(None) => {
                        Some(self.importer.copy_part(theirs))
                    }
                    _ => None,
                };
                if let Some(part) = &part {
                    let relation = if kind.0 { "header" } else { "footer" };
                    let id = self.importer.relation_to(&main, relation, part);
                    self.show(section.node, kind, &id);
                }
                let now = part.or_else(|| own.get(kind).cloned().flatten());
                for (known, _) in current.iter_mut().zip(sides).filter(|(_, side)| *side) {
                    if let Some(now) = &now {
                        known.insert(kind.clone(), now.clone());
                    }
                }
            }
        }
    }

    fn compare_page(&mut self, work: &Work, limits: &Limits) -> Result<(), Error> {
        let name = format!("{}:{}", if work.kind.0 { "header" } else { "footer" }, work.kind.1);
        let mut tree = parse(&self.importer.before, &work.part, &limits.xml)?;
        match (&work.theirs, work.origin) {
            (Some(theirs), Origin::Before | Origin::Copy) => {
                let after = parse(&self.importer.after, theirs, &limits.xml)?;
                if work.origin == Origin::Copy {
                    let difference = "pages that shared it show different ones afterwards; each has its own";
                    self.limitations.push(Limitation::applied(&name, difference));
                }
                self.on_part((&work.part, theirs), &mut tree, &after, |redliner| {
                    let (one, other) = (redliner.tree.root(), redliner.after.root());
                    if redliner.before_signer().blocks(one) != redliner.after_signer().blocks(other) {
                        redliner.compare_containers(one, other);
                    }
                });
            }
            (None, _) => {
                if !says_something(&tree, tree.root()) {
                    return Ok(());
                }
                let difference = "it is gone afterwards; its text is deleted, and an empty one stays";
                self.limitations.push(Limitation::applied(&name, difference));
                let after = tree.clone();
                self.on_part((&work.part, &work.part), &mut tree, &after, |redliner| {
                    let root = redliner.tree.root();
                    redliner.mark_contents(root, DEL);
                });
            }
            (Some(theirs), Origin::After) => {
                if !says_something(&tree, tree.root()) {
                    return Ok(());
                }
                let difference =
                    "it is new; its text is inserted, and an empty one stays when that is rejected";
                self.limitations.push(Limitation::applied(&name, difference));
                let after = tree.clone();
                self.on_part((&work.part, theirs), &mut tree, &after, |redliner| {
                    let root = redliner.tree.root();
                    redliner.mark_contents(root, INS);
                });
            }
        }
        if !tree.is_clean(tree.root()) {
            self.importer.before.set_part(&work.part, tree.write());
        }
        Ok(())
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
            manner: self.manner,
            limits: &Limits::default(),
            limitations: Vec::new(),
        };
        context.with_part(names, tree, after, work);
        let mut more = context.limitations;
        self.limitations.append(&mut more);
    }
}
