//! Where paragraphs stand: file order, tables, and which paragraph follows which.

use engross_xml::{Document, NodeId, QName};

use crate::names::{
    BOOKMARK_END, BOOKMARK_START, COMMENT_RANGE_END, COMMENT_RANGE_START, CUSTOM_XML,
    CUSTOM_XML_DEL_RANGE_END, CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_INS_RANGE_END,
    CUSTOM_XML_INS_RANGE_START, CUSTOM_XML_MOVE_FROM_RANGE_END, CUSTOM_XML_MOVE_FROM_RANGE_START,
    CUSTOM_XML_MOVE_TO_RANGE_END, CUSTOM_XML_MOVE_TO_RANGE_START, FALLBACK, MOVE_FROM_RANGE_END,
    MOVE_FROM_RANGE_START, MOVE_TO_RANGE_END, MOVE_TO_RANGE_START, P, PERM_END, PERM_START, PROOF_ERR, SDT,
    SDT_CONTENT, TBL, TC, TR,
};

/// Place of a paragraph in its nearest table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Number of the table in file order, from 1; nested tables count.
    pub table: usize,
    /// Row, from 0.
    pub row: usize,
    /// Position of the cell in its row, from 0.
    pub column: usize,
}

/// Every `w:p` below `root` in file order: through tables and block content controls, not into text boxes.
///
/// Of alternate content only the choice is read, as Word does.
#[must_use]
pub fn paragraphs(document: &Document, root: NodeId) -> Vec<NodeId> {
    placements(document, root).into_iter().map(|(paragraph, _)| paragraph).collect()
}

/// The same with the place of each paragraph in its nearest table.
#[must_use]
pub fn placements(document: &Document, root: NodeId) -> Vec<(NodeId, Option<Placement>)> {
    let mut found = Vec::new();
    let mut tables = 0;
    walk(document, root, None, &mut tables, &mut found);
    found
}

// Depth is bounded by the XML parser's limit.
fn walk(
    document: &Document,
    parent: NodeId,
    place: Option<Placement>,
    tables: &mut usize,
    found: &mut Vec<(NodeId, Option<Placement>)>,
) {
    let mut place = place;
    let (mut rows, mut cells) = (0, 0);
    for child in document.children(parent) {
        match document.name(child) {
            P => found.push((child, place)),
            TBL => {
                *tables += 1;
                walk_table(document, child, *tables, &mut rows, tables, found);
                rows = 0;
            }
            FALLBACK | QName::NONE => {}
            TR | TC => {
                // A row or cell outside a table is no valid document; its text must be readable all the same.
                if let Some(place) = &mut place {
                    place.column = cells;
                    cells += 1;
                }
                walk(document, child, place, tables, found);
            }
            _ if document.first_child(child).is_some() => walk(document, child, place, tables, found),
            _ => {}
        }
    }
}

fn walk_table(
    document: &Document,
    parent: NodeId,
    table: usize,
    row: &mut usize,
    tables: &mut usize,
    found: &mut Vec<(NodeId, Option<Placement>)>,
) {
    for child in document.children(parent) {
        match document.name(child) {
            TR => {
                let mut column = 0;
                walk_row(document, child, (table, *row), &mut column, tables, found);
                *row += 1;
            }
            QName::NONE | FALLBACK => {}
            _ => walk_table(document, child, table, row, tables, found),
        }
    }
}

fn walk_row(
    document: &Document,
    parent: NodeId,
    (table, row): (usize, usize),
    column: &mut usize,
    tables: &mut usize,
    found: &mut Vec<(NodeId, Option<Placement>)>,
) {
    for child in document.children(parent) {
        match document.name(child) {
            TC => {
                walk(document, child, Some(Placement { table, row, column: *column }), tables, found);
                *column += 1;
            }
            QName::NONE | FALLBACK => {}
            _ => walk_row(document, child, (table, row), column, tables, found),
        }
    }
}

/// The paragraph that the content of `paragraph` joins when its mark goes: the next block, if it is a paragraph.
///
/// Content controls are looked through, since a control does not end a paragraph's flow; a table or the end of the
/// container does.
#[must_use]
pub fn next_paragraph(document: &Document, paragraph: NodeId) -> Option<NodeId> {
    let mut at = paragraph;
    loop {
        let mut next = document.next(at);
        while let Some(node) = next {
            match document.name(node) {
                P => return Some(node),
                SDT | CUSTOM_XML => match first_block(document, node) {
                    Some(block) => return (document.name(block) == P).then_some(block),
                    None => next = document.next(node),
                },
                name if name == QName::NONE || is_range_marker(name) => next = document.next(node),
                _ => return None,
            }
        }
        let parent = document.parent(at)?;
        at = match document.name(parent) {
            SDT_CONTENT => document.parent(parent)?,
            CUSTOM_XML => parent,
            _ => return None,
        };
    }
}

fn first_block(document: &Document, container: NodeId) -> Option<NodeId> {
    let content = match document.name(container) {
        SDT => document.child(container, SDT_CONTENT)?,
        _ => container,
    };
    document.children(content).find_map(|child| match document.name(child) {
        P | TBL => Some(child),
        SDT | CUSTOM_XML => first_block(document, child),
        _ => None,
    })
}

/// Whether an element only marks a place between content: bookmarks, comment ranges and their like.
#[must_use]
pub fn is_range_marker(name: QName) -> bool {
    matches!(
        name,
        BOOKMARK_START
            | BOOKMARK_END
            | COMMENT_RANGE_START
            | COMMENT_RANGE_END
            | PERM_START
            | PERM_END
            | PROOF_ERR
            | MOVE_FROM_RANGE_START
            | MOVE_FROM_RANGE_END
            | MOVE_TO_RANGE_START
            | MOVE_TO_RANGE_END
            | CUSTOM_XML_INS_RANGE_START
            | CUSTOM_XML_INS_RANGE_END
            | CUSTOM_XML_DEL_RANGE_START
            | CUSTOM_XML_DEL_RANGE_END
            | CUSTOM_XML_MOVE_FROM_RANGE_START
            | CUSTOM_XML_MOVE_FROM_RANGE_END
            | CUSTOM_XML_MOVE_TO_RANGE_START
            | CUSTOM_XML_MOVE_TO_RANGE_END
    )
}
