use crate::{Document, Limits, NamespaceGroup, QName, Vocabulary};

static VOCABULARY: Vocabulary = Vocabulary::new(
    &[&["urn:w", "urn:w-strict"], &["http://www.w3.org/XML/1998/namespace"]],
    &[(NamespaceGroup(0), "p"), (NamespaceGroup(0), "ins")],
);
const P: QName = QName::new(0);

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), &VOCABULARY, &Limits::default()).unwrap()
}

/// The first document with the first paragraph of the second at its end, as it is written and as it reads afresh.
fn joined(into: &str, from: &str) -> (String, Vec<String>) {
    let (mut document, other) = (parse(into), parse(from));
    let source = other.descendants(other.root()).find(|node| other.name(*node) == P).unwrap();
    let imported = document.import(&other, source);
    assert_eq!(document.name(imported.node), P);
    let root = document.root();
    document.append(root, imported.node);
    let text = String::from_utf8(document.write()).unwrap();
    let fresh = parse(&text);
    assert_eq!(fresh.name(fresh.last_child(fresh.root()).unwrap()), P, "{text}");
    (text, imported.declared)
}

#[test]
fn a_copy_keeps_its_names_and_text() {
    let (text, declared) = joined(
        "<w:d xmlns:w='urn:w'/>",
        "<w:d xmlns:w='urn:w'><w:p w:a='1 &amp; 2'>x &lt; y<w:q/></w:p></w:d>",
    );
    assert_eq!(text, "<w:d xmlns:w='urn:w'><w:p w:a=\"1 &amp; 2\">x &lt; y<w:q/></w:p></w:d>");
    assert_eq!(declared, Vec::<String>::new());
}

#[test]
fn prefixes_are_declared_where_they_are_missing() {
    let (text, declared) = joined(
        "<w:d xmlns:w='urn:w'/>",
        "<w:d xmlns:w='urn:w' xmlns:n='urn:new'><w:p n:a='1'><n:q xmlns:o='urn:other'><o:r/></n:q></w:p></w:d>",
    );
    assert!(text.contains("xmlns:n=\"urn:new\""), "{text}");
    assert_eq!(declared, ["n"]);
    assert_eq!(text.matches("urn:other").count(), 1);
}

#[test]
fn a_prefix_that_means_something_else_is_declared_on_the_copy() {
    let (text, declared) = joined(
        "<w:d xmlns:w='urn:w' xmlns:n='urn:mine'><n:x/></w:d>",
        "<w:d xmlns:w='urn:w' xmlns:n='urn:theirs'><w:p><n:q/></w:p></w:d>",
    );
    assert!(text.contains("<w:p xmlns:n=\"urn:theirs\"><n:q/>"), "{text}");
    assert_eq!(declared, Vec::<String>::new());
    // Without a prefix on either side it is the same.
    let (text, _) = joined("<d xmlns='urn:mine' xmlns:w='urn:w'/>", "<d xmlns='urn:w'><p/></d>");
    assert!(text.contains("<p xmlns=\"urn:w\"/>"), "{text}");
}

#[test]
fn namespaces_of_one_group_are_one() {
    let (text, _) = joined("<w:d xmlns:w='urn:w'/>", "<w:d xmlns:w='urn:w-strict'><w:p/></w:d>");
    assert_eq!(text, "<w:d xmlns:w='urn:w'><w:p/></w:d>");
}

#[test]
fn a_copy_can_be_taken_back() {
    let source = "<w:d xmlns:w='urn:w'/>";
    let (mut document, other) =
        (parse(source), parse("<w:d xmlns:w='urn:w' xmlns:n='urn:new'><w:p><n:q/></w:p></w:d>"));
    let checkpoint = document.checkpoint();
    let node = document.import(&other, other.first_child(other.root()).unwrap()).node;
    let root = document.root();
    document.append(root, node);
    document.rollback(checkpoint);
    assert_eq!(document.write(), source.as_bytes());
}
