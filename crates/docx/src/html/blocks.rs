//! Paragraphs and what holds them: content controls, sections, text boxes.

use std::rc::Rc;

use engross_xml::{NodeId, QName};

use super::appearance::ParagraphAppearance;
use super::line::Line;
use super::markup::{Wrapper, attribute, short_attribute};
use super::story::ParagraphPlace;
use super::writer::StoryWriter;
use crate::model::{Control, View, mark_revisions, next_paragraph};
use crate::names::{
    ALT_CHUNK, CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_INS_RANGE_START, DEL, FALLBACK, INS, NUM_PR,
    NUMBERING_CHANGE, P, P_PR, P_PR_CHANGE, R_PR, R_PR_CHANGE, SDT, SDT_CONTENT, SDT_PR, SECT_PR,
    SECT_PR_CHANGE, TBL,
};
use crate::revisions::{RevisionKind, list};
use crate::sections::outline_level;

impl StoryWriter<'_, '_> {
    /// Writes all of it, and names what of its revisions has no place in it.
    pub(super) fn write(mut self, root: NodeId) {
        self.container(root);
        self.name_other_changes(root);
    }

    // Depth is bounded by the XML parser's limit.
    pub(super) fn container(&mut self, parent: NodeId) {
        for child in self.document.children(parent) {
            match self.document.name(child) {
                P => self.paragraph(child),
                TBL => {
                    self.end_unended();
                    self.table(child);
                }
                SDT => self.control(child),
                SECT_PR => self.section(child),
                CUSTOM_XML_INS_RANGE_START | CUSTOM_XML_DEL_RANGE_START => {
                    if let Some(mark) = self.control_mark(child) {
                        self.end_unended();
                        self.state.out.raw(&format!("<p class=\"generated\">{mark}</p>\n"));
                    }
                }
                ALT_CHUNK => {
                    self.state.out.raw("<p class=\"generated object\">[embedded document]</p>\n");
                }
                FALLBACK | SDT_PR | QName::NONE => {}
                _ if self.document.first_child(child).is_some() => self.container(child),
                _ => {}
            }
        }
    }

    fn control(&mut self, node: NodeId) {
        let Some(content) = self.document.child(node, SDT_CONTENT) else { return };
        self.end_unended();
        let attributes = self.control_attributes(node);
        self.state.out.raw(&format!("<div{attributes}>\n"));
        self.container(content);
        self.end_unended();
        self.state.out.raw("</div>\n");
    }

    /// The attributes of an element that shows a content control.
    pub(super) fn control_attributes(&self, node: NodeId) -> String {
        let control = Control::of(self.document, node);
        let prompt = if control.is_placeholder() { " prompt" } else { "" };
        let mut out = format!(" class=\"control{prompt}\"");
        if let Some(number) = self.part.controls.get(&node) {
            attribute(&mut out, "data-control", &number.to_string());
        }
        attribute(&mut out, "data-kind", control.kind().as_str());
        if let Some(title) = control.title().or_else(|| control.tag()) {
            short_attribute(&mut out, "title", &title, 120);
        }
        out
    }

    fn section(&mut self, properties: NodeId) {
        if self.state.view != View::Markup {
            return;
        }
        if let Some(change) = self.document.child(properties, SECT_PR_CHANGE)
            && let Some(mark) = self.mark(change, RevisionKind::SectionFormatting)
        {
            self.state.out.raw(&format!("<p class=\"generated\">{mark}</p>\n"));
        }
    }

    /// A mark for a revision; none in views without revisions.
    pub(super) fn mark(&mut self, node: NodeId, kind: RevisionKind) -> Option<String> {
        if self.state.view != View::Markup {
            return None;
        }
        self.changes.mark(self.document, node, kind, &mut self.state.authors)
    }

    /// A mark for a control that comes or goes; nothing for what records its end.
    pub(super) fn control_mark(&mut self, node: NodeId) -> Option<String> {
        let kind = match self.document.name(node) {
            CUSTOM_XML_INS_RANGE_START => RevisionKind::ControlInsertion,
            _ => RevisionKind::ControlDeletion,
        };
        self.mark(node, kind)
    }

    fn paragraph(&mut self, node: NodeId) {
        let index = Rc::clone(&self.index);
        let Some(place) = index.places.get(&node) else { return };
        if !place.has_end && next_paragraph(self.document, node).is_some() {
            self.unended.push(node);
            return;
        }
        let before = std::mem::take(&mut self.unended);
        // Nothing is left of a paragraph whose end and text the view does not show.
        let start = if place.has_end || !before.is_empty() { None } else { Some(node) };
        self.write_paragraph(&before, node, place, start.is_some());
    }

    /// Writes paragraphs that nothing goes on with.
    pub(super) fn end_unended(&mut self) {
        let mut before = std::mem::take(&mut self.unended);
        let Some(last) = before.pop() else { return };
        let index = Rc::clone(&self.index);
        if let Some(place) = index.places.get(&last) {
            self.write_paragraph(&before, last, place, true);
        }
    }

    fn write_paragraph(&mut self, before: &[NodeId], node: NodeId, place: &ParagraphPlace, optional: bool) {
        let document = self.document;
        if optional && !self.says_anything(node) && before.is_empty() {
            return;
        }
        let (styles, appearances) = (self.state.source.styles, Rc::clone(&self.state.appearances));
        let appearance = appearances.of_paragraph(document, node, styles);
        let element = self.open_paragraph(node, place, &appearance, appearances.size);
        let properties = document.child(node, P_PR);
        if let Some(properties) = properties {
            self.property_marks(properties);
        }
        if let Some(marker) = place.marker.as_ref().filter(|marker| !marker.text.is_empty()) {
            let class = if marker.bullet { "bullet" } else { "number" };
            self.state.out.raw(&format!("<span class=\"generated {class}\">"));
            self.state.out.text(&marker.text);
            self.state.out.raw("</span>");
        }
        let index = Rc::clone(&self.index);
        for earlier in before {
            if !self.says_anything(*earlier) {
                continue;
            }
            let mut attributes = String::new();
            if let Some(place) = index.places.get(earlier) {
                attribute(&mut attributes, "data-address", &place.address);
            }
            let outer = Wrapper::new("span", attributes, 0);
            self.line(*earlier, &appearance, vec![outer]);
        }
        self.line(node, &appearance, Vec::new());
        self.end_marks(node, properties);
        self.state.out.raw(&format!("</{element}>\n"));
        for node in std::mem::take(&mut self.boxes) {
            self.text_box(node);
        }
        if let Some(section) = properties.and_then(|properties| document.child(properties, SECT_PR)) {
            self.section(section);
        }
    }

    fn line(&mut self, node: NodeId, appearance: &ParagraphAppearance, outer: Vec<Wrapper>) {
        let index = Rc::clone(&self.index);
        let comments = index.places.get(&node).map(|place| place.comments.clone()).unwrap_or_default();
        let fields = index.fields.get(&node).cloned().unwrap_or_default();
        let mut line = Line::new(*appearance, fields, comments, outer);
        self.inline(node, true, &mut line);
        self.state.out.close();
    }

    /// Whether the view shows anything of what stands in a paragraph.
    fn says_anything(&self, node: NodeId) -> bool {
        let fields = self.index.fields.get(&node);
        let paragraph = crate::model::Paragraph::read(self.document, node, self.state.view, fields);
        !paragraph.text.is_empty()
    }

    fn open_paragraph(
        &mut self,
        node: NodeId,
        place: &ParagraphPlace,
        appearance: &ParagraphAppearance,
        size: u32,
    ) -> String {
        let styles = self.state.source.styles;
        let style = styles.of_paragraph(self.document, node);
        let level = outline_level(self.document, node)
            .unwrap_or_else(|| style.and_then(|style| styles.outline_level(style)))
            .filter(|_| self.says_anything(node));
        let shown_level = place.marker.as_ref().filter(|marker| !marker.text.is_empty());
        let mut classes = appearance.classes(shown_level.and(place.list_level), size);
        let name = style.and_then(|style| styles.name(style)).unwrap_or_default().to_lowercase();
        match name.as_str() {
            "title" => classes.push("title"),
            "subtitle" => classes.push("subtitle"),
            "caption" => classes.push("caption"),
            "quote" | "intense quote" | "block text" => classes.push("quotation"),
            name if name.starts_with("toc ") => classes.push("contents"),
            _ => {}
        }
        let mut attributes = String::new();
        let element = match level {
            Some(level) if self.in_header_cell => {
                attributes.push_str(&format!(" role=\"heading\" aria-level=\"{}\"", level + 1));
                "p".to_owned()
            }
            Some(level @ 0..=5) => format!("h{}", level + 1),
            Some(level) => {
                attributes.push_str(&format!(" aria-level=\"{}\"", level + 1));
                "h6".to_owned()
            }
            None => "p".to_owned(),
        };
        if !classes.is_empty() {
            attribute(&mut attributes, "class", &classes.join(" "));
        }
        if !place.address.is_empty() {
            if !place.address.contains('/') {
                attribute(&mut attributes, "id", &format!("{}{}", self.state.prefix, place.address));
            }
            attribute(&mut attributes, "data-address", &place.address);
        }
        if appearance.is_rtl == Some(true) {
            attributes.push_str(" dir=\"rtl\"");
        }
        self.state.out.raw(&format!("<{element}{attributes}>"));
        element
    }

    /// Marks for changed properties of a paragraph, before its text.
    fn property_marks(&mut self, properties: NodeId) {
        let document = self.document;
        let mut changes: Vec<(NodeId, RevisionKind)> = Vec::new();
        if let Some(change) = document.child(properties, P_PR_CHANGE) {
            changes.push((change, RevisionKind::ParagraphFormatting));
        }
        if let Some(numbering) = document.child(properties, NUM_PR) {
            for node in document.children(numbering) {
                match document.name(node) {
                    INS | DEL => changes.push((node, RevisionKind::Numbering)),
                    NUMBERING_CHANGE => changes.push((node, RevisionKind::TableFormatting)),
                    _ => {}
                }
            }
        }
        self.write_marks(&changes);
    }

    /// Marks for the revisions of a paragraph's end.
    fn end_marks(&mut self, node: NodeId, properties: Option<NodeId>) {
        let document = self.document;
        let mut changes: Vec<(NodeId, RevisionKind)> = mark_revisions(document, node)
            .map(|mark| {
                let inserts = matches!(document.name(mark), INS | crate::names::MOVE_TO);
                let kind =
                    if inserts { RevisionKind::ParagraphInsertion } else { RevisionKind::ParagraphDeletion };
                (mark, kind)
            })
            .collect();
        let format = properties
            .and_then(|properties| document.child(properties, R_PR))
            .and_then(|properties| document.child(properties, R_PR_CHANGE));
        changes.extend(format.map(|change| (change, RevisionKind::Formatting)));
        self.write_marks(&changes);
    }

    pub(super) fn write_marks(&mut self, changes: &[(NodeId, RevisionKind)]) {
        for (node, kind) in changes {
            if let Some(mark) = self.mark(*node, *kind) {
                self.state.out.raw(&mark);
            }
        }
    }

    fn text_box(&mut self, content: NodeId) {
        let name = self.box_names.get(&content).cloned();
        self.state.out.raw("<aside class=\"text-box\">\n");
        let names = Rc::clone(&self.box_names);
        let mut inner = StoryWriter::new(self.state, self.part, content, name.as_deref(), names);
        inner.container(content);
        inner.end_unended();
        let shown = inner.changes.shown;
        self.changes.shown.extend(shown);
        self.state.out.raw("</aside>\n");
    }

    /// Whatever the view has no place for is named at the end of the story, so that no revision is hidden.
    fn name_other_changes(&mut self, root: NodeId) {
        self.end_unended();
        if self.state.view != View::Markup {
            return;
        }
        let mut marks = String::new();
        for revision in list(self.document, root) {
            if !self.changes.shown.contains(&revision.node)
                && let Some(mark) = self.mark(revision.node, revision.kind)
            {
                marks.push_str(&mark);
                marks.push(' ');
            }
        }
        if !marks.is_empty() {
            self.state.out.raw(&format!("<p class=\"generated other-changes\">Other changes: {marks}</p>\n"));
        }
    }
}
