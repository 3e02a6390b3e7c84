//! The numbering part as definitions: abstract lists, their instances, and what instances override.
//!
//! Must never follow a link between definitions without a bound: they may refer to one another in a circle.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use engross_xml::{Document, NodeId};

use super::format::NumberFormat;
use super::symbols::SymbolFont;
use crate::names;
use crate::styles::{DEEPEST_LEVEL, Styles, integer, is_on, level, value_of};

/// How many links from a list to a list style are followed.
const MAX_LINKS: usize = 8;

/// Characters of a level's text; no list that people read comes near it.
const MAX_LEVEL_TEXT: usize = 256;

/// The numbering definitions of a document.
#[derive(Debug, Clone, Default)]
pub struct Numbering {
    lists: Vec<AbstractList>,
    list_by_id: BTreeMap<i64, usize>,
    list_by_style: BTreeMap<String, usize>,
    instances: BTreeMap<i64, Instance>,
}

/// `w:abstractNum`.
#[derive(Debug, Clone, Default)]
struct AbstractList {
    levels: BTreeMap<u8, Level>,
    /// The numbering style whose list this one shows instead of its own levels.
    shows_style: Option<String>,
}

/// `w:num`.
#[derive(Debug, Clone, Default)]
struct Instance {
    list: Option<i64>,
    overrides: BTreeMap<u8, Override>,
}

/// `w:lvlOverride`.
#[derive(Debug, Clone, Default)]
struct Override {
    start: Option<i64>,
    level: Option<Level>,
}

/// How one level of a list counts and is shown (`w:lvl`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// The first number.
    pub start: i64,
    /// How the number is shown.
    pub format: NumberFormat,
    /// The text with `%1` to `%9` in place of the numbers; of a bullet, the character in its own font.
    pub text: String,
    /// `w:lvlRestart`: the level (from 1) after which this one starts again, 0 for never, `None` for any shallower one.
    pub restart_after: Option<i64>,
    /// Every number in the text is shown in decimal.
    pub is_legal: bool,
    /// The paragraph style that has this level.
    pub paragraph_style: Option<String>,
    pub(super) font: Option<SymbolFont>,
}

/// What a level that nobody defined counts like. It shows nothing itself.
static UNDEFINED: Level = Level {
    start: 1,
    format: NumberFormat::Decimal,
    text: String::new(),
    restart_after: None,
    is_legal: false,
    paragraph_style: None,
    font: None,
};

/// An instance with the abstract list that it shows, links followed.
#[derive(Clone, Copy)]
pub(super) struct List<'a> {
    /// Identifies the abstract list. All its instances count together.
    pub(super) number: usize,
    list: &'a AbstractList,
    instance: &'a Instance,
}

impl Numbering {
    /// Reads the tree of the numbering part; `None` for a document without one.
    #[must_use]
    pub fn parse(document: Option<&Document>) -> Self {
        let mut numbering = Self::default();
        let Some(document) = document else { return numbering };
        let id = |node, name| document.attribute(node, name).and_then(|value| integer(&value));
        // Of two definitions with one id the first is used.
        for node in document.children(document.root()) {
            let name = document.name(node);
            if name == names::ABSTRACT_NUM {
                let Some(id) = id(node, names::ABSTRACT_NUM_ID) else { continue };
                let Entry::Vacant(place) = numbering.list_by_id.entry(id) else { continue };
                place.insert(numbering.lists.len());
                if let Some(style) = value_of(document, node, names::STYLE_LINK) {
                    numbering.list_by_style.entry(style).or_insert(numbering.lists.len());
                }
                numbering.lists.push(AbstractList::parse(document, node));
            } else if name == names::NUM {
                let Some(id) = id(node, names::NUM_ID) else { continue };
                numbering.instances.entry(id).or_insert_with(|| Instance::parse(document, node));
            }
        }
        numbering
    }

    /// The highest `w:numId` there is; 0 when there is none.
    pub(crate) fn highest_instance(&self) -> i64 {
        self.instances.keys().copied().max().unwrap_or(0).max(0)
    }

    /// How a level (0 to 8; deeper ones count as 8) of an instance is shown; `None` when it is not defined.
    #[must_use]
    pub fn level(&self, num_id: i64, level: u8, styles: &Styles) -> Option<&Level> {
        self.list(num_id, styles)?.defined_level(level.min(DEEPEST_LEVEL))
    }

    /// What the instances of one list have in common: they count together. `None` when it is not defined.
    pub(crate) fn list_identity(&self, num_id: i64, styles: &Styles) -> Option<usize> {
        self.list(num_id, styles).map(|list| list.number)
    }

    /// The level of an instance that is bound to a paragraph style.
    #[must_use]
    pub fn level_of_style(&self, num_id: i64, style_id: &str, styles: &Styles) -> Option<u8> {
        let list = self.list(num_id, styles)?;
        (0..=DEEPEST_LEVEL).find(|level| {
            let bound = list.defined_level(*level).and_then(|level| level.paragraph_style.as_deref());
            bound == Some(style_id)
        })
    }

    /// A number for the list behind an instance: all instances that count together have the same.
    pub(crate) fn list_number(&self, num_id: i64, styles: &Styles) -> Option<usize> {
        self.list(num_id, styles).map(|list| list.number)
    }

    /// The list behind an instance.
    pub(super) fn list(&self, num_id: i64, styles: &Styles) -> Option<List<'_>> {
        let instance = self.instances.get(&num_id)?;
        let mut number = *self.list_by_id.get(&instance.list?)?;
        let mut list = self.lists.get(number)?;
        for _ in 0..MAX_LINKS {
            let linked = list.shows_style.as_deref().and_then(|style| self.list_of_style(style, styles));
            let Some((next, shown)) = linked.and_then(|next| Some((next, self.lists.get(next)?))) else {
                break;
            };
            (number, list) = (next, shown);
        }
        Some(List { number, list, instance })
    }

    /// The abstract list of a numbering style: by the instance that the style names, else by the list that says it
    /// defines the style.
    fn list_of_style(&self, style_id: &str, styles: &Styles) -> Option<usize> {
        let by_style = || {
            let (num_id, _) = styles.paragraph_numbering(style_id)?;
            self.list_by_id.get(&self.instances.get(&num_id?)?.list?).copied()
        };
        by_style().or_else(|| self.list_by_style.get(style_id).copied())
    }
}

impl<'a> List<'a> {
    pub(super) fn level(self, level: u8) -> &'a Level {
        self.defined_level(level).unwrap_or(&UNDEFINED)
    }

    /// The number that a level starts with in this instance.
    pub(super) fn start(self, level: u8) -> i64 {
        self.start_override(level).unwrap_or(self.level(level).start)
    }

    /// The number with which this instance, when it is first met, makes a level start again.
    pub(super) fn start_override(self, level: u8) -> Option<i64> {
        self.instance.overrides.get(&level)?.start
    }

    fn defined_level(self, level: u8) -> Option<&'a Level> {
        let overridden = self.instance.overrides.get(&level).and_then(|over| over.level.as_ref());
        overridden.or_else(|| self.list.levels.get(&level))
    }
}

impl AbstractList {
    fn parse(document: &Document, node: NodeId) -> Self {
        let mut list =
            Self { shows_style: value_of(document, node, names::NUM_STYLE_LINK), ..Self::default() };
        for child in document.children(node).filter(|child| document.name(*child) == names::LVL) {
            let Some(level) = level_number(document, child) else { continue };
            list.levels.entry(level).or_insert_with(|| Level::parse(document, child));
        }
        list
    }
}

impl Instance {
    fn parse(document: &Document, node: NodeId) -> Self {
        let list = value_of(document, node, names::ABSTRACT_NUM_ID).and_then(|value| integer(&value));
        let mut instance = Self { list, ..Self::default() };
        for child in document.children(node).filter(|child| document.name(*child) == names::LVL_OVERRIDE) {
            let Some(level) = level_number(document, child) else { continue };
            let start = value_of(document, child, names::START_OVERRIDE).and_then(|value| integer(&value));
            let replaced = document.child(child, names::LVL).map(|level| Level::parse(document, level));
            instance.overrides.entry(level).or_insert(Override { start, level: replaced });
        }
        instance
    }
}

impl Level {
    fn parse(document: &Document, node: NodeId) -> Self {
        let number = |name| value_of(document, node, name).and_then(|value| integer(&value));
        let text = value_of(document, node, names::LVL_TEXT).unwrap_or_default();
        let legal = document.child(node, names::IS_LGL);
        Self {
            // Left out means 0 (ISO/IEC 29500-1, 17.9.25).
            start: number(names::START).unwrap_or(0),
            format: format(document, node).unwrap_or(NumberFormat::Decimal),
            text: text.chars().take(MAX_LEVEL_TEXT).collect(),
            restart_after: number(names::LVL_RESTART),
            is_legal: legal
                .is_some_and(|legal| document.attribute(legal, names::VAL).is_none_or(|value| is_on(&value))),
            paragraph_style: value_of(document, node, names::P_STYLE),
            font: font(document, node),
        }
    }
}

/// The number format of a level. Word 2010 wraps its own ones in `mc:AlternateContent`, with a plain one as fallback.
fn format(document: &Document, level: NodeId) -> Option<NumberFormat> {
    let parse = |node| {
        let value = document.attribute(node, names::VAL)?;
        Some(NumberFormat::parse(&value, document.attribute(node, names::FORMAT).as_deref()))
    };
    if let Some(node) = document.child(level, names::NUM_FMT) {
        return parse(node);
    }
    let alternatives = document.child(level, names::ALTERNATE_CONTENT)?;
    let mut formats = document
        .children(alternatives)
        .filter_map(|branch| parse(document.child(branch, names::NUM_FMT)?))
        .filter(|format| *format != NumberFormat::Other);
    formats.next()
}

fn font(document: &Document, level: NodeId) -> Option<SymbolFont> {
    let fonts = document.child(document.child(level, names::R_PR)?, names::R_FONTS)?;
    let name =
        document.attribute(fonts, names::ASCII).or_else(|| document.attribute(fonts, names::H_ANSI))?;
    SymbolFont::named(&name)
}

fn level_number(document: &Document, node: NodeId) -> Option<u8> {
    level(&document.attribute(node, names::ILVL)?)
}
