//! Contracts full of cross-references, and random batches that move, delete, insert and rewrite their clauses.
//!
//! The oracle follows every reference by itself: in the rejected result all is as it was; in the accepted one each reference that is
//! left leads to the text that it meant, or to where the batch said. `ENGROSS_RANDOM_CASES=20000` tries contracts nobody has seen.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Read as _;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestRng, TestRunner};
use serde_json::{Value, json};

use crate::oracle::{Element, Node, Side, canonical, parse, resolve};
use crate::random_bodies::Choices;

const DATE: &str = "2026-01-31T09:30:00Z";
const NUMBERING: &str = "<w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/>\
    <w:lvlText w:val=\"%1.\"/></w:lvl><w:lvl w:ilvl=\"1\"><w:start w:val=\"1\"/><w:numFmt w:val=\"lowerLetter\"/>\
    <w:lvlText w:val=\"(%2)\"/></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num>";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn random_references_hold() {
    let cases = std::env::var("ENGROSS_RANDOM_CASES").ok().and_then(|text| text.parse().ok());
    let config = Config { cases: cases.unwrap_or(400), failure_persistence: None, ..Config::default() };
    let mut runner = match cases {
        Some(_) => TestRunner::new(config),
        None => {
            let algorithm = proptest::test_runner::RngAlgorithm::ChaCha;
            TestRunner::new_with_rng(config, TestRng::deterministic_rng(algorithm))
        }
    };
    let choices = (vec(any::<u8>(), 0..120), vec(any::<u8>(), 0..60));
    let outcome =
        runner.run(&choices, |(document, batch)| check(&document, &batch).map_err(TestCaseError::fail));
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

/// A contract, and what its references mean.
struct Contract {
    body: String,
    notes: String,
    paragraphs: usize,
    id: usize,
    /// Bookmarks that were opened to be closed at the start of the next paragraph.
    open: Vec<usize>,
    /// Names of bookmarks, with the word of the paragraph in which they begin.
    bookmarks: Vec<(String, String)>,
    /// By word of a reference: the word of its target.
    meant: BTreeMap<String, String>,
}

fn run(text: &str) -> String {
    format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

impl Contract {
    fn of(choices: &mut Choices<'_>) -> Self {
        let mut contract = Self {
            body: String::new(),
            notes: String::new(),
            paragraphs: 0,
            id: 0,
            open: Vec::new(),
            bookmarks: Vec::new(),
            meant: BTreeMap::new(),
        };
        let mut planned = Vec::new();
        let count = 2 + choices.below(4);
        // Which clauses and items have a bookmark is known before anybody refers to them.
        for clause in 0..count {
            let kind = choices.below(5);
            let items = choices.below(3);
            planned.push((kind, items));
            if kind != 4 {
                contract.bookmarks.push((format!("_Ref{clause}"), format!("Clause{clause}w")));
            }
        }
        for (clause, (kind, items)) in planned.into_iter().enumerate() {
            contract.clause(choices, clause, kind, items);
        }
        if choices.rarely(3) {
            contract.table(choices);
        }
        contract.paragraph("", &run("Signedw here."));
        contract
    }

    fn clause(&mut self, choices: &mut Choices<'_>, clause: usize, kind: usize, items: usize) {
        let list = |level: usize| {
            format!("<w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"1\"/></w:numPr></w:pPr>")
        };
        self.id += 1;
        let id = self.id;
        let start = format!("<w:bookmarkStart w:id=\"{id}\" w:name=\"_Ref{clause}\"/>");
        let end = format!("<w:bookmarkEnd w:id=\"{id}\"/>");
        let words = run(&format!("Clause{clause}w of things"));
        let content = match kind {
            // Around the words; before them; over all of the clause; around a part.
            0 => format!("{start}{words}{end}"),
            1 => format!("{start}{end}{words}"),
            2 => {
                self.open.push(id);
                format!("{start}{words}")
            }
            3 => format!("{}{start}{}{end}", run("The "), run(&format!("Clause{clause}w"))),
            _ => words,
        };
        let opened = std::mem::take(&mut self.open);
        self.open = opened.iter().copied().filter(|open| kind == 2 && *open == id).collect();
        let closing: String = opened
            .iter()
            .filter(|open| !(kind == 2 && **open == id))
            .map(|open| format!("<w:bookmarkEnd w:id=\"{open}\"/>"))
            .collect();
        self.raw_paragraph(&list(0), &(closing + &content));
        for item in 0..items {
            let mut content = run(&format!("Item{clause}x{item}w says "));
            for _ in 0..choices.below(3) {
                content += &self.reference(choices);
            }
            self.raw_paragraph(&list(1), &content);
        }
        if choices.below(3) == 0 {
            let content = run(&format!("Text{clause}w goes ")) + &self.reference(choices);
            self.raw_paragraph("", &content);
        }
    }

    fn table(&mut self, choices: &mut Choices<'_>) {
        self.close();
        self.body += "<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"1000\"/></w:tblGrid>";
        for row in 0..2 {
            let content = run(&format!("Row{row}w ")) + &self.reference(choices);
            let _ = write!(
                self.body,
                "<w:tr><w:tc><w:tcPr><w:tcW w:w=\"1000\" w:type=\"dxa\"/></w:tcPr><w:p>{content}</w:p></w:tc></w:tr>"
            );
            self.paragraphs += 1;
        }
        self.body += "</w:tbl>";
    }

    fn close(&mut self) {
        if !self.open.is_empty() {
            self.paragraph("", &run("Betweenw."));
        }
    }

    /// A paragraph that closes what is open.
    fn paragraph(&mut self, properties: &str, content: &str) {
        let closing: String = std::mem::take(&mut self.open)
            .iter()
            .map(|open| format!("<w:bookmarkEnd w:id=\"{open}\"/>"))
            .collect();
        self.raw_paragraph(properties, &(closing + content));
    }

    fn raw_paragraph(&mut self, properties: &str, content: &str) {
        let _ = write!(self.body, "<w:p>{properties}{content}</w:p>");
        self.paragraphs += 1;
    }

    /// A reference behind a word of its own.
    fn reference(&mut self, choices: &mut Choices<'_>) -> String {
        if self.bookmarks.is_empty() {
            return String::new();
        }
        let (name, target) = self.bookmarks[choices.below(self.bookmarks.len())].clone();
        let word = format!("see{}r", self.meant.len());
        self.meant.insert(word.clone(), target);
        let character = |kind: &str| format!("<w:r><w:fldChar w:fldCharType=\"{kind}\"/></w:r>");
        let complex = |code: &str| {
            format!(
                "{}<w:r><w:instrText xml:space=\"preserve\"> {code} </w:instrText></w:r>{}{}{}",
                character("begin"),
                character("separate"),
                run("9"),
                character("end")
            )
        };
        let field = match choices.below(8) {
            0 | 1 => complex(&format!("REF {name} \\r \\h")),
            2 => complex(&format!("PAGEREF {name} \\h")),
            3 => complex(&format!("REF {name} \\w \\h")),
            4 => format!("<w:hyperlink w:anchor=\"{name}\" w:history=\"1\">{}</w:hyperlink>", run("there")),
            // All in one run.
            5 => format!(
                "<w:r><w:rPr><w:b/></w:rPr><w:t>as </w:t><w:fldChar w:fldCharType=\"begin\"/><w:instrText>REF {name} \\r</w:instrText>\
                 <w:fldChar w:fldCharType=\"separate\"/><w:t>9</w:t><w:fldChar w:fldCharType=\"end\"/><w:t> says</w:t></w:r>"
            ),
            6 => {
                self.id += 1;
                let id = self.id;
                let _ = write!(
                    self.notes,
                    "<w:footnote w:id=\"{id}\"><w:p>{}{}</w:p></w:footnote>",
                    run(&format!("{word} ")),
                    complex(&format!("REF {name} \\r"))
                );
                return format!("<w:r><w:footnoteReference w:id=\"{id}\"/></w:r>");
            }
            _ => format!("<w:fldSimple w:instr=\" REF {name} \\r \\h \">{}</w:fldSimple>", run("9")),
        };
        run(&format!("{word} ")) + &field + &run(". ")
    }
}

fn operation(choices: &mut Choices<'_>, count: usize) -> Value {
    let index = 1 + choices.below(count);
    let end = (index + choices.below(3)).min(count);
    let other = 1 + choices.below(count);
    let policy = match choices.below(5) {
        3 => json!("drop"),
        4 => json!({"retarget": format!("P{}", 1 + choices.below(count))}),
        _ => Value::Null,
    };
    let mut operation = match choices.below(9) {
        0..=2 => {
            json!({"op": "move_paragraph", "paragraphIndex": index, "endParagraphIndex": end, "after": other})
        }
        3 | 4 => json!({"op": "delete_paragraph", "paragraphIndex": index}),
        5 => {
            json!({"op": "replace_range", "paragraphIndex": index, "endParagraphIndex": end, "content": "Other text\n\nMore text"})
        }
        6 => json!({"op": "insert_paragraph", "after": index, "content": "A new clause"}),
        7 => {
            json!({"op": "modify_text", "paragraphIndex": index, "originalText": "of things", "replacementText": "of matters"})
        }
        _ => json!({"op": "edit_table", "paragraphIndex": index, "action": "delete_row", "targetRow": 0}),
    };
    if !policy.is_null() && !matches!(operation["op"].as_str(), Some("insert_paragraph")) {
        operation["references"] = policy;
    }
    operation
}

fn part(document: &[u8], name: &str) -> Option<Element> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(document)).unwrap();
    let mut text = String::new();
    archive.by_name(name).ok()?.read_to_string(&mut text).unwrap();
    Some(parse(&text))
}

/// The notes that were there before.
fn without_new_notes(notes: &Element, before: &Element) -> Element {
    let ids = |element: &Element| element.attribute("w:id").map(str::to_owned);
    let known: Vec<Option<String>> = before.elements().map(ids).collect();
    let mut kept = notes.clone();
    kept.children.retain(|child| match child {
        Node::Element(child) => known.contains(&ids(child)),
        Node::Text(_) => true,
    });
    kept
}

const MAIN: &str = "word/document.xml";
const NOTES: &str = "word/footnotes.xml";

fn check(document: &[u8], batch: &[u8]) -> Result<(), String> {
    let contract = Contract::of(&mut Choices::of(document));
    let mut builder = DocxBuilder::new().numbering(NUMBERING).body(&contract.body);
    if !contract.notes.is_empty() {
        builder = builder.footnotes(&contract.notes);
    }
    let source = builder.build();
    let mut choices = Choices::of(batch);
    let operations: Vec<Value> =
        (0..1 + choices.below(4)).map(|_| operation(&mut choices, contract.paragraphs)).collect();
    let mut document = WordDocument::open(source.clone(), &Limits::default()).map_err(|e| e.to_string())?;
    let parsed = parse_batch(&json!(operations)).map_err(|error| error.to_string())?;
    let options = EditOptions { author: "Tester".to_owned(), date: DATE.to_owned() };
    let results = document.apply(&parsed, &options).map_err(|error| error.to_string())?;
    let told = || {
        let shown: Vec<String> = operations
            .iter()
            .zip(&results)
            .map(|(operation, result)| format!("{operation}\n   {:?} {:?}", result.code, result.message))
            .collect();
        format!("{}\n{}\n{}", contract.body.replace("<w:p>", "\n<w:p>"), contract.notes, shown.join("\n"))
    };
    if let Some(failed) = results.iter().find(|result| result.status == Status::Failed) {
        return Err(format!("{failed:#?}\n{}", told()));
    }
    let saved = document.save(Tracking::Tracked).map_err(|error| format!("{error}\n{}", told()))?.bytes;
    for name in [MAIN, NOTES] {
        let (Some(before), Some(after)) = (part(&source, name), part(&saved, name)) else { continue };
        let rejected = resolve(&after, Side::Reject, Some(DATE));
        // A note whose mark moved has a copy, which no mark has when the move is rejected.
        let rejected = if name == NOTES { without_new_notes(&rejected, &before) } else { rejected };
        if canonical(&rejected) != canonical(&before) {
            return Err(format!("rejecting does not give {name} of the source\n{}", told()));
        }
    }
    accepted_references(&contract, &source, &saved, &operations, &results).map_err(|why| {
        format!("{why}\n{}\ngives\n{}", told(), crate::oracle::main_part(&saved).replace("<w:p>", "\n<w:p>"))
    })
}

/// Follows each reference of the accepted document.
fn accepted_references(
    contract: &Contract,
    source: &[u8],
    saved: &[u8],
    operations: &[Value],
    results: &[OperationResult],
) -> Result<(), String> {
    let words_before: Vec<String> =
        paragraphs(&part(source, MAIN).unwrap()).iter().map(|(text, _)| unique(text)).collect();
    // Where operations said that references lead to.
    let elsewhere: Vec<&String> = operations
        .iter()
        .zip(results)
        .filter(|(_, result)| result.status == Status::Applied)
        .filter_map(|(operation, _)| {
            let place = operation["references"]["retarget"].as_str()?;
            words_before.get(place.trim_start_matches('P').parse::<usize>().ok()? - 1)
        })
        .collect();
    // A clause that was written anew where it stood is still the clause that is meant.
    let rewritten: Vec<&String> = operations
        .iter()
        .zip(results)
        .filter(|(operation, result)| result.status == Status::Applied && operation["op"] == "replace_range")
        .flat_map(|(operation, _)| {
            let place = |field: &str| usize::try_from(operation[field].as_u64().unwrap()).unwrap();
            words_before.get(place("paragraphIndex") - 1..place("endParagraphIndex")).unwrap_or_default()
        })
        .collect();
    let mut story = vec![resolve(&part(saved, MAIN).unwrap(), Side::Accept, None)];
    story.extend(part(saved, NOTES).map(|notes| resolve(&notes, Side::Accept, None)));
    let targets: BTreeMap<String, String> = paragraphs(&story[0])
        .iter()
        .flat_map(|(text, marks)| {
            marks.iter().filter_map(|mark| match mark {
                Mark::Bookmark(name) => Some((name.clone(), unique(text))),
                Mark::Reference(..) => None,
            })
        })
        .collect();
    for (text, marks) in story.iter().flat_map(paragraphs) {
        for mark in marks {
            let Mark::Reference(word, name) = mark else { continue };
            let meant = contract.meant.get(&word).ok_or_else(|| format!("who is '{word}' in '{text}'?"))?;
            match targets.get(&name) {
                Some(found) if found == meant || elsewhere.contains(&found) => {}
                Some(found)
                    if found.is_empty()
                        && (rewritten.contains(&meant)
                            || elsewhere.iter().any(|word| rewritten.contains(word))) => {}
                Some(found) => return Err(format!("{word} leads by {name} to '{found}', not to '{meant}'")),
                None => return Err(format!("{word} leads by {name} nowhere")),
            }
        }
    }
    Ok(())
}

enum Mark {
    /// A bookmark begins.
    Bookmark(String),
    /// A field or link, with the word before it, and what it names.
    Reference(String, String),
}

/// The word of a paragraph that no other one has.
fn unique(text: &str) -> String {
    let is_word = |word: &&str| word.ends_with('w') || word.ends_with("w.");
    text.split_whitespace().find(is_word).unwrap_or_default().to_owned()
}

/// The texts of paragraphs, with what is marked in them.
fn paragraphs(root: &Element) -> Vec<(String, Vec<Mark>)> {
    let mut found: Vec<(String, Vec<Mark>)> = Vec::new();
    let mut codes: Vec<(String, bool)> = Vec::new();
    root.walk(&mut Vec::new(), &mut |element, _| {
        if element.name == "w:p" {
            found.push((String::new(), Vec::new()));
        }
        let Some((text, marks)) = found.last_mut() else { return };
        let before = || {
            let mut words =
                text.split_whitespace().filter(|word| word.starts_with("see") && word.ends_with('r'));
            words.next_back().unwrap_or_default().to_owned()
        };
        let named = |code: &str| code.split_whitespace().nth(1).unwrap_or_default().to_owned();
        match element.name.as_str() {
            "w:bookmarkStart" => {
                marks.push(Mark::Bookmark(element.attribute("w:name").unwrap_or_default().to_owned()));
            }
            "w:hyperlink" => {
                let name = element.attribute("w:anchor").unwrap_or_default().to_owned();
                let mark = Mark::Reference(before(), name);
                marks.push(mark);
            }
            "w:fldSimple" => {
                let mark = Mark::Reference(before(), named(element.attribute("w:instr").unwrap_or_default()));
                marks.push(mark);
            }
            "w:fldChar" => match element.attribute("w:fldCharType") {
                Some("begin") => codes.push((String::new(), false)),
                Some("separate") => {
                    if let Some((code, done)) = codes.last_mut() {
                        *done = true;
                        let mark = Mark::Reference(before(), named(code));
                        marks.push(mark);
                    }
                }
                _ => {
                    codes.pop();
                }
            },
            "w:instrText" => {
                if let Some((code, false)) = codes.last_mut() {
                    code.push_str(&characters(element));
                }
            }
            "w:t" => text.push_str(&characters(element)),
            _ => {}
        }
    });
    found
}

fn characters(element: &Element) -> String {
    let text = element.children.iter().map(|child| match child {
        Node::Text(text) => text.as_str(),
        Node::Element(_) => "",
    });
    text.collect()
}
