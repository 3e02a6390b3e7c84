//! The reading as text: one line a paragraph, `[P7|ListNumber|L:1|M:1.1] …`.
//!
//! The forms of the paper (mission/004) are kept: `[P3|Heading1]`, `[P7|ListNumber|L:1]`, `[P9|T:0,2]`. Added are the
//! visible marker `M:`, the table `tbl:`, the provision `§`, revisions `rev:` and comments `c:`.

use std::fmt::Write as _;

use crate::read::listing::{ParagraphReading, Reading, StorySize};
use crate::revisions::Comment;

/// The reading as text, with a closing line when there is more to read.
#[must_use]
pub fn notation(reading: &Reading, comments: &[Comment]) -> String {
    let mut out = String::new();
    if !reading.stories.is_empty() {
        let _ = writeln!(out, "{}\n", stories(&reading.stories));
    }
    for paragraph in &reading.paragraphs {
        let _ = writeln!(out, "[{}] {}", tags(paragraph), paragraph.text);
    }
    let mentioned = |comment: &&Comment| {
        reading.paragraphs.iter().any(|paragraph| paragraph.comments.contains(&comment.id))
    };
    let mut notes = comments.iter().filter(mentioned).peekable();
    if notes.peek().is_some() {
        out.push_str("\nComments:\n");
    }
    for comment in notes {
        let _ = write!(out, "c:{} {}", comment.id, comment.stamp.author);
        if let Some(date) = &comment.stamp.date {
            let _ = write!(out, ", {date}");
        }
        if let Some(parent) = &comment.parent {
            let _ = write!(out, ", answers c:{parent}");
        }
        if comment.resolved {
            out.push_str(", resolved");
        }
        if !comment.quoted.is_empty() {
            let _ = write!(out, ", on \"{}\"", comment.quoted.replace('\n', " "));
        }
        let _ = writeln!(out, ": {}", comment.text.replace('\n', " / "));
    }
    if let Some(note) = &reading.note {
        let _ = writeln!(out, "{note}");
    }
    if let Some(cursor) = &reading.cursor {
        let _ = writeln!(out, "\n… {} paragraphs in all; read on from {cursor}", reading.total);
    }
    out
}

/// `Stories: body (12 paragraphs, 840 characters), header:default@1 (1, 20)`, with those of one kind that are many as one.
fn stories(sizes: &[StorySize]) -> String {
    /// Of a kind with more stories only the first and the last are named.
    const NAMED: usize = 4;
    let mut out = String::from("Stories: ");
    let mut rest = sizes;
    while let Some(first) = rest.first() {
        let kind = |size: &StorySize| size.name.split([':', '@']).next().unwrap_or_default().to_owned();
        let same = rest.iter().take_while(|size| kind(size) == kind(first)).count();
        let (own, more) = rest.split_at(same.max(1));
        rest = more;
        let paragraphs: usize = own.iter().map(|size| size.paragraphs).sum();
        let characters: usize = own.iter().map(|size| size.characters).sum();
        if own.len() > NAMED {
            let last = own.last().unwrap_or(first);
            let _ = write!(
                out,
                "{} {}s {} to {} ({paragraphs} paragraphs, {characters} characters), ",
                own.len(),
                kind(first),
                first.name,
                last.name
            );
            continue;
        }
        for StorySize { name, paragraphs, characters } in own {
            let s = if *paragraphs == 1 { "" } else { "s" };
            let _ = write!(out, "{name} ({paragraphs} paragraph{s}, {characters} characters), ");
        }
    }
    out.trim_end_matches(", ").to_owned()
}

fn tags(paragraph: &ParagraphReading) -> String {
    let mut tags = vec![paragraph.address.clone()];
    let style = paragraph.style.as_deref().unwrap_or("Normal");
    match paragraph.list_level {
        Some(level) => {
            tags.push(list_style(paragraph, style));
            tags.push(format!("L:{level}"));
            tags.extend(paragraph.marker.as_ref().map(|marker| format!("M:{marker}")));
        }
        // In a cell the common style says nothing.
        None if paragraph.table.is_some() && style == "Normal" => {}
        None => tags.push(style.to_owned()),
    }
    if let Some(place) = paragraph.table {
        tags.push(format!("T:{},{}", place.row, place.column));
        tags.push(format!("tbl:{}", place.id));
    }
    tags.extend(paragraph.section.as_ref().map(|section| format!("§{section}")));
    if !paragraph.revisions.is_empty() {
        tags.push(format!("rev:{}", paragraph.revisions.join(",")));
    }
    if !paragraph.comments.is_empty() {
        tags.push(format!("c:{}", paragraph.comments.join(",")));
    }
    tags.join("|")
}

/// List paragraphs of a plain style are named by their list, headings and other styles by their own name.
fn list_style(paragraph: &ParagraphReading, style: &str) -> String {
    let plain = matches!(style, "Normal" | "ListParagraph" | "ListNumber" | "ListBullet");
    match (plain, paragraph.bullet) {
        (false, _) => style.to_owned(),
        (true, true) => "ListBullet".to_owned(),
        (true, false) => "ListNumber".to_owned(),
    }
}
