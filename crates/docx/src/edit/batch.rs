//! A batch of operations on one story: each planned in the state before the batch, written, proven, and kept or taken
//! back.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::RangeInclusive;

use engross_xml::{Document, NodeId, TreeCheckpoint};

use crate::canon::{IgnoredMarkup, form_key};
use crate::edit::coalesce::coalesce;
use crate::edit::column_edits::ColumnEdits;
use crate::edit::content::PARAGRAPH_BREAK;
use crate::edit::evidence::{self, Evidence, TableEvidence};
use crate::edit::expected::ExpectedText;
use crate::edit::ids::Ids;
use crate::edit::pending_parts::{PendingMark, PendingParts};
use crate::edit::plan::{Plan, Step, plan};
use crate::edit::snapshot::{StorySnapshot, StyleContext};
use crate::edit::touched::{TouchedRange, TouchedRanges};
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::{Refusal, RefusalCode};
use crate::model::{RevisionStamp, is_revision_wrapper};
use crate::names::{CELL_DEL, CELL_INS, TBL};
use crate::ops::{Change, Operation, OperationOutcome, Outcome};
use crate::revisions::is_property_change;

/// Of how many paragraphs a proof is at least, before one that could go on is parted.
const LONGEST_PROOF: usize = 200;

/// Who signs revisions, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature<'a> {
    pub(crate) author: &'a str,
    pub(crate) date: &'a str,
}

/// A batch under way.
pub(crate) struct BatchRun<'a> {
    editor: TreeEditor<'a>,
    ignored: &'a IgnoredMarkup,
    author: &'a str,
    touched: TouchedRanges,
    /// Keys of the normal forms of paragraphs from before the batch.
    forms: HashMap<usize, u64>,
}

/// What it takes to undo an operation.
struct Attempt {
    checkpoint: TreeCheckpoint,
    ids: Ids,
    pending: PendingMark,
    blocks: usize,
    columns: ColumnEdits,
    /// What its paragraphs shall say by earlier operations; of the others nothing was known.
    known: Vec<(usize, ExpectedText)>,
    unknown: Vec<usize>,
}

impl<'a> BatchRun<'a> {
    /// A run over the story `name` (empty: the body) below `root`. Revisions from `first_id` on are the batch's.
    pub(crate) fn new(
        (tree, root, name): (&'a mut Document, NodeId, &str),
        context: StyleContext<'a>,
        (ids, pending): (&'a mut Ids, &'a mut PendingParts),
        ignored: &'a IgnoredMarkup,
        first_id: i64,
        signature: Signature<'a>,
    ) -> Self {
        let mut snapshot = StorySnapshot::new(tree, root, name, context, first_id);
        snapshot.relationships = pending.part.relationships.clone();
        pending.copies.clear();
        let blocks = Vec::new();
        let editor = TreeEditor {
            snapshot,
            ids,
            pending,
            blocks,
            date: signature.date,
            first_id,
            expected: BTreeMap::new(),
            columns: ColumnEdits::default(),
            known_ends: BTreeMap::new(),
        };
        Self {
            editor,
            ignored,
            author: signature.author,
            touched: TouchedRanges::default(),
            forms: HashMap::new(),
        }
    }

    /// Lets numbers of paragraphs mean those of `read`, which were the story's when it was read.
    pub(crate) fn count_as(&mut self, read: &[NodeId]) {
        self.editor.snapshot.count_as(read);
    }

    /// Runs one operation. Unless it is applied, the tree is as it was.
    pub(crate) fn run(&mut self, operation: &Operation) -> OperationOutcome {
        let mut done = OperationOutcome::default();
        let pending = self.editor.pending.mark();
        done.outcome = match self.attempt(operation, &mut done) {
            Ok(outcome) => outcome,
            Err(refusal) => {
                self.name_place(&refusal, &mut done);
                let story = self.editor.snapshot.prefix.trim_end_matches('/');
                let message = match story {
                    "" => refusal.message,
                    story => format!("in {story}: {}", refusal.message),
                };
                Refusal { message, ..refusal }.into()
            }
        };
        if !done.outcome.is_applied() {
            self.editor.pending.take_back(pending);
        }
        done
    }

    /// Of a refused operation on several places, only the one that is in the way is named.
    fn name_place(&mut self, refusal: &Refusal, done: &mut OperationOutcome) {
        let Some(index) = refusal.place.filter(|index| *index < self.editor.snapshot.paragraphs.len()) else {
            return;
        };
        let place = format!("{}P{}", self.editor.snapshot.prefix, index + 1);
        if done.address.as_ref() != Some(&place) {
            done.address = Some(place);
            done.before = Some(self.editor.snapshot.text(index).to_owned());
        }
        const SHOWN: usize = 1_000;
        if let Some(before) = &mut done.before
            && let Some((end, _)) = before.char_indices().nth(SHOWN)
        {
            before.truncate(end);
            before.push('…');
        }
    }

    /// The paragraphs that are deleted, emptied or moved away so far.
    pub(crate) fn gone(&self) -> Vec<NodeId> {
        let snapshot = &self.editor.snapshot;
        let is_gone = |(index, expected): &(&usize, &ExpectedText)| {
            let had_text = !snapshot.known_text(**index).is_empty();
            expected.is_gone() || had_text && expected.own.iter().all(String::is_empty)
        };
        let gone = self.editor.expected.iter().filter(is_gone);
        gone.filter_map(|(index, _)| snapshot.paragraphs.get(*index).copied()).collect()
    }

    /// Ends the batch: one's own revisions in the paragraphs that it touched become one redline. Results name only revisions that
    /// are there.
    pub(crate) fn finish<'b>(self, outcomes: impl Iterator<Item = &'b mut OperationOutcome>) {
        let snapshot = self.editor.snapshot;
        let outcomes: Vec<&mut OperationOutcome> = outcomes.collect();
        let mut indices: BTreeSet<usize> = self.editor.expected.keys().copied().collect();
        for done in &outcomes {
            if let Outcome::Applied(change) = &done.outcome {
                indices.extend(&change.paragraphs);
            }
        }
        let touched: Vec<NodeId> = indices.iter().flat_map(|index| snapshot.chain(*index)).collect();
        let earlier = earlier_revisions(&snapshot, indices.iter(), self.editor.first_id);
        let joined = coalesce(snapshot.tree, &touched, self.editor.ids.own());
        let tree = &*snapshot.tree;
        let ids: HashSet<i64> = tree
            .descendants(tree.root())
            .filter(|node| is_revision(tree, *node))
            .filter_map(|node| RevisionStamp::of(tree, node).id)
            .collect();
        let mut listed = HashSet::new();
        for done in outcomes {
            let Outcome::Applied(change) = &mut done.outcome else { continue };
            let named = change.revision_ids.iter().map(|id| *joined.get(id).unwrap_or(id));
            let mut there: Vec<i64> = named.filter(|id| ids.contains(id)).collect();
            there.sort_unstable();
            there.dedup();
            change.revision_ids = there;
            let before = change.paragraphs.iter().filter_map(|index| earlier.get(index)).flatten();
            let gone: BTreeSet<i64> = before.copied().filter(|id| !ids.contains(id)).collect();
            change.gone_revision_ids = gone.into_iter().filter(|id| listed.insert(*id)).collect();
        }
    }

    /// Says in `done` which paragraphs it concerns as soon as they are known.
    fn attempt(&mut self, operation: &Operation, done: &mut OperationOutcome) -> Result<Outcome, Refusal> {
        let (first_id, first_comment) = (self.editor.ids.peek(), self.editor.pending.next_comment);
        let Plan { mut steps, remark, found } =
            plan(&mut self.editor.snapshot, self.editor.pending, operation)?;
        let mut remarks: Vec<String> = remark.into_iter().collect();
        remarks.extend(self.editor.prepare(&mut steps)?);
        let steps = self.editor.at_whole_prompts(steps);
        let mut remark = (!remarks.is_empty()).then(|| remarks.join("; "));
        done.address = Some(match found {
            Some(found) => format!("{}P{}", self.editor.snapshot.prefix, found + 1),
            None => self.address_of(&steps),
        })
        .filter(|address| !address.is_empty());
        done.before = self.before(&steps);
        let touched = self.range(&steps)?;
        if steps.iter().all(Step::is_idle) {
            return Ok(Outcome::NoChange { remark });
        }
        let scope = self.scope(&steps);
        for index in scope.iter().cloned().flatten() {
            self.remember_form(index);
        }
        let author = operation.author.as_deref().unwrap_or(self.author);
        let attempt = self.begin(&scope);
        let known_blocks = self.editor.blocks.len();
        let tables = self.tables(&steps);
        let outcome = self.editor.write(&steps, author).and_then(|written| {
            for range in &scope {
                self.prove(range.clone())?;
            }
            let blocks = self.editor.blocks.get(known_blocks..).unwrap_or_default();
            evidence::check_blocks(self.editor.snapshot.tree, blocks, self.editor.first_id)?;
            for table in &tables {
                table.check(self.editor.snapshot.tree, self.ignored, self.editor.first_id)?;
            }
            Ok(written)
        });
        match outcome {
            Ok(WriteOutcome::Done) => {}
            Ok(WriteOutcome::DoneWith(known)) => {
                remark = Some(remark.map_or(known.to_owned(), |remark| format!("{remark}; {known}")));
            }
            Ok(WriteOutcome::Nothing(why)) => {
                self.take_back(attempt);
                return Ok(Outcome::NoChange { remark: Some(why.to_owned()) });
            }
            Err(refusal) => {
                self.take_back(attempt);
                return Err(refusal);
            }
        }
        self.editor.snapshot.tree.commit(attempt.checkpoint);
        for (index, range) in touched {
            self.touched.add(index, range);
        }
        Ok(Outcome::Applied(Change {
            remark,
            // What only looks otherwise says what it said.
            after: (!steps.iter().all(Step::is_format_of_table)).then(|| self.editor.after(&steps)),
            revision_ids: (first_id..self.editor.ids.peek()).collect(),
            comment_ids: (first_comment..self.editor.pending.next_comment).collect(),
            paragraphs: scope.into_iter().flatten().collect(),
            gone_revision_ids: Vec::new(),
            untracked: steps.iter().filter_map(Step::untracked).collect(),
        }))
    }

    /// The tables whose cells or properties an operation changes, as they are before it. New and deleted rows alone need no such
    /// proof.
    fn tables(&mut self, steps: &[Step]) -> Vec<TableEvidence> {
        let tree = &*self.editor.snapshot.tree;
        let mut tables: Vec<NodeId> = steps.iter().filter_map(Step::table_part).collect();
        for node in &mut tables {
            let above = || tree.ancestors(*node).find(|above| tree.name(*above) == TBL);
            *node = Some(*node).filter(|node| tree.name(*node) == TBL).or_else(above).unwrap_or(*node);
        }
        tables.sort_unstable();
        tables.dedup();
        let (tree, first_id) = (&mut *self.editor.snapshot.tree, self.editor.first_id);
        tables.into_iter().map(|table| TableEvidence::of(tree, table, self.ignored, first_id)).collect()
    }

    fn begin(&mut self, scope: &[RangeInclusive<usize>]) -> Attempt {
        let indices = || scope.iter().cloned().flatten();
        let of = |index: usize| self.editor.expected.get(&index).map(|expected| (index, expected.clone()));
        let is_unknown = |index: &usize| !self.editor.expected.contains_key(index);
        Attempt {
            known: indices().filter_map(of).collect(),
            unknown: indices().filter(is_unknown).collect(),
            ids: self.editor.ids.clone(),
            pending: self.editor.pending.mark(),
            blocks: self.editor.blocks.len(),
            columns: self.editor.columns.clone(),
            checkpoint: self.editor.snapshot.tree.checkpoint(),
        }
    }

    fn take_back(&mut self, attempt: Attempt) {
        self.editor.snapshot.tree.rollback(attempt.checkpoint);
        *self.editor.ids = attempt.ids;
        self.editor.pending.take_back(attempt.pending);
        self.editor.blocks.truncate(attempt.blocks);
        self.editor.columns = attempt.columns;
        for index in attempt.unknown {
            self.editor.expected.remove(&index);
        }
        self.editor.expected.extend(attempt.known);
    }

    fn range(&self, steps: &[Step]) -> Result<Vec<(usize, TouchedRange)>, Refusal> {
        let mut wanted: Vec<(usize, TouchedRange)> = Vec::new();
        for step in steps {
            match step {
                Step::Delete { index } | Step::DeleteCommented { index, .. } => {
                    wanted.push((*index, TouchedRange::Whole));
                }
                Step::Text(change) if change.range == TouchedRange::Hunks => {
                    for hunk in &change.hunks {
                        wanted.push((change.first, TouchedRange::Text(hunk.range.clone())));
                        wanted.push((change.first, TouchedRange::Addition(hunk.range.start)));
                        wanted.push((change.first, TouchedRange::Addition(hunk.range.end)));
                    }
                }
                Step::Text(change) => {
                    let crosses = change.first != change.last;
                    let range = || if crosses { TouchedRange::Whole } else { change.range.clone() };
                    wanted.extend((change.first..=change.last).map(|index| (index, range())));
                    let adds =
                        matches!(&change.range, TouchedRange::Text(range) if !crosses && !range.is_empty());
                    let additions = change.hunks.iter().filter(|hunk| adds && hunk.range.is_empty());
                    wanted.extend(
                        additions.map(|hunk| (change.first, TouchedRange::Addition(hunk.range.start))),
                    );
                }
                Step::DeleteRow { paragraphs, .. } | Step::DeleteCell { paragraphs, .. } => {
                    wanted.extend(paragraphs.iter().map(|index| (*index, TouchedRange::Whole)));
                }
                Step::Move { first, last, .. } => {
                    wanted.extend((*first..=*last).map(|index| (index, TouchedRange::Whole)));
                }
                Step::Fill(fill) => {
                    wanted.push((fill.index, TouchedRange::Text(fill.range.clone())));
                    let place = Some(fill.range.start).filter(|_| fill.range.is_empty());
                    wanted.extend(place.map(|at| (fill.index, TouchedRange::Addition(at))));
                }
                Step::InsertRow { .. } | Step::InsertCell { .. } | Step::Table { .. } => {}
                step if step.is_format_of_table() => {}
                // Formats do not contradict each other; text that is gone is noticed when they are written.
                _ => {}
            }
        }
        for (index, range) in &wanted {
            if self.touched.conflicts(*index, range) {
                let message = format!(
                    "an earlier operation of this batch already changes this text of P{}; \
                     merge the two, or send this one after reading again",
                    index + 1
                );
                let refusal = Refusal::new(RefusalCode::OverlappingOperations, message);
                return Err(Refusal { place: Some(*index), ..refusal });
            }
        }
        Ok(wanted)
    }

    /// Paragraphs that the change or its proof touch, with their neighbours.
    fn scope(&mut self, steps: &[Step]) -> Vec<RangeInclusive<usize>> {
        let last = self.editor.snapshot.paragraphs.len().saturating_sub(1);
        let mut scope: Vec<(RangeInclusive<usize>, bool)> = steps
            .iter()
            .flat_map(|step| step.scope().into_iter().map(|range| (range, step.keeps_borders())))
            .collect();
        for (range, _) in &mut scope {
            let (mut from, mut to) = (*range.start(), *range.end());
            // Borders that go tie a paragraph to its neighbours, however many.
            while from > 0 && self.loses_text(from - 1) {
                from -= 1;
            }
            while to < last && self.loses_text(to + 1) {
                to += 1;
            }
            from = from.saturating_sub(1);
            to = (to + 1).min(last);
            while from > 0 && (self.editor.runs_on(from - 1) || self.loses_text(from - 1)) {
                from -= 1;
            }
            while to < last && self.editor.runs_on(to) {
                to += 1;
            }
            *range = from..=to;
        }
        // Ranges that meet are one. Where no border is concerned they are as good apart, and a proof of a long one would hold
        // much of the document at a time.
        scope.sort_by_key(|(range, _)| *range.start());
        let mut merged: Vec<(RangeInclusive<usize>, bool)> = Vec::new();
        for (range, keeps) in scope {
            match merged.last_mut() {
                Some((previous, all_keep))
                    if *range.start() <= *previous.end()
                        && !(keeps && *all_keep && previous.end() - previous.start() > LONGEST_PROOF) =>
                {
                    *previous = *previous.start()..=(*previous.end()).max(*range.end());
                    *all_keep &= keeps;
                }
                _ => merged.push((range, keeps)),
            }
        }
        merged.into_iter().map(|(range, _)| range).collect()
    }

    /// Whether the batch deleted the paragraph or joined it, so that borders around it may be gone.
    fn loses_text(&self, index: usize) -> bool {
        self.editor.is_gone(index)
    }

    fn remember_form(&mut self, index: usize) {
        if !self.forms.contains_key(&index)
            && let Some(node) = self.editor.snapshot.paragraphs.get(index)
        {
            let form = form_key(self.editor.snapshot.tree, *node, self.ignored);
            self.forms.insert(index, form);
        }
    }

    fn prove(&mut self, range: RangeInclusive<usize>) -> Result<(), Refusal> {
        let mut texts = Vec::new();
        for index in range.clone() {
            match self.editor.expected.get(&index) {
                Some(expected) => texts.extend(expected.texts()),
                None => texts.push(self.editor.snapshot.text(index).to_owned()),
            }
        }
        let originals: Vec<NodeId> =
            range.clone().filter_map(|index| self.editor.snapshot.paragraphs.get(index).copied()).collect();
        let forms: Vec<u64> = range.clone().filter_map(|index| self.forms.get(&index)).copied().collect();
        let chains: Vec<Vec<NodeId>> = range.map(|index| self.editor.snapshot.chain(index)).collect();
        let evidence = Evidence {
            originals: &originals,
            forms: &forms,
            chains: &chains,
            texts: &texts,
            ignored: self.ignored,
            blocks: &self.editor.blocks,
        };
        evidence::check(
            self.editor.snapshot.tree,
            &evidence,
            &self.editor.snapshot.fields,
            (self.editor.ids.own(), self.editor.first_id),
        )
    }

    /// The texts that an operation changes, as they were; `None` when it only adds.
    fn before(&mut self, steps: &[Step]) -> Option<String> {
        let ranges: BTreeSet<(usize, usize)> = steps
            .iter()
            .filter(|step| !step.only_adds())
            .map(|step| (*step.paragraphs().start(), *step.paragraphs().end()))
            .collect();
        let mut texts: Vec<String> =
            ranges.iter().map(|(first, last)| self.editor.snapshot.joined(*first, *last)).collect();
        texts.dedup();
        (!texts.is_empty()).then(|| texts.join("\n").replace(PARAGRAPH_BREAK, "\n"))
    }

    /// The paragraphs of an operation: `P4`, `P4-P5` across a border, `P4, P9` for several places.
    fn address_of(&self, steps: &[Step]) -> String {
        let prefix = &self.editor.snapshot.prefix;
        let mut places: Vec<String> = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        for step in steps {
            let (first, last) = (step.paragraphs().start() + 1, step.paragraphs().end() + 1);
            let place =
                if first == last { format!("{prefix}P{first}") } else { format!("{prefix}P{first}-P{last}") };
            if known.insert(place.clone()) {
                places.push(place);
            }
        }
        places.join(", ")
    }
}

/// By paragraph, the ids of revisions in it that are older than the batch.
fn earlier_revisions<'a>(
    snapshot: &StorySnapshot<'_>,
    paragraphs: impl Iterator<Item = &'a usize>,
    first_id: i64,
) -> HashMap<usize, Vec<i64>> {
    let tree = snapshot.document();
    let of = |index: usize| {
        let nodes = snapshot.chain(index).into_iter().flat_map(|node| tree.descendants(node));
        let ids =
            nodes.filter(|node| is_revision(tree, *node)).filter_map(|node| RevisionStamp::of(tree, node).id);
        ids.filter(|id| *id < first_id).collect()
    };
    paragraphs.map(|index| (*index, of(*index))).collect()
}

/// Whether an element is a revision with an id of its own.
fn is_revision(tree: &Document, node: NodeId) -> bool {
    let name = tree.name(node);
    is_revision_wrapper(name) || is_property_change(name) || matches!(name, CELL_INS | CELL_DEL)
}
