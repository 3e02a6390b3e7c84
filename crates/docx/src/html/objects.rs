//! What stands in text and is no text: notes, pictures, text boxes, equations, symbols.

use engross_xml::{Document, NodeId, QName};

use super::line::Line;
use super::markup::{DEEPEST, Wrapper, attribute, short, short_attribute};
use super::writer::StoryWriter;
use crate::model::{View, alternative_text, effective_text, number};
use crate::names::{
    A_BLIP, DEL, DRAWING, ENDNOTE_REFERENCE, FALLBACK, ID, INS, M_T, N_CX, N_CY, O_MATH, O_MATH_PARA, OBJECT,
    PICT, R_EMBED, R_ID, RT, RUBY, RUBY_BASE, SYM, T, TXBX_CONTENT, V_IMAGE_DATA, W_CHAR, W14_FONT,
    WP_EXTENT,
};
use crate::numbering::symbol;
use crate::revisions::RevisionKind;

/// English metric units of a pixel.
const UNITS_OF_PIXEL: u32 = 9_525;
/// The most pictures of one drawing.
const MOST_PICTURES: usize = 64;

impl StoryWriter<'_, '_> {
    pub(super) fn note_reference(&mut self, leaf: NodeId, name: QName, wrappers: &[Wrapper], line: &Line) {
        let id = self.document.attribute(leaf, ID).unwrap_or_default();
        let is_end = name == ENDNOTE_REFERENCE;
        let (number, is_first) = self.state.notes.refer(is_end, &id);
        let may_link = line.may_link() && self.state.notes.has(is_end, &id);
        let name = self.state.notes.name(is_end, number);
        let prefix = &self.state.prefix;
        let shown = self.state.notes.shown(&name);
        let back = if is_first { format!(" id=\"{prefix}to-{name}\"") } else { String::new() };
        let markup = match may_link {
            true => format!(
                "<sup class=\"generated\"><a class=\"note-mark\"{back} href=\"#{prefix}{name}\" role=\"doc-noteref\">{shown}</a></sup>"
            ),
            false => format!("<sup class=\"generated note-mark\"{back}>{shown}</sup>"),
        };
        self.state.out.within(wrappers);
        self.state.out.raw(&markup);
    }

    /// The number of a note where its text begins, which leads back.
    pub(super) fn note_mark(&mut self, wrappers: &[Wrapper]) {
        let Some(name) = self.state.notes.current.clone() else { return };
        let shown = self.state.notes.shown(&name);
        let prefix = &self.state.prefix;
        let markup = format!(
            "<sup class=\"generated\"><a class=\"note-mark\" href=\"#{prefix}to-{name}\" role=\"doc-backlink\">{shown}</a></sup>"
        );
        self.state.out.within(wrappers);
        self.state.out.raw(&markup);
    }

    pub(super) fn object(&mut self, node: NodeId, wrappers: &[Wrapper]) {
        self.state.out.within(wrappers);
        match self.document.name(node) {
            SYM => self.symbol(node),
            RUBY => self.ruby(node),
            O_MATH | O_MATH_PARA => self.equation(node, wrappers),
            _ => self.drawing(node),
        }
    }

    fn symbol(&mut self, node: NodeId) {
        let document = self.document;
        let code = document.attribute(node, W_CHAR).and_then(|code| u32::from_str_radix(&code, 16).ok());
        let font =
            document.attribute(node, crate::names::W_FONT).or_else(|| document.attribute(node, W14_FONT));
        let shown = code.and_then(char::from_u32).map(|c| symbol(c, &font.unwrap_or_default()));
        self.state.out.raw("<span class=\"object\">");
        self.state.out.text(&shown.unwrap_or_else(|| "•".to_owned()));
        self.state.out.raw("</span>");
    }

    fn ruby(&mut self, node: NodeId) {
        let text = |name| {
            let part = self.document.descendants(node).find(|below| self.document.name(*below) == name);
            part.map(|part| text_below(self.document, part)).unwrap_or_default()
        };
        let (below, above) = (text(RUBY_BASE), text(RT));
        self.state.out.raw("<ruby class=\"object\">");
        self.state.out.text(&below);
        self.state.out.raw("<rt>");
        self.state.out.text(&above);
        self.state.out.raw("</rt></ruby>");
    }

    fn equation(&mut self, node: NodeId, around: &[Wrapper]) {
        let mut wrappers = around.to_vec();
        wrappers.push(Wrapper::new("span", " class=\"object equation\"", usize::MAX));
        self.state.out.within(&wrappers);
        self.equation_part(node, &mut wrappers);
    }

    // Depth is bounded by the XML parser's limit.
    fn equation_part(&mut self, node: NodeId, wrappers: &mut Vec<Wrapper>) {
        let (document, view) = (self.document, self.state.view);
        for child in document.children(node) {
            let name = document.name(child);
            match name {
                M_T | T | crate::names::DEL_TEXT => {
                    self.state.out.within(wrappers);
                    let text = document.element_text(child);
                    self.state.out.text(&text.replace(['\n', '\r'], " "));
                }
                INS if view == View::Original => {}
                DEL if view == View::Accepted => {}
                INS | DEL if view == View::Markup && wrappers.len() < DEEPEST => {
                    let kind = if name == INS { RevisionKind::Insertion } else { RevisionKind::Deletion };
                    let own = self.changes.wrapper(document, child, kind, &mut self.state.authors);
                    let count = wrappers.len();
                    wrappers.extend(own);
                    self.state.out.within(wrappers);
                    self.equation_part(child, wrappers);
                    wrappers.truncate(count);
                }
                _ => self.equation_part(child, wrappers),
            }
        }
    }

    /// A drawing, picture or embedded object: its pictures here, its text boxes behind the paragraph.
    fn drawing(&mut self, node: NodeId) {
        let document = self.document;
        let mut files: Vec<(NodeId, NodeId)> = Vec::new();
        let (mut has_box, mut drawing) = (false, node);
        let mut size = None;
        let mut nodes = document.descendants(node);
        while let Some(below) = nodes.next() {
            match document.name(below) {
                FALLBACK => nodes.skip_below(below),
                DRAWING | PICT | OBJECT => drawing = below,
                TXBX_CONTENT => {
                    has_box = true;
                    self.boxes.push(below);
                    nodes.skip_below(below);
                }
                A_BLIP | V_IMAGE_DATA if files.len() < MOST_PICTURES => files.push((below, drawing)),
                WP_EXTENT if size.is_none() => {
                    let pixels = |name| {
                        let units = number(document, below, name)?;
                        Some(units / UNITS_OF_PIXEL).filter(|pixels| (1..=4_000).contains(pixels))
                    };
                    size = pixels(N_CX).zip(pixels(N_CY));
                }
                _ => {}
            }
        }
        let said = short(&alternative_text(document, node), 300);
        let is_alone = files.len() == 1;
        for (file, _) in &files {
            self.picture(*file, &said, size.filter(|_| is_alone));
        }
        if files.is_empty() && !has_box {
            let kind = if document.name(node) == OBJECT { "embedded object" } else { "drawing" };
            self.placeholder(kind, &said);
        }
    }

    fn picture(&mut self, file: NodeId, said: &str, size: Option<(u32, u32)>) {
        let document = self.document;
        let id = document.attribute(file, R_EMBED).or_else(|| document.attribute(file, R_ID));
        let target = id.and_then(|id| {
            let known = self.part.relationships.iter().find(|known| known.id == *id && !known.external)?;
            Some(known.target.clone())
        });
        let bytes = target.as_deref().and_then(|target| (self.state.source.file)(target));
        let address = bytes.and_then(|bytes| self.state.pictures.address(&bytes));
        let Some(address) = address else { return self.placeholder("picture", said) };
        let mut markup = format!("<img class=\"object\" src=\"{address}\"");
        attribute(&mut markup, "alt", said);
        if let Some((width, height)) = size {
            markup.push_str(&format!(" width=\"{width}\" height=\"{height}\""));
        }
        if let Some(target) = target {
            short_attribute(&mut markup, "data-picture", &target, 200);
        }
        markup.push('>');
        self.state.out.raw(&markup);
    }

    fn placeholder(&mut self, kind: &str, said: &str) {
        self.state.out.raw("<span class=\"generated object\">[");
        self.state.out.raw(kind);
        if !said.is_empty() {
            self.state.out.raw(": ");
            self.state.out.text(said);
        }
        self.state.out.raw("]</span>");
    }
}

fn text_below(document: &Document, node: NodeId) -> String {
    let texts = document.descendants(node).filter(|below| document.name(*below) == T);
    texts.map(|text| effective_text(document, text).into_owned()).collect()
}
