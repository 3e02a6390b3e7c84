use proptest::prelude::*;

use super::markdown::MarkdownStream;
use super::styled::{Colour, Style, StyledLine, Theme, harmless};

const ANSWER: &str = "\
# Findings

The **term** is *three* years; see `clause 9` and [the act](https://example.org/act).
Second line of it, with a snake_case word, 2 * 3 and an open *star that goes on for long enough to be wrapped.

1. First point, which is long enough that it has to be wrapped onto a second line of the terminal
2. Second
   - nested **bold
     over lines**
   - [ ] open
   - [x] done

> A quotation
> of two lines

| Clause | Term | Note |
|:--|--:|:-:|
| 9 | three years | survives |
| 12.3 | *none* | a note that is much longer than the others and so has to be wrapped in its own column |

```rust
fn main() {
\tprintln!(\"**not bold**\");

}
```

Last words~~, struck~~ & done.
";

fn whole(text: &str, width: usize) -> Vec<StyledLine> {
    let mut stream = MarkdownStream::default();
    let mut lines = stream.push(text, width);
    lines.extend(stream.end(width));
    lines
}

fn plain(lines: &[StyledLine]) -> Vec<String> {
    lines.iter().map(|line| line.text().trim_end().to_owned()).collect()
}

#[test]
fn an_answer_is_shown_without_its_markers() {
    let lines = plain(&whole(ANSWER, 50));
    let expected = "\
Findings

The term is three years; see clause 9 and the act
(https://example.org/act).
Second line of it, with a snake_case word, 2 * 3
and an open *star that goes on for long enough to
be wrapped.

1. First point, which is long enough that it has
   to be wrapped onto a second line of the
   terminal
2. Second
   • nested bold
     over lines
   • ☐ open
   • ☑ done

│ A quotation
│ of two lines

Clause         Term              Note
──────  ───────────  ─────────────────────────────
9       three years            survives
12.3           none   a note that is much longer
                     than the others and so has to
                     be wrapped in its own column

  fn main() {
      println!(\"**not bold**\");

  }

Last words, struck & done.";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn styles_are_those_of_the_markers() {
    let line = &whole("a **b _c_** `d`\n", 50)[0];
    assert_eq!(
        line.render(Theme { colour: true }),
        "a \u{1b}[1mb \u{1b}[0m\u{1b}[1;3mc\u{1b}[0m \u{1b}[36md\u{1b}[0m"
    );
    assert_eq!(line.render(Theme { colour: false }), "a \u{1b}[1mb \u{1b}[0m\u{1b}[1;3mc\u{1b}[0m d");
}

/// It is shown as it comes: a long paragraph line by line, code line by line, not only at the end.
#[test]
fn lines_come_as_soon_as_they_are_certain() {
    let mut stream = MarkdownStream::default();
    let mut shown = 0;
    for word in "word ".repeat(40).split_inclusive(' ') {
        shown += stream.push(word, 40).len();
    }
    assert_eq!(shown, 4, "all lines but the last");
    let mut stream = MarkdownStream::default();
    assert!(stream.push("```\n", 40).is_empty());
    for line in 0..500 {
        let text = format!("line {line} of the code block\n");
        assert_eq!(plain(&stream.push(&text, 40)), [format!("  line {line} of the code block")]);
    }
    assert!(stream.end(40).is_empty());
}

#[test]
fn nothing_steers_the_terminal() {
    let hostile = "a\u{1b}[2Jb\u{9b}1mc\u{7} \u{202e}d\u{2066}e\u{200f}f `\u{1b}]0;x\u{7}`\n\n```\n\u{1b}[31m\n```\n[x](\u{1b}[5m)\n";
    let shown: String = plain(&whole(hostile, 60)).join("\n");
    let steers = |character: char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!shown.contains(steers), "{shown:?}");
    assert_eq!(harmless("\ta\u{e0041}"), "    a\u{fffd}");
}

/// What must be shown, whatever a renderer does with the rest: letters and digits, in order.
fn letters(text: &str) -> String {
    text.chars().filter(|character| character.is_alphanumeric()).collect()
}

proptest! {
    /// However it is cut into pieces, an answer looks the same; what was shown is never changed.
    #[test]
    fn pieces_do_not_show(cuts in proptest::collection::vec(0..ANSWER.len(), 0..60), width in 24_usize..90) {
        let mut cuts: Vec<usize> = cuts.into_iter().map(|at| ANSWER.floor_char_boundary(at)).collect();
        cuts.extend([0, ANSWER.len()]);
        cuts.sort_unstable();
        let mut stream = MarkdownStream::default();
        let mut lines: Vec<StyledLine> =
            cuts.windows(2).flat_map(|pair| stream.push(&ANSWER[pair[0]..pair[1]], width)).collect();
        lines.extend(stream.end(width));
        prop_assert_eq!(plain(&lines), plain(&whole(ANSWER, width)));
    }

    /// The same for anything that has markers in it.
    #[test]
    fn no_text_is_lost(parts in proptest::collection::vec(prop_oneof![
        Just("**"), Just("*"), Just("_"), Just("`"), Just("```\n"), Just("\n"), Just("\n\n"), Just("- "), Just("1. "), Just("> "),
        Just("# "), Just("| a | b |\n|---|---|\n"), Just("["), Just("]("), Just(")"), Just("<b>"), Just("&amp;"), Just("\\"), Just("wörter "),
        Just("漢字"), Just("x"), Just("    "), Just("---\n"), Just("~~"), Just(" | "),
    ], 0..40), width in 8_usize..60) {
        let text: String = parts.concat();
        let at_once = whole(&text, width);
        for line in &at_once {
            // Code is not cut, so that it can be copied.
            let is_code = line.0.iter().any(|span| span.style == Style::coloured(Colour::Cyan));
            prop_assert!(is_code || line.width() <= width.max(40), "{:?}", line.text());
        }
        let mut stream = MarkdownStream::default();
        let mut lines: Vec<StyledLine> = parts.iter().flat_map(|part| stream.push(part, width)).collect();
        lines.extend(stream.end(width));
        let shown = |lines: &[StyledLine]| letters(&plain(lines).concat());
        prop_assert_eq!(shown(&lines), shown(&at_once));
    }
}

/// Models write a paragraph as one long line: it is shown as it comes, and the one before it at once.
#[test]
fn a_paragraph_is_shown_while_its_only_line_goes_on() {
    for start in ["Sentences", "**Bold** words and sentences", "„Quoted“ words"] {
        let mut stream = MarkdownStream::default();
        let mut shown = Vec::new();
        for piece in [
            "# Title\n\nFirst paragraph.\n\n",
            start,
            " that go on and on for as long",
            " as it takes to fill lines. ",
        ] {
            shown.extend(stream.push(piece, 30));
        }
        for _ in 0..4 {
            shown.extend(stream.push("Some more words of it. ", 30));
        }
        let text = plain(&shown).join("\n");
        assert!(
            text.contains("First paragraph.") && text.matches("Some more").count() >= 2,
            "{start}: {text}"
        );
    }
    // What may still be an item of the list is waited for.
    let mut stream = MarkdownStream::default();
    assert!(!plain(&stream.push("1. one\n\n2", 30)).contains(&"2".to_owned()));
}

#[test]
fn what_is_seen_as_one_character_is_not_cut() {
    let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}";
    let text = format!("| a | b |\n|---|---|\n| x | {family} |\n| y | e\u{301} |\n\n{}", family.repeat(9));
    for width in [6, 8, 12, 40] {
        let lines = plain(&whole(&text, width));
        let split = |line: &String| {
            line.starts_with('\u{200d}') || line.ends_with('\u{200d}') || line.contains(" \u{200d}")
        };
        assert!(!lines.iter().any(split), "{width}: {lines:#?}");
    }
}
