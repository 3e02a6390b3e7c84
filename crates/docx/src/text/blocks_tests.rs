use super::blocks::{Block, ColumnAlignment, Item, ItemMarker, Table, parse_blocks, without_marker};

fn item(level: u8, marker: ItemMarker, text: &str) -> Block {
    Block::Item(Item { level, marker, text: text.to_owned() })
}

fn paragraph(text: &str) -> Block {
    Block::Paragraph(text.to_owned())
}

#[test]
fn each_kind_of_block() {
    let table = |rows: &[&[&str]], has_head, alignments: &[ColumnAlignment]| {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        Block::Table(Table { rows, has_head, alignments: alignments.to_vec() })
    };
    let cases: &[(&str, Vec<Block>)] = &[
        ("one\ntwo\n\nthree", vec![paragraph("one\ntwo"), paragraph("three")]),
        ("## Term ##\ntext", vec![Block::Heading(2, "Term".to_owned()), paragraph("text")]),
        ("#hash and C:\\new", vec![paragraph("#hash and C:\\new")]),
        ("- a\n- b", vec![item(0, ItemMarker::Bullet, "a"), item(0, ItemMarker::Bullet, "b")]),
        ("-5 degrees\n2 * 3 * 4", vec![paragraph("-5 degrees\n2 * 3 * 4")]),
        (
            "7. a\n    - b\n        - c",
            vec![
                item(0, ItemMarker::Decimal(7), "a"),
                item(1, ItemMarker::Bullet, "b"),
                item(2, ItemMarker::Bullet, "c"),
            ],
        ),
        (
            "(a) x\n(b) y",
            vec![item(0, ItemMarker::LowerLetter(1), "x"), item(0, ItemMarker::LowerLetter(2), "y")],
        ),
        (
            "i. x\nii. y",
            vec![item(0, ItemMarker::LowerRoman(1), "x"), item(0, ItemMarker::LowerRoman(2), "y")],
        ),
        (
            "h. x\ni. y",
            vec![item(0, ItemMarker::LowerLetter(8), "x"), item(0, ItemMarker::LowerLetter(9), "y")],
        ),
        ("C. x", vec![item(0, ItemMarker::UpperLetter(3), "x")]),
        ("2026. A year", vec![paragraph("2026. A year")]),
        (
            "| a | b |\n|:-:|--:|\n| c \\| d | |",
            vec![table(
                &[&["a", "b"], &["c | d", ""]],
                true,
                &[ColumnAlignment::Center, ColumnAlignment::Right],
            )],
        ),
        ("| a |\n| b |", vec![table(&[&["a"], &["b"]], false, &[])]),
        ("| alone |", vec![paragraph("| alone |")]),
    ];
    for (text, wanted) in cases {
        assert_eq!(parse_blocks(text), *wanted, "{text}");
    }
}

#[test]
fn typed_numbers_before_a_heading() {
    for (line, wanted) in [
        ("A. Header", "Header"),
        ("(iv) term", "term"),
        ("1.1.1 Scope", "Scope"),
        ("1.1. Scope", "Scope"),
        ("Article IV. Term", "Term"),
        ("Section 4: Term", "Term"),
        ("Section headings are for reference", "Section headings are for reference"),
        ("3 days", "3 days"),
    ] {
        assert_eq!(without_marker(line), wanted, "{line}");
    }
}
