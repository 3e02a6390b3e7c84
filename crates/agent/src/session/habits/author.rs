//! A model that knows only what it is shown: it makes each line from those before it, and forgets everything between answers.
//!
//! It writes a program whose functions call the one before, a report whose sections quote the one before, and a table with a
//! running total. Names are new ones each time, so nothing can be guessed.

use std::collections::BTreeSet;
use std::sync::Mutex;

use engross_llm::{Error, Event, FinishReason, Message, Model, ModelInfo, Request};
use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;

use super::files::Numbers;
use super::partner::{REPEAT, answer, call, end_line, last_words};

/// What it writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Work {
    Program,
    Report,
    Table,
}

/// Parts of each work.
const PARTS: usize = 40;

pub(super) struct Author {
    pub(super) work: Work,
    pub(super) seed: u64,
    /// Bytes of each answer.
    pub(super) most: usize,
    pub(super) answers: Mutex<u64>,
}

impl Author {
    fn reply(&self, request: &Request) -> Vec<Result<Event, Error>> {
        let mut answers = self.answers.lock().unwrap();
        *answers += 1;
        if *answers == 1 {
            return call(&json!({"target_file": self.work.file(), "operation": "create"}));
        }
        let asked = last_words(request);
        let is_first = asked.contains("awaiting_content") && !asked.contains("is not complete");
        if !is_first && !asked.contains("is not complete") {
            return answer("That is all.", FinishReason::Stop);
        }
        let shown = if is_first { String::new() } else { own_text(request) };
        let repeat =
            asked.split_once(REPEAT).and_then(|(_, text)| text.split("\n\nNo words before it").next());
        let repeat = repeat.unwrap_or_default();
        // The end of what it is shown is repeated, and perhaps more behind it.
        let overlap = (0..=repeat.len())
            .rev()
            .find(|length| repeat.get(..*length).is_some_and(|text| shown.ends_with(text)));
        let known = format!("{shown}{}", &repeat[overlap.unwrap_or_default()..]);
        let begun = known.rsplit('\n').next().unwrap_or_default();
        let mut lines: Vec<String> = known[..known.len() - begun.len()].lines().map(str::to_owned).collect();
        let mut numbers = Numbers::new(self.seed * 1000 + *answers);
        let mut text = repeat.strip_suffix(begun).unwrap_or(repeat).to_owned();
        let mut begun = begun.to_owned();
        while let Some(line) = self.work.next_line(&lines, &begun, &mut numbers) {
            text.push_str(&line);
            text.push('\n');
            lines.push(line);
            begun.clear();
        }
        text.push_str(&end_line(request));
        text.push('\n');
        if text.len() <= self.most {
            return answer(&text, FinishReason::Stop);
        }
        answer(&text[..text.floor_char_boundary(self.most)], FinishReason::Length)
    }
}

/// Its own words before the last question.
fn own_text(request: &Request) -> String {
    let own = request.messages.iter().rev().find_map(|message| match message {
        Message::Assistant { content, .. } => Some(content.clone()),
        _ => None,
    });
    own.unwrap_or_default()
}

fn name(numbers: &mut Numbers) -> String {
    (0..6).map(|_| char::from(b'a' + u8::try_from(numbers.below(26)).unwrap())).collect()
}

/// What stands in `text` between `before` and `after`.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.split_once(before)?.1.split_once(after).map(|(found, _)| found)
}

impl Work {
    pub(super) fn file(self) -> &'static str {
        match self {
            Self::Program => "steps.py",
            Self::Report => "report.md",
            Self::Table => "table.csv",
        }
    }

    /// The line behind `lines`, which begins with `begun`; nothing when the work is done.
    fn next_line(self, lines: &[String], begun: &str, numbers: &mut Numbers) -> Option<String> {
        match self {
            Self::Program => {
                let defined: Vec<&str> = lines.iter().filter_map(|line| between(line, "def ", "(")).collect();
                let before = defined.len().checked_sub(2).map_or("abs", |at| defined[at]);
                match lines.last().map_or("", String::as_str) {
                    last if last.starts_with("def ") => {
                        Some(format!("    # step number {} of all", defined.len()))
                    }
                    last if last.starts_with("    #") => {
                        Some(format!("    return {before}(x) + {}", defined.len()))
                    }
                    last if last.starts_with("    return") => Some(String::new()),
                    _ if defined.len() == PARTS => None,
                    _ => {
                        // A name that has begun goes on.
                        let partial = begun
                            .strip_prefix("def ")
                            .filter(|partial| !partial.is_empty())
                            .unwrap_or("step_");
                        let whole = partial.split_once('(').map(|(whole, _)| whole.to_owned());
                        let new = whole.unwrap_or_else(|| format!("{partial}{}", name(numbers)));
                        Some(format!("def {new}(x):"))
                    }
                }
            }
            Self::Report => {
                let titles: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("## ")).collect();
                let before = titles.len().checked_sub(2).map_or("0. Nothing", |at| titles[at]);
                match lines.last().map_or("", String::as_str) {
                    last if last.starts_with("## ") => {
                        Some(format!("Section {before} came before this one."))
                    }
                    last if last.starts_with("Section ") => Some(String::new()),
                    _ if titles.len() == PARTS => None,
                    _ => {
                        let head = format!("## {}. ", titles.len() + 1);
                        let partial = begun.strip_prefix(&head).unwrap_or_default();
                        Some(format!("{head}{partial}{}", name(numbers)))
                    }
                }
            }
            Self::Table => {
                let total: usize =
                    lines.last().and_then(|row| row.rsplit(',').next()?.parse().ok()).unwrap_or_default();
                match lines.len() {
                    0 => Some("id,amount,total".to_owned()),
                    id if id > PARTS * 3 => None,
                    id => {
                        // An amount of two digits that has begun goes on.
                        let given = begun.split(',').nth(1).unwrap_or_default();
                        let digits = format!("{given}{}", 10 + numbers.below(90));
                        let amount: usize = digits[..2].parse().unwrap();
                        Some(format!("{id},{amount},{}", total + amount))
                    }
                }
            }
        }
    }

    /// What does not fit together in a whole file.
    pub(super) fn faults(self, text: &str) -> Vec<String> {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut faults = Vec::new();
        let mut numbers = Numbers::new(1);
        let mut names = BTreeSet::new();
        for (at, line) in lines.iter().enumerate() {
            // Each line must be the one that follows from those before it; a name is free, but new.
            let expected = self.next_line(&lines[..at], line, &mut numbers);
            let is_named = self == Self::Report && line.starts_with("## ");
            let fits = match &expected {
                Some(expected) if is_named => line.split(". ").next() == expected.split(". ").next(),
                Some(expected) => expected == line,
                None => false,
            };
            let names_anew = (is_named || line.starts_with("def ")) && !names.insert(line.clone());
            if !fits || names_anew {
                faults.push(format!("line {}: {line:?} for {expected:?}", at + 1));
            }
        }
        if self.next_line(&lines, "", &mut numbers).is_some() {
            faults.push(format!("it ends after {} lines", lines.len()));
        }
        faults
    }
}

impl Model for Author {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "author".to_owned(), language_model: true }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        stream::iter(self.reply(&request)).boxed()
    }
}
