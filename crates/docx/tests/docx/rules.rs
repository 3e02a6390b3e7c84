//! What every document we write must keep, whatever was asked for.
//!
//! Must never look at what was asked for, and never use the engine.

use std::collections::BTreeSet;

use crate::oracle::{Element, Node, is_revision};

const PARAGRAPH_PROPERTIES: &[&str] = &[
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
    "sectPr",
    "pPrChange",
];

const RUN_PROPERTIES: &[&str] = &[
    "ins",
    "del",
    "moveFrom",
    "moveTo",
    "rStyle",
    "rFonts",
    "b",
    "bCs",
    "i",
    "iCs",
    "caps",
    "smallCaps",
    "strike",
    "dstrike",
    "outline",
    "shadow",
    "emboss",
    "imprint",
    "noProof",
    "snapToGrid",
    "vanish",
    "webHidden",
    "color",
    "spacing",
    "w",
    "kern",
    "position",
    "sz",
    "szCs",
    "highlight",
    "u",
    "effect",
    "bdr",
    "shd",
    "fitText",
    "vertAlign",
    "rtl",
    "cs",
    "em",
    "lang",
    "eastAsianLayout",
    "specVanish",
    "oMath",
    "rPrChange",
];

/// What is wrong with `written`, given that nothing was wrong with `source`. Ours is what carries `date`.
pub(crate) fn broken(source: &Element, written: &Element, date: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let mut ids = BTreeSet::new();
    written.walk(&mut Vec::new(), &mut |element, above| {
        let ours = above.iter().chain([&element]).any(|e| e.attribute("w:date") == Some(date));
        let parent = above.last().map_or("", |parent| parent.name.as_str());
        let inside = |name: &str| above.iter().any(|above| above.name == name);
        let mut say = |what: &str| broken.push(format!("{what}: {element:?}"));
        if is_revision(element) {
            let id = element.attribute("w:id").unwrap_or_default();
            if !ids.insert(id.to_owned()) {
                say("an id used twice");
            }
            if id.parse::<i32>().is_err() {
                say("an id that does not fit");
            }
        }
        match element.name.as_str() {
            "w:pPr" => ordered(element, PARAGRAPH_PROPERTIES, &mut say),
            "w:rPr" => ordered(element, RUN_PROPERTIES, &mut say),
            "w:p" if inside("w:p") && !inside("w:txbxContent") => say("a paragraph in a paragraph"),
            "w:t" | "w:instrText" if inside("w:del") && !inside("w:txbxContent") => say("text in a deletion"),
            "w:delText" | "w:delInstrText" if !inside("w:del") && !inside("w:moveFrom") => {
                say("deleted text outside of a deletion");
            }
            "w:t" | "w:delText" if element.children.is_empty() && ours => say("an empty text"),
            "w:ins" | "w:del"
                if matches!(parent, "w:rPr" | "w:trPr" | "w:numPr") && element.children.is_empty() => {}
            "w:ins" | "w:del" if matches!(parent, "w:rPr" | "w:trPr" | "w:numPr") => {
                say("a mark with content");
            }
            "w:ins" | "w:del" => {
                if element.children.is_empty() {
                    say("a revision without content");
                }
                if inside(&element.name) {
                    say("a revision in one of its kind");
                }
                if element.name == "w:ins" && inside("w:del") && ours {
                    say("an insertion in a deletion");
                }
            }
            "w:r" if element.elements().all(|child| child.name == "w:rPr") && ours => say("an empty run"),
            _ => {}
        }
    });
    let count = |root: &Element, name: &str| {
        let mut count = 0;
        root.walk(&mut Vec::new(), &mut |element, _| {
            let hollow = element.elements().all(|child| child.name == "w:rPr");
            // What moves is there twice.
            let moved = element.elements().any(|child| child.name == "w:moveTo");
            count += usize::from(element.name == name && (name != "w:r" || hollow) && !moved);
        });
        count
    };
    for name in ["w:r", "w:hyperlink", "w:sdt", "w:bookmarkStart", "w:bookmarkEnd"] {
        if count(source, name) != count(written, name) {
            broken.push(format!("another number of {name} (runs: empty ones)"));
        }
    }
    broken
}

/// Ends and marks of comments that are not whole, or comments that only one of the two knows.
pub(crate) fn broken_comments(written: &Element, comments: &BTreeSet<String>) -> Vec<String> {
    let ids = |name: &str| -> Vec<String> {
        let mut ids = Vec::new();
        written.walk(&mut Vec::new(), &mut |element, _| {
            if element.name == name {
                ids.push(element.attribute("w:id").unwrap_or_default().to_owned());
            }
        });
        ids.sort();
        ids
    };
    let (starts, ends, marks) =
        (ids("w:commentRangeStart"), ids("w:commentRangeEnd"), ids("w:commentReference"));
    let mut broken = Vec::new();
    if starts != ends {
        broken.push(format!("ranges of comments begin {starts:?} and end {ends:?}"));
    }
    let known: BTreeSet<String> = marks.iter().cloned().collect();
    if known.len() != marks.len() || known != *comments {
        broken.push(format!("marks of comments are {marks:?}, comments {comments:?}"));
    }
    broken
}

fn ordered(element: &Element, order: &[&str], say: &mut impl FnMut(&str)) {
    let place = |child: &Node| match child {
        Node::Element(child) => {
            let local = child.name.strip_prefix("w:")?;
            order.iter().position(|known| *known == local)
        }
        Node::Text(_) => None,
    };
    let places: Vec<usize> = element.children.iter().filter_map(place).collect();
    if !places.is_sorted_by(|left, right| left < right) {
        say("properties out of order or given twice");
    }
}

/// Paragraphs without a revision of ours, and not the rest of one that we split, whose bytes are not the source's.
pub(crate) fn needlessly_changed(source: &str, written: &str, date: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(written).unwrap();
    let paragraphs = document.descendants().filter(|node| node.tag_name().name() == "p");
    let ours = |node: &roxmltree::Node<'_, '_>| {
        node.descendants().any(|e| e.attributes().any(|a| a.name() == "date" && a.value() == date))
    };
    let split_off = |node: &roxmltree::Node<'_, '_>| {
        let mut previous = node.prev_sibling_element();
        // A new table may have come between.
        while let Some(table) =
            previous.filter(|previous| previous.tag_name().name() == "tbl" && ours(previous))
        {
            previous = table.prev_sibling_element();
        }
        let properties = previous.and_then(|previous| previous.first_element_child());
        let mark = properties.filter(|child| child.tag_name().name() == "pPr");
        mark.is_some_and(|mark| mark.descendants().any(|e| e.tag_name().name() == "ins" && ours(&e)))
    };
    paragraphs
        .filter(|node| !ours(node) && !split_off(node))
        .map(|node| &written[node.range()])
        .filter(|text| !source.contains(text))
        .map(str::to_owned)
        .collect()
}
