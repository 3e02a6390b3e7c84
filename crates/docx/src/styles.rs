//! The style sheet as queries: what a style is called, what it is based on, what numbering and outline level it gives.
//!
//! Must never change a style, and never trust the chain of `w:basedOn`: it may be circular or endless.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engross_xml::{Document, NodeId, QName};

use crate::names;

/// How far `w:basedOn` is followed. Word itself stops at eleven.
const MAX_CHAIN: usize = 32;

/// The deepest list level and the deepest heading, counted from 0.
pub(crate) const DEEPEST_LEVEL: u8 = 8;

/// Built-in styles whose user-visible English name is not the name in the file, both without spaces and in lower case.
const ALIASES: &[(&str, &str)] =
    &[("commenttext", "annotationtext"), ("commentsubject", "annotationsubject")];

/// Character styles that belong to a mark or a link, not to the words, as names without spaces and in lower case.
const REFERENCE_STYLES: &[&str] = &[
    "footnotereference",
    "endnotereference",
    "commentreference",
    "annotationreference",
    "hyperlink",
    "followedhyperlink",
];

/// The styles of a document.
#[derive(Debug, Clone, Default)]
pub struct Styles {
    styles: Vec<Style>,
    by_id: BTreeMap<String, usize>,
    default_paragraph: Option<usize>,
}

/// What one style says itself, without what it inherits.
#[derive(Debug, Clone)]
pub(crate) struct Style {
    pub(crate) id: String,
    pub(crate) level: Option<u8>,
    pub(crate) num_id: Option<i64>,
    name: Option<String>,
    is_paragraph: bool,
    is_character: bool,
    is_table: bool,
    based_on: Option<String>,
    next: Option<String>,
    outline: Option<i64>,
}

impl Styles {
    /// Reads the tree of the styles part; `None` for a document without one.
    #[must_use]
    pub fn parse(document: Option<&Document>) -> Self {
        let mut all = Self::default();
        let Some(document) = document else { return all };
        for node in document.children(document.root()).filter(|node| document.name(*node) == names::STYLE) {
            let Some(id) = document.attribute(node, names::STYLE_ID) else { continue };
            // Of two styles with one id the first is used.
            if all.by_id.contains_key(&*id) {
                continue;
            }
            let style = Style::parse(document, node, id.into_owned());
            let is_default = document.attribute(node, names::DEFAULT).is_some_and(|value| is_on(&value));
            if style.is_paragraph && is_default && all.default_paragraph.is_none() {
                all.default_paragraph = Some(all.styles.len());
            }
            all.by_id.insert(style.id.clone(), all.styles.len());
            all.styles.push(style);
        }
        all
    }

    /// The name a style has in the file (`heading 1`), which for built-in styles is English in every language.
    #[must_use]
    pub fn name(&self, style_id: &str) -> Option<&str> {
        self.get(style_id)?.name.as_deref()
    }

    /// Whether there is a style of that id, of any kind.
    pub(crate) fn has(&self, style_id: &str) -> bool {
        self.by_id.contains_key(style_id)
    }

    /// The id of the style that a paragraph without `w:pStyle` has.
    #[must_use]
    pub fn default_paragraph(&self) -> Option<&str> {
        Some(&self.styles.get(self.default_paragraph?)?.id)
    }

    /// The id of the paragraph style that a person or a model means: an exact id, else a name in any case, else either
    /// of them without regard to spaces, so that `Heading 1`, `heading 1` and `Heading1` all name the same style.
    #[must_use]
    pub fn id_of(&self, name_or_id: &str) -> Option<&str> {
        self.id_among(name_or_id, |style| style.is_paragraph)
    }

    /// The same for a character style.
    #[must_use]
    pub fn character_id_of(&self, name_or_id: &str) -> Option<&str> {
        self.id_among(name_or_id, |style| style.is_character)
    }

    /// The same for a table style.
    pub(crate) fn id_of_table(&self, name_or_id: &str) -> Option<&str> {
        self.id_among(name_or_id, |style| style.is_table)
    }

    fn id_among(&self, name_or_id: &str, is_kind: impl Fn(&Style) -> bool) -> Option<&str> {
        let find = |fits: &dyn Fn(&Style) -> bool| {
            self.styles.iter().find(|style| is_kind(style) && fits(style)).map(|style| &*style.id)
        };
        let wanted = name_or_id.trim();
        let lower = wanted.to_lowercase();
        let key = key(wanted);
        if key.is_empty() {
            return None;
        }
        let alias = ALIASES.iter().find(|(shown, _)| *shown == key).map(|(_, stored)| *stored);
        let name_key = |style: &Style| style.name.as_deref().map(self::key);
        find(&|style| style.id == wanted)
            .or_else(|| {
                find(&|style| style.name.as_ref().is_some_and(|name| name.trim().to_lowercase() == lower))
            })
            .or_else(|| find(&|style| name_key(style).as_deref() == Some(&*key)))
            .or_else(|| find(&|style| self::key(&style.id) == key))
            .or_else(|| find(&|style| alias.is_some() && name_key(style).as_deref() == alias))
    }

    /// The numbering that a style gives, itself or by what it is based on: `w:numId` and `w:ilvl`, each inherited on
    /// its own. `Some(0)` as number means that the style takes an inherited numbering away.
    #[must_use]
    pub fn paragraph_numbering(&self, style_id: &str) -> Option<(Option<i64>, Option<u8>)> {
        let num_id = self.chain(style_id).find_map(|style| style.num_id);
        let level = self.chain(style_id).find_map(|style| style.level);
        (num_id.is_some() || level.is_some()).then_some((num_id, level))
    }

    /// The outline level that a style gives, 0 to 8; `None` for body text.
    #[must_use]
    pub fn outline_level(&self, style_id: &str) -> Option<u8> {
        self.chain(style_id)
            .find_map(|style| style.outline.or_else(|| style.heading_level()))
            .and_then(|level| u8::try_from(level).ok())
            .filter(|level| *level <= DEEPEST_LEVEL)
    }

    /// Whether a character style marks a reference or a link: text typed beside it must not take it on.
    #[must_use]
    pub fn is_character_reference_style(&self, style_id: &str) -> bool {
        let is_reference = |text: &str| REFERENCE_STYLES.contains(&&*key(text));
        is_reference(style_id) || self.name(style_id).is_some_and(is_reference)
    }

    /// The paragraph style that Word gives to what is typed behind a heading (`w:next`); `None` behind body text, or
    /// when the heading goes on in its own style.
    #[must_use]
    pub fn follower_of_heading(&self, document: &Document, paragraph: NodeId) -> Option<String> {
        let id = self.of_paragraph(document, paragraph)?;
        self.outline_level(id)?;
        let next = self.chain(id).find_map(|style| style.next.as_deref())?;
        self.get(next).filter(|style| style.is_paragraph && style.id != id).map(|style| style.id.clone())
    }

    /// Whether run properties (`w:rPr`) name a style that marks a reference or a link.
    #[must_use]
    pub fn is_reference_format(&self, document: &Document, properties: NodeId) -> bool {
        value_of(document, properties, names::R_STYLE)
            .is_some_and(|id| self.is_character_reference_style(&id))
    }

    /// The style as shown to a reader, as in `[P3|Heading1]`: the id when it is plain ASCII letters and digits, else
    /// the name without spaces and without the characters that the notation itself uses.
    #[must_use]
    pub fn label(&self, style_id: &str) -> String {
        if !style_id.is_empty() && style_id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return style_id.to_owned();
        }
        let name = self.name(style_id).map(readable).filter(|name| !name.is_empty());
        name.unwrap_or_else(|| readable(style_id))
    }

    /// The style and those it is based on, nearest first.
    pub(crate) fn chain(&self, style_id: &str) -> impl Iterator<Item = &Style> {
        std::iter::successors(self.get(style_id), |style| self.get(style.based_on.as_deref()?))
            .take(MAX_CHAIN)
    }

    /// The style that a paragraph has: the one it names, or the default where it names none or one that is missing.
    pub(crate) fn of_paragraph(&self, document: &Document, paragraph: NodeId) -> Option<&str> {
        let named = document
            .child(paragraph, names::P_PR)
            .and_then(|properties| value_of(document, properties, names::P_STYLE))
            .and_then(|id| self.get(&id));
        named.map(|style| &*style.id).or_else(|| self.default_paragraph())
    }

    fn get(&self, style_id: &str) -> Option<&Style> {
        self.styles.get(*self.by_id.get(style_id)?)
    }
}

impl Style {
    fn parse(document: &Document, node: NodeId, id: String) -> Self {
        let value = |parent: Option<NodeId>, name| value_of(document, parent?, name);
        let properties = document.child(node, names::P_PR);
        let numbering = properties.and_then(|properties| document.child(properties, names::NUM_PR));
        let kind = document.attribute(node, names::TYPE);
        Self {
            id,
            name: value(Some(node), names::NAME),
            is_paragraph: kind.as_deref().is_none_or(|kind| kind == "paragraph"),
            is_character: kind.as_deref() == Some("character"),
            is_table: kind.as_deref() == Some("table"),
            based_on: value(Some(node), names::BASED_ON),
            next: value(Some(node), names::NEXT),
            num_id: value(numbering, names::NUM_ID).and_then(|value| integer(&value)),
            level: value(numbering, names::ILVL).and_then(|value| level(&value)),
            outline: value(properties, names::OUTLINE_LVL).and_then(|value| integer(&value)),
        }
    }

    /// Word knows its headings by name, even where a generator left the outline level out.
    fn heading_level(&self) -> Option<i64> {
        let number = key(self.name.as_deref()?).strip_prefix("heading")?.parse::<i64>().ok()?;
        (1..=i64::from(DEEPEST_LEVEL) + 1).contains(&number).then(|| number - 1)
    }
}

/// The `w:val` of a child.
pub(crate) fn value_of(document: &Document, parent: NodeId, name: QName) -> Option<String> {
    document.attribute(document.child(parent, name)?, names::VAL).map(Cow::into_owned)
}

/// A whole number as the format writes it; `None` for everything else.
pub(crate) fn integer(value: &str) -> Option<i64> {
    value.trim().parse().ok()
}

/// A list level; what is beyond the nine levels is brought back to the nearest.
pub(crate) fn level(value: &str) -> Option<u8> {
    u8::try_from(integer(value)?.clamp(0, i64::from(DEEPEST_LEVEL))).ok()
}

/// An on/off value that is there (ISO/IEC 29500-1, 22.9.2.7).
pub(crate) fn is_on(value: &str) -> bool {
    !matches!(value, "0" | "false" | "off")
}

/// A name to compare by.
fn key(text: &str) -> String {
    text.chars().filter(|character| !character.is_whitespace()).flat_map(char::to_lowercase).collect()
}

fn readable(text: &str) -> String {
    let is_notation = |character: char| matches!(character, '[' | ']' | '|');
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control() && !is_notation(*c)).collect()
}
