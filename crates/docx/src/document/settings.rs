//! The settings part: whether Word tracks what people change from now on.

use super::WordDocument;
use super::new_parts::SETTINGS_PART;
use crate::error::Error;
use crate::names::TRACK_REVISIONS;

/// What stands before `w:trackRevisions` (CT_Settings, ISO/IEC 29500-1 Annex A.1).
const BEFORE: &[&str] = &[
    "writeProtection",
    "view",
    "zoom",
    "removePersonalInformation",
    "removeDateAndTime",
    "doNotDisplayPageBoundaries",
    "displayBackgroundShape",
    "printPostScriptOverText",
    "printFractionalCharacterWidth",
    "printFormsData",
    "embedTrueTypeFonts",
    "embedSystemFonts",
    "saveSubsetFonts",
    "saveFormsData",
    "mirrorMargins",
    "alignBordersAndEdges",
    "bordersDoNotSurroundHeader",
    "bordersDoNotSurroundFooter",
    "gutterAtTop",
    "hideSpellingErrors",
    "hideGrammaticalErrors",
    "activeWritingStyle",
    "proofState",
    "formsDesign",
    "attachedTemplate",
    "linkStyles",
    "stylePaneFormatFilter",
    "stylePaneSortMethod",
    "documentType",
    "mailMerge",
    "revisionView",
];

impl WordDocument {
    /// Lets Word track changes in this document.
    pub(super) fn track_revisions(&mut self) -> Result<(), Error> {
        let part = self.part_of_kind(SETTINGS_PART)?;
        let tree = self.load_mut(&part)?;
        let root = tree.root();
        if let Some(old) = tree.child(root, TRACK_REVISIONS) {
            if crate::model::is_on(tree, old) {
                return Ok(());
            }
            tree.detach(old);
        }
        let node = tree.new_element(TRACK_REVISIONS);
        let behind = tree.children(root).find(|child| {
            let name = tree.name(*child);
            tree.kind(*child) == engross_xml::NodeKind::Element && !BEFORE.contains(&tree.local_name(name))
        });
        match behind {
            Some(behind) => tree.insert_before(behind, node),
            None => tree.append(root, node),
        }
        self.touched.insert(part);
        Ok(())
    }
}
