//! What must hold for any bytes at all. One function for each fuzz target. An input that breaks a promise becomes a
//! scenario or a test of the crate that broke it; `cargo xtask fuzz` runs the targets.
//!
//! A broken promise is a panic. Must never depend on anything but the bytes.

mod comments;
mod comparing;
mod objects;
mod operations;
mod rounds;
mod sample;

pub use comments::comments;
pub use comparing::compare;
pub use operations::{apply, batch, hold, hold_on, objects, operations_for, outcomes};
pub use rounds::{hold_in_rounds, rounds};

use engross_docx::fuzzing::{
    B, ID, Selection, VOCABULARY, W, W_URI, is_revision_wrapper, list, resolve as resolve_revisions,
};
use engross_docx::read::{ReadOptions, View, notation};
use engross_docx::revisions::{Comment, Side};
use engross_docx::{Limits, Package, PackageLimits, Severity, Tracking, WordDocument, check, from_markdown};
use engross_testkit::docx::DocxBuilder;
use engross_xml::{Document, Limits as XmlLimits, NodeId, NodeKind};

/// What is parsed is written as it came; what is changed is still well-formed; what is taken back never was.
pub fn xml_parse(data: &[u8]) {
    let Ok(mut document) = Document::parse(data.to_vec(), &VOCABULARY, &XmlLimits::default()) else { return };
    assert!(document.write() == data, "an unchanged text is written as it was read");
    let elements: Vec<NodeId> = document
        .descendants(document.root())
        .filter(|node| document.kind(*node) == NodeKind::Element)
        .collect();
    let texts: Vec<String> = elements.iter().map(|node| document.element_text(*node).into_owned()).collect();

    let checkpoint = document.checkpoint();
    document.ensure_prefix(W, "w", W_URI);
    for node in &elements {
        document.set_attribute(*node, ID, "<\"'&>");
    }
    let last = elements.last().copied().unwrap_or(document.root());
    let added = document.new_element(B);
    document.append(last, added);
    let copied = document.copy(elements.get(1).copied().unwrap_or(last));
    document.prepend(last, copied);
    // Where an element binds a prefix of the root to something else, new names below it may mean something else:
    // editors must look at that first.
    if !document.rebinds_root_prefix() {
        let deeper = XmlLimits { depth: 2000, nodes: usize::MAX, attributes: 2000, ..XmlLimits::default() };
        let again =
            Document::parse(document.write(), &VOCABULARY, &deeper).expect("a changed tree is well-formed");
        let ids = |document: &Document| -> Vec<Option<String>> {
            document
                .descendants(document.root())
                .filter(|node| document.kind(*node) == NodeKind::Element)
                .map(|node| document.attribute(node, ID).map(std::borrow::Cow::into_owned))
                .collect()
        };
        assert!(ids(&again) == ids(&document), "what was set is read again");
    }

    document.rollback(checkpoint);
    assert!(document.write() == data, "a change that was taken back leaves nothing");
    let after: Vec<String> = elements.iter().map(|node| document.element_text(*node).into_owned()).collect();
    assert!(texts == after);
}

/// A package that opens can be read, written unchanged, changed, and read again.
pub fn package_open(data: &[u8]) {
    let limits =
        PackageLimits { max_part_bytes: 4 << 20, max_total_bytes: 8 << 20, ..PackageLimits::default() };
    let Ok(package) = Package::open(data.to_vec(), &limits) else { return };
    assert!(
        package.write().is_ok_and(|bytes| bytes == data),
        "an unchanged package is written as it was read"
    );
    let readable: Vec<&str> = package.names().filter(|name| package.part(name).is_ok()).collect();
    let mut changed = package.clone();
    changed.set_part("added.xml", b"added".to_vec());
    let Ok(written) = changed.write() else { return };
    let again = Package::open(written, &limits).expect("a written package can be opened");
    assert!(again.part("added.xml").is_ok_and(|bytes| *bytes == *b"added"));
    for name in readable.into_iter().filter(|name| !name.eq_ignore_ascii_case("added.xml")) {
        assert!(again.part(name).ok() == package.part(name).ok(), "what was not changed is the same");
    }
}

/// A document is read, listed, checked and resolved without harm.
///
/// Bytes that are no archive are the parts of one: body, styles, numbering, footnotes, comments, header, settings,
/// main relationships, with a byte `FF` between them, which no text has.
pub fn document_read(data: &[u8]) {
    let bytes = if data.starts_with(b"PK") { data.to_vec() } else { build(data) };
    let limits = Limits {
        package: PackageLimits {
            max_part_bytes: 4 << 20,
            max_total_bytes: 8 << 20,
            ..PackageLimits::default()
        },
        ..Limits::default()
    };
    let Ok(document) = WordDocument::open(bytes.clone(), &limits) else { return };
    let comments: Vec<Comment> =
        document.comments().unwrap_or_default().into_iter().map(|placed| placed.comment).collect();
    let stories = ["body", "headers", "footers", "footnotes", "endnotes", "comments", "textboxes"];
    for story in stories {
        for view in [View::Accepted, View::Original, View::Markup] {
            let options = ReadOptions { story: Some(story.to_owned()), view, ..ReadOptions::default() };
            if let Ok(reading) = document.read(&options) {
                assert!(!notation(&reading, &comments).contains('\0'));
            }
        }
    }
    let _ = document.revisions();
    let _ = check(&document);
    assert!(
        document.save(Tracking::Tracked).is_ok_and(|saved| saved.bytes == bytes),
        "reading changes nothing"
    );
    for side in [Side::Accept, Side::Reject] {
        let mut resolved = document.clone();
        if resolved.resolve_all(side).is_ok()
            && let Ok(saved) = resolved.save(Tracking::Tracked)
        {
            let again = WordDocument::open(saved.bytes, &limits).expect("a resolved document can be opened");
            let _ = check(&again);
        }
    }
}

/// Any body can be accepted and rejected; the result is well-formed and holds no revision wrapper.
pub fn resolve(data: &[u8]) {
    let Ok(body) = std::str::from_utf8(data) else { return };
    let xml = DocxBuilder::new().body(body).main_xml();
    let Ok(document) = Document::parse(xml.into_bytes(), &VOCABULARY, &XmlLimits::default()) else { return };
    let root = document.root();
    let first = list(&document, root).iter().filter_map(|revision| revision.stamp.id).max().unwrap_or(0);
    for side in [Side::Accept, Side::Reject] {
        for selection in [Selection::All, Selection::IdsFrom(first)] {
            let mut resolved = document.clone();
            let checkpoint = resolved.checkpoint();
            resolve_revisions(&mut resolved, root, side, selection);
            let again = Document::parse(resolved.write(), &VOCABULARY, &XmlLimits::default())
                .expect("a resolved tree is well-formed");
            if selection == Selection::All {
                let left =
                    again.descendants(again.root()).find(|node| is_revision_wrapper(again.name(*node)));
                assert!(
                    left.is_none(),
                    "a revision is left: {}",
                    left.map_or("", |node| again.qualified_name(node))
                );
            }
            resolved.rollback(checkpoint);
            assert!(resolved.write() == document.write(), "a resolution that was taken back leaves nothing");
        }
    }
}

/// A document of any Markdown is sound, can be told as Markdown, and that is Markdown of which a document can be made.
pub fn markdown(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let limits = Limits::default();
    let Ok(bytes) = from_markdown(text, None, &limits) else { return };
    let document = WordDocument::open(bytes, &limits).expect("a made document can be opened");
    assert_sound(&document);
    for view in [View::Accepted, View::Original, View::Markup] {
        let told = document.to_markdown(view).expect("a document can be told");
        if let Ok(again) = from_markdown(&told, None, &limits) {
            let again = WordDocument::open(again, &limits).expect("a document made again can be opened");
            assert_sound(&again);
        }
    }
}

/// Nothing is in the document that Word would repair or refuse.
fn assert_sound(document: &WordDocument) {
    let findings = check(document).expect("a document that is open can be checked");
    let fault = findings.iter().find(|finding| finding.severity == Severity::Error);
    assert!(fault.is_none(), "{fault:?}");
}

fn build(data: &[u8]) -> Vec<u8> {
    let mut parts = data.split(|byte| *byte == 0xFF).map(String::from_utf8_lossy);
    let mut next = || parts.next().unwrap_or_default().into_owned();
    let mut builder = DocxBuilder::new().body(&next());
    builder = builder.styles(&next()).numbering(&next()).footnotes(&next()).comments(&next());
    builder = builder.header("h", &next()).settings(&next());
    let relationships = next();
    if !relationships.is_empty() {
        builder = builder.part("word/_rels/document.xml.rels", relationships);
    }
    builder.build()
}
