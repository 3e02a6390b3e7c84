//! Findings about the package: content types, relationships, parts that cannot be read (ISO/IEC 29500-2).

use std::collections::{HashMap, HashSet};

use engross_xml::{Document, NodeId};

use crate::document::WordDocument;
use crate::error::Error;
use crate::names::{R, VOCABULARY};
use crate::parts::{ContentTypes, Relationship, parse, relationships, relationships_part};

use crate::rules::{CheckedPart, Findings, Rule};

const CONTENT_TYPES: &str = "[Content_Types].xml";

pub(super) fn check(
    document: &WordDocument,
    parts: &[CheckedPart<'_>],
    findings: &mut Findings,
) -> Result<(), Error> {
    let names: Vec<String> = document.package.names().map(str::to_owned).collect();
    let mut survey = Survey {
        document,
        parts: parts.iter().map(|part| (key(&part.name), part)).collect(),
        stories: document.other_story_parts().iter().map(|name| key(name)).collect(),
        findings,
        keys: names.iter().map(|name| key(name)).collect(),
        targets: HashSet::new(),
    };
    survey.source("")?;
    for name in &names {
        match source_of(name) {
            Some(source) if !source.is_empty() && !document.package.contains(&source) => {
                let message = || format!("it holds relationships of '{source}', which is not there");
                survey.findings.add(Rule::RelationshipsOrphaned, || name.clone(), message);
            }
            Some(_) => {}
            None => survey.source(name)?,
        }
    }
    survey.content_types(&names)
}

struct Survey<'a> {
    document: &'a WordDocument,
    findings: &'a mut Findings,
    /// Keys of all parts.
    keys: HashSet<String>,
    /// Parts with text.
    parts: HashMap<String, &'a CheckedPart<'a>>,
    /// Keys of parts that should have text; those that are none of `parts` could not be read.
    stories: HashSet<String>,
    /// Keys of parts that a relationship leads to.
    targets: HashSet<String>,
}

impl Survey<'_> {
    /// A part, or the package (empty): its XML, its relationships, and how the two go together.
    fn source(&mut self, name: &str) -> Result<(), Error> {
        let relationships = self.relationships(name)?;
        let used = if is_xml(name) { self.references(name, &relationships)? } else { HashSet::new() };
        let mut ids = HashSet::new();
        for relationship in &relationships {
            if !ids.insert(relationship.id.as_str()) {
                let message = || format!("'{}' has two relationships '{}'", shown(name), relationship.id);
                self.findings.add(Rule::RelationshipIdDuplicate, || relationships_part(name), message);
            }
            if !relationship.external {
                self.target(name, relationship, used.contains(&relationship.id));
            }
        }
        Ok(())
    }

    fn relationships(&mut self, name: &str) -> Result<Vec<Relationship>, Error> {
        let part = relationships_part(name);
        if !self.document.package.contains(&part) {
            return Ok(Vec::new());
        }
        self.targets.insert(key(&part));
        match relationships(&self.document.package, name, &self.document.limits.xml) {
            Err(Error::Xml { source, .. }) => {
                self.malformed(&part, &source);
                Ok(Vec::new())
            }
            other => other,
        }
    }

    /// The relationship ids that a part uses. Finds those that it does not have.
    fn references(&mut self, name: &str, known: &[Relationship]) -> Result<HashSet<String>, Error> {
        if let Some(part) = self.parts.get(&key(name)).copied() {
            let address = |node| part.address(part.document, node);
            return Ok(references(part.document, known, self.findings, address));
        }
        if self.stories.contains(&key(name)) {
            // This was found before.
            return Ok(HashSet::new());
        }
        match parse(&self.document.package, name, &self.document.limits.xml) {
            Ok(part) => Ok(references(&part, known, self.findings, |_| name.to_owned())),
            Err(Error::Xml { source, .. }) => {
                self.malformed(name, &source);
                Ok(HashSet::new())
            }
            Err(error) => Err(error),
        }
    }

    fn target(&mut self, source: &str, relationship: &Relationship, used: bool) {
        let Relationship { id, kind, target, .. } = relationship;
        if is_fragment(target) {
            return;
        }
        if let Some(found) = self.find(target) {
            self.targets.insert(found);
            return;
        }
        // Readers look for these by their kind, not by id.
        let by_kind = matches!(
            kind.as_str(),
            "styles" | "numbering" | "settings" | "footnotes" | "endnotes" | "comments"
        );
        let rule = if used || by_kind { Rule::RelationshipTargetMissing } else { Rule::RelationshipDangling };
        let message = || format!("relationship '{id}' ({kind}) leads to '{target}', which is not there");
        self.findings.add(rule, || shown(source).to_owned(), message);
    }

    /// Key of the part that a target means. A target may have a fragment and percent-encoded characters.
    fn find(&self, target: &str) -> Option<String> {
        let path = target.split_once('#').map_or(target, |(path, _)| path);
        let known = |path: &str| Some(key(path)).filter(|key| self.keys.contains(key));
        known(target).or_else(|| known(path)).or_else(|| known(&percent_decoded(path)))
    }

    fn content_types(&mut self, names: &[String]) -> Result<(), Error> {
        let package = &self.document.package;
        if !package.contains(CONTENT_TYPES) {
            let message = || "the package does not say of what type its parts are".to_owned();
            self.findings.add(Rule::ContentTypesMissing, || CONTENT_TYPES.to_owned(), message);
            return Ok(());
        }
        let types = match ContentTypes::parse(package, &self.document.limits.xml) {
            Ok(types) => types,
            // Its XML was looked at like that of all parts.
            Err(Error::Xml { .. }) => return Ok(()),
            Err(error) => return Err(error),
        };
        let mut seen = HashSet::new();
        for part in types.overrides() {
            let address = || part.to_owned();
            if !seen.insert(key(part)) {
                let message = || "the part is given a content type twice".to_owned();
                self.findings.add(Rule::ContentTypeDuplicate, address, message);
            } else if self.find(part).is_none() {
                let message = || "it has a content type, but is not there".to_owned();
                self.findings.add(Rule::ContentTypeWithoutPart, address, message);
            }
        }
        for name in names.iter().filter(|name| !name.eq_ignore_ascii_case(CONTENT_TYPES)) {
            let key = key(name);
            if types.of(&key).is_some() {
                continue;
            }
            let (rule, message) = if self.targets.contains(&key) {
                (Rule::PartUntyped, "the part has no content type")
            } else {
                (Rule::FileIgnored, "the file has no content type and nothing leads to it, so Word drops it")
            };
            self.findings.add(rule, || name.clone(), || message.to_owned());
        }
        Ok(())
    }

    fn malformed(&mut self, name: &str, source: &engross_xml::Error) {
        self.findings.add(
            Rule::PartMalformed,
            || name.to_owned(),
            || format!("the part cannot be read: {source}"),
        );
    }
}

fn references(
    part: &Document,
    known: &[Relationship],
    findings: &mut Findings,
    address: impl Fn(NodeId) -> String,
) -> HashSet<String> {
    let namespace = VOCABULARY.namespaces().get(usize::from(R.0)).and_then(|group| group.first());
    let known: HashSet<&str> = known.iter().map(|relationship| relationship.id.as_str()).collect();
    let mut used = HashSet::new();
    for node in part.descendants(part.root()) {
        for (name, qualified, value) in part.raw_attributes(node) {
            // Names without a prefix are in no namespace: most attributes end here.
            let refers =
                qualified.contains(':') && !value.is_empty() && namespace == Some(&part.namespace_uri(name));
            if !refers {
                continue;
            }
            let id = part.attribute(node, name).unwrap_or_default();
            if !known.contains(id.as_ref()) {
                let element = part.local_name(part.name(node));
                let message = || format!("<{element}> refers to relationship '{id}', which is not there");
                findings.add(Rule::RelationshipUnresolved, || address(node), message);
            }
            used.insert(id.into_owned());
        }
    }
    used
}

/// The part whose relationships a part of that name holds; `None` if it is no such part.
fn source_of(name: &str) -> Option<String> {
    let key = key(name);
    let (folder, file) = key.strip_suffix(".rels")?.rsplit_once('/')?;
    let folder = folder.strip_suffix("_rels")?;
    (folder.is_empty() || folder.ends_with('/')).then(|| format!("{folder}{file}"))
}

fn is_xml(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("xml"))
}

/// A target such as `#bookmark`, which means a place and no other part.
fn is_fragment(target: &str) -> bool {
    target.split_once('#').is_some_and(|(path, _)| path.is_empty() || path.ends_with('/'))
}

/// What all names of one part have in common.
fn key(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_ascii_lowercase()
}

fn shown(source: &str) -> &str {
    if source.is_empty() { "the package" } else { source }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let pair = after.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        let decoded = pair.filter(|_| *byte == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok());
        bytes.push(decoded.unwrap_or(*byte));
        rest = if decoded.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
