//! Operations on bookmarks, fields and references: their rows in the language, and how they are read.

use serde_json::Value;

use crate::ops::address::parse_place;
use crate::ops::edit::Edit;
use crate::ops::fields::{check_fields, choice, nearest, owned_text};
use crate::ops::place::Place;
use crate::ops::references::{ReferenceEdit, ReferenceTarget, ShownPart, Spot};
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::{
    AFTER, BEFORE, Field, INDEX, OCCURRENCE, OperationRow, PHRASE, Shape, TARGET, field,
};

/// Fields that engross makes: none that reads another file, runs a program or asks a person.
const FIELDS: &[&str] = &[
    "PAGE",
    "NUMPAGES",
    "SECTION",
    "SECTIONPAGES",
    "DATE",
    "TIME",
    "CREATEDATE",
    "SAVEDATE",
    "PRINTDATE",
    "SEQ",
    "STYLEREF",
    "REF",
    "PAGEREF",
    "NOTEREF",
    "AUTHOR",
    "TITLE",
    "SUBJECT",
    "KEYWORDS",
    "COMMENTS",
    "FILENAME",
    "DOCPROPERTY",
    "NUMWORDS",
    "NUMCHARS",
    "LASTSAVEDBY",
    "REVNUM",
    "=",
];

fn spot(fields: &Fields<'_>) -> Result<Spot, String> {
    let place = Place { occurrence: None, ..fields.required_place()? };
    let words = |field: &str| match owned_text(fields.object(), field)? {
        Some(text) if text.is_empty() => Err(format!("'{field}' is empty; give words, or leave it out")),
        text => Ok(text),
    };
    let known = fields.object().contains_key("replaceText");
    let (after, instead_of) = (words("afterText")?, if known { words("replaceText")? } else { None });
    if after.is_some() && instead_of.is_some() {
        return Err("give 'afterText' or 'replaceText', not both".to_owned());
    }
    Ok(Spot { place, after, instead_of, occurrence: fields.occurrence() })
}

pub(crate) fn insert_bookmark(fields: &Fields<'_>) -> Result<Edit, String> {
    let name = fields.text("name")?;
    let mut characters = name.chars();
    let is_name = characters.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && characters.all(|c| c.is_alphanumeric() || c == '_')
        && name.chars().count() <= 40;
    if !is_name {
        return Err("'name' begins with a letter, and has letters, digits and '_', 40 in all".to_owned());
    }
    let text = owned_text(fields.object(), "text")?.filter(|text| !text.is_empty());
    let place = Place { occurrence: None, ..fields.required_place()? };
    Ok(Edit::Reference(ReferenceEdit::InsertBookmark { place, text, name }))
}

pub(crate) fn insert_cross_reference(fields: &Fields<'_>) -> Result<Edit, String> {
    let to = match fields.object().get("to") {
        Some(Value::Object(object)) if object.contains_key("bookmark") => {
            check_fields(object, &["bookmark"], &[], "'to'")?;
            let name = object.get("bookmark").and_then(Value::as_str);
            ReferenceTarget::Bookmark(name.ok_or("'bookmark' is no text")?.to_owned())
        }
        Some(address) => ReferenceTarget::Place(parse_place(address, None)?),
        None => return Err("insert_cross_reference needs 'to': a place, or {\"bookmark\": NAME}".to_owned()),
    };
    let parts = [
        ("number", ShownPart::Number),
        ("number_full", ShownPart::NumberFull),
        ("text", ShownPart::Text),
        ("page", ShownPart::Page),
        ("above_below", ShownPart::AboveBelow),
    ];
    let show = choice(fields.object(), "show", &parts)?.unwrap_or(ShownPart::Number);
    Ok(Edit::Reference(ReferenceEdit::InsertCrossReference { spot: spot(fields)?, to, show }))
}

pub(crate) fn insert_field(fields: &Fields<'_>) -> Result<Edit, String> {
    let instruction = fields.text("instruction")?;
    let name = instruction.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    let name = if name.starts_with('=') { "=" } else { name.as_str() };
    if !FIELDS.contains(&name) {
        let near = nearest(name, FIELDS.iter().copied());
        return Err(format!(
            "'{name}' is no field that can be inserted; {near}known are {}",
            FIELDS.join(", ")
        ));
    }
    let result = owned_text(fields.object(), "result")?;
    Ok(Edit::Reference(ReferenceEdit::InsertField { spot: spot(fields)?, instruction, result }))
}

pub(crate) fn insert_contents(fields: &Fields<'_>) -> Result<Edit, String> {
    let (side, place) = fields.beside()?;
    let levels = match owned_text(fields.object(), "levels")? {
        None => (1, 3),
        Some(text) => {
            let (first, last) = text.split_once('-').unwrap_or((&text, &text));
            let level = |text: &str| text.trim().parse::<u8>().ok().filter(|level| (1..=9).contains(level));
            match level(first).zip(level(last)).filter(|(first, last)| first <= last) {
                Some(levels) => levels,
                None => {
                    return Err(format!("'levels' is a range from 1 to 9, such as \"1-3\", and no '{text}'"));
                }
            }
        }
    };
    let title = owned_text(fields.object(), "title")?.filter(|title| !title.trim().is_empty());
    Ok(Edit::Reference(ReferenceEdit::InsertContents { place, side, levels, title }))
}

pub(crate) const INSERT_CONTENTS: OperationRow = OperationRow {
    name: "insert_table_of_contents",
    purpose: "Puts a table of contents of the headings beside a paragraph.",
    fields: &[
        AFTER.for_people("the paragraph before the table: a number or any place"),
        BEFORE.for_people("the paragraph behind it"),
        field(
            "levels",
            Shape::LevelRange,
            "Which levels of headings, such as 1-3.",
            "which levels of headings it lists: `\"1-3\"` without",
        ),
        field("title", Shape::Text, "What stands above it.", "what stands above it, such as `Contents`"),
        OCCURRENCE,
    ],
    parse: insert_contents,
};

const AFTER_TEXT: Field = field(
    "afterText",
    Shape::Text,
    "The words behind which it stands; the end of the paragraph without.",
    "the words behind which it stands; the end of the paragraph without",
);

pub(crate) const INSERT_BOOKMARK: OperationRow = OperationRow {
    name: "insert_bookmark",
    purpose: "Marks a paragraph, or words of it, by a name.",
    fields: &[
        INDEX,
        TARGET,
        field("text", Shape::Text, PHRASE, "the words; all of the paragraph without"),
        field(
            "name",
            Shape::Name,
            "A letter first, then letters, digits and _; 40 in all.",
            "its name: a letter first, then letters, digits and `_`",
        )
        .required(),
    ],
    parse: insert_bookmark,
};

pub(crate) const INSERT_CROSS_REFERENCE: OperationRow = OperationRow {
    name: "insert_cross_reference",
    purpose: "Puts a reference to a clause, heading or bookmark into a paragraph, with its number, words or page.",
    fields: &[
        INDEX,
        TARGET,
        AFTER_TEXT,
        field(
            "replaceText",
            Shape::Text,
            "Instead: words that it takes the place of, such as a typed number.",
            "words that it takes the place of, such as a typed number",
        ),
        field(
            "to",
            Shape::ReferenceTarget,
            "",
            "the paragraph that it leads to, as any [place](../editing.md#places), or `{\"bookmark\": NAME}`",
        )
        .required(),
        field(
            "show",
            Shape::Word(&["number", "number_full", "text", "page", "above_below"]),
            "",
            "`number` (without), `number_full` with all levels, `text`, `page` or `above_below`",
        ),
        OCCURRENCE,
    ],
    parse: insert_cross_reference,
};

pub(crate) const INSERT_FIELD: OperationRow = OperationRow {
    name: "insert_field",
    purpose: "Puts a field such as PAGE or SEQ into a paragraph.",
    fields: &[
        INDEX,
        TARGET,
        AFTER_TEXT,
        field(
            "instruction",
            Shape::Instruction,
            "The field's code, such as PAGE, NUMPAGES, DATE, SEQ Figure.",
            "its code, such as `PAGE`, `NUMPAGES`, `DATE` or `SEQ Figure`",
        )
        .required(),
        field(
            "result",
            Shape::Text,
            "What it shows until it is updated.",
            "what it shows until it is updated",
        ),
        OCCURRENCE,
    ],
    parse: insert_field,
};

pub(crate) const UPDATE_REFERENCES: OperationRow = OperationRow {
    name: "update_references",
    purpose: "Lets typed references and fields name the numbers that clauses have once all is accepted.",
    fields: &[],
    parse: |_| Ok(Edit::Reference(ReferenceEdit::Update { typed: true })),
};

pub(crate) const UPDATE_FIELDS: OperationRow = OperationRow {
    name: "update_fields",
    purpose: "Lets the fields REF and SEQ show what they should, and tables of contents list the headings that are there; pages and dates are left.",
    fields: &[],
    parse: |_| Ok(Edit::Reference(ReferenceEdit::Update { typed: false })),
};
