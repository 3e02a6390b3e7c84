//! The properties of a document: title, author and the like (ISO/IEC 29500-2 §11, ISO/IEC 29500-1 §22).
//!
//! They are neither text nor layout, and no revision holds them: they change at once. Must never touch what was not named.

use std::collections::BTreeMap;

use engross_xml::{Document, NodeId, NodeKind, QName};
use serde::Serialize;

use super::WordDocument;
use super::new_parts::{CORE_PART, CUSTOM_PART, EXTENDED_PART, PropertyPart};
use crate::error::Error;
use crate::names::{
    CP, CP_CATEGORY, CP_KEYWORDS, CU_PROPERTY, DC, DC_CREATOR, DC_DESCRIPTION, DC_SUBJECT, DC_TITLE,
    EP_COMPANY, N_FMTID, N_NAME, N_PID, VT, VT_BOOL, VT_LPWSTR, VT_R8,
};
use crate::ops::{Change, Outcome, PropertyChanges, PropertyValue};
use crate::parts::relationships;

/// Custom properties all belong to this set of them.
const CUSTOM_SET: &str = "{D5CDD505-2E9C-101B-9397-08002B2CF9AE}";

const CP_URI: &str = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties";
const DC_URI: &str = "http://purl.org/dc/elements/1.1/";
const VT_URI: &str = "http://schemas.openxmlformats.org/officeDocument/2006/docPropsVTypes";

/// The properties of a document that have a name of their own, as operations and readings call them.
const NAMED: [(&str, PropertyPart, QName); 7] = [
    ("title", CORE_PART, DC_TITLE),
    ("subject", CORE_PART, DC_SUBJECT),
    ("author", CORE_PART, DC_CREATOR),
    ("keywords", CORE_PART, CP_KEYWORDS),
    ("description", CORE_PART, DC_DESCRIPTION),
    ("category", CORE_PART, CP_CATEGORY),
    ("company", EXTENDED_PART, EP_COMPANY),
];

/// The properties of a document.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Properties {
    /// Those that have a name of their own: `title`, `author` and so on; and what else the core part says.
    pub named: BTreeMap<String, String>,
    /// Those that people have added.
    pub custom: BTreeMap<String, String>,
}

impl WordDocument {
    /// The properties of the document.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn properties(&self) -> Result<Properties, Error> {
        let mut properties = Properties::default();
        if let Some(part) = self.property_part(CORE_PART)? {
            let document = self.story_tree(&part)?;
            for node in elements(&document, document.root()) {
                let qualified = document.qualified_name(node);
                let local = qualified.rsplit(':').next().unwrap_or(qualified);
                let name = if local == "creator" { "author" } else { local };
                properties.named.insert(name.to_owned(), document.element_text(node).into_owned());
            }
        }
        if let Some(part) = self.property_part(EXTENDED_PART)? {
            let document = self.story_tree(&part)?;
            if let Some(company) = document.child(document.root(), EP_COMPANY) {
                properties.named.insert("company".to_owned(), document.element_text(company).into_owned());
            }
        }
        if let Some(part) = self.property_part(CUSTOM_PART)? {
            let document = self.story_tree(&part)?;
            for node in elements(&document, document.root()) {
                let name = document.attribute(node, N_NAME).unwrap_or_default().into_owned();
                let value =
                    elements(&document, node).first().map(|value| document.element_text(*value).into_owned());
                properties.custom.insert(name, value.unwrap_or_default());
            }
        }
        properties.named.retain(|_, value| !value.is_empty());
        Ok(properties)
    }

    /// Gives the document other properties.
    pub(super) fn property_operation(&mut self, wanted: &PropertyChanges) -> Result<Outcome, Error> {
        let before = self.properties()?;
        let mut told = Vec::new();
        for (name, kind, element) in NAMED {
            let Some(value) = wanted.named.get(name) else { continue };
            if before.named.get(name).map_or("", String::as_str) == value {
                continue;
            }
            let part = self.ensure_property_part(kind)?;
            let tree = self.load_mut(&part)?;
            tree.ensure_prefix(CP, "cp", CP_URI);
            tree.ensure_prefix(DC, "dc", DC_URI);
            let root = tree.root();
            let node = match tree.child(root, element) {
                Some(node) => node,
                None => {
                    let node = tree.new_element(element);
                    tree.append(root, node);
                    node
                }
            };
            set_text(tree, node, value);
            self.touched.insert(part);
            told.push(format!("the property {name}"));
        }
        for (name, value) in &wanted.custom {
            if before.custom.get(name).map(String::as_str)
                == value.as_ref().map(PropertyValue::text).as_deref()
            {
                continue;
            }
            self.set_custom(name, value.as_ref())?;
            told.push(format!("the property {name}"));
        }
        if told.is_empty() {
            return Ok(Outcome::NoChange { remark: Some("the document has these properties".to_owned()) });
        }
        Ok(Outcome::Applied(Change { untracked: told, ..Change::default() }))
    }

    fn set_custom(&mut self, name: &str, value: Option<&PropertyValue>) -> Result<(), Error> {
        let part = self.ensure_property_part(CUSTOM_PART)?;
        let tree = self.load_mut(&part)?;
        tree.ensure_prefix(VT, "vt", VT_URI);
        let root = tree.root();
        let known = elements(tree, root);
        let old =
            known.iter().copied().find(|node| tree.attribute(*node, N_NAME).is_some_and(|own| own == name));
        let highest = known.iter().filter_map(|node| tree.attribute(*node, N_PID)?.parse::<u32>().ok()).max();
        match (old, value) {
            (Some(old), None) => tree.detach(old),
            (None, None) => {}
            (old, Some(value)) => {
                let node = match old {
                    Some(node) => node,
                    None => {
                        let node = tree.new_element(CU_PROPERTY);
                        let pid = highest.map_or(2, |highest| highest.saturating_add(1).max(2)).to_string();
                        for (attribute, value) in
                            [(N_FMTID, CUSTOM_SET), (N_PID, pid.as_str()), (N_NAME, name)]
                        {
                            tree.set_attribute(node, attribute, value);
                        }
                        tree.append(root, node);
                        node
                    }
                };
                while let Some(child) = tree.first_child(node) {
                    tree.detach(child);
                }
                let typed = tree.new_element(match value {
                    PropertyValue::Text(_) => VT_LPWSTR,
                    PropertyValue::Flag(_) => VT_BOOL,
                    PropertyValue::Number(_) => VT_R8,
                });
                set_text(tree, typed, &value.text());
                tree.append(node, typed);
            }
        }
        self.touched.insert(part);
        Ok(())
    }

    /// The part of that kind to which the package relates.
    pub(super) fn property_part(&self, kind: PropertyPart) -> Result<Option<String>, Error> {
        self.property_part_of(kind.relationship)
    }

    /// The part to which the package itself relates in this way.
    pub(super) fn property_part_of(&self, relationship: &str) -> Result<Option<String>, Error> {
        let package = relationships(&self.package, "", &self.limits.xml)?;
        let own = package.into_iter().find(|own| own.kind == relationship && !own.external);
        Ok(own.map(|own| own.target).filter(|part| self.package.contains(part)))
    }
}

fn elements(document: &Document, node: NodeId) -> Vec<NodeId> {
    document.children(node).filter(|child| document.kind(*child) == NodeKind::Element).collect()
}

fn set_text(tree: &mut Document, node: NodeId, value: &str) {
    while let Some(child) = tree.first_child(node) {
        tree.detach(child);
    }
    let text = tree.new_text(value);
    tree.append(node, text);
}
