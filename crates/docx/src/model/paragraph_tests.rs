use engross_xml::{Document, Limits, NodeId};

use super::{AtomKind, Barrier, Paragraph, View};
use crate::names::{VOCABULARY, W_URI};

/// The tree of one paragraph with this content.
fn tree(content: &str) -> (Document, NodeId) {
    let text = format!("<w:p xmlns:w=\"{W_URI}\">{content}</w:p>");
    let document = Document::parse(text.into_bytes(), &VOCABULARY, &Limits::default()).unwrap();
    let root = document.root();
    (document, root)
}

fn text(content: &str, view: View) -> String {
    let (document, node) = tree(content);
    Paragraph::read(&document, node, view, None).text
}

const TEXT: &str = "<w:r><w:t xml:space=\"preserve\">We </w:t></w:r><w:del w:id=\"1\"><w:r><w:delText>may</w:delText></w:r></w:del>\
    <w:ins w:id=\"2\"><w:r><w:t>shall</w:t></w:r></w:ins><w:ins w:id=\"9\"><w:r><w:t xml:space=\"preserve\"> not</w:t></w:r></w:ins>";

#[test]
fn each_view_shows_its_revisions() {
    let views = [View::Accepted, View::Original, View::Markup, View::Before(9)];
    assert_eq!(views.map(|view| text(TEXT, view)), ["We shall not", "We may", "We mayshall not", "We shall"]);
}

#[test]
fn elements_that_stand_for_a_character() {
    let content = "<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/>\
        <w:footnoteReference w:id=\"2\"/><w:lastRenderedPageBreak/><w:t>e</w:t></w:r>";
    assert_eq!(text(content, View::Accepted), "a\tb\nc\u{2011}d\u{AD}\u{FFFC}e");
}

#[test]
fn white_space_counts_only_where_it_is_preserved() {
    let content = "<w:r><w:t> a </w:t><w:t xml:space=\"preserve\"> b </w:t></w:r>";
    assert_eq!(text(content, View::Accepted), "a b ");
}

#[test]
fn every_character_has_its_run() {
    let (document, node) = tree(TEXT);
    for view in [View::Accepted, View::Original, View::Markup] {
        let paragraph = Paragraph::read(&document, node, view, None);
        let mut at = 0;
        for atom in paragraph.visible().filter(|atom| atom.kind == AtomKind::Text) {
            assert_eq!(atom.range.start, at, "ranges follow each other");
            assert_eq!(document.parent(atom.node), Some(atom.run));
            assert_eq!(document.element_text(atom.node), paragraph.text[atom.range.clone()]);
            at = atom.range.end;
        }
        assert_eq!(at, paragraph.text.len(), "and leave nothing out");
    }
}

#[test]
fn barriers_say_what_they_are() {
    let run = "<w:r><w:t>x</w:t></w:r>";
    let field = |name: &str| Some(Barrier::Field(name.to_owned()));
    let char_field = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
    let complex = format!(
        "{}<w:r><w:instrText> REF _Ref1 \\h </w:instrText></w:r>{}{run}{}",
        char_field("begin"),
        char_field("separate"),
        char_field("end")
    );
    let table = [
        (run.to_owned(), None),
        (format!("<w:hyperlink w:anchor=\"a\">{run}</w:hyperlink>"), None),
        (format!("<w:fldSimple w:instr=\" PAGE \">{run}</w:fldSimple>"), field("PAGE")),
        (complex, field("REF")),
        (format!("<w:moveFrom w:id=\"1\">{run}</w:moveFrom>"), Some(Barrier::Move)),
    ];
    for (content, wanted) in table {
        let (document, node) = tree(&content);
        let paragraph = Paragraph::read(&document, node, View::Markup, None);
        let atom = paragraph.visible().find(|atom| atom.kind == AtomKind::Text).unwrap();
        assert_eq!(atom.barrier, wanted, "{content}");
    }
}
