//! Paragraphs that stand elsewhere, and those that come back.

use crate::edit::content::{Syntax, read_content};
use crate::edit::plan::step::{ListWish, NewParagraphs, Plan, Step};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::model::{Paragraph, View};
use crate::ops::Where;

pub(super) fn plan_move(
    snapshot: &mut StorySnapshot<'_>,
    (first, last): (usize, usize),
    (side, to): (Where, usize),
) -> Result<Plan, Refusal> {
    if (first..=last).contains(&to) {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!("P{} is among the paragraphs that move; name one that stays", to + 1),
        ));
    }
    let stays = match side {
        Where::Before => to == last + 1,
        Where::After => to + 1 == first,
    };
    if stays {
        let remark = "the paragraphs already stand there".to_owned();
        return Ok(Plan { remark: Some(remark), found: Some(first), ..Plan::default() });
    }
    if let Some(at) = (first..last).find(|at| !snapshot.flows_on(*at)) {
        return Err(Refusal::new(
            RefusalCode::MoveRefused,
            format!("P{} and P{} do not stand in one place; move them one by one", at + 1, at + 2),
        ));
    }
    Ok(vec![Step::Move { first, last, index: to, side }].into())
}

/// A paragraph that a pending revision deletes comes back behind it as an insertion, as a counter-proposal.
pub(super) fn plan_restore(snapshot: &mut StorySnapshot<'_>, index: usize) -> Result<Plan, Refusal> {
    let node = snapshot.paragraphs.get(index).copied();
    let original = node.map_or_else(String::new, |node| {
        Paragraph::read(snapshot.document(), node, View::Original, snapshot.fields.get(&node)).text
    });
    let text: String = original.chars().filter(|c| *c != crate::model::OBJECT).collect();
    if !snapshot.text(index).trim().is_empty() || text.trim().is_empty() {
        return Err(Refusal::new(
            RefusalCode::NothingToRestore,
            format!(
                "no pending revision deletes all of P{}; edit its text, or reject the deletion",
                index + 1
            ),
        ));
    }
    let content = read_content(&text, Syntax::Plain)?;
    let new = NewParagraphs {
        settings: Vec::new(),
        index,
        side: Where::After,
        content,
        style: None,
        list: ListWish::Like,
        goes_on: true,
    };
    Ok(vec![Step::Insert(new)].into())
}
