//! Finding the paragraph that a description means: a number as shown, a heading, or words of the text.

use crate::edit::hints::{candidates, near};
use crate::edit::phrase::paragraphs_with;
use crate::edit::plan::step::Plan;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::read::excerpt;

/// Words that a description begins with and that name nothing.
const OPENERS: &[&str] = &[
    "go to",
    "the",
    "section",
    "clause",
    "article",
    "paragraph",
    "provision",
    "§",
    "heading",
    "about",
    "on",
];

pub(super) fn navigate(snapshot: &mut StorySnapshot<'_>, description: &str) -> Result<Plan, Refusal> {
    let mut wanted = description.trim().trim_matches(['"', '\'', '“', '”']);
    loop {
        let lower = wanted.to_lowercase();
        let opener = OPENERS.iter().find(|opener| {
            lower.strip_prefix(**opener).is_some_and(|rest| rest.starts_with(' ') || opener.ends_with('§'))
        });
        let rest = opener.and_then(|opener| wanted.get(opener.len()..)).map(str::trim_start);
        match rest.filter(|rest| !rest.is_empty()) {
            Some(rest) => wanted = rest,
            None => break,
        }
    }
    let hits = find(snapshot, wanted);
    let Some(first) = hits.first().copied() else {
        let near = near(snapshot, wanted);
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!(
                "nothing in {} is '{}'{near}; name a number, a heading or words of the text",
                snapshot.name(),
                excerpt(wanted)
            ),
        ));
    };
    let mut remark = format!("it is {}", candidates(snapshot, &[first]));
    if let Some(others) = hits.get(1..).filter(|others| !others.is_empty()) {
        remark = format!("{remark}; it could be {}, too", candidates(snapshot, others));
    }
    Ok(Plan { remark: Some(remark), found: Some(first), ..Plan::default() })
}

/// What fits best first: a number, then headings, then any text.
fn find(snapshot: &mut StorySnapshot<'_>, wanted: &str) -> Vec<usize> {
    let numbered = snapshot.provisions(wanted);
    if !numbered.is_empty() {
        return numbered;
    }
    let count = snapshot.paragraphs.len();
    let mut hits = paragraphs_with(snapshot, wanted);
    if hits.is_empty() {
        let lower = wanted.to_lowercase();
        hits = (0..count).filter(|index| snapshot.text(*index).to_lowercase().contains(&lower)).collect();
    }
    hits.dedup();
    let is_heading = |snapshot: &StorySnapshot<'_>, index: usize| {
        let style = snapshot
            .paragraphs
            .get(index)
            .and_then(|node| snapshot.styles.of_paragraph(snapshot.tree, *node));
        style.is_some_and(|style| snapshot.styles.outline_level(style).is_some())
            || snapshot.list_of(index).is_some()
    };
    // Stable: of equals the first stands first.
    hits.sort_by_key(|index| !is_heading(snapshot, *index));
    hits
}
