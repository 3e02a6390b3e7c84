//! A batch of operations on one story: each planned in the state before the batch, written, proven, and kept or taken
//! back.

use std::collections::{BTreeMap, HashMap};

use engross_xml::{Document, NodeId};

use crate::edit::claims::{Claim, Claims};
use crate::edit::content::{PARAGRAPH_BREAK, pieces, split_at_breaks};
use crate::edit::evidence::{self, Expected};
use crate::edit::insertion::{behind, between, put};
use crate::edit::marks::{
    Left, delete_mark, delete_whole, insert_paragraph_at_end, insert_paragraph_before, split,
    style_properties,
};
use crate::edit::pen::{Ids, Pen};
use crate::edit::plan::{Plan, TextChange, plan};
use crate::edit::splice::{Chain, Cursor, delete, refuse_barrier};
use crate::edit::tidy::tidy;
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    AtomKind, Barrier, FieldContext, Paragraph, View, barrier_inside, fields_at_start, mark_revisions,
    paragraphs,
};
use crate::names::{COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, INS, P, P_PR, R_PR};
use crate::ops::{Edit, Operation, OperationResult, Status, Where};
use crate::revisions::Selection;
use crate::styles::Styles;
use crate::text::StyledText;

/// Who signs revisions, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signature<'a> {
    pub(crate) author: &'a str,
    pub(crate) date: &'a str,
}

/// The story as it was before the batch.
pub(crate) struct Base<'a> {
    tree: &'a mut Document,
    pub(crate) styles: &'a Styles,
    pub(crate) paragraphs: Vec<NodeId>,
    pub(crate) fields: HashMap<NodeId, FieldContext>,
    pub(crate) view: View,
    texts: Vec<Option<String>>,
}

impl Base<'_> {
    pub(crate) fn document(&self) -> &Document {
        self.tree
    }

    /// The text of a paragraph before the batch.
    pub(crate) fn text(&mut self, index: usize) -> &str {
        if self.texts.get(index).is_some_and(Option::is_none)
            && let Some(node) = self.paragraphs.get(index).copied()
        {
            let chain = chain_of(self.tree, node, self.view);
            let text = Paragraph::read_chain(self.tree, &chain, self.view, self.fields.get(&node)).text;
            if let Some(slot) = self.texts.get_mut(index) {
                *slot = Some(text);
            }
        }
        self.known_text(index)
    }

    /// The same, if it was asked for before; else empty.
    pub(crate) fn known_text(&self, index: usize) -> &str {
        self.texts.get(index).and_then(Option::as_deref).unwrap_or_default()
    }

    fn chain(&self, index: usize) -> Vec<NodeId> {
        self.paragraphs.get(index).map(|node| chain_of(self.tree, *node, self.view)).unwrap_or_default()
    }

    fn context(&self, index: usize) -> Option<FieldContext> {
        self.paragraphs.get(index).and_then(|node| self.fields.get(node)).cloned()
    }
}

/// The elements that were one paragraph before the batch: the element itself, and those directly before it whose
/// border the batch inserted.
pub(crate) fn chain_of(document: &Document, node: NodeId, view: View) -> Vec<NodeId> {
    let View::Before(first) = view else { return vec![node] };
    let mut chain = vec![node];
    let mut at = node;
    while let Some(previous) = document.previous(at) {
        let inserted = document.name(previous) == P
            && mark_revisions(document, previous)
                .any(|mark| document.name(mark) == INS && Selection::IdsFrom(first).holds(document, mark));
        if !inserted {
            break;
        }
        chain.push(previous);
        at = previous;
    }
    chain.reverse();
    chain
}

/// A batch under way.
pub(crate) struct BatchRun<'a> {
    base: Base<'a>,
    ids: &'a mut Ids,
    signature: Signature<'a>,
    first_id: i64,
    claims: Claims,
    forms: HashMap<usize, Vec<u8>>,
    expected: BTreeMap<usize, Expected>,
}

impl<'a> BatchRun<'a> {
    pub(crate) fn new(
        tree: &'a mut Document,
        story: NodeId,
        styles: &'a Styles,
        ids: &'a mut Ids,
        signature: Signature<'a>,
    ) -> Self {
        let paragraphs = paragraphs(tree, story);
        let fields = fields_at_start(tree, &paragraphs);
        let texts = vec![None; paragraphs.len()];
        let first_id = ids.peek();
        let base = Base { tree, styles, paragraphs, fields, view: View::Before(first_id), texts };
        Self {
            base,
            ids,
            signature,
            first_id,
            claims: Claims::default(),
            forms: HashMap::new(),
            expected: BTreeMap::new(),
        }
    }

    /// Runs one operation. On refusal the tree is as it was.
    pub(crate) fn run(&mut self, index: usize, operation: &Operation) -> OperationResult {
        let mut result = OperationResult {
            index,
            op: name_of(operation).to_owned(),
            status: Status::NoChange,
            code: None,
            message: None,
            address: None,
            revision_ids: Vec::new(),
            comment_ids: Vec::new(),
            before: None,
            after: None,
        };
        let first_id = self.ids.peek();
        match self.attempt(operation, &mut result) {
            Ok(status) => {
                result.status = status;
                if status == Status::Applied {
                    result.revision_ids = (first_id..self.ids.peek()).collect();
                }
            }
            Err(refusal) => {
                result.status =
                    if refusal.code == RefusalCode::ProofFailed { Status::Failed } else { Status::Refused };
                result.code = Some(refusal.code.as_str().to_owned());
                result.message = Some(refusal.message);
                result.after = None;
            }
        }
        result
    }

    /// Ends the batch: what it both inserted and deleted goes, so that a later batch can build on it.
    pub(crate) fn finish(self, session_first: i64) {
        let touched: Vec<NodeId> = self.expected.keys().flat_map(|index| self.base.chain(*index)).collect();
        tidy(self.base.tree, &touched, session_first);
    }

    fn attempt(&mut self, operation: &Operation, result: &mut OperationResult) -> Result<Status, Refusal> {
        let planned = plan(&mut self.base, operation)?;
        result.message = planned.remark;
        let (first, last) = span_of(&planned.plan);
        result.address = Some(if first == last {
            format!("P{}", first + 1)
        } else {
            format!("P{}-P{}", first + 1, last + 1)
        });
        self.describe(&planned.plan, result);
        let claims = self.claim(&planned.plan)?;
        if let Plan::Text(changes) = &planned.plan
            && changes.iter().all(|change| change.hunks.is_empty())
        {
            return Ok(Status::NoChange);
        }
        let scope = self.scope(&planned.plan);
        for index in scope.iter().flat_map(|range| range.clone()) {
            self.remember_form(index);
        }
        let author = operation.author.as_deref().unwrap_or(self.signature.author);
        let checkpoint = self.base.tree.checkpoint();
        let ids = self.ids.clone();
        let expected = self.expected.clone();
        let outcome = self.write(&planned.plan, author).and_then(|status| {
            for range in &scope {
                self.prove(range.clone())?;
            }
            Ok(status)
        });
        match outcome {
            Ok(Status::Applied) => {
                self.base.tree.commit(checkpoint);
                for (index, claim) in claims {
                    self.claims.add(index, claim);
                }
                result.after = Some(self.after(&planned.plan));
                Ok(Status::Applied)
            }
            other => {
                self.base.tree.rollback(checkpoint);
                *self.ids = ids;
                self.expected = expected;
                other
            }
        }
    }

    fn claim(&self, plan: &Plan) -> Result<Vec<(usize, Claim)>, Refusal> {
        let wanted: Vec<(usize, Claim)> = match plan {
            Plan::Delete { index } => vec![(*index, Claim::Whole)],
            Plan::Insert { .. } => vec![],
            Plan::Text(changes) => changes
                .iter()
                .flat_map(|change| {
                    let crosses = change.first != change.last;
                    (change.first..=change.last)
                        .map(move |index| (index, if crosses { Claim::Whole } else { change.claim.clone() }))
                })
                .collect(),
        };
        for (index, claim) in &wanted {
            if self.claims.conflicts(*index, claim) {
                return Err(Refusal::new(
                    RefusalCode::OverlappingOperations,
                    format!(
                        "an earlier operation of this batch already changes this text of P{}; \
                         merge the two, or send this one after reading again",
                        index + 1
                    ),
                ));
            }
        }
        Ok(wanted)
    }

    /// Paragraphs that the change or its proof touch, with their neighbours.
    fn scope(&mut self, plan: &Plan) -> Vec<std::ops::RangeInclusive<usize>> {
        let last = self.base.paragraphs.len().saturating_sub(1);
        let mut scope: Vec<std::ops::RangeInclusive<usize>> = match plan {
            Plan::Text(changes) => changes.iter().map(|change| change.first..=change.last).collect(),
            Plan::Insert { index, .. } | Plan::Delete { index } => vec![*index..=*index],
        };
        for range in &mut scope {
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
            while to < last && self.border_gone(to) {
                to += 1;
            }
            *range = from..=to;
        }
        // Ranges that meet are one.
        scope.sort_by_key(|range| *range.start());
        let mut merged: Vec<std::ops::RangeInclusive<usize>> = Vec::new();
        for range in scope {
            match merged.last_mut() {
                Some(previous) if *range.start() <= *previous.end() => {
                    *previous = *previous.start()..=(*previous.end()).max(*range.end());
                }
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Whether the batch deleted the paragraph or joined it, so that borders around it may be gone.
    fn loses_text(&self, index: usize) -> bool {
        self.expected.get(&index).is_some_and(|expected| expected.own.is_empty())
    }

    /// Whether the batch deleted the border behind the paragraph.
    fn border_gone(&self, index: usize) -> bool {
        let tree = &*self.base.tree;
        let selection = Selection::IdsFrom(self.first_id);
        self.base.paragraphs.get(index).is_some_and(|node| {
            mark_revisions(tree, *node).any(|mark| tree.name(mark) == DEL && selection.holds(tree, mark))
        })
    }

    fn remember_form(&mut self, index: usize) {
        if !self.forms.contains_key(&index)
            && let Some(node) = self.base.paragraphs.get(index)
        {
            self.forms.insert(index, crate::canon::normal_form(self.base.tree, *node));
        }
    }

    fn pen<'b>(&'b mut self, author: &'b str) -> Pen<'b> {
        Pen {
            document: self.base.tree,
            ids: self.ids,
            author,
            date: self.signature.date,
            since: self.first_id,
        }
    }

    fn write(&mut self, plan: &Plan, author: &str) -> Result<Status, Refusal> {
        match plan {
            Plan::Text(changes) => {
                for change in changes.iter().filter(|change| !change.hunks.is_empty()) {
                    self.write_text(change, author)?;
                }
                Ok(Status::Applied)
            }
            Plan::Insert { index, side, content, style } => {
                self.write_paragraphs(*index, *side, content, style.as_deref(), author)?;
                Ok(Status::Applied)
            }
            Plan::Delete { index } => self.write_deletion(*index, author),
        }
    }

    fn write_text(&mut self, change: &TextChange, author: &str) -> Result<(), Refusal> {
        let joined = self.base.joined(change.first, change.last);
        for hunk in &change.hunks {
            self.write_hunk(change, &joined, hunk.range.clone(), &hunk.new, author)?;
        }
        if change.first == change.last {
            self.expect(change.first)
                .edit(change.hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.clone())));
        } else {
            let mut text = joined;
            for hunk in change.hunks.iter().rev() {
                text.replace_range(hunk.range.clone(), &hunk.new.text);
            }
            for index in change.first..change.last {
                self.expect(index).own = Vec::new();
            }
            self.expect(change.last).own = text.split(PARAGRAPH_BREAK).map(str::to_owned).collect();
        }
        Ok(())
    }

    fn write_hunk(
        &mut self,
        change: &TextChange,
        joined: &str,
        range: std::ops::Range<usize>,
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
                let chain = self.base.chain(index);
                let fields = self.base.context(index);
                let view = self.base.view;
                let mut pen = self.pen(author);
                let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
                let deletion = delete(&mut pen, chain, from..to)?;
                if place.is_none()
                    && insert_at.is_some_and(|(first, _)| first == index)
                    && !new.text.is_empty()
                    && let Some(deletion) = deletion
                {
                    place = Some(behind(&mut pen, deletion));
                }
            }
            // The border behind this paragraph lies within the change.
            if range.start <= end && end < range.end && index < change.last {
                let node = self.base.paragraphs.get(index).copied();
                if let Some(node) = node {
                    let mut pen = self.pen(author);
                    delete_mark(&mut pen, node);
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
                let chain = self.base.chain(index);
                let fields = self.base.context(index);
                let (view, styles) = (self.base.view, self.base.styles);
                let mut pen = self.pen(author);
                let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
                between(&mut pen, chain, at, styles)?
            }
        };
        let mut pen = self.pen(author);
        let mut cursor = place.cursor;
        for (number, part) in split_at_breaks(new).iter().enumerate() {
            if number > 0 {
                split(&mut pen, cursor)?;
                cursor = Cursor { parent: cursor.parent, before: cursor.before };
            }
            if !part.text.is_empty() {
                let inserted = pen.inserted_runs(&pieces(part), place.like);
                put(&mut pen, cursor, inserted);
            }
        }
        Ok(())
    }

    fn write_paragraphs(
        &mut self,
        index: usize,
        side: Where,
        content: &StyledText,
        style: Option<&str>,
        author: &str,
    ) -> Result<(), Refusal> {
        let Some(node) = self.base.paragraphs.get(index).copied() else { return Ok(()) };
        let model = Paragraph::read(self.base.tree, node, self.base.view, self.base.fields.get(&node));
        let starts_in_field = self.base.fields.get(&node).and_then(FieldContext::guarded);
        let in_field = match side {
            Where::Before => starts_in_field.map(str::to_owned),
            Where::After => {
                model.atoms.last().filter(|atom| atom.fields > 0).and_then(|atom| match &atom.barrier {
                    Some(Barrier::Field(name)) => Some(name.clone()),
                    _ => None,
                })
            }
        };
        if let Some(name) = in_field {
            return Err(refuse_barrier(&Barrier::Field(name)));
        }
        let parent = self.base.tree.parent(node);
        if let Some(barrier) = parent.and_then(|parent| barrier_inside(self.base.tree, parent)) {
            return Err(refuse_barrier(&barrier));
        }
        let follower = self.follower_style(node, side);
        let like =
            style.is_none().then(|| dominant_properties(self.base.tree, &model, self.base.styles)).flatten();
        let styles = self.base.styles;
        let style = style.or(follower.as_deref());
        let like = if follower.is_some() { None } else { like };
        let mark = match (side, style) {
            (_, Some(_)) => None,
            _ => {
                self.base.tree.child(node, P_PR).and_then(|properties| self.base.tree.child(properties, R_PR))
            }
        };
        let has_text = model.visible().any(|atom| atom.kind == AtomKind::Text && !atom.range.is_empty());
        let like = if has_text { like } else { mark };
        debug_assert!(styles.default_paragraph().is_none_or(|id| !id.is_empty()));
        let parts = split_at_breaks(content);
        let follows = side == Where::After && self.base.flows_on(index);
        let before = match side {
            Where::Before => self.front(index),
            Where::After if follows => self.front(index + 1),
            Where::After => None,
        };
        for part in &parts {
            let mut pen = self.pen(author);
            let properties = match style {
                Some(style) => Some(style_properties(&mut pen, style)),
                None => pen.copy_paragraph_properties(node),
            };
            let inserted = (!part.text.is_empty()).then(|| pen.inserted_runs(&pieces(part), like));
            match before {
                Some(before) => {
                    insert_paragraph_before(&mut pen, before, properties, inserted);
                }
                None => {
                    insert_paragraph_at_end(&mut pen, node, properties, inserted)?;
                }
            }
        }
        // What stands before a paragraph in the tree is expected before it.
        let texts = parts.into_iter().map(|part| part.text);
        match side {
            Where::Before => self.expect(index).before.extend(texts),
            Where::After if follows => self.expect(index + 1).before.extend(texts),
            Where::After => self.expect(index).after.extend(texts),
        }
        Ok(())
    }

    /// The first element of a paragraph itself, behind new paragraphs that the batch put before it.
    fn front(&self, index: usize) -> Option<NodeId> {
        let new = self.expected.get(&index).map_or(0, |expected| expected.before.len());
        self.base.chain(index).get(new).copied()
    }

    /// The style that text typed behind a heading takes: what the heading's style names as its follower.
    fn follower_style(&self, node: NodeId, side: Where) -> Option<String> {
        if side == Where::Before {
            return None;
        }
        self.base.styles.follower_of_heading(self.base.tree, node)
    }

    fn write_deletion(&mut self, index: usize, author: &str) -> Result<Status, Refusal> {
        let Some(node) = self.base.paragraphs.get(index).copied() else { return Ok(Status::NoChange) };
        if self.claims.any(index)
            || self.expected.get(&index).is_some_and(|expected| !expected.after.is_empty())
        {
            return Err(Refusal::new(
                RefusalCode::OverlappingOperations,
                format!("an earlier operation of this batch already changes P{}", index + 1),
            ));
        }
        let tree = &*self.base.tree;
        let commented = tree.descendants(node).find(|below| {
            matches!(tree.name(*below), COMMENT_REFERENCE | COMMENT_RANGE_START | COMMENT_RANGE_END)
        });
        if commented.is_some() {
            return Err(Refusal::new(
                RefusalCode::CommentedContent,
                format!(
                    "P{} carries a comment, which deleting would take away; resolve the comment first, \
                         or change the text with edit_paragraph",
                    index + 1
                ),
            ));
        }
        let model = Paragraph::read(tree, node, self.base.view, self.base.fields.get(&node));
        let had_text = model.visible().next().is_some();
        let mut pen = self.pen(author);
        match delete_whole(&mut pen, &model)? {
            Left::Nothing => self.expect(index).own = Vec::new(),
            Left::EmptyParagraph if had_text => self.expect(index).own = vec![String::new()],
            Left::EmptyParagraph => return Ok(Status::NoChange),
        }
        Ok(Status::Applied)
    }

    fn expect(&mut self, index: usize) -> &mut Expected {
        let text = self.base.text(index).to_owned();
        self.expected.entry(index).or_insert_with(|| Expected::unchanged(text))
    }

    fn prove(&mut self, range: std::ops::RangeInclusive<usize>) -> Result<(), Refusal> {
        let mut texts = Vec::new();
        for index in range.clone() {
            match self.expected.get(&index) {
                Some(expected) => texts.extend(expected.texts()),
                None => texts.push(self.base.text(index).to_owned()),
            }
        }
        let originals: Vec<NodeId> =
            range.clone().filter_map(|index| self.base.paragraphs.get(index).copied()).collect();
        let forms: Vec<&[u8]> =
            range.clone().filter_map(|index| self.forms.get(&index)).map(Vec::as_slice).collect();
        let chains: Vec<Vec<NodeId>> = range.map(|index| self.base.chain(index)).collect();
        let evidence =
            evidence::Evidence { originals: &originals, forms: &forms, chains: &chains, texts: &texts };
        evidence::check(self.base.tree, &evidence, &self.base.fields, self.first_id)
    }

    fn describe(&mut self, plan: &Plan, result: &mut OperationResult) {
        let (first, last) = span_of(plan);
        if !matches!(plan, Plan::Insert { .. }) {
            let before = match plan {
                Plan::Text(changes) => {
                    let mut texts = Vec::new();
                    for change in changes {
                        texts.push(self.base.joined(change.first, change.last));
                    }
                    texts.dedup();
                    texts.join("\n")
                }
                _ => self.base.joined(first, last),
            };
            result.before = Some(before.replace(PARAGRAPH_BREAK, "\n"));
        }
    }

    fn after(&mut self, plan: &Plan) -> String {
        match plan {
            Plan::Insert { content, .. } => content.text.replace(PARAGRAPH_BREAK, "\n"),
            Plan::Delete { .. } => String::new(),
            Plan::Text(changes) => {
                let mut indices: Vec<usize> =
                    changes.iter().flat_map(|change| change.first..=change.last).collect();
                indices.dedup();
                let mut texts = Vec::new();
                for index in indices {
                    texts.extend(self.expect(index).own_texts());
                }
                texts.join("\n")
            }
        }
    }
}

/// The looks of most of a paragraph's text, for new text beside it.
fn dominant_properties(document: &Document, model: &Paragraph, styles: &Styles) -> Option<NodeId> {
    let mut weights: Vec<(Vec<u8>, Option<NodeId>, usize)> = Vec::new();
    for atom in model.visible().filter(|atom| atom.kind == AtomKind::Text) {
        let properties = document.child(atom.run, R_PR);
        if properties.is_some_and(|properties| styles.is_reference_look(document, properties)) {
            continue;
        }
        let form = properties.map(|node| crate::canon::normal_form(document, node)).unwrap_or_default();
        match weights.iter_mut().find(|(known, ..)| *known == form) {
            Some((.., weight)) => *weight += atom.range.len(),
            None => weights.push((form, properties, atom.range.len())),
        }
    }
    // Of equals the first.
    weights.into_iter().rev().max_by_key(|(.., weight)| *weight).and_then(|(_, properties, _)| properties)
}

fn span_of(plan: &Plan) -> (usize, usize) {
    match plan {
        Plan::Insert { index, .. } | Plan::Delete { index } => (*index, *index),
        Plan::Text(changes) => (
            changes.iter().map(|change| change.first).min().unwrap_or(0),
            changes.iter().map(|change| change.last).max().unwrap_or(0),
        ),
    }
}

fn name_of(operation: &Operation) -> &'static str {
    match operation.edit {
        Edit::ModifyText { .. } => "modify_text",
        Edit::EditParagraph { .. } | Edit::Append { .. } | Edit::Prepend { .. } => "edit_paragraph",
        Edit::InsertParagraph { .. } => "insert_paragraph",
        Edit::DeleteParagraph { .. } => "delete_paragraph",
    }
}
