//! Writes new inline content as insertions: text, links, marks of notes, pictures.
//!
//! A link holds its insertion, since an insertion cannot hold a link (CT_RunTrackChange, ISO/IEC 29500-1 Annex A.1); rejected,
//! nothing is left of either. What an object needs beside the story goes to `pending_parts`.

use engross_xml::{NodeId, QName};

use crate::edit::built_in::BuiltInStyle;
use crate::edit::content::Piece;
use crate::edit::pending_parts::NoteContent;
use crate::edit::properties::set_property;
use crate::edit::revision_writer::{RevisionWriter, new_run};
use crate::names::{
    A, A_AV_LST, A_BLIP, A_EXT, A_FILL_RECT, A_GRAPHIC, A_GRAPHIC_DATA, A_OFF, A_PRST_GEOM, A_STRETCH,
    A_XFRM, ANCHOR, DOC_PR, DRAWING, ENDNOTE_REFERENCE, FOOTNOTE_REFERENCE, HYPERLINK, ID, INS, N_CX, N_CY,
    N_DESCR, N_LOWER_ID, N_NAME, N_PRST, N_URI, N_X, N_Y, PIC, PIC_BLIP_FILL, PIC_C_NV_PIC_PR, PIC_C_NV_PR,
    PIC_NV_PIC_PR, PIC_PIC, PIC_SP_PR, R, R_EMBED, R_ID, R_PR, R_STYLE, RUN, VAL, WP, WP_EXTENT, WP_INLINE,
};
use crate::text::{Image, InlineObject, LinkDestination, NoteKind, StyledText};

const RELATIONSHIPS_URI: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING_URI: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";
const PICTURE_URI: &str = "http://schemas.openxmlformats.org/drawingml/2006/picture";
const PLACED_URI: &str = "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing";

impl RevisionWriter<'_> {
    /// Insertions holding `pieces`, with run properties copied from `like`.
    pub(crate) fn inserted_runs(&mut self, pieces: &[Piece], like: Option<NodeId>) -> Vec<NodeId> {
        let mut written = Vec::new();
        let mut open: Option<(Option<LinkDestination>, NodeId)> = None;
        for piece in pieces {
            let insertion = match &open {
                Some((link, insertion)) if *link == piece.link => *insertion,
                _ => {
                    let insertion = self.revision(INS);
                    match &piece.link {
                        Some(target @ (LinkDestination::Url(_) | LinkDestination::Anchor(_))) => {
                            let link = self.link(target);
                            self.document.append(link, insertion);
                            written.push(link);
                        }
                        Some(LinkDestination::Nowhere) | None => written.push(insertion),
                    }
                    open = Some((piece.link.clone(), insertion));
                    insertion
                }
            };
            let run = self.inserted_run(piece, like);
            self.document.append(insertion, run);
        }
        written
    }

    fn inserted_run(&mut self, piece: &Piece, like: Option<NodeId>) -> NodeId {
        match &piece.object {
            Some(InlineObject::Note(kind, content)) => self.note_mark(*kind, content, like),
            Some(InlineObject::Image(image)) => {
                let run = self.document.new_element(RUN);
                let drawing = self.drawing(image);
                self.document.append(run, drawing);
                run
            }
            None => {
                let properties = self.run_properties(like, piece.marks);
                let properties = match &piece.link {
                    None => properties,
                    Some(LinkDestination::Nowhere) => self.unlinked(properties),
                    Some(_) => Some(self.styled(properties, BuiltInStyle::Hyperlink)),
                };
                new_run(self.document, properties, &piece.text)
            }
        }
    }

    /// Run properties with a built-in character style.
    fn styled(&mut self, properties: Option<NodeId>, style: BuiltInStyle) -> NodeId {
        let id = self.pending.style(self.styles, style);
        let properties = properties.unwrap_or_else(|| self.document.new_element(R_PR));
        set_property(self.document, properties, R_STYLE, &[(VAL, id.as_str())]);
        properties
    }

    /// Run properties without the style of links; none where nothing else is in them.
    fn unlinked(&mut self, properties: Option<NodeId>) -> Option<NodeId> {
        let properties = properties?;
        let link = BuiltInStyle::Hyperlink.find(self.styles);
        if let Some(style) = self.document.child(properties, R_STYLE)
            && self.document.attribute(style, VAL).as_deref() == link
        {
            self.document.detach(style);
        }
        self.document.first_child(properties).map(|_| properties)
    }

    /// An empty link.
    fn link(&mut self, target: &LinkDestination) -> NodeId {
        let link = self.document.new_element(HYPERLINK);
        match target {
            LinkDestination::Url(address) => {
                let id = self.pending.relationship("hyperlink", address, true);
                self.document.ensure_prefix(R, "r", RELATIONSHIPS_URI);
                self.document.set_attribute(link, R_ID, &id);
            }
            LinkDestination::Anchor(name) => self.document.set_attribute(link, ANCHOR, name),
            LinkDestination::Nowhere => {}
        }
        link
    }

    /// The run with the mark of a new note.
    fn note_mark(&mut self, kind: NoteKind, content: &[StyledText], like: Option<NodeId>) -> NodeId {
        let id = self.pending.note(kind, NoteContent::Text(content.to_vec()));
        let (name, text, mark) = match kind {
            NoteKind::Footnote => {
                (FOOTNOTE_REFERENCE, BuiltInStyle::FootnoteText, BuiltInStyle::FootnoteReference)
            }
            NoteKind::Endnote => {
                (ENDNOTE_REFERENCE, BuiltInStyle::EndnoteText, BuiltInStyle::EndnoteReference)
            }
        };
        self.pending.style(self.styles, text);
        let run = self.document.new_element(RUN);
        let properties = self.run_properties(like, crate::text::Marks::default());
        let properties = self.styled(properties, mark);
        self.document.append(run, properties);
        let reference = self.document.new_element(name);
        self.document.set_attribute(reference, ID, &id.to_string());
        self.document.append(run, reference);
        run
    }

    /// A picture in the line (ISO/IEC 29500-1 §20.4.2.8).
    fn drawing(&mut self, image: &Image) -> NodeId {
        for (group, prefix, uri) in [
            (WP, "wp", PLACED_URI),
            (A, "a", DRAWING_URI),
            (PIC, "pic", PICTURE_URI),
            (R, "r", RELATIONSHIPS_URI),
        ] {
            self.document.ensure_prefix(group, prefix, uri);
        }
        let embedded = self.embedded(image);
        let number = self.pending.next_drawing;
        self.pending.next_drawing += 1;
        let (id, name) = (number.to_string(), format!("Picture {number}"));
        if let Some(like) = image.like.and_then(|like| self.pending.copies.get(like).copied()) {
            return self.changed_copy(like, image, &id, embedded.as_deref());
        }
        let embedded = embedded.unwrap_or_default();
        let length = |length: Option<u64>| length.unwrap_or(914_400).to_string();
        let (width, height) = (length(image.size.0), length(image.size.1));
        let drawing = self.document.new_element(DRAWING);
        let inline = self.within(drawing, WP_INLINE, &[]);
        self.within(inline, WP_EXTENT, &[(N_CX, &width), (N_CY, &height)]);
        let description = [(N_LOWER_ID, id.as_str()), (N_NAME, &name), (N_DESCR, &image.alternative)];
        self.within(inline, DOC_PR, &description);
        let graphic = self.within(inline, A_GRAPHIC, &[]);
        let data = self.within(graphic, A_GRAPHIC_DATA, &[(N_URI, PICTURE_URI)]);
        let picture = self.within(data, PIC_PIC, &[]);
        let about = self.within(picture, PIC_NV_PIC_PR, &[]);
        self.within(about, PIC_C_NV_PR, &[(N_LOWER_ID, &id), (N_NAME, &name)]);
        self.within(about, PIC_C_NV_PIC_PR, &[]);
        let fill = self.within(picture, PIC_BLIP_FILL, &[]);
        self.within(fill, A_BLIP, &[(R_EMBED, &embedded)]);
        let stretch = self.within(fill, A_STRETCH, &[]);
        self.within(stretch, A_FILL_RECT, &[]);
        let shape = self.within(picture, PIC_SP_PR, &[]);
        let placed = self.within(shape, A_XFRM, &[]);
        self.within(placed, A_OFF, &[(N_X, "0"), (N_Y, "0")]);
        self.within(placed, A_EXT, &[(N_CX, &width), (N_CY, &height)]);
        let form = self.within(shape, A_PRST_GEOM, &[(N_PRST, "rect")]);
        self.within(form, A_AV_LST, &[]);
        drawing
    }

    /// The relationship to a picture's file; none where its file stays.
    fn embedded(&mut self, image: &Image) -> Option<String> {
        let medium = self.pending.media.iter().find(|medium| medium.source == image.source)?;
        let target = medium.name.clone();
        Some(self.pending.relationship("image", &target, false))
    }

    /// A copy of a drawing with another id, and what else of it is given.
    fn changed_copy(&mut self, like: NodeId, image: &Image, id: &str, embedded: Option<&str>) -> NodeId {
        let drawing = self.document.copy(like);
        let nodes: Vec<NodeId> = self.document.descendants(drawing).collect();
        for node in nodes {
            let name = self.document.name(node);
            let is_extent =
                name == WP_EXTENT || name == A_EXT && self.document.attribute(node, N_CX).is_some();
            match name {
                DOC_PR => {
                    self.document.set_attribute(node, N_LOWER_ID, id);
                    self.document.set_attribute(node, N_DESCR, &image.alternative);
                }
                A_BLIP => {
                    if let Some(embedded) = embedded {
                        self.document.set_attribute(node, R_EMBED, embedded);
                    }
                }
                _ if is_extent => {
                    for (name, length) in [(N_CX, image.size.0), (N_CY, image.size.1)] {
                        if let Some(length) = length {
                            self.document.set_attribute(node, name, &length.to_string());
                        }
                    }
                }
                _ => {}
            }
        }
        drawing
    }

    fn within(&mut self, parent: NodeId, name: QName, attributes: &[(QName, &str)]) -> NodeId {
        let node = self.document.new_element(name);
        for (name, value) in attributes {
            self.document.set_attribute(node, *name, value);
        }
        self.document.append(parent, node);
        node
    }
}
