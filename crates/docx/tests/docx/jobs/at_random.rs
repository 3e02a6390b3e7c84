//! Random batches whose meaning is known: what each operation does to the paper is worked out beside it, so a document that
//! says anything else is wrong, whatever the proof says.
//!
//! `ENGROSS_JOBS_CASES=10000` tries so many batches, `ENGROSS_JOBS_FIRST=5000` begins with that one,
//! `ENGROSS_TEST_CORPUS=FOLDER` takes the documents of a folder as well, and `ENGROSS_JOBS_KEEP=FOLDER` keeps each source and
//! redline there, for judges that are programs of their own.
//! Must never use the engine but to apply a batch.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use engross_docx::ops::Status;
use serde_json::{Value, json};

use super::paper::{Line, Paper};
use super::random_wishes::{Change, Wish, wish, with_words};
use super::{JobOutcome, difference, documents, laws, open, options, paper, save};
use crate::random_bodies::Choices;

/// A source of choices that is the same every time.
fn bytes(seed: u64, count: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[3]
    };
    (0..count).map(|_| next()).collect()
}

/// Whether a line is a paragraph with text that a search finds: no row of a table of contents, no layout.
fn is_typed(line: &Line) -> bool {
    !line.style.starts_with("TOC") && !matches!(line.style.as_str(), "table" | "section")
}

/// Carries out what was applied, from the last line to the first.
fn carry_out(paper: &mut Paper, changes: Vec<Change>) {
    let mut before: Vec<Vec<Line>> = vec![Vec::new(); paper.lines.len()];
    let mut after = before.clone();
    let mut own: Vec<Option<Vec<Line>>> = paper.lines.iter().map(|line| Some(vec![line.clone()])).collect();
    let (mut gone, mut notes) = (Vec::new(), Vec::new());
    for change in changes {
        match change {
            Change::Say(at, old, new) => {
                for line in own[at].iter_mut().flatten() {
                    line.say(&old, &new);
                }
            }
            Change::SayAll(old, new) => {
                for line in own.iter_mut().flatten().flatten() {
                    if is_typed(line) && line.story == "body" {
                        line.say(&old, &new);
                    }
                }
            }
            Change::SayEverywhere(old, new) => {
                for line in own.iter_mut().flatten().flatten().filter(|line| is_typed(line)) {
                    line.say(&old, &new);
                }
            }
            Change::SayWords(old, new) => {
                for line in own.iter_mut().flatten().flatten() {
                    if is_typed(line) && line.story == "body" {
                        line.make(|text| with_words(text, &old, &new));
                    }
                }
            }
            Change::Text(at, text) => {
                for line in own[at].iter_mut().flatten() {
                    line.text.clone_from(&text);
                }
            }
            Change::After(at, lines) => after[at].extend(lines),
            Change::Before(at, lines) => before[at].extend(lines),
            Change::Remove(at) => own[at] = None,
            Change::Replace(at, lines) => {
                // A table goes with its rows.
                let rows = if lines[0].style == "table" { lines.len() - 1 } else { 0 };
                gone.extend(at + 1..=at + rows);
                own[at] = Some(lines);
            }
            Change::Move(from, to) => {
                let line = own[from].take();
                after[to].extend(line.into_iter().flatten());
            }
            Change::MoveTwo(from, to) => {
                for at in [from, from + 1] {
                    let line = own[at].take();
                    after[to].extend(line.into_iter().flatten());
                }
            }
            Change::OneForTwo(at, text) => {
                for line in own[at].iter_mut().flatten() {
                    line.text.clone_from(&text);
                }
                own[at + 1] = None;
            }
            Change::RemoveRows(head, count) => gone.extend(head..=head + count),
            Change::Note(at, old, new, note) => {
                for line in own[at].iter_mut().flatten() {
                    line.say(&old, &new);
                }
                notes.push(note);
            }
            Change::Contents | Change::Nothing => {}
        }
    }
    for at in gone {
        own[at] = None;
    }
    paper.lines = (before.into_iter().zip(own).zip(after))
        .flat_map(|((before, own), after)| before.into_iter().chain(own.into_iter().flatten()).chain(after))
        .collect();
    let boxes =
        paper.lines.iter().position(|line| line.story.starts_with("textbox")).unwrap_or(paper.lines.len());
    paper.lines.splice(boxes..boxes, notes);
    ["footnote", "endnote"].into_iter().for_each(|kind| settle_notes(paper, kind));
}

/// Counts notes in the order of their marks; a note whose mark is gone goes with it.
fn settle_notes(paper: &mut Paper, kind: &str) {
    let head = format!("⟦{kind} ");
    let is_note = |line: &Line| line.story.starts_with("footnote:") || line.story.starts_with("endnote:");
    let marks = paper.lines.iter().filter(|line| !is_note(line)).flat_map(|line| {
        line.text
            .split(&head)
            .skip(1)
            .filter_map(|rest| rest.split_once('⟧'))
            .map(|(number, _)| number.to_owned())
    });
    let marks: Vec<String> = marks.collect();
    let place = |number: &str| marks.iter().position(|known| known == number);
    for line in &mut paper.lines {
        let mut parts = line.text.split(&head);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let number = part.split_once('⟧').and_then(|(number, rest)| Some((place(number)? + 1, rest)));
            text.push_str(&match number {
                Some((number, rest)) => format!("{head}{number}⟧{rest}"),
                None => format!("{head}{part}"),
            });
        }
        line.text = text;
    }
    let mut notes: Vec<(usize, Line)> = Vec::new();
    let mut first = None;
    let mut others: Vec<Line> = Vec::new();
    for line in std::mem::take(&mut paper.lines) {
        match line.story.strip_prefix(kind).and_then(|rest| rest.strip_prefix(':')) {
            Some(number) => {
                first.get_or_insert(others.len());
                let at = place(number);
                notes.extend(at.map(|at| (at, Line { story: format!("{kind}:{}", at + 1), ..line })));
            }
            None => others.push(line),
        }
    }
    notes.sort_by_key(|(at, _)| *at);
    let first = first.unwrap_or(others.len());
    others.splice(first..first, notes.into_iter().map(|(_, line)| line));
    paper.lines = others;
}

/// The texts of a paper: what a new paragraph looks like is judged by the jobs. A target is named by its text, which may be
/// another now unless texts only `stay`.
fn texts(paper: &Paper, stay: bool) -> Paper {
    let line = |line: &Line| {
        let is_table = matches!(line.style.as_str(), "table" | "section");
        // A table of contents names a heading that is gone until it is made anew; its receipt says so.
        let is_contents = line.style.starts_with("TOC");
        let text = line.text.split('⟦').map(|part| match part.split_once('⟧') {
            Some((label, rest)) if !stay || is_contents => {
                let (code, target) = label.split_once(" → ").unwrap_or((label, ""));
                let lost = ["nowhere", "(empty)"]
                    .into_iter()
                    .find(|lost| !is_contents && target.ends_with(lost))
                    .unwrap_or("");
                format!("⟦{code}{lost}⟧{rest}")
            }
            _ => part.to_owned(),
        });
        let text: String = text.collect();
        let text = if is_table { text } else { text.trim_end().to_owned() };
        Line { story: line.story.clone(), text, ..Line::default() }
    };
    // A place that must end with a paragraph keeps an empty one.
    let is_empty = |line: &Line| line.story == "body" && line.text.is_empty();
    let lines = paper.lines.iter().map(line).filter(|line| !is_empty(line));
    Paper { lines: lines.collect(), ..Paper::default() }
}

/// What came of a batch.
enum Verdict {
    Holds { applied: usize, refused: usize },
    Fails(String),
}

/// Tries one batch of operations on different lines.
fn try_batch(source: &[u8], source_paper: &Paper, seed: u64) -> Option<Verdict> {
    let bytes = bytes(seed, 160);
    let mut choices = Choices::of(&bytes);
    let mut wishes: Vec<Wish> = Vec::new();
    for _ in 0..=choices.below(3) {
        let Some(wish) = wish(&mut choices, source_paper) else { continue };
        let wide = |wish: &Wish| {
            matches!(
                wish.change,
                Change::SayAll(..)
                    | Change::SayEverywhere(..)
                    | Change::SayWords(..)
                    | Change::Replace(..)
                    | Change::Move(..)
                    | Change::MoveTwo(..)
                    | Change::OneForTwo(..)
                    | Change::RemoveRows(..)
                    | Change::Note(..)
                    | Change::Contents
            )
        };
        // Operations that reach far stand alone.
        if wishes.is_empty()
            || (!wide(&wish) && !wishes.iter().any(|known| wide(known) || same_line(known, &wish)))
        {
            wishes.push(wish);
        }
    }
    if wishes.is_empty() {
        return None;
    }
    let batch: Vec<&Value> = wishes.iter().map(|wish| &wish.operation).collect();
    let told = json!(batch);
    let parsed = engross_docx::ops::parse_batch(&told).ok()?;
    let mut document = open(source);
    let results = match document.apply(&parsed, &options()) {
        Ok(results) => results,
        Err(error) => return Some(Verdict::Fails(format!("{error}\n{told}"))),
    };
    if let Some(failed) = results.iter().find(|result| result.status == Status::Failed) {
        return Some(Verdict::Fails(format!("{:?}: {:?}\n{told}", failed.code, failed.message)));
    }
    let applied = results.iter().filter(|result| result.status == Status::Applied).count();
    let refused = results.iter().filter(|result| result.status == Status::Refused).count();
    let done = JobOutcome { source: source.to_vec(), written: save(&document), results };
    if let Some(folder) = std::env::var_os("ENGROSS_JOBS_KEEP").filter(|_| applied > 0) {
        let folder = Path::new(&folder);
        std::fs::write(folder.join(format!("{seed}.before.docx")), source).unwrap();
        std::fs::write(folder.join(format!("{seed}.after.docx")), &done.written).unwrap();
        std::fs::write(folder.join(format!("{seed}.json")), told.to_string()).unwrap();
    }
    let mut wanted = source_paper.clone();
    let stay = |change: &Change| {
        matches!(
            change,
            Change::Move(..)
                | Change::MoveTwo(..)
                | Change::Remove(..)
                | Change::RemoveRows(..)
                | Change::Nothing
        )
    };
    let is_contents = wishes.iter().any(|wish| matches!(wish.change, Change::Contents));
    let stay = wishes.iter().all(|wish| stay(&wish.change));
    let changes = wishes.into_iter().zip(&done.results);
    let changes = changes.filter(|(_, result)| result.status == Status::Applied).map(|(wish, _)| wish.change);
    carry_out(&mut wanted, changes.collect());
    let sets = wishes_set_properties(&told);
    let mut faults = laws::broken(source, &done.written, if sets { &["docProps"] } else { &[] });
    let mut said = paper(&done.written);
    // A copy for old programs that says something else than its box stays, and the answer says so.
    let mut notes = done.results.iter().filter_map(|result| result.message.as_deref());
    if notes.any(|note| note.contains("the copy of the text box")) {
        for paper in [&mut wanted, &mut said] {
            paper.lines.retain(|line| !line.story.ends_with(":fallback"));
        }
    }
    if is_contents {
        for paper in [&mut wanted, &mut said] {
            let is_listed = |line: &Line| line.style.starts_with("TOC") || line.text.contains("⟦TOC");
            paper.lines.retain(|line| !is_listed(line));
        }
    }
    if let Some(difference) = difference(&texts(&wanted, stay), &texts(&said, stay)) {
        faults.push(difference);
    }
    if faults.is_empty() {
        return Some(Verdict::Holds { applied, refused });
    }
    Some(Verdict::Fails(format!("{}\n{told}", faults.join("\n"))))
}

/// Whether a batch changes what the document says of itself, which no revision can tell.
fn wishes_set_properties(batch: &Value) -> bool {
    batch.as_array().into_iter().flatten().any(|operation| operation["op"] == "set_properties")
}

/// Whether two operations are about one line.
fn same_line(left: &Wish, right: &Wish) -> bool {
    let number = |wish: &Wish| {
        let of = |name: &str| wish.operation.get(name).and_then(Value::as_u64);
        of("paragraphIndex").or_else(|| of("after")).or_else(|| of("before")).unwrap_or(0)
    };
    let in_table = |wish: &Wish| wish.operation["op"] == "edit_table";
    number(left).abs_diff(number(right)) < 2 || (in_table(left) && in_table(right))
}

/// The documents of a folder in which nothing is pending.
fn documents_of(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut folders = vec![folder.to_owned()];
    let mut found: Vec<PathBuf> = Vec::new();
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(extension) if extension == "docx" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found.into_iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

#[test]
fn random_batches_say_what_they_mean() {
    try_many();
}

#[expect(clippy::print_stdout, reason = "the figures of a long run")]
fn try_many() {
    let number = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (first, cases) = (number("ENGROSS_JOBS_FIRST").unwrap_or(0), number("ENGROSS_JOBS_CASES"));
    let mut all: Vec<(String, Vec<u8>)> = vec![
        ("prices".to_owned(), documents::prices()),
        ("nda".to_owned(), documents::nda()),
        ("hebrew".to_owned(), documents::hebrew()),
        ("with_text_box".to_owned(), documents::with_text_box()),
        ("form".to_owned(), documents::form()),
        ("agreement".to_owned(), documents::agreement()),
    ];
    if let (Some(_), Some(folder)) = (cases, std::env::var_os("ENGROSS_TEST_CORPUS")) {
        all.extend(documents_of(Path::new(&folder)));
    }
    let is_clean = |bytes: &[u8]| {
        let faults = laws::broken(bytes, bytes, &[]);
        let main = crate::oracle::main_part(bytes);
        faults.is_empty()
            && !main.contains("w:author=")
            && main.contains("http://schemas.openxmlformats.org/wordprocessingml")
    };
    let mut readable = Vec::new();
    for (name, bytes) in &all {
        let read = catch_unwind(AssertUnwindSafe(|| is_clean(bytes).then(|| paper(bytes))));
        if let Ok(Some(paper)) = read {
            readable.push((name, bytes, paper));
        }
    }
    let cases = cases.unwrap_or(48);
    let (mut applied, mut refused, mut held) = (0, 0, 0);
    let mut wrong = Vec::new();
    for seed in first..first + cases {
        let (name, bytes, paper) = &readable[seed as usize % readable.len()];
        let verdict = catch_unwind(AssertUnwindSafe(|| try_batch(bytes, paper, seed)));
        match verdict {
            Ok(None) => {}
            Ok(Some(Verdict::Holds { applied: more, refused: no })) => {
                (applied, refused, held) = (applied + more, refused + no, held + 1);
            }
            Ok(Some(Verdict::Fails(fault))) => wrong.push(format!("{name}, {seed}: {fault}")),
            Err(_) => wrong.push(format!("{name}, {seed}: a panic")),
        }
    }
    println!(
        "{} documents, {held} batches held, {applied} operations applied, {refused} refused",
        readable.len()
    );
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}
