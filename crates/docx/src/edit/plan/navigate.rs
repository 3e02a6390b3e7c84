//! Finding the paragraph that a description means: a number as shown, a heading, or words of the text.

use crate::edit::base::Base;
use crate::edit::hints::{candidates, near};
use crate::edit::phrase::search;
use crate::edit::plan::step::Planned;
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

pub(super) fn navigate(base: &mut Base<'_>, description: &str) -> Result<Planned, Refusal> {
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
    let hits = find(base, wanted);
    let Some(first) = hits.first().copied() else {
        let near = near(base, wanted);
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!(
                "nothing in {} is '{}'{near}; name a number, a heading or words of the text",
                base.name(),
                excerpt(wanted)
            ),
        ));
    };
    let mut remark = format!("it is {}", candidates(base, &[first]));
    if let Some(others) = hits.get(1..).filter(|others| !others.is_empty()) {
        remark = format!("{remark}; it could be {}, too", candidates(base, others));
    }
    Ok(Planned { remark: Some(remark), found: Some(first), ..Planned::default() })
}

/// What fits best first: a number, then headings, then any text.
fn find(base: &mut Base<'_>, wanted: &str) -> Vec<usize> {
    let numbered = base.provisions(wanted);
    if !numbered.is_empty() {
        return numbered;
    }
    let count = base.paragraphs.len();
    let mut hits: Vec<usize> = search(base, 0..count, wanted).into_iter().map(|hit| hit.first).collect();
    if hits.is_empty() {
        let lower = wanted.to_lowercase();
        hits = (0..count).filter(|index| base.text(*index).to_lowercase().contains(&lower)).collect();
    }
    hits.dedup();
    let is_heading = |base: &Base<'_>, index: usize| {
        let style = base.paragraphs.get(index).and_then(|node| base.styles.of_paragraph(base.tree, *node));
        style.is_some_and(|style| base.styles.outline_level(style).is_some()) || base.list_of(index).is_some()
    };
    // Stable: of equals the first stands first.
    hits.sort_by_key(|index| !is_heading(base, *index));
    hits
}
