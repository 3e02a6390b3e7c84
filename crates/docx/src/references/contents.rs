//! Tables of contents: what a table's code asks for, which lines it has, and which paragraph each line is of
//! (ISO/IEC 29500-1 §17.16.5.68).
//!
//! Must never change a tree, and never guess a page.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use engross_xml::{Document, NodeId};

use super::document::References;
use super::instruction::Instruction;
use super::story::{Field, Leaf, Story};
use crate::model::OBJECT;
use crate::sections::outline_level;
use crate::styles::Styles;

/// The deepest level that a table of contents knows.
const DEEPEST: u8 = 9;

/// Which paragraphs a table of contents lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentsCode {
    /// The levels of built-in headings (`\o`).
    headings: Option<RangeInclusive<u8>>,
    /// Whether outline levels count (`\u`).
    by_outline: bool,
    /// Names of styles in lower case, each with its level (`\t`).
    styles: BTreeMap<String, u8>,
}

/// Why a table of contents is left to Word.
const OTHER_TABLE: &str = "it lists other things than headings";

impl ContentsCode {
    /// Reads the code of a table that lists headings alone. `has_entries` says whether the document marks entries by fields `TC`,
    /// without which the switches for them ask for nothing.
    pub(crate) fn parse(instruction: &Instruction, has_entries: bool) -> Result<Self, &'static str> {
        let has = |letters: &[char]| letters.iter().any(|letter| instruction.has_switch(*letter));
        // Captions, or a part of the document.
        if instruction.name() != "TOC" || has(&['a', 'b', 'c']) || has_entries && has(&['f', 'l']) {
            return Err(OTHER_TABLE);
        }
        let levels = |letter: char| instruction.switch_argument(letter).and_then(levels);
        let headings = instruction.has_switch('o').then(|| levels('o').unwrap_or(1..=DEEPEST));
        let mut styles = BTreeMap::new();
        if let Some(list) = instruction.switch_argument('t') {
            let words: Vec<&str> =
                list.split([',', ';']).map(str::trim).filter(|word| !word.is_empty()).collect();
            for pair in words.chunks(2) {
                let [name, level] = pair else { return Err("its list of styles cannot be read") };
                let level = level.parse().map_err(|_| "its list of styles cannot be read")?;
                styles.insert(name.to_lowercase(), level);
            }
        }
        let by_outline = instruction.has_switch('u');
        if headings.is_none() && styles.is_empty() && !by_outline {
            return Ok(Self { headings: Some(1..=DEEPEST), by_outline: false, styles });
        }
        Ok(Self { headings, by_outline, styles })
    }

    /// The level at which a paragraph is listed.
    fn level(&self, document: &Document, paragraph: NodeId, styles: &Styles) -> Option<u8> {
        let style = styles.of_paragraph(document, paragraph);
        let name = style.and_then(|style| styles.name(style)).map(str::to_lowercase).unwrap_or_default();
        if let Some(level) = self.styles.get(&name) {
            return Some(*level);
        }
        let asked = self.headings.clone().unwrap_or(1..=DEEPEST);
        if self.headings.is_some()
            && let Some(level) = name.strip_prefix("heading ").and_then(|level| level.parse().ok())
        {
            return Some(level).filter(|level| asked.contains(level));
        }
        let outline = outline_level(document, paragraph)
            .unwrap_or_else(|| style.and_then(|style| styles.outline_level(style)));
        outline.filter(|_| self.by_outline).map(|level| level + 1).filter(|level| asked.contains(level))
    }
}

/// `1-3`, or one level.
fn levels(text: &str) -> Option<RangeInclusive<u8>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
}

/// A paragraph that a table of contents lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentsHeading {
    /// Its place in the body, from 0.
    pub(crate) paragraph: usize,
    /// From 1.
    pub(crate) level: u8,
    /// The number that its list shows.
    pub(crate) label: Option<String>,
    pub(crate) title: String,
    /// A bookmark that lines of contents lead to, if it has one.
    pub(crate) bookmark: Option<String>,
}

/// A line of a table of contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentsLine {
    /// Its place in the body, from 0.
    pub(crate) paragraph: usize,
    /// The paragraph that it is of, if that is there.
    pub(crate) of: Option<usize>,
    /// Whether it says of which paragraph it is, there or not.
    pub(crate) has_target: bool,
    /// The number before the title, with what parts them left out.
    pub(crate) label: Vec<Leaf>,
    pub(crate) title: Vec<Leaf>,
}

impl ContentsLine {
    fn words(leaves: &[Leaf]) -> String {
        leaves.iter().map(|leaf| leaf.text.as_str()).collect()
    }

    pub(crate) fn label_text(&self) -> String {
        Self::words(&self.label)
    }

    pub(crate) fn title_text(&self) -> String {
        Self::words(&self.title)
    }

    /// Whether it says what it should, white space aside.
    pub(crate) fn says(&self, heading: &ContentsHeading) -> bool {
        let squeezed =
            |parts: [&str; 2]| -> String { parts.concat().chars().filter(|c| !c.is_whitespace()).collect() };
        let wanted = squeezed([heading.label.as_deref().unwrap_or_default(), &heading.title]);
        wanted == squeezed([&self.label_text(), &self.title_text()])
    }
}

impl References {
    /// The paragraphs of the body that a table of contents with this code lists, in order.
    pub(crate) fn contents_headings(
        &self,
        document: &Document,
        code: &ContentsCode,
        styles: &Styles,
    ) -> Vec<ContentsHeading> {
        let Some(body) = self.stories.first() else { return Vec::new() };
        let story = &body.story;
        let lines = story.contents_lines(document);
        let mut bookmarks: BTreeMap<usize, &str> = BTreeMap::new();
        for bookmark in story.bookmarks.iter().filter(|bookmark| bookmark.name.starts_with("_Toc")) {
            if let Some(owner) = story.owner(bookmark.first) {
                bookmarks.entry(owner).or_insert(&bookmark.name);
            }
        }
        let mut found = Vec::new();
        for (paragraph, node) in story.paragraphs.iter().enumerate() {
            if story.owner(paragraph) != Some(paragraph) || lines.contains(&paragraph) {
                continue;
            }
            let Some(level) = code.level(document, *node, styles) else { continue };
            let title = one_line(&story.text(document, paragraph));
            if title.is_empty() {
                continue;
            }
            let label = body.labels.of(paragraph).map(|label| label.text.trim().to_owned());
            let bookmark = bookmarks.get(&paragraph).map(|name| (*name).to_owned());
            found.push(ContentsHeading { paragraph, level, label, title, bookmark });
        }
        found
    }

    /// The lines of a table of contents of the body.
    pub(crate) fn contents_lines(&self, document: &Document, table: &Field) -> Vec<ContentsLine> {
        let Some(body) = self.stories.first() else { return Vec::new() };
        let story = &body.story;
        let mut lines: Vec<(usize, Vec<Leaf>)> = Vec::new();
        for leaf in story.result(document, table) {
            match lines.last_mut() {
                Some((paragraph, leaves)) if *paragraph == leaf.paragraph => leaves.push(leaf),
                _ => lines.push((leaf.paragraph, vec![leaf])),
            }
        }
        let line = |(paragraph, leaves): (usize, Vec<Leaf>)| {
            let target = target_name(story, table, paragraph);
            let of = target.and_then(|name| self.target(name)).filter(|target| target.story == 0);
            let of = of.and_then(|target| {
                let owner = target.owner?;
                // What was struck with its bookmark is no part of the paragraph into which it runs.
                let is_there =
                    owner == target.bookmark.first || !story.content(document, target.bookmark).is_empty();
                is_there.then_some(owner)
            });
            let (label, title) = parts_of(leaves);
            ContentsLine { paragraph, of, has_target: target.is_some(), label, title }
        };
        lines.into_iter().map(line).collect()
    }
}

/// The bookmark that a line leads to: by its link, else by its page.
fn target_name<'a>(story: &'a Story, table: &Field, paragraph: usize) -> Option<&'a str> {
    let own = story.fields.iter().filter(|field| field.first == paragraph && *field != table);
    own.filter_map(|field| field.instruction.bookmark()).next()
}

/// What stands before the last tab, behind which is the page: the number, if a tab is behind it, and the title.
fn parts_of(mut leaves: Vec<Leaf>) -> (Vec<Leaf>, Vec<Leaf>) {
    let is_tab = |leaf: &Leaf| leaf.text == "\t";
    let is_page = |leaves: &[Leaf]| {
        let page: String = leaves.iter().map(|leaf| leaf.text.trim()).collect();
        !page.is_empty() && page.chars().count() <= 8 && page.chars().all(char::is_alphanumeric)
    };
    if let Some(at) = leaves.iter().rposition(is_tab)
        && (at + 1 == leaves.len() || leaves.get(at + 1..).is_some_and(is_page))
    {
        leaves.truncate(at);
    }
    match leaves.iter().position(is_tab) {
        Some(at) => {
            let title = leaves.split_off(at + 1);
            leaves.truncate(at);
            (leaves, title)
        }
        None => (Vec::new(), leaves),
    }
}

/// A title as a line shows it: without marks of objects, and in one line.
fn one_line(text: &str) -> String {
    let words: String = text.chars().filter(|c| *c != OBJECT).collect();
    words.split(char::is_whitespace).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
