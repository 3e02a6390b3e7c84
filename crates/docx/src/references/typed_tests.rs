use super::typed::{key_of, typed_number, typed_references};

fn found(text: &str) -> Vec<(String, String)> {
    let references = typed_references(text);
    for reference in &references {
        assert_eq!(text[reference.range.clone()], reference.number);
    }
    references.into_iter().map(|reference| (reference.word, reference.number)).collect()
}

#[test]
fn typed_references_are_found() {
    let table: &[(&str, &[(&str, &str)])] = &[
        ("See Section 4.2(b), as said.", &[("Section", "4.2(b)")]),
        ("(clauses 3, 4 and 5.1)", &[("clauses", "3"), ("clauses", "4"), ("clauses", "5.1")]),
        ("Clauses 5 to 7 apply; clause 9 does not.", &[("Clauses", "5"), ("Clauses", "7"), ("clause", "9")]),
        ("under Article IV and Schedule B", &[("Article", "IV"), ("Schedule", "B")]),
        ("gemäß § 5 und Ziffer 3.1", &[("§", "5"), ("Ziffer", "3.1")]),
        ("nach §7 dieses Vertrags", &[("§", "7")]),
        ("clause 12A", &[("clause", "12A")]),
        ("Clause 4 of this Agreement", &[("Clause", "4")]),
        ("Clause 4 of the Agreement", &[("Clause", "4")]),
        ("Section 12 of the Companies Act 2006", &[]),
        ("§ 280 Abs. 1 BGB", &[]),
        ("Article 28 GDPR", &[]),
        ("paragraph 3 of Schedule 2", &[("Schedule", "2")]),
        ("Section heads and the section of 5% thereof", &[]),
        ("Section", &[]),
        ("the Clause.", &[]),
    ];
    for (text, wanted) in table {
        let wanted: Vec<(String, String)> =
            wanted.iter().map(|(word, number)| ((*word).to_owned(), (*number).to_owned())).collect();
        assert_eq!(found(text), wanted, "{text}");
    }
}

#[test]
fn headings_with_typed_numbers() {
    let number = |text: &str| typed_number(text).map(|(_, number)| number);
    assert_eq!(number("9. GOVERNING LAW").as_deref(), Some("9"));
    assert_eq!(number("9.1 The law of").as_deref(), Some("9.1"));
    assert_eq!(number("§ 4 Kündigung").as_deref(), Some("4"));
    assert_eq!(number("SCHEDULE 1 – Services").as_deref(), Some("1"));
    assert_eq!(number("Section 4 shall apply to all.").as_deref(), None);
    assert_eq!(number("30 days later").as_deref(), None);
    assert_eq!(
        (key_of("4.2(B)"), key_of("Article IV."), key_of("11.")),
        ("4.2.b".to_owned(), "iv".to_owned(), "11".to_owned())
    );
}
