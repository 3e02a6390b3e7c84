//! Which hits of a search are meant, and which of them must stay as they are.
//!
//! Hits in results of fields, in a table of contents and in other text that cannot be typed into do not sink an operation on
//! many: they are left, and told with their places. Must never leave one without telling.

use std::ops::Range;

use engross_xml::NodeId;

use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::hints::candidates;
use crate::edit::phrase::Hit;
use crate::edit::snapshot::StorySnapshot;
use crate::edit::splice::refuse_barrier;
use crate::edit::whole_fields::fields_taken;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Atom, AtomKind, Barrier, Paragraph, is_id_since};
use crate::ops::{FieldPolicy, Occurrence, Search};
use crate::read::excerpt;
use crate::text::Finder;

/// How many places of hits that stay are named.
const PLACES: usize = 20;

/// The hits that are meant, each with what a plan makes of it.
pub(crate) struct ChosenHits<T> {
    pub(crate) chosen: Vec<T>,
    /// Whether one was found in another typography.
    pub(crate) folded: bool,
    /// What is said of hits that stay.
    pub(crate) left: Option<String>,
}

/// Chooses among `hits`. `plan` says what becomes of one, and why it must not if so.
pub(crate) fn choose<T>(
    snapshot: &mut StorySnapshot<'_>,
    hits: Vec<Hit>,
    (search, finder): (&Search, &Finder),
    mut plan: impl FnMut(&mut StorySnapshot<'_>, &Hit) -> Result<(T, Option<Barrier>), Refusal>,
) -> Result<ChosenHits<T>, Refusal> {
    let count = hits.len();
    let meant: Vec<Hit> = match search.occurrence {
        Some(Occurrence::All) | None => hits,
        Some(Occurrence::Last) => hits.into_iter().next_back().into_iter().collect(),
        Some(Occurrence::Nth(number)) => {
            let hit = number.checked_sub(1).and_then(|at| hits.into_iter().nth(at));
            let hit = hit.ok_or_else(|| no_occurrence(finder, count, number))?;
            vec![hit]
        }
    };
    let mut free: Vec<(Hit, T)> = Vec::with_capacity(meant.len());
    let mut barred: Vec<(Hit, Barrier)> = Vec::new();
    for hit in meant {
        match plan(snapshot, &hit)? {
            (planned, None) => free.push((hit, planned)),
            (_, Some(barrier)) => barred.push((hit, barrier)),
        }
    }
    if search.occurrence.is_none() && (free.len() > 1 || free.is_empty() && barred.len() > 1) {
        let mut places: Vec<usize> = free
            .iter()
            .map(|(hit, _)| hit)
            .chain(barred.iter().map(|(hit, _)| hit))
            .map(|hit| hit.first)
            .collect();
        places.sort_unstable();
        places.dedup();
        return Err(Refusal::new(
            RefusalCode::AmbiguousTarget,
            format!(
                "'{}' occurs {count} times, in {}; say which by 'occurrence' (a number, \"last\" or \"all\") or name the paragraph",
                excerpt(finder.shown()),
                candidates(snapshot, &places)
            ),
        ));
    }
    let skips = search.fields == FieldPolicy::Skip;
    let left = (!barred.is_empty()).then(|| told(snapshot, &barred, count));
    if let Some((hit, barrier)) = barred.first().filter(|_| !skips || free.is_empty()) {
        let refusal = refuse_barrier(barrier);
        let others = match barred.len() - 1 {
            0 => String::new(),
            more => format!(" (the same holds for {more} more)"),
        };
        let message = format!("{}P{}: {}{others}", snapshot.prefix, hit.first + 1, refusal.message);
        return Err(Refusal { message, place: Some(hit.first), left: left.filter(|_| skips), ..refusal });
    }
    let folded = free.iter().any(|(hit, _)| !hit.exact);
    Ok(ChosenHits { chosen: free.into_iter().map(|(_, planned)| planned).collect(), folded, left })
}

pub(crate) fn no_occurrence(finder: &Finder, count: usize, number: usize) -> Refusal {
    Refusal::new(
        RefusalCode::TextNotFound,
        format!("'{}' occurs {count} times, so there is no occurrence {number}", excerpt(finder.shown())),
    )
}

/// What is said of hits that stay: how many, where and why.
fn told(snapshot: &StorySnapshot<'_>, barred: &[(Hit, Barrier)], count: usize) -> String {
    let mut places: Vec<String> = Vec::new();
    for (hit, barrier) in barred {
        let why = match barrier {
            Barrier::Field(name) => format!("{name} field"),
            Barrier::ContentControl(_) => "content control".to_owned(),
            Barrier::Move => "tracked move".to_owned(),
        };
        let place = format!("{}P{} ({why})", snapshot.prefix, hit.first + 1);
        if places.last() != Some(&place) {
            places.push(place);
        }
    }
    let more = places.len().saturating_sub(PLACES);
    places.truncate(PLACES);
    let more = if more > 0 { format!(" and {more} more places") } else { String::new() };
    format!("left {} of {count} hits, which cannot be typed into: {}{more}", barred.len(), places.join(", "))
}

/// Why text of a hit cannot be typed into: `changed` are ranges that go or come, in bytes of the joined text, and whether
/// other text comes instead. A hit that lies in such text as a whole cannot, unless a field goes with it.
pub(crate) fn barrier_of(
    snapshot: &StorySnapshot<'_>,
    (search, hit): (&Search, &Hit),
    changed: impl IntoIterator<Item = (Range<usize>, bool)>,
) -> Option<Barrier> {
    let changed: Vec<(Range<usize>, bool)> = changed.into_iter().collect();
    let mut start = 0;
    for index in hit.first..=hit.last {
        let paragraph = snapshot.paragraph(index)?;
        let mut takes_field = false;
        let mut barred = |(range, is_replaced): &(Range<usize>, bool)| {
            let inside = |at: usize| at.saturating_sub(start);
            let own = inside(range.start)..inside(range.end).min(paragraph.text.len());
            let outer = snapshot.context(index).is_some_and(|fields| fields.depth() > 0);
            // Of one hit among many, a field that is all of it, or that other words would replace, is left.
            let is_many = search.occurrence == Some(Occurrence::All);
            let taken = match outer || is_many && *is_replaced {
                true => Vec::new(),
                false => fields_taken(snapshot.document(), &paragraph, &own, *is_replaced || is_many),
            };
            takes_field |= !taken.is_empty();
            let stays = |atom: &&Atom| {
                !taken
                    .iter()
                    .any(|field| field.text.start <= atom.range.start && atom.range.end <= field.text.end)
            };
            texts(&paragraph, own).filter(stays).find_map(|atom| standing(snapshot, atom))
        };
        let found = changed.iter().filter(|(range, _)| range.end > start).find_map(&mut barred);
        if found.is_none() && takes_field {
            return None;
        }
        let around =
            || if hit.first == hit.last { barrier_over(snapshot, &paragraph, &hit.range) } else { None };
        if let Some(barrier) = found.or_else(around) {
            return Some(barrier);
        }
        start += paragraph.text.len() + PARAGRAPH_BREAK.len_utf8();
    }
    None
}

/// Why all of a hit's text cannot be typed into, if that holds for all of it.
pub(crate) fn barrier_around(snapshot: &StorySnapshot<'_>, hit: &Hit) -> Option<Barrier> {
    if hit.first != hit.last {
        return None;
    }
    barrier_over(snapshot, &snapshot.paragraph(hit.first)?, &hit.range)
}

fn barrier_over(
    snapshot: &StorySnapshot<'_>,
    paragraph: &Paragraph,
    range: &Range<usize>,
) -> Option<Barrier> {
    let barriers = texts(paragraph, range.clone()).map(|atom| standing(snapshot, atom));
    barriers.reduce(Option::and).flatten()
}

fn texts(paragraph: &Paragraph, range: Range<usize>) -> impl Iterator<Item = &Atom> {
    paragraph.overlapping(range).filter(|atom| atom.kind != AtomKind::Object)
}

/// The barrier of an atom, if it stood before the batch: what the batch itself moves is an overlap, and found as one.
fn standing(snapshot: &StorySnapshot<'_>, atom: &Atom) -> Option<Barrier> {
    let ours = |node: Option<NodeId>| {
        node.is_some_and(|node| is_id_since(snapshot.document(), node, snapshot.since()))
    };
    let moved = || ours(atom.inserted) || ours(atom.deleted);
    atom.barrier.clone().filter(|barrier| *barrier != Barrier::Move || !moved())
}
