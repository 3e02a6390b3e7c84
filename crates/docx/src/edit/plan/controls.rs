//! Filling in content controls: which text of which paragraphs goes, and what comes.

use std::collections::HashSet;

use engross_xml::NodeId;

use crate::edit::content::Syntax;
use crate::edit::control_values::{FilledControl, fill, knows};
use crate::edit::plan::step::{ControlFill, Plan, Step};
use crate::edit::snapshot::StorySnapshot;
use crate::edit::splice::refuse_barrier;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Barrier, Control, OBJECT, Paragraph};
use crate::names::{P, SDT_CONTENT};
use crate::ops::{ControlPlace, ControlValue};
use crate::read::excerpt;

/// The steps that give the controls at `places` of the story a value.
pub(super) fn fill_controls(
    snapshot: &mut StorySnapshot<'_>,
    places: &[ControlPlace],
    value: (&ControlValue, Option<&str>),
    expected: Option<&str>,
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let mut plan = Plan::default();
    for place in places {
        let Some(node) = snapshot.controls.get(place.place).copied() else { continue };
        let name = format!("control:{}", place.number);
        let filled = fill(snapshot.document(), (node, &name), value, syntax)?;
        let holder = snapshot.document().ancestors(node).find(|above| snapshot.document().name(*above) == P);
        let steps = match holder {
            Some(paragraph) => inside(snapshot, paragraph, node, filled, (&name, expected))?,
            None => around(snapshot, node, filled, (&name, expected))?,
        };
        plan.steps.extend(steps);
    }
    if plan.steps.is_empty() {
        plan.remark = Some("it already says so".to_owned());
    }
    Ok(plan)
}

/// A control within a paragraph.
fn inside(
    snapshot: &mut StorySnapshot<'_>,
    paragraph: NodeId,
    control: NodeId,
    filled: FilledControl,
    (name, expected): (&str, Option<&str>),
) -> Result<Vec<Step>, Refusal> {
    let Some(index) = snapshot.paragraphs.iter().position(|node| *node == paragraph) else {
        let message = format!("{name} stands in no paragraph of this story");
        return Err(Refusal::new(RefusalCode::ControlNotFound, message));
    };
    let chain = snapshot.chain(index);
    let fields = snapshot.context(index);
    let document = snapshot.document();
    let read = Paragraph::read_chain(document, &chain, snapshot.view, fields.as_ref());
    let within: HashSet<NodeId> = document.descendants(control).collect();
    let own = || read.atoms.iter().filter(|atom| within.contains(&atom.node));
    let barrier = own().find_map(|atom| match &atom.barrier {
        Some(barrier @ (Barrier::Field(_) | Barrier::Move)) => Some(barrier),
        _ => None,
    });
    if let Some(barrier) = barrier {
        return Err(refuse_barrier(barrier));
    }
    let shown = || own().filter(|atom| atom.visible && !atom.range.is_empty());
    let range = match (shown().next(), shown().next_back()) {
        (Some(first), Some(last)) => first.range.start..last.range.end,
        _ => {
            let before: HashSet<NodeId> = chain
                .iter()
                .flat_map(|node| document.descendants(*node))
                .take_while(|node| *node != control)
                .collect();
            let at = read.atoms.iter().rfind(|atom| before.contains(&atom.node));
            let at = at.map_or(0, |atom| atom.range.end);
            at..at
        }
    };
    let old = read.text.get(range.clone()).unwrap_or_default().to_owned();
    if is_done(snapshot, control, &old, &filled, (name, expected))? {
        return Ok(Vec::new());
    }
    let container = snapshot.document().child(control, SDT_CONTENT).unwrap_or(control);
    Ok(vec![Step::Fill(ControlFill {
        index,
        range,
        control,
        container: Some(container),
        filled,
        told: state_of(name),
    })])
}

/// A control around paragraphs: the first gets the text, the others go.
fn around(
    snapshot: &mut StorySnapshot<'_>,
    control: NodeId,
    filled: FilledControl,
    (name, expected): (&str, Option<&str>),
) -> Result<Vec<Step>, Refusal> {
    let within: HashSet<NodeId> = snapshot.document().descendants(control).collect();
    let indices: Vec<usize> = (0..snapshot.paragraphs.len())
        .filter(|index| snapshot.paragraphs.get(*index).is_some_and(|node| within.contains(node)))
        .collect();
    let (Some(first), Some(last)) = (indices.first().copied(), indices.last().copied()) else {
        let message = format!("{name} holds no paragraph to fill in");
        return Err(Refusal::new(RefusalCode::ControlValueRefused, message));
    };
    let fields = snapshot.context(first);
    let chain = snapshot.chain(first);
    let read = Paragraph::read_chain(snapshot.document(), &chain, snapshot.view, fields.as_ref());
    let barrier = read.atoms.iter().find_map(|atom| match &atom.barrier {
        Some(barrier @ (Barrier::Field(_) | Barrier::Move)) => Some(barrier),
        _ => None,
    });
    if let Some(barrier) = barrier {
        return Err(refuse_barrier(barrier));
    }
    let old = snapshot.joined(first, last);
    if is_done(snapshot, control, &old, &filled, (name, expected))? {
        return Ok(Vec::new());
    }
    let range = 0..snapshot.text(first).len();
    let fill = Step::Fill(ControlFill {
        index: first,
        range,
        control,
        container: None,
        filled,
        told: state_of(name),
    });
    Ok(std::iter::once(fill).chain((first + 1..=last).map(|index| Step::Delete { index })).collect())
}

/// Whether the control says and knows it already. Refuses what it does not say as expected, and what holds more than text.
fn is_done(
    snapshot: &StorySnapshot<'_>,
    control: NodeId,
    old: &str,
    filled: &FilledControl,
    (name, expected): (&str, Option<&str>),
) -> Result<bool, Refusal> {
    if let Some(expected) = expected.filter(|expected| *expected != old) {
        let message = format!("{name} says '{}', not '{}'; read it again", excerpt(old), excerpt(expected));
        return Err(Refusal::new(RefusalCode::ExpectedTextMismatch, message));
    }
    if old.contains(OBJECT) {
        let message = format!("{name} holds a picture or another object; change its words with modify_text");
        return Err(Refusal::new(RefusalCode::ControlValueRefused, message));
    }
    let document = snapshot.document();
    let same = old == filled.content.text && filled.content.spans.is_empty();
    Ok(same && !Control::of(document, control).is_placeholder() && knows(document, control, &filled.state))
}

fn state_of(name: &str) -> String {
    format!("the state of {name}")
}
