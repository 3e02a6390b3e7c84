//! What a document's parts without text define, as they are now.
//!
//! Must never judge a part.

use std::borrow::Cow;

use engross_xml::Document;

use super::WordDocument;
use crate::error::Error;
use crate::rules::{Definitions, Findings};

impl WordDocument {
    /// Reads styles, numbering and settings; what is wrong with them is a finding.
    pub(crate) fn definitions(&self, findings: &mut Findings) -> Result<Definitions, Error> {
        let mut known = Definitions::default();
        for kind in ["styles", "numbering", "settings"] {
            if let Some((name, tree)) = self.related_tree(kind)? {
                known.add(kind, &name, &tree, findings);
            }
        }
        Ok(known)
    }

    /// What the parts define that edited ones may refer to. One that cannot be read forbids nothing: it is written as it was.
    pub(super) fn defined(&self) -> Definitions {
        let mut known = Definitions::default();
        for kind in ["styles", "numbering"] {
            if let Ok(Some((name, tree))) = self.related_tree(kind) {
                known.add(kind, &name, &tree, &mut Findings::default());
            }
        }
        for kind in ["footnotes", "endnotes", "comments"] {
            if let Ok(Some((_, tree))) = self.related_tree(kind) {
                known.add_notes(&tree);
            }
        }
        known
    }

    /// A part that the main part relates to, as it is now; `None` also for one that is no XML.
    pub(crate) fn related_tree(&self, kind: &str) -> Result<Option<(String, Cow<'_, Document>)>, Error> {
        let Some(name) = self.related_name(kind) else { return Ok(None) };
        match self.story_tree(&name) {
            Ok(tree) => Ok(Some((name, tree))),
            Err(Error::Xml { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
