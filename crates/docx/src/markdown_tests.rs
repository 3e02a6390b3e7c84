use super::{Limits, WordDocument, from_markdown};
use crate::model::View;
use crate::package::Package;
use crate::parts::TYPES_PART;

fn there_and_back(markdown: &str) -> String {
    let bytes = from_markdown(markdown, None, &Limits::default()).unwrap();
    let document = WordDocument::open(bytes, &Limits::default()).unwrap();
    assert_eq!(document.revisions().unwrap(), []);
    assert_eq!(crate::check(&document).unwrap(), [], "{markdown}");
    document.to_markdown(View::Accepted).unwrap()
}

#[test]
fn what_markdown_says_comes_back() {
    for text in [
        "# Title\n\nText with **bold**, *italic*, ++under++ and ~~struck~~ words.",
        "one\n\ntwo\n\nthree",
        "- a\n- b\n    - c\n- d",
        "1. a\n2. b",
        "7. seven\n8. eight",
        "## Scope\n\nText\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nEnd",
        "my_var_name, 2 * 3 * 4, ~5 to ~6, $a fee$ and C:\\new",
        "a line\nand another",
    ] {
        let back = there_and_back(text);
        let head = back.replace("**A**", "A").replace("**B**", "B");
        assert_eq!(head, text);
        // What was read once is read the same again.
        assert_eq!(there_and_back(&back), back);
    }
}

#[test]
fn revisions_are_told_as_criticmarkup() {
    let bytes = from_markdown("The fee is due.", None, &Limits::default()).unwrap();
    let mut document = WordDocument::open(bytes, &Limits::default()).unwrap();
    let json = serde_json::json!([{"op": "modify_text", "originalText": "fee", "replacementText": "charge"}]);
    let options = crate::EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    document.apply(&crate::ops::parse_batch(&json).unwrap(), &options).unwrap();
    assert_eq!(document.to_markdown(View::Markup).unwrap(), "The {--fee--}{++charge++} is due.");
    assert_eq!(document.to_markdown(View::Accepted).unwrap(), "The charge is due.");
    assert_eq!(document.to_markdown(View::Original).unwrap(), "The fee is due.");
}

#[test]
fn a_document_made_of_a_template_is_a_document() {
    let of = |template: &str, document: &str| {
        let made = from_markdown("# Old", None, &Limits::default()).unwrap();
        let mut package = Package::open(made, &Limits::default().package).unwrap();
        let main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
        let types = String::from_utf8(package.part(TYPES_PART).unwrap().into_owned()).unwrap();
        assert!(types.contains(main), "{types}");
        package.set_part(TYPES_PART, types.replace(main, template).into_bytes());
        let made = from_markdown("new", Some(package.write().unwrap()), &Limits::default()).unwrap();
        let package = Package::open(made, &Limits::default().package).unwrap();
        let types = String::from_utf8(package.part(TYPES_PART).unwrap().into_owned()).unwrap();
        assert_eq!(types.matches(document).count(), 1, "{types}");
        assert!(!types.contains("emplate"), "{types}");
    };
    let word = "application/vnd.openxmlformats-officedocument.wordprocessingml";
    of(&format!("{word}.template.main+xml"), &format!("{word}.document.main+xml"));
    of(
        "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
        "application/vnd.ms-word.document.macroEnabled.main+xml",
    );
}

#[test]
fn a_template_keeps_its_styles_and_loses_its_text() {
    let template = from_markdown("# Old\n\nold text", None, &Limits::default()).unwrap();
    let bytes = from_markdown("new", Some(template), &Limits::default()).unwrap();
    let document = WordDocument::open(bytes, &Limits::default()).unwrap();
    assert!(document.to_markdown(View::Accepted).unwrap().ends_with("new"));
    assert!(!document.to_markdown(View::Accepted).unwrap().contains("old"));
}

/// A long text is one operation at one place: each paragraph must not look through all before it.
#[test]
fn a_text_four_times_as_long_takes_about_four_times_as_long() {
    let took = |paragraphs: usize| {
        let markdown: String = (0..paragraphs).map(|at| format!("Paragraph {at} of the text.\n\n")).collect();
        let begin = std::time::Instant::now();
        from_markdown(&markdown, None, &Limits::default()).unwrap();
        begin.elapsed().as_secs_f64()
    };
    // Other tests run beside this one.
    let ratios: Vec<f64> = (0..4).map(|_| took(6_000) / took(1_500)).collect();
    assert!(ratios.iter().any(|ratio| *ratio < 8.0), "{ratios:?}");
}
