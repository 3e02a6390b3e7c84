//! Lines of a table of contents as tracked changes: one that comes, one that goes, and a whole new table.
//!
//! Must never count a page: only the program that lays the document out knows it.

use engross_xml::{NodeId, NodeKind};

use crate::edit::built_in::BuiltInStyle;
use crate::edit::marks::{delete_mark, insert_paragraph_before, style_properties};
use crate::edit::properties::set_property;
use crate::edit::references::isolate;
use crate::edit::revision_writer::RevisionWriter;
use crate::edit::splice::wrap_neighbours;
use crate::model::{is_range_marker, is_revision_wrapper};
use crate::names::{
    ANCHOR, DIRTY, FLD_CHAR, FLD_CHAR_TYPE, HISTORY, HYPERLINK, INS, INSTR_TEXT, LEADER, P_PR, POS, R_PR,
    RUN, TAB, TABS, VAL,
};

/// A line to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewLine {
    pub(crate) level: u8,
    pub(crate) label: Option<String>,
    pub(crate) title: String,
    /// The bookmark of the paragraph that it is of.
    pub(crate) bookmark: String,
    /// The page, where the document says on which one the paragraph stood when it was laid out last.
    pub(crate) page: Option<u32>,
}

/// Where the tabs of a new table stand, in twentieths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineWidth(pub(crate) i64);

/// What is added to the indent of a line by each level: a fifth of an inch and a bit, as Word has it.
const INDENT: i64 = 220;
/// The room for a number.
const NUMBER_ROOM: i64 = 440;

/// Why a line cannot go.
pub(crate) const UNUSUAL: &str = "it holds more than runs and links";

/// Puts a new line before the element `before`. `like` is a line of the table after which it takes: its properties, if it is of the
/// same level, and the formatting of its words.
pub(crate) fn insert_line(
    writer: &mut RevisionWriter<'_>,
    before: NodeId,
    line: &NewLine,
    like: Option<(NodeId, bool)>,
) -> NodeId {
    let properties = match like {
        Some((like, true)) => writer.copy_paragraph_properties(like),
        _ => Some(new_properties(writer, line, None)),
    };
    let words = like.and_then(|(like, _)| first_run_properties(writer, like));
    let content = line_content(writer, line, words);
    insert_paragraph_before(writer, before, properties, &[content])
}

/// Puts a whole table before the element `before`: a title if one is given, its lines, and the paragraph with its end.
pub(crate) fn insert_table(
    writer: &mut RevisionWriter<'_>,
    before: NodeId,
    title: Option<&str>,
    (code, lines): (&str, &[NewLine]),
    width: LineWidth,
) {
    if let Some(title) = title {
        let style = writer.pending.style(writer.styles, BuiltInStyle::ContentsTitle);
        let properties = style_properties(writer, &style);
        let run = writer.run_like(None, title);
        let insertion = inserted(writer, &[run]);
        insert_paragraph_before(writer, before, Some(properties), &[insertion]);
    }
    for (at, line) in lines.iter().enumerate() {
        let properties = new_properties(writer, line, Some(width));
        let mut content = Vec::new();
        if at == 0 {
            let begin = character(writer, "begin");
            if let Some(character) = writer.document.first_child(begin) {
                // Word fills in the pages when it opens the document.
                writer.document.set_attribute(character, DIRTY, "true");
            }
            let code = code_run(writer, code);
            let separate = character(writer, "separate");
            content.push(inserted(writer, &[begin, code, separate]));
        }
        content.push(line_content(writer, line, None));
        insert_paragraph_before(writer, before, Some(properties), &content);
    }
    let end = character(writer, "end");
    let end = inserted(writer, &[end]);
    insert_paragraph_before(writer, before, None, &[end]);
}

/// Marks a line as deleted, and the border behind it. The characters of its table stay.
pub(crate) fn delete_line(
    writer: &mut RevisionWriter<'_>,
    paragraph: NodeId,
    (begin, separate, end): (NodeId, NodeId, NodeId),
) -> Result<(), &'static str> {
    for character in [begin, separate, end] {
        isolate(writer, character);
    }
    let order: Vec<NodeId> = writer.document.descendants(paragraph).collect();
    let place = |node: NodeId| order.iter().position(|known| *known == node);
    let from = place(separate).map_or(0, |at| at + 1);
    let to = place(end).unwrap_or(order.len());
    let own = order.get(from..to.max(from)).unwrap_or_default();
    let is_unusual = |node: &NodeId| {
        let name = writer.document.name(*node);
        is_revision_wrapper(name)
            || writer.document.kind(*node) == NodeKind::Element
                && writer.document.parent(*node) == Some(paragraph)
                && !matches!(name, RUN | HYPERLINK | P_PR)
                && !is_range_marker(name)
    };
    if own.iter().any(is_unusual) {
        return Err(UNUSUAL);
    }
    let is_run =
        |node: &NodeId| writer.document.name(*node) == RUN && !holds_any(writer, *node, &[separate, end]);
    let runs: Vec<NodeId> = own.iter().copied().filter(is_run).collect();
    wrap_neighbours(writer, &runs);
    if place(end).is_none() {
        delete_mark(writer, paragraph);
    }
    Ok(())
}

fn holds_any(writer: &RevisionWriter<'_>, run: NodeId, nodes: &[NodeId]) -> bool {
    writer.document.children(run).any(|child| nodes.contains(&child))
}

/// Puts a line before the first one of a table: what begins the table's field goes into it, so that the line stands in the table.
pub(crate) fn move_beginning(writer: &mut RevisionWriter<'_>, from: NodeId, to: NodeId, separate: NodeId) {
    let last = isolate(writer, separate);
    let mut beginning = Vec::new();
    for child in writer.document.children(from) {
        if writer.document.name(child) != P_PR {
            beginning.push(child);
        }
        if child == last {
            break;
        }
    }
    let first = writer.document.children(to).find(|child| writer.document.name(*child) != P_PR);
    for node in beginning {
        match first {
            Some(first) => writer.document.insert_before(first, node),
            None => writer.document.append(to, node),
        }
    }
}

fn line_content(writer: &mut RevisionWriter<'_>, line: &NewLine, words: Option<NodeId>) -> NodeId {
    let mut runs = Vec::new();
    if let Some(label) = &line.label {
        runs.push(writer.run_like(words, &format!("{label}\t")));
    }
    runs.push(writer.run_like(words, &line.title));
    runs.push(writer.run_like(words, "\t"));
    runs.push(character(writer, "begin"));
    runs.push(code_run(writer, &format!("PAGEREF {} \\h", line.bookmark)));
    runs.push(character(writer, "separate"));
    if let Some(page) = line.page {
        runs.push(writer.run_like(words, &page.to_string()));
    }
    runs.push(character(writer, "end"));
    let link = writer.document.new_element(HYPERLINK);
    writer.document.set_attribute(link, ANCHOR, &line.bookmark);
    writer.document.set_attribute(link, HISTORY, "1");
    let insertion = inserted(writer, &runs);
    writer.document.append(link, insertion);
    link
}

fn inserted(writer: &mut RevisionWriter<'_>, runs: &[NodeId]) -> NodeId {
    let insertion = writer.revision(INS);
    for run in runs {
        writer.document.append(insertion, *run);
    }
    insertion
}

fn character(writer: &mut RevisionWriter<'_>, kind: &str) -> NodeId {
    let run = writer.document.new_element(RUN);
    let leaf = writer.document.new_element(FLD_CHAR);
    writer.document.set_attribute(leaf, FLD_CHAR_TYPE, kind);
    writer.document.append(run, leaf);
    run
}

fn code_run(writer: &mut RevisionWriter<'_>, code: &str) -> NodeId {
    let run = writer.document.new_element(RUN);
    let leaf = writer.text_leaf(INSTR_TEXT, &format!(" {code} "));
    writer.document.append(run, leaf);
    run
}

/// The style of a line's level, and tabs for its number and its page.
fn new_properties(writer: &mut RevisionWriter<'_>, line: &NewLine, width: Option<LineWidth>) -> NodeId {
    let style = writer.pending.style(writer.styles, BuiltInStyle::Contents(line.level));
    let properties = style_properties(writer, &style);
    let indent = i64::from(line.level.saturating_sub(1)) * INDENT;
    let mut stops = Vec::new();
    if line.label.is_some() {
        stops.push(("left", None, indent + NUMBER_ROOM));
    }
    if let Some(LineWidth(width)) = width {
        stops.push(("right", Some("dot"), width));
    }
    if stops.is_empty() {
        return properties;
    }
    let tabs = set_property(writer.document, properties, TABS, &[]);
    for (kind, leader, position) in stops {
        let tab = writer.document.new_element(TAB);
        writer.document.set_attribute(tab, VAL, kind);
        if let Some(leader) = leader {
            writer.document.set_attribute(tab, LEADER, leader);
        }
        writer.document.set_attribute(tab, POS, &position.to_string());
        writer.document.append(tabs, tab);
    }
    properties
}

/// The formatting of the first words of a line.
fn first_run_properties(writer: &RevisionWriter<'_>, line: NodeId) -> Option<NodeId> {
    let document = &*writer.document;
    let is_text = |run: &NodeId| document.children(*run).any(|leaf| document.name(leaf) == crate::names::T);
    let run = document.descendants(line).filter(|node| document.name(*node) == RUN).find(is_text)?;
    document.child(run, R_PR)
}
