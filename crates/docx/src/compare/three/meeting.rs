//! What becomes of the blocks of one part that one side changed, or both.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use engross_xml::{Document, NodeId};

use super::sides::{SideBlocks, blocks};
use crate::compare::parts::{Importer, notes_in};
use crate::compare::report::Limitation;
use crate::edit::Ids;
use crate::error::Error;
use crate::exchange::{StoryItems, TextSpan, text_spans};
use crate::limits::Limits;
use crate::model::{OBJECT, Paragraph, View, paragraphs};
use crate::names::{BODY, P, SECT_PR, TBL, TBL_GRID, TC, TR};
use crate::package::Package;
use crate::parts::{parse, relationships};
use crate::revisions::{Selection, Side, resolve};
use crate::signature::{Signer, Targets, list_definitions, number_of, relation_number};

/// The redline that is the ground: its tree under way, and what brings over what content needs.
pub(super) struct Ours<'a> {
    pub(super) tree: &'a mut Document,
    pub(super) importer: &'a mut Importer,
    pub(super) ids: &'a mut Ids,
    pub(super) part: &'a str,
}

/// One part of the three.
pub(super) struct Meeting<'a> {
    pub(super) ours: Ours<'a>,
    base: &'a Document,
    pub(super) other: &'a Document,
    base_targets: Targets,
    our_targets: Targets,
    other_targets: Targets,
    /// Both redlines as if all their changes were accepted; nodes are the same.
    one_accepted: Document,
    other_accepted: Document,
    pub(super) met: MeetingResult,
}

/// What came of it.
#[derive(Default)]
pub(super) struct MeetingResult {
    /// Paragraphs that shall say something else once more.
    pub(super) typed: Vec<(NodeId, String)>,
    pub(super) conflicts: Vec<ConflictPlace>,
    pub(super) agreed: usize,
    pub(super) limitations: Vec<Limitation>,
    /// Notes to bring over: whether a footnote, its id there, its id here.
    pub(super) notes: Vec<(bool, String, String)>,
}

/// A place that both sides changed, each in another way.
pub(super) struct ConflictPlace {
    pub(super) paragraph: Option<NodeId>,
    /// The paragraph for a comment: the same, or the one before it if the first side takes it away.
    pub(super) anchor: Option<NodeId>,
    pub(super) one: String,
    pub(super) other: String,
}

impl<'a> Meeting<'a> {
    pub(super) fn new(
        ours: Ours<'a>,
        (base, base_package): (&'a Document, &Package),
        (other, other_package): (&'a Document, &Package),
        limits: &Limits,
    ) -> Result<Self, Error> {
        let base_targets = targets(base_package, ours.part, "base", &Targets::default(), limits)?;
        let our_targets = targets(&ours.importer.before, ours.part, "one", &base_targets, limits)?;
        let other_targets = targets(other_package, ours.part, "other", &base_targets, limits)?;
        let accepted = |tree: &Document| {
            let mut tree = tree.clone();
            let root = tree.root();
            resolve(&mut tree, root, Side::Accept, Selection::All);
            tree
        };
        let (one_accepted, other_accepted) = (accepted(ours.tree), accepted(other));
        let met = MeetingResult::default();
        Ok(Self {
            ours,
            base,
            other,
            base_targets,
            our_targets,
            other_targets,
            one_accepted,
            other_accepted,
            met,
        })
    }

    pub(super) fn tree(&self) -> &Document {
        self.ours.tree
    }

    pub(super) fn finish(self) -> MeetingResult {
        self.met
    }

    /// Whether the base knows a list, or a note.
    pub(super) fn is_known_list(&self, id: &str) -> bool {
        self.base_targets.lists.contains_key(id)
    }

    pub(super) fn is_known_note(&self, is_footnote: bool, id: &str) -> bool {
        self.base_targets.notes.contains_key(&(is_footnote, id.to_owned()))
    }

    fn base_signer(&self) -> Signer<'_> {
        signer(self.base, &self.base_targets)
    }

    fn our_signer(&self) -> Signer<'_> {
        signer(self.ours.tree, &self.our_targets)
    }

    fn other_signer(&self) -> Signer<'_> {
        signer(self.other, &self.other_targets)
    }

    /// Brings the blocks of a container together.
    pub(super) fn containers(&mut self, base: NodeId, ours: NodeId, other: NodeId) {
        let source = blocks(self.base, base);
        let (our_blocks, other_blocks) = (blocks(self.ours.tree, ours), blocks(self.other, other));
        let one = SideBlocks::of((self.base_signer(), &source), (self.our_signer(), &our_blocks));
        let two = SideBlocks::of((self.base_signer(), &source), (self.other_signer(), &other_blocks));
        let chunks = chunks(source.len(), &one, &two);
        let mut last = None;
        for chunk in &chunks {
            let first = side_nodes(&one, chunk).first().copied();
            self.new_blocks(ours, (last, first), (&one, &two), chunk.start);
            last = self.chunk(&source, (&one, &two), chunk).or(last);
        }
        self.new_blocks(ours, (last.or(our_blocks.last().copied()), None), (&one, &two), source.len());
    }

    /// New blocks of the other side before the blocks `at` of the base.
    fn new_blocks(
        &mut self,
        container: NodeId,
        (last, ahead): (Option<NodeId>, Option<NodeId>),
        (one, two): (&SideBlocks, &SideBlocks),
        at: usize,
    ) {
        let empty = Vec::new();
        let (mine, theirs) = (one.new.get(at).unwrap_or(&empty), two.new.get(at).unwrap_or(&empty));
        if theirs.is_empty() {
            return;
        }
        if !mine.is_empty() {
            if self.says(true, mine) == self.says(false, theirs) {
                self.met.agreed += 1;
                return;
            }
            let difference = "both sides add text at one place: the first side's stands first";
            self.met.limitations.push(Limitation::applied(self.ours.part, difference));
        }
        let mut behind = mine.last().copied().or(last).filter(|_| ahead.is_none());
        for node in theirs {
            let new = self.take(*node, true);
            match (ahead, behind) {
                (Some(ahead), _) => self.ours.tree.insert_before(ahead, new),
                (None, Some(last)) => self.ours.tree.insert_after(last, new),
                (None, None) => self.ours.tree.prepend(container, new),
            }
            behind = Some(new);
        }
    }

    /// What some blocks say when all changes are accepted, on one side or the other.
    fn says(&self, is_ours: bool, nodes: &[NodeId]) -> Vec<u64> {
        let (document, targets) = match is_ours {
            true => (&self.one_accepted, &self.our_targets),
            false => (&self.other_accepted, &self.other_targets),
        };
        let there = nodes.iter().filter(|node| document.parent(**node).is_some());
        there.map(|node| signer(document, targets).block(*node)).collect()
    }

    /// Brings one chunk of the base together; gives the last of our blocks in it.
    fn chunk(
        &mut self,
        source: &[NodeId],
        (one, two): (&SideBlocks, &SideBlocks),
        chunk: &Range<usize>,
    ) -> Option<NodeId> {
        let (mine, theirs) = (side_nodes(one, chunk), side_nodes(two, chunk));
        let last = mine.last().copied();
        if !is_changed(two, chunk) {
            return last;
        }
        if !is_changed(one, chunk) {
            let mut behind = last;
            for node in theirs {
                let new = self.take(node, false);
                if let Some(at) = behind {
                    self.ours.tree.insert_after(at, new);
                }
                behind = Some(new);
            }
            for node in mine {
                self.ours.tree.detach(node);
            }
            return behind;
        }
        if self.says(true, &mine) == self.says(false, &theirs) {
            self.met.agreed += 1;
            return last;
        }
        if let ([mine], [their], Some(base)) = (mine.as_slice(), theirs.as_slice(), source.get(chunk.start))
            && chunk.len() == 1
            && (self.tables(*base, *mine, *their) || self.words(*base, *mine, *their))
        {
            return last;
        }
        let first = mine.iter().find_map(|node| first_paragraph(self.ours.tree, *node));
        let text = |document: &Document, nodes: &[NodeId]| {
            let paragraphs = nodes.iter().flat_map(|node| document.descendants(*node));
            let paragraphs = paragraphs.filter(|node| document.name(*node) == P);
            let texts = paragraphs.map(|node| Paragraph::read(document, node, View::Accepted, None).text);
            texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        };
        let (ours, other) = (text(self.ours.tree, &mine), text(self.other, &theirs));
        let anchor = first.and_then(|first| self.staying(first));
        self.met.conflicts.push(ConflictPlace { paragraph: first, anchor, one: ours, other });
        last
    }

    /// The paragraph, or the nearest before it, or else behind it, that the first side leaves there.
    fn staying(&self, paragraph: NodeId) -> Option<NodeId> {
        let left = paragraphs(&self.one_accepted, self.one_accepted.root());
        let left: HashSet<NodeId> = left.into_iter().collect();
        let all = paragraphs(self.ours.tree, self.ours.tree.root());
        let at = all.iter().position(|node| *node == paragraph)?;
        let (before, behind) = all.split_at_checked(at + 1)?;
        before.iter().rev().chain(behind).find(|node| left.contains(node)).copied()
    }

    /// Brings two changed tables of the same columns together, row by row, or two changed rows of the same cells, cell by cell.
    fn tables(&mut self, base: NodeId, ours: NodeId, other: NodeId) -> bool {
        let is_table = self.base.name(base) == TBL;
        let numbers = [
            table_numbers(self.base_signer(), base),
            table_numbers(self.our_signer(), ours),
            table_numbers(self.other_signer(), other),
        ];
        let [Some(source), Some(mine), Some(their)] = numbers else { return false };
        if source != mine || source != their {
            return false;
        }
        if is_table {
            self.containers(base, ours, other);
            return true;
        }
        let cells = |document: &Document, row: NodeId| -> Vec<NodeId> {
            document.children(row).filter(|cell| document.name(*cell) == TC).collect()
        };
        let (source, mine) = (cells(self.base, base), cells(self.ours.tree, ours));
        for ((base, ours), other) in source.into_iter().zip(mine).zip(cells(self.other, other)) {
            self.containers(base, ours, other);
        }
        true
    }

    /// Words of one paragraph that both sides changed in different places.
    fn words(&mut self, base: NodeId, ours: NodeId, other: NodeId) -> bool {
        if self.base.name(base) != P {
            return false;
        }
        let story = |document: &'a Document, targets: &Targets| items(document, targets);
        let source = story(self.base, &self.base_targets);
        let their = story(self.other, &self.other_targets);
        let mine = items(self.ours.tree, &self.our_targets);
        let one = text_spans((&source, base), (&mine, ours), (None, None));
        let two = text_spans((&source, base), (&their, other), (None, None));
        let (Some(one), Some(mut two)) = (one, two) else { return false };
        let is_same = |a: &TextSpan, b: &TextSpan| (a.start, a.end, &a.insert) == (b.start, b.end, &b.insert);
        let before = two.len();
        two.retain(|span| !one.iter().any(|own| is_same(own, span)));
        let agreed = before - two.len();
        let is_apart = |a: &TextSpan, b: &TextSpan| a.end < b.start || b.end < a.start;
        if !two.iter().all(|span| one.iter().all(|own| is_apart(own, span))) {
            return false;
        }
        let text = Paragraph::read(self.base, base, View::Accepted, None).text;
        if text.contains(OBJECT) || text.contains("\n\n") {
            return false;
        }
        let mut units: Vec<u16> = text.encode_utf16().collect();
        let mut spans: Vec<TextSpan> = one.into_iter().chain(two).collect();
        spans.sort_by_key(|span| std::cmp::Reverse(span.start));
        for span in spans {
            if span.end > units.len() {
                return false;
            }
            units.splice(span.start..span.end, span.insert.encode_utf16());
        }
        self.met.agreed += agreed;
        self.met.typed.push((ours, String::from_utf16_lossy(&units)));
        true
    }

    /// The properties of the last section, which is no block.
    pub(super) fn last_section(&mut self) {
        let (Some(base), Some(ours), Some(other)) =
            (last_section(self.base), last_section(self.ours.tree), last_section(self.other))
        else {
            return;
        };
        let number = |signer: Signer<'_>, node| signer.whole(node);
        let source = number(self.base_signer(), base);
        let (mine, their) = (number(self.our_signer(), ours), number(self.other_signer(), other));
        if their == source || their == mine {
            return;
        }
        if mine == source {
            let new = self.take(other, false);
            self.ours.tree.insert_before(ours, new);
            self.ours.tree.detach(ours);
        } else {
            let difference = "both sides changed the last section's page: the first side's stands";
            self.met.limitations.push(Limitation::left(self.ours.part, difference));
        }
    }
}

fn signer<'a>(document: &'a Document, targets: &'a Targets) -> Signer<'a> {
    Signer { with_revisions: true, ..Signer::new(document, targets) }
}

fn items<'a>(document: &'a Document, targets: &Targets) -> StoryItems<'a> {
    StoryItems {
        name: String::new(),
        part: String::new(),
        tree: Cow::Borrowed(document),
        root: document.root(),
        targets: targets.clone(),
        items: Vec::new(),
    }
}

/// The base in pieces: single blocks, or those that one of the sides tangled.
fn chunks(count: usize, one: &SideBlocks, two: &SideBlocks) -> Vec<Range<usize>> {
    let mut tangles: Vec<Range<usize>> = one
        .tangles
        .iter()
        .chain(&two.tangles)
        .map(|(range, _)| range.clone())
        .filter(|range| !range.is_empty())
        .collect();
    tangles.sort_by_key(|range| range.start);
    let mut chunks: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for range in tangles {
        match chunks.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => {
                chunks.extend((at..range.start).map(|single| single..single + 1));
                chunks.push(range);
            }
        }
        at = chunks.last().map_or(at, |last| last.end);
    }
    chunks.extend((at..count).map(|single| single..single + 1));
    chunks
}

/// The blocks of a side that a chunk of the base became.
fn side_nodes(side: &SideBlocks, chunk: &Range<usize>) -> Vec<NodeId> {
    let mut nodes = Vec::new();
    let mut at = chunk.start;
    while at < chunk.end {
        if at > chunk.start {
            nodes.extend(side.new.get(at).into_iter().flatten());
        }
        match side.tangles.iter().find(|(range, _)| range.start == at && !range.is_empty()) {
            Some((range, own)) => {
                nodes.extend(own);
                at = range.end;
            }
            None => {
                nodes.extend(side.own.get(at).and_then(|own| own.as_ref()).map(|(node, _)| node));
                at += 1;
            }
        }
    }
    nodes
}

fn is_changed(side: &SideBlocks, chunk: &Range<usize>) -> bool {
    let is_moved = |at: usize| side.own.get(at).is_none_or(|own| own.is_none_or(|(_, changed)| changed));
    let has_new = |at: usize| at > chunk.start && side.new.get(at).is_some_and(|new| !new.is_empty());
    chunk.clone().any(|at| is_moved(at) || has_new(at))
}

/// What a table says of itself and its columns, or a row of itself and its cells; nothing for what is neither.
fn table_numbers(signer: Signer<'_>, node: NodeId) -> Option<Vec<u64>> {
    let document = signer.document;
    let mut numbers = vec![signer.shell(node)];
    match document.name(node) {
        TBL => numbers.extend(document.child(node, TBL_GRID).map(|grid| signer.block(grid))),
        TR => {
            let cells = document.children(node).filter(|cell| document.name(*cell) == TC);
            numbers.extend(cells.map(|cell| signer.shell(cell)));
        }
        _ => return None,
    }
    Some(numbers)
}

fn first_paragraph(document: &Document, node: NodeId) -> Option<NodeId> {
    document.descendants(node).find(|node| document.name(*node) == P)
}

/// What the references of a part lead to, so that the three can be compared: lists and notes of the base by their ids, new ones as
/// what they are of a side.
fn targets(
    package: &Package,
    part: &str,
    side: &str,
    base: &Targets,
    limits: &Limits,
) -> Result<Targets, Error> {
    let mut found = Targets::default();
    for own in relationships(package, part, &limits.xml)? {
        let number = relation_number(package, &own.kind, (&own.target, own.external));
        found.links.insert(own.id.clone(), number);
    }
    let mut lists: HashMap<String, u64> = HashMap::new();
    let main = relationships(package, "", &limits.xml)?;
    let main = main.into_iter().find(|own| own.kind == "officeDocument" && !own.external);
    for own in relationships(package, main.map(|main| main.target).as_deref().unwrap_or(part), &limits.xml)? {
        if own.external || !package.contains(&own.target) {
            continue;
        }
        match own.kind.as_str() {
            "numbering" => {
                let definitions = list_definitions(&parse(package, &own.target, &limits.xml)?);
                lists.extend(definitions.into_iter().map(|(id, definition)| {
                    let number = number_of(35, &format!("{id} {definition:?}"));
                    (id, number)
                }));
            }
            "footnotes" | "endnotes" => {
                let is_footnote = own.kind == "footnotes";
                let mut notes = parse(package, &own.target, &limits.xml)?;
                let root = notes.root();
                resolve(&mut notes, root, Side::Accept, Selection::All);
                for (id, node) in notes_in(&notes) {
                    let key = (is_footnote, id);
                    // A note that both sides add alike is one: what it says tells, not its id.
                    let number = match base.notes.get(&key) {
                        Some(known) => *known,
                        None if side == "base" => number_of(36, &format!("{is_footnote} {}", key.1)),
                        None => {
                            number_of(36, &format!("{is_footnote} {:?}", signer(&notes, &found).blocks(node)))
                        }
                    };
                    found.notes.insert(key, number);
                }
            }
            _ => {}
        }
    }
    found.lists = lists;
    Ok(found)
}

/// The properties of the last section of a body.
fn last_section(document: &Document) -> Option<NodeId> {
    let body = document.child(document.root(), BODY)?;
    document.children(body).filter(|node| document.name(*node) == SECT_PR).last()
}
