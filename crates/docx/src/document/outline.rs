//! The outline of the body: headings, schedules and tables, with their places and sizes.
//!
//! What heads a section is decided in `sections`, for readers and operations alike. Must never change the tree.

use std::collections::BTreeMap;

use engross_xml::NodeId;
use serde::Serialize;

use super::WordDocument;
use crate::error::Error;
use crate::model::{Paragraph, View, fields_at_start, paragraphs};
use crate::read::{ParagraphReading, ReadDetail, excerpt};
use crate::sections::{HeadingKind, SectionSource, Sections};

/// An entry of an outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OutlineEntry {
    /// Its first paragraph: `P12`.
    pub address: String,
    /// Its last paragraph.
    pub end: String,
    /// How many entries it lies in.
    pub depth: usize,
    /// `heading`, `schedule`, `signatures` or `table`.
    pub kind: &'static str,
    /// The number of a heading, as shown or typed; of a table its number in the body.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub number: String,
    /// The heading, or the first cell of a table.
    pub text: String,
    /// How many paragraphs of it the accepted view shows.
    pub paragraphs: usize,
    /// How many characters they have.
    pub characters: usize,
    /// Rows and columns of a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cells: Option<(usize, usize)>,
}

impl WordDocument {
    /// The headings, schedules and tables of the body, in order.
    ///
    /// # Errors
    /// When another part that a reading needs cannot be read.
    pub fn outline(&self) -> Result<Vec<OutlineEntry>, Error> {
        let (shown, _) = self.read_paragraphs(None, View::Accepted, ReadDetail::NONE)?;
        let nodes = paragraphs(&self.tree, self.body);
        let sections = self.body_sections(&nodes);
        let mut entries: Vec<(usize, OutlineEntry)> = Vec::new();
        for heading in sections.headings() {
            let kind = match heading.kind {
                HeadingKind::Attachment => "schedule",
                HeadingKind::Signature => "signatures",
                HeadingKind::Styled | HeadingKind::Numbered | HeadingKind::Typed if heading.is_title => {
                    "heading"
                }
                _ => continue,
            };
            let (end, _) = sections.end_of(heading.index);
            let own = within(&shown, heading.index + 1, end);
            let Some(first) = own.first().filter(|first| first.index == heading.index + 1) else { continue };
            let text = excerpt(first.text.get(heading.typed..).unwrap_or(&first.text));
            entries.push((end, entry((kind, heading.number.clone(), text), &own, None)));
        }
        let mut tables: BTreeMap<usize, (usize, usize, Vec<&ParagraphReading>)> = BTreeMap::new();
        for paragraph in &shown {
            let Some(place) = paragraph.table else { continue };
            let (rows, columns, own) = tables.entry(place.id).or_default();
            (*rows, *columns) = ((*rows).max(place.row + 1), (*columns).max(place.column + 1));
            own.push(paragraph);
        }
        for (table, (rows, columns, own)) in tables {
            let text = own.first().map_or_else(String::new, |first| excerpt(&first.text));
            let end = own.last().map_or(0, |last| last.index);
            let told = ("table", table.to_string(), text);
            entries.push((end, entry(told, &own, Some((rows, columns)))));
        }
        entries.sort_by_key(|(end, entry)| (number_of(&entry.address), std::cmp::Reverse(*end)));
        let mut open: Vec<usize> = Vec::new();
        for (end, entry) in &mut entries {
            let at = number_of(&entry.address);
            open.retain(|end| *end >= at);
            entry.depth = open.len();
            if entry.kind != "table" {
                open.push(*end);
            }
        }
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    fn body_sections(&self, nodes: &[NodeId]) -> Sections {
        let fields = fields_at_start(&self.tree, nodes);
        let source = SectionSource {
            document: &self.tree,
            paragraphs: nodes,
            styles: &self.styles,
            numbering: &self.numbering,
        };
        Sections::read(source, |index| {
            let read =
                |node: &NodeId| Paragraph::read(&self.tree, *node, View::Accepted, fields.get(node)).text;
            nodes.get(index).map(read).unwrap_or_default()
        })
    }
}

/// The readings of the paragraphs from `first` to `last`.
fn within(shown: &[ParagraphReading], first: usize, last: usize) -> Vec<&ParagraphReading> {
    let from = shown.partition_point(|paragraph| paragraph.index < first);
    shown.iter().skip(from).take_while(|paragraph| paragraph.index <= last).collect()
}

fn entry(
    (kind, number, text): (&'static str, String, String),
    own: &[&ParagraphReading],
    cells: Option<(usize, usize)>,
) -> OutlineEntry {
    let address =
        |paragraph: Option<&&ParagraphReading>| paragraph.map_or_else(String::new, |own| own.address.clone());
    OutlineEntry {
        address: address(own.first()),
        end: address(own.last()),
        depth: 0,
        kind,
        number,
        text,
        paragraphs: own.len(),
        characters: own.iter().map(|own| own.text.chars().count()).sum(),
        cells,
    }
}

fn number_of(address: &str) -> usize {
    address.trim_start_matches('P').parse().unwrap_or_default()
}
