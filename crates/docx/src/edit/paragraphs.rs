//! Writes whole paragraphs: new ones, and those that are deleted.

use engross_xml::{Document, NodeId};

use crate::canon::normal_form;
use crate::edit::content::{pieces, split_at_breaks};
use crate::edit::deletions::{
    Remainder, comments_in, delete_displaced, delete_text, delete_whole, release_tail,
};
use crate::edit::expected::NewText;
use crate::edit::marks::{
    fill_paragraph, insert_paragraph_at_end, insert_paragraph_before, next_block, style_properties,
};
use crate::edit::plan::{ListWish, NewParagraphs};
use crate::edit::properties::Setting;
use crate::edit::splice::refuse_barrier;
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::Refusal;
use crate::model::{AtomKind, Barrier, FieldContext, Paragraph, barrier_inside};
use crate::names::{NUM_PR, P_PR, R_PR};
use crate::ops::Where;
use crate::styles::Styles;

impl TreeEditor<'_> {
    pub(super) fn write_paragraphs(&mut self, new: &NewParagraphs, author: &str) -> Result<(), Refusal> {
        let NewParagraphs { index, side, content, style, list, settings, goes_on } = new;
        let (index, side, style) = (*index, *side, style.as_deref());
        let Some(node) = self.snapshot.paragraphs.get(index).copied() else { return Ok(()) };
        // Behind the last of a container the batch may have moved the paragraph's content already.
        let looked_at = self.own_end(index, node);
        let model = Paragraph::read(
            self.snapshot.tree,
            looked_at,
            self.snapshot.view,
            self.snapshot.fields.get(&node),
        );
        let starts_in_field = self.snapshot.fields.get(&node).and_then(FieldContext::guarded);
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
        let parent = self.snapshot.tree.parent(node);
        if let Some(barrier) = parent.and_then(|parent| barrier_inside(self.snapshot.tree, parent)) {
            return Err(refuse_barrier(&barrier));
        }
        let follower = if *goes_on { None } else { self.follower_style(looked_at, side, &model.text) };
        let like = style
            .is_none()
            .then(|| dominant_properties(self.snapshot.tree, &model, self.snapshot.styles))
            .flatten();
        let styles = self.snapshot.styles;
        let style = style.or(follower.as_deref());
        let like = if follower.is_some() { None } else { like };
        let mark = match (side, style) {
            (_, Some(_)) => None,
            _ => {
                let properties = self.snapshot.tree.child(looked_at, P_PR);
                properties.and_then(|properties| self.snapshot.tree.child(properties, R_PR))
            }
        };
        let has_text = model.visible().any(|atom| atom.kind == AtomKind::Text && !atom.range.is_empty());
        let like = if has_text { like } else { mark };
        debug_assert!(styles.default_paragraph().is_none_or(|id| !id.is_empty()));
        // A number that the style gives goes only by saying so.
        let named = style.or_else(|| self.snapshot.styles.of_paragraph(self.snapshot.tree, looked_at));
        let styled_list = named.is_some_and(|style| {
            self.snapshot.styles.paragraph_numbering(style).is_some_and(|(id, _)| id.is_some())
        });
        let parts = split_at_breaks(content);
        let gap = if side == Where::After { index + 1 } else { index };
        let (index, side) = self.spot(index, side)?;
        let Some(node) = self.snapshot.paragraphs.get(index).copied() else { return Ok(()) };
        if side == Where::After && self.is_takeable(index) {
            self.release_end(index, author);
        }
        for part in parts {
            let takes_element = side == Where::After && self.is_takeable(index);
            let (before, position) = self.place(index, side, gap);
            let mut writer = self.writer(author);
            let mut properties = match style {
                Some(style) => Some(style_properties(&mut writer, style)),
                None => writer.copy_paragraph_properties(looked_at),
            };
            match list {
                ListWish::Like => {}
                ListWish::In(number, level) => {
                    let own = properties.unwrap_or_else(|| writer.document.new_element(P_PR));
                    Setting::list(*number, *level).apply(writer.document, own);
                    properties = Some(own);
                }
                ListWish::Outside => {
                    if let Some(own) = properties {
                        Setting::gone(NUM_PR).apply(writer.document, own);
                        if styled_list {
                            Setting::list(0, 0).apply(writer.document, own);
                        }
                    }
                }
            }
            if !settings.is_empty() {
                let own = properties.unwrap_or_else(|| writer.document.new_element(P_PR));
                settings.iter().for_each(|setting| setting.apply(writer.document, own));
                properties = Some(own);
            }
            let inserted = writer.inserted_runs(&pieces(&part), like);
            match before {
                Some(before) => {
                    insert_paragraph_before(&mut writer, before, properties, &inserted);
                }
                None if takes_element => fill_paragraph(&mut writer, node, properties, &inserted),
                None => {
                    insert_paragraph_at_end(&mut writer, node, properties, &inserted)?;
                }
            }
            self.new_beside(index, side).insert(position, NewText { gap, text: part.text });
        }
        Ok(())
    }

    /// The new paragraphs on one side of a paragraph.
    pub(super) fn new_beside(&mut self, index: usize, side: Where) -> &mut Vec<NewText> {
        let expected = self.expect(index);
        if side == Where::Before { &mut expected.before } else { &mut expected.after }
    }

    /// Before which element a new paragraph goes, none at the end, and its place among the new ones there.
    pub(super) fn place(&mut self, index: usize, side: Where, gap: usize) -> (Option<NodeId>, usize) {
        let new = self.new_beside(index, side);
        let (count, position) = (new.len(), new.partition_point(|new| new.gap <= gap));
        match side {
            Where::After if position == count => (None, position),
            Where::Before if position == count => (self.known_front(index), position),
            _ => {
                let chain = self.snapshot.chain(index);
                let first = if side == Where::Before { 0 } else { chain.len().saturating_sub(count) };
                (chain.get(first + position).copied(), position)
            }
        }
    }

    /// The last element of the paragraph itself, which was `node` before the batch; that one also when new paragraphs have taken
    /// all of them.
    fn own_end(&mut self, index: usize, node: NodeId) -> NodeId {
        if self.expected.get(&index).is_none_or(|expected| expected.after.is_empty()) {
            return node;
        }
        let known = self.known_ends.get(&index).and_then(|ends| ends.own_end);
        let own_end = known.unwrap_or_else(|| self.own_chain(index).last().copied().unwrap_or(node));
        self.known_ends.entry(index).or_default().own_end = Some(own_end);
        own_end
    }

    /// [`TreeEditor::front`], looked for once.
    fn known_front(&mut self, index: usize) -> Option<NodeId> {
        let known = self.known_ends.get(&index).and_then(|ends| ends.front);
        let front = known.or_else(|| self.front(index));
        self.known_ends.entry(index).or_default().front = front;
        front
    }

    /// Whether a new paragraph can take the deleted paragraph's element, since none has it yet.
    fn is_takeable(&self, index: usize) -> bool {
        self.expected.get(&index).is_some_and(|expected| expected.is_gone() && expected.after.is_empty())
    }

    /// Takes back that the border before the deleted paragraphs up to `last` went for theirs: a new one stands there.
    fn release_end(&mut self, last: usize, author: &str) {
        let first = (0..last).rev().take_while(|at| self.is_gone(*at) && self.snapshot.flowed_on(*at)).last();
        let keeper = first.unwrap_or(last).checked_sub(1).filter(|at| self.snapshot.flowed_on(*at));
        let nodes = keeper.and_then(|at| {
            self.snapshot.paragraphs.get(at).copied().zip(self.snapshot.paragraphs.get(last).copied())
        });
        if let Some((keeper, last)) = nodes {
            release_tail(&mut self.writer(author), keeper, last);
        }
    }

    /// Before a new table: where `first` and all behind it are deleted, to the end of their container, the last of them stays, empty. Its
    /// border cannot go in the place of that of a paragraph on the other side of the table. Whether that is so.
    pub(super) fn keep_end_behind_table(&mut self, first: usize, author: &str) -> bool {
        let mut last = first;
        while self.is_gone(last) && self.snapshot.flowed_on(last) {
            last += 1;
        }
        let document = self.snapshot.document();
        let ends = |node: &NodeId| next_block(document, *node).is_none();
        let keeps = self.is_takeable(last) && self.snapshot.paragraphs.get(last).is_some_and(ends);
        if keeps {
            self.release_end(last, author);
            self.expect(last).own = vec![String::new()];
        }
        keeps
    }

    /// The style that text typed behind a heading takes: what the heading's style names as its follower. Where clauses themselves
    /// are set in styles of headings, the next one is another clause.
    fn follower_style(&self, node: NodeId, side: Where, text: &str) -> Option<String> {
        if side == Where::Before || is_clause(text) {
            return None;
        }
        self.snapshot.styles.follower_of_heading(self.snapshot.tree, node)
    }

    /// Deletes a paragraph. Comments on it stay beside where it stood, or go, if `comments` says so; else it is refused.
    pub(super) fn write_deletion(
        &mut self,
        index: usize,
        comments: Option<bool>,
        author: &str,
    ) -> Result<WriteOutcome, Refusal> {
        let Some(node) = self.snapshot.paragraphs.get(index).copied() else {
            return Ok(WriteOutcome::Nothing("the paragraph is empty, and its container must have one"));
        };
        // The batch may have moved what the paragraph says out of its element, to make room for a new one behind it.
        let displaced = self.expected.get(&index).is_some_and(|expected| !expected.after.is_empty());
        let holder = self.own_chain(index).last().copied().unwrap_or(node);
        let tree = &*self.snapshot.tree;
        let carried = comments_in(tree, holder);
        match comments {
            None if !carried.is_empty() => {
                return Err(Refusal::commented(&format!("P{}", index + 1), carried));
            }
            Some(false) => self.pending.gone_comments.extend(carried),
            _ => {}
        }
        let model = Paragraph::read(tree, holder, self.snapshot.view, self.snapshot.fields.get(&node));
        let had_text = model.visible().next().is_some();
        let above = (0..index).rev().take_while(|at| self.is_takeable(*at));
        let gone: Vec<NodeId> = (index + 1..)
            .take_while(|at| self.is_takeable(*at))
            .chain(above)
            .filter_map(|at| self.snapshot.paragraphs.get(at).copied())
            .collect();
        if self.is_run_into(index) {
            delete_text(&mut self.writer(author), &model)?;
            if !had_text {
                return Ok(WriteOutcome::Nothing(
                    "a revision joins the paragraph, which is empty, to the one before",
                ));
            }
            self.expect(index).own = vec![String::new()];
            return Ok(WriteOutcome::DoneWith(
                "its text is deleted; its border stays, since a revision joins it to the one before",
            ));
        }
        if displaced {
            let chain = self.snapshot.chain(index);
            let next = chain.iter().skip_while(|element| **element != holder).nth(1).copied();
            delete_displaced(&mut self.writer(author), &model, node, next.unwrap_or(node))?;
            self.expect(index).own = Vec::new();
            return Ok(WriteOutcome::Done);
        }
        match delete_whole(&mut self.writer(author), &model, &gone)? {
            Remainder::Nothing => self.expect(index).own = Vec::new(),
            Remainder::TakenOver { first, last } => {
                self.expect(index).own = Vec::new();
                let place = |node: NodeId| self.snapshot.paragraphs.iter().position(|known| *known == node);
                if let (Some(first), Some(last)) = (place(first), place(last)) {
                    let new = self.expect(first).before.pop();
                    self.expect(last).after.extend(new);
                }
            }
            Remainder::EmptyParagraph if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(WriteOutcome::DoneWith(
                    "its text is deleted; the empty paragraph stays, since its container must end with one",
                ));
            }
            Remainder::DeletedText if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(WriteOutcome::DoneWith(
                    "its text is deleted; the paragraph stays, since an earlier revision deletes text of it, too",
                ));
            }
            Remainder::DeletedText => {
                return Ok(WriteOutcome::Nothing("an earlier revision already deletes the paragraph's text"));
            }
            Remainder::EarlierDeletion if had_text => {
                self.expect(index).own = vec![String::new()];
                return Ok(WriteOutcome::DoneWith(
                    "an earlier revision already deletes the paragraph's border",
                ));
            }
            Remainder::EarlierDeletion => {
                return Ok(WriteOutcome::Nothing("an earlier revision already deletes the paragraph"));
            }
            Remainder::EmptyParagraph => {
                return Ok(WriteOutcome::Nothing("the paragraph is empty, and its container must have one"));
            }
        }
        Ok(WriteOutcome::Done)
    }
}

/// The formatting of most of a paragraph's text, for new text beside it.
fn dominant_properties(document: &Document, model: &Paragraph, styles: &Styles) -> Option<NodeId> {
    let mut weights: Vec<(Vec<u8>, Option<NodeId>, usize)> = Vec::new();
    for atom in model.visible().filter(|atom| atom.kind == AtomKind::Text) {
        let properties = document.child(atom.run, R_PR);
        if properties.is_some_and(|properties| styles.is_reference_format(document, properties)) {
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

/// Whether a text reads as a provision, and not as its title: it ends as a part of a list does, is a sentence of some length, or
/// has its title before it (`Notices. They are given in writing.`).
pub(super) fn is_clause(text: &str) -> bool {
    const TITLE_WORDS: usize = 12;
    const SENTENCE_WORDS: usize = 3;
    let text = text.trim_end();
    let is_run_in = text.ends_with('.')
        && text.match_indices(". ").any(|(at, _)| {
            let (title, sentence) = text.split_at(at);
            // The number of a clause is no title: `4.2.`, `Article 5.`, `ARTICLE IV.`
            let last = title.split_whitespace().last().unwrap_or_default();
            let is_word = last.chars().filter(|c| c.is_alphabetic()).count() > 2;
            let is_roman = last.chars().all(|c| "IVXLC".contains(c));
            is_word && !is_roman && sentence.split_whitespace().skip(1).count() >= SENTENCE_WORDS
        });
    let goes_on = [";", ",", "; and", "; or", ", and", ", or"].iter().any(|end| text.ends_with(end));
    let is_long = text.split_whitespace().nth(TITLE_WORDS).is_some();
    goes_on || is_run_in || is_long && text.ends_with(['.', ':', ')', ']', '”', '"'])
}
