//! Parts that a document gets: their names, content types and relationships (ISO/IEC 29500-2 §§9–10).

use super::WordDocument;
use crate::edit::NewRelationship;
use crate::error::Error;
use crate::names::{N_ID, N_PART_NAME, OVERRIDE, RELATIONSHIP, W_URI};
use crate::parts::{self, NewRelation, TYPES_PART, relationships_part};

/// A kind of part.
#[derive(Debug, Clone, Copy)]
pub(super) struct PartKind {
    /// The last step of its relationship's type.
    pub(super) relationship: &'static str,
    /// What the type begins with, unless it is the document's own.
    base: Option<&'static str>,
    /// The last word of its content type.
    content: &'static str,
    /// The root element, with its namespace.
    root: (&'static str, &'static str, &'static str),
}

const MICROSOFT_2011: &str = "http://schemas.microsoft.com/office/2011/relationships";
const MICROSOFT_2016: &str = "http://schemas.microsoft.com/office/2016/09/relationships";
const W15_URI: &str = "http://schemas.microsoft.com/office/word/2012/wordml";
const W16CID_URI: &str = "http://schemas.microsoft.com/office/word/2016/wordml/cid";

pub(super) const COMMENTS_PART: PartKind =
    PartKind { relationship: "comments", base: None, content: "comments", root: ("w", "comments", W_URI) };
pub(super) const NUMBERING_PART: PartKind =
    PartKind { relationship: "numbering", base: None, content: "numbering", root: ("w", "numbering", W_URI) };
pub(super) const SETTINGS_PART: PartKind =
    PartKind { relationship: "settings", base: None, content: "settings", root: ("w", "settings", W_URI) };
pub(super) const STYLES_PART: PartKind =
    PartKind { relationship: "styles", base: None, content: "styles", root: ("w", "styles", W_URI) };
pub(super) const FOOTNOTES_PART: PartKind =
    PartKind { relationship: "footnotes", base: None, content: "footnotes", root: ("w", "footnotes", W_URI) };
pub(super) const ENDNOTES_PART: PartKind =
    PartKind { relationship: "endnotes", base: None, content: "endnotes", root: ("w", "endnotes", W_URI) };
pub(super) const COMMENTS_EXTENDED: PartKind = PartKind {
    relationship: "commentsExtended",
    base: Some(MICROSOFT_2011),
    content: "commentsExtended",
    root: ("w15", "commentsEx", W15_URI),
};
pub(super) const COMMENTS_IDS: PartKind = PartKind {
    relationship: "commentsIds",
    base: Some(MICROSOFT_2016),
    content: "commentsIds",
    root: ("w16cid", "commentsIds", W16CID_URI),
};
pub(super) const PEOPLE: PartKind = PartKind {
    relationship: "people",
    base: Some(MICROSOFT_2011),
    content: "people",
    root: ("w15", "people", W15_URI),
};

pub(super) const HEADER_PART: PartKind =
    PartKind { relationship: "header", base: None, content: "header", root: ("w", "hdr", W_URI) };
pub(super) const FOOTER_PART: PartKind =
    PartKind { relationship: "footer", base: None, content: "footer", root: ("w", "ftr", W_URI) };

/// A kind of part with properties of the document, to which the package itself relates.
#[derive(Debug, Clone, Copy)]
pub(super) struct PropertyPart {
    /// The last step of its relationship's type.
    pub(super) relationship: &'static str,
    base: &'static str,
    file: &'static str,
    content: &'static str,
    root: (&'static str, &'static str, &'static str),
}

pub(super) const CORE_PART: PropertyPart = PropertyPart {
    relationship: "core-properties",
    base: "http://schemas.openxmlformats.org/package/2006/relationships/metadata",
    file: "core",
    content: "application/vnd.openxmlformats-package.core-properties+xml",
    root: ("cp", "coreProperties", "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"),
};
pub(super) const EXTENDED_PART: PropertyPart = PropertyPart {
    relationship: "extended-properties",
    base: TRANSITIONAL,
    file: "app",
    content: "application/vnd.openxmlformats-officedocument.extended-properties+xml",
    root: ("", "Properties", "http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"),
};
pub(super) const CUSTOM_PART: PropertyPart = PropertyPart {
    relationship: "custom-properties",
    base: TRANSITIONAL,
    file: "custom",
    content: "application/vnd.openxmlformats-officedocument.custom-properties+xml",
    root: ("", "Properties", "http://schemas.openxmlformats.org/officeDocument/2006/custom-properties"),
};

pub(super) const STRICT: &str = "http://purl.oclc.org/ooxml/officeDocument/relationships";
pub(super) const TRANSITIONAL: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const WORD_TYPES: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";

impl WordDocument {
    /// The name of the part of that kind; an empty one is made when there is none.
    pub(super) fn part_of_kind(&mut self, kind: PartKind) -> Result<String, Error> {
        if let Some(name) = self.related_name(kind.relationship) {
            return Ok(name);
        }
        self.add_part(kind).map(|(name, _)| name)
    }

    /// Adds an empty part of that kind. Gives its name and the id of its relationship.
    pub(super) fn add_part(&mut self, kind: PartKind) -> Result<(String, String), Error> {
        let folder =
            self.main_name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        let mut file = format!("{}.xml", kind.relationship);
        let mut number = 1;
        while self.package.contains(&format!("{folder}{file}")) {
            number += 1;
            file = format!("{}{number}.xml", kind.relationship);
        }
        let name = format!("{folder}{file}");
        let root = self.tree.name(self.tree.root());
        let is_strict = self.tree.namespace_uri(root) != W_URI;
        let (prefix, element, uri) = kind.root;
        let uri = if is_strict && uri == W_URI { self.tree.namespace_uri(root) } else { uri };
        let skeleton = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<{prefix}:{element} xmlns:{prefix}=\"{uri}\"></{prefix}:{element}>"
        );
        let base = kind.base.unwrap_or(if is_strict { STRICT } else { TRANSITIONAL });
        let id = self.relate(&name, &format!("{base}/{}", kind.relationship))?;
        let content_type = format!("{WORD_TYPES}.{}+xml", kind.content);
        parts::declare_type(&mut self.package, &name, &content_type, &self.limits.xml)?;
        self.package.set_part(&name, skeleton.into_bytes());
        Ok((name, id))
    }

    /// The name of the part with properties of that kind; an empty one is made when there is none.
    pub(super) fn ensure_property_part(&mut self, kind: PropertyPart) -> Result<String, Error> {
        if let Some(name) = self.property_part(kind)? {
            return Ok(name);
        }
        let mut name = format!("docProps/{}.xml", kind.file);
        while self.package.contains(&name) {
            name = name.replace(".xml", "1.xml");
        }
        let (prefix, element, uri) = kind.root;
        let (open, declared) = match prefix {
            "" => (element.to_owned(), "xmlns".to_owned()),
            prefix => (format!("{prefix}:{element}"), format!("xmlns:{prefix}")),
        };
        let skeleton = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<{open} {declared}=\"{uri}\"></{open}>"
        );
        let known: Vec<String> = parts::relationships(&self.package, "", &self.limits.xml)?
            .into_iter()
            .map(|own| own.id)
            .collect();
        let id =
            (1..).map(|number| format!("rId{number}")).find(|id| !known.contains(id)).unwrap_or_default();
        let uri = format!("{}/{}", kind.base, kind.relationship);
        let relation = NewRelation { id: &id, kind: &uri, target: &name, external: false };
        parts::relate(&mut self.package, "", [relation], &self.limits.xml)?;
        parts::declare_type(&mut self.package, &name, kind.content, &self.limits.xml)?;
        self.package.set_part(&name, skeleton.into_bytes());
        Ok(name)
    }

    /// Takes a part out of the package, with the relationships that lead to it, its own ones and its content type.
    pub(super) fn remove_part(&mut self, part: &str) -> Result<(), Error> {
        let main = self.main_name.clone();
        for source in ["", main.as_str()] {
            let name = relationships_part(source);
            let known = parts::relationships(&self.package, source, &self.limits.xml)?;
            let ids: Vec<String> = known
                .into_iter()
                .filter(|own| !own.external && own.target == part)
                .map(|own| own.id)
                .collect();
            if !ids.is_empty() {
                let is_own = |value: &str| ids.iter().any(|id| id == value);
                let limits = &self.limits.xml;
                parts::drop_entries(&mut self.package, &name, (RELATIONSHIP, N_ID), is_own, limits)?;
            }
        }
        let wanted = format!("/{part}");
        let is_own = |name: &str| name.eq_ignore_ascii_case(&wanted);
        parts::drop_entries(
            &mut self.package,
            TYPES_PART,
            (OVERRIDE, N_PART_NAME),
            is_own,
            &self.limits.xml,
        )?;
        self.relationships.retain(|own| own.external || own.target != part);
        self.package.remove_part(&relationships_part(part));
        self.package.remove_part(part);
        self.others.remove(part);
        self.touched.remove(part);
        self.edited.remove(part);
        Ok(())
    }

    /// Gives a part the content type that its kind has, whatever it had.
    pub(super) fn mend_type(&mut self, name: &str, kind: PartKind) -> Result<bool, Error> {
        let wanted = format!("{WORD_TYPES}.{}+xml", kind.content);
        let types = parts::ContentTypes::parse(&self.package, &self.limits.xml)?;
        if types.of(name) == Some(wanted.as_str()) {
            return Ok(false);
        }
        parts::declare_type(&mut self.package, name, &wanted, &self.limits.xml)?;
        Ok(true)
    }

    /// Relates the main part to another. Gives the id of the relationship.
    fn relate(&mut self, part: &str, kind: &str) -> Result<String, Error> {
        let taken = |id: &String| self.relationships.iter().any(|known| known.id == *id);
        let id = (1..).map(|number| format!("rId{number}")).find(|id| !taken(id)).unwrap_or_default();
        let main = self.main_name.clone();
        self.add_relation(&main, NewRelation { id: &id, kind, target: part, external: false })?;
        Ok(id)
    }

    /// Gives a part a relationship of its own document's kind.
    pub(super) fn relate_part(&mut self, new: &NewRelationship) -> Result<(), Error> {
        let root = self.tree.name(self.tree.root());
        let base = if self.tree.namespace_uri(root) == W_URI { TRANSITIONAL } else { STRICT };
        let kind = format!("{base}/{}", new.kind);
        let relation = NewRelation { id: &new.id, kind: &kind, target: &new.target, external: new.external };
        self.add_relation(&new.part, relation)
    }

    fn add_relation(&mut self, of: &str, new: NewRelation<'_>) -> Result<(), Error> {
        parts::relate(&mut self.package, of, [new], &self.limits.xml)?;
        if of == self.main_name {
            self.relationships = parts::relationships(&self.package, of, &self.limits.xml)?;
        }
        Ok(())
    }
}
