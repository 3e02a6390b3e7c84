//! Breaks between paragraphs, and the layout of pages.

use engross_xml::NodeId;

use crate::edit::plan::step::{ListWish, NewParagraphs, Plan, Step};
use crate::edit::properties::Setting;
use crate::edit::snapshot::StorySnapshot;
use crate::error::{Refusal, RefusalCode};
use crate::model::{number, section_properties};
use crate::names::{
    BOTTOM, GUTTER, LEFT, ORIENT, P, PAGE_FOOTER, PAGE_HEADER, PG_MAR, PG_SZ, RIGHT, TOP, W_H, WIDTH,
};
use crate::ops::{BreakKind, PageSetup, Where};
use crate::text::StyledText;

/// The page that a section has without a size, in twentieths of a point (ISO/IEC 29500-1 §17.6.13).
const PAGE: (u32, u32) = (12_240, 15_840);

/// Margins of a section without any: an inch, and half of it for headers and footers.
const MARGINS: [(engross_xml::QName, &str); 7] = [
    (TOP, "1440"),
    (RIGHT, "1440"),
    (BOTTOM, "1440"),
    (LEFT, "1440"),
    (PAGE_HEADER, "720"),
    (PAGE_FOOTER, "720"),
    (GUTTER, "0"),
];

pub(super) fn insert_break(
    snapshot: &StorySnapshot<'_>,
    (index, side): (usize, Where),
    kind: BreakKind,
) -> Result<Plan, Refusal> {
    if snapshot.table_at(index).is_some() || !snapshot.prefix.is_empty() {
        return Err(Refusal::new(
            RefusalCode::StoryNotEditable,
            "a break stands between paragraphs of the body, outside of tables; name such a paragraph",
        ));
    }
    let text = match kind {
        BreakKind::Page => "\u{C}",
        BreakKind::Column => "\u{B}",
        BreakKind::Section => return section_break(snapshot, index, side),
    };
    let new = NewParagraphs {
        index,
        side,
        content: StyledText { text: text.to_owned(), ..StyledText::default() },
        style: Some(snapshot.styles.default_paragraph().unwrap_or_default().to_owned()),
        list: ListWish::Outside,
        settings: Vec::new(),
        goes_on: false,
    };
    Ok(vec![Step::Insert(new)].into())
}

fn section_break(snapshot: &StorySnapshot<'_>, index: usize, side: Where) -> Result<Plan, Refusal> {
    let at = if side == Where::After { index + 1 } else { index };
    let is_between = at > 0 && snapshot.flows_on(at - 1);
    if !is_between {
        return Err(Refusal::new(
            RefusalCode::TargetNotFound,
            "a section break stands between two paragraphs; there is a table, or nothing, on one side",
        ));
    }
    let node = snapshot.paragraphs.get(at).copied();
    let Some(section) = node.and_then(|node| section_properties(snapshot.document(), node)) else {
        return Err(no_section());
    };
    Ok(vec![Step::SectionBreak { index: at, section }].into())
}

fn no_section() -> Refusal {
    Refusal::new(
        RefusalCode::TargetNotFound,
        "the document says nothing of its pages (no w:sectPr), so there is no layout to change",
    )
}

pub(super) fn page_setup(
    snapshot: &StorySnapshot<'_>,
    place: Option<usize>,
    setup: &PageSetup,
) -> Result<Plan, Refusal> {
    let document = snapshot.document();
    let all = 0..snapshot.paragraphs.len();
    let meant = place.map_or(all, |index| index..index + 1);
    let mut sections: Vec<(usize, NodeId)> = Vec::new();
    for index in meant {
        let node = snapshot.paragraphs.get(index).copied();
        if let Some(section) = node.and_then(|node| section_properties(document, node))
            && !sections.iter().any(|(_, known)| *known == section)
        {
            sections.push((index, section));
        }
    }
    if sections.is_empty() {
        return Err(no_section());
    }
    // The paragraph that holds the properties is the one that changes.
    let holder = |section: NodeId| {
        let paragraph = document.ancestors(section).find(|above| document.name(*above) == P)?;
        snapshot.paragraphs.iter().position(|node| *node == paragraph)
    };
    let step = |(index, section): (usize, NodeId)| Step::TableFormat {
        index: holder(section).unwrap_or(index),
        owner: section,
        settings: settings(snapshot, section, setup),
    };
    let count = sections.len();
    let remark =
        (place.is_none() && count > 1).then(|| format!("{count} sections are changed; name one by 'target'"));
    Ok(Plan { steps: sections.into_iter().map(step).collect(), remark, found: None })
}

fn settings(snapshot: &StorySnapshot<'_>, section: NodeId, setup: &PageSetup) -> Vec<Setting> {
    let document = snapshot.document();
    let mut settings = Vec::new();
    let page = document.child(section, PG_SZ);
    let known = |name, default| page.and_then(|page| number(document, page, name)).unwrap_or(default);
    let (old_width, old_height) = (known(WIDTH, PAGE.0), known(W_H, PAGE.1));
    let mut size = (setup.width.unwrap_or(old_width), setup.height.unwrap_or(old_height));
    let turns = setup.landscape.is_some_and(|landscape| landscape != (size.0 > size.1));
    if turns && setup.width.is_none() && setup.height.is_none() {
        size = (size.1, size.0);
    }
    if setup.landscape.is_some() || setup.width.is_some() || setup.height.is_some() {
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let mut setting = Setting::merged(PG_SZ, &[(WIDTH, &width), (W_H, &height)]);
        match setup.landscape {
            Some(true) => setting.attributes.get_or_insert_default().push((ORIENT, "landscape".to_owned())),
            Some(false) => setting.drops.push(ORIENT),
            None => {}
        }
        settings.push(setting);
    }
    if !setup.margins.is_empty() {
        let mut attributes: Vec<(engross_xml::QName, String)> = Vec::new();
        if document.child(section, PG_MAR).is_none() {
            attributes.extend(MARGINS.map(|(name, value)| (name, value.to_owned())));
        }
        for (name, length) in &setup.margins {
            let name = match *name {
                "top" => TOP,
                "right" => RIGHT,
                "bottom" => BOTTOM,
                "left" => LEFT,
                "header" => PAGE_HEADER,
                "footer" => PAGE_FOOTER,
                _ => GUTTER,
            };
            attributes.retain(|(known, _)| *known != name);
            attributes.push((name, length.to_string()));
        }
        settings.push(Setting { attributes: Some(attributes), merges: true, ..Setting::gone(PG_MAR) });
    }
    settings
}
