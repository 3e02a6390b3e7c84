//! Operations on links, notes and pictures: their rows in the language, and how they are read.

use crate::ops::edit::Edit;
use crate::ops::fields::{Object, choice, optional_count, optional_extent, owned_text};
use crate::ops::objects::{ImageChange, ObjectAction, ObjectEdit};
use crate::ops::place::{Address, Place};
use crate::ops::rows::reader::Fields;
use crate::ops::rows::row::{
    AFTER, BEFORE, Field, INDEX, MATCH_CASE, OCCURRENCE, OperationRow, PATTERN, PLAIN, SCOPE, Shape, TARGET,
    WHOLE_WORD, field,
};
use crate::ops::search::Search;
use crate::text::{Image, LinkDestination, NoteKind};

/// English metric units in a point.
const UNITS: f64 = 12_700.0;

const URL: Field = field("url", Shape::Text, "The address it leads to.", "the address that it leads to");
const ANCHOR: Field = field(
    "anchor",
    Shape::Name,
    "A bookmark, instead of url.",
    "the name of a bookmark of the document, instead of `url`",
);
const LINK_TEXT: Field = field(
    "linkText",
    Shape::Text,
    "Words of the link; not needed where the place has one link.",
    "words of the link, exactly as they stand; not needed where the place has only one link",
);
const IMAGE: Field = field(
    "image",
    Shape::Count,
    "The N of image:N in the reading; not needed where the place has one picture.",
    "its number among the pictures of the story, as in `⟦image:2⟧` of a reading; not needed where the place has only one",
);
const FILE: Field = field(
    "file",
    Shape::Text,
    "A PNG, JPEG or GIF beneath the working folder.",
    "a PNG, JPEG or GIF file beneath the working folder (on a server: the workspace)",
);
const DATA: Field = field(
    "data",
    Shape::Text,
    "Its bytes in Base64, instead of file.",
    "its bytes in Base64, instead of `file`",
);
const WIDTH: Field = field(
    "width",
    Shape::Points,
    "Points; with one of width and height the other follows.",
    "points; of its file without; one of the two alone keeps the proportion",
);
const HEIGHT: Field = field("height", Shape::Points, "", "points");
const ALTERNATIVE: Field = field(
    "altText",
    Shape::Text,
    "What it shows, in words.",
    "what it shows, in words, for those who do not see it",
);

pub(crate) const INSERT_LINK: OperationRow = OperationRow {
    name: "insert_link",
    purpose: "Makes words a link.",
    fields: &[
        INDEX,
        TARGET,
        field(
            "textToLink",
            Shape::Text,
            "The words, exactly as they stand.",
            "the words, exactly as they stand",
        ),
        PATTERN,
        URL,
        ANCHOR,
        OCCURRENCE,
        SCOPE,
        MATCH_CASE,
        WHOLE_WORD,
    ],
    parse: |fields| {
        let search = fields.search("textToLink")?;
        if search.is_none() {
            return Err("insert_link needs 'textToLink' or 'pattern'".to_owned());
        }
        let target = link_target(fields)?.ok_or("insert_link needs 'url' or 'anchor'")?;
        about_words(fields, search, ObjectAction::InsertLink(target))
    },
};

pub(crate) const EDIT_LINK: OperationRow = OperationRow {
    name: "edit_link",
    purpose: "Gives a link other words, or leads it elsewhere.",
    fields: &[
        INDEX,
        TARGET,
        LINK_TEXT,
        PATTERN,
        field("text", Shape::Text, "Its new words.", "its new words; as they are without").content(),
        URL,
        ANCHOR,
        OCCURRENCE,
        SCOPE,
        MATCH_CASE,
        WHOLE_WORD,
    ],
    parse: |fields| {
        let search = fields.search("linkText")?;
        let (text, target) = (owned_text(fields.object(), "text")?, link_target(fields)?);
        if text.as_ref().is_some_and(|text| text.trim().is_empty()) {
            return Err("'text' is empty; use remove_link, or modify_text to take the words away".to_owned());
        }
        if text.is_none() && target.is_none() {
            return Err("edit_link needs 'text', 'url' or 'anchor'".to_owned());
        }
        about_words(fields, search, ObjectAction::EditLink { text, target })
    },
};

pub(crate) const REMOVE_LINK: OperationRow = OperationRow {
    name: "remove_link",
    purpose: "Takes a link away; its words stay.",
    fields: &[INDEX, TARGET, LINK_TEXT, PATTERN, OCCURRENCE, SCOPE, MATCH_CASE, WHOLE_WORD],
    parse: |fields| {
        let search = fields.search("linkText")?;
        about_words(fields, search, ObjectAction::RemoveLink)
    },
};

pub(crate) const INSERT_NOTE: OperationRow = OperationRow {
    name: "insert_note",
    purpose: "Puts a footnote or endnote behind words, or at the end of a paragraph.",
    fields: &[
        INDEX,
        TARGET,
        field(
            "afterText",
            Shape::Text,
            "The words before its mark; the end of the paragraph without.",
            "the words before its mark; the end of the paragraph without",
        ),
        PATTERN,
        field(
            "kind",
            Shape::Word(&["footnote", "endnote"]),
            "",
            "`footnote`, which it is without, or `endnote`",
        ),
        field(
            "content",
            Shape::Text,
            "What the note says.",
            "what it says; a blank line begins another paragraph",
        )
        .required()
        .content(),
        OCCURRENCE,
        PLAIN,
    ],
    parse: |fields| {
        let search = fields.search("afterText")?;
        let place = fields.search_place(search.as_ref())?;
        let kinds = [("footnote", NoteKind::Footnote), ("endnote", NoteKind::Endnote)];
        let kind = choice(fields.object(), "kind", &kinds)?.unwrap_or(NoteKind::Footnote);
        let action = ObjectAction::InsertNote { kind, content: fields.text("content")? };
        Ok(Edit::Object(ObjectEdit { place, search, action }))
    },
};

pub(crate) const EDIT_NOTE: OperationRow = OperationRow {
    name: "edit_note",
    purpose: "Gives a footnote or endnote new text; words that stay are not touched.",
    fields: &[
        field(
            "note",
            Shape::Text,
            "Such as footnote:3.",
            "the note, as a reading names it: `footnote:3`, `endnote:1`",
        )
        .required(),
        field("content", Shape::Text, "Its whole new text.", "the whole text that it shall have")
            .required()
            .content(),
        PLAIN,
    ],
    parse: edit_note,
};

pub(crate) const INSERT_IMAGE: OperationRow = OperationRow {
    name: "insert_image",
    purpose: "Puts a picture (PNG, JPEG, GIF) beside a paragraph, or behind words of one.",
    fields: &[
        AFTER.for_people("the paragraph before it: a number or any place; it gets a paragraph of its own"),
        BEFORE.for_people("the paragraph behind it"),
        INDEX.for_people("instead: the paragraph in which it stands"),
        TARGET,
        field(
            "afterText",
            Shape::Text,
            "The words before it; the end of the paragraph without.",
            "the words before it, within the paragraph; its end without",
        ),
        FILE,
        DATA,
        WIDTH,
        HEIGHT,
        ALTERNATIVE,
        OCCURRENCE,
    ],
    parse: insert_image,
};

pub(crate) const EDIT_IMAGE: OperationRow = OperationRow {
    name: "edit_image",
    purpose: "Gives a picture another size, another file or other words for those who do not see it.",
    fields: &[IMAGE, INDEX, TARGET, FILE, DATA, WIDTH, HEIGHT, ALTERNATIVE, OCCURRENCE],
    parse: |fields| {
        let object = fields.object();
        let change = ImageChange {
            source: source(object)?,
            alternative: owned_text(object, "altText")?,
            size: size(object)?,
        };
        if change == ImageChange::default() {
            return Err("edit_image needs 'file', 'data', 'width', 'height' or 'altText'".to_owned());
        }
        let (place, number) = picture(fields)?;
        let action = ObjectAction::EditImage { number, change };
        Ok(Edit::Object(ObjectEdit { place, search: None, action }))
    },
};

pub(crate) const DELETE_IMAGE: OperationRow = OperationRow {
    name: "delete_image",
    purpose: "Takes a picture away.",
    fields: &[IMAGE, INDEX, TARGET, OCCURRENCE],
    parse: |fields| {
        let (place, number) = picture(fields)?;
        Ok(Edit::Object(ObjectEdit { place, search: None, action: ObjectAction::DeleteImage { number } }))
    },
};

fn about_words(fields: &Fields<'_>, search: Option<Search>, action: ObjectAction) -> Result<Edit, String> {
    let place = fields.search_place(search.as_ref())?;
    Ok(Edit::Object(ObjectEdit { place, search, action }))
}

fn link_target(fields: &Fields<'_>) -> Result<Option<LinkDestination>, String> {
    match (owned_text(fields.object(), "url")?, owned_text(fields.object(), "anchor")?) {
        (Some(_), Some(_)) => Err("give 'url' or 'anchor', not both".to_owned()),
        (Some(url), None) => {
            let is_address = !url.is_empty() && !url.chars().any(|c| c.is_whitespace() || c.is_control());
            let target = LinkDestination::of(&url);
            let named = !matches!(&target, LinkDestination::Anchor(name) if name.is_empty());
            (is_address && named)
                .then_some(Some(target))
                .ok_or_else(|| "'url' is no address; give one without spaces (%20 stands for one)".to_owned())
        }
        (None, Some(anchor)) => match anchor.trim_start_matches('#') {
            "" => Err("'anchor' is empty; name a bookmark".to_owned()),
            name => Ok(Some(LinkDestination::Anchor(name.to_owned()))),
        },
        (None, None) => Ok(None),
    }
}

fn edit_note(fields: &Fields<'_>) -> Result<Edit, String> {
    let note = fields.text("note")?;
    let name = note.trim().trim_matches(['⟦', '⟧']).replace(' ', ":").to_ascii_lowercase();
    let number = name.strip_prefix("footnote:").or_else(|| name.strip_prefix("endnote:"));
    if number.is_none_or(|number| number.parse::<u32>().is_err()) {
        return Err(format!("'note' cannot be '{note}'; name it as a reading does: footnote:3, endnote:1"));
    }
    let content = fields.text("content")?;
    if content.trim().is_empty() {
        return Err("'content' is empty; to take the note away, delete its mark with modify_text".to_owned());
    }
    let place = Some(Place { story: Some(name), address: Address::First, occurrence: None });
    Ok(Edit::Object(ObjectEdit { place, search: None, action: ObjectAction::EditNote(content) }))
}

fn insert_image(fields: &Fields<'_>) -> Result<Edit, String> {
    let object = fields.object();
    let source = source(object)?.ok_or("insert_image needs 'file' or 'data'")?;
    let alternative = owned_text(object, "altText")?.unwrap_or_default();
    let image = Image { source, alternative, size: size(object)?, like: None };
    if object.contains_key("after") || object.contains_key("before") {
        if let Some(other) =
            ["paragraphIndex", "target", "afterText"].iter().find(|name| object.contains_key(**name))
        {
            return Err(format!("give 'after' or 'before', or '{other}', not both"));
        }
        let (side, place) = fields.beside()?;
        let action = ObjectAction::InsertImage { side: Some(side), image };
        return Ok(Edit::Object(ObjectEdit { place: Some(place), search: None, action }));
    }
    let search = fields.search("afterText")?;
    if search.is_none() && fields.place()?.is_none() {
        return Err(
            "insert_image needs 'after', 'before', 'paragraphIndex', 'target' or 'afterText'".to_owned()
        );
    }
    let place = fields.search_place(search.as_ref())?;
    let action = ObjectAction::InsertImage { side: None, image };
    Ok(Edit::Object(ObjectEdit { place, search, action }))
}

fn picture(fields: &Fields<'_>) -> Result<(Option<Place>, Option<usize>), String> {
    let number = optional_count(fields.object(), "image")?;
    if number == Some(0) {
        return Err("pictures count from 1".to_owned());
    }
    let place = fields.place()?;
    if number.is_none() && place.is_none() {
        return Err(
            "name the picture by 'image', or its paragraph by 'paragraphIndex' or 'target'".to_owned()
        );
    }
    Ok((place, number))
}

fn source(object: &Object) -> Result<Option<String>, String> {
    match (owned_text(object, "file")?, owned_text(object, "data")?) {
        (Some(_), Some(_)) => Err("give 'file' or 'data', not both".to_owned()),
        (Some(file), None) if file.trim().is_empty() => Err("'file' is empty; name a file".to_owned()),
        (Some(file), None) => Ok(Some(file)),
        (None, Some(data)) if data.starts_with("data:") => Ok(Some(data)),
        (None, data) => Ok(data.map(|data| format!("data:image;base64,{data}"))),
    }
}

fn size(object: &Object) -> Result<(Option<u64>, Option<u64>), String> {
    let length = |name: &str| match optional_extent(object, name, UNITS)? {
        Some(0) => Err(format!("'{name}' is no length; give points above 0")),
        length => Ok(length.map(u64::from)),
    };
    Ok((length("width")?, length("height")?))
}
