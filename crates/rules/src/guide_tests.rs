//! Checks `docs/guide/rules.md` against the parser: each example, each refusal, and the list of words.

use serde_json::Value;

use crate::grammar::{WORDS_THAT_NEED_QUOTES, operations};

const GUIDE: &str = include_str!("../../../docs/guide/rules.md");

#[test]
fn each_example_gives_its_operations() {
    let rows = rows("Examples");
    assert!(rows.len() > 40, "only {} examples were found", rows.len());
    for (instruction, expected) in rows {
        let json = expected.strip_prefix('`').and_then(|json| json.strip_suffix('`')).expect(expected);
        let expected = match serde_json::from_str(json).expect(json) {
            Value::Array(operations) => operations,
            operation => vec![operation],
        };
        assert_eq!(operations(instruction), Ok(expected), "{instruction}");
    }
}

#[test]
fn each_refusal_is_refused() {
    let rows = rows("What it refuses");
    assert!(rows.len() >= 20, "only {} refusals were found", rows.len());
    for (instruction, _) in rows {
        assert!(operations(instruction).is_err(), "{instruction}");
    }
}

#[test]
fn the_words_that_need_quotes_are_those_of_the_page() {
    let block = section("Words that need quotes").split("```").nth(1).expect("a block of words");
    let listed: Vec<&str> = block.split_whitespace().skip(1).collect();
    assert_eq!(listed, WORDS_THAT_NEED_QUOTES);
}

/// The rows of a section's table: the instruction without its backticks, and the second cell.
fn rows(heading: &str) -> Vec<(&'static str, &'static str)> {
    section(heading)
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .collect()
}

fn section(heading: &str) -> &'static str {
    let title = format!("\n## {heading}\n");
    let after = GUIDE.split_once(title.as_str()).expect("the section is there").1;
    after.split_once("\n## ").map_or(after, |(section, _)| section)
}
