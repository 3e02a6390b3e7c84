//! A second opinion on tracked changes: its own tree, its own accept and reject, its own idea of "the same".
//!
//! Must never use the engine: what both get wrong in the same way is found by nobody. So it is slow and simple.

use std::collections::BTreeMap;
use std::io::Read as _;

const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const STRICT: &str = "http://purl.oclc.org/ooxml/wordprocessingml/main";
const WORD_2010: &str = "http://schemas.microsoft.com/office/word/2010/wordml";

/// Stands for an inline object in texts.
pub(crate) const OBJECT: char = '\u{FFFC}';

/// An element with its name as `w:p`, `w14:paraId` or `{uri}local`, whatever prefix the file uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<String, String>,
    pub(crate) children: Vec<Node>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Element(Element),
    Text(String),
}

/// What becomes of revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Accept,
    Reject,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    pub(crate) fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(_) => None,
        })
    }

    pub(crate) fn child(&self, name: &str) -> Option<&Self> {
        self.elements().find(|element| element.name == name)
    }

    pub(crate) fn is(&self, names: &[&str]) -> bool {
        names.contains(&self.name.as_str())
    }

    /// Visits the element and all below it, with the elements above.
    pub(crate) fn walk<'a>(
        &'a self,
        above: &mut Vec<&'a Self>,
        visit: &mut impl FnMut(&'a Self, &[&'a Self]),
    ) {
        visit(self, above);
        above.push(self);
        for child in self.elements() {
            child.walk(above, visit);
        }
        above.pop();
    }

    pub(crate) fn characters(&self) -> String {
        let text = self.children.iter().map(|child| match child {
            Node::Text(text) => text.as_str(),
            Node::Element(_) => "",
        });
        text.collect()
    }
}

/// The main part of a saved document.
pub(crate) fn main_part(document: &[u8]) -> String {
    part(document, "word/document.xml")
}

/// A part of a saved document.
pub(crate) fn part(document: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(document)).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

/// Parses a main part. White space between elements, and what Word trims, is gone.
pub(crate) fn parse(xml: &str) -> Element {
    let document = roxmltree::Document::parse(xml).unwrap_or_else(|error| panic!("{error} in {xml}"));
    element(document.root_element(), false)
}

fn element(node: roxmltree::Node<'_, '_>, preserved: bool) -> Element {
    let name = name_of(node.tag_name().namespace(), node.tag_name().name());
    let mut attributes: BTreeMap<String, String> = node
        .attributes()
        .map(|attribute| (name_of(attribute.namespace(), attribute.name()), attribute.value().to_owned()))
        .collect();
    let space = attributes.remove("{http://www.w3.org/XML/1998/namespace}space");
    let preserved = space.map_or(preserved, |space| space == "preserve");
    let leaf = !node.children().any(|child| child.is_element());
    let mut children = Vec::new();
    for child in node.children() {
        if child.is_element() {
            children.push(Node::Element(element(child, preserved)));
        } else if let Some(text) = child.text().filter(|_| child.is_text() && leaf) {
            let text = if preserved { text } else { text.trim_matches([' ', '\t', '\r', '\n']) };
            if !text.is_empty() {
                children.push(Node::Text(text.to_owned()));
            }
        }
    }
    Element { name, attributes, children }
}

fn name_of(uri: Option<&str>, local: &str) -> String {
    match uri {
        None => local.to_owned(),
        Some(TRANSITIONAL | STRICT) => format!("w:{local}"),
        Some(WORD_2010) => format!("w14:{local}"),
        Some(uri) => format!("{{{uri}}}{local}"),
    }
}

/// The same document in a form in which equal means equal to a reader: neighbouring runs and revisions that say the
/// same are one, empty properties and the ids of revisions do not count, and a simple field is its long form.
pub(crate) fn canonical(element: &Element) -> Element {
    let mut children: Vec<Node> = Vec::new();
    for child in with_long_fields(&element.children) {
        let child = match child {
            Node::Text(_) => child,
            Node::Element(child) => Node::Element(canonical(&child)),
        };
        if matches!(&child, Node::Element(child) if child.is(&["w:rPr", "w:pPr", "w:trPr", "w:tcPr"])
            && child.children.is_empty() && child.attributes.is_empty())
        {
            continue;
        }
        let joined = match (children.last_mut(), &child) {
            (Some(Node::Element(last)), Node::Element(next)) => join(last, next),
            _ => false,
        };
        if !joined {
            children.push(child);
        }
    }
    let mut attributes = element.attributes.clone();
    if is_revision(element) {
        attributes.remove("w:id");
    }
    Element { name: element.name.clone(), attributes, children }
}

/// The same nodes, simple fields written with field characters.
fn with_long_fields(nodes: &[Node]) -> Vec<Node> {
    let element = |name: &str, children: Vec<Node>| Element {
        name: name.to_owned(),
        attributes: BTreeMap::new(),
        children,
    };
    let run = |leaf: Element| Node::Element(element("w:r", vec![Node::Element(leaf)]));
    let character = |kind: &str, attributes: &BTreeMap<String, String>| {
        let mut leaf = element("w:fldChar", vec![]);
        leaf.attributes.clone_from(attributes);
        leaf.attributes.insert("w:fldCharType".to_owned(), kind.to_owned());
        run(leaf)
    };
    let mut all = Vec::new();
    for node in nodes {
        let Node::Element(field) = node else {
            all.push(node.clone());
            continue;
        };
        if field.name != "w:fldSimple" {
            all.push(node.clone());
            continue;
        }
        let mut attributes = field.attributes.clone();
        let code = attributes.remove("w:instr").unwrap_or_default();
        all.push(character("begin", &attributes));
        all.push(run(element("w:instrText", vec![Node::Text(code)])));
        all.push(character("separate", &BTreeMap::new()));
        all.extend(with_long_fields(&field.children));
        all.push(character("end", &BTreeMap::new()));
    }
    all
}

/// Joins neighbours that read as one.
fn join(last: &mut Element, next: &Element) -> bool {
    if last.name != next.name || last.attributes != next.attributes {
        return false;
    }
    match last.name.as_str() {
        "w:t" | "w:delText" | "w:instrText" => {
            let text = last.characters() + &next.characters();
            last.children = vec![Node::Text(text)];
            true
        }
        "w:r" if last.child("w:rPr") == next.child("w:rPr") => {
            let content = next.children.iter();
            last.children.extend(
                content
                    .filter(|child| !matches!(child, Node::Element(child) if child.name == "w:rPr"))
                    .cloned(),
            );
            *last = canonical(last);
            true
        }
        "w:ins" | "w:del" | "w:moveFrom" | "w:moveTo" if !next.children.is_empty() => {
            last.children.extend(next.children.iter().cloned());
            *last = canonical(last);
            true
        }
        _ => false,
    }
}

/// Whether an element is a tracked change of any kind.
pub(crate) fn is_revision(element: &Element) -> bool {
    let local = element.name.strip_prefix("w:").unwrap_or_default();
    matches!(local, "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel" | "cellMerge")
        || local.ends_with("PrChange")
}

/// Accepts or rejects the revisions of `date`, or all.
pub(crate) fn resolve(element: &Element, side: Side, date: Option<&str>) -> Element {
    let (mut ranges, mut grids) = (Vec::new(), Vec::new());
    element.walk(&mut Vec::new(), &mut |element, above| {
        if element.name == "w:tblGridChange" {
            // It bears neither author nor date: it goes with the cells of its table.
            let table = above.iter().rfind(|above| above.name == "w:tbl");
            let mut ours = date.is_none();
            table.into_iter().for_each(|table| {
                table.walk(&mut Vec::new(), &mut |below, _| {
                    ours |= below.is(&["w:cellIns", "w:cellDel", "w:tcPrChange"])
                        && below.attribute("w:date") == date;
                });
            });
            grids.extend(element.attribute("w:id").filter(|_| ours).map(str::to_owned));
        }
        let ours = date.is_none_or(|date| element.attribute("w:date") == Some(date));
        if element.name.starts_with("w:move") && element.name.ends_with("RangeStart") && ours {
            ranges.push(element.attribute("w:id").unwrap_or_default().to_owned());
        }
    });
    let resolved = without_controls(element, side, date);
    let mut resolved = Resolver { side, date, ranges, grids }.element(&resolved, false).0;
    if date.is_none() {
        keep_halves(element, &mut resolved);
    }
    resolved
}

/// Word has bookmarks as two places in the text: when text goes with one of them, that place is where the text was, so one half is
/// never alone, and never before the other. Here the half that went, or came too late, stands at the half that stayed.
fn keep_halves(before: &Element, after: &mut Element) {
    let (then, now) = (bookmark_halves(before), bookmark_halves(after));
    let mut mended = BTreeMap::new();
    for (id, (start, end)) in then {
        let Some((start, end)) = start.zip(end).filter(|(start, end)| start.0 < end.0) else { continue };
        match now.get(&id) {
            Some((Some(_), None)) => mended.insert(id, end.1),
            Some((None, Some(_))) => mended.insert(id, start.1),
            // The end is put behind the start.
            Some((Some(start), Some(late))) if late.0 < start.0 => mended.insert(id, end.1),
            _ => None,
        };
    }
    if !mended.is_empty() {
        put_halves(after, &mended);
    }
}

/// Of each bookmark: its start and its end, each with its place in the order of the file.
type Halves = (Option<(usize, Element)>, Option<(usize, Element)>);

fn bookmark_halves(root: &Element) -> BTreeMap<String, Halves> {
    let mut found: BTreeMap<String, Halves> = BTreeMap::new();
    let mut at = 0;
    root.walk(&mut Vec::new(), &mut |mark, _| {
        at += 1;
        let id = || mark.attribute("w:id").unwrap_or_default().to_owned();
        match mark.name.as_str() {
            "w:bookmarkStart" => found.entry(id()).or_default().0 = Some((at, mark.clone())),
            "w:bookmarkEnd" => found.entry(id()).or_default().1 = Some((at, mark.clone())),
            _ => {}
        }
    });
    found
}

fn put_halves(element: &mut Element, mended: &BTreeMap<String, Element>) {
    let mut children = Vec::new();
    for mut child in std::mem::take(&mut element.children) {
        let half = match &child {
            Node::Element(mark) if mark.is(&["w:bookmarkStart", "w:bookmarkEnd"]) => mended
                .get(mark.attribute("w:id").unwrap_or_default())
                .map(|half| (half.clone(), mark.name.clone())),
            _ => None,
        };
        if let Node::Element(child) = &mut child {
            put_halves(child, mended);
        }
        match half {
            // It stands at the other half now.
            Some((half, name)) if half.name == name => {}
            Some((half, name)) if name == "w:bookmarkEnd" => children.extend([Node::Element(half), child]),
            Some((half, _)) => children.extend([child, Node::Element(half)]),
            None => children.push(child),
        }
    }
    element.children = children;
}

/// Controls that came or went are unwrapped: the mark stands right before the control.
fn without_controls(element: &Element, side: Side, date: Option<&str>) -> Element {
    let goes = if side == Side::Accept { "w:customXmlDelRangeStart" } else { "w:customXmlInsRangeStart" };
    let means = |child: &Element| date.is_none_or(|date| child.attribute("w:date") == Some(date));
    let mut children = Vec::new();
    let mut unwraps = false;
    for child in &element.children {
        let Node::Element(child) = child else {
            children.push(child.clone());
            continue;
        };
        if child.name.starts_with("w:customXml") && child.name.contains("Range") {
            unwraps |= child.name == goes && means(child);
            if date.is_some() {
                children.push(Node::Element(child.clone()));
            }
            continue;
        }
        let inner = without_controls(child, side, date);
        match inner.child("w:sdtContent").filter(|_| unwraps && inner.name == "w:sdt") {
            Some(content) => children.extend(content.children.iter().cloned()),
            None => children.push(Node::Element(inner)),
        }
        unwraps = false;
    }
    Element { name: element.name.clone(), attributes: element.attributes.clone(), children }
}

struct Resolver<'a> {
    side: Side,
    date: Option<&'a str>,
    /// The ids of the ranges of moves that are meant.
    ranges: Vec<String>,
    /// The ids of the records of grids that are meant.
    grids: Vec<String>,
}

impl Resolver<'_> {
    fn means(&self, element: &Element) -> bool {
        is_revision(element) && self.date.is_none_or(|date| element.attribute("w:date") == Some(date))
    }

    fn goes(&self, name: &str) -> bool {
        match self.side {
            Side::Accept => matches!(name, "w:del" | "w:moveFrom"),
            Side::Reject => matches!(name, "w:ins" | "w:moveTo"),
        }
    }

    /// The element when it is resolved, and whether it is a paragraph whose border is gone, or a row that is.
    fn element(&self, element: &Element, deleted: bool) -> (Element, bool) {
        let mut lost = false;
        let mut children = Vec::new();
        let mut borders = Vec::new();
        for child in &element.children {
            let Node::Element(child) = child else {
                children.push(child.clone());
                continue;
            };
            let is_grid = child.name == "w:tblGridChange"
                && child.attribute("w:id").is_some_and(|id| self.grids.iter().any(|known| known == id));
            if is_grid || child.name.ends_with("PrChange") && self.means(child) {
                if self.side == Side::Reject {
                    let keep = |name: &str| match element.name.as_str() {
                        "w:pPr" => matches!(name, "w:rPr" | "w:sectPr"),
                        "w:sectPr" => matches!(name, "w:headerReference" | "w:footerReference"),
                        _ => matches!(name, "w:ins" | "w:del" | "w:cellIns" | "w:cellDel" | "w:cellMerge"),
                    };
                    let kept: Vec<Node> = children
                        .drain(..)
                        .filter(|known| matches!(known, Node::Element(known) if keep(&known.name)))
                        .collect();
                    children = child.elements().flat_map(|before| before.children.iter().cloned()).collect();
                    // References of a section lead; all else follows what the record holds.
                    let at = if element.name == "w:sectPr" { 0 } else { children.len() };
                    children.splice(at..at, kept);
                }
                continue;
            }
            let is_range = child.name.starts_with("w:move") && child.name.contains("Range");
            if is_range
                && child.attribute("w:id").is_some_and(|id| self.ranges.iter().any(|known| known == id))
            {
                continue;
            }
            if child.is(&["w:cellIns", "w:cellDel"]) && self.means(child) {
                lost |= (self.side == Side::Accept) == (child.name == "w:cellDel");
                continue;
            }
            let wrapper = child.is(&["w:ins", "w:del", "w:moveFrom", "w:moveTo"]) && self.means(child);
            if wrapper && matches!(element.name.as_str(), "w:rPr" | "w:trPr" | "w:numPr") {
                lost |= element.name != "w:numPr" && self.goes(&child.name);
                continue;
            }
            if wrapper {
                if !self.goes(&child.name) {
                    let (inner, _) = self.element(child, deleted);
                    let held = deleted || element.is(&["w:del", "w:moveFrom"]);
                    children.extend(inner.children.into_iter().map(|node| {
                        if held || !child.is(&["w:del", "w:moveFrom"]) { node } else { revive(node) }
                    }));
                }
                continue;
            }
            let below = deleted || child.is(&["w:del", "w:moveFrom"]);
            let had_content = !child.children.is_empty();
            let (child, border) = self.element(child, below);
            // The mark's properties tell it to the paragraph's, a row's to the row.
            if child.is(&["w:rPr", "w:pPr", "w:trPr", "w:tcPr"])
                && element.is(&["w:pPr", "w:p", "w:tr", "w:tc"])
            {
                lost |= border;
            }
            if child.is(&["w:tr", "w:tc"]) && border {
                continue;
            }
            // A table goes with its last row.
            if child.name == "w:tbl" && child.elements().all(|row| row.name != "w:tr") {
                continue;
            }
            let wrapper = ["w:hyperlink", "w:ins", "w:smartTag", "w:customXml", "w:bdo", "w:dir"];
            let hollow =
                had_content && child.is(&wrapper) && child.elements().all(|e| e.name.ends_with("Pr"));
            if !hollow {
                borders.push((children.len(), border && child.name == "w:p"));
                children.push(Node::Element(child));
            }
        }
        let joined: Vec<usize> = borders.into_iter().filter(|(_, lost)| *lost).map(|(at, _)| at).collect();
        let children = if joined.is_empty() { children } else { join_paragraphs(children, &joined) };
        (Element { name: element.name.clone(), attributes: element.attributes.clone(), children }, lost)
    }
}

fn revive(node: Node) -> Node {
    let Node::Element(mut element) = node else { return node };
    if element.is(&["w:del", "w:moveFrom"]) {
        return Node::Element(element);
    }
    let name = match element.name.as_str() {
        "w:delText" => "w:t",
        "w:delInstrText" => "w:instrText",
        name => name,
    };
    element.name = name.to_owned();
    element.children = element.children.into_iter().map(revive).collect();
    Node::Element(element)
}

/// Lets paragraphs that lost their border flow into the next one, whose properties stay.
fn join_paragraphs(blocks: Vec<Node>, lost: &[usize]) -> Vec<Node> {
    let mut done: Vec<Node> = Vec::new();
    let mut waiting: Vec<Node> = Vec::new();
    let mut without_next: Vec<Element> = Vec::new();
    let count = blocks.iter().filter(|block| is_block(block)).count();
    for (at, block) in blocks.into_iter().enumerate() {
        let Node::Element(mut element) = block else { continue };
        if element.name == "w:p" {
            let place = usize::from(element.child("w:pPr").is_some());
            element.children.splice(place..place, waiting.drain(..));
            if lost.contains(&at) {
                waiting = element
                    .children
                    .iter()
                    .filter(|child| !matches!(child, Node::Element(child) if child.name == "w:pPr"))
                    .cloned()
                    .collect();
                without_next.push(element);
                continue;
            }
            without_next.clear();
        } else if let Some(inner) = first_paragraph(&mut element).filter(|_| !waiting.is_empty()) {
            // A content control does not interrupt the flow of paragraphs.
            let place = usize::from(inner.child("w:pPr").is_some());
            inner.children.splice(place..place, waiting.drain(..));
            without_next.clear();
        } else if is_block_element(&element) {
            // A border before a table cannot go; only the empty paragraph can.
            if waiting.iter().any(is_content) {
                done.extend(without_next.pop().map(Node::Element));
            } else {
                done.append(&mut waiting);
            }
            waiting.clear();
            without_next.clear();
        }
        done.push(Node::Element(element));
    }
    let all_gone = !done.iter().any(is_block);
    if let Some(last) = without_next.pop() {
        let comments_only = waiting.iter().all(|node| !is_content(node) || is_comment_mark(node));
        let before = done.iter_mut().rfind(|node| is_block(node)).and_then(last_paragraph);
        if waiting.iter().any(is_content)
            && comments_only
            && let Some(before) = before
        {
            before.children.append(&mut waiting);
        } else if waiting.iter().any(is_content) || (all_gone && count > 0) {
            done.push(Node::Element(last));
        } else {
            done.append(&mut waiting);
        }
    }
    done
}

/// The paragraph that a content control begins with.
fn first_paragraph(control: &mut Element) -> Option<&mut Element> {
    if !control.is(&["w:sdt", "w:sdtContent", "w:customXml"]) {
        return None;
    }
    let block = |child: &Node| matches!(child, Node::Element(child) if is_block_element(child) || child.name == "w:sdtContent");
    let at = control.children.iter().position(block)?;
    let Node::Element(element) = &mut control.children[at] else { return None };
    if element.name == "w:p" { Some(element) } else { first_paragraph(element) }
}

/// A run that only says that a comment belongs here.
fn is_comment_mark(node: &Node) -> bool {
    matches!(node, Node::Element(run) if run.name == "w:r" && run.elements().all(|it| it.is(&["w:rPr", "w:commentReference"])))
}

/// The last paragraph in a block.
fn last_paragraph(node: &mut Node) -> Option<&mut Element> {
    let Node::Element(element) = node else { return None };
    if element.name == "w:p" {
        return Some(element);
    }
    element.children.iter_mut().rev().find_map(last_paragraph)
}

fn is_block(node: &Node) -> bool {
    matches!(node, Node::Element(element) if is_block_element(element))
}

fn is_block_element(element: &Element) -> bool {
    element.is(&["w:p", "w:tbl", "w:sdt", "w:customXml"])
}

fn is_content(node: &Node) -> bool {
    let Node::Element(element) = node else { return false };
    let is_marker =
        element.name.ends_with("Start") || element.name.ends_with("End") || element.name == "w:proofErr";
    !is_marker && (!is_revision(element) || element.children.iter().any(is_content))
}

/// The texts of the body's paragraphs in file order, text boxes and deleted text left out.
pub(crate) fn texts(document: &Element) -> Vec<String> {
    let mut texts = Vec::new();
    collect_texts(document, &mut texts, &mut Vec::new());
    texts
}

fn collect_texts(element: &Element, texts: &mut Vec<String>, fields: &mut Vec<bool>) {
    if element.name == "w:p" {
        let mut text = String::new();
        inline_text(element, &mut text, fields);
        texts.push(text);
        return;
    }
    for child in element.elements() {
        collect_texts(child, texts, fields);
    }
}

/// `fields` tells of each open field whether its instruction is being read.
fn inline_text(element: &Element, text: &mut String, fields: &mut Vec<bool>) {
    for child in element.elements() {
        let local = child.name.rsplit(['}', ':']).next().unwrap_or_default();
        match local {
            "pPr" | "rPr" | "sdtPr" | "instrText" | "delText" | "del" | "moveFrom" => {}
            "fldChar" => match child.attribute("w:fldCharType") {
                Some("begin") => fields.push(true),
                Some("separate") => *fields.last_mut().unwrap() = false,
                _ => {
                    fields.pop();
                }
            },
            _ if fields.contains(&true) && element.name == "w:r" => {}
            "t" if child.name == "w:t" => text.push_str(&child.characters()),
            "tab" | "ptab" => text.push('\t'),
            "br" => text.push(match child.attribute("w:type") {
                Some("page") => '\u{C}',
                Some("column") => '\u{B}',
                _ => '\n',
            }),
            "cr" => text.push('\n'),
            "noBreakHyphen" => text.push('\u{2011}'),
            "softHyphen" => text.push('\u{AD}'),
            "footnoteReference" | "endnoteReference" | "drawing" | "pict" | "object" | "sym" | "oMath"
            | "oMathPara" | "AlternateContent" | "ruby" => text.push(OBJECT),
            _ => inline_text(child, text, fields),
        }
    }
}
