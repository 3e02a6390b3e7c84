//! The XML of built-in styles as Word has them.

use engross_xml::{Document, NodeId, QName};

use crate::edit::BuiltInStyle;
use crate::names::{
    AFTER, ASCII, B, B_CS, BASED_ON, BEFORE, COLOR, CS, H_ANSI, I, I_CS, IND, KEEP_LINES, KEEP_NEXT, LEFT,
    LINE, LINE_RULE, NAME, NEXT, OUTLINE_LVL, P_PR, Q_FORMAT, R_FONTS, R_PR, RIGHT, SPACING, STYLE, STYLE_ID,
    SZ, SZ_CS, TYPE, U, UI_PRIORITY, VAL, VERT_ALIGN,
};

type Property = (QName, Vec<(QName, String)>);

/// Adds a style at the end of the styles part. `base` is the default paragraph style.
pub(super) fn append_style(tree: &mut Document, style: BuiltInStyle, id: &str, base: Option<&str>) {
    let node = tree.new_element(STYLE);
    let kind = if style.is_character() { "character" } else { "paragraph" };
    tree.set_attribute(node, TYPE, kind);
    tree.set_attribute(node, STYLE_ID, id);
    with(tree, node, (NAME, vec![(VAL, style.name())]));
    if let Some(base) = base.filter(|_| !style.is_character()) {
        with(tree, node, (BASED_ON, vec![(VAL, base.to_owned())]));
        if matches!(style, BuiltInStyle::Heading(_) | BuiltInStyle::Quote) {
            with(tree, node, (NEXT, vec![(VAL, base.to_owned())]));
        }
    }
    with(tree, node, (UI_PRIORITY, vec![(VAL, "99".to_owned())]));
    if matches!(style, BuiltInStyle::Heading(_) | BuiltInStyle::Quote) {
        with(tree, node, (Q_FORMAT, vec![]));
    }
    let (paragraph, run) = properties(style);
    for (name, properties) in [(P_PR, paragraph), (R_PR, run)] {
        if properties.is_empty() {
            continue;
        }
        let holder = tree.new_element(name);
        tree.append(node, holder);
        properties.into_iter().for_each(|property| with(tree, holder, property));
    }
    let root = tree.root();
    tree.append(root, node);
}

fn with(tree: &mut Document, parent: NodeId, (name, attributes): Property) {
    let node = tree.new_element(name);
    for (name, value) in attributes {
        tree.set_attribute(node, name, &value);
    }
    tree.append(parent, node);
}

/// What a style says of paragraphs and of runs, in the sequence of the schema.
fn properties(style: BuiltInStyle) -> (Vec<Property>, Vec<Property>) {
    let value = |name, value: &str| -> Property { (name, vec![(VAL, value.to_owned())]) };
    let switch = |name| -> Property { (name, vec![]) };
    let named = |name, attributes: &[(QName, &str)]| -> Property {
        (name, attributes.iter().map(|(name, value)| (*name, (*value).to_owned())).collect())
    };
    let tight = named(SPACING, &[(AFTER, "0"), (LINE, "240"), (LINE_RULE, "auto")]);
    match style {
        BuiltInStyle::Heading(level) => {
            let size =
                [32, 28, 26, 24].get(usize::from(level) - usize::from(level > 0)).copied().unwrap_or(22);
            let size = size.to_string();
            let paragraph = vec![
                switch(KEEP_NEXT),
                switch(KEEP_LINES),
                named(SPACING, &[(BEFORE, "240"), (AFTER, "80")]),
                value(OUTLINE_LVL, &level.saturating_sub(1).to_string()),
            ];
            (paragraph, vec![switch(B), switch(B_CS), value(SZ, &size), value(SZ_CS, &size)])
        }
        BuiltInStyle::Hyperlink => (vec![], vec![value(COLOR, "0563C1"), value(U, "single")]),
        BuiltInStyle::FootnoteText | BuiltInStyle::EndnoteText => {
            (vec![tight], vec![value(SZ, "20"), value(SZ_CS, "20")])
        }
        BuiltInStyle::FootnoteReference | BuiltInStyle::EndnoteReference => {
            (vec![], vec![value(VERT_ALIGN, "superscript")])
        }
        BuiltInStyle::Quote => {
            (vec![named(IND, &[(LEFT, "720"), (RIGHT, "720")])], vec![switch(I), switch(I_CS)])
        }
        BuiltInStyle::Code => {
            let font =
                named(R_FONTS, &[(ASCII, "Courier New"), (H_ANSI, "Courier New"), (CS, "Courier New")]);
            (vec![tight], vec![font, value(SZ, "20"), value(SZ_CS, "20")])
        }
        BuiltInStyle::Term => (vec![switch(KEEP_NEXT)], vec![switch(B), switch(B_CS)]),
        BuiltInStyle::Contents(level) => {
            let indent = (u32::from(level.saturating_sub(1)) * 220).to_string();
            let spacing = named(SPACING, &[(AFTER, "100")]);
            (vec![spacing, named(IND, &[(LEFT, &indent)])], vec![])
        }
        BuiltInStyle::ContentsTitle => (
            vec![switch(KEEP_NEXT), switch(KEEP_LINES), named(SPACING, &[(BEFORE, "240"), (AFTER, "120")])],
            vec![switch(B), switch(B_CS), value(SZ, "28"), value(SZ_CS, "28")],
        ),
        BuiltInStyle::Definition => (vec![named(IND, &[(LEFT, "720")])], vec![]),
    }
}
