//! What models put between the lines of a file, and files that are so.

use super::strays::{diff_stray, strays, strays_at};
use super::{FileKind, Language, Subject};

fn found(kind: FileKind, text: &str) -> Option<u64> {
    let subject = Subject { bytes: text.as_bytes(), old: None, marker: None };
    strays(kind, &subject).first().map(|finding| finding.line)
}

#[test]
fn what_is_put_into_a_file_is_found() {
    let code = FileKind::Code(Language::Python);
    for (kind, text, line) in [
        (code, "a = 1\nCALL WritePlanTool_begin {\"target_file\": \"b.py\"}\nb = 2\n", 2),
        (FileKind::Text, "1: one\n2: two\n3: three\n4:\n5: five\n", 1),
        (FileKind::Markdown, "# A\n\n3 | x\n4 | y\n5 |\n6 | z\n", 3),
        (FileKind::Text, "{\"target_file\": \"a.txt\", \"content\": \"a\\nb\\n\"}", 1),
        (FileKind::Markdown, "<file path=\"a.md\">\n# A\n\nText.\n</file>\n", 1),
        (
            FileKind::Text,
            "The first line.\\nThe second line, which is longer.\\nThe third line.\\nThe end",
            1,
        ),
        (code, "if a &lt; b &amp;&amp; c &gt; d:\n    pass\n", 1),
        (FileKind::Markdown, "## Outline\n- Intro\n- End\n\n---\n\n# Report\n", 1),
        (FileKind::Text, "one\ntwo\n--- END OF FILE ---\n", 3),
        (
            FileKind::Text,
            "\"The first line, which is long enough.\\nThe second line, and it is so, too.\"\n",
            1,
        ),
        (code, "a = 1\n</content>\n", 2),
        (code, "a = 1\n\n=== test_a.py ===\nassert a\n", 3),
        (FileKind::Text, "The notes.\n--- File: other.txt ---\nMore.\n", 2),
    ] {
        assert_eq!(found(kind, text), Some(line), "{text:?}");
    }
}

#[test]
fn files_that_are_so_are_not() {
    for (kind, text) in [
        (FileKind::Text, "1. one\n2. two\n3. three\n4. four\n5. five\n"),
        (FileKind::Csv, "1,a\n2,b\n3,c\n4,d\n"),
        (FileKind::Tsv, "1\ta\n2\tb\n3\tc\n4\td\n"),
        (FileKind::Json, "{\"content\": \"a\\nb\"}"),
        (FileKind::Xml, "<document>\n<a/>\n</document>\n"),
        (
            FileKind::Code(Language::JavaScript),
            "const e = {\"<\": \"&lt;\", \">\": \"&gt;\", \"&\": \"&amp;\"}; a < b\n",
        ),
        (FileKind::Code(Language::Bash), "cat <<EOF\ntext\nEOF\n"),
        (FileKind::Markdown, "# Plan\n\n1. One\n2. Two\n\nThen we go.\n"),
        (FileKind::Text, "We CALL it {a}.\nCALL me\n"),
        (FileKind::Text, "=== a.txt ===\none\n=== b.txt ===\ntwo\n"),
        (FileKind::Xml, "<content>\n<p>a</p>\n</content>\n"),
        (FileKind::Json, "\"a short text\"\n"),
        (FileKind::Markdown, "# A\n\n---\n\n**3.5**\n"),
    ] {
        assert_eq!(found(kind, text), None, "{text:?}");
    }
}

#[test]
fn what_is_said_or_comes_again_at_a_joint_is_found() {
    let before = "# Report\n\n## 1. Costs\n\nCosts fell by a tenth in March.\nThey rose in May by the same.\n\nThe branch";
    let at = before.rfind("The branch").unwrap() as u64;
    let lines = |rest: &str| {
        let text = format!("{before}{rest}");
        strays_at(FileKind::Markdown, text.as_bytes(), &[crate::Joint::at(at)])
            .iter()
            .map(|finding| finding.line)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(" sold more.\n\n## 1. Costs (continued)\n\nMore.\n"), [10]);
    assert_eq!(lines(" sold more.\n（续）\nMore.\n"), [9]);
    let again = " sold more.\n\n## 1. Costs\n\nCosts fell by a tenth in March.\nThey rose in May by the same.\n\nThe branch sold more.\n\nMore.\n";
    assert_eq!(lines(again), [10]);
    assert_eq!(lines(" sold more.\n\n## 2. Gains\n\nGains were up, and we continued.\n"), Vec::<u64>::new());
}

#[test]
fn a_difference_in_place_of_a_file_is_found() {
    let diff = b"--- /dev/null\n+++ b/a.py\n@@ -0,0 +1,2 @@\n+a = 1\n+b = 2\n";
    assert_eq!(diff_stray("a.py", diff).map(|finding| finding.line), Some(1));
    assert_eq!(diff_stray("a.patch", diff), None);
    assert_eq!(diff_stray("a.md", b"--- a\n\n@@ -1 @@\n\nThis is how a hunk begins.\n"), None);
}
