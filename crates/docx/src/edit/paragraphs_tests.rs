use super::paragraphs::is_clause;

#[test]
fn titles_and_provisions_are_told_apart() {
    for title in [
        "Definitions",
        "4.2. Payment terms.",
        "Article 5. Term and Termination of this Agreement.",
        "ARTICLE IV. Term and Termination.",
        "Governing Law and Jurisdiction.",
        "",
    ] {
        assert!(!is_clause(title), "{title}");
    }
    for clause in [
        "Notices. They are given in writing.",
        "4.2. Governing law. Delaware law governs this Agreement.",
        "a merger of the Company; or",
        "The Supplier shall deliver the goods within thirty days after the order of the Customer.",
    ] {
        assert!(is_clause(clause), "{clause}");
    }
}
