use super::typed_numbers::{
    Enclosure, Family, is_attachment_title, is_signature_title, shown_number, typed_number,
};

fn found(text: &str) -> Option<(Family, usize, u32)> {
    typed_number(text).map(|number| (number.family, number.depth, number.value))
}

#[test]
fn numbers_before_a_text() {
    let table = [
        ("9. GOVERNING LAW", Some((Family::Decimal, 1, 9))),
        ("9.\tGoverning law", Some((Family::Decimal, 1, 9))),
        ("4.2 Term", Some((Family::Decimal, 2, 2))),
        ("4.2.11. Term", Some((Family::Decimal, 3, 11))),
        ("12\tNotices", Some((Family::Decimal, 1, 12))),
        ("Article 4 Term", Some((Family::Named(3), 1, 4))),
        ("ARTICLE IV", Some((Family::Named(3), 1, 4))),
        ("Section 4.2. Of the parties", Some((Family::Named(4), 2, 2))),
        ("§ 7 Haftung", Some((Family::Named(6), 1, 7))),
        ("§7 Haftung", Some((Family::Named(6), 1, 7))),
        ("第三条 保密", Some((Family::Named(3), 1, 0))),
        ("(b) the Supplier", Some((Family::Letter(Enclosure::Around, false), 1, 2))),
        ("B. Recitals", Some((Family::Letter(Enclosure::Dot, true), 1, 2))),
        ("(iv) fees", Some((Family::Roman(Enclosure::Around, false), 1, 4))),
        ("2) fees", Some((Family::Enclosed(Enclosure::Behind), 1, 2))),
        ("(aa) fees", Some((Family::Letter(Enclosure::Around, false), 1, 27))),
        ("30 days after", None),
        ("1.5 million euros", None),
        ("Section 4.2 of the Deed applies", None),
        ("2024. A year", None),
        ("The parties", None),
        ("(see above) the", None),
        ("9.", None),
    ];
    for (text, wanted) in table {
        assert_eq!(found(text), wanted, "{text}");
    }
}

#[test]
fn a_number_ends_where_the_text_begins() {
    for (text, rest) in
        [("9. LAW", "LAW"), (" Article 4 – Law", "– Law"), ("(b)\tLaw", "Law"), ("§ 7 Law", "Law")]
    {
        assert_eq!(&text[typed_number(text).unwrap().len..], rest);
    }
    assert_eq!(shown_number("4.1").unwrap().depth, 2);
}

#[test]
fn titles_of_attachments_and_signatures() {
    for title in [
        "Schedule 1",
        "SCHEDULE 1 – SERVICES",
        "Annex A: Prices",
        "Exhibit B-1",
        "APPENDIX",
        "Schedule of Fees",
        "Anlage 2 Preise",
        "Schedule 1\nServices",
    ] {
        assert!(is_attachment_title(title), "{title}");
    }
    for text in [
        "Schedule 1 sets out the fees",
        "Schedule 2 applies.",
        "The Schedule",
        "Exhibit copies to the buyer",
        "scheduled work",
    ] {
        assert!(!is_attachment_title(text), "{text}");
    }
    assert!(is_signature_title("IN WITNESS WHEREOF, the parties have signed."));
    assert!(!is_signature_title("Signaturesmith Ltd"));
}
