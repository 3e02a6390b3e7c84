//! What is said at the end of an answer, and what only looks so.

use super::{is_notice, is_part_mark, said_at_end};

#[test]
fn what_is_said_at_the_end_is_known_and_content_stays() {
    for said in [
        "Would you like me to continue with the rest?",
        "Shall I continue?\n",
        "*(continued in the next message)*\n",
        "[Output truncated — say \"continue\" to go on]",
        "---\n\n**[To be continued in the next response]**\n",
        "Soll ich fortfahren?",
        "(Fortsetzung folgt)\n",
        "（未完待续）",
        "# ... continued below",
        "[TRUNCATED]",
        "--- End of part 1 ---\n",
    ] {
        let text = format!("# A\n\nThe text.\n{said}");
        let (bytes, _) = said_at_end(text.as_bytes());
        let left = &text[..text.len() - bytes];
        assert!(
            bytes > 0 && left.trim_end_matches(['-', '\n', ' ']).ends_with("The text."),
            "{said:?}: {left:?}"
        );
    }
    for content in [
        "We continued until the end of the year.\n",
        "    x = continue_with(rest)\n",
        "The parties shall continue?\n",
        "| continued | 3 |\n",
        "Should the seller go on",
    ] {
        let text = format!("# A\n\nThe text.\n{content}");
        assert_eq!(said_at_end(text.as_bytes()).0, 0, "{content:?}");
    }
    assert_eq!(said_at_end(b"Shall I continue?").0, 0, "all of it is not nothing");
}

#[test]
fn headings_that_say_that_they_go_on_are_notices() {
    for line in [
        "## 4. Costs (continued)",
        "# ... continued",
        "// continued from above",
        "（续）",
        "**(Fortsetzung)**",
    ] {
        assert!(is_notice(line), "{line}");
    }
    for line in ["## 4. Costs", "# continue the loop", "for continued in all:", "continued"] {
        assert!(!is_notice(line), "{line}");
    }
}

#[test]
fn marks_of_parts_of_an_answer_are_known() {
    for line in ["--- Part 2 ---", "=== Teil 3 ===", "[Part 2 of 3]", "(part 2)"] {
        assert!(is_part_mark(line), "{line}");
    }
    for line in
        ["## Part 2", "Part 2", "--- Part two of the story ---", "[Part 2 is missing]", "---", "| --- | 2 |"]
    {
        assert!(!is_part_mark(line), "{line}");
    }
}
