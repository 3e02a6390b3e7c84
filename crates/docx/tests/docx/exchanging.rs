//! What another editor of the same document is told: it must come to the same document by the steps alone.

use std::collections::BTreeMap;

use engross_docx::ops::parse_batch;
use engross_docx::read::{ReadOptions, View};
use engross_docx::revisions::Side;
use engross_docx::{
    EditOptions, EditStep, Limits, Severity, TextSpan, Tracking, WordDocument, check, differences,
    edit_steps, flat_opc,
};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::corpus_check::corpus_documents;
use crate::jobs::documents;

fn open(bytes: Vec<u8>) -> WordDocument {
    WordDocument::open(bytes, &Limits::default()).unwrap()
}

fn apply(document: &mut WordDocument, batch: &Value) {
    let options = EditOptions { author: "Tester".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    if let Ok(batch) = parse_batch(batch) {
        document.apply(&batch, &options).unwrap();
    }
}

/// The texts of all paragraphs in a view, by story and number.
fn texts(document: &WordDocument, view: View) -> BTreeMap<(String, usize), String> {
    let options =
        ReadOptions { view, story: Some("everywhere".to_owned()), labels: false, ..ReadOptions::default() };
    let read = document.read(&options).unwrap().paragraphs;
    read.into_iter()
        .map(|paragraph| {
            let story = match paragraph.address.rsplit_once("/P").or(paragraph.address.rsplit_once('P')) {
                Some((story, _)) if !story.is_empty() => story.trim_end_matches('/').to_owned(),
                _ => "body".to_owned(),
            };
            ((story, paragraph.index), with_objects(&paragraph.text))
        })
        .collect()
}

/// A text with one character for each object, which the reading names.
fn with_objects(text: &str) -> String {
    let mut parts = text.split('⟦');
    let mut whole = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once('⟧') {
            Some((_, rest)) => whole.extend(["\u{FFFC}", rest]),
            None => whole.extend(["⟦", part]),
        }
    }
    whole
}

/// Types the spans into a text, as an editor does that counts UTF-16.
fn typed(text: &str, spans: &[TextSpan]) -> String {
    let mut units: Vec<u16> = text.encode_utf16().collect();
    let mut end = units.len();
    for span in spans {
        assert!(span.start <= span.end && span.end <= end, "the last comes first: {spans:?}");
        let gone = String::from_utf16_lossy(&units[span.start..span.end]);
        assert_eq!(gone, span.delete, "in {text}");
        units.splice(span.start..span.end, span.insert.encode_utf16());
        end = span.start;
    }
    String::from_utf16(&units).unwrap()
}

/// Follows the steps with nothing but the document before and what the steps hand over; gives what is wrong.
fn follow(before: &WordDocument, after: &WordDocument) -> Result<Vec<EditStep>, String> {
    let steps = edit_steps(before, after).map_err(|error| error.to_string())?;
    let (old, new) = (texts(before, View::Accepted), texts(after, View::Accepted));
    let now_at = |story: &str, number: usize| new.get(&(story.to_owned(), number)).cloned();
    let mut told: BTreeMap<(String, usize), Option<String>> = BTreeMap::new();
    let mut gone: Vec<(String, usize)> = Vec::new();
    for step in &steps {
        match step {
            EditStep::Text { story, paragraph, now, spans, .. } => {
                let before = old.get(&(story.clone(), *paragraph)).cloned().unwrap_or_default();
                gone.push((story.clone(), *paragraph));
                told.insert((story.clone(), *now), Some(typed(&before, spans)));
            }
            EditStep::Format { story, paragraph, now, .. } => {
                gone.push((story.clone(), *paragraph));
                told.insert((story.clone(), *now), now_at(story, *now));
            }
            EditStep::Inserted { story, now, .. } => {
                told.extend((now.0..=now.1).map(|at| ((story.clone(), at), now_at(story, at))));
            }
            EditStep::Deleted { story, paragraphs, now } => {
                gone.extend((paragraphs.0..=paragraphs.1).map(|at| (story.clone(), at)));
                told.extend((now.0..=now.1).map(|at| ((story.clone(), at), None)));
            }
            EditStep::Other { story, paragraphs, now } => {
                let each = |range: &Option<(usize, usize)>| range.map_or(0..0, |(from, to)| from..to + 1);
                gone.extend(each(paragraphs).map(|at| (story.clone(), at)));
                told.extend(each(now).map(|at| ((story.clone(), at), now_at(story, at))));
            }
        }
    }
    // What no step names is as it was: the rest of both must be the same texts in the same order.
    let mut stories: Vec<&String> = old.keys().chain(new.keys()).map(|(story, _)| story).collect();
    stories.sort();
    stories.dedup();
    for story in stories {
        let kept = old.iter().filter(|(place, _)| place.0 == *story && !gone.contains(place));
        let kept: Vec<&String> = kept.map(|(_, text)| text).collect();
        let left = new.iter().filter(|(place, _)| place.0 == *story && !told.contains_key(place));
        let left: Vec<&String> = left.map(|(_, text)| text).collect();
        if kept != left && !story.starts_with("comment") {
            let at = kept.iter().zip(&left).position(|(one, other)| one != other);
            return Err(format!("{story}: at {at:?} no step tells of a difference; {steps:?}"));
        }
    }
    for (place, text) in &told {
        let now = new.get(place).cloned();
        // A paragraph whose mark is struck is one with the next, and has no place in this view.
        if *text != now && now.is_some() {
            return Err(format!("{place:?} should say {now:?}, the steps say {text:?}"));
        }
    }
    Ok(steps)
}

/// Whether what is handed over says what the document says there.
fn fragment_holds(
    document: &WordDocument,
    story: &str,
    (first, last): (usize, usize),
) -> Result<bool, String> {
    let flat = match document.fragment(story, first, last) {
        Ok(flat) => flat,
        Err(error) if error.code() == "NO_FRAGMENT" => return Ok(false),
        Err(error) => return Err(error.to_string()),
    };
    let opened = WordDocument::open(flat, &Limits::default()).map_err(|error| error.to_string())?;
    for view in [View::Markup, View::Accepted, View::Original] {
        let said = |document: &WordDocument, story: &str| -> Vec<String> {
            let all = texts(document, view).into_iter().filter(|(place, _)| place.0 == story);
            all.filter(|((_, at), _)| story != "body" || (1..).contains(at)).map(|(_, text)| text).collect()
        };
        let whole: Vec<String> = texts(document, view)
            .into_iter()
            .filter(|((own, at), _)| own == story && (first..=last).contains(at))
            .map(|(_, text)| text)
            .collect();
        // A struck mark joins the last paragraph to one that is not handed over.
        let own = said(&opened, "body");
        if own != whole && view == View::Markup {
            return Err(format!("{story} {first}-{last}: {own:?} instead of {whole:?}"));
        }
    }
    let known: Vec<(&str, String)> =
        check(document).unwrap().into_iter().map(|finding| (finding.code, finding.message)).collect();
    for finding in check(&opened).unwrap() {
        let is_known = known.iter().any(|(code, _)| *code == finding.code);
        if finding.severity == Severity::Error && !is_known {
            return Err(format!("{story} {first}-{last}: {finding:?}"));
        }
    }
    Ok(true)
}

fn words_of(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_alphabetic()).find(|word| word.len() > 3)
}

/// Edits that any document takes, at least in part.
fn batches(document: &WordDocument) -> Vec<Value> {
    let read = document.read(&ReadOptions { labels: false, ..ReadOptions::default() }).unwrap().paragraphs;
    let long: Vec<(usize, &str)> =
        read.iter().filter_map(|paragraph| Some((paragraph.index, words_of(&paragraph.text)?))).collect();
    let Some((first, word)) = long.first().copied() else { return Vec::new() };
    let (other, second) = long.get(long.len() / 2).copied().unwrap_or((first, word));
    let in_table = read.iter().find(|paragraph| paragraph.table.is_some()).map(|paragraph| paragraph.index);
    let mut all = vec![
        json!([{"op": "modify_text", "paragraphIndex": first, "originalText": word, "replacementText": "other 🙂 words", "occurrence": 1}]),
        json!([
            {"op": "modify_text", "paragraphIndex": first, "originalText": word, "replacementText": "", "occurrence": 1},
            {"op": "insert_paragraph", "after": other, "content": "A **new** paragraph.\n\nAnd one more."}
        ]),
        json!([{"op": "delete_paragraph", "paragraphIndex": other}]),
        json!([{"op": "format_text", "paragraphIndex": other, "textToFormat": second, "bold": true, "occurrence": 1}]),
        json!([{"op": "format_paragraph", "paragraphIndex": other, "alignment": "right"}]),
        json!([{"op": "replace_paragraph", "paragraphIndex": other, "content": "All is *new* here."}]),
        json!([{"op": "move_paragraph", "paragraphIndex": first, "after": other}]),
        json!([{"op": "insert_comment", "paragraphIndex": first, "commentContent": "Why?"}]),
        json!([{"op": "modify_text", "originalText": word, "replacementText": "Everywhere", "scope": "everywhere", "occurrence": "all"}]),
    ];
    all.extend(in_table.map(
        |at| json!([{"op": "edit_table", "paragraphIndex": at, "action": "insert_row", "cells": ["x"]}]),
    ));
    all.extend(
        in_table.map(|at| json!([{"op": "edit_table", "paragraphIndex": at, "action": "delete_row"}])),
    );
    all
}

fn try_all(name: &str, bytes: &[u8], counts: &mut BTreeMap<&'static str, usize>) -> Vec<String> {
    let source = open(bytes.to_vec());
    let mut faults = Vec::new();
    let again = open(flat_opc(bytes.to_vec(), &Limits::default()).unwrap());
    for found in differences(&source, &again, None).unwrap() {
        faults.push(format!("{name}: the same document differs: {found:?}"));
    }
    for batch in batches(&source) {
        let mut after = source.clone();
        apply(&mut after, &batch);
        let steps = match follow(&source, &after) {
            Ok(steps) => steps,
            Err(fault) => {
                faults.push(format!("{name}: {fault}\n{batch}"));
                continue;
            }
        };
        if after.save(Tracking::Tracked).is_ok() {
            for found in differences(&source, &after, Some(Side::Reject)).unwrap() {
                faults.push(format!("{name}: rejected it differs: {found:?}\n{batch}"));
            }
        }
        for step in &steps {
            let (kind, story, now) = match step {
                EditStep::Text { story, now, .. } => ("text", story, Some((*now, *now))),
                EditStep::Format { story, now, .. } => ("format", story, Some((*now, *now))),
                EditStep::Inserted { story, now, .. } => ("inserted", story, Some(*now)),
                EditStep::Deleted { story, now, .. } => ("deleted", story, Some(*now)),
                EditStep::Other { story, now, .. } => ("other", story, *now),
            };
            *counts.entry(kind).or_default() += 1;
            let Some(now) = now else { continue };
            match fragment_holds(&after, story, now) {
                Ok(true) => *counts.entry("fragment").or_default() += 1,
                Ok(false) => *counts.entry("no fragment").or_default() += 1,
                Err(fault) => faults.push(format!("{name}: {fault}\n{batch}")),
            }
        }
    }
    faults
}

#[test]
fn steps_and_fragments_carry_every_edit() {
    let all = [
        ("prices", documents::prices()),
        ("nda", documents::nda()),
        ("hebrew", documents::hebrew()),
        ("with_text_box", documents::with_text_box()),
        ("form", documents::form()),
        ("agreement", documents::agreement()),
    ];
    let mut counts = BTreeMap::new();
    let faults: Vec<String> =
        all.iter().flat_map(|(name, bytes)| try_all(name, bytes, &mut counts)).collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n\n"));
    for kind in ["text", "format", "inserted", "deleted", "other", "fragment"] {
        assert!(counts.get(kind).is_some_and(|count| *count > 2), "{kind}: {counts:?}");
    }
}

/// The same with every document of the corpus: `cargo test … steps_of_real_documents -- --ignored`.
#[test]
#[ignore = "takes minutes"]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn steps_of_real_documents() {
    let mut counts = BTreeMap::new();
    let mut faults = Vec::new();
    for path in corpus_documents() {
        let bytes = std::fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        faults.extend(try_all(&name, &bytes, &mut counts));
    }
    eprintln!("{counts:?}");
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn words_are_told_apart_from_more_than_words() {
    let source = DocxBuilder::new()
        .body(
            "<w:p><w:r><w:t xml:space=\"preserve\">One 🙂 two </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r></w:p>\
             <w:p><w:r><w:t>Second.</w:t></w:r></w:p><w:p><w:r><w:t>Third.</w:t></w:r></w:p>",
        )
        .build();
    let before = open(source);
    let step = |batch: Value| {
        let mut after = before.clone();
        apply(&mut after, &batch);
        serde_json::to_value(edit_steps(&before, &after).unwrap()).unwrap()
    };
    let told = step(
        json!([{"op": "modify_text", "paragraphIndex": 1, "originalText": "two", "replacementText": "three"}]),
    );
    let spans = json!([{"start": 7, "end": 10, "delete": "two", "insert": "three", "like": "deleted"}]);
    assert_eq!(
        told,
        json!([{"kind": "text", "story": "body", "paragraph": 1, "now": 1, "spans": spans, "revised": false}])
    );
    let told =
        step(json!([{"op": "format_text", "paragraphIndex": 1, "textToFormat": "two", "italic": true}]));
    assert_eq!(
        told,
        json!([{"kind": "format", "story": "body", "paragraph": 1, "now": 1, "revised": false}])
    );
    let told = step(json!([{"op": "delete_paragraph", "paragraphIndex": 2}]));
    assert_eq!(told, json!([{"kind": "deleted", "story": "body", "paragraphs": [2, 2], "now": [2, 2]}]));
    let told = step(json!([{"op": "insert_paragraph", "after": 2, "content": "New."}]));
    assert_eq!(told, json!([{"kind": "inserted", "story": "body", "after": 2, "now": [3, 3]}]));
    assert_eq!(
        step(json!([{"op": "insert_comment", "paragraphIndex": 1, "commentContent": "?"}])),
        json!([])
    );
}

#[test]
fn a_fragment_is_of_whole_blocks() {
    let source = DocxBuilder::new()
        .body(
            "<w:p><w:r><w:t>Before.</w:t></w:r></w:p>\
             <w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"100\"/><w:gridCol w:w=\"100\"/></w:tblGrid><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc>\
             <w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
             <w:p><w:pPr><w:sectPr/></w:pPr></w:p><w:p><w:r><w:t>After.</w:t></w:r></w:p>",
        )
        .build();
    let document = open(source);
    let texts_of = |first, last| -> Result<Vec<String>, String> {
        let flat = document.fragment("body", first, last).map_err(|error| error.to_string())?;
        Ok(texts(&open(flat), View::Accepted).into_values().collect())
    };
    assert_eq!(texts_of(1, 1).unwrap(), ["Before."]);
    assert_eq!(texts_of(2, 2).unwrap(), ["A"], "a paragraph of a cell stands alone");
    assert_eq!(texts_of(1, 3).unwrap(), ["Before.", "A", "B"], "a table goes whole");
    for (first, last, why) in [
        (1, 2, "ask for all of it"),
        (2, 3, "ask for the whole table"),
        (4, 4, "a section ends there"),
        (0, 1, "1 to 5"),
        (5, 9, "1 to 5"),
    ] {
        let refused = texts_of(first, last).unwrap_err();
        assert!(refused.contains(why), "{first}-{last}: {refused}");
    }
    assert_eq!(document.fragment("footer", 1, 1).unwrap_err().code(), "UNKNOWN_STORY");
}
