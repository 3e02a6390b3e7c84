//! A person or model hands back the whole text as Markdown: what they meant stands in the document, and nothing else changed.

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::revisions::Side;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument, from_markdown};
use engross_testkit::docx::DocxBuilder;
use proptest::prelude::*;
use serde_json::json;

use crate::random_bodies::{Choices, body};

/// A redline made of a whole new text.
struct Rewritten {
    result: OperationResult,
    bytes: Vec<u8>,
}

fn open(bytes: &[u8]) -> WordDocument {
    WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap()
}

fn markdown(bytes: &[u8]) -> String {
    open(bytes).to_markdown(engross_docx::read::View::Accepted).unwrap()
}

fn rewritten(bytes: &[u8], content: &str) -> Rewritten {
    let mut document = open(bytes);
    let batch = parse_batch(&json!([{"op": "replace_document", "content": content}])).unwrap();
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let result = document.apply(&batch, &options).unwrap().remove(0);
    let bytes = document.save(Tracking::Tracked).unwrap().bytes;
    Rewritten { result, bytes }
}

fn resolved(bytes: &[u8], side: Side) -> Vec<u8> {
    let mut document = open(bytes);
    document.resolve_all(side).unwrap();
    document.save(Tracking::Tracked).unwrap().bytes
}

/// What a rewrite deleted and inserted, in words.
fn new_changes(made: &Rewritten) -> Vec<String> {
    let revisions = open(&made.bytes).revisions().unwrap();
    let is_own = |id: Option<i64>| id.is_some_and(|id| made.result.revision_ids.contains(&id));
    revisions
        .into_iter()
        .filter(|placed| is_own(placed.revision.stamp.id))
        .map(|placed| placed.revision.text)
        .collect()
}

/// Rewrites a document that says `before` so that it says `after`, and judges what it says then.
fn applied(before: &str, after: &str) -> Vec<String> {
    let source = from_markdown(before, None, &Limits::default()).unwrap();
    let made = rewritten(&source, after);
    assert_eq!(made.result.status, Status::Applied, "{:?}", made.result);
    assert_eq!(markdown(&resolved(&made.bytes, Side::Accept)).trim(), after.trim(), "{:?}", made.result);
    assert_eq!(markdown(&resolved(&made.bytes, Side::Reject)).trim(), before.trim());
    new_changes(&made)
}

fn nda() -> Vec<u8> {
    include_bytes!("../../../../examples/nda.docx").to_vec()
}

const PAGE: &str = "# Terms\n\nThe fee is ten euros.\n\n- one apple\n- two pears\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nThe end of it.";

#[test]
fn the_same_text_is_no_change() {
    for source in [nda(), from_markdown(PAGE, None, &Limits::default()).unwrap()] {
        let made = rewritten(&source, &markdown(&source));
        assert_eq!(made.result.status, Status::NoChange, "{:?}", made.result);
    }
}

/// Real documents, each handed back as it was read. Without a corpus there is nothing to try.
#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn the_same_text_is_no_change_in_a_corpus() {
    let mut wrong = Vec::new();
    let found = crate::corpus_check::corpus_documents();
    for path in &found {
        let source = std::fs::read(path).unwrap();
        let text = markdown(&source);
        if text.trim().is_empty() {
            continue;
        }
        let result = rewritten(&source, &text).result;
        if result.status != Status::NoChange {
            let OperationResult { status, code, message, before, after, .. } = result;
            let name = path.file_name().unwrap().display();
            wrong.push(format!("{name}: {status:?} {code:?} {message:?}\n  {before:?}\n  {after:?}"));
        }
    }
    eprintln!("{} of {} changed", wrong.len(), found.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_change_and_nothing_else() {
    let found = applied(PAGE, &PAGE.replace("ten euros", "twelve euros").replace("| 3 |", "| 5 |"));
    assert_eq!(found, ["ten", "twelve", "3", "5"]);
}

#[test]
fn blocks_come_and_go() {
    applied(PAGE, &PAGE.replace("The fee is ten euros.\n\n", ""));
    applied(PAGE, &PAGE.replace("- two pears", "- two pears\n- three plums"));
    applied(PAGE, &PAGE.replace("- one apple\n", ""));
    applied(PAGE, &PAGE.replace("The end of it.", "A word before.\n\nThe end of it."));
    applied(PAGE, &PAGE.replace("| 3 | 4 |", "| 3 | 4 |\n| 5 | 6 |"));
    applied(PAGE, &PAGE.replace("# Terms\n\n", "# Terms\n\nBetween heading and text.\n\n"));
    applied(PAGE, &PAGE.replace("The end of it.", "The end of it.\n\n# More\n\nAnd more."));
    applied(PAGE, &PAGE.replace("\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |", ""));
}

#[test]
fn a_text_of_other_words_takes_the_place_of_all() {
    applied(PAGE, "Nothing of it was right.\n\nSo all is new.");
}

#[test]
fn quotes_of_a_keyboard_are_no_change() {
    let before = "The “Fee” isn’t due – not yet.\n\nThe end.";
    let source = from_markdown(before, None, &Limits::default()).unwrap();
    let made = rewritten(&source, "The \"Fee\" isn't due - not yet.\n\nThe end.");
    assert_eq!(made.result.status, Status::NoChange, "{:?}", made.result);
    let made = rewritten(&source, "The \"Fee\" isn't due - not today.\n\nThe end.");
    assert_eq!(
        markdown(&resolved(&made.bytes, Side::Accept)).trim(),
        "The “Fee” isn’t due – not today.\n\nThe end."
    );
}

#[test]
fn numbers_that_word_counts_are_no_text() {
    let source = nda();
    let text = markdown(&source);
    // A clause goes, and the writer counts the others anew.
    let new = text.replace("## 2. Duties of the Recipient", "## 7. Obligations of the Recipient");
    let made = rewritten(&source, &new);
    assert_eq!(made.result.status, Status::Applied, "{:?}", made.result);
    assert_eq!(new_changes(&made), ["Duties", "Obligations"]);
}

#[test]
fn a_note_says_something_else() {
    let source = nda();
    let text = markdown(&source);
    let Some(note) = text.split("[^1]: ").nth(1).map(|rest| rest.lines().next().unwrap().to_owned()) else {
        panic!("the example has a note")
    };
    let new = text.replace(&note, &format!("{note} Bank holidays are none."));
    let made = rewritten(&source, &new);
    assert_eq!(made.result.status, Status::Applied, "{:?}", made.result);
    assert!(markdown(&resolved(&made.bytes, Side::Accept)).contains("Bank holidays are none."));
    assert_eq!(new_changes(&made), [" Bank holidays are none."]);
}

#[test]
fn text_without_signs_keeps_headings_and_lists() {
    let source = from_markdown(PAGE, None, &Limits::default()).unwrap();
    let made = rewritten(
        &source,
        "Terms\n\nThe fee is nine euros.\n\none apple\n\ntwo pears\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\nThe end of it.",
    );
    assert_eq!(new_changes(&made).len(), 2, "{:?}", made.result);
    assert_eq!(markdown(&resolved(&made.bytes, Side::Accept)).trim(), PAGE.replace("ten", "nine"));
}

#[test]
fn nothing_is_no_text() {
    let made = rewritten(&nda(), "  \n");
    assert_eq!(made.result.code.as_deref(), Some("INVALID_CONTENT"));
}

/// What an ordinary writer does to a text.
fn edited(text: &str, choices: &[(u8, u8)]) -> String {
    let mut blocks: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
    for (kind, place) in choices {
        let at = usize::from(*place) % blocks.len();
        let is_plain =
            !blocks[at].starts_with(['|', '-', '#', ' ', '[', '>', '`']) && !blocks[at].contains('\n');
        match kind % 5 {
            0 => blocks.insert(at, format!("A new sentence of {place} words stands here.")),
            1 if blocks.len() > 2 && is_plain => {
                blocks.remove(at);
            }
            2 if is_plain => blocks[at] = format!("{} And more.", blocks[at]),
            3 if is_plain => blocks[at] = blocks[at].replacen("the ", "each ", 1),
            4 if is_plain => {
                let words: Vec<&str> = blocks[at].split(' ').collect();
                if words.len() > 3 && !blocks[at].contains(['*', '`', '[', '\\', '<', '~', '=', '+']) {
                    blocks[at] = words[..words.len() - 1].join(" ");
                }
            }
            _ => {}
        }
    }
    blocks.join("\n\n")
}

/// A text without the numbers before its lines: what is taken away renumbers what follows.
fn numberless(text: &str) -> String {
    let bare = |line: &str| {
        let begins = |c: char| c.is_ascii_digit() || matches!(c, '.' | '#' | ' ');
        line.trim_start_matches(begins).to_owned() + "\n"
    };
    text.lines().map(bare).collect()
}

/// The words of a text and nothing else, line by line: new text looks like what it stands beside, and text boxes stand behind their
/// paragraphs.
fn words(text: &str) -> Vec<String> {
    let (mut words, mut in_tag) = (String::new(), false);
    // A note goes with the text that has its mark.
    let text: String = numberless(text)
        .lines()
        .filter(|line| !line.starts_with("[^"))
        .map(|line| format!("{line}\n"))
        .collect();
    for c in text.chars() {
        match c {
            '<' => in_tag = true,
            '>' => in_tag = false,
            c if !in_tag && (c.is_alphanumeric() || c == '\n') => words.push(c),
            _ => {}
        }
    }
    let mut lines: Vec<String> = words.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect();
    lines.sort_unstable();
    lines
}

/// The first lines in which two texts differ.
fn difference(one: &str, other: &str) -> String {
    let changes = one.lines().zip(other.lines()).filter(|(one, other)| one != other).take(2);
    changes.map(|(one, other)| format!("{one}\n{other}\n")).collect()
}

/// Real documents, each handed back with a word, a sentence and a paragraph changed. Without a corpus there is nothing to try.
#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn a_writer_changes_a_corpus() {
    let (mut wrong, mut refused, mut applied) = (Vec::new(), std::collections::BTreeMap::new(), 0);
    for (path, seed) in crate::corpus_check::corpus_documents().iter().zip(0_u32..) {
        let source = resolved(&std::fs::read(path).unwrap(), Side::Accept);
        let before = markdown(&source);
        if before.trim().is_empty() {
            continue;
        }
        let byte = |number: u32| u8::try_from((seed * 37 + number * 101) % 251).unwrap();
        let choices: Vec<(u8, u8)> = (0..4).map(|number| (byte(number), byte(number + 7))).collect();
        let after = edited(&before, &choices);
        let made = rewritten(&source, &after);
        match made.result.status {
            Status::Refused => {
                *refused.entry(made.result.code.unwrap_or_default()).or_insert(0) += 1;
                continue;
            }
            Status::NoChange if numberless(&before) == numberless(&after) => continue,
            _ => applied += 1,
        }
        let accepted = words(&markdown(&resolved(&made.bytes, Side::Accept)));
        let wanted = words(&after);
        let rejected = markdown(&resolved(&made.bytes, Side::Reject));
        if rejected != before {
            wrong.push(format!("{}: rejected: {}", path.display(), difference(&rejected, &before)));
        } else if accepted != wanted && made.result.message.is_none() {
            wrong.push(format!(
                "{}: accepted: {}",
                path.display(),
                difference(&accepted.join("\n"), &wanted.join("\n"))
            ));
        }
    }
    eprintln!("{applied} applied, refused {refused:?}, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn what_a_writer_hands_back_is_what_the_document_says(
        choices in proptest::collection::vec(any::<(u8, u8)>(), 1..6)
    ) {
        let source = nda();
        let before = markdown(&source);
        let (text, notes) = before.split_once("\n\n[^1]: ").unwrap();
        let after = format!("{}\n\n[^1]: {notes}", edited(text, &choices));
        let made = rewritten(&source, &after);
        prop_assert_ne!(made.result.status, Status::Failed);
        if made.result.status == Status::Refused {
            return Ok(());
        }
        let accepted = markdown(&resolved(&made.bytes, Side::Accept));
        let (accepted, after) = (numberless(&accepted), numberless(&after));
        prop_assert!(accepted == after, "{:?} {}", made.result.message, difference(&accepted, &after));
        // The example carries a revision of its own, which is rejected, too.
        let rejected = markdown(&resolved(&made.bytes, Side::Reject));
        let source = markdown(&resolved(&source, Side::Reject));
        prop_assert!(rejected == source, "{}", difference(&rejected, &source));
    }

    #[test]
    fn any_body_handed_back_is_no_change(choices in proptest::collection::vec(any::<u8>(), 0..200)) {
        let document = DocxBuilder::new().body(&body(&mut Choices::of(&choices))).build();
        let source = resolved(&document, Side::Accept);
        let text = markdown(&source);
        if !text.trim().is_empty() {
            let made = rewritten(&source, &text);
            prop_assert_eq!(made.result.status, Status::NoChange, "{:?}", made.result);
        }
    }
}

#[test]
fn formatting_that_is_taken_away_goes_with_the_words_that_change() {
    let before =
        "The **Seller** shall deliver *promptly* and the **Seller** shall insure.\n\nA **bold** word.";
    let after = "The Seller shall deliver *at once* and the **Seller** shall insure all.\n\nA **bold** word.";
    let changes = applied(before, after);
    assert!(changes.iter().any(|words| words.contains("at once")), "{changes:?}");
    let source = from_markdown(before, None, &Limits::default()).unwrap();
    let made = rewritten(&source, after);
    assert_eq!(made.result.message, None);

    // A text without any such sign says nothing about them.
    let made = rewritten(
        &source,
        "The Seller shall deliver promptly and the Seller shall insure.\n\nA bold word, too.",
    );
    let told = made.result.message.unwrap_or_default();
    assert!(told.contains("formatting"), "{told}");
    let accepted = markdown(&resolved(&made.bytes, Side::Accept));
    assert!(accepted.contains("The **Seller** shall deliver *promptly*"), "{accepted}");
}

#[test]
fn a_picture_that_stands_elsewhere_is_moved() {
    let picture = "<w:r><w:drawing><wp:inline><wp:extent cx=\"914400\" cy=\"457200\"/><wp:docPr id=\"12\" name=\"Picture 1\" descr=\"Seal\"/><a:graphic>\
        <a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/picture\"><pic:pic xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\">\
        <pic:blipFill><a:blip r:embed=\"p\"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>";
    let run = |text: &str| format!("<w:r><w:t xml:space=\"preserve\">{text}</w:t></w:r>");
    let body = [run("First line ") + picture + &run("."), run("Second line."), run("Third line of it.")];
    let body: String = body.iter().map(|line| format!("<w:p>{line}</w:p>")).collect();
    let source = DocxBuilder::new()
        .body(&body)
        .relationship("p", "image", "media/seal.png")
        .part("word/media/seal.png", b"any".as_slice())
        .build();
    let told = markdown(&source);
    assert!(told.contains("![Seal](media/seal.png)"), "{told}");
    let elsewhere = told
        .replace("line ![Seal](media/seal.png).", "line.")
        .replace("Third line", "Third ![Seal](media/seal.png) line");
    let made = rewritten(&source, &elsewhere);
    assert_eq!(made.result.status, Status::Applied, "{:?}", made.result);
    assert_eq!(made.result.message, None);
    let accepted = markdown(&resolved(&made.bytes, Side::Accept));
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".");
    assert_eq!(words(&accepted), words(&elsewhere));
    assert_eq!(markdown(&resolved(&made.bytes, Side::Reject)), told);
    let package = engross_docx::Package::open(made.bytes, &Limits::default().package).unwrap();
    assert_eq!(
        package.names().filter(|name| name.contains("media")).count(),
        1,
        "the same file is shown twice"
    );
}

#[test]
fn another_document_gives_its_text() {
    let source = from_markdown(PAGE, None, &Limits::default()).unwrap();
    let after =
        PAGE.replace("ten euros", "twelve euros").replace("- two pears", "- two pears\n- three plums");
    let other = from_markdown(&after, None, &Limits::default()).unwrap();
    let replaced = parse_batch(&json!([{"op": "replace_document", "file": "new.docx"}])).unwrap();
    assert_eq!(replaced.operations[0].file_names().into_iter().collect::<Vec<_>>(), ["new.docx"]);
    let signature = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    let run = |files: &[(&str, &[u8])]| {
        let mut document = open(&source);
        document.give_files(files.iter().map(|(name, bytes)| ((*name).to_owned(), bytes.to_vec())).collect());
        let result = document.apply(&replaced, &signature).unwrap().remove(0);
        (document, result)
    };
    let (document, result) = run(&[("new.docx", &other)]);
    assert_eq!(result.status, Status::Applied, "{result:?}");
    assert!(result.message.unwrap().contains("engross compare"));
    let bytes = document.save(Tracking::Tracked).unwrap().bytes;
    assert_eq!(markdown(&resolved(&bytes, Side::Accept)).trim(), after.trim());
    assert_eq!(markdown(&resolved(&bytes, Side::Reject)).trim(), PAGE.trim());
    for files in [vec![], vec![("new.docx", &b"%PDF"[..])]] {
        let (_, result) = run(&files);
        assert_eq!(result.code.as_deref(), Some("INVALID_CONTENT"), "{result:?}");
    }
    let both = json!([{"op": "replace_document", "file": "a.docx", "content": "b"}]);
    assert!(parse_batch(&both).is_err());
}
