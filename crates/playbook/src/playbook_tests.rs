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

/// As people write who have other things to do.
#[test]
fn careless_playbooks_are_read() {
    let meant = PlaybookPosition {
        name: "Term".into(),
        line: 3,
        standard: "Two years.".into(),
        fallback: "Three years.".into(),
        never: "\"perpetual\"".into(),
        never_words: vec!["perpetual".into()],
        ..PlaybookPosition::default()
    };
    for text in [
        "# NDA\r\n\r\n## Term\r\nNever: \"perpetual\"\r\nStandard: Two years.\r\nFallback: Three years.\r\n",
        "# NDA\n\n##Term\n- Standard: Two years.\n- **Fallback:** Three years.\n* Never: \"perpetual\"\n",
        "# NDA\n\n## Term\n### Standard\nTwo years.\n\n### Fallback\n\nThree years.\n\n### Never\n\"perpetual\"\n",
        "# NDA\n\n## Term\n**Standard**\nTwo years.\n> Fallback : Three years.\nNEVER – \"perpetual\"\n",
        "# NDA\n\n## Term\nStandard: Two years.\nRückfallposition: Three years.\nNiemals: \"perpetual\"\nFehlt: nicht akzeptabel\n",
    ] {
        assert_eq!(
            Playbook::parse(text).map(|playbook| playbook.positions),
            Ok(vec![meant.clone()]),
            "{text}"
        );
    }
    let table = "## Haftung\nStandard: Deckel\n| Fall | Deckel |\n|---|---|\n| leicht | 100: pro Fall |\nNever: »unbegrenzt« „frei“\n##Recht\nStandard: Irland\n";
    let playbook = Playbook::parse(table).unwrap();
    assert_eq!(
        playbook.positions[0].standard,
        "Deckel | Fall | Deckel | |---|---| | leicht | 100: pro Fall |"
    );
    assert_eq!(playbook.positions[0].never_words, ["unbegrenzt", "frei"]);
    assert_eq!(playbook.positions[1].name, "Recht");
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
    let sentences =
        "## A\nStandard: As here\nalso\nnever - or hardly ever\nStandard terms: none\n- never: a trap\n";
    let read = Playbook::parse(sentences).map(|playbook| playbook.positions[0].clone()).unwrap();
    assert_eq!(
        (read.standard.as_str(), read.never.as_str()),
        ("As here also never - or hardly ever Standard terms: none", "a trap")
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
