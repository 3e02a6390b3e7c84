//! Sections: a heading and what belongs to it, rewritten without reaching beyond.
//!
//! Must never decide what a section is: that is `crate::sections`.

use crate::edit::content::{Syntax, read_content};
use crate::edit::hints::near_heading;
use crate::edit::plan::align::{TargetParagraph, align};
use crate::edit::plan::phrases::styled_text;
use crate::edit::plan::step::{ListWish, Plan, Step};
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::names::{P_PR, SECT_PR};
use crate::ops::Where;
use crate::read::excerpt;
use crate::sections::{SectionEnd, SectionSource, Sections};
use crate::text::StyledText;
use crate::text::typed_numbers::typed_number;
use crate::text::without_marker;

/// A page break at the end of a text.
const PAGE_BREAK: char = '\u{C}';

impl StorySnapshot<'_> {
    /// The sections of the story before the batch.
    pub(crate) fn sections(&mut self) -> Sections {
        for index in 0..self.paragraphs.len() {
            self.text(index);
        }
        let source = SectionSource {
            document: self.tree,
            paragraphs: &self.paragraphs,
            styles: self.styles,
            numbering: self.numbering,
        };
        Sections::read(source, |index| self.known_text(index).to_owned())
    }

    fn ends_section(&self, index: usize) -> bool {
        let document = self.document();
        let properties = self.paragraphs.get(index).and_then(|node| document.child(*node, P_PR));
        properties.is_some_and(|properties| document.child(properties, SECT_PR).is_some())
    }
}

pub(super) fn edit_section(
    snapshot: &mut StorySnapshot<'_>,
    index: usize,
    (header, body): (Option<&str>, Option<&[String]>),
    preserve: bool,
    syntax: Syntax,
) -> Result<Plan, Refusal> {
    let sections = snapshot.sections();
    let Some(heading) = sections.heading_at(index) else {
        let near = near_heading(snapshot, &sections, index);
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            format!("P{} has no number and no heading style, so it heads no section{near}", index + 1),
        ));
    };
    let mut steps = Vec::new();
    if let Some(header) = header {
        let text = snapshot.text(index).to_owned();
        let content =
            read_content(&with_number(header.trim(), text.get(..heading.typed).unwrap_or_default()), syntax)?;
        steps.extend(styled_text(snapshot, index, &content));
    }
    let Some(body) = body else { return Ok(steps.into()) };
    let (end, why) = sections.end_of(index);
    let end = if preserve {
        let item = (index + 1..end).find(|at| snapshot.list_of(*at).is_some()).unwrap_or(end);
        item.min(sections.first_within(index))
    } else {
        end
    };
    // Empty paragraphs at its end are the distance to what follows.
    let last = (index + 1..end).rev().find(|at| !snapshot.text(*at).trim().is_empty());
    let old: Vec<usize> = (index + 1..last.map_or(index + 1, |last| last + 1)).collect();
    let keeps_break = last.is_some_and(|last| snapshot.text(last).ends_with(PAGE_BREAK));
    let mut wanted = Vec::new();
    for (number, text) in body.iter().enumerate() {
        let mut content = read_content(text.trim(), syntax)?;
        if keeps_break && number + 1 == body.len() {
            content.text.push(PAGE_BREAK);
        }
        wanted.push(TargetParagraph { content, style: None, list: ListWish::Outside, settings: Vec::new() });
    }
    let mut gone = Vec::new();
    for step in align(snapshot, &old, &wanted, (index, Where::After)) {
        match step {
            // The break of a section stays, so its paragraph does.
            Step::Delete { index } if snapshot.ends_section(index) => {
                steps.extend(styled_text(snapshot, index, &StyledText::default()));
            }
            Step::Delete { index } => {
                gone.push(index);
                steps.push(step);
            }
            step => steps.push(step),
        }
    }
    let remark = scope_remark(snapshot, &gone, (index, end), why, preserve);
    Ok(Plan { steps, remark: Some(remark), found: None })
}

/// A new heading behind the number that is typed there; a list shows its own.
fn with_number(header: &str, typed: &str) -> String {
    if typed.is_empty() {
        return without_marker(header).to_owned();
    }
    match typed_number(header) {
        Some(_) => header.to_owned(),
        None => format!("{typed}{header}"),
    }
}

/// What the section was taken to be, and what of it goes.
fn scope_remark(
    snapshot: &mut StorySnapshot<'_>,
    gone: &[usize],
    (index, end): (usize, usize),
    why: SectionEnd,
    preserve: bool,
) -> String {
    let mut remark = match end - index {
        1 => format!("the section is P{} alone", index + 1),
        _ => format!("the section is P{} to P{end}", index + 1),
    };
    if end < snapshot.paragraphs.len() {
        let what = match why {
            _ if preserve => "what begins at",
            SectionEnd::Heading | SectionEnd::Story => "the heading",
            SectionEnd::PageBreak => "a page break,",
            SectionEnd::SectionBreak => "a section break,",
            SectionEnd::Table => "the edge of a table,",
        };
        remark.push_str(&format!("; it ends before {what} P{} '{}'", end + 1, excerpt(snapshot.text(end))));
    }
    if !gone.is_empty() {
        remark.push_str(&format!("; it removes {}", ranges(gone)));
    }
    remark
}

/// `P4-P6, P9`.
fn ranges(indices: &[usize]) -> String {
    let mut shown: Vec<(usize, usize)> = Vec::new();
    for index in indices {
        match shown.last_mut() {
            Some((_, last)) if *last + 1 == *index => *last = *index,
            _ => shown.push((*index, *index)),
        }
    }
    let show = |(first, last): &(usize, usize)| match first == last {
        true => format!("P{}", first + 1),
        false => format!("P{}-P{}", first + 1, last + 1),
    };
    shown.iter().map(show).collect::<Vec<_>>().join(", ")
}
