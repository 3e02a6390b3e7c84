//! Only what edits brought counts.

use engross_xml::{Document, Limits};

use super::{Definitions, new_fault};
use crate::names::VOCABULARY;

const INSERTED: &str = r#"<w:ins w:id="1" w:author="A"><w:r><w:t>new</w:t></w:r></w:ins>"#;
const NESTED: &str =
    r#"<w:ins w:id="1" w:author="A"><w:ins w:id="2" w:author="B"><w:r><w:t>new</w:t></w:r></w:ins></w:ins>"#;

fn part(paragraphs: &[&str]) -> Document {
    let paragraphs: String = paragraphs.iter().map(|inner| format!("<w:p>{inner}</w:p>")).collect();
    let xml = format!(
        r#"<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{paragraphs}</w:body></w:document>"#
    );
    Document::parse(xml.into_bytes(), &VOCABULARY, &Limits::default()).unwrap()
}

fn fault(before: &[&str], after: &[&str], known: &Definitions) -> Option<(&'static str, String)> {
    new_fault(&part(before), &part(after), "word/document.xml", known)
        .map(|finding| (finding.code, finding.address))
}

#[test]
fn a_new_break_is_found_where_it_is() {
    let known = Definitions::default();
    assert_eq!(fault(&["", ""], &["", INSERTED], &known), None);
    assert_eq!(fault(&["", ""], &["", NESTED], &known), Some(("REVISION_NESTED", "P2".to_owned())));
    let half = r#"<w:bookmarkStart w:id="3" w:name="b"/>"#;
    assert_eq!(fault(&[""], &[half], &known), Some(("BOOKMARK_UNPAIRED", "P1".to_owned())));
    let end = r#"<w:bookmarkEnd w:id="3"/>"#;
    assert_eq!(fault(&[""], &[&format!("{half}{end}")], &known), None);
    let reversed = format!("{end}{half}");
    assert_eq!(fault(&[""], &[&reversed], &known), Some(("BOOKMARK_UNPAIRED", "P1".to_owned())));
    assert_eq!(fault(&[&reversed], &[&reversed], &known), None);
}

#[test]
fn more_of_what_was_wrong_is_nothing_new() {
    let known = Definitions::default();
    let another = NESTED.replace("\"1\"", "\"3\"").replace("\"2\"", "\"4\"");
    assert_eq!(fault(&[NESTED], &[NESTED, &another], &known), None);
}

#[test]
fn what_other_parts_define_is_there() {
    let note = r#"<w:r><w:footnoteReference w:id="7"/></w:r>"#;
    let mut known = Definitions::default();
    assert_eq!(fault(&[""], &[note], &known), Some(("NOTE_MISSING", "P1".to_owned())));
    known.footnotes.insert("7".to_owned());
    assert_eq!(fault(&[""], &[note], &known), None);
    // A style that is not there is worth knowing, and no fault.
    known.styles = Some(std::collections::HashSet::new());
    assert_eq!(fault(&[""], &[r#"<w:pPr><w:pStyle w:val="Odd"/></w:pPr>"#], &known), None);
}
