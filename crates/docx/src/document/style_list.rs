//! The styles of a document as a list, for people and models that look for one by name.
//!
//! Must never say what a style looks like: that is Word's to show.

use std::collections::BTreeSet;

use engross_xml::Document;
use serde::Serialize;

use super::WordDocument;
use crate::error::Error;
use crate::names::{BASED_ON, DEFAULT, NAME, P_STYLE, R_STYLE, STYLE, STYLE_ID, TBL_STYLE, TYPE, VAL};

/// A style.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StyleReading {
    /// Its id, which operations take as well as its name.
    pub id: String,
    /// Its name.
    pub name: String,
    /// `paragraph`, `character`, `table` or `numbering`.
    pub kind: String,
    /// The id of the style that it is based on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub based_on: Option<String>,
    /// Whether text without a style has it.
    pub default: bool,
    /// Whether any text says that it has it.
    pub in_use: bool,
}

impl WordDocument {
    /// The styles of the document, in the order of its styles part.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn styles(&self) -> Result<Vec<StyleReading>, Error> {
        let Some(part) = self.related("styles")? else { return Ok(Vec::new()) };
        let mut used = BTreeSet::new();
        note_styles(&self.tree, &mut used);
        for name in self.other_story_parts() {
            note_styles(&*self.story_tree(&name)?, &mut used);
        }
        let nodes = part.children(part.root()).filter(|node| part.name(*node) == STYLE);
        let styles = nodes.filter_map(|node| {
            let id = part.attribute(node, STYLE_ID)?.into_owned();
            let value = |name| {
                let child = part.child(node, name)?;
                part.attribute(child, VAL).map(std::borrow::Cow::into_owned)
            };
            let is_default =
                part.attribute(node, DEFAULT).is_some_and(|own| matches!(&*own, "1" | "true" | "on"));
            Some(StyleReading {
                name: value(NAME).unwrap_or_else(|| id.clone()),
                kind: part.attribute(node, TYPE).unwrap_or_else(|| "paragraph".into()).into_owned(),
                based_on: value(BASED_ON),
                default: is_default,
                in_use: used.contains(&id),
                id,
            })
        });
        Ok(styles.collect())
    }
}

fn note_styles(document: &Document, used: &mut BTreeSet<String>) {
    for node in document.descendants(document.root()) {
        if matches!(document.name(node), P_STYLE | R_STYLE | TBL_STYLE)
            && let Some(id) = document.attribute(node, VAL)
            && !used.contains(&*id)
        {
            used.insert(id.into_owned());
        }
    }
}
