//! Operations on references, objects, controls, pages, tables and whole documents, made so that most of them can be done: fields that
//! are chosen at random alone seldom name a thing that is there.

use serde_json::{Value, json};

use super::operations::Choices;
use super::sample::PIXEL_TEXT as PIXEL;

/// What makes an operation: the choices, the lines of the document, and the number of a paragraph.
type Maker = fn(&mut Choices<'_>, &[String], usize) -> Value;

const MAKERS: &[Maker] = &[
    insert_link,
    edit_link,
    remove_link,
    insert_note,
    edit_note,
    insert_image,
    edit_image,
    delete_image,
    insert_bookmark,
    insert_cross_reference,
    insert_field,
    update,
    insert_contents,
    fill_control,
    header,
    link_header,
    properties,
    page_setup,
    insert_break,
    set_table,
    delete_table,
    replace_document,
    everywhere,
    pattern,
    thread,
    resolve,
    move_clause,
    delete_commented,
    delete_referenced,
    content,
];

impl Choices<'_> {
    /// An operation of these kinds.
    pub(crate) fn object(&mut self, lines: &[String], kind: u8, place: usize) -> Value {
        let maker = MAKERS[usize::from(kind) % MAKERS.len()];
        let mut operation = maker(self, lines, place);
        let more = self.next();
        if let Some(fields) = operation.as_object_mut() {
            if more & 1 == 1 {
                fields.entry("untracked").or_insert(json!("allow"));
            }
            if more & 6 == 6 {
                fields.entry("references").or_insert(match more & 8 {
                    0 => json!("drop"),
                    _ => json!({"retarget": "P1"}),
                });
            }
        }
        operation
    }

    fn one_of<'c>(&mut self, choices: &[&'c str]) -> &'c str {
        choices[usize::from(self.next()) % choices.len()]
    }

    fn turn(&mut self, sides: u8) -> u8 {
        self.next() % sides
    }

    /// The number of the paragraph whose text holds these words, most often; else `other`.
    fn place_of(&mut self, lines: &[String], words: &str, other: usize) -> usize {
        let known = lines.iter().position(|line| line.contains(words)).map(|at| at + 1);
        known.filter(|_| self.turn(8) != 7).unwrap_or(other)
    }

    /// A stretch of a paragraph.
    fn words(&mut self, lines: &[String], place: usize) -> String {
        self.part_of(lines.get(place.saturating_sub(1)).map_or("", String::as_str))
    }

    /// A paragraph of one of the tables, most often.
    fn cell(&mut self, lines: &[String], place: usize) -> usize {
        let words = self.one_of(&["Price", "Wide", "Box", "Tall"]);
        self.place_of(lines, words, place)
    }

    /// Where a link leads.
    fn destination(&mut self, operation: &mut Value) {
        match self.turn(3) {
            0 => operation["anchor"] = json!(self.one_of(&["place", "nowhere"])),
            _ => {
                let url =
                    self.one_of(&["https://example.com/a?b=1&c", "mailto:a@b.c", "#place", "javascript:x"]);
                operation["url"] = json!(url);
            }
        }
    }
}

fn insert_link(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let mut operation = json!({"op": "insert_link", "paragraphIndex": place, "textToLink": choices.words(lines, place),
        "occurrence": "first"});
    choices.destination(&mut operation);
    operation
}

fn edit_link(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let mut operation =
        json!({"op": "edit_link", "paragraphIndex": choices.place_of(lines, "our site", place)});
    if choices.turn(2) == 0 {
        operation["text"] = json!(choices.text("our site"));
    }
    choices.destination(&mut operation);
    operation
}

fn remove_link(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    json!({"op": "remove_link", "paragraphIndex": choices.place_of(lines, "our site", place)})
}

fn insert_note(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let words = choices.words(lines, place);
    let mut operation = json!({"op": "insert_note", "paragraphIndex": place, "content": choices.text("A note."),
        "kind": choices.one_of(&["footnote", "endnote"])});
    if choices.turn(2) == 0 {
        operation["afterText"] = json!(words);
        operation["occurrence"] = json!("first");
    }
    operation
}

fn edit_note(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    let note = choices.one_of(&["footnote:2", "footnote:2", "footnote:3", "endnote:1"]);
    json!({"op": "edit_note", "note": note, "content": choices.text("a note")})
}

fn insert_image(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let side = choices.one_of(&["after", "before", "paragraphIndex"]);
    let mut operation = json!({"op": "insert_image", "data": PIXEL, "altText": choices.text("seal")});
    operation[side] = json!(place);
    for measure in ["width", "height"] {
        if choices.turn(2) == 0 {
            operation[measure] = json!(f64::from(choices.next()));
        }
    }
    operation
}

fn edit_image(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    let mut operation = json!({"op": "edit_image", "image": choices.turn(3)});
    match choices.turn(3) {
        0 => operation["data"] = json!(PIXEL),
        1 => operation["altText"] = json!(choices.text("seal")),
        _ => operation["width"] = json!(choices.next()),
    }
    operation
}

fn delete_image(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    json!({"op": "delete_image", "image": choices.turn(3)})
}

fn insert_bookmark(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let words = choices.words(lines, place);
    let name = choices.one_of(&["Purpose", "place", "_x", "bad name"]);
    let mut operation = json!({"op": "insert_bookmark", "paragraphIndex": place, "name": name});
    if choices.turn(2) == 0 && !words.is_empty() {
        operation["text"] = json!(words);
    }
    operation
}

fn insert_cross_reference(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let words = choices.words(lines, place);
    let to = match choices.turn(4) {
        0 => json!({"bookmark": choices.one_of(&["place", "nowhere"])}),
        1 => json!(format!("P{}", usize::from(choices.next()) % (lines.len() + 1))),
        2 => json!("§1"),
        _ => json!("P1"),
    };
    let show = choices.one_of(&["number", "number_full", "text", "page", "above_below"]);
    let mut operation = json!({"op": "insert_cross_reference", "paragraphIndex": place, "to": to, "show": show,
        "occurrence": "first"});
    match choices.turn(3) {
        0 => {}
        1 => operation["afterText"] = json!(words),
        _ => operation["replaceText"] = json!(words),
    }
    operation
}

fn insert_field(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let instruction = choices.one_of(&[
        "PAGE",
        "NUMPAGES",
        "DATE \\@ \"d MMMM yyyy\"",
        "SEQ Figure \\* ARABIC",
        "REF place",
        "IF 1 = 1 \"a\" \"b\"",
        "",
    ]);
    json!({"op": "insert_field", "paragraphIndex": place, "result": choices.text("1"), "instruction": instruction})
}

fn update(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    json!({"op": choices.one_of(&["update_fields", "update_references"])})
}

fn insert_contents(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let side = choices.one_of(&["after", "before"]);
    let mut operation =
        json!({"op": "insert_table_of_contents", "levels": choices.one_of(&["1-3", "1-1", "2-1"])});
    operation[side] = json!(place);
    if choices.turn(2) == 0 {
        operation["title"] = json!(choices.text("Contents"));
    }
    operation
}

fn fill_control(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    let tag = choices.one_of(&["name", "rich", "kind", "combo", "day", "box", "block", "new"]);
    let value = match (tag, choices.turn(8)) {
        (_, 7) => json!(choices.text("x")),
        ("kind", _) => json!(choices.one_of(&["One", "Two", "2"])),
        ("day", _) => json!(choices.one_of(&["2026-02-28", "2026-02-30"])),
        ("box", turn) => json!(turn % 2 == 0),
        _ => json!(choices.text("Acme")),
    };
    json!({"op": "fill_control", "tag": tag, "value": value})
}

fn header(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    json!({"op": choices.one_of(&["create_header", "create_footer"]), "untracked": "allow", "section": choices.turn(3) + 1,
        "kind": choices.one_of(&["default", "first", "even"]), "content": choices.text("Page {PAGE} of {NUMPAGES}"),
        "alignment": choices.one_of(&["left", "center", "right"])})
}

fn link_header(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    json!({"op": choices.one_of(&["link_header", "link_footer"]), "untracked": "allow", "section": choices.turn(3) + 1,
        "to": "previous"})
}

fn properties(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    let custom = json!({"Matter": choices.text("M-1"), "Final": true, "Gone": null});
    json!({"op": "set_properties", "title": choices.text("Title"), "custom": custom})
}

fn page_setup(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let mut operation = json!({"op": "page_setup"});
    if choices.turn(2) == 0 {
        operation["target"] = json!(place);
    }
    match choices.turn(3) {
        0 => operation["orientation"] = json!(choices.one_of(&["landscape", "portrait"])),
        1 => operation["margins"] = json!({"left": choices.next(), "top": 72}),
        _ => operation["width"] = json!(u16::from(choices.next()) * 4),
    }
    operation
}

fn insert_break(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let side = choices.one_of(&["after", "before"]);
    let mut operation = json!({"op": "insert_break", "kind": choices.one_of(&["page", "column", "section"])});
    operation[side] = json!(place);
    operation
}

fn set_table(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let mut operation = json!({"op": "set_table", "paragraphIndex": choices.cell(lines, place)});
    match choices.turn(5) {
        0 => operation["borders"] = json!(choices.one_of(&["all", "none", "outer"])),
        1 => {
            let widths: Vec<u8> = (0..choices.turn(4)).map(|_| choices.next()).collect();
            operation["widths"] = json!(widths);
        }
        2 => operation["headerRow"] = json!(choices.turn(2) == 0),
        3 => {
            let (row, column) = (choices.turn(3), choices.turn(3));
            operation["merge"] = json!({"fromRow": row, "fromColumn": column,
                "toRow": row + choices.turn(2), "toColumn": column + choices.turn(2)});
        }
        _ => operation["split"] = json!({"row": choices.turn(3), "column": choices.turn(3)}),
    }
    operation
}

fn delete_table(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    json!({"op": "delete_table", "paragraphIndex": choices.cell(lines, place)})
}

/// The body with a line that says something else, is gone, is new or stands elsewhere.
fn replace_document(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let mut body: Vec<String> = lines.to_vec();
    if body.is_empty() {
        body.push(String::new());
    }
    let at = place.saturating_sub(1).min(body.len().saturating_sub(1));
    match choices.turn(4) {
        0 => _ = body.remove(at),
        1 => body.insert(at, choices.text("New words.")),
        2 => body.swap(0, at),
        _ => body[at] = choices.text(&body[at]),
    }
    json!({"op": "replace_document", "content": body.join("\n\n")})
}

fn everywhere(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let words = choices.words(lines, place);
    let words = if choices.turn(2) == 0 { "e".to_owned() } else { words };
    json!({"op": "modify_text", "originalText": words, "replacementText": choices.text("Beta"), "occurrence": "all",
        "scope": choices.one_of(&["everywhere", "body"]), "matchCase": choices.turn(2) == 0, "wholeWord": choices.turn(4) == 0,
        "fields": choices.one_of(&["skip", "refuse"])})
}

fn pattern(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    json!({"op": "modify_text", "pattern": choices.one_of(&["(\\w+) Corp", "d(a)ys?", "\\d+", "e", "^.", "", "(a|b)*"]),
        "replacementText": choices.one_of(&["$1", "[$0]", "", "**$0**"]), "occurrence": "all", "scope": "everywhere"})
}

fn thread(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    match choices.turn(3) {
        0 => json!({"op": "comment_reply", "commentId": 0, "content": choices.text("Because.")}),
        1 => json!({"op": "comment_resolve", "commentId": 0, "resolved": choices.turn(2) == 0}),
        _ => json!({"op": "comment_delete", "commentId": 0}),
    }
}

fn resolve(choices: &mut Choices<'_>, _: &[String], _: usize) -> Value {
    let ids: Vec<u8> = (0..=choices.turn(3)).map(|_| 101 + choices.turn(20)).collect();
    let op = choices.one_of(&["accept", "reject"]);
    if choices.turn(4) > 0 { json!({"op": op, "ids": ids}) } else { json!({"op": op}) }
}

fn move_clause(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let end = place + usize::from(choices.turn(4));
    let to = usize::from(choices.next()) % (lines.len() + 1);
    json!({"op": "move_paragraph", "paragraphIndex": place, "endParagraphIndex": end, "after": to})
}

fn delete_commented(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let place = choices.place_of(lines, "Commented", place);
    json!({"op": "delete_paragraph", "paragraphIndex": place, "comments": choices.one_of(&["keep", "delete"])})
}

fn delete_referenced(choices: &mut Choices<'_>, lines: &[String], place: usize) -> Value {
    let references = match choices.turn(3) {
        0 => json!("drop"),
        1 => json!({"retarget": "P1"}),
        _ => json!({"retarget": format!("P{place}")}),
    };
    let place = choices.place_of(lines, "after a tab", place);
    json!({"op": "delete_paragraph", "paragraphIndex": place, "references": references})
}

/// Blocks of Markdown.
fn content(choices: &mut Choices<'_>, _: &[String], place: usize) -> Value {
    let blocks = choices.one_of(&[
        "- a\n- b\n  - c",
        "1. a\n2. b",
        "(a) one\n(b) two",
        "| a | b |\n| --- | ---: |\n| 1 | 2 |",
        "> said",
        "- [x] done",
        "a[^1]\n\n[^1]: note",
        "<p>a <b>b</b></p>",
    ]);
    let mut operation = json!({"op": "insert_paragraph", "after": place, "content": blocks});
    if choices.turn(4) == 3 {
        operation["numbering"] = json!("continue");
    }
    operation
}
