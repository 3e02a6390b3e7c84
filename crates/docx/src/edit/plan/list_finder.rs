//! Which list new items are in: the one that is there, or new ones.
//!
//! Must never let items join numbers that are not theirs: a list put at a clause counts for itself, below the clause's number.

use crate::edit::pending_parts::{ListBeside, ListLevel, PendingParts};
use crate::edit::snapshot::StorySnapshot;
use crate::numbering::{Counter, paragraph_numbering};
use crate::ops::{ListKind, NumberStyle};
use crate::styles::DEEPEST_LEVEL;
use crate::text::{Block, BlockKind, Item, ItemMarker, StyledText};

/// Finds the list for items. Items whose numbers go on are of one list; a number that does not go on begins another.
pub(super) struct ListFinder {
    /// The list that items join, and how deep its paragraphs stand.
    known: Option<(i64, u8)>,
    /// Whether they join it however they are marked.
    anyhow: bool,
    /// What new lists take after.
    like: Option<ListBeside>,
    /// The lists of the levels that are open, each with what it counts.
    open: Vec<OpenList>,
    /// Whether other blocks stood between the last item and now.
    interrupted: bool,
    /// What became of the first numbered item.
    outcome: Option<Joining>,
}

#[derive(Clone, Copy)]
struct OpenList {
    number: i64,
    level: ListLevel,
    last: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Joining {
    Joined,
    Apart,
}

impl ListFinder {
    fn with(known: Option<(i64, u8)>, like: Option<ListBeside>) -> Self {
        Self { known, anyhow: false, like, open: Vec::new(), interrupted: false, outcome: None }
    }

    /// One for a range that is made a list: items join the list of its first paragraph that has one.
    pub(super) fn of_range(snapshot: &StorySnapshot<'_>, old: &[usize]) -> Self {
        let known = old.iter().find_map(|index| snapshot.list_of(*index));
        Self::with(known.map(|(number, _)| (number, 0)), known.map(|(number, _)| ListBeside::Like(number)))
    }

    /// One whose items join the list of these paragraphs, where they are marked like it or `anyhow`.
    pub(super) fn joining(
        snapshot: &StorySnapshot<'_>,
        old: &[usize],
        blocks: &[Block<StyledText>],
        anyhow: bool,
    ) -> Self {
        let known = old.iter().find_map(|index| snapshot.list_of(*index));
        let first = items(blocks).next().map_or(0, |item| item.level);
        let base = known.map(|(number, level)| (number, level.saturating_sub(first)));
        let like = known.map(|(number, _)| ListBeside::Like(number));
        Self { anyhow, ..Self::with(base, like) }
    }

    /// One whose items join no list: they stand below the paragraph's number, if it has one.
    pub(super) fn apart(snapshot: &StorySnapshot<'_>, beside: usize) -> Self {
        let like = snapshot.list_of(beside).map(|(number, level)| ListBeside::Below(number, level));
        Self::with(None, like)
    }

    /// Says that another block stands between the items.
    pub(super) fn interrupt(&mut self) {
        self.interrupted = true;
    }

    /// What people should know of the numbers.
    pub(super) fn remark(&self, snapshot: &StorySnapshot<'_>, beside: usize) -> Option<String> {
        snapshot.list_of(beside)?;
        let place = format!("{}P{}", snapshot.prefix, beside + 1);
        Some(match self.outcome? {
            Joining::Joined => format!("the items count on in the list of {place}"),
            Joining::Apart => format!(
                "the items are a list of their own and count in none that was there; \
                 \"numbering\": \"continue\" lets them count on in that of {place}"
            ),
        })
    }

    /// The number of the list for an item, and the level at which it stands in it. Deeper items count in the list of those above
    /// where that marks them so.
    pub(super) fn number(
        &mut self,
        snapshot: &StorySnapshot<'_>,
        pending: &mut PendingParts,
        (marked, level): (ListLevel, u8),
    ) -> (i64, u8) {
        let base = self.known.map_or(0, |(_, base)| base);
        let level = (level + base).min(DEEPEST_LEVEL);
        let depth = usize::from(level);
        let interrupted = std::mem::take(&mut self.interrupted);
        self.open.truncate(depth + 1);
        let goes_on = |open: &OpenList| {
            let same = open.level.kind == marked.kind && open.level.enclosure == marked.enclosure;
            let follows = marked.kind == ListKind::Bullet || marked.start == open.last + 1;
            // Items that all have one number are counted by the reader.
            same && (follows || !interrupted && marked.start == open.last)
        };
        if let Some(open) = self.open.get_mut(depth).filter(|open| goes_on(open)) {
            open.last = marked.start;
            return (open.number, level);
        }
        let number = self.begin(snapshot, pending, (marked, level));
        self.open.truncate(depth);
        // Levels that are left out are of the same list.
        self.open.resize(depth + 1, OpenList { number, level: marked, last: marked.start });
        (number, level)
    }

    fn begin(
        &mut self,
        snapshot: &StorySnapshot<'_>,
        pending: &mut PendingParts,
        (marked, level): (ListLevel, u8),
    ) -> i64 {
        let above = usize::from(level).checked_sub(1).and_then(|above| self.open.get(above));
        let is_known = |number: i64| self.known.is_some_and(|(known, _)| known == number);
        if let Some(above) = above
            && (is_known(above.number) || pending.mark_level(above.number, level, marked))
        {
            return above.number;
        }
        let fits = |number: i64| self.anyhow || snapshot.kind_of(number, level) == Some(marked.kind);
        // A second list within the content joins nothing, unless it is one of bullets.
        let may_join = self.outcome.is_none() || self.anyhow || marked.kind == ListKind::Bullet;
        let joined = self.known.map(|(known, _)| known).filter(|known| fits(*known) && may_join);
        if marked.kind != ListKind::Bullet && self.outcome.is_none() {
            self.outcome = Some(if joined.is_some() { Joining::Joined } else { Joining::Apart });
        }
        if let Some(known) = joined {
            return known;
        }
        let number = pending.list(marked, self.like);
        if level > 0 {
            pending.mark_level(number, level, marked);
        }
        number
    }
}

fn items(blocks: &[Block<StyledText>]) -> impl Iterator<Item = &Item<StyledText>> {
    blocks.iter().filter_map(|block| match &block.kind {
        BlockKind::Item(item) => Some(item),
        _ => None,
    })
}

/// Whether blocks are more items of the list that these paragraphs are: nothing but items, marked like it, and bullets or with
/// numbers that go on from those shown there.
pub(super) fn joins(snapshot: &StorySnapshot<'_>, old: &[usize], blocks: &[Block<StyledText>]) -> bool {
    let Some((number, level)) = old.first().and_then(|index| snapshot.list_of(*index)) else { return false };
    let all_in_it = old.iter().all(|index| snapshot.list_of(*index).is_some_and(|(own, _)| own == number));
    let only_items =
        blocks.iter().all(|block| matches!(block.kind, BlockKind::Item(_)) || block.within.is_some());
    let Some(first) = items(blocks).next().filter(|_| all_in_it && only_items) else { return false };
    let (kind, typed) = kind_of_marker(first.marker);
    if snapshot.kind_of(number, level) != Some(kind) {
        return false;
    }
    let shown = || old.first().and_then(|index| snapshot.shown_number(*index));
    kind == ListKind::Bullet || shown().is_some_and(|shown| typed == shown || typed == shown + 1)
}

impl StorySnapshot<'_> {
    /// The number that an item of a list shows.
    fn shown_number(&self, wanted: usize) -> Option<u32> {
        let mut counter = Counter::new(self.numbering, self.styles);
        let mut shown = None;
        for (index, node) in self.paragraphs.iter().enumerate().take(wanted + 1) {
            let list = paragraph_numbering(self.document(), *node, self.styles, self.numbering);
            let marker = list.and_then(|(id, level)| counter.next(id, level));
            shown = marker.filter(|_| index == wanted).map(|marker| marker.number);
        }
        u32::try_from(shown?).ok()
    }
}

/// What a typed marker asks for, and the number it has.
pub(super) fn kind_of_marker(marker: ItemMarker) -> (ListKind, u32) {
    match marker {
        ItemMarker::Bullet => (ListKind::Bullet, 1),
        ItemMarker::Decimal(number) | ItemMarker::Legal(number) => {
            (ListKind::Numbered(NumberStyle::Decimal), number)
        }
        ItemMarker::LowerLetter(number) => (ListKind::Numbered(NumberStyle::LowerLetter), number),
        ItemMarker::UpperLetter(number) => (ListKind::Numbered(NumberStyle::UpperLetter), number),
        ItemMarker::LowerRoman(number) => (ListKind::Numbered(NumberStyle::LowerRoman), number),
        ItemMarker::UpperRoman(number) => (ListKind::Numbered(NumberStyle::UpperRoman), number),
    }
}
