//! Who changed what: the attributes of an element that a revision has, and marks for revisions without text.

use std::collections::{BTreeMap, HashSet};

use engross_xml::{Document, NodeId};

use super::markup::{Wrapper, attribute, escape, short, short_attribute};
use crate::model::RevisionStamp;
use crate::revisions::RevisionKind;

/// Longest name of an author, in characters.
const LONGEST_NAME: usize = 80;
/// Colours that authors have in turn.
const COLOURS: usize = 8;

/// The authors of a view, in the order in which they are met.
#[derive(Debug, Default)]
pub(super) struct Authors(BTreeMap<String, usize>);

impl Authors {
    /// The number of an author's colour.
    pub(super) fn colour(&mut self, author: &str) -> usize {
        let next = self.0.len();
        if let Some(known) = self.0.get(author) {
            return known % COLOURS;
        }
        self.0.insert(author.to_owned(), next);
        next % COLOURS
    }

    /// Those there are, with their colours.
    pub(super) fn all(&self) -> Vec<(String, usize)> {
        let mut all: Vec<(&String, &usize)> = self.0.iter().collect();
        all.sort_by_key(|(_, at)| **at);
        all.into_iter().map(|(name, at)| (short(name, LONGEST_NAME), at % COLOURS)).collect()
    }
}

/// What a view knows of the revisions of a part.
pub(super) struct Changes<'a> {
    /// Their names, as accepting and rejecting take them.
    pub(super) names: &'a std::collections::HashMap<NodeId, String>,
    /// Those that the view shows already.
    pub(super) shown: HashSet<NodeId>,
}

impl Changes<'_> {
    /// The attributes of an element that shows a revision; nothing for one that is no revision of the story.
    pub(super) fn attributes(
        &mut self,
        document: &Document,
        node: NodeId,
        (kind, classes): (&str, &str),
        authors: &mut Authors,
    ) -> Option<String> {
        let name = self.names.get(&node)?;
        self.shown.insert(node);
        let stamp = RevisionStamp::of(document, node);
        let mut out = format!(" class=\"{classes}a{}\"", authors.colour(&stamp.author));
        short_attribute(&mut out, "data-revision", name, 200);
        let author = short(&stamp.author, LONGEST_NAME);
        attribute(&mut out, "data-author", &author);
        let date = stamp.date.as_deref().and_then(html_date);
        attribute(&mut out, "title", &said(kind, &author, date));
        Some(out)
    }

    /// The element of inserted, deleted or moved text.
    pub(super) fn wrapper(
        &mut self,
        document: &Document,
        node: NodeId,
        kind: RevisionKind,
        authors: &mut Authors,
    ) -> Option<Wrapper> {
        let (name, said, classes) = match kind {
            RevisionKind::Insertion => ("ins", "Inserted", ""),
            RevisionKind::Deletion => ("del", "Deleted", ""),
            RevisionKind::MoveFrom => ("del", "Moved away", "moved "),
            RevisionKind::MoveTo => ("ins", "Moved here", "moved "),
            _ => ("span", "Formatted", "formatted "),
        };
        let mut attributes = self.attributes(document, node, (said, classes), authors)?;
        if name != "span"
            && let Some(date) = RevisionStamp::of(document, node).date.as_deref().and_then(html_date)
        {
            attribute(&mut attributes, "datetime", date);
        }
        Some(Wrapper::new(name, attributes, usize::MAX))
    }

    /// A mark for a revision that has no text: `¶`, `row inserted`, `format`.
    pub(super) fn mark(
        &mut self,
        document: &Document,
        node: NodeId,
        kind: RevisionKind,
        authors: &mut Authors,
    ) -> Option<String> {
        let (element, text) = match kind {
            RevisionKind::ParagraphInsertion => ("ins", "¶"),
            RevisionKind::ParagraphDeletion => ("del", "¶"),
            RevisionKind::RowInsertion => ("ins", "row inserted"),
            RevisionKind::RowDeletion => ("del", "row deleted"),
            RevisionKind::CellInsertion => ("ins", "cell inserted"),
            RevisionKind::CellDeletion => ("del", "cell deleted"),
            RevisionKind::CellMerge => ("span", "cells merged"),
            RevisionKind::Numbering => ("span", "number"),
            RevisionKind::Insertion | RevisionKind::MoveTo => ("ins", "inserted"),
            RevisionKind::Deletion | RevisionKind::MoveFrom => ("del", "deleted"),
            RevisionKind::Formatting | RevisionKind::ParagraphFormatting => ("span", "format"),
            RevisionKind::SectionFormatting => ("span", "section format"),
            RevisionKind::TableFormatting => ("span", "table format"),
            RevisionKind::ControlInsertion => ("ins", "control inserted"),
            RevisionKind::ControlDeletion => ("del", "control removed"),
        };
        let attributes = self.attributes(document, node, (kind.in_words(), "generated change "), authors)?;
        Some(format!("<{element}{attributes}>{text}</{element}>"))
    }
}

/// `Inserted by Ada on 2026-01-31`.
pub(super) fn said(kind: &str, author: &str, date: Option<&str>) -> String {
    let mut out = kind.to_owned();
    if !author.is_empty() {
        out.push_str(" by ");
        out.push_str(author);
    }
    if let Some(day) = date.and_then(|date| date.get(..10)) {
        out.push_str(" on ");
        out.push_str(day);
    }
    out
}

/// A name of a person, apart from the direction of the text around it.
pub(super) fn author_element(author: &str) -> String {
    let mut out = String::from("<bdi>");
    let name = short(author, LONGEST_NAME);
    escape(&mut out, if name.trim().is_empty() { "Unknown" } else { &name });
    out.push_str("</bdi>");
    out
}

/// A date as HTML takes it: the day, or day and time where the zone is said. Nothing for what is no date.
pub(super) fn html_date(date: &str) -> Option<&str> {
    let fits = |text: &str, pattern: &str| {
        text.len() == pattern.len()
            && text.bytes().zip(pattern.bytes()).all(|(byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                wanted => byte == wanted,
            })
    };
    let day = date.get(..10).filter(|day| fits(day, "0000-00-00"))?;
    let number = |range: std::ops::Range<usize>| day.get(range).and_then(|text| text.parse::<u32>().ok());
    let is_day = number(0..4).is_some_and(|year| year > 0)
        && number(5..7).is_some_and(|month| (1..=12).contains(&month))
        && number(8..10).is_some_and(|day| (1..=31).contains(&day));
    if !is_day {
        return None;
    }
    Some(if fits(date, "0000-00-00T00:00:00Z") { date } else { day })
}
