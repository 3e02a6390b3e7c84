use super::moved::say;

#[test]
fn each_step_is_told() {
    assert_eq!(say(&[]), "Paragraph numbers are as they were.");
    assert_eq!(say(&[35]), "Paragraph numbers have moved: what was P35 and above is now 1 higher.");
    // Two in one place, then one further down.
    assert_eq!(
        say(&[35, 36, 60]),
        "Paragraph numbers have moved: what was P35 and above is now 2 higher; what was P58 and above is now 3 higher."
    );
    let many: Vec<usize> = (1..=21).map(|n| n * 3).collect();
    assert_eq!(say(&many), "Paragraph numbers have moved: 21 were inserted. Read again before you use any.");
}
