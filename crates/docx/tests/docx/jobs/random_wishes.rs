//! Random operations on a document, each with what it does to the paper.
//!
//! Must never use the engine.

use serde_json::{Value, json};

use super::paper::{Line, Paper, row};
use super::random_objects::object_wish;
use crate::random_bodies::Choices;

/// An operation and what it means.
pub(super) struct Wish {
    pub(super) operation: Value,
    pub(super) change: Change,
}

/// What an operation does to the paper, by the places of the source.
pub(super) enum Change {
    /// Words of a line become others.
    Say(usize, String, String),
    /// Words become others wherever they stand in the body.
    SayAll(String, String),
    /// Words become others in every story.
    SayEverywhere(String, String),
    /// Whole words of the body become others.
    SayWords(String, String),
    /// A line has a new text.
    Text(usize, String),
    /// Lines stand behind a line, or before it.
    After(usize, Vec<Line>),
    Before(usize, Vec<Line>),
    Remove(usize),
    /// Lines take the place of a line.
    Replace(usize, Vec<Line>),
    /// A line stands behind another.
    Move(usize, usize),
    /// A line and the one behind it stand behind another.
    MoveTwo(usize, usize),
    /// A line has a new text, and the one behind it is gone.
    OneForTwo(usize, String),
    /// A table goes: its head, and so many rows.
    RemoveRows(usize, usize),
    /// Words of a line become others, and a note says this.
    Note(usize, String, String, Line),
    /// Lines of a table of contents, which are not compared.
    Contents,
    /// Something that no text shows.
    Nothing,
}

pub(super) fn body_lines(paper: &Paper, is_meant: impl Fn(&Line) -> bool) -> Vec<usize> {
    let lines = paper.lines.iter().enumerate();
    lines.filter(|(_, line)| line.story == "body" && is_meant(line)).map(|(at, _)| at).collect()
}

fn is_paragraph(line: &Line) -> bool {
    !matches!(line.style.as_str(), "row" | "table" | "section") && !line.style.starts_with("TOC")
}

/// A line that nothing but words stand in.
pub(super) fn is_plain(line: &Line) -> bool {
    is_paragraph(line)
        && !line.text.is_empty()
        && !line.text.contains(['⟦', '\t', '\n', '|', '`', '*', '_', '\u{2011}'])
}

/// A word of a text that stands in it once.
pub(super) fn word(choices: &mut Choices<'_>, text: &str) -> Option<String> {
    let words: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| word.len() > 3 && text.matches(*word).count() == 1)
        .collect();
    (!words.is_empty()).then(|| words[choices.below(words.len())].to_owned())
}

pub(super) fn pick(choices: &mut Choices<'_>, places: &[usize]) -> Option<usize> {
    (!places.is_empty()).then(|| places[(choices.below(256) * 256 + choices.below(256)) % places.len()])
}

/// A text with other whole words. An apostrophe or a hyphen ends a word.
pub(super) fn with_words(text: &str, old: &str, new: &str) -> String {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(old) {
        let last = before.chars().next_back().or_else(|| out.chars().next_back());
        out.push_str(before);
        let is_whole = !is_letter(last) && !is_letter(after.chars().next());
        out.push_str(if is_whole { new } else { old });
        rest = after;
    }
    out + rest
}

/// The rows of a table whose cells are not merged, its head with them.
fn table_around(paper: &Paper, at: usize) -> Option<(usize, Vec<Vec<String>>)> {
    let head = (0..at).rev().find(|line| paper.lines[*line].style == "table")?;
    let rows = paper.lines[head + 1..].iter().take_while(|line| line.style == "row" && line.story == "body");
    let cells: Vec<Vec<String>> = rows
        .map(|line| {
            let inner = line.text.strip_prefix("| ").and_then(|text| text.strip_suffix(" |")).unwrap_or("");
            inner.split(" | ").map(str::to_owned).collect()
        })
        .collect();
    let columns: usize = paper.lines[head].text.split(' ').next()?.parse().ok()?;
    let odd = |cell: &String| {
        ["(over", "(down)", "(from above)", "¶", "⟦", "|"].iter().any(|sign| cell.contains(sign))
    };
    let plain = cells.iter().all(|row| row.len() == columns && !row.iter().any(odd));
    (plain && columns > 1 && cells.len() > 2).then_some((head, cells))
}

/// An operation on the document, and what it means.
pub(super) fn wish(choices: &mut Choices<'_>, paper: &Paper) -> Option<Wish> {
    let plain = body_lines(paper, is_plain);
    let at = pick(choices, &plain)?;
    let line = &paper.lines[at];
    let number = line.number;
    let new = format!("{} {}", choices.words(), choices.word());
    let like = |text: &str| Line { text: text.to_owned(), looks: Vec::new(), ..line.clone() };
    let (operation, change) = match choices.below(34) {
        17.. => return object_wish(choices, paper),
        0 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "modify_text", "paragraphIndex": number, "originalText": word, "replacementText": new}),
                Change::Say(at, word, new),
            )
        }
        1 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "modify_text", "originalText": word, "replacementText": new, "occurrence": "all"}),
                Change::SayAll(word, new),
            )
        }
        2 => (
            json!({"op": "edit_paragraph", "paragraphIndex": number, "newContent": new, "plain": true}),
            Change::Text(at, new),
        ),
        3 => (
            json!({"op": "insert_paragraph", "after": number, "content": new}),
            Change::After(at, vec![like(&new)]),
        ),
        4 => (
            json!({"op": "insert_paragraph", "before": number, "content": format!("{new}\n\nand {new}")}),
            Change::Before(at, vec![like(&new), like(&format!("and {new}"))]),
        ),
        5 => (json!({"op": "delete_paragraph", "paragraphIndex": number}), Change::Remove(at)),
        6 => {
            let other = pick(choices, &plain).filter(|other| *other != at)?;
            let after = paper.lines[other].number;
            (
                json!({"op": "move_paragraph", "paragraphIndex": number, "after": after}),
                Change::Move(at, other),
            )
        }
        7 => (
            json!({"op": "replace_paragraph", "paragraphIndex": number, "content": format!("{new}\n\n- {new}\n- last")}),
            Change::Replace(at, vec![like(&new), like(&new), like("last")]),
        ),
        8 => (json!({"op": "format_text", "paragraphIndex": number, "bold": true}), Change::Nothing),
        9 => (
            json!({"op": "edit_paragraph", "paragraphIndex": number, "newContent": format!("{}\n\n{new}", line.text), "plain": true}),
            Change::After(at, vec![like(&new)]),
        ),
        10 => {
            let word = word(choices, &line.text)?;
            let linked = format!("⟦link → https://example.com/⟧{word}⟦/link⟧");
            (
                json!({"op": "insert_link", "paragraphIndex": number, "textToLink": word, "url": "https://example.com/"}),
                Change::Say(at, word, linked),
            )
        }
        11 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "modify_text", "originalText": word, "replacementText": new, "occurrence": "all", "scope": "everywhere"}),
                Change::SayEverywhere(word, new),
            )
        }
        12 => {
            let word = word(choices, &line.text)?;
            (
                json!({"op": "modify_text", "originalText": word, "replacementText": new, "occurrence": "all", "wholeWord": true}),
                Change::SayWords(word, new),
            )
        }
        13 => {
            let word = word(choices, &line.text)?;
            let pattern = format!("({})", &word);
            (
                json!({"op": "modify_text", "pattern": pattern, "replacementText": "[$1]", "occurrence": "all"}),
                Change::SayAll(word.clone(), format!("[{word}]")),
            )
        }
        _ => return table_wish(choices, paper),
    };
    Some(Wish { operation, change })
}

/// An operation on a table.
fn table_wish(choices: &mut Choices<'_>, paper: &Paper) -> Option<Wish> {
    let rows = body_lines(paper, |line| line.style == "row" && line.number > 0);
    let at = pick(choices, &rows)?;
    let (head, cells) = table_around(paper, at)?;
    let (index, columns) = (at - head - 1, cells[0].len());
    let number = paper.lines[at].number;
    let edit = |action: &str| json!({"op": "edit_table", "paragraphIndex": number, "action": action});
    let text = choices.words();
    let model = Line { looks: Vec::new(), ..paper.lines[at].clone() };
    let line = |cells: &[String]| Line {
        text: row(&cells.iter().map(String::as_str).collect::<Vec<_>>()),
        ..model.clone()
    };
    let column = choices.below(columns);
    let mut operation;
    let change = match choices.below(5) {
        0 => {
            operation = edit("update_cell");
            operation["targetRow"] = json!(index);
            operation["targetColumn"] = json!(column);
            operation["content"] = json!(text);
            let mut new = cells[index].clone();
            new[column] = text;
            Change::Text(at, line(&new).text)
        }
        1 => {
            operation = edit("add_row");
            operation["targetRow"] = json!(index);
            let new: Vec<String> = (0..columns).map(|_| choices.words()).collect();
            operation["content"] = json!(new);
            Change::Before(at, vec![line(&new)])
        }
        2 => {
            operation = edit("delete_row");
            operation["targetRow"] = json!(index);
            Change::Remove(at)
        }
        kind => {
            operation = edit(if kind == 3 { "add_column" } else { "delete_column" });
            operation["targetColumn"] = json!(column);
            let new: Vec<String> = cells.iter().map(|_| choices.words()).collect();
            if kind == 3 {
                operation["content"] = json!(new);
            }
            let count = if kind == 3 { columns + 1 } else { columns - 1 };
            let mut lines = vec![Line { text: format!("{count} columns"), ..paper.lines[head].clone() }];
            for (cells, new) in cells.iter().zip(new) {
                let mut cells = cells.clone();
                if kind == 3 {
                    cells.insert(column, new);
                } else {
                    cells.remove(column);
                }
                lines.push(line(&cells));
            }
            return Some(Wish { operation, change: Change::Replace(head, lines) });
        }
    };
    Some(Wish { operation, change })
}
