//! What is found in files of each kind, and what is not.

use super::{ContentFinding, FileKind, FindingSeverity, MAX_BYTES, Subject, ValidationMode, validate};

fn found(name: &str, old: Option<&str>, text: &str) -> Vec<ContentFinding> {
    let old = old.map(str::as_bytes);
    let subject = Subject { bytes: text.as_bytes(), old, marker: Some("END-K7QJ2MZTW4XA") };
    validate(FileKind::of_name(name), &subject, &[]).findings
}

/// The code, line and column of each finding.
fn places(name: &str, text: &str) -> Vec<(String, u64, u64)> {
    found(name, None, text).into_iter().map(|finding| (finding.code, finding.line, finding.column)).collect()
}

#[cfg(feature = "code")]
#[test]
fn code_that_takes_too_long_to_parse_is_told_as_too_large() {
    use super::Validator as _;
    let text = "fn f() { let x = (1; }\n".repeat(20_000);
    let slow = super::code::Code { language: super::Language::Rust, patience: std::time::Duration::ZERO };
    let subject = Subject { bytes: text.as_bytes(), old: None, marker: None };
    let found: Vec<(String, FindingSeverity)> =
        slow.check(&subject).into_iter().map(|finding| (finding.code, finding.severity)).collect();
    assert_eq!(found, [("NOT_VALIDATED".to_owned(), FindingSeverity::Warning)]);
}

#[test]
fn rows_that_do_not_fit_their_table_are_found() {
    let sound = "| a | b |\n|---|:-:|\n| 1 | 2 |\n| x \\| y | 2 |\n\n| c |\n|---|\n| 1 |\n\nWords | with | bars.\n\n```\n| no | table |\n|---|---|\n| x |\n```\n";
    assert_eq!(places("a.md", sound), []);
    let found = places("a.md", "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 | 5 |\n| 6 |\n| 7 | 8 |\n");
    let uneven = |line| ("UNEVEN_COLUMNS".to_owned(), line, 0);
    let lines: Vec<(String, u64, u64)> = found.into_iter().map(|(code, line, _)| (code, line, 0)).collect();
    assert_eq!(lines, [uneven(4), uneven(5)]);
}

#[test]
fn case_68_broken_files_are_found_with_their_place() {
    let cases: &[(&str, &str, &str, u64, u64)] = &[
        ("a.json", "{\"a\": 1,\n \"b\" 2}\n", "SYNTAX_ERROR", 2, 6),
        ("a.json", "{\"a\": [1, 2", "SYNTAX_ERROR", 1, 11),
        ("a.jsonl", "{}\n\n[1,\n", "SYNTAX_ERROR", 3, 3),
        ("a.toml", "a = 1\nb = \n", "SYNTAX_ERROR", 2, 5),
        ("a.toml", "a = 1\na = 2\n", "SYNTAX_ERROR", 2, 1),
        ("a.yaml", "a: 1\nb: [1, 2\nc: 3\n", "SYNTAX_ERROR", 3, 2),
        ("a.xml", "<a>\n <b></a>\n", "SYNTAX_ERROR", 2, 5),
        ("a.xml", "<a>", "SYNTAX_ERROR", 1, 4),
        ("a.xml", "<a/>\n<b/>", "SYNTAX_ERROR", 2, 1),
        ("a.xml", "<a x='1' x='2'/>", "SYNTAX_ERROR", 1, 1),
        ("a.xml", "words\n", "SYNTAX_ERROR", 1, 1),
        ("a.html", "<html><body>text", "LOOKS_UNFINISHED", 0, 0),
        ("a.csv", "a,b\n1,2\n3\n", "UNEVEN_COLUMNS", 3, 0),
        ("a.tsv", "a\tb\n1\n", "UNEVEN_COLUMNS", 2, 0),
        ("a.md", "# A\n\n```sh\nls\n", "LOOKS_UNFINISHED", 3, 0),
        ("a.md", "# A\n\ntext.\n\n## B\n", "LOOKS_UNFINISHED", 5, 0),
        ("a.md", "This sentence goes on and on with the\n", "LOOKS_UNFINISHED", 1, 0),
    ];
    for (name, text, code, line, column) in cases {
        let findings = places(name, text);
        assert_eq!(
            findings.first(),
            Some(&((*code).to_owned(), *line, *column)),
            "{name} {text:?} {findings:?}"
        );
    }
}

#[test]
fn whole_files_have_no_findings() {
    let cases = [
        ("a.json", "\u{feff}{\"a\": [1, \"é\"]}\n"),
        ("a.jsonl", "{}\r\n\n[1]\n"),
        ("a.toml", "[a]\nb = 1\n"),
        ("a.yaml", "a: &x [1, 2]\nb: *x\n---\nc: |\n  text\n"),
        ("a.xml", "\u{feff}<?xml version=\"1.0\"?>\n<!-- c --><a b='1'>x &amp; y<c/></a>\n"),
        ("a.html", "<!DOCTYPE html>\n<p>one<p>two<br>"),
        ("a.csv", "a,b\n\"1,\n1\",2\n"),
        ("a.md", "# A\n\nA list:\n\n- one\n- two\n\n```\ncode\n```\n"),
        ("Makefile", "all:\n\techo\n"),
    ];
    for (name, text) in cases {
        assert_eq!(found(name, None, text), [], "{name}");
    }
}

#[test]
fn a_finding_shows_its_surroundings() {
    let expected = ContentFinding {
        code: "SYNTAX_ERROR".to_owned(),
        severity: FindingSeverity::Error,
        line: 3,
        column: 3,
        message: "key must be a string".to_owned(),
        context: ["\"a\": 1,", "  b: 2", "}"].map(str::to_owned).to_vec(),
    };
    assert_eq!(found("a.json", None, "{\n\"a\": 1,\n  b: 2\n}\n"), [expected]);
}

#[cfg(not(feature = "code"))]
#[test]
fn source_code_without_grammars_is_reported_as_not_validated() {
    let findings = found("a.rs", None, "fn a( {}\n");
    let [finding] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!((finding.code.as_str(), finding.severity), ("NOT_VALIDATED", FindingSeverity::Warning));
    assert!(finding.message.contains("--features code"), "{}", finding.message);
    assert_eq!(found("a.txt", None, "fn a( {}\n"), []);
}

#[cfg(feature = "code")]
#[test]
fn code_is_compared_with_the_file_before() {
    let cases = [
        ("a.rs", "fn a() {}\n", "fn a() {\n"),
        ("a.py", "def a():\n    pass\n", "def a(:\n    pass\n"),
        ("a.js", "let a = 1;\n", "let a = ;\n"),
        ("a.ts", "let a: number = 1;\n", "let a: = 1;\n"),
        ("a.tsx", "const a = <b>x</b>;\n", "const a = <b>x</c;\n"),
        ("a.go", "package a\n", "package a\nfunc {\n"),
        ("a.java", "class A {}\n", "class A {\n"),
        ("a.c", "int a(void) { return 1; }\n", "int a(void) { return 1;\n"),
        ("a.sh", "if a; then b; fi\n", "if a; then b\n"),
        ("a.css", "a { b: c; }\n", "a { b: c;\n"),
    ];
    for (name, good, bad) in cases {
        assert_eq!(found(name, None, good), [], "{name}");
        let errors = found(name, Some(good), bad);
        assert!(errors.iter().all(|finding| finding.code == "SYNTAX_ERROR") && !errors.is_empty(), "{name}");
        assert_eq!(found(name, Some(bad), bad), [], "{name}: it was wrong before");
    }
    let old = "fn a( {}\nfn b() {}\n";
    let new = "fn a( {}\nfn b() {}\nfn c() { let = 1; }\n";
    let errors = found("a.rs", Some(old), new);
    assert!(!errors.is_empty() && errors.iter().all(|finding| finding.line == 3), "{errors:?}");
}

#[test]
fn case_70_what_is_not_of_the_file_is_told() {
    let cases = [
        ("a.rs", "// ... rest of the code unchanged ...\n", "ELISION"),
        ("a.py", "# ... existing code ...\n", "ELISION"),
        ("a.html", "<!-- rest of the page remains the same -->\n", "ELISION"),
        ("a.md", "[... remaining sections unchanged ...]\n", "ELISION"),
        ("a.txt", "<<<<<<< HEAD\n", "CONFLICT_MARKER"),
        ("a.txt", "GrÃ¶ÃŸe\n", "MOJIBAKE"),
        ("a.txt", "DONE\n", "PROMPT_ARTEFACT"),
        ("a.txt", "<|im_end|>\n", "PROMPT_ARTEFACT"),
        ("a.txt", "END-K7QJ2MZTW4XA.\n", "MARKER_IN_CONTENT"),
    ];
    for (name, text, code) in cases {
        let findings = found(name, None, text);
        assert!(findings.iter().any(|finding| finding.code == code), "{text:?}: {findings:?}");
        assert!(
            found(name, Some(text), text).iter().all(|finding| finding.code != code),
            "{text:?} was there"
        );
    }
    for text in [
        "// The rest of the list.\n",
        "# Unchanged\n",
        "...\n",
        "We are DONE\n",
        "=======\n",
        "Ã is a letter\n",
    ] {
        assert_eq!(found("a.txt", None, text), [], "{text:?}");
    }
}

#[test]
fn what_is_too_long_is_said_not_to_be_looked_at() {
    let text = " ".repeat(MAX_BYTES + 1);
    let findings = found("a.json", None, &text);
    assert_eq!(findings.iter().map(|finding| finding.code.as_str()).collect::<Vec<_>>(), ["NOT_VALIDATED"]);
}

#[test]
fn data_is_strict_and_the_rest_is_not() {
    for name in ["a.json", "a.TOML", "x/a.yml", "a.svg", "a.docx"] {
        assert_eq!(FileKind::of_name(name).default_mode(), ValidationMode::Strict, "{name}");
    }
    for name in ["a.jsonl", "a.csv", "a.md", "a.rs", "json", ".json/a", "a."] {
        assert_eq!(FileKind::of_name(name).default_mode(), ValidationMode::Warn, "{name}");
    }
}
