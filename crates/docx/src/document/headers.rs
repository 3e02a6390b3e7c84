//! Headers and footers that a document gets, or that a section shares with the one before (ISO/IEC 29500-1 §17.10).
//!
//! A reference to a header has no revision, so nothing here is tracked: an operation must allow that. Must never leave a page
//! without a header that it had: what a page has because of another switch is referred to anew.

use engross_xml::{Document, NodeId, QName};

use super::WordDocument;
use super::new_parts::{FOOTER_PART, HEADER_PART, SETTINGS_PART, STRICT, TRANSITIONAL};
use crate::edit::{read_content, split_at_breaks, write_pieces};
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::is_on;
use crate::names::{
    EVEN_AND_ODD_HEADERS, FLD_SIMPLE, FOOTER_REFERENCE, HEADER_REFERENCE, INSTR, JC, P, P_PR, P_STYLE, R,
    R_ID, SECT_PR, TITLE_PG, TYPE, VAL, W_URI,
};
use crate::ops::{Change, Edit, Outcome, PageKind, StoryKind};
use crate::read::is_section;
use crate::text::StyledText;

/// What may stand in braces, and what it shows until Word counts.
const FIELDS: [(&str, &str); 4] = [
    ("{PAGE}", "PAGE"),
    ("{NUMPAGES}", "NUMPAGES"),
    ("{SECTIONPAGES}", "SECTIONPAGES"),
    ("{SECTION}", "SECTION"),
];

/// What stands behind `w:titlePg` in the properties of a section (CT_SectPr, ISO/IEC 29500-1 Annex A.1).
const BEHIND_TITLE: &[&str] =
    &["textDirection", "bidi", "rtlGutter", "docGrid", "printerSettings", "sectPrChange"];

/// What stands behind `w:evenAndOddHeaders` in the settings, as far as Word writes it into documents.
const BEHIND_EVEN: &[&str] = &[
    "bookFoldRevPrinting",
    "bookFoldPrinting",
    "bookFoldPrintingSheets",
    "drawingGridHorizontalSpacing",
    "drawingGridVerticalSpacing",
    "displayHorizontalDrawingGridEvery",
    "displayVerticalDrawingGridEvery",
    "doNotUseMarginsForDrawingGridOrigin",
    "drawingGridHorizontalOrigin",
    "drawingGridVerticalOrigin",
    "doNotShadeFormData",
    "noPunctuationKerning",
    "characterSpacingControl",
    "printTwoOnOne",
    "strictFirstAndLastChars",
    "noLineBreaksAfter",
    "noLineBreaksBefore",
    "savePreviewPicture",
    "doNotValidateAgainstSchema",
    "saveInvalidXml",
    "ignoreMixedContent",
    "alwaysShowPlaceholderText",
    "doNotDemarcateInvalidXml",
    "saveXmlDataOnly",
    "useXSLTWhenSaving",
    "saveThroughXslt",
    "showXMLTags",
    "alwaysMergeEmptyNamespace",
    "updateFields",
    "hdrShapeDefaults",
    "footnotePr",
    "endnotePr",
    "compat",
    "docVars",
    "rsids",
    "mathPr",
    "attachedSchema",
    "themeFontLang",
    "clrSchemeMapping",
    "doNotIncludeSubdocsInStats",
    "doNotAutoCompressPictures",
    "forceUpgrade",
    "captions",
    "readModeInkLockDown",
    "smartTagType",
    "schemaLibrary",
    "shapeDefaults",
    "doNotEmbedSmartTags",
    "decimalSymbol",
    "listSeparator",
];

/// A header or footer that is wanted.
struct StoryRequest<'a> {
    story: StoryKind,
    page: PageKind,
    /// From 0.
    section: usize,
    content: &'a str,
    alignment: Option<&'static str>,
}

impl WordDocument {
    /// Makes a header or footer, or lets a section share that of the one before.
    pub(super) fn header_operation(
        &mut self,
        edit: &Edit,
        (plain, allows_untracked): (bool, bool),
    ) -> Result<Outcome, Error> {
        let outcome = match edit {
            Edit::CreateStory { story, page, section, content, alignment } => {
                let (story, page, section) = (*story, *page, section.unwrap_or(1) - 1);
                let wanted = StoryRequest { story, page, section, content, alignment: *alignment };
                self.create_story(&wanted, plain, allows_untracked)
            }
            Edit::LinkStory { story, page, section } => {
                self.link_story((*story, *page), section - 1, allows_untracked)
            }
            _ => return Ok(Outcome::NotAttempted),
        };
        match outcome? {
            Ok(told) => {
                self.touched.insert(self.main_name.clone());
                Ok(Outcome::Applied(Change { untracked: told, ..Change::default() }))
            }
            Err(refusal) => Ok(refusal.into()),
        }
    }

    fn create_story(
        &mut self,
        wanted: &StoryRequest<'_>,
        plain: bool,
        allows_untracked: bool,
    ) -> Result<Result<Vec<String>, Refusal>, Error> {
        let name = format!("{}:{}@{}", wanted.story.as_str(), wanted.page.as_str(), wanted.section + 1);
        let sections = sections(&self.tree);
        let section = sections.get(wanted.section).copied();
        if section.is_none() && (wanted.section > 0 || !sections.is_empty()) {
            let message =
                format!("there is no section {}; the document has {}", wanted.section + 1, sections.len());
            return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, message)));
        }
        let element = wanted.story.reference();
        let has = |section| reference(&self.tree, section, element, wanted.page).is_some();
        if section.is_some_and(has) {
            let message = format!("the document has {name} already; edit it with \"target\": \"{name}/P1\"");
            return Ok(Err(Refusal::new(RefusalCode::StoryExists, message)));
        }
        let content = match read_content(wanted.content, plain) {
            Ok(content) => content,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !allows_untracked {
            return Ok(Err(not_trackable(&format!("a new {}", wanted.story.as_str()))));
        }
        let (part, id) =
            self.add_part(if wanted.story == StoryKind::Header { HEADER_PART } else { FOOTER_PART })?;
        let style = self.styles.id_of(wanted.story.as_str()).map(str::to_owned);
        let tree = self.load_mut(&part)?;
        let root = tree.root();
        for paragraph in split_at_breaks(&content) {
            let node = paragraph_of(tree, &paragraph, style.as_deref(), wanted.alignment);
            tree.append(root, node);
        }
        // What later edits of it are proven against: it comes without a tracked change.
        let written = tree.write();
        self.package.set_part(&part, written);
        self.touched.insert(part);
        let section = match section {
            Some(section) => section,
            None => {
                let section = self.tree.new_element(SECT_PR);
                self.tree.append(self.body, section);
                self.ignored.layout.is_section_new = true;
                section
            }
        };
        let mut told = vec![name];
        match wanted.page {
            PageKind::Default => {}
            PageKind::First => told.extend(self.switch_title_page(wanted.section, wanted.story)),
            PageKind::Even => told.extend(self.switch_even_pages(wanted.story)?),
        }
        self.refer(section, element, wanted.page, &id);
        Ok(Ok(told))
    }

    fn link_story(
        &mut self,
        (story, page): (StoryKind, PageKind),
        section: usize,
        allows_untracked: bool,
    ) -> Result<Result<Vec<String>, Refusal>, Error> {
        let name = format!("{}:{}@{}", story.as_str(), page.as_str(), section + 1);
        let sections = sections(&self.tree);
        if section == 0 {
            let message = "the first section has none before it; name a later one by 'section'".to_owned();
            return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, message)));
        }
        let own = sections.get(section).and_then(|own| reference(&self.tree, *own, story.reference(), page));
        let Some(own) = own else {
            let message = format!("section {} has no {name} of its own", section + 1);
            return Ok(Err(Refusal::new(RefusalCode::TargetNotFound, message)));
        };
        if !allows_untracked {
            return Ok(Err(not_trackable(&format!("which {} a section shows", story.as_str()))));
        }
        let id = self.tree.attribute(own, R_ID).unwrap_or_default().into_owned();
        self.ignored.layout.references.insert((page.as_str().to_owned(), id));
        self.tree.detach(own);
        Ok(Ok(vec![format!("{name} is that of the section before")]))
    }

    /// Lets the first page of a section differ. Says so, if it did not.
    fn switch_title_page(&mut self, number: usize, made: StoryKind) -> Vec<String> {
        let sections = sections(&self.tree);
        let Some(section) = sections.get(number).copied() else { return Vec::new() };
        let old = self.tree.child(section, TITLE_PG);
        if old.is_some_and(|old| is_on(&self.tree, old)) {
            return Vec::new();
        }
        if let Some(old) = old {
            self.tree.detach(old);
        }
        let switch = self.tree.new_element(TITLE_PG);
        put_before(&mut self.tree, section, BEHIND_TITLE, switch);
        self.ignored.layout.has_new_switch = true;
        self.keep_others(&[number], PageKind::First, made);
        vec![format!("the first page of section {} differs from the others", number + 1)]
    }

    /// Lets even pages differ in the whole document. Says so, if they did not.
    fn switch_even_pages(&mut self, made: StoryKind) -> Result<Vec<String>, Error> {
        let part = self.part_of_kind(SETTINGS_PART)?;
        let tree = self.load_mut(&part)?;
        let root = tree.root();
        if let Some(old) = tree.child(root, EVEN_AND_ODD_HEADERS) {
            if is_on(tree, old) {
                return Ok(Vec::new());
            }
            tree.detach(old);
        }
        let switch = tree.new_element(EVEN_AND_ODD_HEADERS);
        put_before(tree, root, BEHIND_EVEN, switch);
        self.touched.insert(part);
        let all: Vec<usize> = (0..sections(&self.tree).len()).collect();
        self.keep_others(&all, PageKind::Even, made);
        Ok(vec!["even pages differ from odd ones".to_owned()])
    }

    /// Refers to the usual headers and footers for pages that only now may differ, where there is nothing else for them; but not to
    /// the one in the place of which another is made.
    fn keep_others(&mut self, numbers: &[usize], page: PageKind, made: StoryKind) {
        for story in [StoryKind::Header, StoryKind::Footer] {
            let element = story.reference();
            let mut shown: Option<String> = None;
            let mut has_own = false;
            for (number, section) in sections(&self.tree).into_iter().enumerate() {
                let usual = reference(&self.tree, section, element, PageKind::Default);
                let usual =
                    usual.and_then(|node| self.tree.attribute(node, R_ID)).map(std::borrow::Cow::into_owned);
                let is_new = usual.is_some();
                shown = usual.or(shown);
                has_own |= reference(&self.tree, section, element, page).is_some();
                let is_made = story == made && numbers.first() == Some(&number);
                has_own |= is_made;
                // A later section with a usual header of its own had that one on these pages, too.
                if let Some(id) = shown.clone().filter(|_| numbers.contains(&number) && !is_made)
                    && reference(&self.tree, section, element, page).is_none()
                    && (!has_own || is_new)
                {
                    self.refer(section, element, page, &id);
                    has_own = true;
                }
            }
        }
    }

    fn refer(&mut self, section: NodeId, element: QName, page: PageKind, id: &str) {
        let is_strict = self.tree.namespace_uri(self.tree.name(self.tree.root())) != W_URI;
        let uri = if is_strict { STRICT } else { TRANSITIONAL };
        self.tree.ensure_prefix(R, "r", uri);
        let node = self.tree.new_element(element);
        self.tree.set_attribute(node, TYPE, page.as_str());
        self.tree.set_attribute(node, R_ID, id);
        let is_reference =
            |child: &NodeId| matches!(self.tree.name(*child), HEADER_REFERENCE | FOOTER_REFERENCE);
        let last = self.tree.children(section).filter(is_reference).last();
        match last {
            Some(last) => self.tree.insert_after(last, node),
            None => self.tree.prepend(section, node),
        }
        self.ignored.layout.references.insert((page.as_str().to_owned(), id.to_owned()));
    }
}

fn not_trackable(what: &str) -> Refusal {
    let message = format!(
        "{what} changes pages in a way that no revision can tell; send it with \"untracked\": \"allow\" if it may stand so"
    );
    Refusal::new(RefusalCode::NotTrackable, message)
}

/// The sections in order.
fn sections(document: &Document) -> Vec<NodeId> {
    document.descendants(document.root()).filter(|node| is_section(document, *node)).collect()
}

fn reference(document: &Document, section: NodeId, element: QName, page: PageKind) -> Option<NodeId> {
    document.children(section).find(|child| {
        document.name(*child) == element
            && document.attribute(*child, TYPE).as_deref().unwrap_or("default") == page.as_str()
    })
}

/// Puts a property before the first of those that stand behind it.
fn put_before(document: &mut Document, parent: NodeId, behind: &[&str], node: NodeId) {
    let next = document.children(parent).find(|child| {
        let name = document.name(*child);
        behind.contains(&document.local_name(name))
    });
    match next {
        Some(next) => document.insert_before(next, node),
        None => document.append(parent, node),
    }
}

fn paragraph_of(
    tree: &mut Document,
    text: &StyledText,
    style: Option<&str>,
    alignment: Option<&str>,
) -> NodeId {
    let paragraph = tree.new_element(P);
    let properties = tree.new_element(P_PR);
    for (name, value) in [(P_STYLE, style), (JC, alignment)] {
        if let Some(value) = value {
            let node = tree.new_element(name);
            tree.set_attribute(node, VAL, value);
            tree.append(properties, node);
        }
    }
    if tree.first_child(properties).is_some() {
        tree.append(paragraph, properties);
    }
    let mut at = 0;
    while let Some((start, sign, code)) = next_field(&text.text, at) {
        write_pieces(tree, paragraph, &text.slice(at..start));
        let field = tree.new_element(FLD_SIMPLE);
        tree.set_attribute(field, INSTR, &format!(" {code} "));
        let mut shown = text.slice(start..start + sign.len());
        for span in &mut shown.spans {
            span.range.end = span.range.end.min(1);
        }
        shown.spans.retain(|span| span.range.start < span.range.end);
        shown.text = "1".to_owned();
        write_pieces(tree, field, &shown);
        tree.append(paragraph, field);
        at = start + sign.len();
    }
    write_pieces(tree, paragraph, &text.slice(at..text.text.len()));
    paragraph
}

fn next_field(text: &str, from: usize) -> Option<(usize, &'static str, &'static str)> {
    let rest = text.get(from..)?;
    let found = FIELDS.iter().filter_map(|(sign, code)| Some((from + rest.find(sign)?, *sign, *code)));
    found.min_by_key(|(at, ..)| *at)
}
