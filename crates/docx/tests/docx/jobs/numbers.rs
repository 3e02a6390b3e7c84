//! The numbers that list items show, counted once more.
//!
//! Must never use the engine.

use std::collections::BTreeMap;

use super::package::Package;
use crate::oracle::Element;

/// A list and a level of it.
pub(super) type ListPlace = (String, usize);

/// What the numbering part and the styles say.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbering {
    /// By `w:numId`: its abstract definition and the levels it starts anew.
    lists: BTreeMap<String, (String, BTreeMap<usize, u32>)>,
    levels: BTreeMap<(String, usize), Level>,
    /// By style: the list that its paragraphs belong to.
    styles: BTreeMap<String, ListPlace>,
}

#[derive(Debug, Clone)]
struct Level {
    start: u32,
    format: String,
    text: String,
}

/// A count that is under way.
#[derive(Debug, Clone, Default)]
pub(super) struct Counter {
    counts: BTreeMap<String, Vec<Option<u32>>>,
    started: Vec<String>,
}

fn value<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    element.child(name).and_then(|child| child.attribute("w:val"))
}

impl Numbering {
    pub(super) fn of(package: &Package) -> Self {
        let mut numbering = Self::default();
        if let Some(root) = package.related("numbering").and_then(|name| package.xml(&name)) {
            numbering.read_lists(&root);
        }
        if let Some(root) = package.related("styles").and_then(|name| package.xml(&name)) {
            numbering.read_styles(&root);
        }
        numbering
    }

    fn read_lists(&mut self, root: &Element) {
        for element in root.elements() {
            let id = |name: &str| element.attribute(name).unwrap_or_default().to_owned();
            match element.name.as_str() {
                "w:abstractNum" => self.read_levels(&id("w:abstractNumId"), element),
                "w:num" => {
                    let given = element.elements().filter(|child| child.name == "w:lvlOverride");
                    let starts = given.filter_map(|level| {
                        let at = level.attribute("w:ilvl")?.parse().ok()?;
                        Some((at, value(level, "w:startOverride")?.parse().ok()?))
                    });
                    let kind = value(element, "w:abstractNumId").unwrap_or_default().to_owned();
                    self.lists.insert(id("w:numId"), (kind, starts.collect()));
                }
                _ => {}
            }
        }
    }

    fn read_levels(&mut self, id: &str, definition: &Element) {
        for level in definition.elements().filter(|child| child.name == "w:lvl") {
            let at = level.attribute("w:ilvl").and_then(|at| at.parse().ok()).unwrap_or_default();
            let text = |name: &str| value(level, name).unwrap_or_default().to_owned();
            let start = text("w:start").parse().unwrap_or(1);
            let known = Level { start, format: text("w:numFmt"), text: text("w:lvlText") };
            self.levels.insert((id.to_owned(), at), known);
        }
    }

    fn read_styles(&mut self, root: &Element) {
        let styles: BTreeMap<&str, &Element> = root
            .elements()
            .filter(|style| style.name == "w:style")
            .filter_map(|style| Some((style.attribute("w:styleId")?, style)))
            .collect();
        for (id, style) in &styles {
            let mut place: (Option<String>, Option<usize>) = (None, None);
            let mut next = Some(*style);
            for _ in 0..20 {
                let Some(style) = next else { break };
                let list = style.child("w:pPr").and_then(|properties| properties.child("w:numPr"));
                if let Some(list) = list {
                    place.0 = place.0.or_else(|| value(list, "w:numId").map(str::to_owned));
                    place.1 = place.1.or_else(|| value(list, "w:ilvl").and_then(|at| at.parse().ok()));
                }
                next = value(style, "w:basedOn").and_then(|base| styles.get(base).copied());
            }
            if let Some(list) = place.0 {
                self.styles.insert((*id).to_owned(), (list, place.1.unwrap_or(0)));
            }
        }
    }

    /// The list that a paragraph belongs to.
    pub(super) fn place(&self, properties: Option<&Element>, style: &str) -> Option<ListPlace> {
        let direct = properties.and_then(|properties| properties.child("w:numPr"));
        let inherited = self.styles.get(style);
        let list = direct
            .and_then(|list| value(list, "w:numId").map(str::to_owned))
            .or_else(|| inherited.map(|(list, _)| list.clone()))?;
        let level = direct
            .and_then(|list| value(list, "w:ilvl")?.parse().ok())
            .or_else(|| inherited.map(|(_, level)| *level));
        (list != "0" && self.lists.contains_key(&list)).then(|| (list, level.unwrap_or(0)))
    }

    /// Counts an item and gives its marker.
    pub(super) fn next(&self, counter: &mut Counter, (list, level): &ListPlace) -> String {
        let Some((kind, starts)) = self.lists.get(list) else { return String::new() };
        let counts = counter.counts.entry(kind.clone()).or_insert_with(|| vec![None; 9]);
        let is_new = !counter.started.contains(list);
        if is_new {
            counter.started.push(list.clone());
            for (at, start) in starts {
                counts[*at] = start.checked_sub(1).filter(|_| *at <= *level);
            }
        }
        let start = |at: usize| {
            let known = self.levels.get(&(kind.clone(), at));
            starts.get(&at).copied().or_else(|| known.map(|level| level.start)).unwrap_or(1)
        };
        for (at, count) in counts.iter_mut().enumerate().take(*level) {
            count.get_or_insert_with(|| start(at));
        }
        counts[*level] = Some(counts[*level].map_or_else(|| start(*level), |count| count + 1));
        for count in counts.iter_mut().skip(level + 1) {
            *count = None;
        }
        let Some(known) = self.levels.get(&(kind.clone(), *level)) else { return String::new() };
        if known.format == "bullet" {
            return "•".to_owned();
        }
        let mut text = known.text.clone();
        for (at, count) in counts.iter().enumerate().take(level + 1) {
            let known = self.levels.get(&(kind.clone(), at));
            let format = known.map_or("decimal", |level| level.format.as_str());
            let shown = count.map_or_else(String::new, |count| in_format(count, format));
            text = text.replace(&format!("%{}", at + 1), &shown);
        }
        text
    }
}

fn in_format(count: u32, format: &str) -> String {
    let letters = |first: char| {
        let (letter, times) = ((count.max(1) - 1) % 26, (count.max(1) - 1) / 26 + 1);
        let letter = char::from_u32(first as u32 + letter).unwrap();
        std::iter::repeat_n(letter, times as usize).collect::<String>()
    };
    match format {
        "lowerLetter" => letters('a'),
        "upperLetter" => letters('A'),
        "upperRoman" => roman(count),
        "lowerRoman" => roman(count).to_lowercase(),
        "none" => String::new(),
        _ => count.to_string(),
    }
}

fn roman(mut count: u32) -> String {
    const SIGNS: &[(u32, &str)] =
        &[(100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")];
    let mut text = String::new();
    for (value, sign) in SIGNS {
        while count >= *value {
            text.push_str(sign);
            count -= value;
        }
    }
    text
}
