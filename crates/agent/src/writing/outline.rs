//! A long text in few bytes: its beginning, what it defines, and its end.
//!
//! Must never pass what is shortened for the whole: what is left out is said.

/// Bytes of the beginning, and of the end.
const HEAD: usize = 4 << 10;
const TAIL: usize = 16 << 10;

/// The longest line of an outline, in characters, and all of its bytes.
const LINE: usize = 120;
const OUTLINE: usize = 12 << 10;

/// How lines begin that define something, or head a part.
const DEFINING: &[&str] = &[
    "def ",
    "class ",
    "async def ",
    "function ",
    "export ",
    "const ",
    "fn ",
    "pub ",
    "impl ",
    "struct ",
    "enum ",
    "trait ",
    "mod ",
    "func ",
    "type ",
    "interface ",
    "public ",
    "private ",
    "protected ",
    "static ",
    "#define ",
    "CREATE ",
    "create ",
    "\\section",
    "\\subsection",
    "\\chapter",
    "# ",
    "## ",
    "### ",
    "#### ",
    "<h1",
    "<h2",
    "<h3",
    "module ",
    "package ",
    "namespace ",
];

/// The text if it has at most `most` bytes; else its parts, with what is left out named.
pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let tail_bytes = TAIL.min(most * 2 / 3);
    let head_bytes = HEAD.min(most / 6);
    let head_end = text
        .get(..text.floor_char_boundary(head_bytes))
        .and_then(|head| head.rfind('\n'))
        .map_or(0, |at| at + 1);
    let tail_from = text.floor_char_boundary(text.len() - tail_bytes);
    let tail_start =
        text.get(tail_from..).and_then(|tail| tail.find('\n')).map_or(tail_from, |at| tail_from + at + 1);
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    let middle = text.get(head_end..tail_start).unwrap_or_default();
    let first = head.matches('\n').count() + 1;
    let last = first + middle.matches('\n').count();
    let outline = outline(middle, first, OUTLINE.min(most / 6));
    format!(
        "{head}[lines {first} to {} are left out here; they have:\n{outline}]\n{tail}",
        last.saturating_sub(1).max(first)
    )
}

/// The lines that define something, with their numbers from `first` on.
fn outline(text: &str, first: usize, most: usize) -> String {
    let mut outline = String::new();
    for (number, line) in (first..).zip(text.lines()) {
        let trimmed = line.trim_start();
        if !DEFINING.iter().any(|begin| trimmed.starts_with(begin)) {
            continue;
        }
        let line: String = line.trim_end().chars().take(LINE).collect();
        if outline.len() + line.len() > most {
            outline.push_str("…\n");
            break;
        }
        outline.push_str(&format!("{number}: {line}\n"));
    }
    if outline.is_empty() { "nothing that is named\n".to_owned() } else { outline }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_long_text_is_its_beginning_its_outline_and_its_end() {
        let text: String = (0..9000).map(|at| format!("fn part_{at}() {{ body(); }}\n")).collect();
        let short = shortened(&text, 96 << 10);
        assert!(short.len() < 40 << 10, "{}", short.len());
        assert!(short.starts_with("fn part_0()") && short.ends_with("fn part_8999() { body(); }\n"));
        assert!(short.contains("fn part_200()"), "{short}");
        assert_eq!(shortened(&text, text.len()), text);
    }
}
