//! How paragraphs, words and cells look, as far as their own properties say it.
//!
//! Must never use the engine.

use crate::oracle::Element;

/// Children, those of content controls around rows or cells among them.
pub(super) fn content(parent: &Element) -> Vec<&Element> {
    let mut all = Vec::new();
    for child in parent.elements() {
        match child.name.as_str() {
            "w:sdt" => all.extend(child.child("w:sdtContent").map(content).unwrap_or_default()),
            "w:customXml" => all.extend(content(child)),
            _ => all.push(child),
        }
    }
    all
}

/// How far a merged cell reaches.
pub(super) fn spans(cell: &Element) -> String {
    let properties = cell.child("w:tcPr");
    let of = |name: &str| properties.and_then(|properties| properties.child(name));
    let across = of("w:gridSpan").and_then(|span| span.attribute("w:val")).unwrap_or("1");
    let across = if across == "1" { String::new() } else { format!(" (over {across})") };
    let down = match of("w:vMerge").map(|merge| merge.attribute("w:val")) {
        Some(Some("restart")) => " (down)",
        Some(_) => " (from above)",
        None => "",
    };
    across + down
}

/// What a paragraph's own properties say that a reader sees.
pub(super) fn paragraph_format(properties: &Element) -> String {
    let mut told = Vec::new();
    for name in ["w:jc", "w:bidi", "w:pageBreakBefore", "w:keepNext"] {
        if let Some(property) = properties.child(name) {
            let local = name.trim_start_matches("w:");
            told.push(
                property.attribute("w:val").map_or(local.to_owned(), |value| format!("{local}={value}")),
            );
        }
    }
    told.join(" ")
}

/// What a run's own properties say that a reader sees.
pub(super) fn look(properties: &Element) -> String {
    const SEEN: &[&str] = &[
        "rStyle",
        "b",
        "i",
        "u",
        "strike",
        "caps",
        "smallCaps",
        "vertAlign",
        "highlight",
        "color",
        "sz",
        "vanish",
        "rtl",
    ];
    let mut told = Vec::new();
    for property in properties.elements() {
        let local = property.name.trim_start_matches("w:");
        if SEEN.contains(&local) {
            let value = property.attribute("w:val").filter(|value| !matches!(*value, "1" | "true" | "on"));
            told.push(value.map_or(local.to_owned(), |value| format!("{local}={value}")));
        }
    }
    told.join(" ")
}
