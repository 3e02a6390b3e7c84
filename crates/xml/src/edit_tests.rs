use proptest::prelude::*;

use crate::{Document, Limits, NamespaceGroup, NodeId, QName, Vocabulary};

static VOCABULARY: Vocabulary = Vocabulary::new(
    &[&["urn:w"], &["http://www.w3.org/XML/1998/namespace"]],
    &[
        (NamespaceGroup(0), "p"),
        (NamespaceGroup(0), "ins"),
        (NamespaceGroup(0), "id"),
        (NamespaceGroup(1), "space"),
    ],
);
const P: QName = QName::new(0);
const INS: QName = QName::new(1);
const ID: QName = QName::new(2);
const SPACE: QName = QName::new(3);

fn parse(text: &str) -> Document {
    Document::parse(text.as_bytes().to_vec(), &VOCABULARY, &Limits::default()).unwrap()
}

fn written(document: &Document) -> String {
    let text = String::from_utf8(document.write()).unwrap();
    // What is written must be readable, and stable.
    assert_eq!(parse(&text).write(), text.as_bytes());
    text
}

#[test]
fn only_what_changed_is_written_anew() {
    let mut document = parse("<w:d xmlns:w = 'urn:w' ><w:p  a='1' >x</w:p ><w:p/><w:p b=\"'\"/></w:d>");
    let second = document.children(document.root()).nth(1).unwrap();
    let text = document.new_text("a<b>&");
    document.append(second, text);
    let inserted = document.new_element(INS);
    document.set_attribute(inserted, ID, "7\"");
    document.set_attribute(inserted, SPACE, "preserve");
    document.insert_before(second, inserted);
    assert_eq!(
        written(&document),
        "<w:d xmlns:w = 'urn:w' ><w:p  a='1' >x</w:p ><w:ins w:id=\"7&quot;\" xml:space=\"preserve\"/>\
         <w:p>a&lt;b&gt;&amp;</w:p><w:p b=\"'\"/></w:d>"
    );
}

#[test]
fn a_value_keeps_its_quotes() {
    let mut document = parse("<w:d xmlns:w='urn:w'><w:p b='\"' c=\"'\"/></w:d>");
    let first = document.first_child(document.root()).unwrap();
    document.set_attribute(first, ID, "1");
    assert_eq!(written(&document), "<w:d xmlns:w='urn:w'><w:p b='\"' c=\"'\" w:id=\"1\"/></w:d>");
}

#[test]
fn a_default_namespace_serves_elements_but_not_attributes() {
    let mut document = parse("<d xmlns='urn:w'/>");
    document.ensure_prefix(NamespaceGroup(0), "w", "urn:w");
    let inserted = document.new_element(INS);
    document.set_attribute(inserted, ID, "1");
    let root = document.root();
    document.append(root, inserted);
    assert_eq!(written(&document), "<d xmlns=\"urn:w\" xmlns:w=\"urn:w\"><w:ins w:id=\"1\"/></d>");
}

#[test]
fn a_new_prefix_is_bound_to_nothing_else_further_down() {
    let mut document = parse("<d xmlns='urn:w' xmlns:wx='urn:y'><p xmlns:w='urn:x' w:id='2'/></d>");
    document.ensure_prefix(NamespaceGroup(0), "w", "urn:w");
    let paragraph = document.child(document.root(), P).unwrap();
    document.set_attribute(paragraph, ID, "1");
    let again = parse(&written(&document));
    let paragraph = again.child(again.root(), P).unwrap();
    assert_eq!(again.attribute(paragraph, ID).as_deref(), Some("1"));
    assert!(written(&document).contains("w:id=\"2\" wxx:id=\"1\""), "{}", written(&document));
}

#[test]
fn unwrap_rename_and_copy() {
    let mut document = parse("<w:d xmlns:w='urn:w'><w:ins><w:p>1</w:p><w:p>2</w:p></w:ins></w:d>");
    let root = document.root();
    let wrapper = document.first_child(root).unwrap();
    let copy = document.copy(wrapper);
    document.unwrap(wrapper);
    let first = document.first_child(root).unwrap();
    document.rename(first, INS);
    document.append(root, copy);
    assert_eq!(
        written(&document),
        "<w:d xmlns:w='urn:w'><w:ins>1</w:ins><w:p>2</w:p><w:ins><w:p>1</w:p><w:p>2</w:p></w:ins></w:d>"
    );
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize, usize),
    Before(usize, usize),
    Detach(usize),
    Unwrap(usize),
    Attribute(usize),
    New(usize),
    Copy(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let n = 0..20usize;
    let step = prop_oneof![
        (n.clone(), n.clone()).prop_map(|(a, b)| Step::Append(a, b)),
        (n.clone(), n.clone()).prop_map(|(a, b)| Step::Before(a, b)),
        n.clone().prop_map(Step::Detach),
        n.clone().prop_map(Step::Unwrap),
        n.clone().prop_map(Step::Attribute),
        n.clone().prop_map(Step::New),
        (n.clone(), n).prop_map(|(a, b)| Step::Copy(a, b)),
    ];
    prop::collection::vec(step, 0..30)
}

fn attached(document: &Document) -> Vec<NodeId> {
    document.descendants(document.root()).filter(|node| document.name(*node) != QName::NONE).collect()
}

fn run(document: &mut Document, step: &Step) {
    let nodes = attached(document);
    let at = |index: usize| nodes[index % nodes.len()];
    let inside = |document: &Document, top: NodeId, node: NodeId| {
        top == node || document.ancestors(node).any(|above| above == top)
    };
    let root = document.root();
    match *step {
        Step::Append(a, b) if !inside(document, at(b), at(a)) => document.append(at(a), at(b)),
        Step::Before(a, b) if at(a) != root && !inside(document, at(b), at(a)) => {
            document.insert_before(at(a), at(b));
        }
        Step::Detach(a) if at(a) != root => document.detach(at(a)),
        Step::Unwrap(a) if at(a) != root => document.unwrap(at(a)),
        Step::Attribute(a) => document.set_attribute(at(a), ID, "9"),
        Step::New(a) => {
            let new = document.new_element(P);
            document.append(at(a), new);
        }
        Step::Copy(a, b) => {
            let copy = document.copy(at(b));
            document.append(at(a), copy);
        }
        _ => {}
    }
}

proptest! {
    #[test]
    fn rollback_is_exact(before in steps(), after in steps(), inner in steps()) {
        let mut document = parse("<w:d xmlns:w='urn:w'><w:p>1<w:ins/></w:p><w:p><w:ins>2</w:ins> </w:p>t</w:d>");
        before.iter().for_each(|step| run(&mut document, step));
        let expected = written(&document);
        let outer = document.checkpoint();
        after.iter().for_each(|step| run(&mut document, step));
        let middle = written(&document);
        let nested = document.checkpoint();
        inner.iter().for_each(|step| run(&mut document, step));
        document.rollback(nested);
        prop_assert_eq!(written(&document), middle);
        document.rollback(outer);
        prop_assert_eq!(written(&document), expected);
    }
}
