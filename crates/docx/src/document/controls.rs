//! The content controls of a document: all of them with their numbers, which of them an operation means, and the data that they
//! are bound to (ISO/IEC 29500-1 §17.5.2.6).
//!
//! A control's number counts over the body and the other stories, in the order in which readings list these.

use std::collections::{BTreeSet, HashMap};

use engross_xml::{Document, NodeId, NodeKind, QName};
use serde::Serialize;

use super::WordDocument;
use super::scope::StoryOperation;
use crate::edit::content::Syntax;
use crate::edit::control_values::fill;
use crate::error::{Error, Refusal, RefusalCode};
use crate::model::{Binding, Control, ControlKind, Paragraph, View, controls, fields_at_start, paragraphs};
use crate::names::{DATE, FULL_DATE, P};
use crate::ops::{ControlName, ControlPlace, Edit, Occurrence, Operation};
use crate::parts::relationships;
use crate::read::{StoryPart, excerpt, shown, story_root};

/// How many controls a refusal names.
const NAMED: usize = 20;

/// Stores that are parts of every document: their ids, and the kinds of relationship that lead to them.
const BUILT_IN_STORES: [(&str, &str); 2] = [
    ("{6C3C8BC8-F283-45AE-878A-BAB7291924A1}", "core-properties"),
    ("{6668398D-A668-4E3E-A5EB-62B293D839F1}", "extended-properties"),
];

/// A content control and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ControlReading {
    /// Its number in the document, from 1.
    pub number: usize,
    /// The paragraph it stands in, or the first one in it; the story where there is none.
    pub address: String,
    /// `text`, `richText`, `dropDown`, `comboBox`, `date`, `checkBox`, or one that takes no value.
    pub kind: &'static str,
    /// Its tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Its title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it says, as accepted.
    pub value: String,
    /// Whether that is only the prompt to fill it in.
    pub placeholder: bool,
    /// Whether a check box is checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// The day of a date control.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// `sdtLocked` (it stays, its text may change), `contentLocked` or `sdtContentLocked`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock: Option<String>,
    /// The path of the data that it is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding: Option<String>,
    /// What its list offers, by what people see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<String>,
}

/// An operation on controls as one for each story that has any of them, and the data that changes with it.
pub(super) type Fills = (Vec<StoryOperation>, Vec<BoundData>);

/// Data that a control is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundData {
    part: String,
    place: DataPlace,
    /// How refusals and results name it.
    told: String,
    value: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DataPlace {
    Element(NodeId),
    Attribute(NodeId, QName),
}

/// The controls of one story; the body without a story.
struct StoryControls {
    story: Option<StoryPart>,
    nodes: Vec<NodeId>,
}

/// A control that an operation may mean.
struct FoundControl<'a> {
    story: &'a StoryControls,
    place: ControlPlace,
    node: NodeId,
}

impl WordDocument {
    /// Every content control of the document, story by story.
    ///
    /// # Errors
    /// When a part cannot be read.
    pub fn controls(&self) -> Result<Vec<ControlReading>, Error> {
        let mut all = Vec::new();
        for own in self.controls_of(&self.stories()?)? {
            let prefix = own.story.as_ref().map_or("", |story| story.name.as_str());
            self.with_tree(own.story.as_ref(), |document, root| {
                let nodes = paragraphs(document, root);
                for control in &own.nodes {
                    let number = all.len() + 1;
                    all.push(reading(document, &nodes, *control, (number, prefix)));
                }
            })?;
        }
        Ok(all)
    }

    /// The controls of all stories in order, each part once.
    fn controls_of(&self, stories: &[StoryPart]) -> Result<Vec<StoryControls>, Error> {
        let mut all = vec![StoryControls { story: None, nodes: controls(&self.tree, self.body) }];
        let mut seen = BTreeSet::new();
        for story in stories {
            if !seen.insert((story.part.clone(), story.key.clone())) {
                continue;
            }
            let mut nodes = Vec::new();
            self.with_tree(Some(story), |document, root| nodes = controls(document, root))?;
            if !nodes.is_empty() {
                all.push(StoryControls { story: Some(story.clone()), nodes });
            }
        }
        Ok(all)
    }

    /// The numbers of the controls of one part among those of the document.
    pub(super) fn control_numbers(&self, part: &str) -> Result<HashMap<NodeId, usize>, Error> {
        // Those of the body come first, so that no other story is looked at for them.
        let stories = if part == self.main_name { Vec::new() } else { self.stories()? };
        let all = self.controls_of(&stories)?;
        let own = all.iter().flat_map(|own| {
            let name = own.story.as_ref().map_or(self.main_name.as_str(), |story| story.part.as_str());
            own.nodes.iter().map(move |node| (name, *node))
        });
        let numbered = own.enumerate().filter(|(_, (name, _))| *name == part);
        Ok(numbered.map(|(at, (_, node))| (node, at + 1)).collect())
    }

    /// Looks at a story; not at all if it has no root.
    fn with_tree(
        &self,
        story: Option<&StoryPart>,
        look: impl FnOnce(&Document, NodeId),
    ) -> Result<(), Error> {
        match story {
            None => look(&self.tree, self.body),
            Some(story) if story.part == self.main_name => {
                if let Some(root) = story_root(&self.tree, story) {
                    look(&self.tree, root);
                }
            }
            Some(story) => {
                let document = self.story_tree(&story.part)?;
                if let Some(root) = story_root(&document, story) {
                    look(&document, root);
                }
            }
        }
        Ok(())
    }

    /// A value for controls as one operation for each story that has any of them, and the data that changes with it.
    pub(super) fn fills(
        &mut self,
        operation: &Operation,
        stories: &[StoryPart],
    ) -> Result<Result<Fills, Refusal>, Error> {
        let Edit::FillControl { control, occurrence, value, shown } = &operation.edit else {
            return Ok(Ok((Vec::new(), Vec::new())));
        };
        let all = self.controls_of(stories)?;
        let meant = match self.meant(&all, control, *occurrence)? {
            Ok(meant) => meant,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let syntax = if operation.plain { Syntax::Plain } else { Syntax::Markdown };
        let mut parts: Vec<StoryOperation> = Vec::new();
        let mut data: Vec<BoundData> = Vec::new();
        let mut filled = Vec::new();
        for found in meant {
            let mut seen = (String::new(), None, None);
            self.with_tree(found.story.story.as_ref(), |document, _| {
                let own = Control::of(document, found.node);
                let name = format!("control:{}", found.place.number);
                let wanted = (value, shown.as_deref());
                seen = (own.id(), own.binding(), fill(document, (found.node, &name), wanted, syntax).ok());
            })?;
            let (id, binding, own) = seen;
            filled.push(id);
            // What the control does not take is refused where it is written.
            if let (Some(binding), Some(own)) = (binding, own)
                && let Some(bound) = self.bound(&binding, own.data)?
            {
                data.push(bound);
            }
            let part = found.story.story.clone();
            match parts.iter_mut().find(|(story, _)| *story == part) {
                Some((
                    _,
                    Operation {
                        edit: Edit::FillControl { control: ControlName::InStory(places), .. }, ..
                    },
                )) => {
                    places.push(found.place);
                }
                _ => {
                    let control = ControlName::InStory(vec![found.place]);
                    let edit = Edit::FillControl {
                        control,
                        occurrence: None,
                        value: value.clone(),
                        shown: shown.clone(),
                    };
                    parts.push((part, Operation { edit, ..operation.clone() }));
                }
            }
        }
        if let Some(bound) = data.first().filter(|_| !operation.allows_untracked) {
            let message = format!(
                "the control shows {}, which no revision can tell: rejecting would give back its text, and Word would show the \
                 new data again; send it with \"untracked\": \"allow\"",
                bound.told
            );
            return Ok(Err(Refusal::new(RefusalCode::NotTrackable, message)));
        }
        self.ignored.filled.extend(filled);
        Ok(Ok((parts, data)))
    }

    /// The controls that a name means.
    fn meant<'a>(
        &self,
        all: &'a [StoryControls],
        wanted: &ControlName,
        occurrence: Option<Occurrence>,
    ) -> Result<Result<Vec<FoundControl<'a>>, Refusal>, Error> {
        let mut hits = Vec::new();
        let mut known = Vec::new();
        let mut number = 0;
        for own in all {
            self.with_tree(own.story.as_ref(), |document, _| {
                for (place, node) in own.nodes.iter().enumerate() {
                    number += 1;
                    let control = Control::of(document, *node);
                    let fits = match wanted {
                        ControlName::Number(wanted) => *wanted == number,
                        ControlName::Tag(tag) => control.tag().as_deref() == Some(tag),
                        ControlName::Title(title) => control.title().as_deref() == Some(title),
                        ControlName::InStory(_) => false,
                    };
                    let label = control.tag().or_else(|| control.title()).unwrap_or_default();
                    let told =
                        format!("control:{number} ({}) '{}'", control.kind().as_str(), excerpt(&label));
                    if fits {
                        hits.push((
                            FoundControl { story: own, place: ControlPlace { place, number }, node: *node },
                            told,
                        ));
                    } else if known.len() < NAMED {
                        known.push(told);
                    }
                }
            })?;
        }
        let count = hits.len();
        let several = |hits: &[(FoundControl<'_>, String)]| {
            hits.iter().take(NAMED).map(|(_, told)| told.clone()).collect::<Vec<_>>().join(", ")
        };
        Ok(match (count, occurrence) {
            (0, _) => {
                let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let message = format!("the document does not have {wanted}; its controls: {has}");
                Err(Refusal::new(RefusalCode::ControlNotFound, message))
            }
            (1, None | Some(Occurrence::Last)) | (_, Some(Occurrence::All)) => {
                Ok(hits.into_iter().map(|(found, _)| found).collect())
            }
            (_, Some(Occurrence::Last)) => {
                Ok(hits.into_iter().next_back().map(|(found, _)| found).into_iter().collect())
            }
            (_, Some(Occurrence::Nth(nth))) => match hits.into_iter().nth(nth.saturating_sub(1)) {
                Some((found, _)) => Ok(vec![found]),
                None => {
                    let message = format!("only {count} controls are {wanted}, so there is no number {nth}");
                    Err(Refusal::new(RefusalCode::ControlNotFound, message))
                }
            },
            (_, None) => {
                let message = format!(
                    "{count} controls are meant by {wanted}: {}; say which by 'control' or 'occurrence'",
                    several(&hits)
                );
                Err(Refusal::new(RefusalCode::AmbiguousTarget, message))
            }
        })
    }

    /// The data of a binding; nothing when its path leads nowhere, as Word then shows what the control says.
    fn bound(&self, binding: &Binding, value: String) -> Result<Option<BoundData>, Error> {
        for part in self.stores(binding.store.as_deref())? {
            // Data that cannot be read cannot be shown either.
            let Ok(document) = self.story_tree(&part) else { continue };
            if let Some(place) = place_of(&document, binding) {
                let value = match (&*text_of(&document, place), value.as_str()) {
                    ("0" | "1", "true") => "1".to_owned(),
                    ("0" | "1", "false") => "0".to_owned(),
                    _ => value,
                };
                let told = format!("the data {} of {part}", binding.path);
                return Ok(Some(BoundData { part, place, told, value }));
            }
        }
        Ok(None)
    }

    /// The parts that a store id means; all data parts without one.
    fn stores(&self, id: Option<&str>) -> Result<Vec<String>, Error> {
        if let Some((_, kind)) =
            BUILT_IN_STORES.iter().find(|(known, _)| id.is_some_and(|id| id.eq_ignore_ascii_case(known)))
        {
            let package = relationships(&self.package, "", &self.limits.xml)?;
            let own = package.into_iter().filter(|own| own.kind == *kind && !own.external);
            return Ok(own.map(|own| own.target).filter(|part| self.package.contains(part)).collect());
        }
        let mut parts = Vec::new();
        for item in self.relationships.iter().filter(|own| own.kind == "customXml" && !own.external) {
            if !self.package.contains(&item.target) {
                continue;
            }
            let Some(id) = id else {
                parts.push(item.target.clone());
                continue;
            };
            let properties = relationships(&self.package, &item.target, &self.limits.xml)?;
            let properties = properties.iter().find(|own| own.kind == "customXmlProps" && !own.external);
            let Some(properties) = properties.filter(|own| self.package.contains(&own.target)) else {
                continue;
            };
            let document = self.story_tree(&properties.target)?;
            let own = document
                .raw_attributes(document.root())
                .find(|(_, qualified, _)| qualified.rsplit(':').next() == Some("itemID"));
            if own.is_some_and(|(.., own)| own.eq_ignore_ascii_case(id)) {
                parts.push(item.target.clone());
            }
        }
        Ok(parts)
    }

    /// Writes data that controls are bound to.
    pub(super) fn write_data(&mut self, data: &BoundData) -> Result<String, Error> {
        let tree = self.load_mut(&data.part)?;
        match data.place {
            DataPlace::Attribute(node, name) => tree.set_attribute(node, name, &data.value),
            DataPlace::Element(node) => {
                while let Some(child) = tree.first_child(node) {
                    tree.detach(child);
                }
                let text = tree.new_text(&data.value);
                tree.append(node, text);
            }
        }
        self.touched.insert(data.part.clone());
        Ok(data.told.clone())
    }
}

fn reading(
    document: &Document,
    nodes: &[NodeId],
    node: NodeId,
    (number, prefix): (usize, &str),
) -> ControlReading {
    let control = Control::of(document, node);
    let holder = document.ancestors(node).find(|above| document.name(*above) == P);
    let first = holder.or_else(|| document.descendants(node).find(|below| document.name(*below) == P));
    let index = first.and_then(|first| nodes.iter().position(|node| *node == first));
    let address = match (index, prefix) {
        (Some(index), "") => format!("P{}", index + 1),
        (Some(index), prefix) => format!("{prefix}/P{}", index + 1),
        (None, "") => "body".to_owned(),
        (None, prefix) => prefix.to_owned(),
    };
    let day = control.property(DATE).and_then(|date| document.attribute(date, FULL_DATE));
    ControlReading {
        number,
        address,
        kind: control.kind().as_str(),
        tag: control.tag(),
        title: control.title(),
        value: said(document, node, holder),
        placeholder: control.is_placeholder(),
        checked: Some(control)
            .filter(|own| own.kind() == ControlKind::CheckBox)
            .and_then(|own| own.is_checked()),
        date: day.map(|day| day.split('T').next().unwrap_or_default().to_owned()),
        lock: control.lock(),
        binding: control.binding().map(|binding| binding.path),
        choices: control.items().into_iter().map(|item| item.text).collect(),
    }
}

/// What a control says as accepted; several paragraphs are lines.
fn said(document: &Document, control: NodeId, holder: Option<NodeId>) -> String {
    let within: BTreeSet<NodeId> = document.descendants(control).collect();
    let nodes = match holder {
        Some(paragraph) => vec![paragraph],
        None => paragraphs(document, control),
    };
    let fields = fields_at_start(document, &nodes);
    let text = |node: &NodeId| {
        let paragraph = Paragraph::read(document, *node, View::Accepted, fields.get(node));
        let own = paragraph.visible().filter(|atom| within.contains(&atom.node));
        own.map(|atom| shown(document, atom, paragraph.text.get(atom.range.clone()).unwrap_or_default()))
            .collect::<String>()
    };
    nodes.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The place that a path leads to: steps by name with a number each, the last one perhaps an attribute. It is all that Word writes.
fn place_of(document: &Document, binding: &Binding) -> Option<DataPlace> {
    let steps: Vec<&str> = binding.path.trim().strip_prefix('/')?.split('/').collect();
    let mut at: Option<NodeId> = None;
    for (number, step) in steps.iter().enumerate() {
        if let Some(name) = step.strip_prefix('@') {
            let own = document
                .raw_attributes(at?)
                .find(|(known, qualified, _)| fits(document, (*known, qualified), name, binding));
            return (number + 1 == steps.len()).then_some(DataPlace::Attribute(at?, own?.0));
        }
        let (name, nth) = match step.split_once('[') {
            Some((name, nth)) => (name, nth.strip_suffix(']')?.trim().parse::<usize>().ok()?),
            None => (*step, 1),
        };
        let is_meant = |node: &NodeId| {
            document.kind(*node) == NodeKind::Element
                && fits(document, (document.name(*node), document.qualified_name(*node)), name, binding)
        };
        at = match at {
            None => Some(document.root()).filter(is_meant).filter(|_| nth == 1),
            Some(above) => document.children(above).filter(is_meant).nth(nth.checked_sub(1)?),
        };
        at?;
    }
    // Of an element that holds others there is no one text.
    let node = at?;
    let is_leaf = document.children(node).all(|child| document.kind(child) != NodeKind::Element);
    is_leaf.then_some(DataPlace::Element(node))
}

/// Whether a name of the data is the one of a step, such as `ns0:title`.
fn fits(document: &Document, (name, qualified): (QName, &str), step: &str, binding: &Binding) -> bool {
    let (prefix, wanted) = step.trim().split_once(':').unwrap_or(("", step.trim()));
    let local = qualified.rsplit(':').next().unwrap_or(qualified);
    if wanted == "*" {
        return true;
    }
    let uri = if prefix.is_empty() { Some("") } else { namespace(&binding.prefixes, prefix) };
    local == wanted && uri.is_some_and(|uri| uri == document.namespace_uri(name))
}

/// The namespace of a prefix in `xmlns:ns0='…' xmlns:ns1='…'`.
fn namespace<'a>(mappings: &'a str, prefix: &str) -> Option<&'a str> {
    let mut rest = mappings;
    while let Some((_, after)) = rest.split_once("xmlns:") {
        let (name, value) = after.split_once('=')?;
        let value = value.trim_start();
        let quote = value.chars().next().filter(|quote| matches!(quote, '\'' | '"'))?;
        let (uri, behind) = value.get(1..)?.split_once(quote)?;
        if name.trim() == prefix {
            return Some(uri);
        }
        rest = behind;
    }
    None
}

fn text_of(document: &Document, place: DataPlace) -> String {
    match place {
        DataPlace::Element(node) => document.element_text(node).into_owned(),
        DataPlace::Attribute(node, name) => document.attribute(node, name).unwrap_or_default().into_owned(),
    }
}
