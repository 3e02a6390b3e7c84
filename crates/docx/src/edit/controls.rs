//! Writing the value of a content control: its text as tracked changes, its state at once.
//!
//! The properties of a control have no record of what they were, so Word changes them at once while it tracks the text, and so does
//! this. Must never write data that a control is bound to.

use std::collections::HashSet;
use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::edit::content::{pieces, split_at_breaks};
use crate::edit::control_values::ControlState;
use crate::edit::hunks::Hunk;
use crate::edit::insertion::put;
use crate::edit::marks::split;
use crate::edit::plan::{ControlFill, Step, TextChange};
use crate::edit::prompts::{end_placeholder, look_of};
use crate::edit::splice::{Chain, Cursor, cut_out, wrap_neighbours};
use crate::edit::touched::TouchedRange;
use crate::edit::tree_editor::{TreeEditor, WriteOutcome};
use crate::error::Refusal;
use crate::model::{Control, Paragraph};
use crate::names::{
    CHECKBOX, CHECKED, COMBO_BOX, DATE, DROP_DOWN_LIST, FULL_DATE, LAST_VALUE, R_PR, SDT, SDT_PR, W14_VAL,
};
use crate::text::{StyledText, literal};

impl TreeEditor<'_> {
    /// The steps, with changes of one paragraph that has a prompt as one, and of each prompt as a whole: whichever is written first ends
    /// the prompt, and moves what the others mean.
    pub(crate) fn at_whole_prompts(&mut self, steps: Vec<Step>) -> Vec<Step> {
        let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
        // A paragraph can have thousands of changes.
        let mut asked: Option<(usize, bool)> = None;
        let mut has_prompt = |editor: &Self, index: usize| match asked {
            Some((known, has)) if known == index => has,
            _ => asked.insert((index, editor.has_prompt(index))).1,
        };
        for step in steps {
            match (step, joined.last_mut()) {
                (Step::Text(next), Some(Step::Text(known)))
                    if [known.last, next.first, next.last].iter().all(|index| *index == known.first)
                        && has_prompt(self, next.first) =>
                {
                    known.hunks.extend(next.hunks);
                    known.hunks.sort_by_key(|hunk| hunk.range.start);
                    known.range = TouchedRange::Hunks;
                }
                (step, _) => joined.push(step),
            }
        }
        for step in &mut joined {
            if let Step::Text(change) = step
                && has_prompt(self, change.first)
                && let Some(whole) = self.with_whole_prompts(change)
            {
                *change = whole;
            }
        }
        joined
    }

    /// Whether a paragraph stands in a control that waits for text, or has one in it.
    fn has_prompt(&self, index: usize) -> bool {
        let document = self.snapshot.document();
        self.snapshot.paragraphs.get(index).is_some_and(|paragraph| {
            let around = document.ancestors(*paragraph);
            around.chain(document.descendants(*paragraph)).any(|node| waits(document, node))
        })
    }

    /// The same change of text, in which no word of a prompt stays where others are typed in its place: people fill in all of it.
    /// Nothing when no prompt is concerned.
    fn with_whole_prompts(&mut self, change: &TextChange) -> Option<TextChange> {
        let paragraph = self.snapshot.paragraphs.get(change.first).copied();
        let paragraph = paragraph.filter(|_| change.first == change.last)?;
        let document = self.snapshot.document();
        let around = document.ancestors(paragraph).any(|above| waits(document, above));
        let inner: Vec<NodeId> =
            document.descendants(paragraph).filter(|node| waits(document, *node)).collect();
        if !around && inner.is_empty() {
            return None;
        }
        let text = self.snapshot.text(change.first).to_owned();
        let (chain, fields) = (self.own_chain(change.first), self.snapshot.context(change.first));
        let document = self.snapshot.document();
        let read = Paragraph::read_chain(document, &chain, self.snapshot.view, fields.as_ref());
        let mut prompts: Vec<Range<usize>> = around.then_some(0..text.len()).into_iter().collect();
        for control in inner {
            let within: HashSet<NodeId> = document.descendants(control).collect();
            let mut own = read.visible().filter(|atom| within.contains(&atom.node) && !atom.range.is_empty());
            if let Some(first) = own.next() {
                prompts.push(first.range.start..own.last().map_or(first.range.end, |last| last.range.end));
            }
        }
        let mut hunks = change.hunks.clone();
        for prompt in prompts {
            let inside = |hunk: &Hunk| prompt.start <= hunk.range.start && hunk.range.end <= prompt.end;
            let touches = |hunk: &Hunk| hunk.range.start < prompt.end && hunk.range.end > prompt.start;
            let types = hunks.iter().any(|hunk| inside(hunk) && touches(hunk) && !hunk.new.text.is_empty());
            let crosses = hunks.iter().any(|hunk| touches(hunk) && !inside(hunk));
            if !types || crosses {
                continue;
            }
            let (own, mut others): (Vec<Hunk>, Vec<Hunk>) = hunks.into_iter().partition(inside);
            others.push(joined(&text, prompt, own));
            others.sort_by_key(|hunk| hunk.range.start);
            hunks = others;
        }
        (hunks != change.hunks).then(|| TextChange { hunks, range: TouchedRange::Hunks, ..change.clone() })
    }

    /// Puts the value into the control, in the place of what it said.
    pub(crate) fn write_fill(&mut self, fill: &ControlFill, author: &str) -> Result<WriteOutcome, Refusal> {
        let chain = self.own_chain(fill.index);
        let fields = self.snapshot.context(fill.index);
        let view = self.snapshot.view;
        let mut writer = self.writer(author);
        let chain = Chain { nodes: &chain, fields: fields.as_ref(), view };
        let read = chain.read(&writer);
        let runs = cut_out(&mut writer, &read, fill.range.clone());
        let deletion = wrap_neighbours(&mut writer, &runs);
        let container = fill.container.or(chain.nodes.last().copied()).unwrap_or(fill.control);
        let old = deletion
            .and_then(|deletion| writer.document.first_child(deletion))
            .and_then(|run| writer.document.child(run, R_PR));
        let look = look_of(writer.document, (fill.control, container), old, &fill.filled.state);
        let cursor = match deletion.and_then(|deletion| child_of(writer.document, container, deletion)) {
            Some(child) => Cursor { parent: container, before: writer.document.next(child) },
            None => Cursor { parent: container, before: None },
        };
        for (number, part) in split_at_breaks(&fill.filled.content).iter().enumerate() {
            if number > 0 {
                split(&mut writer, cursor)?;
            }
            for inserted in writer.inserted_runs(&pieces(part), look) {
                put(&mut writer, cursor, inserted);
            }
        }
        set_state(writer.document, fill.control, &fill.filled.state);
        let new = fill.filled.content.text.clone();
        self.expect(fill.index).edit(std::iter::once((fill.range.clone(), new)));
        Ok(WriteOutcome::Done)
    }
}

/// Whether a node is a control with a prompt.
fn waits(document: &Document, node: NodeId) -> bool {
    document.name(node) == SDT && Control::of(document, node).is_placeholder()
}

/// One change of all of `range` in the place of several within it.
fn joined(text: &str, range: Range<usize>, hunks: Vec<Hunk>) -> Hunk {
    let mut new = StyledText::default();
    let mut at = range.start;
    for hunk in hunks {
        new.append(literal(text.get(at..hunk.range.start).unwrap_or_default()));
        new.append(hunk.new);
        at = hunk.range.end;
    }
    new.append(literal(text.get(at..range.end).unwrap_or_default()));
    Hunk { range, new }
}

/// The ancestor of `node` that is a child of `container`.
fn child_of(document: &Document, container: NodeId, node: NodeId) -> Option<NodeId> {
    std::iter::once(node)
        .chain(document.ancestors(node))
        .find(|above| document.parent(*above) == Some(container))
}

/// Lets the properties of a control know its value.
fn set_state(document: &mut Document, control: NodeId, state: &ControlState) {
    let Some(properties) = document.child(control, SDT_PR) else { return };
    end_placeholder(document, control);
    match state {
        ControlState::Text => {}
        ControlState::Choice(value) => {
            for name in [DROP_DOWN_LIST, COMBO_BOX] {
                // Word keeps it only of bound controls.
                if let Some(list) = document.child(properties, name)
                    && document.attribute(list, LAST_VALUE).is_some()
                {
                    document.set_attribute(list, LAST_VALUE, value);
                }
            }
        }
        ControlState::Date(day) => {
            if let Some(date) = document.child(properties, DATE) {
                match day.as_str() {
                    "" => document.remove_attribute(date, FULL_DATE),
                    day => document.set_attribute(date, FULL_DATE, day),
                }
            }
        }
        ControlState::Checked(checked, _) => {
            let Some(check_box) = document.child(properties, CHECKBOX) else { return };
            let node = match document.child(check_box, CHECKED) {
                Some(node) => node,
                None => {
                    let node = document.new_element(CHECKED);
                    document.prepend(check_box, node);
                    node
                }
            };
            document.set_attribute(node, W14_VAL, if *checked { "1" } else { "0" });
        }
    }
}
