use crate::read::{excerpt, without_object_labels};

#[test]
fn labels_turn_into_what_they_stand_for() {
    let check = |given: &str, expected: &str| assert_eq!(without_object_labels(given), expected);
    check("no label", "no label");
    check("a⟦footnote 3⟧ b⟦image⟧", "a b");
    check("a⟦br⟧b⟦page break⟧c", "a\nb\u{C}c");
    check("⟦footnote x⟧ ⟦own⟧ ⟦", "⟦footnote x⟧ ⟦own⟧ ⟦");
    check("⟦⟦image⟧", "⟦");
}

#[test]
fn excerpts_are_short() {
    assert_eq!(excerpt("short"), "short");
    assert_eq!(excerpt(&"é".repeat(100)).chars().count(), 61);
}
