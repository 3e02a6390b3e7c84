//! The tree under a batch's hand: writes one plan at a time, and keeps what each paragraph shall say then.
//!
//! Must never decide whether a plan may be written: that is the batch's, before and after.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use engross_xml::NodeId;

use crate::edit::column_edits::ColumnEdits;
use crate::edit::content::{PARAGRAPH_BREAK, pieces, split_at_breaks};
use crate::edit::expected::{ExpectedText, edited};
use crate::edit::ids::Ids;
use crate::edit::insertion::{before, behind, between, outside_links, put};
use crate::edit::marks::{delete_mark, split};
use crate::edit::pending_parts::PendingParts;
use crate::edit::plan::{Step, TextChange};
use crate::edit::prompts::fill_prompts;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::snapshot::StorySnapshot;
use crate::edit::splice::{Chain, delete};
use crate::error::{Refusal, RefusalCode};
use crate::model::{is_id_since, mark_revisions};
use crate::names::{DEL, MOVE_FROM};
use crate::text::StyledText;

/// What writing a plan came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// All of it.
    Done,
    /// All of it, with a remark for people.
    DoneWith(&'static str),
    /// There was nothing to do, and why.
    Nothing(&'static str),
}

/// A border within a change of several paragraphs.
struct Border {
    /// The paragraph before it.
    behind: usize,
    /// In bytes of the joined text.
    at: usize,
    /// Whether the change takes it away.
    goes: bool,
}

/// A row, cell or table that an operation put there, and what it says.
#[derive(Debug, Clone)]
pub(crate) struct NewBlock {
    pub(crate) node: NodeId,
    pub(crate) texts: Vec<String>,
}

/// The ends of a paragraph itself, among new paragraphs beside it. These leave them where they are, and everything else that is
/// written may move them: so they are known only within a run of new paragraphs, which would walk over all before for each.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KnownEnds {
    pub(crate) front: Option<NodeId>,
    pub(crate) own_end: Option<NodeId>,
}

/// A story being edited.
pub(crate) struct TreeEditor<'a> {
    pub(crate) snapshot: StorySnapshot<'a>,
    pub(crate) ids: &'a mut Ids,
    pub(crate) pending: &'a mut PendingParts,
    pub(crate) date: &'a str,
    pub(crate) first_id: i64,
    /// By paragraph, from 0; paragraphs that are not there stay as they were.
    pub(crate) expected: BTreeMap<usize, ExpectedText>,
    /// What the batch put there besides paragraphs.
    pub(crate) blocks: Vec<NewBlock>,
    /// What the batch did to columns.
    pub(crate) columns: ColumnEdits,
    /// By paragraph, from 0.
    pub(crate) known_ends: BTreeMap<usize, KnownEnds>,
}

impl TreeEditor<'_> {
    /// Writes the steps of an operation in the name of `author`. After a refusal the tree must be rolled back.
    pub(crate) fn write(&mut self, steps: &[Step], author: &str) -> Result<WriteOutcome, Refusal> {
        let mut all: Option<WriteOutcome> = None;
        self.columns.begin_operation();
        self.known_ends.clear();
        for step in steps.iter().filter(|step| !step.is_idle()) {
            let written = self.write_step(step, author).map_err(|refusal| Refusal {
                place: refusal.place.or(Some(*step.paragraphs().start())),
                ..refusal
            })?;
            all = Some(match (all, written) {
                (None | Some(WriteOutcome::Nothing(_)), written) => written,
                (Some(WriteOutcome::Done), WriteOutcome::DoneWith(remark)) => WriteOutcome::DoneWith(remark),
                (Some(known), _) => known,
            });
        }
        Ok(all.unwrap_or(WriteOutcome::Done))
    }

    fn write_step(&mut self, step: &Step, author: &str) -> Result<WriteOutcome, Refusal> {
        // Beside a row or cell that goes another may come, and formats contradict nothing.
        match step {
            Step::InsertCell { like, .. } => self.refuse_deleted_row(*like)?,
            step if step.changes_table() => {}
            step => {
                let paragraphs = step.paragraphs();
                self.refuse_deleted_blocks(*paragraphs.start()..paragraphs.end() + 1)?;
                if let Step::Move { index, .. } = step {
                    self.refuse_deleted_blocks(*index..index + 1)?;
                }
            }
        }
        if !matches!(step, Step::Insert(_)) {
            self.known_ends.clear();
        }
        match step {
            Step::Text(change) => {
                self.write_text(change, author)?;
                Ok(WriteOutcome::Done)
            }
            Step::Insert(new) => {
                self.write_paragraphs(new, author)?;
                Ok(WriteOutcome::Done)
            }
            Step::Delete { index } => self.write_deletion(*index, None, author),
            Step::DeleteCommented { index, keep } => self.write_deletion(*index, Some(*keep), author),
            Step::SectionBreak { index, section } => self.write_section_break(*index, *section, author),
            Step::Widths { table, widths, .. } => self.write_widths(*table, widths, author),
            Step::Fill(fill) => self.write_fill(fill, author),
            Step::RunFormat(format) => self.write_run_format(format, author),
            Step::InsertRow { like, pattern, side, cells, plain, merged, .. } => {
                self.write_row((*like, *side), *pattern, (cells, *plain, merged), author)
            }
            Step::DeleteRow { row, paragraphs } => self.write_row_deletion(*row, paragraphs, author),
            Step::InsertCell { like, side, content, settings, .. } => {
                self.write_cell((*like, *side), content, settings, author)
            }
            Step::DeleteCell { cell, paragraphs } => self.write_cell_deletion(*cell, paragraphs, author),
            Step::TableFormat { owner, settings, .. } => self.write_table_format(*owner, settings, author),
            Step::Span { cell, by, .. } => self.write_span(*cell, *by, author),
            Step::RowOffset { row, side, by, .. } => self.write_row_offset((*row, *side), *by, author),
            Step::Columns { table, columns, change, .. } => {
                self.write_columns((*table, *columns), *change, author)
            }
            Step::Table { index, side, table, behind } => {
                self.write_table((*index, *side), table, behind.as_deref(), author)
            }
            Step::Move { first, last, index, side } => {
                self.write_move((*first, *last), (*index, *side), author)
            }
            Step::Comment { places, content } => self.write_comment(places, content, author),
            Step::ParagraphFormat { index, settings } => self.write_paragraph_look(*index, settings, author),
        }
    }

    fn write_text(&mut self, change: &TextChange, author: &str) -> Result<(), Refusal> {
        // Text typed there would run into the next paragraph once the deletion is accepted.
        if self.is_deleted_before(change.last) && self.snapshot.text(change.last).is_empty() {
            return Err(Refusal::new(
                RefusalCode::TextDeleted,
                format!(
                    "a pending revision deletes P{}; reject it first, or insert a new paragraph beside it",
                    change.last + 1
                ),
            ));
        }
        let joined = self.snapshot.joined(change.first, change.last);
        let borders = self.borders(change);
        let lost = borders.iter().find(|border| border.goes && self.is_deleted_before(border.behind));
        if let Some(border) = lost {
            return Err(Refusal::new(
                RefusalCode::TextDeleted,
                format!(
                    "a pending revision already joins P{} and P{}; accept or reject it first, \
                     or edit the two one by one",
                    border.behind + 1,
                    border.behind + 2
                ),
            ));
        }
        for hunk in &change.hunks {
            self.write_hunk(change, &joined, hunk.range.clone(), &hunk.new, author)?;
        }
        if change.first == change.last {
            self.expect(change.first)
                .edit(change.hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.clone())));
        } else {
            self.expect_across(change, &joined, &borders);
        }
        Ok(())
    }

    /// Whether the border behind the paragraph was deleted before the batch.
    fn is_deleted_before(&self, index: usize) -> bool {
        let tree = &*self.snapshot.tree;
        let deletes =
            |mark| matches!(tree.name(mark), DEL | MOVE_FROM) && !is_id_since(tree, mark, self.first_id);
        self.snapshot.paragraphs.get(index).is_some_and(|node| mark_revisions(tree, *node).any(deletes))
    }

    /// The borders between the paragraphs of a change.
    fn borders(&mut self, change: &TextChange) -> Vec<Border> {
        let mut at = 0;
        let mut borders = Vec::new();
        for behind in change.first..change.last {
            at += self.snapshot.text(behind).len();
            let goes = change.hunks.iter().any(|hunk| hunk.range.start <= at && at < hunk.range.end);
            borders.push(Border { behind, at, goes });
            at += PARAGRAPH_BREAK.len_utf8();
        }
        borders
    }

    /// What paragraphs shall say after a change across their borders: those between which no border stays are one.
    fn expect_across(&mut self, change: &TextChange, joined: &str, borders: &[Border]) {
        let mut hunks = change.hunks.iter().peekable();
        let (mut first, mut start) = (change.first, 0);
        let end = Border { behind: change.last, at: joined.len(), goes: false };
        for border in borders.iter().chain([&end]).filter(|border| !border.goes) {
            let mut own = Vec::new();
            while let Some(hunk) = hunks.next_if(|hunk| hunk.range.start <= border.at) {
                own.push((hunk.range.start - start..hunk.range.end - start, hunk.new.text.as_str()));
            }
            let changed = !own.is_empty();
            let text = edited(joined.get(start..border.at).unwrap_or_default(), own.into_iter());
            for index in first..border.behind {
                self.expect(index).own = Vec::new();
            }
            if changed {
                self.expect(border.behind).own = text.split(PARAGRAPH_BREAK).map(str::to_owned).collect();
            }
            first = border.behind + 1;
            start = border.at + PARAGRAPH_BREAK.len_utf8();
        }
    }

    fn write_hunk(
        &mut self,
        change: &TextChange,
        joined: &str,
        range: Range<usize>,
        new: &StyledText,
        author: &str,
    ) -> Result<(), Refusal> {
        // Where each paragraph begins in the joined text.
        let mut start = 0;
        let mut place = None;
        let mut insert_at = None;
        for (offset, text) in joined.split(PARAGRAPH_BREAK).enumerate() {
            let index = change.first + offset;
            let end = start + text.len();
            let from = range.start.clamp(start, end) - start;
            let to = range.end.clamp(start, end) - start;
            if insert_at.is_none() && range.start <= end {
                insert_at = Some((index, from));
            }
            if from < to {
                let chain = self.own_chain(index);
                let fields = self.snapshot.context(index);
                let view = self.snapshot.view;
                let mut writer = self.writer(author);
                let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
                let deletion = delete(&mut writer, chain, from..to, !new.text.is_empty())?;
                if place.is_none()
                    && insert_at.is_some_and(|(first, _)| first == index)
                    && !new.text.is_empty()
                    && let Some(deletion) = deletion
                {
                    // The pieces of a field must not part around new text.
                    place = Some(match deletion.takes_field {
                        true => before(&mut writer, deletion.first),
                        false => behind(&mut writer, deletion.first),
                    });
                }
            }
            // The border behind this paragraph lies within the change.
            if range.start <= end && end < range.end && index < change.last {
                let node = self.snapshot.paragraphs.get(index).copied();
                if let Some(node) = node {
                    let mut writer = self.writer(author);
                    delete_mark(&mut writer, node);
                }
            }
            start = end + PARAGRAPH_BREAK.len_utf8();
        }
        if new.text.is_empty() {
            return Ok(());
        }
        let (index, at) = insert_at.unwrap_or((change.last, 0));
        let place = match place {
            Some(place) => place,
            None => {
                let chain = self.own_chain(index);
                let fields = self.snapshot.context(index);
                let (view, styles) = (self.snapshot.view, self.snapshot.styles);
                let mut writer = self.writer(author);
                let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
                between(&mut writer, chain, at, styles)?
            }
        };
        let mut writer = self.writer(author);
        // No link stands in another.
        let cursor = match new.links.is_empty() {
            true => place.cursor,
            false => outside_links(&writer, place.cursor)?,
        };
        let like = fill_prompts(writer.document, cursor.parent, place.like);
        for (number, part) in split_at_breaks(new).iter().enumerate() {
            if number > 0 {
                split(&mut writer, cursor)?;
            }
            for inserted in writer.inserted_runs(&pieces(part), like) {
                put(&mut writer, cursor, inserted);
            }
        }
        Ok(())
    }

    /// What stands in the place of the paragraph itself, without new paragraphs that the batch put beside it.
    pub(super) fn own_chain(&self, index: usize) -> Vec<NodeId> {
        let mut chain = self.snapshot.chain(index);
        if let Some(expected) = self.expected.get(&index) {
            chain.truncate(chain.len().saturating_sub(expected.after.len()));
            chain.drain(..expected.before.len().min(chain.len()));
        }
        chain
    }

    /// The first element of a paragraph itself, behind new paragraphs that the batch put before it.
    pub(super) fn front(&self, index: usize) -> Option<NodeId> {
        let new = self.expected.get(&index).map_or(0, |expected| expected.before.len());
        self.snapshot.chain(index).get(new).copied()
    }

    /// What shall stand in the place of the paragraph.
    pub(crate) fn expect(&mut self, index: usize) -> &mut ExpectedText {
        let text = self.snapshot.text(index).to_owned();
        self.expected.entry(index).or_insert_with(|| ExpectedText::unchanged(text))
    }

    /// What the paragraphs of an operation say once it is written and accepted.
    pub(crate) fn after(&mut self, steps: &[Step]) -> String {
        let mut indices: BTreeSet<usize> = BTreeSet::new();
        let mut new = Vec::new();
        for step in steps {
            match step {
                Step::InsertRow { cells, .. } => new.extend(cells.iter().map(|cell| cell.text.clone())),
                Step::InsertCell { content, .. } => new.push(content.text.clone()),
                Step::Table { table, behind, .. } => {
                    new.extend(table.rows.iter().flatten().map(|cell| cell.text.clone()));
                    new.extend(behind.iter().map(|behind| behind.content.text.clone()));
                }
                Step::Insert(paragraphs) => new.push(paragraphs.content.text.replace(PARAGRAPH_BREAK, "\n")),
                step => indices.extend(step.paragraphs()),
            }
        }
        let mut texts = Vec::new();
        for index in indices {
            match self.expected.get(&index) {
                Some(expected) => texts.extend(expected.own.clone()),
                None => texts.push(self.snapshot.text(index).to_owned()),
            }
        }
        texts.append(&mut new);
        texts.join("\n")
    }

    pub(super) fn writer<'b>(&'b mut self, author: &'b str) -> RevisionWriter<'b> {
        RevisionWriter {
            document: self.snapshot.tree,
            ids: self.ids,
            author,
            date: self.date,
            since: self.first_id,
            pending: self.pending,
            styles: self.snapshot.styles,
        }
    }
}
