//! Continuations joined to what came before, in any chunks.

use proptest::prelude::*;

use super::join::JoinContext;
use super::{
    Continuation, EarlierContent, JoinDoubt, JoinError, Joiner, Overlap, RecentContent, RestartDetection,
};

const BOTH: Continuation = Continuation {
    overlap: Overlap::Dedupe,
    min_overlap_bytes: 24,
    restart: RestartDetection::Detect,
    max_rounds: 16,
};
const MARKDOWN: JoinContext = JoinContext { in_fence: false, markdown: true };

struct Text<'a>(&'a [u8]);

impl EarlierContent for Text<'_> {
    fn matches(&mut self, offset: u64, bytes: &[u8]) -> bool {
        self.0[usize::try_from(offset).unwrap()..].starts_with(bytes)
    }
}

/// The file after the continuation, or why it does not join.
fn joined(
    file: &str,
    more: &str,
    options: &Continuation,
    at: JoinContext,
    size: usize,
) -> Result<String, JoinError> {
    let mut recent = RecentContent::default();
    recent.push(file.as_bytes());
    let mut joiner = Joiner::default();
    joiner.begin(options);
    let mut out = file.as_bytes().to_vec();
    let mut earlier = Text(file.as_bytes());
    for chunk in more.as_bytes().chunks(size) {
        out.extend(joiner.push(chunk, options, &recent, at, &mut earlier)?);
    }
    out.extend(joiner.end(options, &recent, at, &mut earlier)?);
    Ok(String::from_utf8(out).unwrap())
}

fn lines(count: usize) -> String {
    (1..=count).map(|line| format!("This is line number {line} of the file.\n")).collect()
}

#[test]
fn case_41_and_45_what_is_clearly_repeated_is_removed_and_nothing_else() {
    let file = "# Title\n\nThe first sentence of a paragraph.\nThe second sente";
    let cases = [
        ("nce.\n", "nce.\n"),
        ("The second sentence.\n", "The second sentence.\n"),
        ("The first sentence of a paragraph.\nThe second sentence.\n", "nce.\n"),
        (file, ""),
        ("nce.\nThe second sente", "nce.\nThe second sente"),
        ("", ""),
    ];
    for (more, new) in cases {
        for size in [1, 7, 10_000] {
            assert_eq!(joined(file, more, &BOTH, MARKDOWN, size), Ok(format!("{file}{new}")), "{more:?}");
        }
    }
    assert_eq!(joined("}\n}\n}\n", "}\n", &BOTH, MARKDOWN, 1), Ok("}\n}\n}\n}\n".to_owned()));
    let kept = Continuation { overlap: Overlap::None, restart: RestartDetection::Off, ..BOTH };
    assert_eq!(joined(file, file, &kept, MARKDOWN, 3), Ok(format!("{file}{file}")));
}

/// The file after the continuation, and what was in doubt.
fn joined_in_doubt(file: &str, more: &str) -> (String, Option<JoinDoubt>) {
    let mut recent = RecentContent::default();
    recent.push(file.as_bytes());
    let mut joiner = Joiner::default();
    joiner.begin(&BOTH);
    let mut earlier = Text(file.as_bytes());
    let mut out = file.as_bytes().to_vec();
    out.extend(joiner.push(more.as_bytes(), &BOTH, &recent, MARKDOWN, &mut earlier).unwrap());
    out.extend(joiner.end(&BOTH, &recent, MARKDOWN, &mut earlier).unwrap());
    (String::from_utf8(out).unwrap(), joiner.take_doubt())
}

/// In a run of the same lines what was asked for is removed, and no line that may be of the file.
#[test]
fn in_a_run_of_the_same_lines_only_what_was_asked_for_is_removed() {
    let row = "| the same row | of a table |\n";
    // The prompt names the last line, and the one before it too where an unfinished one is short.
    for (cut, asked, other) in [(0, 30, 180), (3, 27, 177), (9, 51, 201)] {
        let file = format!("# Title\n\n{}", row.repeat(8));
        let (file, rest) = file.split_at(file.len() - cut);
        let (again, new) = (
            &file[file.len() - usize::try_from(asked).unwrap()..],
            format!("{rest}{}The end.\n", row.repeat(5)),
        );
        let (whole, doubt) = joined_in_doubt(file, &format!("{again}{new}"));
        assert_eq!(
            (whole, doubt),
            (format!("{file}{new}"), Some(JoinDoubt { removed: asked, other })),
            "{cut}"
        );
    }
    // All that was asked for and nothing beside it: no doubt.
    let file = format!("# Title\n\n{}", row.repeat(3));
    assert_eq!(joined_in_doubt(&file, &format!("{row}The end.\n")), (format!("{file}The end.\n"), None));
    // More than was asked for, of lines that do not repeat: no doubt either.
    let plain = lines(5);
    let again = format!("{}More.\n", &plain[plain.len() - 2 * 35..]);
    assert_eq!(joined_in_doubt(&plain, &again), (format!("{plain}More.\n"), None));
    // Not what was asked for, and two parts of the end fit: the longer one, and it is told.
    let short = "x\n";
    let file = format!("{}\n{}", "a".repeat(40), short.repeat(40));
    let more = format!("\n{}end\n", short.repeat(20));
    assert_eq!(
        joined_in_doubt(&file, &more),
        (format!("{file}end\n"), Some(JoinDoubt { removed: 41, other: 39 }))
    );
}

#[test]
fn case_42_a_new_beginning_is_noticed() {
    let file = lines(1000);
    let cut = &file[..20_005];
    for size in [100, 4096, 100_000] {
        assert_eq!(joined(cut, &file, &BOTH, MARKDOWN, size).as_ref(), Ok(&file), "{size}");
    }
    let other = file.replacen("number 300 ", "number three hundred ", 1);
    let at = joined(cut, &other, &BOTH, MARKDOWN, 1000).unwrap_err();
    assert!(matches!(at, JoinError::Restarted(offset) if offset > 0), "{at:?}");
    let small = &file[..400];
    assert_eq!(joined(small, &file, &BOTH, MARKDOWN, 50).as_ref(), Ok(&file), "within the window");
}

#[test]
fn case_44_words_around_the_file_are_not_content() {
    let file = lines(3);
    let last = "This is line number 3 of the file.\n";
    let cleaned = joined(&file, &format!("Sure, here is the rest:\n\n{last}More.\n"), &BOTH, MARKDOWN, 9);
    assert_eq!(cleaned, Ok(format!("{file}More.\n")));
    let code = JoinContext { in_fence: false, markdown: false };
    let fenced = JoinContext { in_fence: true, markdown: true };
    let cases = [
        ("Continuing from where I stopped:\nMore.\n".to_owned(), MARKDOWN, Err(JoinError::Chatter)),
        ("```python\nmore()\n".to_owned(), code, Err(JoinError::Fence)),
        ("```python\nmore()\n".to_owned(), fenced, Err(JoinError::Fence)),
        ("```\nmore\n".to_owned(), fenced, Ok(format!("{file}```\nmore\n"))),
        ("```python\nmore()\n".to_owned(), MARKDOWN, Ok(format!("{file}```python\nmore()\n"))),
        ("Sure thing is a film\n".to_owned(), MARKDOWN, Ok(format!("{file}Sure thing is a film\n"))),
    ];
    for (more, at, expected) in cases {
        assert_eq!(joined(&file, &more, &BOTH, at, 5), expected, "{more:?}");
    }
    let unfinished = format!("{file}And the");
    let elsewhere = format!("{last}Another sentence.\n");
    assert_eq!(joined(&unfinished, &elsewhere, &BOTH, MARKDOWN, 5), Err(JoinError::Elsewhere));
}

proptest! {
    #[test]
    fn a_repeated_end_is_removed_exactly(file in "([a-z]{1,30}\n){0,9}[a-z]{0,30}", new in "[A-Z\n]{0,80}", back in 24usize..400, size in 1usize..90) {
        let start = file.len().saturating_sub(back);
        prop_assume!(file.len() - start >= 24);
        let more = format!("{}{new}", &file[start..]);
        // In a text of lower case followed by capitals only one repetition fits.
        prop_assert_eq!(joined(&file, &more, &BOTH, MARKDOWN, size), Ok(format!("{file}{new}")));
    }

    #[test]
    fn what_does_not_repeat_stays(file in "[a-z\n]{0,200}", new in "[A-Z][A-Z\n]{0,200}", size in 1usize..90) {
        prop_assert_eq!(joined(&file, &new, &BOTH, MARKDOWN, size), Ok(format!("{file}{new}")));
    }
}
