//! Property elements: where each child stands, how one is set, and what a format asks for.
//!
//! Must never track: that is `revision_writer`'s and `run_formats`'.

use engross_xml::{Document, NodeId, QName};

use crate::edit::property_order::property_order;
use crate::names::{
    AFTER, AFTER_AUTO, ASCII, ASCII_THEME, B, B_CS, BEFORE, BEFORE_AUTO, BOTTOM, CAPS, COLOR, CS, CS_THEME,
    EAST_ASIA, EAST_ASIA_THEME, END, FIRST_LINE, H_ANSI, H_ANSI_THEME, HANGING, HIGHLIGHT, I, I_CS, ILVL,
    IND, JC, KEEP_LINES, KEEP_NEXT, LEFT, LINE, LINE_RULE, NUM_ID, NUM_PR, P_BDR, P_STYLE, PAGE_BREAK_BEFORE,
    R_FONTS, R_STYLE, RIGHT, SMALL_CAPS, SPACE, SPACING, START, STRIKE, SZ, SZ_CS, THEME_COLOR, THEME_SHADE,
    THEME_TINT, U, VAL, VERT_ALIGN, W_URI,
};
use crate::ops::{Alignment, LineSpacing, ParagraphFormat, RunFormat, Vertical};

/// One property as it shall be. Attributes that are not named stay when `merges`, and go otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) name: QName,
    /// `None`: the property goes.
    pub(crate) attributes: Option<Vec<(QName, String)>>,
    /// Attributes that go; then all others stay.
    pub(crate) drops: Vec<QName>,
    pub(crate) merges: bool,
    /// Elements within it, in order, each with its attributes.
    pub(crate) children: Vec<(QName, Vec<(QName, String)>)>,
}

impl Setting {
    /// A property with these attributes and no others.
    pub(crate) fn with(name: QName, attributes: &[(QName, &str)]) -> Self {
        let attributes = attributes.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self { attributes: Some(attributes), ..Self::gone(name) }
    }

    /// A property of which these attributes change, and others stay.
    pub(crate) fn merged(name: QName, attributes: &[(QName, &str)]) -> Self {
        Self { merges: true, ..Self::with(name, attributes) }
    }

    /// The paragraph is an item of a list.
    pub(crate) fn list(number: i64, level: u8) -> Self {
        let child = |name, value: String| (name, vec![(VAL, value)]);
        let children = vec![child(ILVL, level.to_string()), child(NUM_ID, number.to_string())];
        Self { attributes: Some(vec![]), children, ..Self::gone(NUM_PR) }
    }

    /// The paragraph has this style.
    pub(crate) fn style(id: &str) -> Self {
        Self::value(P_STYLE, id)
    }

    /// The paragraph stands so.
    pub(crate) fn alignment(value: &str) -> Self {
        Self::value(JC, value)
    }

    /// A line below the paragraph.
    pub(crate) fn line_below() -> Self {
        let line = [(VAL, "single"), (SZ, "6"), (SPACE, "1"), (COLOR, "auto")];
        let line = line.map(|(name, value)| (name, value.to_owned())).to_vec();
        Self { attributes: Some(vec![]), children: vec![(BOTTOM, line)], ..Self::gone(P_BDR) }
    }

    /// The paragraph begins so far in, in twentieths of a point.
    pub(crate) fn indent(length: u32) -> Self {
        let attributes = vec![(LEFT, length.to_string())];
        let drops = vec![START, FIRST_LINE, HANGING];
        Self { attributes: Some(attributes), drops, merges: true, ..Self::gone(IND) }
    }

    pub(crate) fn value(name: QName, value: &str) -> Self {
        Self {
            name,
            attributes: Some(vec![(VAL, value.to_owned())]),
            drops: vec![],
            merges: false,
            children: vec![],
        }
    }

    pub(crate) fn switch(name: QName, on: bool) -> Self {
        let attributes = if on { vec![] } else { vec![(VAL, "0".to_owned())] };
        Self { name, attributes: Some(attributes), drops: vec![], merges: false, children: vec![] }
    }

    pub(crate) fn gone(name: QName) -> Self {
        Self { name, attributes: None, drops: vec![], merges: false, children: vec![] }
    }

    /// Whether a property element already is so.
    pub(crate) fn holds(&self, document: &Document, properties: Option<NodeId>) -> bool {
        let own = properties.and_then(|properties| document.child(properties, self.name));
        match (&self.attributes, own) {
            (None, own) => own.is_none(),
            (Some(_), None) => false,
            (Some(wanted), Some(own)) => {
                let has = |(name, value): &(QName, String)| {
                    document.attribute(own, *name).is_some_and(|known| known == value.as_str())
                };
                let others = document.raw_attributes(own).count();
                let has_child = |(name, attributes): &(QName, Vec<(QName, String)>)| {
                    let child = document.child(own, *name);
                    child.is_some_and(|child| {
                        attributes.iter().all(|(name, value)| {
                            document.attribute(child, *name).is_some_and(|known| known == value.as_str())
                        })
                    })
                };
                self.children.iter().all(has_child)
                    && wanted.iter().all(has)
                    && self.drops.iter().all(|name| document.attribute(own, *name).is_none())
                    && (self.merges || others == wanted.len())
            }
        }
    }

    /// Makes it so.
    pub(crate) fn apply(&self, document: &mut Document, properties: NodeId) {
        let old = document.child(properties, self.name);
        let Some(attributes) = &self.attributes else {
            if let Some(old) = old {
                document.detach(old);
            }
            return;
        };
        match old.filter(|_| self.merges) {
            Some(old) => {
                for name in &self.drops {
                    document.remove_attribute(old, *name);
                }
                for (name, value) in attributes {
                    document.set_attribute(old, *name, value);
                }
            }
            None => {
                let attributes: Vec<(QName, &str)> =
                    attributes.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let property = set_property(document, properties, self.name, &attributes);
                for (name, attributes) in &self.children {
                    let child = document.new_element(*name);
                    for (name, value) in attributes {
                        document.set_attribute(child, *name, value);
                    }
                    document.append(property, child);
                }
            }
        }
    }
}

/// Sets a child of a property element at the place that the schema gives it.
pub(crate) fn set_property(
    document: &mut Document,
    properties: NodeId,
    name: QName,
    attributes: &[(QName, &str)],
) -> NodeId {
    if let Some(old) = document.child(properties, name) {
        document.detach(old);
    }
    let property = document.new_element(name);
    for (name, value) in attributes {
        document.set_attribute(property, *name, value);
    }
    let order = property_order(document.name(properties));
    let rank = |local: &str| order.iter().position(|known| *known == local).unwrap_or(usize::MAX);
    let own = rank(document.local_name(name));
    let after = document.children(properties).find(|child| {
        document.name(*child) != QName::NONE && rank(document.local_name(document.name(*child))) > own
    });
    match after {
        Some(sibling) => document.insert_before(sibling, property),
        None => document.append(properties, property),
    }
    property
}

/// What a run format asks of `w:rPr`. `style` is the id of the character style.
pub(crate) fn run_settings(format: &RunFormat, style: Option<&str>) -> Vec<Setting> {
    let mut settings = Vec::new();
    let switches = [
        (format.bold, [Some(B), Some(B_CS)]),
        (format.italic, [Some(I), Some(I_CS)]),
        (format.strike, [Some(STRIKE), None]),
        (format.caps, [Some(CAPS), None]),
        (format.small_caps, [Some(SMALL_CAPS), None]),
    ];
    for (on, names) in switches {
        if let Some(on) = on {
            settings.extend(names.into_iter().flatten().map(|name| Setting::switch(name, on)));
        }
    }
    if let Some(on) = format.underline {
        settings.push(Setting::value(U, if on { "single" } else { "none" }));
    }
    if let Some(vertical) = format.vertical {
        settings.push(match vertical {
            Vertical::Baseline => Setting::gone(VERT_ALIGN),
            Vertical::Superscript => Setting::value(VERT_ALIGN, "superscript"),
            Vertical::Subscript => Setting::value(VERT_ALIGN, "subscript"),
        });
    }
    if let Some(color) = &format.highlight {
        settings.push(match color.as_str() {
            "none" => Setting::gone(HIGHLIGHT),
            color => Setting::value(HIGHLIGHT, color),
        });
    }
    if let Some(color) = &format.color {
        settings.push(Setting {
            drops: vec![THEME_COLOR, THEME_TINT, THEME_SHADE],
            merges: true,
            ..Setting::value(COLOR, color)
        });
    }
    if let Some(size) = format.half_points {
        settings.extend([SZ, SZ_CS].map(|name| Setting::value(name, &size.to_string())));
    }
    if let Some(font) = &format.font {
        let attributes = [ASCII, H_ANSI, CS, EAST_ASIA].map(|name| (name, font.clone()));
        settings.push(Setting {
            attributes: Some(attributes.to_vec()),
            drops: vec![ASCII_THEME, H_ANSI_THEME, CS_THEME, EAST_ASIA_THEME],
            merges: true,
            ..Setting::gone(R_FONTS)
        });
    }
    if let Some(style) = style {
        settings.push(Setting::value(R_STYLE, style));
    }
    settings
}

/// What a paragraph format asks of `w:pPr`. `style` is the id of the paragraph style.
pub(crate) fn paragraph_settings(
    document: &Document,
    format: &ParagraphFormat,
    style: Option<&str>,
) -> Vec<Setting> {
    let root = document.name(document.root());
    let strict = document.namespace_uri(root) != W_URI;
    let mut settings = Vec::new();
    if let Some(style) = style {
        settings.push(Setting::value(P_STYLE, style));
    }
    let switches = [
        (format.keep_next, KEEP_NEXT),
        (format.keep_lines, KEEP_LINES),
        (format.page_break_before, PAGE_BREAK_BEFORE),
    ];
    settings.extend(switches.into_iter().filter_map(|(on, name)| on.map(|on| Setting::switch(name, on))));
    if let Some(alignment) = format.alignment {
        settings.push(Setting::value(
            JC,
            match (alignment, strict) {
                (Alignment::Left, false) => "left",
                (Alignment::Left, true) => "start",
                (Alignment::Right, false) => "right",
                (Alignment::Right, true) => "end",
                (Alignment::Center, _) => "center",
                (Alignment::Justify, _) => "both",
            },
        ));
    }
    let mut spacing = Vec::new();
    let mut dropped = Vec::new();
    for (length, name, automatic) in
        [(format.space_before, BEFORE, BEFORE_AUTO), (format.space_after, AFTER, AFTER_AUTO)]
    {
        if let Some(length) = length {
            spacing.push((name, length.to_string()));
            dropped.push(automatic);
        }
    }
    if let Some(line) = format.line_spacing {
        let (height, rule) = match line {
            LineSpacing::Multiple(height) => (height, "auto"),
            LineSpacing::Exactly(height) => (height, "exact"),
        };
        spacing.extend([(LINE, height.to_string()), (LINE_RULE, rule.to_owned())]);
    }
    if !spacing.is_empty() {
        settings.push(Setting {
            attributes: Some(spacing),
            drops: dropped,
            merges: true,
            ..Setting::gone(SPACING)
        });
    }
    let (left, right) = if strict { (START, END) } else { (LEFT, RIGHT) };
    let mut indent = Vec::new();
    let mut dropped = Vec::new();
    for (length, name, other) in
        [(format.indent_left, left, [LEFT, START]), (format.indent_right, right, [RIGHT, END])]
    {
        if let Some(length) = length {
            indent.push((name, length.to_string()));
            dropped.extend(other.into_iter().filter(|other| *other != name));
        }
    }
    if let Some(length) = format.first_line {
        let (name, other) = if length < 0 { (HANGING, FIRST_LINE) } else { (FIRST_LINE, HANGING) };
        indent.push((name, length.unsigned_abs().to_string()));
        dropped.push(other);
    }
    if !indent.is_empty() {
        settings.push(Setting {
            attributes: Some(indent),
            drops: dropped,
            merges: true,
            ..Setting::gone(IND)
        });
    }
    settings
}
