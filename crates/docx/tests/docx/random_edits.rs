//! Random batches on random documents: whatever is asked of whatever document, nothing fails, what was done can be
//! undone, and it says what a model made of nothing but strings says.
//!
//! `ENGROSS_RANDOM_SECONDS=600` looks for that long at documents nobody has seen; otherwise they are the same every time.

use std::time::{Duration, Instant};

use engross_docx::ops::{OperationResult, ProofState, Status, parse_batch};
use engross_docx::revisions::Side as EngineSide;
use engross_docx::{EditOptions, Limits, Tracking, WordDocument};
use engross_testkit::docx::DocxBuilder;
use proptest::collection::vec;
use proptest::prelude::any;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::{Value, json};

use crate::oracle::{Element, OBJECT, Side, canonical, main_part, parse, resolve, texts};
use crate::random_bodies::{Choices, body};
use crate::{layout, rules};

const DATE: &str = "2026-01-31T09:30:00Z";
const STYLES: &str = "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"Normal\"><w:name w:val=\"Normal\"/>\
    </w:style><w:style w:type=\"paragraph\" w:styleId=\"Heading1\"><w:name w:val=\"heading 1\"/>\
    <w:next w:val=\"Normal\"/></w:style><w:style w:type=\"character\" w:styleId=\"Hyperlink\">\
    <w:name w:val=\"Hyperlink\"/></w:style>";

#[test]
#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn random_edits_hold() {
    let seconds = std::env::var("ENGROSS_RANDOM_SECONDS").ok().and_then(|text| text.parse().ok());
    let config =
        Config { cases: 400, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    let started = Instant::now();
    let mut runs = 0;
    loop {
        let mut runner = match seconds {
            Some(_) => TestRunner::new(config.clone()),
            None => TestRunner::new_with_rng(config.clone(), fixed_randomness()),
        };
        let choices = (vec(any::<u8>(), 0..200), vec(any::<u8>(), 0..60), vec(any::<u8>(), 0..60));
        let outcome = runner.run(&choices, |(document, first, second)| {
            check(&document, &first, &second).map_err(TestCaseError::fail)
        });
        runs += config.cases;
        match outcome {
            Ok(()) => {}
            Err(TestError::Fail(reason, (document, first, second))) => {
                panic!("after {runs} documents:\n{reason}\nfrom {document:?}, {first:?}, {second:?}")
            }
            Err(error) => panic!("{error}"),
        }
        if seconds.is_none_or(|seconds| started.elapsed() >= Duration::from_secs(seconds)) {
            println!("{runs} documents in {:?}", started.elapsed());
            return;
        }
    }
}

fn fixed_randomness() -> proptest::test_runner::TestRng {
    proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha)
}

/// One batch; then another in the same session, in a new one that goes on with the first, and in a new one for which the first
/// is history.
fn check(document: &[u8], first: &[u8], second: &[u8]) -> Result<(), String> {
    let body = body(&mut Choices::of(document));
    let source = DocxBuilder::new().styles(STYLES).body(&body).build();
    let open = |bytes: &[u8]| WordDocument::open(bytes.to_vec(), &Limits::default()).unwrap();
    let mut session = open(&source);
    let written = step(&mut session, &source, &source, &mut Choices::of(first), (DATE, "recorded"))?;
    let again = step(&mut session, &source, &written, &mut Choices::of(second), (DATE, "recorded"))?;
    let goes_on = step(&mut open(&written), &source, &written, &mut Choices::of(second), (DATE, "author"))?;
    let later = "2026-02-01T10:00:00Z";
    step(&mut open(&again), &again, &again, &mut Choices::of(second), (later, "history"))?;
    let count = |bytes: &[u8]| open(bytes).revisions().unwrap().len();
    match (count(&goes_on), count(&again)) {
        (across, inside) if across > inside => Err(format!(
            "{across} revisions across sessions, {inside} within one:\n{}",
            layout::body(&main_part(&goes_on))
        )),
        _ => Ok(()),
    }
}

/// Applies a random batch in `session`, which began with `source` and last wrote `before`.
fn step(
    session: &mut WordDocument,
    source: &[u8],
    before: &[u8],
    choices: &mut Choices<'_>,
    (date, own): (&str, &str),
) -> Result<Vec<u8>, String> {
    let before_xml = main_part(before);
    let mut model = Model::of(&parse(&before_xml), date);
    let operations: Vec<Value> = (0..=choices.below(5)).map(|_| model.operation(choices)).collect();
    let batch = parse_batch(&json!({"own": own, "operations": operations})).unwrap();
    let options = EditOptions { author: "Tester".to_owned(), date: date.to_owned() };
    let results = session.apply(&batch, &options).map_err(|error| error.to_string())?;
    let story = |what: String| {
        let shown: Vec<String> = operations
            .iter()
            .zip(&results)
            .map(|(operation, result)| {
                format!("{operation}\n    {:?} {:?} {:?}", result.status, result.code, result.message)
            })
            .collect();
        format!("{what}\n{}\non\n{}", shown.join("\n"), layout::body(&before_xml))
    };
    if results.iter().any(|result| result.status == Status::Failed) {
        return Err(story("an operation failed".to_owned()));
    }
    let saved = session.save(Tracking::Tracked).map_err(|error| story(error.to_string()))?;
    let changed = saved.bytes != source;
    let applied = results.iter().any(|result| result.status == Status::Applied);
    if (applied && saved.proof.reject != ProofState::Holds) || (!applied && before == source && changed) {
        return Err(story(format!("{:?}", saved.proof)));
    }
    for (operation, result) in operations.iter().zip(&results) {
        model.take(operation, result).map_err(story)?;
    }
    let written_xml = main_part(&saved.bytes);
    let faults = faults(&main_part(source), &written_xml, date, &model);
    if faults.is_empty() {
        return Ok(saved.bytes);
    }
    Err(story(faults.join("\n")) + "\ngives\n" + &layout::body(&written_xml))
}

fn faults(source_xml: &str, written_xml: &str, date: &str, model: &Model) -> Vec<String> {
    let (source, written) = (parse(source_xml), parse(written_xml));
    let mut faults = rules::broken(&source, &written, date);
    if canonical(&resolve(&written, Side::Reject, Some(date))) != canonical(&source) {
        faults.push("rejecting does not give the source".to_owned());
    }
    let accepted: Vec<String> =
        texts(&resolve(&written, Side::Accept, Some(date))).iter().map(|text| plain(text)).collect();
    let expected = model.expected();
    // Only which paragraph the words are in may differ then.
    let words = |texts: &[String]| {
        let mut words: Vec<char> = texts.iter().flat_map(|text| text.chars()).collect();
        words.sort_unstable();
        words
    };
    if accepted != expected && !(model.beside_a_lost_border && words(&accepted) == words(&expected)) {
        faults.push(format!("accepting gives\n{accepted:?} instead of\n{expected:?}"));
    }
    // Both sides of every document would take too long.
    let sides = [(EngineSide::Accept, Side::Accept), (EngineSide::Reject, Side::Reject)];
    for (side, ours) in sides.into_iter().skip(written_xml.len() % 2).step_by(2) {
        let bytes = DocxBuilder::new().part("word/document.xml", written_xml).build();
        let mut document = WordDocument::open(bytes, &Limits::default()).unwrap();
        document.resolve_all(side).unwrap();
        let resolved = main_part(&document.save(Tracking::Tracked).unwrap().bytes);
        let (engine, oracle) = (texts(&parse(&resolved)), texts(&resolve(&written, ours, None)));
        if engine != oracle {
            faults.push(format!("to {side:?} all gives\n{engine:?} instead of\n{oracle:?}"));
        }
    }
    faults
}

/// A text as far as strings can say it.
fn plain(text: &str) -> String {
    text.chars().filter(|c| *c != OBJECT).collect()
}

/// Stands for the border between two paragraphs.
const BORDER: &str = "\u{2029}";

/// What paragraphs say, without any XML.
struct Model {
    paragraphs: Vec<Paragraph>,
    /// A new paragraph was put where a border is deleted: it goes behind what is joined over that border.
    beside_a_lost_border: bool,
}

struct Paragraph {
    /// Without objects.
    text: String,
    /// Which body, cell or control, and which block of it.
    place: (usize, usize),
    /// Somebody deleted the border behind it.
    border_deleted: bool,
    /// The session did so before.
    lost_border: bool,
    before: Vec<String>,
    /// `None` when it goes.
    own: Option<Vec<String>>,
    after: Vec<String>,
    /// There is nothing but objects, so its start and its end are two places.
    is_object: bool,
    edits: Vec<Edit>,
}

/// A replacement of a part of a text.
struct Edit {
    from: usize,
    to: usize,
    /// Behind the objects of a paragraph that has nothing else.
    at_end: bool,
    new: String,
}

impl Model {
    fn of(document: &Element, date: &str) -> Self {
        let mut model = Self { paragraphs: Vec::new(), beside_a_lost_border: false };
        let mut containers = 0;
        model.collect(document, &mut containers, date);
        // Fields may go on from one paragraph to the next, so the texts are taken all at once.
        for (paragraph, text) in model.paragraphs.iter_mut().zip(texts(document)) {
            paragraph.text = plain(&text);
            paragraph.is_object = paragraph.text.is_empty() && !text.is_empty();
            paragraph.own = Some(vec![paragraph.text.clone()]);
        }
        model
    }

    fn collect(&mut self, element: &Element, containers: &mut usize, date: &str) {
        *containers += 1;
        let container = *containers;
        for (at, child) in element.elements().enumerate() {
            if child.name != "w:p" {
                self.collect(child, containers, date);
                continue;
            }
            let mark = child.child("w:pPr").and_then(|properties| properties.child("w:rPr"));
            let deleted = mark.and_then(|mark| mark.child("w:del"));
            self.paragraphs.push(Paragraph {
                text: String::new(),
                place: (container, at),
                border_deleted: deleted.is_some(),
                lost_border: deleted.is_some_and(|deleted| deleted.attribute("w:date") == Some(date)),
                before: vec![],
                own: None,
                after: vec![],
                is_object: false,
                edits: vec![],
            });
        }
    }

    fn operation(&mut self, choices: &mut Choices<'_>) -> Value {
        let index = choices.below(self.paragraphs.len());
        let text = self.paragraphs[index].text.clone();
        let number = index + 1;
        let mut new = choices.words();
        match choices.below(10) {
            8 => new.push_str("\nnext line"),
            9 => new = format!("{new}\n\nnext {new}"),
            _ => {}
        }
        let plain = choices.below(2) == 0;
        match choices.below(11) {
            0 | 1 => {
                let Some((from, to)) = piece(choices, &text) else {
                    return json!({"op": "edit_paragraph", "paragraphIndex": number, "newContent": new});
                };
                let original = &text[from..to];
                json!({"op": "modify_text", "paragraphIndex": number, "originalText": original, "fields": "refuse",
                       "replacementText": new, "plain": plain})
            }
            2 => {
                let Some((from, to)) = piece(choices, &text) else {
                    return json!({"op": "delete_paragraph", "paragraphIndex": number});
                };
                let occurrence = if choices.below(2) == 0 { json!("all") } else { json!(1) };
                let new = if choices.rarely(3) { String::new() } else { new };
                json!({"op": "modify_text", "originalText": &text[from..to], "replacementText": new, "fields": "refuse",
                       "occurrence": occurrence})
            }
            3 | 4 => {
                let (from, to) = piece(choices, &text).unwrap_or((0, 0));
                let content = format!("{}{new}{}", &text[..from], &text[to..]);
                json!({"op": "edit_paragraph", "paragraphIndex": number, "newContent": content, "plain": true})
            }
            5 => json!({"op": "edit_paragraph", "paragraphIndex": number, "append": format!(" {new}")}),
            6 => json!({"op": "edit_paragraph", "paragraphIndex": number, "prepend": format!("{new} ")}),
            7 => json!({"op": "insert_paragraph", "after": number, "content": new}),
            8 => json!({"op": "insert_paragraph", "before": number, "content": new}),
            9 => {
                let next = self.paragraphs.get(number).map(|next| next.text.clone()).unwrap_or_default();
                let (Some(end), Some(start)) = (text.split(' ').next_back(), next.split(' ').next()) else {
                    return json!({"op": "delete_paragraph", "paragraphIndex": number});
                };
                if [end, start].iter().any(|word| word.is_empty() || word.contains('\n')) {
                    return json!({"op": "delete_paragraph", "paragraphIndex": number});
                }
                let border = if choices.below(2) == 0 { " " } else { "\n" };
                json!({"op": "modify_text", "paragraphIndex": number, "originalText": format!("{end}\n{start}"),
                       "replacementText": format!("{end}{border}{}", new.replace('\n', " ")), "plain": true})
            }
            _ => json!({"op": "delete_paragraph", "paragraphIndex": number}),
        }
    }

    /// Does to the strings what was done to the document.
    fn take(&mut self, operation: &Value, result: &OperationResult) -> Result<(), String> {
        if result.status != Status::Applied {
            return Ok(());
        }
        let text = |field: &str| operation[field].as_str().map(str::to_owned);
        let number = operation["paragraphIndex"].as_u64().map(|number| number as usize - 1);
        match (operation["op"].as_str().unwrap(), number) {
            ("edit_paragraph", Some(at)) => {
                let paragraph = &mut self.paragraphs[at];
                let end = paragraph.text.len();
                let (from, to, new) = match (text("newContent"), text("append"), text("prepend")) {
                    (Some(content), ..) => (0, end, content.trim_matches('\n').to_owned()),
                    (_, Some(content), _) => (end, end, content),
                    (.., content) => (0, 0, content.unwrap()),
                };
                // New text stands behind an object, which stays.
                let at_end = paragraph.is_object && !operation["prepend"].is_string();
                if operation["newContent"].is_string() && !new.contains("\n\n") {
                    // Words that stay may be changed by others, so only those that differ count.
                    for hunk in engross_docx::diff(&paragraph.text.clone(), &new) {
                        let new = new[hunk.new].to_owned();
                        paragraph.edit(Edit { from: hunk.old.start, to: hunk.old.end, at_end, new });
                    }
                    return Ok(());
                }
                paragraph.edit(Edit { from, to, at_end, new });
            }
            ("modify_text", at) => {
                let (original, new) = (text("originalText").unwrap(), text("replacementText").unwrap());
                let crossing = at.filter(|at| !self.paragraphs[*at].text.contains(&original));
                if let Some(at) = crossing {
                    return self.cross(at, &original, &new);
                }
                let all = operation["occurrence"] == json!("all");
                let range = at.map_or(0..self.paragraphs.len(), |at| at..at + 1);
                let mut hits = 0;
                for paragraph in &mut self.paragraphs[range] {
                    let found: Vec<usize> =
                        paragraph.text.match_indices(&original).map(|(from, _)| from).collect();
                    for from in found {
                        hits += 1;
                        if all || hits == 1 {
                            let to = from + original.len();
                            paragraph.edit(Edit { from, to, at_end: false, new: new.clone() });
                        }
                    }
                }
                if hits == 0 || (hits > 1 && operation["occurrence"].is_null()) {
                    return Err(format!("'{original}' occurs {hits} times"));
                }
            }
            ("insert_paragraph", _) => {
                let new = paragraphs(text("content").unwrap().trim_matches('\n'));
                let beside = |field: &str| operation[field].as_u64().map(|number| number as usize);
                let at = beside("after").or(beside("before").map(|number| number - 1)).unwrap();
                let place = |at: usize| self.paragraphs.get(at).map(|paragraph| paragraph.place);
                let near = &self.paragraphs[at.saturating_sub(2)..self.paragraphs.len().min(at + 2)];
                self.beside_a_lost_border |= near.iter().any(|paragraph| paragraph.border_deleted);
                let after = operation["after"].is_number();
                let flows_on = after && place(at) == place(at - 1).map(|(of, block)| (of, block + 1));
                match (after, flows_on) {
                    // Of paragraphs for one gap the one asked for first stands first.
                    (true, true) | (false, _) => self.paragraphs[at].before.extend(new),
                    (true, false) => self.paragraphs[at - 1].after.extend(new),
                }
            }
            (_, at) => {
                // The last paragraph of a container stays, empty; then there is a remark.
                let own = result.message.as_ref().map(|_| vec![String::new()]);
                self.paragraphs[at.unwrap()].own = own;
            }
        }
        Ok(())
    }

    /// A replacement over the border of two paragraphs.
    fn cross(&mut self, at: usize, original: &str, new: &str) -> Result<(), String> {
        let (end, start) = original.split_once('\n').unwrap();
        let first = self.paragraphs[at].text.strip_suffix(end).ok_or("it does not end like that")?.to_owned();
        let second = self.paragraphs[at + 1].text.strip_prefix(start).ok_or("it does not start like that")?;
        // A border that the new text has, too, is the old one, so what is put beside it knows its place.
        let (own, next) = match new.split_once('\n') {
            Some((left, right)) => (Some(vec![first + left]), right.to_owned() + second),
            None => (None, first + new + second),
        };
        self.paragraphs[at + 1].own = Some(vec![next]);
        self.paragraphs[at].own = own;
        Ok(())
    }

    /// All texts in order, after our revisions are accepted.
    fn expected(&self) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        let mut carried: Option<(String, (usize, usize))> = None;
        for paragraph in &self.paragraphs {
            if let Some((text, place)) = &carried
                && *place != (paragraph.place.0, paragraph.place.1)
            {
                texts.extend(Some(text.clone()).filter(|text| !text.is_empty()));
                carried = None;
            }
            let own = paragraph.own.iter().flatten();
            for text in paragraph.before.iter().chain(own).chain(&paragraph.after) {
                let start = carried.take().map_or_else(String::new, |(text, _)| text);
                texts.push(start + text);
            }
            if paragraph.lost_border && paragraph.own.is_some() {
                let next = (paragraph.place.0, paragraph.place.1 + 1);
                carried = texts.pop().map(|text| (text, next));
            }
        }
        texts.extend(carried.map(|(text, _)| text).filter(|text| !text.is_empty()));
        texts
    }
}

impl Paragraph {
    fn edit(&mut self, edit: Edit) {
        self.edits.push(edit);
        self.edits.sort_by_key(|edit| (edit.from, edit.to, edit.at_end));
        let mut text = self.text.clone();
        for edit in self.edits.iter().rev() {
            text.replace_range(edit.from..edit.to, &paragraphs(&edit.new).join(BORDER));
        }
        self.own = Some(text.split(BORDER).map(str::to_owned).collect());
    }
}

/// A blank line begins another paragraph.
fn paragraphs(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some((paragraph, after)) = rest.split_once("\n\n") {
        all.push(paragraph.to_owned());
        rest = after.trim_start_matches('\n');
    }
    all.push(rest.to_owned());
    all
}

/// Some words of a text, or nothing when it is empty.
fn piece(choices: &mut Choices<'_>, text: &str) -> Option<(usize, usize)> {
    let starts: Vec<usize> = text
        .char_indices()
        .filter(|(at, c)| *c != ' ' && (*at == 0 || text[..*at].ends_with(' ')))
        .map(|(at, _)| at)
        .collect();
    let first = choices.below(starts.len().max(1));
    let last = (first + choices.below(3)).min(starts.len().checked_sub(1)?);
    let end = text[starts[last]..].find(' ').map_or(text.len(), |length| starts[last] + length);
    Some((starts[first], end))
}
