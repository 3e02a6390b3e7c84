use super::block_parser::{LineEnds, parse_blocks};
use super::blocks::{Block, BlockKind, Item};
use super::markers::{Enclosure, ItemMarker, without_marker};
use super::tables::{ColumnAlignment, Table};

fn item(level: u8, marker: ItemMarker, text: &str) -> Block<String> {
    enclosed(level, marker, Enclosure::Period, text)
}

fn enclosed(level: u8, marker: ItemMarker, enclosure: Enclosure, text: &str) -> Block<String> {
    Block::new(BlockKind::Item(Item { level, marker, enclosure, task: None, text: text.to_owned() }))
}

fn paragraph(text: &str) -> Block<String> {
    Block::new(BlockKind::Paragraph(text.to_owned()))
}

fn heading(level: u8, text: &str) -> Block<String> {
    Block::new(BlockKind::Heading(level, text.to_owned()))
}

fn within(level: u8, kind: BlockKind<String>) -> Block<String> {
    Block { within: Some(level), ..Block::new(kind) }
}

fn quoted(quote: u8, block: Block<String>) -> Block<String> {
    Block { quote, ..block }
}

fn read(text: &str) -> Vec<Block<String>> {
    parse_blocks(text, LineEnds::Breaks).blocks
}

#[test]
fn each_kind_of_block() {
    let table = |rows: &[&[&str]], has_head, alignments: &[ColumnAlignment]| {
        let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
        Block::new(BlockKind::Table(Table { rows, has_head, alignments: alignments.to_vec() }))
    };
    let cases: &[(&str, Vec<Block<String>>)] = &[
        ("one\ntwo\n\nthree", vec![paragraph("one\ntwo"), paragraph("three")]),
        ("## Term ##\ntext", vec![heading(2, "Term"), paragraph("text")]),
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
            vec![
                enclosed(0, ItemMarker::LowerLetter(1), Enclosure::Parentheses, "x"),
                enclosed(0, ItemMarker::LowerLetter(2), Enclosure::Parentheses, "y"),
            ],
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
        assert_eq!(read(text), *wanted, "{text}");
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

#[test]
fn lists_as_models_write_them() {
    let bullet = |level, text| item(level, ItemMarker::Bullet, text);
    for (text, wanted) in [
        // Two, three and four columns are a level.
        ("- a\n  - b\n    - c\n- d", vec![bullet(0, "a"), bullet(1, "b"), bullet(2, "c"), bullet(0, "d")]),
        ("* a\n   + b\n* c", vec![bullet(0, "a"), bullet(1, "b"), bullet(0, "c")]),
        ("- a\n\n\n    - b\n\n- c", vec![bullet(0, "a"), bullet(1, "b"), bullet(0, "c")]),
        // Right below a paragraph.
        ("The following:\n- a\n- b", vec![paragraph("The following:"), bullet(0, "a"), bullet(0, "b")]),
        ("It is\n2. not a list", vec![paragraph("It is\n2. not a list")]),
        // Text of an item, and paragraphs within it.
        (
            "- a\n  goes on\n\n  more\n\nout",
            vec![
                bullet(0, "a\ngoes on"),
                within(0, BlockKind::Paragraph("more".to_owned())),
                paragraph("out"),
            ],
        ),
        (
            "1. a\n   ```\n   code\n   ```\n2. b",
            vec![
                item(0, ItemMarker::Decimal(1), "a"),
                within(0, BlockKind::Code("code".to_owned())),
                item(0, ItemMarker::Decimal(2), "b"),
            ],
        ),
        (
            "1. A\n   1.1 B\n   1.2 C\n2. D\n   2.1 E",
            vec![
                item(0, ItemMarker::Decimal(1), "A"),
                enclosed(1, ItemMarker::Legal(1), Enclosure::Legal, "B"),
                enclosed(1, ItemMarker::Legal(2), Enclosure::Legal, "C"),
                item(0, ItemMarker::Decimal(2), "D"),
                enclosed(1, ItemMarker::Legal(1), Enclosure::Legal, "E"),
            ],
        ),
        (
            "1.5 million people\n\n3.2 percent",
            vec![paragraph("1.5 million people"), paragraph("3.2 percent")],
        ),
        (
            "1) a\n   (i) b\n   (ii) c",
            vec![
                enclosed(0, ItemMarker::Decimal(1), Enclosure::Parenthesis, "a"),
                enclosed(1, ItemMarker::LowerRoman(1), Enclosure::Parentheses, "b"),
                enclosed(1, ItemMarker::LowerRoman(2), Enclosure::Parentheses, "c"),
            ],
        ),
    ] {
        assert_eq!(read(text), wanted, "{text}");
    }
    let tasks = read("- [ ] open\n- [x] done\n- [y] text");
    let of = |block: &Block<String>| match &block.kind {
        BlockKind::Item(item) => (item.task, item.text.clone()),
        _ => (None, String::new()),
    };
    let tasks: Vec<_> = tasks.iter().map(of).collect();
    assert_eq!(
        tasks,
        [(Some(false), "open".to_owned()), (Some(true), "done".to_owned()), (None, "[y] text".to_owned())]
    );
}

#[test]
fn quotes_code_rules_and_headings() {
    let code = |text: &str| Block::new(BlockKind::Code(text.to_owned()));
    let rule = || Block::new(BlockKind::Rule);
    for (text, wanted) in [
        (
            "> a\n> b\n>\n> - c",
            vec![quoted(1, paragraph("a\nb")), quoted(1, item(0, ItemMarker::Bullet, "c"))],
        ),
        ("> a\n>> b\n\nc", vec![quoted(1, paragraph("a")), quoted(2, paragraph("b")), paragraph("c")]),
        (">5% of it", vec![paragraph(">5% of it")]),
        (
            "```rust\nfn a() {}\n\n# no heading\n```\nb",
            vec![code("fn a() {}\n\n# no heading"), paragraph("b")],
        ),
        ("~~~\n```\n~~~", vec![code("```")]),
        ("```\nnever closed\n\nat all\n", vec![code("never closed\n\nat all")]),
        ("a\n\n---\n\nb\n\n* * *", vec![paragraph("a"), rule(), paragraph("b"), rule()]),
        ("This is a sentence.\n---\nb", vec![paragraph("This is a sentence."), rule(), paragraph("b")]),
        ("Title\n---\nb\n\nBig\n===", vec![heading(2, "Title"), paragraph("b"), heading(1, "Big")]),
        ("________________\nName", vec![paragraph("________________\nName")]),
        (
            "C# and F#\n# About C#\n## Closed ##",
            vec![paragraph("C# and F#"), heading(1, "About C#"), heading(2, "Closed")],
        ),
        ("\\newpage", vec![paragraph("\u{c}")]),
        ("<!-- pagebreak -->", vec![paragraph("\u{c}")]),
        (
            "Fee\n: What is paid.\n: Or owed.\n\nText",
            vec![
                Block::new(BlockKind::Term("Fee".to_owned())),
                Block::new(BlockKind::Definition("What is paid.".to_owned())),
                Block::new(BlockKind::Definition("Or owed.".to_owned())),
                paragraph("Text"),
            ],
        ),
    ] {
        assert_eq!(read(text), wanted, "{text}");
    }
}

#[test]
fn tables_with_and_without_outer_bars() {
    let rows = |text: &str| match read(text).first().map(|block| block.kind.clone()) {
        Some(BlockKind::Table(table)) => table.rows,
        other => panic!("{other:?}"),
    };
    assert_eq!(rows("a | b\n--- | ---\n1 | 2\n\nx"), [["a", "b"], ["1", "2"]]);
    assert_eq!(rows("| a | b |\n|---|:-:|\n| `x` | y<br>z |"), [["a", "b"], ["`x`", "y<br>z"]]);
    assert_eq!(read("a | b or c\nd"), [paragraph("a | b or c\nd")]);
}

#[test]
fn html_is_read_as_blocks() {
    let text = "<h2>Title</h2>\n<p>One <b>two</b></p>\n<ul>\n  <li>a</li>\n  <li>b<ol><li>c</li></ol></li>\n</ul>\n<table><tr><th>A</th><th>B</th></tr><tr><td colspan=\"2\">x|y</td></tr></table>";
    let blocks = read(text);
    assert_eq!(blocks[0], heading(2, "Title"));
    assert_eq!(blocks[1], paragraph("One <b>two</b>"));
    assert_eq!(blocks[2], item(0, ItemMarker::Bullet, "a"));
    assert_eq!(blocks[4], item(1, ItemMarker::Decimal(1), "c"));
    let BlockKind::Table(table) = &blocks[5].kind else { panic!("{:?}", blocks[5]) };
    assert_eq!(table.rows, [["A", "B"], ["x|y", ""]]);
    for text in ["a < b", "<Name> and <Address of Party>", "x <- y", "`<p>`", "```\n<p>\n```"] {
        assert!(!super::html_blocks::html_to_markdown(text).contains("\n\n"), "{text}");
    }
    assert_eq!(super::unknown_tag("<script>alert(1)</script>"), Some("<script>"));
    assert_eq!(super::unknown_tag("<title> of the <Address>, <p>"), None);
}

#[test]
fn definitions_are_taken_out() {
    let read = parse_blocks(
        "a[^n] [b]\n\n[^n]: One\n  two\n\n  three\n\n[b]: https://x.y \"t\"\n\nc",
        LineEnds::Breaks,
    );
    assert_eq!(read.blocks, [paragraph("a[^n] [b]"), paragraph("c")]);
    assert_eq!(read.definitions.notes["n"], ["One two", "three"]);
    assert_eq!(read.definitions.links["b"], "https://x.y");
}

#[test]
fn filled_lines_are_one_line() {
    let filled = "This line has been broken by an editor that fills every line up to\nseventy columns and then begins another one, as editors of text do\nuntil the paragraph ends.";
    assert_eq!(parse_blocks(filled, LineEnds::Filled).blocks, [paragraph(&filled.replace('\n', " "))]);
    let lines = "Acme Limited\n12 High Street\nLondon";
    assert_eq!(parse_blocks(lines, LineEnds::Filled).blocks, [paragraph(lines)]);
}
