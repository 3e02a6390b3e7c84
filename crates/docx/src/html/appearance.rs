//! Which formatting of text and paragraphs is shown: what styles and direct formatting say, as elements and classes.
//!
//! Sizes, indents and colours are brought to a few steps, each with a class of the style sheet. Must never trust the chain of styles.

use std::collections::HashMap;

use engross_xml::{Document, NodeId, QName};

use super::markup::Wrapper;
use crate::model::is_on;
use crate::names::{
    ASCII, B, BASED_ON, BIDI, CAPS, COLOR, DOC_DEFAULTS, DSTRIKE, FIRST_LINE, HANGING, HIGHLIGHT, I, IND, JC,
    LANG, LEFT, P_PR, PAGE_BREAK_BEFORE, R_FONTS, R_PR, R_PR_DEFAULT, R_STYLE, RTL, SMALL_CAPS, START,
    STRIKE, STYLE, STYLE_ID, SZ, U, VAL, VANISH, VERT_ALIGN,
};
use crate::styles::Styles;

/// How far a chain of styles is followed.
const MAX_CHAIN: usize = 32;

/// The properties that are on or off, which a character style turns round where a paragraph style has them.
const TOGGLES: [QName; 7] = [B, I, CAPS, SMALL_CAPS, STRIKE, DSTRIKE, VANISH];

/// The element or class of each toggle where it is on, and the class where it is off within text that has it.
const TOGGLE_SIGNS: [(Sign, &str); 7] = [
    (Sign::Element("b"), "no-b"),
    (Sign::Element("i"), "no-i"),
    (Sign::Class("caps"), "no-caps"),
    (Sign::Class("small-caps"), "no-caps"),
    (Sign::Element("s"), ""),
    (Sign::Class("double-strike"), ""),
    (Sign::Class("hidden-text"), ""),
];

#[derive(Debug, Clone, Copy)]
enum Sign {
    Element(&'static str),
    Class(&'static str),
}

/// The formatting of text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct RunAppearance {
    toggles: [Option<bool>; 7],
    underline: Option<bool>,
    position: Option<Position>,
    highlight: Option<&'static str>,
    colour: Option<&'static str>,
    /// In half points.
    size: Option<u32>,
    is_code: Option<bool>,
    /// Whether it runs from right to left.
    pub(super) is_rtl: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Line,
    Above,
    Below,
}

impl RunAppearance {
    fn read(document: &Document, properties: NodeId) -> Self {
        let mut out = Self::default();
        for child in document.children(properties) {
            let value = || document.attribute(child, VAL).unwrap_or_default();
            match document.name(child) {
                U => out.underline = Some(!matches!(&*value(), "" | "none")),
                VERT_ALIGN => {
                    out.position = Some(match &*value() {
                        "superscript" => Position::Above,
                        "subscript" => Position::Below,
                        _ => Position::Line,
                    });
                }
                HIGHLIGHT => out.highlight = Some(highlight(&value())),
                COLOR => out.colour = Some(hue(&value())),
                SZ => out.size = value().trim().parse().ok().filter(|size| (2..=400).contains(size)),
                R_FONTS => {
                    out.is_code =
                        document.attribute(child, ASCII).map(|font| is_code_font(&font)).or(out.is_code);
                }
                RTL => out.is_rtl = Some(is_on(document, child)),
                name => {
                    if let Some(at) = TOGGLES.iter().position(|toggle| *toggle == name)
                        && let Some(toggle) = out.toggles.get_mut(at)
                    {
                        *toggle = Some(is_on(document, child));
                    }
                }
            }
        }
        out
    }

    /// This over what is below it.
    fn over(self, below: Self) -> Self {
        let mut toggles = below.toggles;
        for (own, below) in self.toggles.iter().zip(&mut toggles) {
            *below = own.or(*below);
        }
        Self {
            toggles,
            underline: self.underline.or(below.underline),
            position: self.position.or(below.position),
            highlight: self.highlight.or(below.highlight),
            colour: self.colour.or(below.colour),
            size: self.size.or(below.size),
            is_code: self.is_code.or(below.is_code),
            is_rtl: self.is_rtl.or(below.is_rtl),
        }
    }

    /// A character style over a paragraph style: what both turn on is off (ISO/IEC 29500-1 §17.7.3).
    fn toggled_over(self, below: Self) -> Self {
        let mut out = self.over(below);
        for ((own, base), toggle) in self.toggles.iter().zip(below.toggles).zip(&mut out.toggles) {
            if *own == Some(true) && base == Some(true) {
                *toggle = Some(false);
            }
        }
        out
    }

    /// The elements that show it within text that looks as `around`.
    pub(super) fn wrappers(&self, around: &Self, out: &mut Vec<Wrapper>) {
        let mut classes: Vec<&str> = Vec::new();
        let mut elements: Vec<&'static str> = Vec::new();
        for ((own, base), (sign, off)) in self.toggles.iter().zip(around.toggles).zip(TOGGLE_SIGNS) {
            match (own.unwrap_or(false), base.unwrap_or(false), sign) {
                (true, false, Sign::Element(name)) => elements.push(name),
                (true, false, Sign::Class(class)) => classes.push(class),
                (false, true, _) if !off.is_empty() => classes.push(off),
                _ => {}
            }
        }
        if self.underline == Some(true) && around.underline != Some(true) {
            elements.push("u");
        }
        match self.position {
            Some(Position::Above) => elements.push("sup"),
            Some(Position::Below) => elements.push("sub"),
            _ => {}
        }
        if self.is_code == Some(true) && around.is_code != Some(true) {
            elements.push("code");
        }
        classes.extend(self.highlight.filter(|class| !class.is_empty()));
        let colour = self.colour.unwrap_or_default();
        if colour != around.colour.unwrap_or_default() {
            classes.push(if colour.is_empty() { "c-text" } else { colour });
        }
        if let (Some(own), Some(base)) = (self.size, around.size) {
            classes.extend(size_class(own, base));
        }
        if !classes.is_empty() {
            out.push(Wrapper::new("span", format!(" class=\"{}\"", classes.join(" ")), 0));
        }
        out.extend(elements.into_iter().map(Wrapper::plain));
    }

    /// The classes that show it on a block.
    fn classes(&self, size: u32, out: &mut Vec<&'static str>) {
        const ON_BLOCKS: [&str; 7] =
            ["strong", "slanted", "caps", "small-caps", "struck", "double-strike", "hidden-text"];
        let on = self.toggles.iter().zip(ON_BLOCKS).filter(|(toggle, _)| **toggle == Some(true));
        out.extend(on.map(|(_, class)| class));
        if self.underline == Some(true) {
            out.push("underlined");
        }
        if self.is_code == Some(true) {
            out.push("mono");
        }
        out.extend(self.colour.filter(|class| !class.is_empty()));
        out.extend(self.size.and_then(|own| size_class(own, size)));
    }
}

/// The formatting of a paragraph.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ParagraphAppearance {
    align: Option<&'static str>,
    /// In twentieths of a point, from the side where lines begin.
    indent: Option<i32>,
    /// How much further the first line begins.
    first: Option<i32>,
    has_page_break: Option<bool>,
    pub(super) is_rtl: Option<bool>,
    /// That of its text.
    pub(super) run: RunAppearance,
}

impl ParagraphAppearance {
    fn read(document: &Document, properties: NodeId) -> Self {
        let mut out = Self::default();
        for child in document.children(properties) {
            match document.name(child) {
                JC => {
                    out.align = Some(match document.attribute(child, VAL).as_deref() {
                        Some("center") => "centred",
                        Some("right" | "end") => "at-end",
                        Some("both" | "distribute") => "justified",
                        _ => "",
                    });
                }
                IND => {
                    let number = |name| {
                        let value = document.attribute(child, name)?;
                        value.trim().parse::<i32>().ok().map(|value| value.clamp(-20_000, 20_000))
                    };
                    out.indent = number(START).or_else(|| number(LEFT)).or(out.indent);
                    let hanging = number(HANGING).map(|value| -value);
                    out.first = hanging.or_else(|| number(FIRST_LINE)).or(out.first);
                }
                BIDI => out.is_rtl = Some(is_on(document, child)),
                PAGE_BREAK_BEFORE => out.has_page_break = Some(is_on(document, child)),
                _ => {}
            }
        }
        out
    }

    fn over(self, below: Self) -> Self {
        Self {
            align: self.align.or(below.align),
            indent: self.indent.or(below.indent),
            first: self.first.or(below.first),
            has_page_break: self.has_page_break.or(below.has_page_break),
            is_rtl: self.is_rtl.or(below.is_rtl),
            run: self.run.over(below.run),
        }
    }

    /// The classes that show it. `list_level` is that of its number, if it has one; `size` that of usual text.
    pub(super) fn classes(&self, list_level: Option<u8>, size: u32) -> Vec<&'static str> {
        /// A step of indents, in twentieths of a point.
        const STEP: i32 = 360;
        const INDENTS: [&str; 13] =
            ["", "in1", "in2", "in3", "in4", "in5", "in6", "in7", "in8", "in9", "in10", "in11", "in12"];
        let mut out = Vec::new();
        out.extend(self.align.filter(|class| !class.is_empty()));
        let of_list = list_level.map(|level| STEP * (i32::from(level) + 1));
        let indent = self.indent.or(of_list).unwrap_or(0);
        let step = usize::try_from((indent + STEP / 2) / STEP).unwrap_or(0).min(INDENTS.len() - 1);
        out.extend(INDENTS.get(step).filter(|class| !class.is_empty()));
        if list_level.is_some() {
            out.push("numbered");
        } else if self.first.is_some_and(|first| first >= STEP / 2) {
            out.push("first-in");
        } else if self.first.is_some_and(|first| first <= -STEP / 2) {
            out.push("hanging");
        }
        if self.has_page_break == Some(true) {
            out.push("new-page");
        }
        self.run.classes(size, &mut out);
        out
    }
}

/// What a style says itself.
struct OwnStyle {
    based_on: Option<String>,
    paragraph: ParagraphAppearance,
}

/// What the styles of a document show.
#[derive(Default)]
pub(super) struct Appearances {
    styles: HashMap<String, ParagraphAppearance>,
    defaults: ParagraphAppearance,
    /// The size of usual text, in half points.
    pub(super) size: u32,
    /// The language of usual text.
    pub(super) language: Option<String>,
}

impl Appearances {
    pub(super) fn read(tree: Option<&Document>, styles: &Styles) -> Self {
        let mut all = Self { size: 20, ..Self::default() };
        let Some(tree) = tree else { return all };
        let defaults = tree.child(tree.root(), DOC_DEFAULTS);
        let default_run =
            defaults.and_then(|node| tree.child(node, R_PR_DEFAULT)).and_then(|node| tree.child(node, R_PR));
        if let Some(properties) = default_run {
            all.defaults.run = RunAppearance::read(tree, properties);
            all.language = tree
                .child(properties, LANG)
                .and_then(|language| tree.attribute(language, VAL))
                .filter(|language| is_language(language))
                .map(std::borrow::Cow::into_owned);
        }
        all.defaults.run.size.get_or_insert(20);
        let mut own: HashMap<String, OwnStyle> = HashMap::new();
        for node in tree.children(tree.root()).filter(|node| tree.name(*node) == STYLE) {
            let Some(id) = tree.attribute(node, STYLE_ID) else { continue };
            let mut paragraph = tree
                .child(node, P_PR)
                .map(|properties| ParagraphAppearance::read(tree, properties))
                .unwrap_or_default();
            if let Some(properties) = tree.child(node, R_PR) {
                paragraph.run = RunAppearance::read(tree, properties);
            }
            let based_on = tree.child(node, BASED_ON).and_then(|node| tree.attribute(node, VAL));
            let style = OwnStyle { based_on: based_on.map(std::borrow::Cow::into_owned), paragraph };
            own.entry(id.into_owned()).or_insert(style);
        }
        for id in own.keys() {
            let chain = std::iter::successors(own.get(id), |style| own.get(style.based_on.as_ref()?));
            let shown = chain
                .take(MAX_CHAIN)
                .fold(ParagraphAppearance::default(), |above, style| above.over(style.paragraph));
            all.styles.insert(id.clone(), shown);
        }
        let usual = styles.default_paragraph().and_then(|id| all.styles.get(id));
        all.size = usual.and_then(|usual| usual.run.size).or(all.defaults.run.size).unwrap_or(20);
        all
    }

    /// That of a paragraph.
    pub(super) fn of_paragraph(
        &self,
        document: &Document,
        paragraph: NodeId,
        styles: &Styles,
    ) -> ParagraphAppearance {
        let style = styles.of_paragraph(document, paragraph).and_then(|id| self.styles.get(id));
        let below = style.copied().unwrap_or_default().over(self.defaults);
        let own = document.child(paragraph, P_PR).map(|own| ParagraphAppearance::read(document, own));
        own.unwrap_or_default().over(below)
    }

    /// That of a run with these properties in a paragraph.
    pub(super) fn of_run(
        &self,
        document: &Document,
        properties: Option<NodeId>,
        paragraph: &ParagraphAppearance,
    ) -> RunAppearance {
        let Some(properties) = properties else { return paragraph.run };
        let style = document.child(properties, R_STYLE).and_then(|style| document.attribute(style, VAL));
        let style = style.and_then(|id| self.styles.get(&*id)).map(|style| style.run).unwrap_or_default();
        RunAppearance::read(document, properties).over(style.toggled_over(paragraph.run))
    }
}

/// Whether a text is a language tag.
fn is_language(text: &str) -> bool {
    (2..=35).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn is_code_font(font: &str) -> bool {
    const FONTS: &[&str] =
        &["courier new", "courier", "consolas", "menlo", "monaco", "lucida console", "cascadia code"];
    FONTS.contains(&font.to_lowercase().as_str())
}

/// The class of a size beside that of the text around.
fn size_class(own: u32, around: u32) -> Option<&'static str> {
    match own * 100 / around.max(1) {
        0..70 => Some("tiny"),
        70..92 => Some("small"),
        92..109 => None,
        109..130 => Some("large"),
        130..165 => Some("larger"),
        165..220 => Some("huge"),
        _ => Some("giant"),
    }
}

fn highlight(value: &str) -> &'static str {
    match value {
        "" | "none" => "",
        "green" | "darkGreen" => "h-green",
        "cyan" | "darkCyan" | "blue" | "darkBlue" => "h-blue",
        "magenta" | "darkMagenta" | "red" | "darkRed" => "h-red",
        "lightGray" | "darkGray" | "black" | "white" => "h-grey",
        _ => "h-yellow",
    }
}

/// The nearest of a few colours that are readable on both light and dark paper; nothing for black and what is near it.
fn hue(value: &str) -> &'static str {
    let part = |at: usize| value.get(at..at + 2).and_then(|part| i32::from_str_radix(part, 16).ok());
    let (Some(red), Some(green), Some(blue)) = (part(0), part(2), part(4)) else { return "" };
    let (most, least) = (red.max(green).max(blue), red.min(green).min(blue));
    if most < 0x50 {
        return "";
    }
    if most - least < 0x28 {
        return if most > 0x60 { "c-grey" } else { "" };
    }
    if most == red {
        if green > (red * 2) / 5 && green > blue { "c-orange" } else { "c-red" }
    } else if most == green {
        "c-green"
    } else if red > green + 0x30 {
        "c-purple"
    } else {
        "c-blue"
    }
}
