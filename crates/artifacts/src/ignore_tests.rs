use super::ignore::{Ignore, is_excluded};
use super::warnings::Warnings;

/// Which of `paths` the rules hide, and the warnings.
fn hidden<'a>(rules: &str, paths: &[&'a str]) -> (Vec<&'a str>, usize) {
    let mut warnings = Warnings::default();
    let ignore = Ignore::parse(rules, &mut warnings);
    (paths.iter().copied().filter(|path| ignore.hides(path)).collect(), warnings.into_list().len())
}

#[test]
fn each_form_hides_what_it_says_and_no_more() {
    let paths =
        ["draft/a.md", "draft", "drafts/a.md", "x/draft/a.md", "a.tmp", "x/a.tmp", "notes.md", "x/notes.md"];
    let table = [
        ("draft/", vec!["draft/a.md"]),
        ("notes.md", vec!["notes.md"]),
        ("x/notes.md", vec!["x/notes.md"]),
        ("*.tmp", vec!["a.tmp"]),
        ("**/*.tmp", vec!["a.tmp", "x/a.tmp"]),
        ("# draft/\n\n", vec![]),
        ("x\\draft\\", vec!["x/draft/a.md"]),
        ("x\\\\notes.md", vec!["x/notes.md"]),
        ("x//draft//", vec!["x/draft/a.md"]),
    ];
    for (rules, expected) in table {
        assert_eq!(hidden(rules, &paths), (expected, 0), "{rules}");
    }
}

#[test]
fn other_forms_are_warned_of() {
    for rule in [
        "!a.md",
        "/a.md",
        "a*b",
        "x/*.tmp",
        "**/x/*.tmp",
        "**",
        "*",
        "a?.md",
        "[ab].md",
        "./a.md",
        "x/../a.md",
        "\\a.md",
        "a*/",
    ] {
        assert_eq!(hidden(rule, &["a.md", "x/a.tmp", "aXb"]), (vec![], 1), "{rule}");
    }
}

#[test]
fn only_fenced_rules_count_where_there_are_any() {
    let text = "# Rules\n\nnotes.md\n\n```artifact-ignore\n*.tmp\n```\n\n```sh\na.md\n```\n";
    assert_eq!(hidden(text, &["notes.md", "a.tmp", "a.md"]), (vec!["a.tmp"], 0));
}

#[test]
fn an_empty_block_of_rules_says_that_there_are_none() {
    let text = "notes.md\n\n```artifact-ignore\n```\n";
    assert_eq!(hidden(text, &["notes.md"]), (vec![], 0));
}

#[test]
fn the_rules_themselves_are_hidden_at_the_top() {
    assert_eq!(hidden("", &["artifact-ignore.md", "x/artifact-ignore.md"]), (vec!["artifact-ignore.md"], 0));
}

#[test]
fn a_hidden_folder_is_not_looked_through() {
    let ignore = Ignore::parse("a/b/", &mut Warnings::default());
    let folders = ["a", "a/b", "a/b/c", "a/bc", "b"];
    let skipped: Vec<_> = folders.into_iter().filter(|folder| ignore.hides_folder(folder)).collect();
    assert_eq!(skipped, ["a/b", "a/b/c"]);
}

#[test]
fn folders_of_tools_are_known_in_any_case() {
    assert!(["node_modules", ".git", ".GIT", ".turbo"].into_iter().all(is_excluded));
    assert!(!["dist", "build", "git", ".github", "node_modules2"].into_iter().any(is_excluded));
}
