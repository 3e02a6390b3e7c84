use super::instruction::{Instruction, NumberContext, Shows};

#[test]
fn instructions_name_their_bookmark() {
    let table = [
        (" REF _Ref12 \\r \\h ", Some("_Ref12"), Shows::Number(NumberContext::Relative)),
        ("ref _Ref12 \\w\\h", Some("_Ref12"), Shows::Number(NumberContext::Full)),
        ("REF \\h \\n Name", Some("Name"), Shows::Number(NumberContext::Own)),
        (" REF \"My mark\" \\d \"-\" ", Some("My mark"), Shows::Text),
        (" PAGEREF _Toc3 \\h", Some("_Toc3"), Shows::Place),
        (" NOTEREF n \\f ", Some("n"), Shows::Note),
        (" HYPERLINK \\l \"_Toc3\" ", Some("_Toc3"), Shows::Place),
        (" HYPERLINK \"https://x\" \\l \"part\" ", None, Shows::Place),
        (" TOC \\o \"1-3\" \\h ", None, Shows::Place),
        (" TOC \\o \"1-3\" \\b Part ", Some("Part"), Shows::Place),
        (" REF x \\* MERGEFORMAT", Some("x"), Shows::Text),
        ("REF", None, Shows::Text),
        ("", None, Shows::Place),
        ("REF \"open", Some("open"), Shows::Text),
    ];
    for (source, bookmark, shows) in table {
        let instruction = Instruction::parse(source);
        assert_eq!((instruction.bookmark(), instruction.shows()), (bookmark, shows), "{source}");
    }
}

#[test]
fn another_bookmark_leaves_all_else() {
    let table = [
        (" REF _Ref12 \\r \\h ", " REF new \\r \\h "),
        (" REF \"My mark\"  \\h", " REF \"new\"  \\h"),
        (" HYPERLINK \\l \"old\" \\o \"old\" ", " HYPERLINK \\l \"new\" \\o \"old\" "),
        (" PAGE ", " PAGE "),
    ];
    for (source, wanted) in table {
        assert_eq!(Instruction::parse(source).with_bookmark("new"), wanted);
    }
}

#[test]
fn switches_have_arguments() {
    let toc = Instruction::parse("TOC \\o \"1-3\" \\h \\z \\u");
    assert_eq!(toc.switch_argument('o'), Some("1-3"));
    assert!(toc.has_switch('z') && !toc.has_switch('t'));
    assert_eq!(Instruction::parse("SEQ Figure \\* ARABIC \\r 3").argument(0), Some("Figure"));
    assert_eq!(Instruction::parse("=SUM(ABOVE)").name(), "=");
}
