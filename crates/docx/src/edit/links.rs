//! The links that are there: around which words they are, where they lead, and what new text asks of them.
//!
//! Must never change the tree.

use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::canon::normal_form;
use crate::edit::hunks::Hunk;
use crate::edit::snapshot::StorySnapshot;
use crate::model::OBJECT;
use crate::names::{ANCHOR, HYPERLINK, R_ID, R_PR};
use crate::parts::Relationship;
use crate::text::{LinkDestination, StyledText};

/// A link in a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) node: NodeId,
    /// The text that it holds, in bytes of the paragraph's.
    pub(crate) range: Range<usize>,
}

/// The links of a paragraph that have text, in order.
pub(crate) fn links_of(snapshot: &StorySnapshot<'_>, index: usize) -> Vec<Link> {
    let document = snapshot.document();
    let mut found: Vec<Link> = Vec::new();
    let Some(paragraph) = snapshot.paragraph(index) else { return found };
    for atom in paragraph.visible().filter(|atom| !atom.range.is_empty()) {
        let Some(node) = document.ancestors(atom.run).find(|above| document.name(*above) == HYPERLINK) else {
            continue;
        };
        match found.last_mut() {
            Some(last) if last.node == node => last.range.end = atom.range.end,
            _ => found.push(Link { node, range: atom.range.clone() }),
        }
    }
    found
}

/// The link that shares a character with the range, the first of several.
pub(crate) fn link_around(snapshot: &StorySnapshot<'_>, index: usize, range: &Range<usize>) -> Option<Link> {
    let document = snapshot.document();
    let paragraph = snapshot.paragraph(index)?;
    let around = |run| document.ancestors(run).find(|above| document.name(*above) == HYPERLINK);
    let node = paragraph.overlapping(range.clone()).find_map(|atom| around(atom.run))?;
    let mut own =
        paragraph.visible().filter(|atom| around(atom.run) == Some(node)).map(|atom| atom.range.clone());
    let first = own.next()?;
    let end = own.last().map_or(first.end, |last| last.end);
    Some(Link { node, range: first.start..end })
}

/// The changes with those that the links of the new text ask of words that stay: a link over words that are in none, or in
/// another one, makes them anew.
pub(crate) fn heed_links(
    snapshot: &StorySnapshot<'_>,
    index: usize,
    offset: usize,
    new: &StyledText,
    hunks: Vec<Hunk>,
) -> Vec<Hunk> {
    if new.links.is_empty() {
        return hunks;
    }
    let mut asked: Vec<Hunk> = Vec::new();
    for (old, kept) in unchanged(snapshot, index, offset, new, &hunks) {
        for link in new.links.iter().filter(|link| link.range.start < kept.end && kept.start < link.range.end)
        {
            let words = link.range.start.max(kept.start)..link.range.end.min(kept.end);
            let place = old.start + words.start - kept.start..old.start + words.end - kept.start;
            let known = link_around(snapshot, index, &place);
            let is_so = known.is_some_and(|known| {
                known.range.start <= place.start
                    && place.end <= known.range.end
                    && target_of(snapshot.document(), known.node, &snapshot.relationships).as_ref()
                        == Some(&link.target)
            });
            if is_so {
                continue;
            }
            for range in stretches(snapshot, index, &place) {
                let from = words.start + range.start - place.start;
                let new = new.slice(from..from + range.len());
                asked.push(Hunk { range, new });
            }
        }
    }
    let mut all = hunks;
    all.append(&mut asked);
    all.sort_by_key(|hunk| (hunk.range.start, hunk.range.end));
    all
}

/// The stretches without objects that stay as they are: where they stand in the paragraph, and where in the new text.
fn unchanged(
    snapshot: &StorySnapshot<'_>,
    index: usize,
    offset: usize,
    new: &StyledText,
    hunks: &[Hunk],
) -> Vec<(Range<usize>, Range<usize>)> {
    let text = snapshot.paragraph(index).map(|paragraph| paragraph.text).unwrap_or_default();
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let (mut old_at, mut new_at) = (offset, 0);
    let ends = hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.len()));
    for (gone, come) in ends.chain(std::iter::once((usize::MAX..usize::MAX, 0))) {
        for (at, c) in text.get(old_at..).unwrap_or_default().char_indices() {
            let at = old_at + at;
            if at >= gone.start || new_at >= new.text.len() {
                break;
            }
            if c == OBJECT {
                continue;
            }
            let length = c.len_utf8();
            match found.last_mut() {
                Some((old, kept)) if old.end == at && kept.end == new_at => {
                    old.end += length;
                    kept.end += length;
                }
                _ => found.push((at..at + length, new_at..new_at + length)),
            }
            new_at += length;
        }
        new_at += come;
        old_at = gone.end;
    }
    found
}

/// The parts of a range that have one formatting each.
pub(crate) fn stretches(
    snapshot: &StorySnapshot<'_>,
    index: usize,
    range: &Range<usize>,
) -> Vec<Range<usize>> {
    let Some(paragraph) = snapshot.paragraph(index) else { return vec![range.clone()] };
    let document = snapshot.document();
    let mut found: Vec<(Range<usize>, Option<Vec<u8>>)> = Vec::new();
    for atom in paragraph.overlapping(range.clone()) {
        let format = document.child(atom.run, R_PR).map(|properties| normal_form(document, properties));
        let own = atom.range.start.max(range.start)..atom.range.end.min(range.end);
        match found.last_mut() {
            Some((last, known)) if *known == format && last.end == own.start => last.end = own.end,
            _ if own.is_empty() => {}
            _ => found.push((own, format)),
        }
    }
    if found.is_empty() { vec![range.clone()] } else { found.into_iter().map(|(range, _)| range).collect() }
}

/// Where a `w:hyperlink` leads.
pub(crate) fn target_of(
    document: &Document,
    link: NodeId,
    relationships: &[Relationship],
) -> Option<LinkDestination> {
    let address = document.attribute(link, R_ID).and_then(|id| {
        let known = relationships.iter().find(|known| known.id == *id)?;
        Some(LinkDestination::Url(known.target.clone()))
    });
    address.or_else(|| Some(LinkDestination::Anchor(document.attribute(link, ANCHOR)?.into_owned())))
}
