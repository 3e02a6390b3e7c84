//! What new content needs in parts beside the story: notes, pictures, links and styles.
//!
//! They are not tracked: without what a revision puts into the story they show nowhere.

use std::collections::BTreeMap;

use engross_xml::{Document, NodeId, QName};

use super::WordDocument;
use super::new_parts::{ENDNOTES_PART, FOOTNOTES_PART, STYLES_PART};
use crate::edit::{
    BuiltInStyle, CurrentPart, Ids, NewNote, NoteContent, PendingParts, note_order, pieces, place_note,
    write_pieces,
};
use crate::error::Error;
use crate::model::{is_range_marker, is_revision_wrapper};
use crate::names::{
    CONTINUATION_SEPARATOR, ENDNOTE, ENDNOTE_REF, FOOTNOTE, FOOTNOTE_REF, HYPERLINK, ID, N_LOWER_ID, P, P_PR,
    P_STYLE, PARA_ID, R, R_ID, R_PR, R_STYLE, RUN, SEPARATOR, SPACING, TYPE, VAL,
};
use crate::parts::{highest_referenced_notes, relationships};
use crate::revisions::is_property_change;
use crate::styles::Styles;
use crate::text::{LinkDestination, NoteKind, StyledText};

const RELATIONSHIPS_URI: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

impl WordDocument {
    /// What a batch must know before it adds notes and pictures.
    pub(super) fn prepare_content(&self, pending: &mut PendingParts) -> Result<(), Error> {
        let [footnotes, endnotes] = highest_referenced_notes(&self.tree);
        let next = |kind: &str, element: QName, referenced: i64| -> Result<i64, Error> {
            let Some(part) = self.related(kind)? else { return Ok(referenced + 1) };
            let notes = part.children(part.root()).filter(|node| part.name(*node) == element);
            let ids = notes.filter_map(|node| part.attribute(node, ID)?.trim().parse::<i64>().ok());
            Ok(ids.max().unwrap_or(0).max(referenced) + 1)
        };
        pending.next_note = [next("footnotes", FOOTNOTE, footnotes)?, next("endnotes", ENDNOTE, endnotes)?];
        pending.names = self.package.names().map(str::to_owned).collect();
        let drawings = self.tree.descendants(self.tree.root());
        let drawings = drawings.filter(|node| {
            let name = self.tree.name(*node);
            name == crate::names::DOC_PR && self.tree.namespace_uri(name).ends_with("wordprocessingDrawing")
        });
        let ids =
            drawings.filter_map(|node| self.tree.attribute(node, N_LOWER_ID)?.trim().parse::<u32>().ok());
        pending.next_drawing = ids.filter(|id| *id < 1 << 30).max().unwrap_or(0) + 1;
        Ok(())
    }

    /// The part of a story, as far as its relationships go.
    pub(super) fn current_part(&self, name: &str) -> Result<CurrentPart, Error> {
        let relationships = match name == self.main_name {
            true => self.relationships.clone(),
            false => relationships(&self.package, name, &self.limits.xml)?,
        };
        Ok(CurrentPart { name: name.to_owned(), relationships })
    }

    /// The files of pictures, of those parts that can be read; what cannot is told in `warnings`.
    pub(crate) fn picture_files(
        &self,
        parts: BTreeMap<String, String>,
        warnings: &mut Vec<String>,
    ) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        for (name, part) in parts {
            match self.package.part(&part) {
                Ok(bytes) => {
                    files.insert(name, bytes.into_owned());
                }
                Err(_) => warnings.push(format!("the picture '{name}' is missing in the document")),
            }
        }
        files
    }

    /// Writes what a batch added for its content.
    pub(super) fn write_content_parts(&mut self, pending: &mut PendingParts) -> Result<(), Error> {
        self.write_styles(&pending.styles)?;
        for medium in &pending.media {
            // A picture whose operation was taken back leaves nothing.
            if !pending.relationships.iter().any(|new| new.target == medium.name) {
                continue;
            }
            self.package.set_part(&medium.name, medium.bytes.clone());
            let (extension, kind) = (medium.kind.extension(), medium.kind.content_type());
            crate::parts::declare_extension(&mut self.package, extension, kind, &self.limits.xml)?;
        }
        for kind in [NoteKind::Footnote, NoteKind::Endnote] {
            let notes: Vec<NewNote> =
                pending.notes.iter().filter(|note| note.kind == kind).cloned().collect();
            self.write_notes(kind, &notes, pending)?;
        }
        for new in &pending.relationships {
            self.relate_part(new)?;
        }
        Ok(())
    }

    fn write_notes(
        &mut self,
        kind: NoteKind,
        notes: &[NewNote],
        pending: &mut PendingParts,
    ) -> Result<(), Error> {
        let Some(first) = notes.first() else { return Ok(()) };
        let (part_kind, element, mark, slot) = match kind {
            NoteKind::Footnote => (FOOTNOTES_PART, FOOTNOTE, FOOTNOTE_REF, 0),
            NoteKind::Endnote => (ENDNOTES_PART, ENDNOTE, ENDNOTE_REF, 1),
        };
        let is_new = self.related_name(part_kind.relationship).is_none();
        let part = self.part_of_kind(part_kind)?;
        self.mend_type(&part, part_kind)?;
        if let Some(ignored) = self.ignored.notes.get_mut(slot) {
            ignored.from = Some(ignored.from.unwrap_or(first.id).min(first.id));
        }
        let (text, reference) = match kind {
            NoteKind::Footnote => (BuiltInStyle::FootnoteText, BuiltInStyle::FootnoteReference),
            NoteKind::Endnote => (BuiltInStyle::EndnoteText, BuiltInStyle::EndnoteReference),
        };
        let styles = [text, reference].map(|style| style.find(&self.styles).map(str::to_owned));
        let link = BuiltInStyle::Hyperlink.find(&self.styles).map(str::to_owned);
        pending.part = self.current_part(&part)?;
        let mut ids = self.ids.clone();
        let order = note_order(&self.tree, matches!(kind, NoteKind::Footnote));
        if is_new {
            let tree = self.load_mut(&part)?;
            write_separators(tree, element);
            // What later edits of the notes are proven against.
            let written = tree.write();
            self.package.set_part(&part, written);
        }
        let tree = self.load_mut(&part)?;
        for note in notes {
            let texts = match &note.content {
                NoteContent::Text(texts) => texts,
                NoteContent::CopyOf(id) => {
                    if let Some(copy) = copy_of_note(tree, element, *id) {
                        tree.set_attribute(copy, ID, &note.id.to_string());
                        renumber_revisions(tree, copy, &mut ids);
                        place_note(tree, copy, &order);
                    }
                    continue;
                }
            };
            let node = tree.new_element(element);
            tree.set_attribute(node, ID, &note.id.to_string());
            for (number, content) in texts.iter().enumerate() {
                let paragraph = paragraph_of_style(tree, styles.first().and_then(Option::as_deref));
                if number == 0 {
                    let run = run_of_style(tree, styles.get(1).and_then(Option::as_deref));
                    let own = tree.new_element(mark);
                    tree.append(run, own);
                    tree.append(paragraph, run);
                    write_pieces(tree, paragraph, &crate::text::literal(" "));
                }
                write_linked(tree, paragraph, content, pending, link.as_deref());
                tree.append(node, paragraph);
            }
            place_note(tree, node, &order);
        }
        self.ids = ids;
        self.touched.insert(part);
        Ok(())
    }

    /// Adds built-in styles to the styles part.
    fn write_styles(&mut self, styles: &[BuiltInStyle]) -> Result<(), Error> {
        if styles.is_empty() {
            return Ok(());
        }
        let part = self.part_of_kind(STYLES_PART)?;
        let base = self.styles.default_paragraph().map(str::to_owned);
        let new: Vec<(BuiltInStyle, String)> =
            styles.iter().map(|style| (*style, style.free_id(&self.styles))).collect();
        let tree = self.load_mut(&part)?;
        for (style, id) in new {
            super::style_xml::append_style(tree, style, &id, base.as_deref());
        }
        let styles = Styles::parse(Some(tree));
        self.styles = styles;
        self.touched.insert(part);
        Ok(())
    }
}

/// A copy of a note, without what only one element may have.
fn copy_of_note(tree: &mut Document, element: QName, id: i64) -> Option<NodeId> {
    let is_it = |node: &NodeId| {
        let own = tree.attribute(*node, ID).and_then(|own| own.trim().parse::<i64>().ok());
        tree.name(*node) == element && own == Some(id)
    };
    let note = tree.children(tree.root()).find(is_it)?;
    let copy = tree.copy(note);
    let below: Vec<NodeId> = tree.descendants(copy).collect();
    for node in below {
        match tree.name(node) {
            P => {
                tree.remove_attribute(node, PARA_ID);
            }
            name if is_range_marker(name) => tree.detach(node),
            _ => {}
        }
    }
    Some(copy)
}

/// Gives revisions in a copy ids of their own.
fn renumber_revisions(tree: &mut Document, copy: NodeId, ids: &mut Ids) {
    let is_revision = |name| is_revision_wrapper(name) || is_property_change(name);
    let below: Vec<NodeId> = tree.descendants(copy).filter(|node| is_revision(tree.name(*node))).collect();
    for node in below {
        tree.set_attribute(node, ID, &ids.take().to_string());
    }
}

/// The two notes that every part of notes begins with: the lines above notes (ISO/IEC 29500-1 §17.11.23).
fn write_separators(tree: &mut Document, element: QName) {
    let notes = [("separator", "-1", SEPARATOR), ("continuationSeparator", "0", CONTINUATION_SEPARATOR)];
    for (kind, id, mark) in notes {
        let node = tree.new_element(element);
        tree.set_attribute(node, TYPE, kind);
        tree.set_attribute(node, ID, id);
        let paragraph = tree.new_element(P);
        let properties = tree.new_element(P_PR);
        let spacing = tree.new_element(SPACING);
        for (name, value) in
            [(crate::names::AFTER, "0"), (crate::names::LINE, "240"), (crate::names::LINE_RULE, "auto")]
        {
            tree.set_attribute(spacing, name, value);
        }
        tree.append(properties, spacing);
        tree.append(paragraph, properties);
        let run = tree.new_element(RUN);
        let line = tree.new_element(mark);
        tree.append(run, line);
        tree.append(paragraph, run);
        tree.append(node, paragraph);
        let root = tree.root();
        tree.append(root, node);
    }
}

fn paragraph_of_style(tree: &mut Document, style: Option<&str>) -> NodeId {
    let paragraph = tree.new_element(P);
    if let Some(style) = style {
        let properties = tree.new_element(P_PR);
        let reference = tree.new_element(P_STYLE);
        tree.set_attribute(reference, VAL, style);
        tree.append(properties, reference);
        tree.append(paragraph, properties);
    }
    paragraph
}

fn run_of_style(tree: &mut Document, style: Option<&str>) -> NodeId {
    let run = tree.new_element(RUN);
    if let Some(style) = style {
        let properties = tree.new_element(R_PR);
        let reference = tree.new_element(R_STYLE);
        tree.set_attribute(reference, VAL, style);
        tree.append(properties, reference);
        tree.append(run, properties);
    }
    run
}

/// Writes a text with its links at the end of a paragraph of a note.
fn write_linked(
    tree: &mut Document,
    paragraph: NodeId,
    content: &StyledText,
    pending: &mut PendingParts,
    style: Option<&str>,
) {
    let mut at = 0;
    for piece in pieces(content) {
        let own = content.slice(at..at + piece.text.len());
        at += piece.text.len();
        let Some(target) = piece.link else {
            write_pieces(tree, paragraph, &own);
            continue;
        };
        let link = tree.new_element(HYPERLINK);
        match target {
            LinkDestination::Url(address) => {
                tree.ensure_prefix(R, "r", RELATIONSHIPS_URI);
                let id = pending.relationship("hyperlink", &address, true);
                tree.set_attribute(link, R_ID, &id);
            }
            LinkDestination::Anchor(name) => tree.set_attribute(link, crate::names::ANCHOR, &name),
            LinkDestination::Nowhere => {}
        }
        let words = StyledText { links: Vec::new(), ..own };
        write_pieces(tree, link, &words);
        let runs: Vec<NodeId> = tree.children(link).collect();
        for run in runs {
            let properties = tree.child(run, R_PR).unwrap_or_else(|| {
                let properties = tree.new_element(R_PR);
                tree.prepend(run, properties);
                properties
            });
            if let Some(style) = style {
                let reference = tree.new_element(R_STYLE);
                tree.set_attribute(reference, VAL, style);
                tree.prepend(properties, reference);
            }
        }
        tree.append(paragraph, link);
    }
}
