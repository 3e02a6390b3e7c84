//! Searches in all stories, judged by a second opinion: a generator knows which characters of its contracts can be typed into, and
//! a walk through the XML of all parts, which shares nothing with the engine, reads what came out.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::{Element, Node, Side, parse, resolve};

/// A stretch of text, and whether it can be typed into.
type Piece = (String, bool);

/// Part by part: its paragraphs.
type Texts = BTreeMap<String, Vec<Vec<Piece>>>;

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

const WORDS: &[&str] = &[
    "Customer",
    "the",
    "Customers",
    "customer",
    "CUSTOMER",
    "Customer's",
    "Supplier",
    "shall",
    "Customer-side",
    "pay",
    "(Customer)",
    "Subcustomer",
    "notice",
    "Customer,",
    "fees;",
    "Müller",
];

fn words(random: &mut Random, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| WORDS[random.below(WORDS.len())]).collect();
    words.join(" ")
}

/// Runs of a text, cut anywhere.
fn runs(random: &mut Random, text: &str) -> String {
    let mut out = String::new();
    let mut rest: Vec<char> = text.chars().collect();
    while !rest.is_empty() {
        let cut = 1 + random.below(rest.len());
        let own: String = rest.drain(..cut).collect();
        let bold = if random.below(3) == 0 { "<w:rPr><w:b/></w:rPr>" } else { "" };
        let _ = write!(out, "<w:r>{bold}<w:t xml:space=\"preserve\">{own}</w:t></w:r>");
    }
    out
}

fn field(code: &str, result: &str) -> String {
    format!(
        "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText xml:space=\"preserve\"> {code} </w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{result}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
    )
}

/// A paragraph with its pieces; `notes` says whether it may hold what only the body can.
fn paragraph(random: &mut Random) -> (String, Vec<Piece>) {
    let (mut xml, mut pieces) = ("<w:p>".to_owned(), Vec::new());
    let mut rest = String::new();
    for _ in 0..random.below(6) {
        let count = 1 + random.below(4);
        let mut text = std::mem::take(&mut rest) + &words(random, count) + " ";
        // Pieces may end within a word.
        if random.below(3) == 0 {
            let cut = text.char_indices().nth(1 + random.below(text.chars().count() - 1)).unwrap().0;
            rest = text.split_off(cut);
        }
        let own = runs(random, &text);
        let (own, free) = match random.below(8) {
            0 => (field("REF _Ref1 \\h", &own), false),
            1 => (format!("<w:fldSimple w:instr=\" DOCPROPERTY Title \">{own}</w:fldSimple>"), false),
            2 => (field("HYPERLINK \"http://example.org\"", &own), true),
            3 => (
                format!(
                    "<w:sdt><w:sdtPr><w:lock w:val=\"sdtContentLocked\"/></w:sdtPr><w:sdtContent>{own}</w:sdtContent></w:sdt>"
                ),
                false,
            ),
            _ => (own, true),
        };
        xml += &own;
        pieces.push((text, free));
    }
    (xml + "</w:p>", pieces)
}

fn paragraphs(random: &mut Random, most: usize) -> (String, Vec<Vec<Piece>>) {
    let all: Vec<(String, Vec<Piece>)> = (0..1 + random.below(most)).map(|_| paragraph(random)).collect();
    all.into_iter().unzip()
}

/// A paragraph with a text box, whose paragraphs come behind it in the part.
fn text_box(random: &mut Random) -> (String, Vec<Vec<Piece>>) {
    let (xml, texts) = paragraphs(random, 2);
    let xml = format!(
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires=\"wps\"><w:drawing><wp:inline><a:graphic><a:graphicData>\
         <wps:wsp><wps:txbx><w:txbxContent>{xml}</w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:inline>\
         </w:drawing></mc:Choice></mc:AlternateContent></w:r></w:p>"
    );
    (xml, std::iter::once(Vec::new()).chain(texts).collect())
}

/// A contract with a table of contents, headers, notes, text boxes and fields.
fn contract(random: &mut Random) -> (Vec<u8>, Texts) {
    let mut texts = Texts::new();
    let toc = words(random, 4);
    let line = runs(random, &toc);
    let mut body = format!("<w:p>{}</w:p>", field("TOC \\o", &field("HYPERLINK \\l _Toc1", &line)));
    let mut own = vec![vec![(toc, false)]];
    let (xml, more) = paragraphs(random, 8);
    body += &xml;
    own.extend(more);
    let (xml, more) = text_box(random);
    body += &xml;
    own.extend(more);
    body += "<w:p><w:r><w:footnoteReference w:id=\"2\"/></w:r><w:r><w:endnoteReference w:id=\"2\"/></w:r></w:p>\
             <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/><w:headerReference w:type=\"first\" r:id=\"h\"/>\
             <w:footerReference w:type=\"default\" r:id=\"f\"/></w:sectPr>";
    own.push(Vec::new());
    texts.insert("word/document.xml".to_owned(), own);
    let mut part = |name: &str, random: &mut Random| {
        let (xml, own) = paragraphs(random, 3);
        texts.insert(name.to_owned(), own);
        xml
    };
    let footer = part("word/footer-f.xml", random);
    let footnote = part("word/footnotes.xml", random);
    let endnote = part("word/endnotes.xml", random);
    let (mut header, mut own) = paragraphs(random, 2);
    let (xml, more) = text_box(random);
    header += &xml;
    own.extend(more);
    texts.insert("word/header-h.xml".to_owned(), own);
    let document = DocxBuilder::new()
        .body(&body)
        .header("h", &header)
        .footer("f", &footer)
        .footnotes(&format!("<w:footnote w:id=\"2\">{footnote}</w:footnote>"))
        .endnotes(&format!("<w:endnote w:id=\"2\">{endnote}</w:endnote>"));
    (document.build(), texts)
}

fn plain(texts: &Texts) -> BTreeMap<String, Vec<String>> {
    let paragraph = |pieces: &Vec<Piece>| pieces.iter().map(|(text, _)| text.as_str()).collect();
    texts.iter().map(|(part, own)| (part.clone(), own.iter().map(paragraph).collect())).collect()
}

/// The paragraphs of all parts, those of text boxes behind the one that holds them.
fn read_parts(document: &[u8], side: Side) -> BTreeMap<String, Vec<String>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(document)).unwrap();
    let mut found = BTreeMap::new();
    for story in ["document", "header-h", "footer-f", "footnotes", "endnotes"] {
        let name = format!("word/{story}.xml");
        let mut xml = String::new();
        let Ok(mut entry) = archive.by_name(&name) else { continue };
        entry.read_to_string(&mut xml).unwrap();
        let mut texts = Vec::new();
        walk(&resolve(&parse(&xml), side, None), &mut None, &mut texts);
        found.insert(name, texts);
    }
    found
}

fn walk(element: &Element, open: &mut Option<usize>, texts: &mut Vec<String>) {
    for child in &element.children {
        match child {
            Node::Element(child) if child.name.ends_with("}Fallback") => {}
            Node::Element(child) if child.name == "w:p" => {
                texts.push(String::new());
                walk(child, &mut Some(texts.len() - 1), texts);
            }
            Node::Element(child) => walk(child, open, texts),
            Node::Text(text) if element.name == "w:t" => texts[open.unwrap()].push_str(text),
            Node::Text(_) => {}
        }
    }
}

/// The rename as a person would do it: character by character.
fn renamed(pieces: &[Piece], (any_case, whole): (bool, bool), left: &mut usize) -> String {
    let letters: Vec<(char, bool)> =
        pieces.iter().flat_map(|(text, free)| text.chars().map(|c| (c, *free))).collect();
    let term: Vec<char> = "Customer".chars().collect();
    let same = |one: char, other: char| one == other || any_case && one.eq_ignore_ascii_case(&other);
    let is_word = |at: Option<usize>| {
        at.and_then(|at| letters.get(at)).is_some_and(|(c, _)| c.is_alphanumeric() || *c == '_')
    };
    let mut out = String::new();
    let mut at = 0;
    while at < letters.len() {
        let end = at + term.len();
        let hit =
            letters.get(at..end).is_some_and(|own| own.iter().zip(&term).all(|((c, _), t)| same(*c, *t)));
        if hit && !(whole && (is_word(at.checked_sub(1)) || is_word(Some(end)))) {
            let own = &letters[at..end];
            if own.iter().all(|(_, free)| *free) {
                out += "Client";
            } else {
                *left += 1;
                out.extend(own.iter().map(|(c, _)| c));
            }
            at = end;
        } else {
            out.push(letters[at].0);
            at += 1;
        }
    }
    out
}

fn apply(document: &mut WordDocument, batch: &Value) -> Vec<OperationResult> {
    let options = EditOptions { author: "A".to_owned(), date: "2026-01-01T00:00:00Z".to_owned() };
    document.apply(&parse_batch(batch).unwrap(), &options).unwrap()
}

#[test]
fn a_rename_everywhere_changes_what_can_be_typed_into_and_nothing_else() {
    for seed in 1..=150_u64 {
        let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let (source, texts) = contract(random);
        assert_eq!(read_parts(&source, Side::Accept), plain(&texts), "the generator, seed {seed}");
        let rules = (random.below(2) == 0, random.below(2) == 0);
        let mut operation = json!({
            "op": "modify_text", "replacementText": "Client", "occurrence": "all", "scope": "everywhere",
            "matchCase": !rules.0, "wholeWord": rules.1,
        });
        let needle = if random.below(2) == 0 { "originalText" } else { "pattern" };
        operation[needle] = json!("Customer");
        let mut left = 0;
        let mut expected = BTreeMap::new();
        for (part, own) in &texts {
            let own: Vec<String> = own.iter().map(|pieces| renamed(pieces, rules, &mut left)).collect();
            expected.insert(part.clone(), own);
        }
        let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
        let results = apply(&mut document, &json!([operation]));
        let result = &results[0];
        let changes = expected != plain(&texts);
        assert_eq!(result.status == Status::Applied, changes, "seed {seed}: {result:#?}");
        let saved = document.save(Tracking::Tracked).unwrap().bytes;
        assert_eq!(read_parts(&saved, Side::Accept), expected, "seed {seed}: {result:#?}");
        assert_eq!(read_parts(&saved, Side::Reject), plain(&texts), "seed {seed}");
        let message = result.message.clone().unwrap_or_default();
        assert!(!changes || message.contains("left ") == (left > 0), "seed {seed}: {left} left, {message}");
        let found =
            |bytes| engross_docx::check(&WordDocument::open(bytes, &Limits::default()).unwrap()).unwrap();
        assert_eq!(found(saved), found(source), "seed {seed}");
    }
}

fn small() -> Vec<u8> {
    let toc = field("TOC \\o", "<w:r><w:t>1. Customer duties</w:t></w:r>");
    DocxBuilder::new()
        .body(&format!(
            "<w:p>{toc}</w:p><w:p><w:r><w:t>Customer duties</w:t></w:r></w:p>\
             <w:p><w:r><w:t>The Customer pays.</w:t></w:r><w:r><w:footnoteReference w:id=\"2\"/></w:r></w:p>\
             <w:sectPr><w:headerReference w:type=\"default\" r:id=\"h\"/></w:sectPr>"
        ))
        .footnotes("<w:footnote w:id=\"2\"><w:p><w:r><w:t>Customer at signing</w:t></w:r></w:p></w:footnote>")
        .header("h", "<w:p><w:r><w:t>Customer copy</w:t></w:r></w:p>")
        .build()
}

fn results(operations: &Value) -> (Vec<OperationResult>, BTreeMap<String, Vec<String>>) {
    let mut document = WordDocument::open(small(), &Limits::default()).unwrap();
    let results = apply(&mut document, operations);
    (results, read_parts(&document.save(Tracking::Tracked).unwrap().bytes, Side::Accept))
}

fn rename(more: &Value) -> Value {
    let mut operation = json!({"op": "modify_text", "originalText": "Customer", "replacementText": "Client"});
    operation.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    operation
}

#[test]
fn a_table_of_contents_does_not_sink_a_rename() {
    let (results, texts) = results(&json!([rename(&json!({"occurrence": "all"}))]));
    let message = results[0].message.clone().unwrap();
    assert_eq!(results[0].status, Status::Applied);
    assert_eq!(texts["word/document.xml"], ["1. Customer duties", "Client duties", "The Client pays."]);
    assert!(message.contains("left 1 of 3 hits, which cannot be typed into: P1 (TOC field)"), "{message}");
    assert!(message.contains("it also stands in header:default@1/P1, footnote:2/P1"), "{message}");
    assert_eq!(results[0].address.as_deref(), Some("P2, P3"));
}

#[test]
fn what_must_not_be_left_is_refused_by_the_place_that_blocks() {
    let (results, _) = results(&json!([rename(&json!({"occurrence": "all", "fields": "refuse"}))]));
    assert_eq!(results[0].code.as_deref(), Some("FIELD_EDIT_REFUSED"));
    assert_eq!(results[0].address.as_deref(), Some("P1"));
    assert!(serde_json::to_string(&results[0]).unwrap().len() < 2_000);
}

#[test]
fn occurrences_count_through_the_stories() {
    let check = |more: Value, part: &str, expected: &[&str]| {
        let (results, texts) = results(&json!([rename(&more)]));
        assert_eq!(texts[part], expected, "{results:#?}");
    };
    let everywhere = |occurrence: Value| json!({"scope": "everywhere", "occurrence": occurrence});
    check(everywhere(json!(4)), "word/header-h.xml", &["Client copy"]);
    check(everywhere(json!("last")), "word/footnotes.xml", &["Client at signing"]);
    check(
        everywhere(json!(3)),
        "word/document.xml",
        &["1. Customer duties", "Customer duties", "The Client pays."],
    );
    check(json!({"scope": ["headers"]}), "word/header-h.xml", &["Client copy"]);
    check(json!({"scope": "footnote:2"}), "word/footnotes.xml", &["Client at signing"]);
    let (refused, _) = results(&json!([
        rename(&json!({"scope": "everywhere"})),
        rename(&everywhere(json!(9))),
        rename(&json!({"scope": "header:first"})),
        {"op": "modify_text", "pattern": "absent \\d+", "replacementText": "", "scope": "everywhere"},
        {"op": "modify_text", "originalText": "at signing", "replacementText": "then"},
    ]));
    let codes: Vec<&str> = refused.iter().map(|result| result.code.as_deref().unwrap()).collect();
    let expected =
        ["AMBIGUOUS_TARGET", "TEXT_NOT_FOUND", "TARGET_NOT_FOUND", "TEXT_NOT_FOUND", "TEXT_NOT_FOUND"];
    assert_eq!(codes, expected, "{refused:#?}");
    let message = |index: usize| refused[index].message.clone().unwrap();
    assert!(message(0).contains("3 in the body, 1 in header:default@1, 1 in footnote:2"), "{}", message(0));
    assert!(message(4).contains("it also stands in footnote:2/P1"), "{}", message(4));
}

#[test]
fn an_operation_that_cannot_be_done_in_one_story_is_done_in_none() {
    let (results, texts) = results(&json!([
        {"op": "modify_text", "target": "footnote:2", "originalText": "Customer at", "replacementText": "Buyer at"},
        rename(&json!({"scope": "everywhere", "occurrence": "all"})),
        {"op": "modify_text", "paragraphIndex": 3, "originalText": "pays", "replacementText": "shall pay"},
    ]));
    let statuses: Vec<Status> = results.iter().map(|result| result.status).collect();
    assert_eq!(statuses, [Status::Applied, Status::Refused, Status::Applied], "{results:#?}");
    assert_eq!(results[1].code.as_deref(), Some("OVERLAPPING_OPERATIONS"));
    assert_eq!(results[1].address.as_deref(), Some("footnote:2/P1"));
    assert_eq!(
        texts["word/document.xml"],
        ["1. Customer duties", "Customer duties", "The Customer shall pay."]
    );
    assert_eq!(texts["word/header-h.xml"], ["Customer copy"]);
    assert_eq!(texts["word/footnotes.xml"], ["Buyer at signing"]);
}

#[test]
fn formats_comments_and_patterns_reach_the_stories_that_can_have_them() {
    let (results, texts) = results(&json!([
        {"op": "format_text", "textToFormat": "customer", "matchCase": false, "bold": true, "occurrence": "all", "scope": "everywhere"},
        {"op": "insert_comment", "textToFind": "Customer", "commentContent": "Who?", "occurrence": "all", "scope": ["body", "headers", "footnotes"]},
        {"op": "modify_text", "pattern": "(pay)(s)", "replacementText": "$2$1$$", "plain": true},
    ]));
    assert!(results.iter().all(|result| result.status == Status::Applied), "{results:#?}");
    assert_eq!(results[0].address.as_deref(), Some("P2, P3, footnote:2/P1, header:default@1/P1"));
    assert_eq!(results[1].address.as_deref(), Some("P1, P2, P3, footnote:2/P1"));
    assert_eq!(texts["word/document.xml"][2], "The Customer spay$.");
}

/// The accepted text of one paragraph after one operation, and what the operation came to.
fn edited(paragraph: &str, operation: &Value) -> (String, OperationResult) {
    let source = DocxBuilder::new().body(&format!("<w:p>{paragraph}</w:p><w:sectPr/>")).build();
    let mut document = WordDocument::open(source.clone(), &Limits::default()).unwrap();
    let result = apply(&mut document, &json!([operation])).remove(0);
    let saved = document.save(Tracking::Tracked).unwrap().bytes;
    assert_eq!(read_parts(&saved, Side::Reject), read_parts(&source, Side::Accept));
    let mut xml = String::new();
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(&saved)).unwrap();
    archive.by_name("word/document.xml").unwrap().read_to_string(&mut xml).unwrap();
    let accepted = resolve(&parse(&xml), Side::Accept, None);
    let (mut begins, mut ends) = (0, 0);
    accepted.walk(&mut Vec::new(), &mut |element, _| match element.attribute("w:fldCharType") {
        Some("begin") => begins += 1,
        Some("end") => ends += 1,
        _ => {}
    });
    assert_eq!(begins, ends, "half a field is left: {xml}");
    let text = read_parts(&saved, Side::Accept)["word/document.xml"][0].clone();
    (format!("{text}{}", "*".repeat(begins)), result)
}

/// A star stands for a field that is left.
#[test]
fn a_field_goes_whole_with_the_words_around_it_or_not_at_all() {
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let plain = format!(
        "{}{}{}",
        run("Pay as set out in "),
        field("REF _Ref1 \\h", &run("clause 4.2")),
        run(" below, at once.")
    );
    let marked = plain.replace(
        "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>",
        "<w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:proofErr w:type=\"spellStart\"/>",
    );
    let modify =
        |old: &str, new: &str| json!({"op": "modify_text", "originalText": old, "replacementText": new});
    for source in [&plain, &marked] {
        let check = |operation: &Value, expected: &str, code: Option<&str>| {
            let (text, result) = edited(source, operation);
            assert_eq!((text.as_str(), result.code.as_deref()), (expected, code), "{operation}: {result:#?}");
        };
        let same = "Pay as set out in clause 4.2 below, at once.*";
        check(&modify(" as set out in clause 4.2 below", ""), "Pay, at once.", None);
        check(&modify("clause 4.2", ""), "Pay as set out in  below, at once.", None);
        check(&modify("as set out in clause 4.2 below", "in full"), "Pay in full, at once.", None);
        check(&modify("clause 4.2", "clause 9"), same, Some("FIELD_EDIT_REFUSED"));
        check(&modify("4.2 below", "hereof"), same, Some("FIELD_EDIT_REFUSED"));
        check(&modify("in clause", ""), same, Some("FIELD_EDIT_REFUSED"));
        check(
            &modify("set out in clause 4.2 below", "said in clause 4.2 below"),
            "Pay as said in clause 4.2 below, at once.*",
            None,
        );
        check(
            &json!({"op": "edit_paragraph", "paragraphIndex": 1, "newContent": "Pay at once."}),
            "Pay at once.",
            None,
        );
    }
    let simple = format!("{}<w:fldSimple w:instr=\" REF x \">{}</w:fldSimple>", run("see "), run("clause 1"));
    let (text, result) = edited(&simple, &modify("see clause 1", ""));
    assert_eq!((text.as_str(), result.code.as_deref()), ("", None));
    let (text, result) = edited(&simple, &modify("clause 1", "clause 2"));
    assert_eq!((text.as_str(), result.code.as_deref()), ("see clause 1", Some("FIELD_EDIT_REFUSED")));
}

/// A term renamed in each of 100,000 paragraphs. Alone in its process, since it asks how much that one used:
/// `cargo test -p engross-docx --test docx a_term_in_each_of -- --ignored --nocapture`.
#[test]
#[ignore = "takes seconds, and measures its process"]
#[expect(clippy::disallowed_methods, reason = "asks the system, not a file")]
fn a_term_in_each_of_100_000_paragraphs_takes_bounded_memory() {
    let source = {
        let line = |number: usize| {
            format!(
                "<w:p><w:pPr><w:jc w:val=\"both\"/></w:pPr><w:r><w:t xml:space=\"preserve\">{number}. The Buyer shall pay the price within thirty \
                 days of the invoice, and nothing else is due.</w:t></w:r></w:p>"
            )
        };
        DocxBuilder::new().body(&(0..100_000).map(line).collect::<String>()).build()
    };
    let operation = json!([{"op": "modify_text", "originalText": "Buyer", "replacementText": "Purchaser", "occurrence": "all", "scope": "everywhere"}]);
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let results = document.apply(&parse_batch(&operation).unwrap(), &options).unwrap();
    assert_eq!(results[0].status, Status::Applied);
    let told = |name: &str| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default().to_owned();
        line.split_whitespace().nth(1).and_then(|kibibytes| kibibytes.parse::<u64>().ok()).unwrap_or_default()
            >> 10
    };
    println!("after the batch: {} MiB, at most {}", told("VmRSS"), told("VmHWM"));
    let saved = document.save(Tracking::Tracked).unwrap();
    println!("after saving {} bytes: {} MiB, at most {}", saved.bytes.len(), told("VmRSS"), told("VmHWM"));
    // What it shall be is 400; what holds is told in docs/measurements.md.
    assert!(told("VmHWM") <= 480, "{} MiB", told("VmHWM"));
}
