use crate::budget::{Budget, tokens};

/// Texts of the kinds that answers have, with the tokens that o200k makes of them.
const MEASURED: &[(usize, &str)] = &[
    (16, "[P12|Heading1|L:0|M:2.] Confidential Information"),
    (
        17,
        "The Recipient must keep the Confidential Information secret and show it to nobody except its Representatives;",
    ),
    (
        20,
        "Die Vertraulichkeitsvereinbarung verpflichtet den Empfänger zur Geheimhaltung aller Geschäftsgeheimnisse.",
    ),
    (31, "[P73|TableText|T:12,4|tbl:3|rev:901,902] EUR 1,234,567.89"),
    (20, "{\"op\":\"modify_text\",\"paragraphIndex\":7,\"originalText\":\"three (3) years\"}"),
    (19, "本协议自双方签字盖章之日起生效,有效期为三年。"),
    (17, "Настоящий договор вступает в силу с момента подписания обеими сторонами."),
    (17, "P71  0071| 71 (1 paragraph, 2 characters)"),
];

#[test]
fn the_count_is_about_what_a_tokenizer_makes_and_rather_more() {
    for (measured, text) in MEASURED {
        let counted = tokens(text);
        assert!(counted * 10 >= measured * 9, "{counted} for {measured}: {text}");
        if text.is_ascii() {
            assert!(counted * 2 <= measured * 3, "{counted} for {measured}: {text}");
        }
    }
    assert_eq!(tokens(""), 0);
}

#[test]
fn what_is_cut_fits_and_says_how_to_get_more() {
    let text = "one line of some words\n".repeat(500);
    let budget = Budget::of_tokens(Some(300));
    let cut = budget.cut(&text, "ask again");
    assert!(tokens(&cut) <= 330 && cut.ends_with("more lines; ask again\n"), "{cut}");
    assert_eq!(budget.cut("short\n", "ask again"), "short\n");
    let word = "word ".repeat(1_000);
    let kept = budget.fitting_bytes(&word);
    assert!(budget.holds(word.get(..kept).unwrap()) && !budget.holds(word.get(..kept + 20).unwrap()));
}
