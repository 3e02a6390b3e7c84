//! Texts that go on in another way behind a joint, and texts that do not.

use super::drift::drift;
use super::{FileKind, Language};

/// The text of the line that is found, for a text whose joint is at `|`; a second one is before the line that was cut.
fn found(kind: FileKind, text: &str) -> Option<String> {
    let (before, behind) = text.split_once('|').unwrap();
    let cut = behind.split_once("\n|").map_or(0, |(proven, _)| proven.matches('\n').count() + 1);
    let behind = behind.replace("\n|", "\n");
    let lines: Vec<&str> = before.lines().collect();
    let behind: Vec<&str> = behind.lines().collect();
    drift(kind, &lines, &behind, cut).first().map(|(at, _)| behind[*at].to_owned())
}

#[test]
fn what_goes_on_otherwise_is_found() {
    let python = FileKind::Code(Language::Python);
    for (kind, text, line) in [
        (FileKind::Csv, "id,name,amount\n1,a,3\n|2,b,4\nid,name,amount\n3,c,4\n", "id,name,amount"),
        (
            FileKind::Markdown,
            "# Report\n\n## Costs\n\nThey fell.\n|They rose.\n\n## Costs\n\nMore.\n",
            "## Costs",
        ),
        (
            FileKind::Text,
            "1. One\n\nText.\n\n2. Two\n\nText.\n\n3. Three\n\n|Text.\n\n1. Four\n\nText.\n",
            "1. Four",
        ),
        (
            FileKind::Markdown,
            "## Part 1: A\n\nText.\n\n## Part 2: B\n\nText.\n\n## Part 3: C\n\n|Text.\n\n## Teil 4: D\n\nText.\n",
            "## Teil 4: D",
        ),
        (
            FileKind::Text,
            "The \"old\" ones.\n|The others.\nThe \u{201c}new\u{201d} ones.\n",
            "The \u{201c}new\u{201d} ones.",
        ),
        (FileKind::Csv, "a,b\n1,2\n3,4\n|5,6\n    7,8\n    9,1\n", "    7,8"),
        (
            FileKind::Text,
            "1. One\n\nText.\n\n2. Two\n\n|Text.\n\n|3. Three\n\nText.\n\n1. Four\n\nText.\n",
            "1. Four",
        ),
        (FileKind::Text, "5. One\n\nText.\n|So.\n\n|6. Two more\n6. Two more\n\nText.\n", "6. Two more"),
        (
            python,
            "def a(x):\n    y = 1\n    if x:\n        x += 1\n|    else:\n            x -= 1\n        return x\n\n    def b(x):\n        y = 1\n        if x:\n            x += 1\n",
            "            x -= 1",
        ),
        (
            FileKind::Html,
            "<h2>Part 1: A</h2>\n<p>Text.</p>\n<h2>Part 2: B</h2>\n|<p>Text.</p>\n|<h2>Teil 3: C</h2>\n<p>More.</p>\n",
            "<h2>Teil 3: C</h2>",
        ),
        (FileKind::Markdown, "# A\n\nOne.\n|Two.\nThree.\n   6: Four.\n   7: Five.\n", "   6: Four."),
        (FileKind::Yaml, "a: 1\n|b: \"the old\"\nc: \u{201d}the new\u{201c}\n", "c: \u{201d}the new\u{201c}"),
        (FileKind::Yaml, "limit: 400\nitems:\n  - a: 1\n|  - a: 2\nlimit: 400\n", "limit: 400"),
        (
            FileKind::Html,
            "<p>One.</p>\n|<h2>Part</h2>\n|<p>We keep the supplier of the paper until the year ends.</p>\n\n\
             <p>We keep this supplier of the paper until the year ends.</p>\n",
            "<p>We keep this supplier of the paper until the year ends.</p>",
        ),
        (FileKind::Csv, "a,b\n1,2\n3,4\n|5,6\n|0,1\n    7,8\n    9,1\n", "    7,8"),
        (FileKind::Csv, "a,b\n1,2\n3,4\n|5,6\n|0,1\n  6: 7,8\n  7: 9,1\n", "  6: 7,8"),
        (
            python,
            "def a():\n    return total\n\ndef b():\n    return total\n\ndef c():\n    for x in y:\n|        f(x)\n        return total\n",
            "        return total",
        ),
        (
            FileKind::Text,
            "Nobody in the branch had expected the change, and it showed.\n|So it was.\n\nNobody in this branch had expected the change, and it showed.\n",
            "Nobody in this branch had expected the change, and it showed.",
        ),
        (FileKind::Csv, "a,b\n1,\"two\n  lines\"\n3,4\n|5,6\n    7,8\n", "    7,8"),
        (FileKind::Csv, "id,b\n2,x\n7,y\n8,z\n|9,u\n  6: 10,v\n", "  6: 10,v"),
        (
            FileKind::Code(Language::Rust),
            "//! Orders of the shop.\n\nfn sum() -> u32 {\n    let total = 1;\n|    total\n//! Orders of the shop.\n}\n",
            "//! Orders of the shop.",
        ),
        (python, "a = 1\n|b = 2\n  3\tc = 3\n", "  3\tc = 3"),
        (python, "def a():\n|    return 1\n# ... the rest stays as it is\n", "# ... the rest stays as it is"),
    ] {
        assert_eq!(found(kind, text).as_deref(), Some(line), "{text:?}");
    }
}

#[test]
fn what_goes_on_as_it_was_is_not() {
    for (kind, text) in [
        (FileKind::Csv, "id,name\n1,a\n|2,b\n3,c\n"),
        (
            FileKind::Markdown,
            "# Report\n\n## Costs\n\n### Example\n\nText.\n|More.\n\n## Gains\n\n### Example\n",
        ),
        // Lists begin anew.
        (FileKind::Markdown, "## A\n\n1. one\n2. two\n3. three\n\n|## B\n\n1. one\n2. two\n"),
        (
            FileKind::Markdown,
            "## A\n\n1. One\n\nText.\n\n2. Two\n\nText.\n\n3. Three\n\n|Text.\n\n## B\n\n1. One\n\nText.\n",
        ),
        (FileKind::Text, "The \"old\" ones.\n|The others.\nThe \u{201c}new\u{201d} ones, and \"these\".\n"),
        (FileKind::Text, "It is the branch's.\nNone.\nNone.\n|So.\n    a quoted line\nIt is so.\n"),
        (
            FileKind::Code(Language::Python),
            "def a():\n    return total\n\ndef b():\n    return total\n\ndef c():\n|    if x:\n        return total\n    f()\n    return total\n",
        ),
        // Rows that are made after one pattern.
        (
            FileKind::Text,
            "The branch in Rome sold more in May than it did in April.\nThe branch in Oslo sold more in May than it did in April.\n|Then:\nThe branch in Bern sold more in May than it did in April.\n",
        ),
        (FileKind::Yaml, "kind: Deployment\napiVersion: v1\nname: a\n|---\nkind: Service\napiVersion: v1\n"),
    ] {
        assert_eq!(found(kind, text), None, "{text:?}");
    }
}
