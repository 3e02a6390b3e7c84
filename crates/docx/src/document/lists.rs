//! Definitions of lists that a batch makes (ISO/IEC 29500-1 §17.9).
//!
//! Abstract definitions stand before instances, else Word silently shows bullets; so each is put in its place.

use engross_xml::{Document, NodeId};

use super::WordDocument;
use super::new_parts::NUMBERING_PART;
use crate::edit::{ListBeside, ListLevel, NewList};
use crate::error::Error;
use crate::names::{
    ABSTRACT_NUM, ABSTRACT_NUM_ID, HANGING, ILVL, IND, LEFT, LVL, LVL_JC, LVL_TEXT, MULTI_LEVEL_TYPE, NSID,
    NUM, NUM_FMT, NUM_ID, P_PR, START, VAL,
};
use crate::numbering::Numbering;
use crate::ops::{ListKind, NumberStyle};
use crate::text::Enclosure;

impl WordDocument {
    /// Writes new lists into the numbering part.
    pub(super) fn write_lists(&mut self, lists: &[NewList]) -> Result<(), Error> {
        if lists.is_empty() {
            return Ok(());
        }
        let part = self.part_of_kind(NUMBERING_PART)?;
        let tree = self.load_mut(&part)?;
        for list in lists {
            write_list(tree, list);
        }
        let numbering = Numbering::parse(Some(tree));
        self.numbering = numbering;
        self.touched.insert(part);
        Ok(())
    }
}

fn write_list(tree: &mut Document, list: &NewList) {
    let root = tree.root();
    let number = |tree: &Document, node: NodeId, name| -> Option<i64> {
        tree.attribute(node, name)?.trim().parse().ok()
    };
    let children: Vec<NodeId> = tree.children(root).collect();
    let of = |tree: &Document, name| -> Vec<NodeId> {
        children.iter().copied().filter(|node| tree.name(*node) == name).collect()
    };
    let (definitions, instances) = (of(tree, ABSTRACT_NUM), of(tree, NUM));
    let highest = definitions.iter().filter_map(|node| number(tree, *node, ABSTRACT_NUM_ID)).max();
    let id = highest.map_or(0, |highest| highest + 1);
    let beside = list.like.map(|like| match like {
        ListBeside::Like(number) | ListBeside::Below(number, _) => number,
    });
    let like = beside.and_then(|like| {
        let instance = instances.iter().find(|node| number(tree, **node, NUM_ID) == Some(like))?;
        let shown = tree.child(*instance, ABSTRACT_NUM_ID)?;
        let shown = number(tree, shown, VAL);
        definitions.iter().copied().find(|node| number(tree, *node, ABSTRACT_NUM_ID) == shown)
    });
    let definition = tree.new_element(ABSTRACT_NUM);
    tree.set_attribute(definition, ABSTRACT_NUM_ID, &id.to_string());
    // Lists of one nsid are taken for one list when documents are merged.
    let nsid = format!("{:08X}", 0x4E47_0000_i64 + (list.number * 131 + id) % 0xFFFF);
    with_value(tree, definition, NSID, &nsid);
    with_value(tree, definition, MULTI_LEVEL_TYPE, "multilevel");
    for level in 0..9_u8 {
        let node = write_level(tree, list, level, like);
        tree.append(definition, node);
    }
    match (definitions.last(), instances.first()) {
        (Some(last), _) => tree.insert_after(*last, definition),
        (None, Some(first)) => tree.insert_before(*first, definition),
        (None, None) => tree.append(root, definition),
    }
    let instance = tree.new_element(NUM);
    tree.set_attribute(instance, NUM_ID, &list.number.to_string());
    with_value(tree, instance, ABSTRACT_NUM_ID, &id.to_string());
    match instances.last() {
        Some(last) => tree.insert_after(*last, instance),
        None => tree.insert_after(definition, instance),
    }
}

fn write_level(tree: &mut Document, list: &NewList, level: u8, like: Option<NodeId>) -> NodeId {
    let node = tree.new_element(LVL);
    tree.set_attribute(node, ILVL, &level.to_string());
    let (marked, depth) = match list.deeper.get(&level) {
        _ if level == 0 => (list.first, 0),
        Some(marked) => (*marked, 0),
        None => (ListLevel { start: 1, ..list.first }, level),
    };
    with_value(tree, node, START, &marked.start.to_string());
    let (format, text) = match marked.kind {
        ListKind::Bullet => {
            let bullets = ["•", "◦", "▪"];
            ("bullet", bullets.get(usize::from(level) % 3).copied().unwrap_or("•").to_owned())
        }
        ListKind::Numbered(style) => {
            let own = level + 1;
            let text = match marked.enclosure {
                Enclosure::Period => format!("%{own}."),
                Enclosure::Parenthesis => format!("%{own})"),
                Enclosure::Parentheses => format!("(%{own})"),
                Enclosure::Legal => (1..=own).map(|step| format!("%{step}")).collect::<Vec<_>>().join("."),
            };
            (number_format(style, depth), text)
        }
    };
    with_value(tree, node, NUM_FMT, format);
    with_value(tree, node, LVL_TEXT, &text);
    with_value(tree, node, LVL_JC, "left");
    let indent = match list.like {
        Some(ListBeside::Like(_)) => {
            like.and_then(|like| indent_of(tree, like, level)).map(|known| tree.copy(known))
        }
        Some(ListBeside::Below(_, above)) => {
            like.and_then(|like| indent_of(tree, like, above)).map(|known| {
                let left = tree.attribute(known, LEFT).or_else(|| tree.attribute(known, START));
                let left: i64 = left.and_then(|left| left.trim().parse().ok()).unwrap_or(360);
                new_indent(tree, left.clamp(0, 9_000) + 360 * (i64::from(level) + 1))
            })
        }
        None => None,
    };
    let indent = indent.unwrap_or_else(|| new_indent(tree, 720 + 360 * i64::from(level)));
    let properties = tree.new_element(P_PR);
    tree.append(properties, indent);
    tree.append(node, properties);
    node
}

fn new_indent(tree: &mut Document, left: i64) -> NodeId {
    let indent = tree.new_element(IND);
    tree.set_attribute(indent, LEFT, &left.to_string());
    tree.set_attribute(indent, HANGING, "360");
    indent
}

/// The indent of a level of a definition.
fn indent_of(tree: &Document, definition: NodeId, level: u8) -> Option<NodeId> {
    let levels = tree.children(definition).filter(|child| tree.name(*child) == LVL);
    let own = levels
        .into_iter()
        .find(|known| tree.attribute(*known, ILVL).is_some_and(|own| own.trim() == level.to_string()))?;
    tree.child(tree.child(own, P_PR)?, IND)
}

/// The first level counts as asked for, deeper ones in turn as people expect of an outline.
fn number_format(style: NumberStyle, level: u8) -> &'static str {
    let own = match style {
        NumberStyle::Decimal => "decimal",
        NumberStyle::LowerLetter => "lowerLetter",
        NumberStyle::UpperLetter => "upperLetter",
        NumberStyle::LowerRoman => "lowerRoman",
        NumberStyle::UpperRoman => "upperRoman",
    };
    let turn: Vec<&'static str> = std::iter::once(own)
        .chain(["decimal", "lowerLetter", "lowerRoman"].into_iter().filter(|format| *format != own))
        .collect();
    turn.get(usize::from(level) % turn.len()).copied().unwrap_or("decimal")
}

fn with_value(tree: &mut Document, parent: NodeId, name: engross_xml::QName, value: &str) {
    let node = tree.new_element(name);
    tree.set_attribute(node, VAL, value);
    tree.append(parent, node);
}
