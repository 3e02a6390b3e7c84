//! What objects of a document hold: bookmarks and their targets, content controls, pictures, comments.
//!
//! Must never use the engine.

use std::collections::BTreeMap;

use super::numbers::{Counter, Numbering};
use super::package::Package;
use crate::oracle::{Element, Side, resolve};

/// How much of the first sentence of a target names it.
const NAME: usize = 60;

/// All that is written below an element, fields' instructions left out.
pub(super) fn words(element: &Element) -> String {
    let mut text = String::new();
    element.walk(&mut Vec::new(), &mut |element, above| {
        if element.name == "w:t" && !above.iter().any(|above| above.name == "w:txbxContent") {
            text.push_str(&element.characters());
        }
    });
    text
}

/// Of each bookmark: the number and the text of the paragraph it begins in, and whether nothing stands in it.
pub(super) fn targets(main: &Element, numbering: &Numbering) -> BTreeMap<String, (String, String)> {
    let mut open: BTreeMap<String, String> = BTreeMap::new();
    let mut filled: BTreeMap<String, bool> = BTreeMap::new();
    let mut found: BTreeMap<String, (String, String)> = BTreeMap::new();
    let mut counter = Counter::default();
    // A bookmark between two paragraphs begins in the second.
    let mut waiting: Vec<String> = Vec::new();
    main.walk(&mut Vec::new(), &mut |element, above| match element.name.as_str() {
        "w:p" => {
            let properties = element.child("w:pPr");
            let style = properties.and_then(|properties| properties.child("w:pStyle"));
            let style = style.and_then(|style| style.attribute("w:val")).unwrap_or("Normal");
            let place = numbering.place(properties, style);
            let marker = place.map(|place| numbering.next(&mut counter, &place)).unwrap_or_default();
            let text = words(element);
            let sentence = text.split(". ").next().unwrap_or_default();
            let text: String = sentence.chars().take(NAME).collect();
            let mut here = std::mem::take(&mut waiting);
            element.walk(&mut Vec::new(), &mut |start, _| {
                if start.name == "w:bookmarkStart" {
                    here.push(start.attribute("w:name").unwrap_or_default().to_owned());
                }
            });
            found.extend(here.into_iter().map(|name| (name, (marker.clone(), text.clone()))));
        }
        "w:bookmarkStart" => {
            let get = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
            filled.insert(get("w:name"), false);
            open.insert(get("w:id"), get("w:name"));
            if !above.iter().any(|above| above.name == "w:p") {
                waiting.push(get("w:name"));
            }
        }
        "w:bookmarkEnd" => {
            open.remove(element.attribute("w:id").unwrap_or_default());
        }
        "w:t" | "w:drawing" | "w:pict" => {
            filled.extend(open.values().map(|name| (name.clone(), true)));
        }
        _ => {}
    });
    for (name, target) in &mut found {
        if filled.get(name) == Some(&false) {
            target.1.push_str(" (empty)");
        }
    }
    found
}

/// A content control as a form shows it, and the data that it is bound to.
pub(super) fn control(package: &Package, control: &Element) -> String {
    let properties = control.child("w:sdtPr").unwrap();
    let value = |name: &str| properties.child(name).and_then(|child| child.attribute("w:val")).unwrap_or("");
    let kinds = [
        "w:text",
        "w:dropDownList",
        "w:comboBox",
        "w:date",
        "w14:checkbox",
        "w:picture",
        "w:docPartObj",
        "w:group",
    ];
    let kind = kinds.iter().find(|kind| properties.child(kind).is_some()).unwrap_or(&"rich");
    let mut told = format!("{} {kind} \"{}\"", value("w:tag"), words(control));
    if properties.child("w:showingPlcHdr").is_some() {
        told.push_str(" placeholder");
    }
    let style = control.child("w:sdtContent").is_some_and(|content| {
        let mut is_placeholder = false;
        content.walk(&mut Vec::new(), &mut |element, _| {
            is_placeholder |=
                element.name == "w:rStyle" && element.attribute("w:val") == Some("PlaceholderText");
        });
        is_placeholder
    });
    if style {
        told.push_str(" grey");
    }
    if let Some(date) = properties.child("w:date").and_then(|date| date.attribute("w:fullDate")) {
        told.push_str(&format!(" on {}", date.split('T').next().unwrap_or_default()));
    }
    if let Some(checked) = properties.child("w14:checkbox").and_then(|it| it.child("w14:checked")) {
        let is_checked = matches!(checked.attribute("w14:val"), Some("1" | "true"));
        told.push_str(if is_checked { " checked" } else { " unchecked" });
    }
    if let Some(binding) = properties.child("w:dataBinding") {
        let get = |name: &str| binding.attribute(name).unwrap_or_default();
        let bound = package.bound_value(get("w:storeItemID"), get("w:xpath"));
        told.push_str(&format!(" bound to {bound:?}"));
    }
    told
}

/// A picture: its alternative text, its size in points, its bytes.
pub(super) fn drawing(package: &Package, links: &BTreeMap<String, String>, object: &Element) -> String {
    let (mut alt, mut size, mut source) = (String::new(), String::new(), None);
    object.walk(&mut Vec::new(), &mut |element, _| {
        let local = element.name.rsplit('}').next().unwrap_or_default();
        match local {
            "docPr" => alt = element.attribute("descr").unwrap_or_default().to_owned(),
            "extent" => {
                let points = |name: &str| element.attribute(name).and_then(|v| v.parse::<i64>().ok());
                size =
                    format!("{}×{}", points("cx").unwrap_or(0) / 12_700, points("cy").unwrap_or(0) / 12_700);
            }
            "blip" => {
                let embed = element.attributes.iter().find(|(name, _)| name.ends_with("}embed"));
                source = embed.map(|(_, id)| id.clone());
            }
            _ => {}
        }
    });
    let Some(id) = source else { return "⟦drawing⟧".to_owned() };
    let part = links.get(&id).and_then(|part| package.parts.get(part));
    let bytes = part.map_or_else(|| "missing".to_owned(), |bytes| format!("{} bytes", bytes.len()));
    format!("⟦image \"{alt}\" {size} {bytes}⟧")
}

/// Comments in the order of their marks: who, whether done, to whom, about what, what.
pub(super) fn comments(package: &Package, main: &Element) -> Vec<String> {
    let Some(part) = package.related("comments") else { return Vec::new() };
    let root = resolve(&package.xml(&part).unwrap(), Side::Accept, None);
    let threads = package.related("commentsExtended").and_then(|name| package.xml(&name));
    let mut order = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut about: BTreeMap<String, String> = BTreeMap::new();
    main.walk(&mut Vec::new(), &mut |element, _| {
        let id = || element.attribute("w:id").unwrap_or_default().to_owned();
        match element.name.as_str() {
            "w:commentRangeStart" => open.push(id()),
            "w:commentRangeEnd" => open.retain(|known| *known != id()),
            "w:commentReference" => order.push(id()),
            "w:t" => {
                for id in &open {
                    about.entry(id.clone()).or_default().push_str(&element.characters());
                }
            }
            _ => {}
        }
    });
    let last_id = |comment: &Element| {
        let last = comment.elements().filter(|child| child.name == "w:p").last();
        last.and_then(|last| last.attribute("w14:paraId")).map(str::to_owned)
    };
    let known: BTreeMap<&str, &Element> =
        root.elements().filter_map(|comment| Some((comment.attribute("w:id")?, comment))).collect();
    let said = |comment: &Element| {
        let texts = comment.elements().filter(|child| child.name == "w:p").map(words);
        texts.collect::<Vec<_>>().join(" ¶ ")
    };
    let of = |id: &String| {
        let comment = known.get(id.as_str()).unwrap_or_else(|| panic!("comment {id} is nowhere"));
        let entry = threads.as_ref().and_then(|threads| {
            let wanted = last_id(comment)?;
            threads.elements().find(|e| local(e, "paraId") == Some(wanted.as_str()))
        });
        let parent = entry
            .and_then(|entry| local(entry, "paraIdParent"))
            .and_then(|parent| known.values().find(|comment| last_id(comment).as_deref() == Some(parent)));
        let is_done = entry.is_some_and(|entry| matches!(local(entry, "done"), Some("1" | "true")));
        let mut told = comment.attribute("w:author").unwrap_or_default().to_owned();
        if is_done {
            told.push_str(" (done)");
        }
        if let Some(parent) = parent {
            told.push_str(&format!(" to '{}'", said(parent)));
        }
        format!("{told} on '{}': {}", about.get(id).map_or("", String::as_str), said(comment))
    };
    order.iter().map(of).collect()
}

/// An attribute, whatever its namespace.
fn local<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    let hit = element.attributes.iter().find(|(known, _)| known.rsplit(['}', ':']).next() == Some(name));
    hit.map(|(_, value)| value.as_str())
}
