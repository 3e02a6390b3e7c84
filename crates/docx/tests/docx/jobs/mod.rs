//! Jobs: what people wish of a document, the operations that an agent ordinarily sends for it, and a judge of the wish.
//!
//! A job passes when the accepted document says in every story what was wished, and nothing else changed (`paper`), when what
//! holds of every result holds of this one (`laws`), or when it was refused for the reason that the job names. The judge reads
//! the XML by itself and must never use the engine.
//!
//! | File | Holds |
//! |---|---|
//! | `documents/` | the documents that people bring: an agreement of 58 pages, a form, tables, a non-disclosure agreement, … |
//! | `package`, `numbers`, `objects`, `reader`, `paper` | what a reader sees |
//! | `laws` | what holds of every result |
//! | `wishes` | the jobs by number, and what becomes of each |
//! | `on_*` | the jobs |
//! | `at_random`, `random_wishes` | random batches whose meaning is known |
//!
//! `ENGROSS_JOB_FILES=FOLDER` keeps the source and the result of each job as files to look at.
#![expect(clippy::disallowed_methods, reason = "keeps the files of a job to look at, if asked")]

mod at_random;
pub(crate) mod documents;
mod laws;
mod looks;
mod numbers;
mod objects;
mod on_clauses;
mod on_contents;
mod on_files;
mod on_objects;
mod on_reviews;
mod on_tables;
mod on_text;
mod package;
mod paper;
mod random_objects;
mod random_wishes;
mod reader;
mod wishes;

use engross_docx::ops::{OperationResult, Status, parse_batch};
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use serde_json::Value;

use crate::oracle::Side;
use paper::{Paper, difference};

const AUTHOR: &str = "Reviewer";
const DATE: &str = "2026-01-31T09:30:00Z";

/// A job that is done, to be judged.
struct JobOutcome {
    source: Vec<u8>,
    written: Vec<u8>,
    results: Vec<OperationResult>,
}

/// Gives a batch to the engine.
fn ask(source: &[u8], batch: &Value) -> JobOutcome {
    let mut document = open(source);
    let results = apply(&mut document, batch);
    let written =
        document.save(Tracking::Tracked).unwrap_or_else(|error| panic!("{error}: {results:#?}")).bytes;
    JobOutcome { source: source.to_vec(), written, results }
}

/// What a document says once all is accepted.
fn paper(source: &[u8]) -> Paper {
    reader::read(source, Side::Accept)
}

impl JobOutcome {
    /// Everything was applied, and the document says what `wish` makes of the source's paper, and nothing else.
    #[track_caller]
    fn says(&self, wish: impl FnOnce(&mut Paper)) -> &Self {
        for result in &self.results {
            assert_eq!(
                result.status,
                Status::Applied,
                "{} {:?}: {:?}",
                result.op,
                result.code,
                result.message
            );
        }
        self.says_whatever_was_refused(wish)
    }

    #[track_caller]
    fn says_whatever_was_refused(&self, wish: impl FnOnce(&mut Paper)) -> &Self {
        self.keep_files();
        let mut wanted = paper(&self.source);
        wish(&mut wanted);
        if let Some(difference) = difference(&wanted, &paper(&self.written)) {
            panic!("the accepted document is not what was wished (- wished, + is):\n{difference}");
        }
        self
    }

    /// What holds of every result holds of this one.
    #[track_caller]
    fn is_sound(&self) -> &Self {
        self.is_sound_but_for(&[])
    }

    /// The same, with parts that may change without revisions.
    #[track_caller]
    fn is_sound_but_for(&self, untracked: &[&str]) -> &Self {
        let faults = laws::broken(&self.source, &self.written, untracked);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        // Comments are no tracked changes.
        let [before, after] = [&self.source, &self.written]
            .map(|bytes| Paper { comments: Vec::new(), ..reader::read(bytes, Side::Reject) });
        if let Some(difference) = difference(&before, &after).filter(|_| untracked.is_empty()) {
            panic!(
                "rejecting all gives something else (- before, + after):
{difference}"
            );
        }
        self
    }

    /// The operation was refused with this code, in few words, and left no trace.
    #[track_caller]
    fn refuses(&self, index: usize, code: &str) -> &Self {
        let result = &self.results[index];
        assert_eq!((result.status, result.code.as_deref()), (Status::Refused, Some(code)), "{result:?}");
        let size = serde_json::to_vec(result).unwrap().len();
        assert!(size <= 2048, "a refusal of {size} bytes: {result:?}");
        self
    }

    /// How many revisions of ours the result has.
    fn revisions(&self) -> usize {
        let package = package::Package::open(&self.written);
        let mut count = 0;
        for name in package.parts.keys().filter(|name| name.starts_with("word/") && name.ends_with(".xml")) {
            package.xml(name).unwrap().walk(&mut Vec::new(), &mut |element, _| {
                count += usize::from(
                    crate::oracle::is_revision(element) && element.attribute("w:date") == Some(DATE),
                );
            });
        }
        count
    }

    /// Leaves the source and the result for somebody who looks at them.
    fn keep_files(&self) {
        let Ok(folder) = std::env::var("ENGROSS_JOB_FILES") else { return };
        let name = std::thread::current().name().unwrap_or_default().replace("::", "_");
        for (kind, bytes) in [("before", &self.source), ("after", &self.written)] {
            std::fs::write(format!("{folder}/{name}.{kind}.docx"), bytes).unwrap();
        }
    }
}

/// The number of the body's paragraph of this style that begins so, as a reading of the document tells it.
fn number(source: &[u8], style: &str, start: &str) -> usize {
    let style = if style.is_empty() { "Normal" } else { style };
    let main = crate::oracle::parse(&crate::oracle::main_part(source));
    let mut count = 0;
    let mut hits = Vec::new();
    main.walk(&mut Vec::new(), &mut |element, above| {
        if element.name != "w:p" || above.iter().any(|above| above.name == "w:txbxContent") {
            return;
        }
        count += 1;
        let named = element.child("w:pPr").and_then(|properties| properties.child("w:pStyle"));
        let known = named.and_then(|named| named.attribute("w:val")).unwrap_or("Normal");
        if known == style && objects::words(element).starts_with(start) {
            hits.push(count);
        }
    });
    assert_eq!(hits.len(), 1, "paragraphs of {style} that begin with '{start}': {hits:?}");
    hits[0]
}

/// The documents as they come: nothing is wrong with them, and the judge reads them.
#[test]
fn the_documents_are_sound() {
    use documents::{agreement, bilingual, form, hebrew, merged, nda, prices, reviewed, with_text_box};
    for (name, source) in [
        ("agreement", agreement()),
        ("bilingual", bilingual()),
        ("form", form()),
        ("hebrew", hebrew()),
        ("merged", merged()),
        ("nda", nda()),
        ("prices", prices()),
        ("reviewed", reviewed()),
        ("with_text_box", with_text_box()),
    ] {
        let done = JobOutcome { source: source.clone(), written: source.clone(), results: Vec::new() };
        if let Ok(folder) = std::env::var("ENGROSS_JOB_FILES") {
            std::fs::write(format!("{folder}/{name}.docx"), &source).unwrap();
            std::fs::write(format!("{folder}/{name}.txt"), paper(&source).shown().join("\n")).unwrap();
        }
        done.is_sound();
        let document = WordDocument::open(source, &Limits::default()).unwrap();
        assert_eq!(engross_docx::check(&document).unwrap(), [], "{name}");
    }
}

fn options() -> EditOptions {
    EditOptions { author: AUTHOR.to_owned(), date: DATE.to_owned() }
}

fn open(bytes: &[u8]) -> WordDocument {
    WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap()
}

fn apply(document: &mut WordDocument, batch: &Value) -> Vec<OperationResult> {
    document.apply(&parse_batch(batch).unwrap_or_else(|error| panic!("{error}")), &options()).unwrap()
}

fn save(document: &WordDocument) -> Vec<u8> {
    document.save(Tracking::Tracked).unwrap().bytes
}

/// A paragraph as an agent reads it, with labels of objects.
fn text_of(source: &[u8], number: usize) -> String {
    let reading = open(source).read(&engross_docx::read::ReadOptions::default()).unwrap();
    reading.paragraphs[number - 1].text.clone()
}
