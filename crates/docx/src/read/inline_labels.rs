//! The text of a paragraph as readers see it: fields, links, content controls and pictures are labelled with what they are.
//!
//! `⟦ref _Ref12 → P85 "clause 9"⟧` shows what a field refers to beside what it says. Quoted back, a label means the text that it
//! shows (`labels`). Must never label half of anything: what goes beyond its paragraph, or is changed in part, is plain text.

use std::collections::HashMap;
use std::ops::Range;

use engross_xml::{Document, NodeId};

use crate::model::{Atom, AtomKind, Control, Paragraph, View, alternative_text, pictures};
use crate::names::{
    ALTERNATE_CONTENT, ANCHOR, DEL, DEL_INSTR_TEXT, DRAWING, FLD_CHAR, FLD_CHAR_TYPE, FLD_SIMPLE, HYPERLINK,
    INS, INSTR, INSTR_TEXT, M_T, P, PICT, R_ID, RUBY, SDT, SYM, T,
};
use crate::read::labels::{kind_label, object_label, shown, with_quotes};

/// What labels tell beyond the story's own tree.
#[derive(Clone, Copy)]
pub(crate) struct LabelSources<'a> {
    /// The address of the paragraph in which a bookmark begins.
    pub(crate) bookmark: &'a dyn Fn(&str) -> Option<String>,
    /// Where a relationship of the story's part leads.
    pub(crate) address: &'a dyn Fn(&str) -> Option<String>,
    /// The number of a content control among those of the document.
    pub(crate) control: &'a dyn Fn(NodeId) -> Option<usize>,
}

/// Labels the texts of one story.
pub(crate) struct Labeller<'a> {
    document: &'a Document,
    view: View,
    sources: Option<LabelSources<'a>>,
    /// The pictures of the story by their numbers.
    pictures: HashMap<NodeId, usize>,
}

/// What a stretch of text belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    /// A complex field, by its place among those of the paragraph.
    Field(usize),
    /// A simple field, a link or a content control.
    Element(NodeId),
}

/// A complex field that begins and ends in the paragraph, in no other.
#[derive(Debug, Clone)]
struct InlineField {
    /// The places of its ends among the atoms.
    atoms: Range<usize>,
    code: String,
}

impl<'a> Labeller<'a> {
    pub(crate) fn new(
        document: &'a Document,
        root: NodeId,
        view: View,
        sources: Option<LabelSources<'a>>,
    ) -> Self {
        let pictures = if sources.is_some() { pictures(document, root) } else { Vec::new() };
        let pictures = pictures.into_iter().enumerate().map(|(at, node)| (node, at + 1)).collect();
        Self { document, view, sources, pictures }
    }

    /// The text of a paragraph. `inside` says whether it begins in a field: then it is one of many lines of a result. The markup
    /// view tells insertions and deletions as CriticMarkup does.
    pub(crate) fn text(&self, paragraph: &Paragraph, inside: bool) -> String {
        let inside = inside || self.sources.is_none();
        let fields = if inside { Vec::new() } else { self.fields(paragraph) };
        let mut out = String::with_capacity(paragraph.text.len() + 8);
        let mut state = ChangeKind::None;
        let mut at = 0;
        while let Some(atom) = paragraph.atoms.get(at) {
            if let Some(field) = fields.iter().find(|field| field.atoms.end == at)
                && self.is_empty_here(paragraph, field)
            {
                out.push_str(&self.field_label(&field.code, ""));
            }
            if !atom.visible {
                at += 1;
                continue;
            }
            let now = self.change_of(atom);
            if now != state {
                out.push_str(state.end());
                out.push_str(now.start());
                state = now;
            }
            match if inside { None } else { self.whole(paragraph, at, &fields) } {
                Some((owner, end)) => {
                    let own = paragraph.atoms.get(at..end).unwrap_or_default().iter();
                    let inner: String =
                        own.filter(|atom| atom.visible).map(|atom| self.atom(atom, paragraph)).collect();
                    out.push_str(&self.owner_label(&owner, &fields, &inner));
                    at = end;
                }
                None => {
                    out.push_str(&self.atom(atom, paragraph));
                    at += 1;
                }
            }
        }
        out.push_str(state.end());
        out
    }

    /// What the text from an atom on belongs to, and the atom behind it; nothing where only a part of it is changed.
    fn whole(&self, paragraph: &Paragraph, at: usize, fields: &[InlineField]) -> Option<(Owner, usize)> {
        let first = paragraph.atoms.get(at)?;
        let owner = self.owner(first, at, fields)?;
        let mut end = paragraph.atoms.len();
        for (place, atom) in paragraph.atoms.iter().enumerate().skip(at).filter(|(_, atom)| atom.visible) {
            if self.owner(atom, place, fields).as_ref() != Some(&owner) {
                end = place;
                break;
            }
            if self.change_of(atom) != self.change_of(first) {
                return None;
            }
        }
        Some((owner, end))
    }

    fn change_of(&self, atom: &Atom) -> ChangeKind {
        match (self.view, &atom.deleted, &atom.inserted) {
            (View::Markup, Some(_), _) => ChangeKind::Deleted,
            (View::Markup, None, Some(_)) => ChangeKind::Inserted,
            _ => ChangeKind::None,
        }
    }

    /// The complex fields that begin and end in a paragraph, without those in others.
    fn fields(&self, paragraph: &Paragraph) -> Vec<InlineField> {
        let mut open: Vec<(usize, String, bool)> = Vec::new();
        let mut found = Vec::new();
        for (at, atom) in paragraph.atoms.iter().enumerate() {
            match self.document.name(atom.node) {
                FLD_CHAR => match self.document.attribute(atom.node, FLD_CHAR_TYPE).as_deref() {
                    Some("begin") => open.push((at, String::new(), false)),
                    Some("separate") => {
                        if let Some(field) = open.last_mut() {
                            field.2 = true;
                        }
                    }
                    Some("end") => {
                        let field = open.pop();
                        if let (Some((first, code, _)), true) = (field, open.is_empty()) {
                            found.push(InlineField { atoms: first..at, code });
                        }
                    }
                    _ => {}
                },
                INSTR_TEXT | DEL_INSTR_TEXT => {
                    if let Some(field) = open.last_mut().filter(|field| !field.2) {
                        field.1.push_str(&self.document.element_text(atom.node));
                    }
                }
                _ => {}
            }
        }
        // One that stays open makes all that is behind its beginning part of it.
        let first_open = open.first().map_or(usize::MAX, |(at, ..)| *at);
        found.retain(|field: &InlineField| field.atoms.end < first_open);
        found
    }

    /// Whether a field of the view shows nothing.
    fn is_empty_here(&self, paragraph: &Paragraph, field: &InlineField) -> bool {
        let atoms = paragraph.atoms.get(field.atoms.clone()).unwrap_or_default();
        let gone = |atom: &Atom| match self.view {
            View::Original => atom.inserted.is_some(),
            View::Accepted => atom.deleted.is_some(),
            View::Markup | View::Before(_) => false,
        };
        !atoms.iter().any(|atom| atom.visible) && !atoms.first().is_none_or(gone)
    }

    fn owner(&self, atom: &Atom, at: usize, fields: &[InlineField]) -> Option<Owner> {
        let document = self.document;
        let around = document.ancestors(atom.run).take_while(|above| document.name(*above) != P);
        let element =
            around.filter(|above| matches!(document.name(*above), FLD_SIMPLE | HYPERLINK | SDT)).last();
        let is_control = element.is_some_and(|node| document.name(node) == SDT);
        let field = fields.iter().position(|field| field.atoms.contains(&at));
        match (field, element) {
            (_, Some(node)) if is_control => Some(Owner::Element(node)),
            (Some(field), _) => Some(Owner::Field(field)),
            (None, element) => element.map(Owner::Element),
        }
    }

    fn owner_label(&self, owner: &Owner, fields: &[InlineField], inner: &str) -> String {
        // A label in a label would end it.
        if inner.contains(['⟦', '⟧']) {
            return inner.to_owned();
        }
        let document = self.document;
        let node = match owner {
            Owner::Field(at) => {
                return fields
                    .get(*at)
                    .map_or_else(String::new, |field| self.field_label(&field.code, inner));
            }
            Owner::Element(node) => *node,
        };
        let attribute = |name| document.attribute(node, name).map(std::borrow::Cow::into_owned);
        match document.name(node) {
            FLD_SIMPLE => self.field_label(&attribute(INSTR).unwrap_or_default(), inner),
            HYPERLINK => {
                let address = attribute(R_ID).and_then(|id| (self.sources?.address)(&id));
                match (address, attribute(ANCHOR)) {
                    (Some(address), _) => with_quotes(&format!("link {address}"), inner),
                    (None, Some(anchor)) => {
                        with_quotes(&format!("link #{anchor}{}", self.leads_to(&anchor)), inner)
                    }
                    (None, None) => inner.to_owned(),
                }
            }
            _ => match self.sources.and_then(|sources| (sources.control)(node)) {
                Some(number) => {
                    let control = Control::of(document, node);
                    let prompt = if control.is_placeholder() { " prompt" } else { "" };
                    with_quotes(&format!("control:{number} {}{prompt}", control.kind().as_str()), inner)
                }
                None => inner.to_owned(),
            },
        }
    }

    fn field_label(&self, code: &str, inner: &str) -> String {
        let mut words = code.split_whitespace();
        let name = words.next().unwrap_or("field");
        let argument = words.find(|word| !word.starts_with('\\')).unwrap_or_default().trim_matches('"');
        match (name.to_ascii_uppercase().as_str(), argument) {
            ("HYPERLINK", "") => inner.to_owned(),
            ("HYPERLINK", address) => match code.contains("\\l") && !address.contains(':') {
                true => with_quotes(&format!("link #{address}{}", self.leads_to(address)), inner),
                false => with_quotes(&format!("link {address}"), inner),
            },
            (kind @ ("REF" | "PAGEREF" | "NOTEREF"), argument) if !argument.is_empty() => {
                with_quotes(&format!("{} {argument}{}", kind.to_lowercase(), self.leads_to(argument)), inner)
            }
            (kind @ ("SEQ" | "STYLEREF" | "DOCPROPERTY" | "MERGEFIELD"), argument)
                if !argument.is_empty() =>
            {
                with_quotes(&format!("field {kind} {argument}"), inner)
            }
            (kind, _) => with_quotes(&format!("field {kind}"), inner),
        }
    }

    fn leads_to(&self, bookmark: &str) -> String {
        let place = self.sources.and_then(|sources| (sources.bookmark)(bookmark));
        place.map_or_else(|| " → nowhere".to_owned(), |address| format!(" → {address}"))
    }

    fn atom(&self, atom: &Atom, paragraph: &Paragraph) -> String {
        let document = self.document;
        let text = paragraph.text.get(atom.range.clone()).unwrap_or_default();
        if atom.kind != AtomKind::Object {
            return shown(document, atom, text);
        }
        if self.sources.is_none() {
            return kind_label(document, atom);
        }
        match document.name(atom.node) {
            DRAWING | PICT | ALTERNATE_CONTENT => {
                let known = |node: NodeId| self.pictures.get(&node).map(|number| (node, *number));
                match document.descendants(atom.node).find_map(known) {
                    Some((node, number)) => {
                        let words: String = alternative_text(document, node).chars().take(80).collect();
                        match words.is_empty() {
                            true => format!("⟦image:{number}⟧"),
                            false => {
                                with_quotes(&format!("image:{number}"), &words.replace(['\n', '\r'], " "))
                            }
                        }
                    }
                    None => object_label(document, atom),
                }
            }
            SYM => {
                let code = document.attribute(atom.node, crate::names::W_CHAR);
                code.map_or_else(|| object_label(document, atom), |code| with_quotes("symbol", &code))
            }
            RUBY => {
                let base: String = texts_below(document, atom.node, crate::names::RUBY_BASE);
                let above: String = texts_below(document, atom.node, crate::names::RT);
                with_quotes("ruby", &format!("{base}/{above}"))
            }
            crate::names::O_MATH | crate::names::O_MATH_PARA => {
                let words: String =
                    texts_of_equation(document, atom.node, self.view).chars().take(120).collect();
                if words.is_empty() { object_label(document, atom) } else { with_quotes("equation", &words) }
            }
            _ => object_label(document, atom),
        }
    }
}

fn texts_below(document: &Document, node: NodeId, name: engross_xml::QName) -> String {
    let part = document.descendants(node).find(|below| document.name(*below) == name);
    let texts = part.into_iter().flat_map(|part| document.descendants(part));
    texts.filter(|below| document.name(*below) == T).map(|text| document.element_text(text)).collect()
}

/// The text of an equation without what the view does not show.
fn texts_of_equation(document: &Document, node: NodeId, view: View) -> String {
    let mut out = String::new();
    let mut nodes = document.descendants(node);
    while let Some(below) = nodes.next() {
        match document.name(below) {
            DEL if view == View::Accepted => nodes.skip_below(below),
            INS if view == View::Original => nodes.skip_below(below),
            M_T => out.push_str(&document.element_text(below)),
            _ => {}
        }
    }
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ChangeKind {
    None,
    Inserted,
    Deleted,
}

impl ChangeKind {
    fn start(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Inserted => "{++",
            Self::Deleted => "{--",
        }
    }

    fn end(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Inserted => "++}",
            Self::Deleted => "--}",
        }
    }
}
