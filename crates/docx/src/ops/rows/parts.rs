//! Operations on headers, footers and properties of the document: their rows in the language, and how they are read.

use serde_json::Value;

use crate::ops::edit::Edit;
use crate::ops::parts::{PageKind, PropertyChanges, PropertyValue, StoryKind};
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::{Field, OperationRow, PLAIN, SECTION, Shape, UNTRACKED, field};

const PAGES: [(&str, PageKind); 3] =
    [("default", PageKind::Default), ("first", PageKind::First), ("even", PageKind::Even)];

pub(crate) fn create_story(fields: &Fields<'_>, story: StoryKind) -> Result<Edit, String> {
    let alignments = [("left", "left"), ("center", "center"), ("right", "right")];
    Ok(Edit::CreateStory {
        story,
        page: fields.choice("kind", &PAGES)?.unwrap_or(PageKind::Default),
        section: section_of(fields)?,
        content: fields.text("content")?,
        alignment: fields.choice("alignment", &alignments)?,
    })
}

pub(crate) fn link_story(fields: &Fields<'_>, story: StoryKind) -> Result<Edit, String> {
    fields.choice("to", &[("previous", ())])?;
    let section = section_of(fields)?.ok_or("it needs 'section'")?;
    let page = fields.choice("kind", &PAGES)?.unwrap_or(PageKind::Default);
    Ok(Edit::LinkStory { story, page, section })
}

fn section_of(fields: &Fields<'_>) -> Result<Option<usize>, String> {
    match fields.count("section")? {
        Some(0) => Err("'section' counts from 1".to_owned()),
        section => Ok(section),
    }
}

pub(crate) fn set_properties(fields: &Fields<'_>) -> Result<Edit, String> {
    let mut changes = PropertyChanges::default();
    for name in ["title", "subject", "author", "keywords", "description", "category", "company"] {
        if fields.get(name).is_some() {
            changes.named.insert(name.to_owned(), fields.text(name)?);
        }
    }
    if let Some(custom) = fields.get("custom") {
        let custom = custom.as_object().ok_or("'custom' is no object of names and values")?;
        for (name, value) in custom {
            let value = match value {
                Value::Null => None,
                Value::String(text) => Some(PropertyValue::Text(text.clone())),
                Value::Bool(flag) => Some(PropertyValue::Flag(*flag)),
                Value::Number(number) => Some(PropertyValue::Number(number.to_string())),
                _ => return Err(format!("the property '{name}' is no text, number, true or false")),
            };
            changes.custom.insert(name.clone(), value);
        }
    }
    if changes == PropertyChanges::default() {
        return Err("set_properties needs a property, such as 'title'".to_owned());
    }
    Ok(Edit::SetProperties(changes))
}

const PAGE_KIND: Field = field(
    "kind",
    Shape::Word(&["default", "first", "even"]),
    "",
    "the pages that show it: `default`, which it is without, `first` or `even`",
);

const fn property(name: &'static str, guide: &'static str) -> Field {
    field(name, Shape::Text, "", guide)
}

const LINK_FIELDS: &[Field] = &[
    PAGE_KIND,
    SECTION.required().for_people("the number of the section, from 2"),
    field("to", Shape::Word(&["previous"]), "", "`previous`, which it is without"),
    UNTRACKED,
];

const STORY_FIELDS: &[Field] = &[
    PAGE_KIND,
    SECTION,
    field(
        "content",
        Shape::Text,
        "Its text, inline Markdown; a blank line begins another paragraph; {PAGE} and {NUMPAGES} are fields.",
        "its text; a blank line begins another paragraph; `{PAGE}`, `{NUMPAGES}`, `{SECTION}` and `{SECTIONPAGES}` become fields",
    )
    .required()
    .content(),
    field("alignment", Shape::Word(&["left", "center", "right"]), "", "`left`, `center` or `right`; as its style says without"),
    UNTRACKED,
    PLAIN,
];

pub(crate) const CREATE_HEADER: OperationRow = OperationRow {
    name: "create_header",
    purpose: "Makes a header where there is none.",
    fields: STORY_FIELDS,
    parse: |fields| create_story(fields, StoryKind::Header),
};

pub(crate) const CREATE_FOOTER: OperationRow = OperationRow {
    name: "create_footer",
    purpose: "Makes a footer where there is none.",
    fields: STORY_FIELDS,
    parse: |fields| create_story(fields, StoryKind::Footer),
};

pub(crate) const LINK_HEADER: OperationRow = OperationRow {
    name: "link_header",
    purpose: "Lets a section show the header of the one before.",
    fields: LINK_FIELDS,
    parse: |fields| link_story(fields, StoryKind::Header),
};

pub(crate) const LINK_FOOTER: OperationRow = OperationRow {
    name: "link_footer",
    purpose: "Lets a section show the footer of the one before.",
    fields: LINK_FIELDS,
    parse: |fields| link_story(fields, StoryKind::Footer),
};

pub(crate) const SET_PROPERTIES: OperationRow = OperationRow {
    name: "set_properties",
    purpose: "Sets properties of the document: title, author and the like.",
    fields: &[
        property("title", "its title; here and below an empty text takes it away"),
        property("subject", "its subject"),
        property("author", "who wrote it; not the author of revisions"),
        property("keywords", "key words"),
        property("description", "what it is about"),
        property("category", "its category"),
        property("company", "the company"),
        field(
            "custom",
            Shape::Properties,
            "Names and values of one's own; null takes one away.",
            "properties of one's own, by name: texts, numbers, `true` or `false`; `null` takes one away",
        ),
    ],
    parse: set_properties,
};
