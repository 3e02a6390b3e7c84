//! Findings about paragraph and run properties: place, order, duplicates (ISO/IEC 29500-1 §17.3.1.26, §17.3.2.28).

use std::collections::HashSet;

use engross_xml::{NodeId, NodeKind, QName};

use crate::model::is_revision_wrapper;
use crate::names::{P, P_PR, R_PR_CHANGE, RUN};

use super::rule::Rule;
use super::structure::element_before;
use super::walk::{Surroundings, Walk};

/// The children of `w:pPr` in the order of the schema.
const ORDER: &[&str] = &[
    "pStyle",
    "keepNext",
    "keepLines",
    "pageBreakBefore",
    "framePr",
    "widowControl",
    "numPr",
    "suppressLineNumbers",
    "pBdr",
    "shd",
    "tabs",
    "suppressAutoHyphens",
    "kinsoku",
    "wordWrap",
    "overflowPunct",
    "topLinePunct",
    "autoSpaceDE",
    "autoSpaceDN",
    "bidi",
    "adjustRightInd",
    "snapToGrid",
    "spacing",
    "ind",
    "contextualSpacing",
    "mirrorIndents",
    "suppressOverlap",
    "jc",
    "textDirection",
    "textAlignment",
    "textboxTightWrap",
    "outlineLvl",
    "divId",
    "cnfStyle",
    "rPr",
    "sectPr",
    "pPrChange",
];

impl Walk<'_> {
    pub(crate) fn paragraph_properties(&mut self, node: NodeId, around: Surroundings) {
        if around.parent == P && element_before(self.document, node).is_some() {
            let message = || "paragraph properties do not come first in their paragraph".to_owned();
            self.find(Rule::ParagraphPropertiesNotFirst, node, message);
        }
        let document = self.document;
        let mut last = (0, "");
        let mut seen = [false; ORDER.len()];
        let mut twice = None;
        let mut late = None;
        for child in document.children(node).filter(|child| document.kind(*child) == NodeKind::Element) {
            let name = document.local_name(document.name(child));
            let Some(place) = ORDER.iter().position(|known| *known == name) else { continue };
            if let Some(seen) = seen.get_mut(place)
                && std::mem::replace(seen, true)
            {
                twice = twice.or(Some(name));
            }
            if place < last.0 {
                late = late.or(Some((name, last.1)));
            } else {
                last = (place, name);
            }
        }
        if let Some(name) = twice {
            self.find(Rule::ParagraphPropertyDuplicate, node, || {
                format!("the paragraph property <{name}> is given twice")
            });
        }
        if let Some((name, before)) = late {
            let message = || format!("the paragraph property <{name}> comes after <{before}>");
            self.find(Rule::ParagraphPropertiesOrder, node, message);
        }
    }

    pub(crate) fn run_properties(&mut self, node: NodeId, around: Surroundings) {
        if around.parent == RUN && element_before(self.document, node).is_some() {
            let message = || "run properties do not come first in their run".to_owned();
            self.find(Rule::RunPropertiesNotFirst, node, message);
        }
        let document = self.document;
        let names: Vec<QName> = document
            .children(node)
            .filter(|child| document.kind(*child) == NodeKind::Element)
            .map(|child| document.name(child))
            .collect();
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| **name != QName::NONE && !seen.insert(**name)) {
            let name = document.local_name(*twice);
            self.find(Rule::RunPropertyDuplicate, node, || {
                format!("the run property <{name}> is given twice")
            });
        }
        let change_is_not_last =
            names.iter().position(|name| *name == R_PR_CHANGE).is_some_and(|at| at + 1 < names.len());
        let marks_are_not_first =
            around.parent == P_PR && !names.is_sorted_by_key(|name| !is_revision_wrapper(*name));
        if change_is_not_last || marks_are_not_first {
            let what = if change_is_not_last {
                "<rPrChange> does not come last"
            } else {
                "a revision mark does not come first"
            };
            self.find(Rule::RunPropertiesOrder, node, || format!("in run properties, {what}"));
        }
    }
}
