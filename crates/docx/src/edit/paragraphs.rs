//! Whole paragraphs in a draft: new ones, and those that go.

use engross_xml::{Document, NodeId};

use crate::canon::normal_form;
use crate::edit::content::{pieces, split_at_breaks};
use crate::edit::draft::{Draft, Written};
use crate::edit::marks::{
    Left, delete_text, delete_whole, insert_paragraph_at_end, insert_paragraph_before, style_properties,
};
use crate::edit::splice::refuse_barrier;
use crate::error::{Refusal, RefusalCode};
use crate::model::{AtomKind, Barrier, FieldContext, Paragraph, barrier_inside};
use crate::names::{COMMENT_RANGE_END, COMMENT_RANGE_START, COMMENT_REFERENCE, P_PR, R_PR};
use crate::ops::Where;
use crate::styles::Styles;
use crate::text::StyledText;

impl Draft<'_> {
    pub(super) fn write_paragraphs(
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

    /// The style that text typed behind a heading takes: what the heading's style names as its follower.
    fn follower_style(&self, node: NodeId, side: Where) -> Option<String> {
        if side == Where::Before {
            return None;
        }
        self.base.styles.follower_of_heading(self.base.tree, node)
    }

    pub(super) fn write_deletion(&mut self, index: usize, author: &str) -> Result<Written, Refusal> {
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
