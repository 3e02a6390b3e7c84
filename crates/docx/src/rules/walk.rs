//! One pass over each part with text: hands every element to the rules, with what they need to know of its place.

use engross_xml::{Document, NodeId, NodeKind, QName};

use crate::names::{
    ALTERNATE_CONTENT, BODY, CHOICE, COMMENT, DEL, ENDNOTE, FALLBACK, FLD_CHAR, FLD_CHAR_TYPE, FOOTNOTE, INS,
    MOVE_FROM, MOVE_TO, P, TC, TR, TXBX_CONTENT,
};

use super::fields::Fields;
use super::findings::Findings;
use super::known::Definitions;
use super::ledger::{Ids, Ledger};
use super::order;
use super::part::CheckedPart;
use super::rule::Rule;

/// What stands around an element. Alternate content is looked through.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    /// Name of the element around.
    pub(crate) parent: QName,
    /// Revisions around, up to the paragraph.
    pub(crate) wrappers: Wrappers,
    /// Whether a deletion or move source is anywhere around.
    pub(crate) deleted: bool,
}

/// Kinds of revision around an element.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Wrappers(u8);

impl Wrappers {
    pub(crate) fn holds(self, name: QName) -> bool {
        self.0 & Self::bit(name) != 0
    }

    fn with(self, name: QName) -> Self {
        Self(self.0 | Self::bit(name))
    }

    fn bit(name: QName) -> u8 {
        match name {
            INS => 1,
            DEL => 2,
            MOVE_FROM => 4,
            MOVE_TO => 8,
            _ => 0,
        }
    }
}

/// The rules over all parts.
pub(crate) struct Checks<'a> {
    ledger: Ledger,
    ids: Ids,
    known: &'a Definitions,
}

impl<'a> Checks<'a> {
    /// Nothing was checked yet.
    pub(crate) fn of(known: &'a Definitions) -> Self {
        Self { ledger: Ledger::default(), ids: Ids::default(), known }
    }

    /// Checks `document`: the tree of `part`, or a changed copy of it.
    pub(crate) fn run(&mut self, part: &CheckedPart<'_>, document: &Document, findings: &mut Findings) {
        self.ledger.start_part();
        self.ids.start_part();
        let mut walk = Walk {
            document,
            part,
            findings,
            ledger: &mut self.ledger,
            ids: &mut self.ids,
            known: self.known,
            fields: Fields::default(),
        };
        let around = Surroundings { parent: QName::NONE, wrappers: Wrappers::default(), deleted: false };
        walk.children(document.document_node(), around);
        walk.end_story();
        walk.end_part();
        walk.end_references();
    }
}

/// A pass over one part.
pub(crate) struct Walk<'a> {
    pub(crate) document: &'a Document,
    pub(crate) part: &'a CheckedPart<'a>,
    pub(crate) findings: &'a mut Findings,
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) ids: &'a mut Ids,
    pub(crate) known: &'a Definitions,
    fields: Fields,
}

impl Walk<'_> {
    /// Adds a finding about `node`.
    pub(crate) fn find(&mut self, rule: Rule, node: NodeId, message: impl FnOnce() -> String) {
        let (part, document) = (self.part, self.document);
        self.findings.add(rule, || part.address(document, node), message);
    }

    // Depth is bounded by the XML parser's limit. Says whether there is a table cell below.
    fn children(&mut self, parent: NodeId, around: Surroundings) -> bool {
        let mut has_cell = false;
        let mut child = self.document.first_child(parent);
        while let Some(node) = child {
            if self.document.kind(node) == NodeKind::Element {
                has_cell |= self.element(node, around);
            }
            child = self.document.next(node);
        }
        has_cell
    }

    fn element(&mut self, node: NodeId, around: Surroundings) -> bool {
        let name = self.document.name(node);
        match name {
            // What older programs read instead of the choice repeats ids.
            FALLBACK => return false,
            ALTERNATE_CONTENT | CHOICE => return self.children(node, around),
            FLD_CHAR => {
                let wrappers = around.wrappers;
                let accepted = !wrappers.holds(DEL) && !wrappers.holds(MOVE_FROM);
                let original = !wrappers.holds(INS) && !wrappers.holds(MOVE_TO);
                let kind = self.document.attribute(node, FLD_CHAR_TYPE).unwrap_or_default();
                self.fields.take(node, &kind, [accepted, original]);
            }
            _ => {}
        }
        self.structure(node, name, around);
        self.revision(node, name, around);
        self.references(node, name);
        order::check(self.document, node, |rule, at, message| {
            self.findings.add(rule, || self.part.address(self.document, at), || message);
        });
        let starts_anew = matches!(name, P | TXBX_CONTENT);
        let inner = Surroundings {
            parent: name,
            wrappers: if starts_anew { Wrappers::default() } else { around.wrappers.with(name) },
            deleted: name != TXBX_CONTENT && (around.deleted || matches!(name, DEL | MOVE_FROM)),
        };
        let is_story = matches!(name, BODY | TXBX_CONTENT | FOOTNOTE | ENDNOTE | COMMENT);
        let outer = is_story.then(|| std::mem::take(&mut self.fields));
        let has_cell = self.children(node, inner);
        if let Some(outer) = outer {
            self.end_story();
            self.fields = outer;
        }
        match name {
            TR if !has_cell => {
                self.find(Rule::RowWithoutCell, node, || "a table row has no cell".to_owned());
                false
            }
            TC => true,
            _ => has_cell,
        }
    }

    fn end_story(&mut self) {
        for (node, begins) in std::mem::take(&mut self.fields).unbalanced() {
            let message = if begins {
                "a field begins here and has no end"
            } else {
                "a field ends here that never began"
            };
            self.find(Rule::FieldUnbalanced, node, || message.to_owned());
        }
    }
}
