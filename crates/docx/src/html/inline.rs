//! What stands in a paragraph: text with its formatting, links, fields, content controls and revisions.

use engross_xml::{NodeId, NodeKind, QName};

use super::line::Line;
use super::links::is_safe;
use super::markup::{DEEPEST, Wrapper, attribute, short, short_attribute};
use super::story::follow_comments;
use super::writer::StoryWriter;
use crate::model::{View, effective_text, is_range_marker};
use crate::names::{
    ALTERNATE_CONTENT, ANCHOR, BDO, BR, COMMENT_REFERENCE, CONTENT_PART, CR, CUSTOM_XML,
    CUSTOM_XML_DEL_RANGE_START, CUSTOM_XML_INS_RANGE_START, DEL, DEL_INSTR_TEXT, DEL_TEXT, DIR, DRAWING,
    ENDNOTE_REF, ENDNOTE_REFERENCE, FLD_CHAR, FLD_SIMPLE, FOOTNOTE_REF, FOOTNOTE_REFERENCE, HYPERLINK, ID,
    INS, INSTR, INSTR_TEXT, MOVE_FROM, MOVE_TO, NO_BREAK_HYPHEN, O_MATH, O_MATH_PARA, OBJECT, P_PR, PICT,
    PTAB, R_ID, R_PR, R_PR_CHANGE, RUBY, RUN, SDT, SDT_CONTENT, SDT_PR, SMART_TAG, SOFT_HYPHEN, SUB_DOC, SYM,
    T, TAB, TYPE, VAL,
};
use crate::references::Instruction;
use crate::revisions::RevisionKind;

/// Longest field instruction that is read for a link, in bytes.
const LONGEST_CODE: usize = 4_000;

impl StoryWriter<'_, '_> {
    // Depth is bounded by the XML parser's limit.
    /// Writes what stands below `parent`; `shown` says whether the view shows it.
    pub(super) fn inline(&mut self, parent: NodeId, shown: bool, line: &mut Line) {
        let document = self.document;
        for child in document.children(parent) {
            let name = document.name(child);
            match name {
                RUN => self.run(child, shown, line),
                P_PR | R_PR | SDT_PR | QName::NONE => {}
                INS | MOVE_TO | DEL | MOVE_FROM => self.revision(child, name, shown, line),
                HYPERLINK => {
                    let link = self.hyperlink(child).filter(|_| line.may_link());
                    self.wrapped(link, child, shown, line);
                }
                DIR | BDO => {
                    let direction = document.attribute(child, VAL).unwrap_or_default();
                    let attributes = if direction == "rtl" { " dir=\"rtl\"" } else { " dir=\"ltr\"" };
                    let element = if name == BDO { "bdo" } else { "span" };
                    self.wrapped(Some(Wrapper::new(element, attributes, 0)), child, shown, line);
                }
                SMART_TAG | CUSTOM_XML => self.inline(child, shown, line),
                SDT => {
                    if let Some(content) = document.child(child, SDT_CONTENT) {
                        let control = Wrapper::new("span", self.control_attributes(child), usize::MAX);
                        self.wrapped(Some(control), content, shown, line);
                    }
                }
                FLD_SIMPLE => {
                    let code = document.attribute(child, INSTR).unwrap_or_default().into_owned();
                    let field = self.field_wrapper(&code, line.may_link());
                    self.wrapped(field, child, shown, line);
                }
                O_MATH | O_MATH_PARA | SUB_DOC | ALTERNATE_CONTENT if shown && !line.fields.in_code() => {
                    self.object(child, &line.stack);
                }
                CUSTOM_XML_INS_RANGE_START | CUSTOM_XML_DEL_RANGE_START => {
                    if let Some(mark) = self.control_mark(child) {
                        self.state.out.within(&line.stack);
                        self.state.out.raw(&mark);
                    }
                }
                name if is_range_marker(name) => {
                    follow_comments(document, child, &self.state.comment_numbers, &mut line.comments);
                }
                _ => {}
            }
        }
    }

    fn revision(&mut self, node: NodeId, name: QName, shown: bool, line: &mut Line) {
        let inserts = matches!(name, INS | MOVE_TO);
        let (inserted, deleted) = if inserts { (Some(node), None) } else { (None, Some(node)) };
        let shown = shown && self.state.view.shows(self.document, inserted, deleted);
        let kind = match name {
            INS => RevisionKind::Insertion,
            DEL => RevisionKind::Deletion,
            MOVE_FROM => RevisionKind::MoveFrom,
            _ => RevisionKind::MoveTo,
        };
        let wrapper = match self.state.view {
            View::Markup if line.stack.len() < DEEPEST => {
                self.changes.wrapper(self.document, node, kind, &mut self.state.authors)
            }
            _ => None,
        };
        if let Some(wrapper) = &wrapper {
            // It is there also if nothing of it can be seen, such as the code of a field.
            let mut wrappers = line.stack.clone();
            wrappers.push(wrapper.clone());
            self.state.out.within(&wrappers);
        }
        self.wrapped(wrapper, node, shown, line);
    }

    /// Writes what stands below `parent` within an element.
    fn wrapped(&mut self, wrapper: Option<Wrapper>, parent: NodeId, shown: bool, line: &mut Line) {
        let Some(wrapper) = wrapper else { return self.inline(parent, shown, line) };
        let is_link = wrapper.name == "a";
        line.links += usize::from(is_link);
        line.stack.push(wrapper);
        line.field = None;
        self.inline(parent, shown, line);
        line.stack.pop();
        line.field = None;
        line.links -= usize::from(is_link);
    }

    fn hyperlink(&self, node: NodeId) -> Option<Wrapper> {
        let document = self.document;
        let outside = document.attribute(node, R_ID).and_then(|id| {
            let known = self.part.relationships.iter().find(|known| known.id == *id)?;
            Some(known.target.clone())
        });
        let anchor = document.attribute(node, ANCHOR).map(std::borrow::Cow::into_owned);
        match (outside, anchor) {
            (Some(address), _) => Some(link_to(&address)),
            (None, Some(anchor)) => self.link_within(&anchor),
            (None, None) => None,
        }
    }

    /// A link to a bookmark of the body.
    fn link_within(&self, bookmark: &str) -> Option<Wrapper> {
        let address = self.state.source.bookmarks.get(&bookmark.to_lowercase())?;
        let mut attributes = String::new();
        attribute(&mut attributes, "href", &format!("#{}{address}", self.state.prefix));
        Some(Wrapper::new("a", attributes, 0))
    }

    /// The element of a field: a link where it leads somewhere, else a span that names it.
    fn field_wrapper(&self, code: &str, may_link: bool) -> Option<Wrapper> {
        if code.len() > LONGEST_CODE {
            return None;
        }
        let instruction = Instruction::parse(code);
        let name = instruction.name();
        let link = match name.as_str() {
            "HYPERLINK" => {
                let anchor = instruction.switch_argument('l');
                match (instruction.argument(0).filter(|address| !address.is_empty()), anchor) {
                    (Some(address), _) => Some(link_to(address)),
                    (None, Some(anchor)) => self.link_within(anchor),
                    (None, None) => None,
                }
            }
            "REF" | "PAGEREF" | "NOTEREF" if instruction.has_switch('h') => {
                instruction.bookmark().and_then(|bookmark| self.link_within(bookmark))
            }
            _ => None,
        };
        if name == "HYPERLINK" || may_link && link.is_some() {
            return link.filter(|_| may_link);
        }
        let mut attributes = " class=\"field\"".to_owned();
        let name: String = name.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        attribute(&mut attributes, "data-field", &name);
        Some(Wrapper::new("span", attributes, 0))
    }

    fn run(&mut self, run: NodeId, shown: bool, line: &mut Line) {
        let document = self.document;
        let mut before: Option<Vec<Wrapper>> = None;
        let mut after: Vec<Wrapper> = Vec::new();
        for leaf in document.children(run) {
            if document.kind(leaf) != NodeKind::Element {
                continue;
            }
            let name = document.name(leaf);
            if name == R_PR {
                continue;
            }
            if matches!(name, FLD_CHAR | INSTR_TEXT | DEL_INSTR_TEXT) {
                line.fields.take(document, leaf);
                line.field = None;
                continue;
            }
            if !shown || line.fields.in_code() {
                continue;
            }
            if before.is_none() {
                before = Some(self.around_run(run, line, &mut after));
            }
            let mut wrappers = before.clone().unwrap_or_default();
            wrappers.extend(self.open_field(line));
            wrappers.extend(self.open_comments(line));
            wrappers.extend(after.iter().cloned());
            self.leaf(leaf, name, &wrappers, line);
        }
        // The revision of an empty run's formatting is shown all the same.
        if shown && before.is_none() {
            self.around_run(run, line, &mut after);
        }
    }

    /// The elements around a run's text: those around the run with its format change, and those of its formatting.
    fn around_run(&mut self, run: NodeId, line: &Line, after: &mut Vec<Wrapper>) -> Vec<Wrapper> {
        let document = self.document;
        let mut before = line.stack.clone();
        let mut properties = document.child(run, R_PR);
        let change = properties.and_then(|properties| document.child(properties, R_PR_CHANGE));
        if let Some(change) = change {
            match self.state.view {
                View::Markup if before.len() < DEEPEST => {
                    let kind = RevisionKind::Formatting;
                    let wrapper = self.changes.wrapper(document, change, kind, &mut self.state.authors);
                    before.extend(wrapper);
                    self.state.out.within(&before);
                }
                // What it was before.
                View::Original => properties = document.child(change, R_PR),
                _ => {}
            }
        }
        let own = self.state.appearances.of_run(document, properties, &line.appearance);
        if let Some(is_rtl) = own.is_rtl.filter(|own| *own != line.appearance.is_rtl.unwrap_or(false)) {
            let attributes = if is_rtl { " dir=\"rtl\"" } else { " dir=\"ltr\"" };
            after.push(Wrapper::new("span", attributes, 0));
        }
        own.wrappers(&line.appearance.run, after);
        before
    }

    fn open_field(&self, line: &mut Line) -> Vec<Wrapper> {
        if let Some(known) = &line.field {
            return known.clone();
        }
        let codes: Vec<&str> = line.fields.results().take(4).collect();
        let mut wrappers = Vec::new();
        let mut may_link = line.may_link();
        for code in codes.into_iter().rev() {
            let wrapper = self.field_wrapper(code, may_link);
            may_link &= wrapper.as_ref().is_none_or(|wrapper| wrapper.name != "a");
            wrappers.extend(wrapper);
        }
        line.field = Some(wrappers.clone());
        wrappers
    }

    fn open_comments(&self, line: &Line) -> Vec<Wrapper> {
        let wrapper = |number: &usize| {
            let mut attributes = " class=\"commented\"".to_owned();
            let id = self.state.comment_ids.get(*number).map_or("", String::as_str);
            short_attribute(&mut attributes, "data-comment", id, 60);
            Wrapper::new("span", attributes, number + 1)
        };
        line.comments.iter().map(wrapper).collect()
    }

    fn leaf(&mut self, leaf: NodeId, name: QName, wrappers: &[Wrapper], line: &Line) {
        let document = self.document;
        match name {
            T | DEL_TEXT => {
                self.state.out.within(wrappers);
                // A line end inside w:t is a space to Word.
                let text = effective_text(document, leaf).replace(['\n', '\r'], " ");
                self.state.out.text(&text);
            }
            TAB | PTAB => self.character(wrappers, "\t"),
            CR => self.character(wrappers, "<br>"),
            BR => match document.attribute(leaf, TYPE).as_deref() {
                Some("page" | "column") => {
                    self.character(wrappers, "<span class=\"generated page-break\"></span>");
                }
                _ => self.character(wrappers, "<br>"),
            },
            NO_BREAK_HYPHEN => self.character(wrappers, "\u{2011}"),
            SOFT_HYPHEN => self.character(wrappers, "&shy;"),
            FOOTNOTE_REFERENCE | ENDNOTE_REFERENCE => self.note_reference(leaf, name, wrappers, line),
            FOOTNOTE_REF | ENDNOTE_REF => self.note_mark(wrappers),
            COMMENT_REFERENCE => {
                let id = document.attribute(leaf, ID).unwrap_or_default();
                if let Some(number) = self.state.comment_numbers.get(&*id).copied() {
                    self.state.out.within(&line.stack);
                    let prefix = &self.state.prefix;
                    let mark = match line.may_link() {
                        true => format!(
                            "<a class=\"generated comment-mark\" href=\"#{prefix}comment-{0}\" aria-label=\"Comment {0}\">{0}</a>",
                            number + 1
                        ),
                        false => format!("<span class=\"generated comment-mark\">{}</span>", number + 1),
                    };
                    self.state.out.raw(&mark);
                }
            }
            DRAWING | PICT | OBJECT | SYM | ALTERNATE_CONTENT | RUBY | CONTENT_PART => {
                self.object(leaf, wrappers);
            }
            _ => {}
        }
    }

    fn character(&mut self, wrappers: &[Wrapper], markup: &str) {
        self.state.out.within(wrappers);
        self.state.out.raw(markup);
    }
}

/// A link out of the document, or the text with its address where that is not safe.
fn link_to(address: &str) -> Wrapper {
    let mut attributes = String::new();
    if !is_safe(address) {
        attributes.push_str(" class=\"no-link\"");
        attribute(&mut attributes, "title", &short(address, 200));
        return Wrapper::new("span", attributes, 0);
    }
    attribute(&mut attributes, "href", address);
    attributes.push_str(" rel=\"noopener noreferrer nofollow\" target=\"_blank\"");
    Wrapper::new("a", attributes, 0)
}
