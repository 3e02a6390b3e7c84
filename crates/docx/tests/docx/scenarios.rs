//! Scenarios: a body, a batch, and what must come out, one folder each beneath `tests/scenarios`.
//!
//! | File | Holds |
//! |---|---|
//! | `body.xml` | children of `w:body`, taken without line ends and indentation |
//! | `document.xml` | instead of it: a whole main part, taken as it stands |
//! | `styles.xml`, `numbering.xml`, `comments.xml` | children of those parts, where a scenario needs them |
//! | `operations.json` | the batch |
//! | `footnotes.xml`, `header.xml`, `footer.xml`, `settings.xml` | likewise; `r:id` of header and footer is `h` and `f` |
//! | `expected.xml` | children of `w:body` after it, laid out; missing when the file must stay byte for byte |
//! | `expected_parts.txt` | every other XML part that differs from the source, laid out; missing when none does |
//! | `accepted.txt` | a line a paragraph after all is accepted; missing likewise |
//! | `result.json` | of each operation the status, the code and the revision ids |
//!
//! `ENGROSS_SCENARIO=WORD` runs only those with the word in their name. `ENGROSS_UPDATE_SCENARIOS=1` writes the last four anew. Review them by eye: they are what people open in Word.
#![expect(clippy::disallowed_methods, reason = "reads and writes the scenario folders")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use engross_docx::ops::{ProofState, Status, parse_batch};
use engross_docx::revisions::Side as EngineSide;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use crate::oracle::{Element, Node, OBJECT, Side, canonical, main_part, parse, resolve, texts};
use crate::{layout, rules};

const AUTHOR: &str = "Tester";
const DATE: &str = "2026-01-31T09:30:00Z";
const INPUTS: &[&str] = &[
    "body.xml",
    "document.xml",
    "styles.xml",
    "numbering.xml",
    "comments.xml",
    "footnotes.xml",
    "header.xml",
    "footer.xml",
    "settings.xml",
    "commentsExtended.xml",
    "commentsIds.xml",
    "people.xml",
];
const OUTPUTS: &[&str] = &["expected.xml", "accepted.txt", "expected_parts.txt", "result.json"];

/// What a scenario came to.
struct Outcome {
    result: Value,
    /// Nothing when the file is the source, byte for byte.
    changed: Option<ChangedDocument>,
}

struct ChangedDocument {
    expected: String,
    accepted: String,
    /// Other parts that differ.
    parts: Option<String>,
    /// What is wrong whatever was expected.
    faults: Vec<String>,
}

#[test]
fn every_scenario_comes_out_as_written_down() {
    let update = std::env::var_os("ENGROSS_UPDATE_SCENARIOS").is_some_and(|value| value == "1");
    let mut wrong = Vec::new();
    let only = std::env::var("ENGROSS_SCENARIO").unwrap_or_default();
    for folder in folders() {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if !name.contains(&only) {
            continue;
        }
        let outcome = run(&folder);
        let (expected, accepted, parts) = match outcome.changed {
            Some(changed) => {
                wrong.extend(changed.faults.iter().map(|fault| format!("{name}: {fault}")));
                (Some(changed.expected), Some(changed.accepted), changed.parts)
            }
            None => (None, None, None),
        };
        let result = Some(serde_json::to_string_pretty(&outcome.result).unwrap() + "\n");
        for (file, actual) in OUTPUTS.iter().zip([expected, accepted, parts, result]) {
            let path = folder.join(file);
            if update {
                match &actual {
                    Some(actual) => std::fs::write(&path, actual).unwrap(),
                    None if path.exists() => std::fs::remove_file(&path).unwrap(),
                    None => {}
                }
            } else if actual != text(&path) {
                wrong.push(format!(
                    "{name}/{file}: expected\n{}\ngot\n{}",
                    text(&path).unwrap_or_default(),
                    actual.unwrap_or_default()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} findings:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn no_scenario_is_incomplete_or_misnamed() {
    let mut names = Vec::new();
    for folder in folders() {
        let files: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let has = |file: &str| files.iter().any(|known| known == file);
        assert!(has("body.xml") != has("document.xml"), "{name} has no body, or two");
        assert!(has("operations.json") && has("result.json"), "{name} is incomplete");
        assert_eq!(has("expected.xml"), has("accepted.txt"), "{name} is incomplete");
        for file in &files {
            let known = INPUTS.contains(&file.as_str()) || OUTPUTS.contains(&file.as_str());
            assert!(known || file == "operations.json", "{name}/{file} is read by nobody");
            assert!(!text(&folder.join(file)).unwrap().trim().is_empty(), "{name}/{file} is empty");
        }
        // A number of its own, or that of an acceptance case (`cases.rs`).
        let (number, words) = name.split_once('_').unwrap();
        let digits = number.strip_prefix("case").unwrap_or(number);
        assert!(digits.len() >= 3 && digits[..3].bytes().all(|byte| byte.is_ascii_digit()), "{name}");
        assert!(
            words.bytes().all(|byte| byte.is_ascii_lowercase() || b"_0123456789".contains(&byte)),
            "{name}"
        );
        names.push(number.to_owned());
    }
    // The acceptance cases of text and runs; case 15 has a text of its own below.
    for case in (1..=38).filter(|case| *case != 15) {
        let number = format!("{case:03}");
        assert!(names.iter().any(|name| name.starts_with(&number)), "case {case} has no scenario");
    }
    let count = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), count, "two scenarios have one number");
}

/// Case 15: more different words than a 16-bit code unit could number.
#[test]
fn case_15_seventy_thousand_different_words() {
    let words: Vec<String> = (0..70_000).map(|number| format!("w{number}")).collect();
    let source = DocxBuilder::new().paragraph(&words.join(" ")).build();
    let mut changed = words.clone();
    changed[65_536] = "changed".to_owned();
    let operations = json!([{"op": "edit_paragraph", "paragraphIndex": 1, "newContent": changed.join(" ")}]);
    let (results, bytes) = apply(source, &operations);
    assert_eq!(results[0].status, Status::Applied, "{results:?}");
    let written = parse(&main_part(&bytes));
    assert_eq!(texts(&resolve(&written, Side::Accept, None)), [changed.join(" ")]);
    assert_eq!(texts(&resolve(&written, Side::Reject, None)), [words.join(" ")]);
    assert_eq!(results[0].revision_ids.len(), 2);
}

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenarios");
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

fn run(folder: &Path) -> Outcome {
    let source = document(folder);
    let operations = text(&folder.join("operations.json")).unwrap();
    let operations =
        serde_json::from_str(&operations).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let (results, bytes) = apply(source.clone(), &operations);
    let result = results
        .iter()
        .map(|result| {
            let mut shown = json!({"status": result.status, "revisionIds": result.revision_ids});
            if !result.comment_ids.is_empty() {
                shown["commentIds"] = json!(result.comment_ids);
            }
            if let Some(code) = &result.code {
                shown["code"] = json!(code);
            }
            shown
        })
        .collect();
    Outcome { result, changed: (bytes != source).then(|| changed(&source, &bytes)) }
}

fn apply(source: Vec<u8>, operations: &Value) -> (Vec<engross_docx::ops::OperationResult>, Vec<u8>) {
    let batch = parse_batch(operations).unwrap();
    let mut document = WordDocument::open(source, &Limits::default()).unwrap();
    let options = EditOptions { author: AUTHOR.to_owned(), date: DATE.to_owned() };
    let before = document.revision();
    let results = document.apply(&batch, &options).unwrap();
    if results.iter().all(|result| result.status != Status::Applied) {
        assert_eq!(document.revision(), before, "what was not done leaves nothing: {operations}");
    }
    let saved = document.save(Tracking::Tracked).unwrap();
    // Whether a thread is done stands beside the text.
    let applied = results.iter().any(|it| it.status == Status::Applied && it.op != "comment_resolve");
    let state = if applied { ProofState::Holds } else { ProofState::NotApplicable };
    assert_eq!((saved.proof.reject, saved.proof.accept), (state, state), "{results:?}");
    (results, saved.bytes)
}

fn changed(source: &[u8], bytes: &[u8]) -> ChangedDocument {
    let (source_xml, written_xml) = (main_part(source), main_part(bytes));
    let (before, written) = (parse(&source_xml), parse(&written_xml));
    let mut faults = rules::broken(&before, &written, DATE);
    let comments = |bytes: &[u8]| comment_ids(bytes);
    let (old, new) = (comments(source), comments(bytes));
    if old == new {
        faults.extend(rules::needlessly_changed(&source_xml, &written_xml, DATE));
    } else {
        // The marks of a comment are no tracked change.
        faults.extend(rules::broken_comments(&written, &new));
    }
    let aside: BTreeSet<String> = old.symmetric_difference(&new).cloned().collect();
    let bare = |element: &Element| canonical(&without_comments(element, &aside));
    if bare(&resolve(&written, Side::Reject, Some(DATE))) != bare(&before) {
        faults.push("rejecting what was written does not give the source".to_owned());
    }
    // The engine's own accept and reject, for everybody's revisions, beside the second opinion.
    let engine = |bytes: &[u8], side| {
        let mut document = WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        bare(&parse(&main_part(&document.save(Tracking::Tracked).unwrap().bytes)))
    };
    if engine(bytes, EngineSide::Reject) != engine(source, EngineSide::Reject) {
        faults.push("the engine's reject-all does not give the source as rejected".to_owned());
    }
    let accepted = texts(&resolve(&written, Side::Accept, None));
    let by_engine = texts(&engine(bytes, EngineSide::Accept));
    if by_engine != accepted {
        faults.push(format!("the engine accepts to {by_engine:?}, not to {accepted:?}"));
    }
    let shown = |text: &String| {
        let text = text.replace('\n', "↵").replace('\t', "⇥").replace(OBJECT, "⟦object⟧");
        text.replace('\u{C}', "⟦page break⟧").replace('\u{B}', "⟦column break⟧") + "¶\n"
    };
    let parts = other_parts(source, bytes, &mut faults);
    let expected = layout::body(&written_xml);
    ChangedDocument { expected, accepted: accepted.iter().map(shown).collect(), parts, faults }
}

/// XML parts besides the main one that differ from the source. Tracked changes in them must be as reversible as in it.
fn other_parts(source: &[u8], bytes: &[u8], faults: &mut Vec<String>) -> Option<String> {
    let before = parts(source);
    let mut shown = String::new();
    for (name, text) in parts(bytes) {
        let old = before.get(&name);
        if old == Some(&text) || name == "word/document.xml" {
            continue;
        }
        shown.push_str(&format!("=== {name}\n{}", layout::part(&text)));
        if let Some(old) =
            old.filter(|_| text.contains(&format!("w:date=\"{DATE}\"")) && !name.contains("omments"))
            && canonical(&resolve(&parse(&text), Side::Reject, Some(DATE))) != canonical(&parse(old))
        {
            faults.push(format!("rejecting what was written into {name} does not give the source"));
        }
    }
    (!shown.is_empty()).then_some(shown)
}

fn comment_ids(bytes: &[u8]) -> BTreeSet<String> {
    let parts = parts(bytes);
    let Some(comments) = parts.get("word/comments.xml") else { return BTreeSet::new() };
    parse(comments).elements().filter_map(|comment| comment.attribute("w:id").map(str::to_owned)).collect()
}

/// The same without the marks of some comments.
fn without_comments(element: &Element, aside: &BTreeSet<String>) -> Element {
    let about = |element: &Element| {
        element.is(&["w:commentRangeStart", "w:commentRangeEnd", "w:commentReference"])
            && element.attribute("w:id").is_some_and(|id| aside.contains(id))
    };
    let holds_only_that = |run: &Element| {
        let mut content = run.elements().filter(|child| child.name != "w:rPr");
        run.name == "w:r" && content.next().is_some_and(about) && content.next().is_none()
    };
    let keep = |node: &&Node| !matches!(node, Node::Element(child) if about(child) || holds_only_that(child));
    let bare = |node: &Node| match node {
        Node::Element(child) => Node::Element(without_comments(child, aside)),
        Node::Text(_) => node.clone(),
    };
    let children = element.children.iter().filter(keep).map(bare).collect();
    Element { name: element.name.clone(), attributes: element.attributes.clone(), children }
}

/// The XML parts of a package.
fn parts(bytes: &[u8]) -> BTreeMap<String, String> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let names: Vec<String> = archive.file_names().map(|name| name.unwrap().into_owned()).collect();
    let is_xml = |name: &String| name.ends_with(".xml") || name.ends_with(".rels");
    let mut read = |name: String| {
        let mut text = String::new();
        archive.by_name(&name).unwrap().read_to_string(&mut text).unwrap();
        (name, text)
    };
    names.into_iter().filter(is_xml).map(&mut read).collect()
}

fn document(folder: &Path) -> Vec<u8> {
    let mut builder = DocxBuilder::new();
    let part = |name: &str| text(&folder.join(name));
    if let Some(styles) = part("styles.xml") {
        builder = builder.styles(&styles);
    }
    if let Some(numbering) = part("numbering.xml") {
        builder = builder.numbering(&numbering);
    }
    if let Some(comments) = part("comments.xml") {
        builder = builder.comments(&comments);
    }
    if let Some(footnotes) = part("footnotes.xml") {
        builder = builder.footnotes(&footnotes);
    }
    for (kind, prefix, root, uri) in [
        ("commentsExtended", "w15", "commentsEx", "http://schemas.microsoft.com/office/word/2012/wordml"),
        ("commentsIds", "w16cid", "commentsIds", "http://schemas.microsoft.com/office/word/2016/wordml/cid"),
        ("people", "w15", "people", "http://schemas.microsoft.com/office/word/2012/wordml"),
    ] {
        if let Some(content) = part(&format!("{kind}.xml")) {
            let xml =
                format!("<{prefix}:{root} xmlns:{prefix}=\"{uri}\">{}</{prefix}:{root}>", content.trim());
            builder = builder.related(kind, kind, &format!("{kind}.xml"), &xml);
        }
    }
    if let Some(settings) = part("settings.xml") {
        builder = builder.settings(&settings);
    }
    if let Some(header) = part("header.xml") {
        builder = builder.header("h", header.trim());
    }
    if let Some(footer) = part("footer.xml") {
        builder = builder.footer("f", footer.trim());
    }
    if let Some(document) = part("document.xml") {
        return builder.part("word/document.xml", document).build();
    }
    let body: String = part("body.xml").unwrap().lines().map(str::trim_start).collect();
    builder.body(&body).build()
}
