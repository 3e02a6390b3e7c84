//! Continuations at a seam: what proves its place goes in, anything else is refused.

use super::seam_join::{SeamContext, SeamJoiner};
use super::{JoinError, RecentContent};

const MARKER: &str = "END-K7QJ2MZTW4XAB3CD";

/// The file after the continuation, or why it does not join; in pieces of `size` bytes.
fn joined(file: &str, more: &str, is_again: bool, size: usize) -> Result<String, JoinError> {
    let mut recent = RecentContent::default();
    recent.push(file.as_bytes());
    let mut joiner = SeamJoiner::default();
    joiner.track(file.as_bytes());
    joiner.ask(false, is_again);
    joiner.begin(&recent);
    let mut out = file.as_bytes().to_vec();
    let at = SeamContext { recent: &recent, marker: MARKER };
    for piece in more.as_bytes().chunks(size) {
        let joined = joiner.push(piece, at)?;
        out.truncate(out.len() - joined.back);
        out.extend(joined.new);
    }
    // What the session tracks is of no use any more.
    let joined = joiner.end(at)?;
    out.truncate(out.len() - joined.back);
    out.extend(joined.new);
    Ok(String::from_utf8(out).unwrap())
}

const FILE: &str =
    "fn main() {\n    let first = load();\n    let second = merge(first);\n    print(second);\n}\n";

#[test]
fn what_proves_its_place_goes_in() {
    for cut in (1..FILE.len()).filter(|cut| FILE.is_char_boundary(*cut)) {
        let so_far = &FILE[..cut];
        for size in [1, 7, 1000] {
            assert_eq!(joined(so_far, FILE, false, size).as_deref(), Ok(FILE), "all anew at {cut}");
        }
    }
    let cut = FILE.find("rge(first)").unwrap();
    let so_far = &FILE[..cut];
    let rest = &FILE[FILE.find("    let first").unwrap()..];
    for opening in [
        "",
        "Sure!\n\n",
        "Hier ist der Rest der Datei:\n\n",
        "```rust\n",
        "...",
        "“",
        "<think>\nlet me see\n</think>\n",
        "Let me see what was cut.\nIt was the third line.\nI have to repeat the lines before it.\nThen I go on.\n</think>\n\n",
        "\u{200b}",
    ] {
        for size in [1, 9, 1000] {
            assert_eq!(
                joined(so_far, &format!("{opening}{rest}"), false, size).as_deref(),
                Ok(FILE),
                "{opening:?}"
            );
        }
    }
}

#[test]
fn what_does_not_is_refused() {
    let cut = FILE.find("rge(first)").unwrap();
    let so_far = &FILE[..cut];
    let cases = [
        ("    print(second);\n}\n", JoinError::Unanchored),
        ("Sure, here it is.\n", JoinError::Unanchored),
        ("fn main() {\n    let first = load();\n    print(second);\n}\n", JoinError::Altered),
        ("fn main() {\n    let first = load();\n    let second =\n merge(first);\n", JoinError::Altered),
        ("fn main() {\nlet first = load();\nlet second = merge(first);\n", JoinError::Altered),
        ("DONE\n", JoinError::OnlyEnd),
    ];
    for (more, expected) in cases {
        for size in [1, 1000] {
            assert_eq!(joined(so_far, more, false, size), Err(expected), "{more:?}");
        }
    }
}

#[test]
fn a_file_of_any_length_that_comes_once_more_is_known() {
    let file: String = (0..5000).map(|line| format!("Line number {line} of the file.\n")).collect();
    let so_far = &file[..100_007];
    for size in [100, 5000] {
        assert_eq!(joined(so_far, &file, false, size).as_ref(), Ok(&file));
        // With other blanks it is the same file.
        assert_eq!(
            joined(so_far, &file.replacen("number 3 ", "number  3 ", 1), false, size).as_ref(),
            Ok(&file)
        );
        let other = joined(so_far, &file.replacen("number 300 ", "number three ", 1), false, size);
        assert!(matches!(other, Err(JoinError::Restarted(_))), "{other:?}");
    }
}

#[test]
fn rows_that_are_equal_do_not_vanish() {
    let row = "0,unknown,0.00\n";
    let file = format!("id,name,amount\n1,first,2.00\n{}end,last,9.99\n", row.repeat(8));
    for cut in "id,name,amount\n1,first,2.00\n".len() + 1..file.len() - 1 {
        let so_far = &file[..cut];
        let mut recent = RecentContent::default();
        recent.push(so_far.as_bytes());
        let seam = super::Seam::of(&recent, MARKER, false).unwrap();
        let repeat = seam.repeat();
        let from = so_far.rfind(&repeat).unwrap();
        assert_eq!(joined(so_far, &file[from..], false, 5).as_ref(), Ok(&file), "{cut}");
    }
}

#[test]
fn a_line_that_is_too_long_to_be_taken_back_goes_on_behind_its_end() {
    let file: String = (0..3000).map(|word| format!("{word} ")).collect();
    let (so_far, rest) = file.split_at(9000);
    let anchor = &so_far[so_far.len() - 160..];
    assert_eq!(joined(so_far, &format!("Sure:\n{anchor}{rest}"), false, 11).as_deref(), Ok(file.as_str()));
    assert_eq!(joined(so_far, rest, false, 11), Err(JoinError::Unanchored));
}

#[test]
fn every_cut_of_a_plain_list_joins() {
    let file: String = (0..500).map(|line| format!("file 1, line {line}\n")).collect();
    for cut in 4000..4400 {
        let so_far = &file[..cut];
        let from = so_far.rmatch_indices('\n').nth(8).unwrap().0 + 1;
        assert_eq!(joined(so_far, &file[from..], false, 5).as_ref(), Ok(&file), "{cut}");
    }
}

#[test]
fn a_joint_is_at_the_last_line_that_a_continuation_proves() {
    for (taken, new, proven, cut) in [
        ("    return total", "    return total;\n", "    return total", "    return total"),
        ("  width: 5px;\n}\n\n.l", "  width: 5px;\n}\n\n.load {\n", "}\n\n.l", ".l"),
        ("  total += 174;\n  }\n }\n t", "  total += 174;\n  }\n }\n total\n", " }\n t", " t"),
        // Of a line of which nothing has come, nothing is known.
        ("  total += 174;\n  }\n }\n ", "  total += 174;\n  }\n }\n total\n", " }\n ", " }\n "),
        ("They fell.\n\n", "They fell.\n\nThey rose.\n", "They fell.\n\n", "They fell.\n\n"),
        // What is not repeated as it was proves nothing behind its beginning.
        ("  total += 174;\n  ", "  total += 174 ;\n  }\n", "  total += 174;\n  ", "  total += 174;\n  "),
        ("  total += 174;\n", "  total += 174;\n}\n", "  total += 174;\n", "  total += 174;\n"),
    ] {
        let joint = super::joint_in(taken.as_bytes(), new.as_bytes());
        let from = |at: u64| &taken[usize::try_from(at).unwrap()..];
        assert_eq!((from(joint.proven), from(joint.cut)), (proven, cut), "{taken:?}");
        let stored = serde_json::to_string(&joint).unwrap();
        assert_eq!(serde_json::from_str::<crate::Joint>(&stored).unwrap(), joint);
        assert_eq!(stored.parse().ok(), (proven == cut).then_some(joint.cut), "as earlier versions read it");
    }
}
