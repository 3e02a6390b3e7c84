//! A paragraph as inline content: its text with formatting, links, notes and pictures.

use std::collections::BTreeMap;

use engross_xml::{Document, NodeId};

use super::source::{BodySource, NotePart};
use crate::model::{Atom, AtomKind, FieldContext, Paragraph, View, is_on, paragraphs};
use crate::names::{
    A_BLIP, ANCHOR, ASCII, B, DOC_PR, DRAWING, ENDNOTE, ENDNOTE_REFERENCE, FALLBACK, FLD_CHAR, FLD_CHAR_TYPE,
    FOOTNOTE, FOOTNOTE_REFERENCE, HIGHLIGHT, HYPERLINK, I, ID, INSTR_TEXT, N_DESCR, PICT, R_EMBED, R_FONTS,
    R_ID, R_PR, R_STYLE, STRIKE, TXBX_CONTENT, U, VAL, VERT_ALIGN,
};
use crate::parts::Relationship;
use crate::read::shown;
use crate::styles::Styles;
use crate::text::{
    Image, InlineObject, LinkDestination, LinkSpan, Marks, NoteKind, StyledSpan, StyledText, literal,
};

/// Fonts in which text is code.
const CODE_FONTS: &[&str] =
    &["courier new", "courier", "consolas", "menlo", "monaco", "lucida console", "cascadia code"];
const CODE_STYLES: &[&str] = &["html code", "verbatim char", "code", "inline code", "source text"];

/// Stand for the signs of CriticMarkup around revisions until the text is Markdown: no XML holds these characters.
pub(super) const REVISION_SIGNS: [(char, &str); 4] =
    [('\u{1}', "{--"), ('\u{2}', "--}"), ('\u{3}', "{++"), ('\u{4}', "++}")];

/// Reads paragraphs of the body.
pub(super) struct InlineReader<'a> {
    document: &'a Document,
    styles: &'a Styles,
    view: View,
    relationships: Vec<Relationship>,
    notes: BTreeMap<(bool, i64), Vec<StyledText>>,
    /// What text boxes of the paragraphs read so far say.
    pub(super) boxes: Vec<StyledText>,
    pub(super) warnings: Vec<String>,
    /// The names of pictures, and the parts with their files.
    pub(super) pictures: BTreeMap<String, String>,
}

impl<'a> InlineReader<'a> {
    pub(super) fn new(source: &'a BodySource<'a>, view: View) -> Self {
        let styles = source.styles;
        let mut notes = BTreeMap::new();
        for NotePart { is_end, tree, relationships } in &source.notes {
            let element = if *is_end { ENDNOTE } else { FOOTNOTE };
            let mut reader = InlineReader::of_part(tree, styles, view, relationships.clone());
            for node in tree.children(tree.root()).filter(|node| tree.name(*node) == element) {
                let id = tree.attribute(node, ID).and_then(|id| id.trim().parse().ok()).unwrap_or_default();
                let texts: Vec<StyledText> = paragraphs(tree, node)
                    .into_iter()
                    .map(|paragraph| reader.paragraph(paragraph, None))
                    .map(|text| text.slice(text.text.len() - text.text.trim_start().len()..text.text.len()))
                    .collect();
                notes.insert((*is_end, id), texts);
            }
        }
        let relationships = source.relationships.clone();
        Self { notes, ..Self::of_part(source.document, styles, view, relationships) }
    }

    fn of_part(
        document: &'a Document,
        styles: &'a Styles,
        view: View,
        relationships: Vec<Relationship>,
    ) -> Self {
        let (boxes, warnings) = (Vec::new(), Vec::new());
        let (notes, pictures) = (BTreeMap::new(), BTreeMap::new());
        Self { document, styles, view, relationships, notes, boxes, warnings, pictures }
    }

    /// What a paragraph says.
    pub(super) fn paragraph(&mut self, node: NodeId, fields: Option<&FieldContext>) -> StyledText {
        let document = self.document;
        let paragraph = Paragraph::read(document, node, self.view, fields);
        let mut out = StyledText::default();
        let mut codes: Vec<FieldCode> = Vec::new();
        let mut revision = None;
        for atom in &paragraph.atoms {
            follow_field(document, atom.node, &mut codes);
            if !atom.visible {
                continue;
            }
            if self.view == View::Markup {
                let now = match (atom.deleted.is_some(), atom.inserted.is_some()) {
                    (true, _) => Some(0),
                    (false, true) => Some(2),
                    _ => None,
                };
                turn(&mut out, revision, now);
                revision = now;
            }
            let link = self.link_around(atom.run, &codes);
            let mut piece = match atom.kind {
                AtomKind::Object => self.object(atom),
                AtomKind::Character(c @ ('\n' | '\u{C}')) => literal(&c.to_string()),
                _ => {
                    let text = paragraph.text.get(atom.range.clone()).unwrap_or_default();
                    literal(&shown(document, atom, text))
                }
            };
            if piece.text.is_empty() {
                continue;
            }
            let mut marks = self.marks(atom.run);
            if link.is_some() {
                // Links are underlined by what they are.
                marks.underline = false;
            }
            if !marks.is_empty() && piece.objects.is_empty() {
                piece.spans = vec![StyledSpan { range: 0..piece.text.len(), marks }];
            }
            let start = out.text.len();
            out.append(piece);
            let Some(target) = link else { continue };
            match out.links.last_mut() {
                Some(last) if last.range.end == start && last.target == target => {
                    last.range.end = out.text.len();
                }
                _ => out.links.push(LinkSpan { range: start..out.text.len(), target }),
            }
        }
        turn(&mut out, revision, None);
        out
    }

    fn marks(&self, run: NodeId) -> Marks {
        let document = self.document;
        let properties = document.child(run, R_PR);
        let property = |name| properties.and_then(|properties| document.child(properties, name));
        let on = |name| property(name).is_some_and(|property| is_on(document, property));
        let value = |name, key| {
            let value = property(name).and_then(|property| document.attribute(property, key));
            value.unwrap_or_default().to_lowercase()
        };
        let style = property(R_STYLE).and_then(|style| document.attribute(style, VAL));
        let style = style.and_then(|style| self.styles.name(&style)).unwrap_or_default().to_lowercase();
        let position = value(VERT_ALIGN, VAL);
        Marks {
            bold: on(B),
            italic: on(I),
            strike: on(STRIKE),
            underline: !matches!(value(U, VAL).as_str(), "" | "none"),
            highlight: !matches!(value(HIGHLIGHT, VAL).as_str(), "" | "none"),
            subscript: position == "subscript",
            superscript: position == "superscript",
            code: CODE_FONTS.contains(&value(R_FONTS, ASCII).as_str())
                || CODE_STYLES.contains(&style.as_str()),
        }
    }

    /// Where the link around a run leads.
    fn link_around(&self, run: NodeId, codes: &[FieldCode]) -> Option<LinkDestination> {
        let document = self.document;
        if let Some(link) = document.ancestors(run).find(|above| document.name(*above) == HYPERLINK) {
            let anchor =
                document.attribute(link, ANCHOR).map(|anchor| LinkDestination::Anchor(anchor.into_owned()));
            let address = document.attribute(link, R_ID).and_then(|id| {
                let known = self.relationships.iter().find(|known| known.id == *id)?;
                Some(LinkDestination::Url(known.target.clone()))
            });
            return address.or(anchor);
        }
        codes.iter().rev().filter(|field| field.in_result).find_map(|field| hyperlink_of(&field.code))
    }

    fn object(&mut self, atom: &Atom) -> StyledText {
        let document = self.document;
        let node = atom.node;
        let mut out = StyledText::default();
        let id =
            document.attribute(node, ID).and_then(|id| id.trim().parse::<i64>().ok()).unwrap_or_default();
        match document.name(node) {
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => {
                let is_end = document.name(node) == ENDNOTE_REFERENCE;
                let kind = if is_end { NoteKind::Endnote } else { NoteKind::Footnote };
                let content = self.notes.get(&(is_end, id)).cloned().unwrap_or_default();
                out.push_object(InlineObject::Note(kind, content));
                return out;
            }
            _ => {}
        }
        let boxes = boxes_below(document, node);
        if !boxes.is_empty() {
            for content in boxes {
                let mut text = literal("⟦text box⟧");
                for paragraph in paragraphs(document, content) {
                    text.append(literal("\n"));
                    let known = self.relationships.clone();
                    let mut inner = InlineReader::of_part(document, self.styles, self.view, known);
                    text.append(inner.paragraph(paragraph, None));
                }
                self.boxes.push(text);
            }
            self.warnings.push("text boxes are told as quotes behind their paragraphs".to_owned());
            return out;
        }
        if matches!(document.name(node), DRAWING | PICT)
            && let Some(image) = self.image(node)
        {
            out.push_object(InlineObject::Image(image));
            return out;
        }
        let label = shown(document, atom, "");
        self.warnings.push(format!("{label} has no Markdown; its label stands there"));
        literal(&label)
    }

    fn image(&mut self, node: NodeId) -> Option<Image> {
        let document = self.document;
        let blip = document.descendants(node).find(|below| document.name(*below) == A_BLIP)?;
        let id = document.attribute(blip, R_EMBED)?;
        let known = self.relationships.iter().find(|known| known.id == *id)?;
        let (target, is_inside) = (known.target.clone(), !known.external);
        let about = document.descendants(node).find(|below| document.name(*below) == DOC_PR);
        let alternative =
            about.and_then(|about| document.attribute(about, N_DESCR)).unwrap_or_default().into_owned();
        let source = target.strip_prefix("word/").unwrap_or(&target).to_owned();
        if is_inside {
            self.pictures.insert(source.clone(), target);
        }
        Some(Image { source, alternative, size: (None, None), like: None })
    }
}

/// Contents of the text boxes in an object; the old-style copy of a box is not counted.
fn boxes_below(document: &Document, object: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut nodes = document.descendants(object);
    while let Some(node) = nodes.next() {
        match document.name(node) {
            FALLBACK => nodes.skip_below(node),
            TXBX_CONTENT => {
                found.push(node);
                nodes.skip_below(node);
            }
            _ => {}
        }
    }
    found
}

/// Ends one revision and begins another in the text.
fn turn(out: &mut StyledText, from: Option<usize>, to: Option<usize>) {
    if from == to {
        return;
    }
    let sign = |at: usize| REVISION_SIGNS.get(at).map_or(String::new(), |(sign, _)| sign.to_string());
    if let Some(from) = from {
        out.append(literal(&sign(from + 1)));
    }
    if let Some(to) = to {
        out.append(literal(&sign(to)));
    }
}

/// A complex field under way.
struct FieldCode {
    code: String,
    in_result: bool,
}

fn follow_field(document: &Document, leaf: NodeId, codes: &mut Vec<FieldCode>) {
    match document.name(leaf) {
        FLD_CHAR => match document.attribute(leaf, FLD_CHAR_TYPE).as_deref() {
            Some("begin") => codes.push(FieldCode { code: String::new(), in_result: false }),
            Some("separate") => {
                if let Some(field) = codes.last_mut() {
                    field.in_result = true;
                }
            }
            Some("end") => {
                codes.pop();
            }
            _ => {}
        },
        INSTR_TEXT => {
            if let Some(field) = codes.last_mut() {
                field.code.push_str(&document.element_text(leaf));
            }
        }
        _ => {}
    }
}

/// Where a `HYPERLINK` field leads (ISO/IEC 29500-1 §17.16.5.25).
fn hyperlink_of(code: &str) -> Option<LinkDestination> {
    let rest = code.trim().strip_prefix("HYPERLINK")?;
    let mut anchor = false;
    let mut target = None;
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        match word {
            "\\l" => anchor = true,
            word if word.starts_with('\\') => {}
            word if target.is_none() || anchor => {
                let is_first = target.is_none();
                if anchor && is_first {
                    return Some(LinkDestination::Anchor(word.to_owned()));
                }
                target = target.or(Some(word.to_owned()));
            }
            _ => {}
        }
        rest = after.trim_start();
    }
    target.map(LinkDestination::Url)
}

/// The words of a heading as links name them: small letters, `-` for spaces, no other signs.
pub(crate) fn slug(text: &str) -> String {
    let kept = text.trim().chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}
