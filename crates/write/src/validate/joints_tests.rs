//! What is seen behind a joint, and that sound files have nothing that is.

use super::joints;
use crate::Joint;

const NONE: [u64; 0] = [];

/// The lines where something was found in `before` and `behind`, joined.
fn found(name: &str, before: &str, behind: &str) -> Vec<u64> {
    let text = format!("{before}{behind}");
    let findings = joints(name, text.as_bytes(), &[Joint::at(before.len() as u64)]);
    findings.into_iter().map(|finding| finding.line).collect()
}

const C: &str = "int f(int a) {\n    if (a > '(') { /* } */\n        g(\"}\"); // }\n";
const PYTHON: &str = "def f(a):\n    \"\"\"Does (it.\n\n  so: \"\"\"\n    if a:\n        b = [1,\n  2]\n";

#[test]
fn brackets_that_do_not_close_are_seen_in_languages_without_a_grammar() {
    for name in ["a.cpp", "a.cs", "a.kt", "a.swift", "a.php"] {
        assert_eq!(found(name, C, "    }\n    return a;\n}\n"), NONE, "{name}");
        assert_eq!(found(name, C, "    return a;\n}\n"), [1], "{name}: one is lost");
        assert_eq!(found(name, C, "    }\n    }\n    return a;\n}\n"), [7], "{name}: one too many");
        assert_eq!(found(name, C, "    }\n    return a];\n}\n"), [5], "{name}: another one");
        // What is not as it is expected before is none of the joint's.
        assert_eq!(found(name, &format!(")\n{C}"), "    return a;\n}\n"), NONE, "{name}");
    }
    for (name, before, good, bad) in [
        (
            "a.rs",
            "fn f<'a>(x: &'a str) -> char {\n    let q = '\\'';\n    let c = '}';\n    match x {\n",
            "        _ => c,\n    }\n}\n",
            "        _ => c,\n}\n",
        ),
        (
            "a.js",
            "const r = /[(\\/]\\(/g, s = `${a}\n}`;\nfunction f() {\n  const d = 6 / 2;\n  return {\n    a: 1,\n",
            "    b: 2\n  };\n}\n",
            "    b: 2\n}\n",
        ),
        (
            "a.go",
            "func f() {\n\ts := `\n}`\n\tif s != \"\" {\n\t\tg()\n",
            "\t}\n\th('}')\n}\n",
            "\th('}')\n}\n",
        ),
        (
            "a.sql",
            "-- it's (\nINSERT INTO t (a) VALUES ('it''s (');\nCREATE TABLE u (\n  a INT,\n",
            "  b INT\n);\n",
            "  b INT;\n",
        ),
        ("a.tex", "\\textbf{a \\} b} % }\n\\emph{one\n", "two}\n", "two\n"),
        ("a.scss", ".a {\n  b: url('}');\n  .c {\n    d: e;\n", "  }\n}\n", "}\n"),
        ("a.lua", "local t = { -- }\n  a = \"}\",\n  b = {\n", "  },\n}\n", "}\n"),
    ] {
        if cfg!(feature = "code") && super::FileKind::of_name(name) != super::FileKind::Text {
            continue;
        }
        assert_eq!(found(name, before, good), NONE, "{name}");
        assert_eq!(found(name, before, bad).len(), 1, "{name}");
    }
}

#[test]
fn indentation_that_python_does_not_take_is_seen() {
    for good in [
        "        c = 1\n    return a\n",
        "    else:\n        c = \\\n  1\n    return a\n\n\nprint(f(1))\n",
        "\n# a comment\n        return (1,\n2)\n",
    ] {
        assert_eq!(found("a.py", PYTHON, good), NONE, "{good:?}");
    }
    for (bad, line) in [
        ("        c = 1\n          d = 2\n    return a\n", 9),
        ("        c = 1\n   d = 2\n", 9),
        ("        for x in b:\n        c = 1\n    return a\n", 9),
        ("        c = 1\nreturn a\n", 9),
        ("        c = 1\n\td = 1\n", 9),
    ] {
        assert_eq!(found("a.py", PYTHON, bad).first(), Some(&line), "{bad:?}");
    }
}

#[test]
fn indentation_that_is_lost_is_seen_and_a_part_without_any_is_not() {
    let yaml = "a:\n  - b: 1\n    c:\n      - 1\n";
    assert_eq!(found("a.yaml", yaml, "      - 2\n  - b: 2\n    c: []\n"), NONE);
    assert_eq!(found("a.yaml", yaml, "      - 2\n- b: 2\nc: []\n"), [6]);
    let code = "class A {\n    int f() {\n        int a = 1;\n        int b = 2;\n        int c = 3;\n";
    assert_eq!(found("a.cpp", code, "        int d = 4;\n        return d;\n    }\n};\n"), NONE);
    assert_eq!(found("a.cpp", code, "        int d = 4;\nreturn d;\n}\n};\n"), [7]);
    assert_eq!(found("a.cpp", code, "        int d = 4;\n\treturn d;\n\t}\n};\n"), [7]);
    assert_eq!(
        found("a.cpp", code, "        int d = 4;\n    }\n#ifdef X\n#endif\n};\nint x = 1;\nint y = 2;\n"),
        NONE
    );
    assert_eq!(found("a.txt", "  a\n  b\n  c\n  d\n", "  e\nf\ng\nh\ni\nj\n"), NONE);
}

#[test]
fn without_a_joint_nothing_is_looked_at() {
    assert!(joints("a.cpp", b"int f( {\n", &[]).is_empty());
    assert!(joints("a.cpp", b"int f( {\n", &[Joint::at(0), Joint::at(99)]).is_empty());
}
