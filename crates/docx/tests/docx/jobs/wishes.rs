//! The jobs by number, what becomes of each, and where it is tested.

use std::collections::BTreeSet;
use std::path::Path;

/// What becomes of a job.
enum Outcome {
    /// The result is what was wished.
    Right,
    /// Right, and part of it is refused for a reason that a lawyer would give, too.
    RightBut(&'static str),
    /// Done by a command; the file and the test.
    Elsewhere(&'static str, &'static str),
    /// No command offers it.
    NotOffered(&'static str),
}

use Outcome::{Elsewhere, NotOffered, Right, RightBut};

const WISHES: &[(u32, &str, Outcome)] = &[
    (1, "a playbook against a non-disclosure agreement", Right),
    (2, "another law everywhere, asked for in one go", Right),
    (3, "the same story by story", Right),
    (4, "a new clause in the middle", Right),
    (5, "the references to the clauses behind it", Right),
    (6, "another name for a defined term", Right),
    (7, "the same where no contents table has it", Right),
    (8, "prices, a row less, a new total", Right),
    (9, "a row in the place of another", Right),
    (
        10,
        "a column more",
        RightBut("Word has no tracked change for merged cells: it asks for leave to change them untracked"),
    ),
    (11, "a column less", Right),
    (12, "a table with other contents, or none", Right),
    (
        13,
        "rows and columns of a table with merged cells",
        RightBut("a row that a merged cell begins in may be kept"),
    ),
    (14, "typed headings as a numbered list", Right),
    (15, "schedules with Roman numbers", Right),
    (16, "a clause at another place", Right),
    (
        17,
        "a clause less",
        RightBut("other clauses refer to it: whoever strikes it says what becomes of the references"),
    ),
    (18, "the last clause in other words", Right),
    (19, "a clause with references in other words", Right),
    (20, "another heading", Right),
    (21, "words around a field and a note", Right),
    (
        22,
        "other words in their insertion",
        RightBut("untracked words in somebody's pending insertion may be refused"),
    ),
    (23, "some of theirs accepted, some rejected", Right),
    (24, "an answer to a comment, and its end", Right),
    (25, "one paragraph as three", Right),
    (26, "a table in the place of a paragraph", Right),
    (27, "an item more in a German list", Right),
    (28, "a contract in Hebrew", Right),
    (29, "all of theirs accepted or rejected", Right),
    (30, "a document in Chinese", Right),
    (31, "both languages of a contract", Right),
    (
        32,
        "headers of odd, even and first pages; a new footer",
        RightBut("Word has no tracked change for a new footer: it asks for leave"),
    ),
    (33, "footnotes: other words, a new one", Right),
    (34, "a text box", Right),
    (
        35,
        "a form",
        RightBut(
            "choices that the form does not offer, and what it locks, are refused; boxes and dates ask for leave",
        ),
    ),
    (36, "blanks filled in", Right),
    (37, "pictures, links, contents tables, cross-references, breaks, pages", Right),
    (38, "a new document of Markdown", Right),
    (39, "a document as Markdown", Right),
    (
        40,
        "a clean version",
        RightBut("a commented paragraph goes when it is said what becomes of the comment"),
    ),
    (41, "a summary for a person", Right),
    (
        42,
        "one step back",
        Elsewhere("engross/tests/cli/checkpoints.rs", "a_change_set_is_taken_back_and_later_ones_stay"),
    ),
    (
        43,
        "a conversation about a document",
        Elsewhere("engross/tests/cli/chat.rs", "edits_are_taken_back_one_by_one"),
    ),
    (44, "a stale reading, an atomic batch, four rounds as one redline", Right),
    (
        45,
        "two versions compared",
        NotOffered("an operation edits one document; there is no command that compares two"),
    ),
];

/// Each job is judged somewhere, or it is said why not.
#[test]
fn every_wish_is_judged() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tested = BTreeSet::new();
    for entry in std::fs::read_dir(folder.join("tests/docx/jobs")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(path).unwrap();
            tested
                .extend(text.split("fn job_").skip(1).filter_map(|rest| rest.get(..2)?.parse::<u32>().ok()));
        }
    }
    for (at, (number, wish, outcome)) in WISHES.iter().enumerate() {
        assert_eq!(*number as usize, at + 1);
        match outcome {
            Right => assert!(tested.contains(number), "nobody judges {number}, {wish}"),
            RightBut(reason) => assert!(tested.contains(number) && !reason.is_empty(), "{number}, {wish}"),
            Elsewhere(file, test) => {
                let text = std::fs::read_to_string(folder.join("..").join(file)).unwrap();
                assert!(text.contains(&format!("fn {test}(")), "{file} has no {test}");
            }
            NotOffered(reason) => assert!(!tested.contains(number), "{number} is judged, though {reason}"),
        }
    }
}
