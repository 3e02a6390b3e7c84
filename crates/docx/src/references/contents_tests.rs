use super::contents::ContentsCode;
use super::instruction::Instruction;

/// Codes as programs and people write them.
#[test]
fn which_tables_list_headings() {
    let is_read =
        |code: &str, has_entries: bool| ContentsCode::parse(&Instruction::parse(code), has_entries).is_ok();
    for code in [
        "TOC \\o \"1-3\" \\h \\z \\u",
        "TOC",
        // A list with a separator at its end, and levels of entries that no field marks.
        "TOC \\t \"Article5_L1,1,\"\\w \\l \"1-1\" \\h \\* MERGEFORMAT",
        "TOC \\t \"Titel 1;1;Titel 2;2\"",
    ] {
        assert!(is_read(code, false), "{code}");
    }
    assert!(!is_read("TOC \\f \\l \"1-2\"", true));
    for code in ["TOC \\h \\z \\c \"Figure\"", "TOC \\b Part", "TOC \\t \"Heading,one\"", "INDEX"] {
        assert!(!is_read(code, false), "{code}");
    }
}
