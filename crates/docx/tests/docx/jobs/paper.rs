//! What somebody who reads a document has before them: lines of every story, numbers as shown, tables, notes, objects, and
//! where references lead. A job says what shall be by changing the paper of the source.
//!
//! Objects stand in texts as `⟦REF \r \h → Confidentiality⟧`. Must never use the engine.

use super::numbers::{Counter, ListPlace, Numbering};

/// A paragraph, a row of a table, or the end of a section.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    /// `body`, `header:default`, `footnote:3`, `textbox:1:fallback`, …
    pub(super) story: String,
    /// The style of a paragraph; `table`, `row` or `section`.
    pub(super) style: String,
    /// Alignment, direction and the like.
    pub(super) format: String,
    pub(super) list: Option<ListPlace>,
    /// The number, where it does not follow from `list`.
    pub(super) marker: String,
    pub(super) text: String,
    /// The number of its first paragraph in the body as the file has it; 0 elsewhere.
    pub(super) number: usize,
    /// Words that look unlike their paragraph, with the look.
    pub(super) looks: Vec<(String, String)>,
}

/// A field as it stands: what it shows may be old.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldResult {
    pub(super) story: String,
    pub(super) code: String,
    pub(super) shown: String,
    /// The number and the text of the paragraph that it refers to.
    pub(super) target: Option<(String, String)>,
}

/// A whole document, read.
#[derive(Debug, Clone, Default)]
pub(super) struct Paper {
    pub(super) lines: Vec<Line>,
    pub(super) fields: Vec<FieldResult>,
    /// Content controls of all stories, each in a line.
    pub(super) controls: Vec<String>,
    /// Comments, each in a line: author, state, what it is about, what it says.
    pub(super) comments: Vec<String>,
    pub(super) numbering: Numbering,
}

impl Paper {
    /// Every line as it is compared.
    pub(super) fn shown(&self) -> Vec<String> {
        let mut counter = Counter::default();
        let mut shown = Vec::new();
        for line in &self.lines {
            let marker = line.list.as_ref().map(|list| self.numbering.next(&mut counter, list));
            let marker = marker.unwrap_or_else(|| line.marker.clone());
            let mut text = format!("{} [{}", line.story, line.style);
            for part in [&line.format, &marker] {
                if !part.is_empty() {
                    text.push(' ');
                    text.push_str(part);
                }
            }
            text.push_str("] ");
            text.push_str(&line.text);
            for (look, words) in &line.looks {
                text.push_str(&format!(" ‹{look}: {words}›"));
            }
            shown.push(text);
        }
        shown.extend(self.controls.iter().map(|control| format!("control {control}")));
        let mut comments: Vec<String> =
            self.comments.iter().map(|comment| format!("comment {comment}")).collect();
        comments.sort();
        shown.extend(comments);
        shown
    }

    /// The one line whose text begins so; contents tables are passed over.
    pub(super) fn at(&self, start: &str) -> usize {
        let is_hit =
            |line: &&(usize, &Line)| line.1.text.starts_with(start) && !line.1.style.starts_with("TOC");
        let lines: Vec<(usize, &Line)> = self.lines.iter().enumerate().collect();
        let hits: Vec<usize> = lines.iter().filter(is_hit).map(|(at, _)| *at).collect();
        assert_eq!(hits.len(), 1, "lines that begin with '{start}': {hits:?}");
        hits[0]
    }

    /// The lines from the one that begins with `start` until that which begins with `end`.
    pub(super) fn range(&self, start: &str, end: &str) -> std::ops::Range<usize> {
        self.at(start)..self.at(end)
    }

    /// Words become others, in all stories that `which` names; labels of objects and contents tables stay.
    pub(super) fn say_in(&mut self, which: &str, old: &str, new: &str) -> &mut Self {
        for line in &mut self.lines {
            if line.story.starts_with(which) && !line.style.starts_with("TOC") {
                line.say(old, new);
            }
        }
        self
    }

    /// Words become others in every story.
    pub(super) fn say(&mut self, old: &str, new: &str) -> &mut Self {
        self.say_in("", old, new)
    }

    /// Words become others in the one line that begins so.
    pub(super) fn say_at(&mut self, start: &str, old: &str, new: &str) -> &mut Self {
        let at = self.at(start);
        assert!(self.lines[at].text.contains(old), "'{old}' is not in {:?}", self.lines[at]);
        self.lines[at].say(old, new);
        self
    }

    /// What references refer to is called something else.
    pub(super) fn call(&mut self, old: &str, new: &str) -> &mut Self {
        for line in &mut self.lines {
            line.text = by_parts(&line.text, |part, is_label| match (is_label, part.split_once(" → ")) {
                (true, Some((code, target))) => {
                    let target = format!("{target}⟧").replace(old, new);
                    format!("{code} → {}", target.trim_end_matches('⟧'))
                }
                _ => part.to_owned(),
            });
        }
        self
    }

    /// What references that refer to exactly this are called.
    pub(super) fn call_exactly(&mut self, old: &str, new: &str) -> &mut Self {
        self.call(&format!("{old}⟧"), &format!("{new}⟧"))
    }

    /// A line like the one that begins so, with other words.
    pub(super) fn like(&self, start: &str, text: &str) -> Line {
        let model = &self.lines[self.at(start)];
        Line { text: text.to_owned(), looks: Vec::new(), ..model.clone() }
    }

    pub(super) fn insert_after(&mut self, start: &str, lines: impl IntoIterator<Item = Line>) -> &mut Self {
        let at = self.at(start) + 1;
        self.lines.splice(at..at, lines);
        self
    }

    pub(super) fn insert_before(&mut self, start: &str, lines: impl IntoIterator<Item = Line>) -> &mut Self {
        let at = self.at(start);
        self.lines.splice(at..at, lines);
        self
    }

    pub(super) fn remove(&mut self, start: &str) -> Line {
        let at = self.at(start);
        self.lines.remove(at)
    }

    /// Cells of the row that begins so.
    pub(super) fn set_row(&mut self, start: &str, cells: &[&str]) -> &mut Self {
        let at = self.at(start);
        self.lines[at].text = row(cells);
        self
    }
}

/// A row of a table, as lines have it.
pub(super) fn row(cells: &[&str]) -> String {
    format!("| {} |", cells.join(" | "))
}

impl Line {
    /// A paragraph of the body.
    pub(super) fn body(style: &str, text: &str) -> Self {
        Self { story: "body".to_owned(), style: style.to_owned(), text: text.to_owned(), ..Self::default() }
    }

    /// The same with a number that is not counted on.
    pub(super) fn marked(self, marker: &str) -> Self {
        Self { marker: marker.to_owned(), list: None, ..self }
    }

    pub(super) fn say(&mut self, old: &str, new: &str) {
        self.make(|text| text.replace(old, new));
    }

    /// Makes the words anew; labels of objects stay.
    pub(super) fn make(&mut self, make: impl Fn(&str) -> String) {
        self.text =
            by_parts(&self.text, |part, is_label| if is_label { part.to_owned() } else { make(part) });
        for (_, words) in &mut self.looks {
            *words = make(words);
        }
        self.looks.retain(|(_, words)| !words.is_empty());
    }
}

/// Makes each part of a text anew: the labels of objects, and what stands between them.
fn by_parts(text: &str, make: impl Fn(&str, bool) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (label, behind) = after.split_once('⟧').unwrap_or((after, ""));
        out.push_str(&make(before, false));
        out.push('⟦');
        out.push_str(&make(label, true));
        out.push('⟧');
        rest = behind;
    }
    out.push_str(&make(rest, false));
    out
}

/// Where two papers differ: a `-` before what was wanted, a `+` before what is there.
pub(super) fn difference(wanted: &Paper, found: &Paper) -> Option<String> {
    let (wanted, found) = (wanted.shown(), found.shown());
    if wanted == found {
        return None;
    }
    // By places in both: how many lines behind them are the same.
    let mut same = vec![vec![0_u32; found.len() + 1]; wanted.len() + 1];
    for left in (0..wanted.len()).rev() {
        for right in (0..found.len()).rev() {
            same[left][right] = if wanted[left] == found[right] {
                same[left + 1][right + 1] + 1
            } else {
                same[left + 1][right].max(same[left][right + 1])
            };
        }
    }
    let (mut left, mut right) = (0, 0);
    let mut told = Vec::new();
    while left < wanted.len() || right < found.len() {
        if left < wanted.len() && right < found.len() && wanted[left] == found[right] {
            (left, right) = (left + 1, right + 1);
        } else if right == found.len()
            || (left < wanted.len() && same[left + 1][right] >= same[left][right + 1])
        {
            told.push(format!("- {}", wanted[left]));
            left += 1;
        } else {
            told.push(format!("+ {}", found[right]));
            right += 1;
        }
    }
    let more = told.len().saturating_sub(20);
    told.truncate(20);
    Some(format!("{}\n… {more} lines more", told.join("\n")))
}
