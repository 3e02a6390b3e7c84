//! The tree under a batch's hand: writes one plan at a time, and keeps what each paragraph shall say then.
//!
//! Must never decide whether a plan may be written: that is the batch's, before and after.

use std::collections::BTreeMap;
use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::canon::normal_form;
use crate::edit::base::Base;
use crate::edit::content::{PARAGRAPH_BREAK, pieces, split_at_breaks};
use crate::edit::expected::{Expected, edited};
use crate::edit::insertion::{behind, between, put};
use crate::edit::marks::{
    Left, delete_mark, delete_text, delete_whole, insert_paragraph_at_end, insert_paragraph_before, split,
    style_properties,
};
use crate::edit::pen::{Ids, Pen};
use crate::edit::plan::{Plan, TextChange};
use crate::edit::splice::{Chain, delete, refuse_barrier};
use crate::error::{Refusal, RefusalCode};
use crate::model::{
    AtomKind, Barrier, FieldContext, Paragraph, View, barrier_inside, is_id_since, mark_revisions,
};
use crate::names::{
    COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, DEL, MOVE_FROM, P, P_PR, R_PR,
};
use crate::ops::Where;
use crate::styles::Styles;
use crate::text::StyledText;

/// What writing a plan came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Written {
    /// All of it.
    Done,
    /// All of it, with a remark for people.
    DoneWith(&'static str),
    /// There was nothing to do, and why.
    Nothing(&'static str),
}

/// A story being edited.
pub(crate) struct Draft<'a> {
    pub(crate) base: Base<'a>,
    pub(crate) ids: &'a mut Ids,
    pub(crate) date: &'a str,
    pub(crate) first_id: i64,
    /// By paragraph, from 0; paragraphs that are not there stay as they were.
    pub(crate) expected: BTreeMap<usize, Expected>,
}

impl Draft<'_> {
    /// Writes a plan in the name of `author`. After a refusal the tree must be rolled back.
    pub(crate) fn write(&mut self, plan: &Plan, author: &str) -> Result<Written, Refusal> {
        match plan {
            Plan::Text(changes) => {
                for change in changes.iter().filter(|change| !change.hunks.is_empty()) {
                    self.write_text(change, author)?;
                }
                Ok(Written::Done)
            }
            Plan::Insert { index, side, content, style } => {
                self.write_paragraphs(*index, *side, content, style.as_deref(), author)?;
                Ok(Written::Done)
            }
            Plan::Delete { index } => self.write_deletion(*index, author),
        }
    }

    fn write_text(&mut self, change: &TextChange, author: &str) -> Result<(), Refusal> {
        let tree = &*self.base.tree;
        let deletes = |mark| matches!(tree.name(mark), DEL | MOVE_FROM);
        let node = self.base.paragraphs.get(change.last).copied();
        // Text typed there would run into the next paragraph once the deletion is accepted.
        if node.is_some_and(|node| mark_revisions(tree, node).any(deletes))
            && self.base.text(change.last).is_empty()
        {
            return Err(Refusal::new(
                RefusalCode::TextDeleted,
                format!(
                    "a pending revision deletes P{}; reject it first, or insert a new paragraph beside it",
                    change.last + 1
                ),
            ));
        }
        let joined = self.base.joined(change.first, change.last);
        for hunk in &change.hunks {
            self.write_hunk(change, &joined, hunk.range.clone(), &hunk.new, author)?;
        }
        if change.first == change.last {
            self.expect(change.first)
                .edit(change.hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.clone())));
        } else {
            let hunks = change.hunks.iter().map(|hunk| (hunk.range.clone(), hunk.new.text.as_str()));
            let text = edited(&joined, hunks);
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
                let chain = self.own_chain(index);
                let fields = self.base.context(index);
                let (view, styles) = (self.base.view, self.base.styles);
                let mut pen = self.pen(author);
                let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
                between(&mut pen, chain, at, styles)?
            }
        };
        let mut pen = self.pen(author);
        let cursor = place.cursor;
        for (number, part) in split_at_breaks(new).iter().enumerate() {
            if number > 0 {
                split(&mut pen, cursor)?;
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
        // Behind the last of a container the batch may have moved the paragraph's content already.
        let looked_at = self.own_chain(index).last().copied().unwrap_or(node);
        let model = Paragraph::read(self.base.tree, looked_at, self.base.view, self.base.fields.get(&node));
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
                let properties = self.base.tree.child(looked_at, P_PR);
                properties.and_then(|properties| self.base.tree.child(properties, R_PR))
            }
        };
        let has_text = model.visible().any(|atom| atom.kind == AtomKind::Text && !atom.range.is_empty());
        let like = if has_text { like } else { mark };
        debug_assert!(styles.default_paragraph().is_none_or(|id| !id.is_empty()));
        let parts = split_at_breaks(content);
        let (index, side) = self.beside(index, side)?;
        let Some(node) = self.base.paragraphs.get(index).copied() else { return Ok(()) };
        let follows = side == Where::After && self.base.flowed_on(index);
        let before = match side {
            Where::Before => self.front(index),
            Where::After if follows => self.front(index + 1),
            Where::After => None,
        };
        for part in &parts {
            let mut pen = self.pen(author);
            let properties = match style {
                Some(style) => Some(style_properties(&mut pen, style)),
                None => pen.copy_paragraph_properties(looked_at),
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

    /// Where new paragraphs beside `index` go, so that no text before them runs into them over a deleted border.
    fn beside(&self, index: usize, side: Where) -> Result<(usize, Where), Refusal> {
        let before = if side == Where::After { Some(index) } else { index.checked_sub(1) };
        let Some(before) = before.filter(|before| self.runs_on(*before)) else { return Ok((index, side)) };
        if !self.is_run_into(before + 1) {
            return Ok((index, side));
        }
        let end = (before + 1..).find(|at| !self.runs_on(*at)).unwrap_or(before + 1);
        if !(before + 1..=end).any(|at| self.shows(at)) {
            return Ok((end, Where::After));
        }
        Err(Refusal::new(
            RefusalCode::TextDeleted,
            format!(
                "a revision deletes the border between P{} and P{}, so nothing can stand between them; \
                 reject it first, or insert before or after the two",
                before + 1,
                before + 2
            ),
        ))
    }

    /// Whether text before the paragraph runs into it over a deleted border.
    fn is_run_into(&self, index: usize) -> bool {
        let new_before = |at: usize| self.expected.get(&at).is_some_and(|known| !known.before.is_empty());
        (0..index).rev().take_while(|at| self.runs_on(*at)).any(|at| new_before(at + 1) || self.shows(at))
    }

    /// Whether the paragraph stands for something once all is accepted.
    fn shows(&self, index: usize) -> bool {
        let tree = &*self.base.tree;
        let fields = self.base.context(index);
        let chain = self.own_chain(index);
        let text = Paragraph::read_chain(tree, &chain, View::Accepted, fields.as_ref()).text;
        let node = self.base.paragraphs.get(index).copied();
        let ours = |mark| is_id_since(tree, mark, self.first_id);
        // An empty paragraph stands for itself where the batch took the border behind it for another's sake.
        let kept = node.is_some_and(|node| mark_revisions(tree, node).any(ours))
            && self.expected.get(&index).is_none_or(|expected| !expected.own.is_empty());
        kept || !text.is_empty()
    }

    /// Whether the border right before the next paragraph is deleted.
    pub(crate) fn runs_on(&self, index: usize) -> bool {
        let tree = &*self.base.tree;
        let deletes = |mark| matches!(tree.name(mark), DEL | MOVE_FROM);
        let mut before = self.own_chain(index + 1).first().and_then(|next| tree.previous(*next));
        while let Some(node) = before.filter(|node| tree.name(*node) != P) {
            before = tree.previous(node);
        }
        before.is_some_and(|node| mark_revisions(tree, node).any(deletes)) && self.base.flowed_on(index)
    }

    /// What stands in the place of the paragraph itself, without new paragraphs that the batch put beside it.
    fn own_chain(&self, index: usize) -> Vec<NodeId> {
        let mut chain = self.base.chain(index);
        if let Some(expected) = self.expected.get(&index) {
            chain.truncate(chain.len().saturating_sub(expected.after.len()));
            chain.drain(..expected.before.len().min(chain.len()));
        }
        chain
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

    fn write_deletion(&mut self, index: usize, author: &str) -> Result<Written, Refusal> {
        let Some(node) = self.base.paragraphs.get(index).copied() else {
            return Ok(Written::Nothing("the paragraph is empty, and its container must have one"));
        };
        if self.expected.get(&index).is_some_and(|expected| !expected.after.is_empty()) {
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
        let is_gone = |at: &usize| self.expected.get(at).is_some_and(|expected| expected.own.is_empty());
        let above = (0..index).rev().take_while(is_gone);
        let gone: Vec<NodeId> = (index + 1..)
            .take_while(is_gone)
            .chain(above)
            .filter_map(|at| self.base.paragraphs.get(at).copied())
            .collect();
        if self.is_run_into(index) {
            delete_text(&mut self.pen(author), &model)?;
            if !had_text {
                return Ok(Written::Nothing(
                    "a revision joins the paragraph, which is empty, to the one before",
                ));
            }
            self.expect(index).own = vec![String::new()];
            return Ok(Written::DoneWith(
                "its text is deleted; its border stays, since a revision joins it to the one before",
            ));
        }
        let mut pen = self.pen(author);
        match delete_whole(&mut pen, &model, &gone)? {
            Left::Nothing => self.expect(index).own = Vec::new(),
            Left::EmptyParagraph if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(Written::DoneWith(
                    "its text is deleted; the empty paragraph stays, since its container must end with one",
                ));
            }
            Left::DeletedText if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(Written::DoneWith(
                    "its text is deleted; the paragraph stays, since an earlier revision deletes text of it, too",
                ));
            }
            Left::DeletedText => {
                return Ok(Written::Nothing("an earlier revision already deletes the paragraph's text"));
            }
            Left::EarlierDeletion if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(Written::DoneWith("an earlier revision already deletes the paragraph's border"));
            }
            Left::EarlierDeletion => {
                return Ok(Written::Nothing("an earlier revision already deletes the paragraph"));
            }
            Left::EmptyParagraph => {
                return Ok(Written::Nothing("the paragraph is empty, and its container must have one"));
            }
        }
        Ok(Written::Done)
    }

    /// What shall stand in the place of the paragraph.
    pub(crate) fn expect(&mut self, index: usize) -> &mut Expected {
        let text = self.base.text(index).to_owned();
        self.expected.entry(index).or_insert_with(|| Expected::unchanged(text))
    }

    /// What the paragraphs of a plan say once it is written and accepted.
    pub(crate) fn after(&mut self, plan: &Plan) -> String {
        match plan {
            Plan::Insert { content, .. } => content.text.replace(PARAGRAPH_BREAK, "\n"),
            Plan::Delete { .. } => String::new(),
            Plan::Text(changes) => {
                let mut indices: Vec<usize> =
                    changes.iter().flat_map(|change| change.first..=change.last).collect();
                indices.dedup();
                let mut texts = Vec::new();
                for index in indices {
                    texts.extend(self.expect(index).own.clone());
                }
                texts.join("\n")
            }
        }
    }

    fn pen<'b>(&'b mut self, author: &'b str) -> Pen<'b> {
        Pen { document: self.base.tree, ids: self.ids, author, date: self.date, since: self.first_id }
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
        let form = properties.map(|node| normal_form(document, node)).unwrap_or_default();
        match weights.iter_mut().find(|(known, ..)| *known == form) {
            Some((.., weight)) => *weight += atom.range.len(),
            None => weights.push((form, properties, atom.range.len())),
        }
    }
    // Of equals the first.
    weights.into_iter().rev().max_by_key(|(.., weight)| *weight).and_then(|(_, properties, _)| properties)
}
