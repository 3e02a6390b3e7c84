//! Stories besides the body: how a part is compared with its partner, and which notes belong together.

use engross_xml::Document;

use super::parts::{Importer, notes_in};
use super::redliner::{Manner, NotePair, Redliner, Sides};
use super::report::Limitation;
use crate::edit::{Ids, note_order, place_note};
use crate::error::Error;
use crate::limits::Limits;
use crate::names::{ID, INS};
use crate::parts::parse;

/// What all parts of a comparison share.
pub(super) struct StoryContext<'a> {
    pub(super) importer: &'a mut Importer,
    pub(super) ids: &'a mut Ids,
    pub(super) manner: Manner<'a>,
    pub(super) limits: &'a Limits,
    pub(super) limitations: Vec<Limitation>,
}

impl StoryContext<'_> {
    /// Works on one part with its partner; what it leads to and says is looked up for both.
    pub(super) fn with_part(
        &mut self,
        names: (&str, &str),
        tree: &mut Document,
        after: &Document,
        work: impl FnOnce(&mut Redliner<'_>),
    ) {
        let targets = self.importer.targets(names.0, false);
        let after_targets = self.importer.targets(names.1, true);
        let sides = Sides { names, tree, after, targets: &targets, after_targets: &after_targets };
        let mut redliner = Redliner::new(sides, self.importer, self.ids, self.manner);
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
