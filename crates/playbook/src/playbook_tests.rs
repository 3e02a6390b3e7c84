use proptest::prelude::*;

use super::playbook::{Playbook, PlaybookPosition};

const WHOLE: &str = "\u{feff}# NDA\n\nWhat we want of an NDA.\n\n## Term\n\nHow long.\n\n**Also:** Duration; Period of validity\nStandard: Two years.\n\
- from signing\n\nAnd not longer.\nFallback: three\nyears\nNever: “perpetual” or \"for ever\", „ewig“.\nMissing: acceptable\n\n## Law ##\nStandard: Irish.\n";

#[test]
fn a_playbook_is_read_whole() {
    let playbook = Playbook::parse(WHOLE).unwrap();
    assert_eq!(playbook.title, "NDA");
    let term = PlaybookPosition {
        name: "Term".into(),
        line: 5,
        also: vec!["Duration".into(), "Period of validity".into()],
        standard: "Two years. - from signing\nAnd not longer.".into(),
        fallback: "three years".into(),
        never: "“perpetual” or \"for ever\", „ewig“.".into(),
        never_words: vec!["perpetual".into(), "for ever".into(), "ewig".into()],
        may_be_missing: true,
    };
    assert_eq!(playbook.positions[0], term);
    assert_eq!(
        (
            playbook.positions[1].name.as_str(),
            playbook.positions[1].line,
            playbook.positions[1].may_be_missing
        ),
        ("Law", 19, false)
    );
}

#[test]
fn what_is_wrong_has_its_line() {
    for (text, line, problem) in [
        ("", 1, "no position"),
        ("# Title\n\nText\n", 3, "no position"),
        ("Standard: x\n## A\n", 1, "before the first position"),
        ("## A\n\nFallback: x\n", 1, "'A' has no 'Standard:'"),
        ("## A\nStandards: x\n", 2, "do you mean 'Standard:'"),
        ("## A\nstandard: x\nNewer: y\n", 3, "do you mean 'Never:'"),
        ("## A\nStandard:\n\nFallback: x\n", 1, "'Standard:' of 'A' says nothing"),
        ("## A\nStandard: x\nStandard: y\n", 3, "stands twice"),
        ("## A\nStandard: x\n## a\nStandard: y\n", 3, "line 1 already"),
        ("## A\nStandard: x\n# B\n", 3, "a title stands among"),
        ("##\nStandard: x\n", 1, "no name"),
        ("## A\nStandard: x\nMissing: maybe\n", 1, "'acceptable' or 'not acceptable'"),
    ] {
        let error = Playbook::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text:?}: {error}");
        assert!(error.problem.contains(problem), "{text:?}: {error}");
    }
}

#[test]
fn text_with_colons_is_text() {
    let playbook =
        Playbook::parse("## A\nStandard: Notice in writing:\nby post: yes\nhttps://x.example\n### Deeper\n")
            .unwrap();
    assert_eq!(
        playbook.positions[0].standard,
        "Notice in writing: by post: yes https://x.example ### Deeper"
    );
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(text in "(#|##|Standard:|Never:|\"|“|\n| |[a-z]|é){0,60}") {
        match Playbook::parse(&text) {
            Ok(playbook) => prop_assert!(!playbook.positions.is_empty()),
            Err(error) => prop_assert!(error.line >= 1 && error.line <= text.lines().count().max(1)),
        }
    }
}
