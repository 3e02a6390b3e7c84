//! Paragraphs as they are beside paragraphs as they shall be: which stay, which change, which go, and which are new.
//!
//! Must never read Markdown.

use crate::edit::plan::phrases::styled_text;
use crate::edit::plan::step::{ListWish, NewParagraphs, Step};
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::model::{Barrier, Paragraph};
use crate::ops::Where;
use crate::text::StyledText;

/// Beyond this many pairs, old and new paragraphs are matched in order.
const MOST_PAIRS: usize = 250_000;

/// A paragraph as it shall be.
#[derive(Debug, Clone)]
pub(super) struct TargetParagraph {
    pub(super) content: StyledText,
    /// Id of its style; as it is without.
    pub(super) style: Option<String>,
    pub(super) list: ListWish,
    /// What else it looks like.
    pub(super) settings: Vec<Setting>,
}

impl TargetParagraph {
    /// It as a new paragraph.
    pub(super) fn inserted(&self, index: usize, side: Where) -> NewParagraphs {
        NewParagraphs {
            index,
            side,
            content: self.content.clone(),
            style: self.style.clone(),
            list: self.list,
            settings: self.settings.clone(),
            goes_on: self.list != ListWish::Outside,
        }
    }
}

/// The steps that make `wanted` of the paragraphs `old`, which follow each other. Without old ones the new stand on
/// `side` of `anchor`.
pub(super) fn align(
    snapshot: &mut StorySnapshot<'_>,
    old: &[usize],
    wanted: &[TargetParagraph],
    (anchor, side): (usize, Where),
) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut previous: Option<usize> = None;
    let insert = |previous: Option<usize>, next: Option<usize>, wanted: &TargetParagraph| {
        let (index, side) = match (previous, next) {
            (Some(previous), _) => (previous, Where::After),
            (None, Some(next)) => (next, Where::Before),
            (None, None) => (anchor, side),
        };
        Step::Insert(wanted.inserted(index, side))
    };
    let (mut old_at, mut new_at) = (0, 0);
    let ends = std::iter::once((old.len(), wanted.len()));
    for (old_end, new_end) in matches(snapshot, old, wanted).into_iter().chain(ends) {
        let gone = old.get(old_at..old_end).unwrap_or_default();
        let come = wanted.get(new_at..new_end).unwrap_or_default();
        let kept = pairs_of(snapshot, gone, come);
        for (index, wanted) in kept.iter().zip(come) {
            let changed = change(snapshot, *index, wanted);
            if replaces_field(snapshot, *index, &changed) {
                // A field goes whole or not at all, so its paragraph goes with it.
                steps.push(Step::Insert(NewParagraphs {
                    index: *index,
                    side: Where::Before,
                    content: wanted.content.clone(),
                    style: wanted.style.clone(),
                    list: if wanted.list == ListWish::Outside { ListWish::Like } else { wanted.list },
                    settings: wanted.settings.clone(),
                    goes_on: true,
                }));
                steps.push(Step::Delete { index: *index });
            } else {
                steps.extend(changed);
            }
            previous = Some(*index);
        }
        for wanted in come.get(kept.len()..).unwrap_or_default() {
            steps.push(insert(previous, old.get(old_end).copied(), wanted));
        }
        for index in gone.iter().filter(|index| !kept.contains(*index)) {
            steps.push(Step::Delete { index: *index });
        }
        previous = gone.last().copied().or(previous);
        if let (Some(index), Some(wanted)) = (old.get(old_end), wanted.get(new_end)) {
            steps.extend(change(snapshot, *index, wanted));
            previous = Some(*index);
        }
        (old_at, new_at) = (old_end + 1, new_end + 1);
    }
    steps
}

/// Which of the old paragraphs become new ones, in order: where more go than come, those that look like the first, so that an item
/// further in does not become a paragraph of its own.
fn pairs_of(snapshot: &StorySnapshot<'_>, gone: &[usize], come: &[TargetParagraph]) -> Vec<usize> {
    let count = gone.len().min(come.len());
    let look = |index: usize| {
        let node = snapshot.paragraphs.get(index)?;
        Some((snapshot.styles.of_paragraph(snapshot.document(), *node)?, snapshot.list_of(index)))
    };
    let has_places = come.iter().any(|wanted| matches!(wanted.list, ListWish::In(..)));
    match gone.first().filter(|_| gone.len() > come.len() && !has_places) {
        Some(first) => {
            gone.iter().copied().filter(|index| look(*index) == look(*first)).take(count).collect()
        }
        None => gone.get(..count).unwrap_or_default().to_vec(),
    }
}

/// Whether a change of text would take away words of a field's result.
fn replaces_field(snapshot: &StorySnapshot<'_>, index: usize, steps: &[Step]) -> bool {
    let Some(node) = snapshot.paragraphs.get(index) else { return false };
    let hunks = || {
        steps.iter().flat_map(|step| match step {
            Step::Text(change) => change.hunks.as_slice(),
            _ => &[],
        })
    };
    if hunks().all(|hunk| hunk.range.is_empty()) {
        return false;
    }
    let model = Paragraph::read_chain(
        snapshot.document(),
        &snapshot.chain(index),
        snapshot.view,
        snapshot.fields.get(node),
    );
    hunks().any(|hunk| {
        let mut atoms = model.overlapping(hunk.range.clone());
        atoms.any(|atom| matches!(atom.barrier, Some(Barrier::Field(_))))
    })
}

/// Makes one paragraph what it shall be.
fn change(snapshot: &mut StorySnapshot<'_>, index: usize, wanted: &TargetParagraph) -> Vec<Step> {
    let mut steps = styled_text(snapshot, index, &wanted.content);
    let mut settings = wanted.settings.clone();
    if let Some(style) = wanted.style.as_ref().filter(|style| !style.is_empty())
        && snapshot
            .paragraphs
            .get(index)
            .is_some_and(|node| snapshot.styles.of_paragraph(snapshot.tree, *node) != Some(style))
    {
        settings.push(Setting::style(style));
    }
    if let ListWish::In(number, level) = wanted.list
        && snapshot.list_of(index) != Some((number, level))
    {
        settings.push(Setting::list(number, level));
    }
    if !settings.is_empty() {
        steps.push(Step::ParagraphFormat { index, settings });
    }
    steps
}

/// Positions of equal texts in both, rising: a longest common row.
fn matches(
    snapshot: &mut StorySnapshot<'_>,
    old: &[usize],
    wanted: &[TargetParagraph],
) -> Vec<(usize, usize)> {
    if old.len() * wanted.len() > MOST_PAIRS {
        return Vec::new();
    }
    let texts: Vec<String> = old.iter().map(|index| snapshot.text(*index).trim().to_owned()).collect();
    let same = |left: usize, right: usize| {
        let (old, new) = (texts.get(left), wanted.get(right));
        old.zip(new).is_some_and(|(old, new)| !old.is_empty() && *old == new.content.text.trim())
    };
    longest_common(old.len(), wanted.len(), same)
}

/// The longest row of pairs that rise in both and are the same.
pub(super) fn longest_common(
    left: usize,
    right: usize,
    same: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let width = right + 1;
    let mut lengths = vec![0_u32; (left + 1) * width];
    let length =
        |lengths: &[u32], a: usize, b: usize| lengths.get(a * width + b).copied().unwrap_or_default();
    for a in (0..left).rev() {
        for b in (0..right).rev() {
            let value = if same(a, b) {
                length(&lengths, a + 1, b + 1) + 1
            } else {
                length(&lengths, a + 1, b).max(length(&lengths, a, b + 1))
            };
            if let Some(slot) = lengths.get_mut(a * width + b) {
                *slot = value;
            }
        }
    }
    let (mut a, mut b) = (0, 0);
    let mut pairs = Vec::new();
    while a < left && b < right {
        if same(a, b) && length(&lengths, a, b) == length(&lengths, a + 1, b + 1) + 1 {
            pairs.push((a, b));
            a += 1;
            b += 1;
        } else if length(&lengths, a + 1, b) >= length(&lengths, a, b + 1) {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}
