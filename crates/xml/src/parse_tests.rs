use proptest::prelude::*;

use crate::{Document, ErrorKind, Limits, NamespaceGroup, NodeId, NodeKind, QName, Vocabulary, XmlEncoding};

static VOCABULARY: Vocabulary = Vocabulary::new(
    &[&["urn:one", "urn:uno"], &[""]],
    &[(NamespaceGroup(0), "a"), (NamespaceGroup(0), "b"), (NamespaceGroup(1), "plain")],
);
const A: QName = QName::new(0);
const B: QName = QName::new(1);

fn parse(text: &str) -> Result<Document, crate::Error> {
    Document::parse(text.as_bytes().to_vec(), &VOCABULARY, &Limits::default())
}

fn refused(text: &str) -> ErrorKind {
    parse(text).expect_err(text).kind
}

#[test]
fn writes_what_it_read() {
    for text in [
        "<a/>",
        "\u{FEFF}<?xml version=\"1.0\"  standalone='yes' ?>\r\n<!-- c --><x:a xmlns:x='urn:one' x:b = \"1\"\n q='&#x41;\"' >t&amp;<x:b />\
         <![CDATA[<&]]></x:a>\n<?pi x?>\n",
        "<a xmlns=''>é 漢 😀</a >",
    ] {
        assert_eq!(String::from_utf8(parse(text).unwrap().write()).unwrap(), text);
    }
}

#[test]
fn resolves_both_namespaces_of_a_group_to_one_name() {
    for text in ["<p:a xmlns:p='urn:one'><p:b/></p:a>", "<a xmlns='urn:uno'><q:b xmlns:q='urn:one'/></a>"] {
        let document = parse(text).unwrap();
        let root = document.root();
        assert_eq!(document.name(root), A);
        assert!(document.child(root, B).is_some(), "{text}");
    }
}

#[test]
fn an_inner_declaration_ends_with_its_element() {
    let document = parse("<a xmlns='urn:one'><b xmlns=''/><b/></a>").unwrap();
    let names: Vec<bool> = document.children(document.root()).map(|node| document.name(node) == B).collect();
    assert_eq!(names, [false, true]);
    assert!(document.rebinds_root_prefix());
}

#[test]
fn refuses_what_is_not_well_formed() {
    for text in [
        "",
        " ",
        "text",
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a b></a>",
        "<a b=c/>",
        "<a b='1'c='2'/>",
        "<a b='<'/>",
        "<a b='1' b='2'/>",
        "<a xmlns:x='urn:one' xmlns:y='urn:uno' x:b='1' y:b='2'/>",
        "<x:a/>",
        "<a:/>",
        "<:a/>",
        "<a b:c:d='1'/>",
        "<a>]]></a>",
        "<a><!-- -- --></a>",
        "<a>\u{1}</a>",
        "<a/>text",
        "<1/>",
        "< a/>",
        "<a><?xml version='1.0'?></a>",
        "<a xmlns:x=''/>",
        "<a xmlns:xmlns='urn:x'/>",
        "<a><![CDATA[</a>",
        "</a>",
        "<a><b></a></b>",
        "<a",
        "<a b",
        "<a b='",
        "<ab></a>",
    ] {
        let kind = refused(text);
        assert!(matches!(kind, ErrorKind::Malformed(_) | ErrorKind::Mismatch(_)), "{text}: {kind:?}");
    }
    assert_eq!(refused("<!DOCTYPE a><a/>"), ErrorKind::Doctype);
    assert_eq!(refused("<a>&nbsp;</a>"), ErrorKind::UnknownEntity);
    assert_eq!(refused("<a>&#0;</a>"), ErrorKind::UnknownEntity);
    assert_eq!(refused("<a>&</a>"), ErrorKind::UnknownEntity);
}

#[test]
fn says_where() {
    let error = parse("<a>\né<b></a>").unwrap_err();
    assert_eq!((error.at.line, error.at.column), (2, 5));
    assert_eq!(error.to_string(), "the element <b> is not closed by its own end tag at line 2, column 5");
}

#[test]
fn limits_hold() {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert_eq!(refused(&deep), ErrorKind::TooDeep);
    let many: String = (0..2000).map(|i| format!(" a{i}='1'")).collect();
    assert_eq!(refused(&format!("<a{many}/>")), ErrorKind::TooManyAttributes);
    let limits = Limits { nodes: 10, ..Limits::default() };
    let error =
        Document::parse("<a/>".repeat(2).replace("/><a", ">x</a><a").into_bytes(), &VOCABULARY, &limits);
    assert!(error.is_err());
    let wide = format!("<a>{}</a>", "<b/>".repeat(20));
    let error = Document::parse(wide.into_bytes(), &VOCABULARY, &limits).unwrap_err();
    assert_eq!(error.kind, ErrorKind::TooLarge);
}

#[test]
fn namespaces_take_linear_time() {
    let start = std::time::Instant::now();
    let declarations =
        |depth: usize| (0..1000).map(|i| format!(" xmlns:p{depth}x{i}='u'")).collect::<String>();
    let open: String = (0..100).map(|depth| format!("<a{}>", declarations(depth))).collect();
    let inner = "<a xmlns:q='u'/>".repeat(30_000);
    assert!(parse(&format!("{open}{inner}{}", "</a>".repeat(100))).is_ok());
    let uris = |count: usize| (0..count).map(|i| format!("<a xmlns='u{i}'/>")).collect::<String>();
    assert!(parse(&format!("<r>{}</r>", uris(60_000))).is_ok());
    assert_eq!(refused(&format!("<r>{}</r>", uris(70_000))), ErrorKind::TooLarge);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

#[test]
fn an_attribute_is_found_twice_among_many() {
    let many: String = (0..100).map(|i| format!(" a{i}='1'")).collect();
    assert!(parse(&format!("<a xmlns:x='urn:one' xmlns:y='urn:uno' x:b='1' y:c='2'{many}/>")).is_ok());
    for twice in ["a7='2'", "x:b='1' y:b='2'", "b='1' b='1'"] {
        let text = format!("<a xmlns:x='urn:one' xmlns:y='urn:uno'{many} {twice}/>");
        assert_eq!(refused(&text), ErrorKind::Malformed("an attribute is given twice"));
    }
}

#[test]
fn transcodes_utf16_and_writes_it_again() {
    let text = "<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>é😀</a>";
    for (mark, little) in [(true, true), (true, false), (false, true), (false, false)] {
        let unit = |u: u16| if little { u.to_le_bytes() } else { u.to_be_bytes() };
        let mut bytes: Vec<u8> = if mark { unit(0xFEFF).to_vec() } else { vec![] };
        bytes.extend(text.encode_utf16().flat_map(unit));
        let document = Document::parse(bytes.clone(), &VOCABULARY, &Limits::default()).unwrap();
        assert_ne!(document.encoding(), XmlEncoding::Utf8);
        assert_eq!(document.element_text(document.root()), "é😀");
        assert_eq!(document.write(), bytes);
    }
    let lone = [0xFF, 0xFE, b'<', 0, 0x00, 0xD8];
    assert_eq!(
        Document::parse(lone.to_vec(), &VOCABULARY, &Limits::default()).unwrap_err().kind,
        ErrorKind::XmlEncoding
    );
}

#[test]
fn decodes_text_and_attributes() {
    let document = parse("<a b='&lt;&#65;&#x42;\"'>x&amp;y\r\nz<![CDATA[<&>]]></a>").unwrap();
    assert_eq!(document.element_text(document.root()), "x&y\nz<&>");
    let values: Vec<&str> = document.raw_attributes(document.root()).map(|(_, _, value)| value).collect();
    assert_eq!(values, ["&lt;&#65;&#x42;\""]);
}

/// What both parsers must agree on: names, attributes, texts, in order.
fn outline(document: &Document, node: NodeId, out: &mut Vec<String>) {
    for child in document.children(node) {
        match document.kind(child) {
            NodeKind::Element => {
                let name = document.name(child);
                out.push(format!("<{{{}}}{}", document.namespace_uri(name), document.local_name(name)));
                outline(document, child, out);
                out.push(">".to_owned());
            }
            NodeKind::Text | NodeKind::CData if node != document.document_node() => {
                let text = document.text(child);
                match out.last_mut() {
                    Some(last) if last.starts_with('"') => last.push_str(&text),
                    _ => out.push(format!("\"{text}")),
                }
            }
            _ => {}
        }
    }
    out.retain(|line| line != "\"");
}

fn oracle_outline(node: roxmltree::Node<'_, '_>, out: &mut Vec<String>) {
    for child in node.children() {
        if child.is_element() {
            let uri = child.tag_name().namespace().unwrap_or("");
            let uri = if uri == "urn:uno" { "urn:one" } else { uri };
            out.push(format!("<{{{uri}}}{}", child.tag_name().name()));
            oracle_outline(child, out);
            out.push(">".to_owned());
        } else if let Some(text) = child.text().filter(|_| child.is_text()) {
            match out.last_mut() {
                Some(last) if last.starts_with('"') => last.push_str(text),
                _ => out.push(format!("\"{text}")),
            }
        }
    }
    out.retain(|line| line != "\"");
}

fn fragment() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("text".to_owned()),
        Just("&amp;&#65;".to_owned()),
        Just("<b/>".to_owned()),
        Just("<x:b q='1'/>".to_owned()),
        Just("<b xmlns='urn:uno'>é</b>".to_owned()),
        Just("<!-- c -->".to_owned()),
        Just("<![CDATA[<]]>".to_owned()),
        "[<>&/=' a-z!?\\-\\[\\]]{0,6}",
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop::collection::vec(inner, 0..5).prop_map(|parts| format!("<c d=\"e\">{}</c>", parts.concat()))
    })
}

proptest! {
    #[test]
    fn agrees_with_an_independent_parser(body in fragment()) {
        let text = format!("<a xmlns:x='urn:one'>{body}</a>");
        let ours = parse(&text);
        let theirs = roxmltree::Document::parse(&text);
        if let Ok(ours) = &ours {
            prop_assert_eq!(String::from_utf8(ours.write()).unwrap(), text.clone());
            let theirs = theirs.as_ref().expect(&text);
            let (mut left, mut right) = (vec![], vec![]);
            outline(ours, ours.document_node(), &mut left);
            oracle_outline(theirs.root(), &mut right);
            prop_assert_eq!(left, right);
        }
    }

    #[test]
    fn never_panics(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(document) = Document::parse(bytes.clone(), &VOCABULARY, &Limits::default()) {
            prop_assert_eq!(document.write(), bytes);
        }
    }
}
