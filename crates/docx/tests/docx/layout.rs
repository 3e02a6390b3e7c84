//! XML laid out for people who review it: a block, a run or a revision on a line of its own.
//!
//! Must never hide a difference: names, attributes and texts are shown as the file writes them, in its order. Only
//! white space between elements is ours.

use std::fmt::Write as _;

use roxmltree::Node;

/// Elements whose children get lines of their own.
const OPENED: &[&str] = &[
    "p",
    "tbl",
    "tr",
    "tc",
    "sdt",
    "sdtContent",
    "hyperlink",
    "fldSimple",
    "smartTag",
    "customXml",
    "bdo",
    "dir",
    "moveFrom",
    "moveTo",
    "txbxContent",
    "footnote",
    "comment",
    "abstractNum",
];

/// The children of the body of a main part.
pub(crate) fn body(xml: &str) -> String {
    let document = roxmltree::Document::parse(xml).unwrap_or_else(|error| panic!("{error} in {xml}"));
    let body = document.root_element().children().find(|node| node.tag_name().name() == "body").unwrap();
    let mut out = String::new();
    for child in body.children() {
        block(child, 0, xml, &mut out);
    }
    out
}

/// The children of the root of any part.
pub(crate) fn part(xml: &str) -> String {
    let document = roxmltree::Document::parse(xml).unwrap_or_else(|error| panic!("{error} in {xml}"));
    let mut out = String::new();
    for child in document.root_element().children() {
        block(child, 0, xml, &mut out);
    }
    out
}

fn block(node: Node<'_, '_>, depth: usize, xml: &str, out: &mut String) {
    if is_space_between(node) {
        return;
    }
    for _ in 0..depth {
        out.push_str("  ");
    }
    let name = node.tag_name().name();
    let several = node.children().filter(Node::is_element).count() > 1;
    let opened = node.is_element()
        && node.has_children()
        && (OPENED.contains(&name) || (matches!(name, "ins" | "del") && several));
    if opened {
        let _ = writeln!(out, "<{}>", tag(node, xml));
        for child in node.children() {
            block(child, depth + 1, xml, out);
        }
        for _ in 0..depth {
            out.push_str("  ");
        }
        let _ = writeln!(out, "</{}>", qualified(node, xml));
    } else {
        inline(node, xml, out);
        out.push('\n');
    }
}

fn inline(node: Node<'_, '_>, xml: &str, out: &mut String) {
    if is_space_between(node) {
        return;
    }
    if node.is_text() {
        out.push_str(&escaped(node.text().unwrap_or_default()));
        return;
    }
    if !node.is_element() {
        out.push_str(&xml[node.range()]);
        return;
    }
    if !node.has_children() {
        let _ = write!(out, "<{}/>", tag(node, xml));
        return;
    }
    let _ = write!(out, "<{}>", tag(node, xml));
    for child in node.children() {
        inline(child, xml, out);
    }
    let _ = write!(out, "</{}>", qualified(node, xml));
}

fn tag(node: Node<'_, '_>, xml: &str) -> String {
    let mut tag = qualified(node, xml).to_owned();
    for attribute in node.attributes() {
        let value = escaped(attribute.value()).replace('"', "&quot;");
        let _ = write!(tag, " {}=\"{value}\"", &xml[attribute.range_qname()]);
    }
    tag
}

fn qualified<'a>(node: Node<'_, '_>, xml: &'a str) -> &'a str {
    let start = &xml[node.range()][1..];
    &start[..start.find([' ', '>', '/', '\n', '\t', '\r']).unwrap()]
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;")
}

fn is_space_between(node: Node<'_, '_>) -> bool {
    node.is_text()
        && node.text().unwrap_or_default().trim().is_empty()
        && node.parent().is_some_and(|parent| parent.children().any(|child| child.is_element()))
}
