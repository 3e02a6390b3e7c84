//! From parts to paper: what stands where, field by field and table by table.
//!
//! Must never use the engine.

use std::collections::BTreeMap;

use super::looks::{content, look, paragraph_format, spans};
use super::numbers::{Counter, Numbering};
use super::objects::{comments, control, drawing, targets};
use super::package::Package;
use super::paper::{FieldResult, Line, Paper};
use crate::oracle::{Element, Side, parse, resolve};

const RELATION: &str = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id";
/// Fields whose result somebody's program works out anew.
const LIVE: &[&str] = &["REF", "PAGEREF", "NOTEREF", "PAGE", "NUMPAGES", "SEQ", "DATE", "STYLEREF"];

/// Reads a file as it is once all revisions are accepted or rejected.
pub(super) fn read(bytes: &[u8], side: Side) -> Paper {
    let package = Package::open(bytes);
    let main = resolve(&parse(std::str::from_utf8(&package.parts["word/document.xml"]).unwrap()), side, None);
    let numbering = Numbering::of(&package);
    let mut reader = Reader {
        targets: targets(&main, &numbering),
        package: &package,
        side,
        paper: Paper { numbering, ..Paper::default() },
        counter: Counter::default(),
        notes: Vec::new(),
        count: 0,
        boxes: Vec::new(),
        links: BTreeMap::new(),
    };
    reader.story("body", "word/document.xml", &main);
    reader.sections(&main);
    reader.notes();
    reader.text_boxes();
    reader.paper.comments = comments(&package, &main);
    reader.paper
}

struct Reader<'a> {
    package: &'a Package,
    side: Side,
    paper: Paper,
    counter: Counter,
    /// Of each bookmark the number and the text of what it names.
    targets: BTreeMap<String, (String, String)>,
    /// Notes in the order of their marks: kind and id.
    notes: Vec<(&'static str, String)>,
    /// How many paragraphs the body has so far.
    count: usize,
    /// Text boxes: which, and which of its two forms.
    boxes: Vec<(String, Element)>,
    /// Of the part that is read: addresses by relationship.
    links: BTreeMap<String, String>,
}

/// What has been read of a story's fields and of a paragraph.
#[derive(Default)]
struct State {
    story: String,
    fields: Vec<OpenField>,
    text: String,
    looks: Vec<(String, String)>,
}

#[derive(Default)]
struct OpenField {
    code: String,
    shown: String,
    has_result: bool,
}

impl OpenField {
    fn is_live(&self) -> bool {
        LIVE.contains(&self.code.split_whitespace().next().unwrap_or_default())
    }
}

impl State {
    fn write(&mut self, text: &str, look: &str) {
        for field in self.fields.iter_mut().rev() {
            if !field.has_result {
                return;
            }
            if field.is_live() {
                field.shown.push_str(text);
                return;
            }
        }
        self.text.push_str(text);
        if look.is_empty() {
            return;
        }
        let ends_here = self.text.len() - text.len();
        match self.looks.last_mut() {
            Some((known, words)) if known == look && self.text[..ends_here].ends_with(words.as_str()) => {
                words.push_str(text);
            }
            _ => self.looks.push((look.to_owned(), text.to_owned())),
        }
    }
}

impl Reader<'_> {
    fn story(&mut self, name: &str, part: &str, root: &Element) {
        self.links =
            self.package.relations(part).into_iter().map(|relation| (relation.id, relation.target)).collect();
        let mut state = State { story: name.to_owned(), ..State::default() };
        let root = root.child("w:body").unwrap_or(root);
        self.blocks(root, &mut state);
    }

    fn blocks(&mut self, parent: &Element, state: &mut State) {
        for child in parent.elements() {
            match child.name.as_str() {
                "w:p" => {
                    let line = self.paragraph(child, state);
                    self.paper.lines.push(line);
                    if let Some(end) =
                        child.child("w:pPr").and_then(|properties| properties.child("w:sectPr"))
                    {
                        self.section(end, state);
                    }
                }
                "w:tbl" => self.table(child, state),
                "w:sectPr" => self.section(child, state),
                "w:sdt" => {
                    self.paper.controls.push(control(self.package, child));
                    self.blocks(child.child("w:sdtContent").unwrap_or(child), state);
                }
                "w:customXml" => self.blocks(child, state),
                _ => {}
            }
        }
    }

    fn section(&mut self, end: &Element, state: &State) {
        let size = end.child("w:pgSz");
        let of = |name: &str| size.and_then(|size| size.attribute(name)).unwrap_or("?");
        let kind = end.child("w:type").and_then(|kind| kind.attribute("w:val")).unwrap_or("nextPage");
        let margins = end.child("w:pgMar").map(|margins| format!("{:?}", margins.attributes.values()));
        let text = format!(
            "{kind} {}×{} {} {}",
            of("w:w"),
            of("w:h"),
            of("w:orient"),
            margins.unwrap_or_default().replace('"', "")
        );
        let line = Line { style: "section".to_owned(), text, story: state.story.clone(), ..Line::default() };
        self.paper.lines.push(line);
    }

    fn table(&mut self, table: &Element, state: &mut State) {
        let story = state.story.clone();
        let line = |style: &str, text: String| Line {
            story: story.clone(),
            style: style.to_owned(),
            text,
            ..Line::default()
        };
        let columns = table.child("w:tblGrid").map_or(0, |grid| grid.elements().count());
        let visual = table.child("w:tblPr").and_then(|properties| properties.child("w:bidiVisual"));
        let rtl = if visual.is_some() { " right to left" } else { "" };
        let head = line("table", format!("{columns} columns{rtl}"));
        self.paper.lines.push(head);
        for row in content(table).into_iter().filter(|child| child.name == "w:tr") {
            let is_head =
                row.child("w:trPr").is_some_and(|properties| properties.child("w:tblHeader").is_some());
            let mut cells = Vec::new();
            let mut number = 0;
            let mut looks = Vec::new();
            for cell in content(row).into_iter().filter(|child| child.name == "w:tc") {
                let start = self.paper.lines.len();
                self.blocks(cell, state);
                let inner: Vec<Line> = self.paper.lines.drain(start..).collect();
                let told = inner.iter().map(|line| {
                    let marker =
                        line.list.as_ref().map(|list| self.paper.numbering.next(&mut self.counter, list));
                    let marker = marker.map_or_else(String::new, |marker| format!("{marker} "));
                    let nested = if line.style == "row" { "row " } else { "" };
                    format!("{nested}{marker}{}", line.text)
                });
                cells.push(told.collect::<Vec<_>>().join(" ¶ ") + &spans(cell));
                number = if number == 0 { inner.first().map_or(0, |line| line.number) } else { number };
                looks.extend(inner.into_iter().flat_map(|line| line.looks));
            }
            let mut shown = line("row", format!("| {} |", cells.join(" | ")));
            shown.looks = looks;
            shown.number = number;
            shown.format = if is_head { "head".to_owned() } else { String::new() };
            self.paper.lines.push(shown);
        }
    }

    fn paragraph(&mut self, paragraph: &Element, state: &mut State) -> Line {
        let properties = paragraph.child("w:pPr");
        let style = properties.and_then(|properties| properties.child("w:pStyle"));
        let style = style.and_then(|style| style.attribute("w:val")).unwrap_or("Normal");
        let list = self.paper.numbering.place(properties, style);
        self.count += 1;
        state.text.clear();
        state.looks.clear();
        self.inlines(paragraph, state);
        Line {
            story: state.story.clone(),
            style: style.to_owned(),
            format: properties.map_or_else(String::new, paragraph_format),
            list,
            marker: String::new(),
            text: std::mem::take(&mut state.text),
            number: if state.story == "body" { self.count } else { 0 },
            looks: std::mem::take(&mut state.looks),
        }
    }

    fn inlines(&mut self, parent: &Element, state: &mut State) {
        for child in parent.elements() {
            match child.name.as_str() {
                "w:r" => self.run(child, state),
                "w:hyperlink" => {
                    let to = match (child.attribute("w:anchor"), child.attribute(RELATION)) {
                        (Some(anchor), _) => {
                            format!("#{}", self.target(anchor).map_or("nowhere", |to| &to.1))
                        }
                        (_, Some(id)) => self.links.get(id).cloned().unwrap_or_else(|| "nowhere".to_owned()),
                        _ => String::new(),
                    };
                    state.write(&format!("⟦link → {to}⟧"), "");
                    self.inlines(child, state);
                    state.write("⟦/link⟧", "");
                }
                "w:fldSimple" => {
                    let code = child.attribute("w:instr").unwrap_or_default().to_owned();
                    state.fields.push(OpenField { code, has_result: true, shown: String::new() });
                    self.inlines(child, state);
                    self.end_field(state);
                }
                "w:sdt" => {
                    self.paper.controls.push(control(self.package, child));
                    self.inlines(child.child("w:sdtContent").unwrap_or(child), state);
                }
                "w:smartTag" | "w:customXml" | "w:bdo" | "w:dir" => self.inlines(child, state),
                name if name.ends_with("}oMath") || name.ends_with("}oMathPara") => {
                    state.write("⟦equation⟧", "");
                }
                _ => {}
            }
        }
    }

    fn run(&mut self, run: &Element, state: &mut State) {
        let look = run.child("w:rPr").map_or_else(String::new, look);
        for child in run.elements() {
            let local = child.name.rsplit(['}', ':']).next().unwrap_or_default();
            match local {
                "t" => state.write(&child.characters(), &look),
                "tab" | "ptab" => state.write("\t", ""),
                "br" if child.attribute("w:type") == Some("page") => state.write("⟦page break⟧", ""),
                "br" if child.attribute("w:type") == Some("column") => state.write("⟦column break⟧", ""),
                "br" | "cr" => state.write("\n", ""),
                "noBreakHyphen" => state.write("\u{2011}", &look),
                "instrText" => {
                    if let Some(field) = state.fields.last_mut().filter(|field| !field.has_result) {
                        field.code.push_str(&child.characters());
                    }
                }
                "fldChar" => match child.attribute("w:fldCharType") {
                    Some("begin") => state.fields.push(OpenField::default()),
                    // A real document may have one that nothing began: it separates nothing.
                    Some("separate") => {
                        if let Some(field) = state.fields.last_mut() {
                            field.has_result = true;
                        }
                    }
                    _ => self.end_field(state),
                },
                "footnoteReference" | "endnoteReference" => {
                    let kind = if local == "footnoteReference" { "footnote" } else { "endnote" };
                    self.notes.push((kind, child.attribute("w:id").unwrap_or_default().to_owned()));
                    let number = self.notes.iter().filter(|(known, _)| *known == kind).count();
                    state.write(&format!("⟦{kind} {number}⟧"), "");
                }
                "drawing" | "pict" | "object" | "AlternateContent" => self.object(child, state),
                "sym" => state.write("⟦symbol⟧", ""),
                _ => {}
            }
        }
    }

    fn object(&mut self, object: &Element, state: &mut State) {
        let mut contents = Vec::new();
        object.walk(&mut Vec::new(), &mut |element, above| {
            if element.name == "w:txbxContent" {
                let is_fallback = above.iter().any(|above| above.name.ends_with("}Fallback"));
                contents.push((is_fallback, element.clone()));
            }
        });
        if contents.is_empty() {
            let shown = drawing(self.package, &self.links, object);
            return state.write(&shown, "");
        }
        let number = self.boxes.iter().filter(|(name, _)| name.ends_with("choice")).count() + 1;
        for (is_fallback, content) in contents {
            let form = if is_fallback { "fallback" } else { "choice" };
            self.boxes.push((format!("textbox:{number}:{form}"), content));
        }
        state.write(&format!("⟦textbox:{number}⟧"), "");
    }

    fn target(&self, bookmark: &str) -> Option<&(String, String)> {
        self.targets.get(bookmark)
    }

    fn end_field(&mut self, state: &mut State) {
        let Some(field) = state.fields.pop() else { return };
        let mut words = field.code.split_whitespace();
        let kind = words.next().unwrap_or_default();
        let named = matches!(kind, "REF" | "PAGEREF" | "NOTEREF").then(|| words.next()).flatten();
        let target_is_known = named.is_some_and(|name| self.target(name).is_some());
        let target = named.map(|name| self.target(name).cloned().unwrap_or_default());
        let switches: Vec<&str> = words.collect();
        let mut label = format!("⟦{kind}");
        for switch in &switches {
            label.push(' ');
            label.push_str(switch);
        }
        if let Some((_, text)) = &target {
            // What shows a number asks for no words.
            let is_number = switches.iter().any(|switch| matches!(*switch, "\\r" | "\\n" | "\\w"));
            let text = if is_number { text.trim_end_matches(" (empty)") } else { text };
            let known = target_is_known.then_some(if text.is_empty() { "(no words)" } else { text });
            label.push_str(&format!(" → {}", known.unwrap_or("nowhere")));
        }
        label.push('⟧');
        let is_live = field.is_live();
        if is_live || kind == "TOC" {
            state.write(&label, "");
        }
        let known = FieldResult { story: state.story.clone(), code: field.code, shown: field.shown, target };
        self.paper.fields.push(known);
    }

    fn sections(&mut self, main: &Element) {
        let relations = self.package.relations("word/document.xml");
        let mut ends = Vec::new();
        main.walk(&mut Vec::new(), &mut |element, _| {
            if element.name == "w:sectPr" {
                ends.push(element.clone());
            }
        });
        for (at, end) in ends.iter().enumerate() {
            let section = if at == 0 { String::new() } else { format!("§{}", at + 1) };
            for reference in end.elements().filter(|e| e.is(&["w:headerReference", "w:footerReference"])) {
                let kind = reference.name.trim_start_matches("w:").trim_end_matches("Reference");
                let which = reference.attribute("w:type").unwrap_or("default");
                let id = reference.attribute(RELATION).unwrap_or_default();
                let part = relations.iter().find(|relation| relation.id == id).map(|it| it.target.clone());
                let part = part.unwrap_or_else(|| panic!("{kind} {which} names no part"));
                let root = resolve(&self.package.xml(&part).unwrap(), self.side, None);
                self.story(&format!("{kind}:{which}{section}"), &part, &root);
            }
        }
    }

    fn notes(&mut self) {
        for kind in ["footnote", "endnote"] {
            let Some(part) = self.package.related(&format!("{kind}s")) else { continue };
            let root = resolve(&self.package.xml(&part).unwrap(), self.side, None);
            let marks: Vec<String> =
                self.notes.iter().filter(|(known, _)| *known == kind).map(|(_, id)| id.clone()).collect();
            for (at, id) in marks.iter().enumerate() {
                let note = root.elements().find(|note| note.attribute("w:id") == Some(id));
                let note = note.unwrap_or_else(|| panic!("{kind} {id} is marked and is nowhere"));
                self.story(&format!("{kind}:{}", at + 1), &part, note);
            }
        }
    }

    fn text_boxes(&mut self) {
        for (name, content) in std::mem::take(&mut self.boxes) {
            self.story(&name, "word/document.xml", &content);
        }
    }
}
