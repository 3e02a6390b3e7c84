//! Random operations on objects, references, pages and tables as a whole, each with what it does to the paper.
//!
//! Must never use the engine.

use serde_json::{Value, json};

use super::paper::{Line, Paper};
use super::random_wishes::{Change, Wish, body_lines, is_plain, pick, word};
use crate::random_bodies::Choices;

/// A picture of one point.
const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

/// An operation of these kinds, and what it means.
pub(super) fn object_wish(choices: &mut Choices<'_>, paper: &Paper) -> Option<Wish> {
    let plain = body_lines(paper, is_plain);
    let at = pick(choices, &plain)?;
    let line = &paper.lines[at];
    let number = line.number;
    let new = format!("{} {}", choices.words(), choices.word());
    let like = |text: &str| Line { text: text.to_owned(), looks: Vec::new(), ..line.clone() };
    let behind = |label: &str| Change::Text(at, format!("{}{label}", line.text));
    let (operation, change) = match choices.below(18) {
        0 => (
            json!({"op": "insert_image", "after": number, "data": PIXEL, "width": 10, "height": 20, "altText": "seal"}),
            Change::After(at, vec![like("⟦image \"seal\" 10×20 69 bytes⟧")]),
        ),
        1 => (
            json!({"op": "insert_bookmark", "paragraphIndex": number, "name": "Purpose_of_it"}),
            Change::Nothing,
        ),
        2 => {
            let to = paper.lines[pick(choices, &plain)?].number;
            let show = ["text", "page", "above_below"][choices.below(3)];
            let label = match show {
                "text" => "⟦REF \\h → it⟧",
                "page" => "⟦PAGEREF \\h → it⟧",
                _ => "⟦REF \\p \\h → it⟧",
            };
            let operation =
                json!({"op": "insert_cross_reference", "paragraphIndex": number, "to": to, "show": show});
            (operation, behind(label))
        }
        3 => {
            (json!({"op": "insert_field", "paragraphIndex": number, "instruction": "PAGE"}), behind("⟦PAGE⟧"))
        }
        4 => {
            let kind = ["page", "column"][choices.below(2)];
            (
                json!({"op": "insert_break", "after": number, "kind": kind}),
                Change::After(at, vec![like(&format!("⟦{kind} break⟧"))]),
            )
        }
        5 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "insert_comment", "paragraphIndex": number, "textToFind": word, "commentContent": new}),
                Change::Nothing,
            )
        }
        6 => (
            json!({"op": "set_properties", "title": new, "custom": {"Matter": "M-1", "Final": true}}),
            Change::Nothing,
        ),
        7 => (json!({"op": "insert_table_of_contents", "after": number, "levels": "1-2"}), Change::Contents),
        8 => (json!({"op": "update_fields"}), Change::Contents),
        9 => (
            json!({"op": "format_paragraph", "paragraphIndex": number, "alignment": "right", "spaceAfter": 6}),
            Change::Nothing,
        ),
        10 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "highlight_text", "paragraphIndex": number, "textToFind": word, "color": "yellow"}),
                Change::Nothing,
            )
        }
        11 => {
            // Two clauses together, to behind another.
            let is_next = plain.contains(&(at + 1)) && paper.lines[at + 1].number == number + 1;
            let to =
                pick(choices, &plain).filter(|to| is_next && *to != at && *to != at + 1 && *to + 1 != at)?;
            let after = paper.lines[to].number;
            (
                json!({"op": "move_paragraph", "paragraphIndex": number, "endParagraphIndex": number + 1, "after": after}),
                Change::MoveTwo(at, to),
            )
        }
        12 => {
            let is_next = plain.contains(&(at + 1)) && paper.lines[at + 1].number == number + 1;
            is_next.then_some(())?;
            (
                json!({"op": "replace_range", "paragraphIndex": number, "endParagraphIndex": number + 1, "content": new}),
                Change::OneForTwo(at, new),
            )
        }
        13 => (
            json!({"op": "insert_paragraph", "after": number, "content": format!("- {new}\n- second")}),
            Change::After(at, vec![like(&new), like("second")]),
        ),
        14 => {
            let linked = body_lines(paper, |line| {
                line.number > 0 && line.style != "row" && line.text.matches("⟦link").count() == 1
            });
            let at = pick(choices, &linked)?;
            let (before, rest) = paper.lines[at].text.split_once("⟦link")?;
            let (_, rest) = rest.split_once('⟧')?;
            let text = format!("{before}{}", rest.replacen("⟦/link⟧", "", 1));
            (json!({"op": "remove_link", "paragraphIndex": paper.lines[at].number}), Change::Text(at, text))
        }
        15 => {
            // With no notes but this one, it is the first.
            paper.lines.iter().all(|line| !line.story.contains("note:")).then_some(())?;
            let word = word(choices, &line.text)?;
            let kind = ["footnote", "endnote"][choices.below(2)];
            let note = Line { story: format!("{kind}:1"), text: format!(" {new}"), ..Line::default() };
            (
                json!({"op": "insert_note", "paragraphIndex": number, "afterText": word, "content": new, "kind": kind}),
                Change::Note(at, word.clone(), format!("{word}⟦{kind} 1⟧"), note),
            )
        }
        _ => return whole_table(choices, paper),
    };
    Some(Wish { operation, change })
}

/// An operation on a table as a whole.
fn whole_table(choices: &mut Choices<'_>, paper: &Paper) -> Option<Wish> {
    let rows = body_lines(paper, |line| line.style == "row" && line.number > 0);
    let at = pick(choices, &rows)?;
    let number = paper.lines[at].number;
    let set = |field: &str, value: Value| {
        let mut operation = json!({"op": "set_table", "paragraphIndex": number});
        operation[field] = value;
        operation
    };
    let (operation, change) = match choices.below(3) {
        0 => (set("borders", json!(["all", "none", "outer"][choices.below(3)])), Change::Nothing),
        1 => (set("headerRow", json!(true)), Change::Nothing),
        _ => {
            let head = (0..at).rev().find(|line| paper.lines[*line].style == "table")?;
            let behind = paper.lines[head + 1..].iter();
            let count = behind.take_while(|line| line.style == "row" && line.story == "body").count();
            // Tables side by side would be told apart by their heads alone.
            (json!({"op": "delete_table", "paragraphIndex": number}), Change::RemoveRows(head, count))
        }
    };
    Some(Wish { operation, change })
}
