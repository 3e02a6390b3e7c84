//! Finds where a text goes on in another way behind a joint: numbers begin anew, a heading comes again or in another language,
//! quotes or indentation change, a paragraph stands there twice, a word stands for the rest.
//!
//! Must never look at more than what is before a joint and behind it. Each rule needs a habit that the text before it keeps
//! without exception: what the text did in two ways before, it may do in two ways behind.

use std::collections::HashMap;

use super::FileKind;
use super::common::{is_elision, own_number};

/// Lines behind a joint that are looked at for what comes once more.
const NEAR: usize = 3;
/// Lines at each side that are looked at.
const AROUND: usize = 60;
/// Headings in a row that make a numbering.
const NUMBERED: u64 = 2;
/// The longest text before the number of a heading, in bytes.
const HEAD: usize = 24;
/// What a line weighs at least that does not come twice by chance.
const TELLING: usize = 6;
/// And the first line of a file.
const FIRST: usize = 4;
/// The shortest paragraph that is compared, in words.
const WORDS: usize = 8;

/// What is behind a joint that is not as before: the line, counted from the joint, and what is wrong. The first line of
/// `behind` is proven to be as it was; the one at `cut` was cut, the same or one of which too little had come.
pub(super) fn drift(
    kind: FileKind,
    before: &[&str],
    behind: &[&str],
    cut: usize,
) -> Vec<(usize, &'static str)> {
    let is_prose = matches!(kind, FileKind::Markdown | FileKind::Text | FileKind::Docx | FileKind::Html);
    let mut found = Vec::new();
    if let Some(at) = line_again(kind, before, behind) {
        found.push((
            at,
            "the file was gone on with just before, and a line that it has already comes once more",
        ));
    }
    if let Some(at) = numbered_anew(before, behind, cut) {
        found.push((at, "the file was gone on with before, and from here on its numbering begins anew"));
    }
    if let Some(at) = headed_otherwise(before, behind, cut) {
        found.push((
            at,
            "the file was gone on with before, and its numbered headings have another word from here on",
        ));
    }
    if let Some(at) = quoted_otherwise(before, behind) {
        found.push((
            at,
            "the file was gone on with before, and it has typographic quotes for straight ones from here on",
        ));
    }
    if let Some(at) = shifted(kind, before, behind, cut) {
        found.push((
            at,
            "the file was gone on with before, and its lines are indented by more or less from here on",
        ));
    }
    if let Some(at) = said_again(before, behind).filter(|_| is_prose) {
        found.push((
            at,
            "the file was gone on with just before, and a paragraph that it has already comes in other words",
        ));
    }
    if let Some(at) = lines_with_numbers(before, behind, cut) {
        found.push((
            at,
            "the file was gone on with before, and each line begins with its own number from here on",
        ));
    }
    if let Some(at) = behind.iter().position(|line| is_elision(line.trim(), is_prose)) {
        found.push((at, "the file was gone on with before, and this line stands for text that was left out"));
    }
    found
}

/// Lines that are not blank, behind the one that is proven.
fn new_lines<'a>(behind: &'a [&'a str]) -> impl Iterator<Item = (usize, &'a str)> {
    lines_behind(behind, 0)
}

/// Lines that are not blank, behind the one at `cut`.
fn lines_behind<'a>(behind: &'a [&'a str], cut: usize) -> impl Iterator<Item = (usize, &'a str)> {
    behind.iter().copied().enumerate().skip(cut + 1).filter(|(_, line)| !line.trim().is_empty())
}

/// A line at the left that heads something or is the first of the file, and that comes again just behind the joint.
fn line_again(kind: FileKind, before: &[&str], behind: &[&str]) -> Option<usize> {
    if matches!(kind, FileKind::Toml | FileKind::JsonLines) {
        return None;
    }
    let first = before.iter().chain(behind).find(|line| !line.trim().is_empty())?;
    if kind == FileKind::Yaml {
        return key_again(first, before, behind);
    }
    let is_heading = |line: &str| {
        let is_marked = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        is_marked || line.starts_with("<h") || line.starts_with("\\section")
    };
    let letters = |line: &str| line.chars().filter(|c| c.is_alphanumeric()).count();
    let is_telling = |line: &str| {
        let is_mark = line.starts_with(['|', '`', '-', '*', '+', '@', '#', '<', '[', '/', '>', '}', ')']);
        let is_end = line.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("end"));
        let is_left = !line.starts_with(char::is_whitespace);
        is_left && !is_end && !is_mark && line.contains(' ') && letters(line) >= TELLING
    };
    let is_again = |at: usize, line: &str| {
        let all: Vec<&str> = known(before, behind, at).collect();
        let recent = all.get(all.len().saturating_sub(AROUND)..).unwrap_or_default();
        let last = recent.iter().rposition(|earlier| *earlier == line);
        let between = last.and_then(|last| recent.get(last + 1..)).unwrap_or_default();
        let is_first = line == *first && letters(line) >= FIRST;
        let is_last_heading =
            is_heading(line) && last.is_some() && !between.iter().any(|line| is_heading(line));
        let is_once = all.iter().filter(|earlier| **earlier == line).count() == 1;
        is_once && (is_first || is_last_heading || (is_telling(line) && last.is_some()))
    };
    new_lines(behind).take(NEAR).find(|(at, line)| is_again(*at, line)).map(|(at, _)| at)
}

/// The first key of a YAML file, where it comes again at the left just behind the joint, and no other document began there.
fn key_again(first: &str, before: &[&str], behind: &[&str]) -> Option<usize> {
    let key = first.split_once(':')?.0;
    let is_key = !key.is_empty() && !key.starts_with(['#', '-', ' ', '%']);
    let begins = |line: &&&str| line.starts_with("---") || line.trim_end() == "...";
    let is_other = before.iter().chain(behind.iter().take(NEAR + 1)).any(|line| begins(&line));
    let is_again = |line: &str| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let mut near = new_lines(behind).take(NEAR);
    near.find(|(_, line)| is_key && !is_other && is_again(line)).map(|(at, _)| at)
}

/// What stands before the number of a heading, the number, and what follows.
fn heading(line: &str) -> Option<(&str, u64, &str)> {
    // Of an element of HTML, its text.
    let element = line.starts_with("<h").then(|| line.split_once('>')?.1.split_once("</h")).flatten();
    let (line, is_element) = (element.map_or(line, |(text, _)| text), element.is_some());
    let at = line.find(|c: char| c.is_ascii_digit())?;
    let (mark, rest) = line.split_at(at);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, behind) = rest.split_at(digits);
    let ends = [". ", ": ", ") ", " – ", " - "];
    let is_ended = ends.iter().any(|end| behind.starts_with(end)) || (is_element && behind.is_empty());
    let is_left = !line.starts_with(char::is_whitespace) && (mark.is_empty() || mark.ends_with(' '));
    let is_heading = is_left && mark.len() <= HEAD && is_ended;
    is_heading.then_some((mark, number.parse().ok()?, behind))
}

/// The numbering that heads the parts of a text: what stands before its numbers, the first and the last of them, where that is.
fn numbering<'a>(before: &'a [&'a str], least: u64) -> Option<(&'a str, u64, u64, usize)> {
    let mut runs: HashMap<&str, (u64, u64, usize, bool)> = HashMap::new();
    for (at, line) in before.iter().enumerate() {
        let Some((mark, number, _)) = heading(line) else { continue };
        let is_list = at > 0 && before.get(at - 1).is_some_and(|line| heading(line).is_some());
        match runs.get_mut(mark) {
            None => {
                runs.insert(mark, (number, number, at, !is_list));
            }
            Some((_, last, place, is_one)) => {
                *is_one &= number == *last + 1 && !is_list;
                (*last, *place) = (number, at);
            }
        }
    }
    let sound = runs.into_iter().filter(|(_, (first, last, _, is_one))| *is_one && last - first + 1 >= least);
    sound.map(|(mark, (first, last, at, _))| (mark, first, last, at)).max_by_key(|(.., at)| *at)
}

/// The lines before one behind the joint.
fn known<'a>(before: &'a [&'a str], behind: &'a [&'a str], at: usize) -> impl Iterator<Item = &'a str> {
    before.iter().chain(behind.iter().take(at)).copied()
}

/// The first heading behind the joint, where it has the first number once more. The line that was cut may be the next one.
fn numbered_anew(before: &[&str], behind: &[&str], cut: usize) -> Option<usize> {
    let before: Vec<&str> = known(before, behind, 1).collect();
    let (mark, first, mut last, _) = numbering(&before, NUMBERED)?;
    let level = |line: &str| line.len() - line.trim_start_matches('#').len();
    for (at, line) in new_lines(behind) {
        let is_higher = level(line) > 0 && (level(line) < level(mark) || level(mark) == 0);
        match heading(line) {
            _ if is_higher => return None,
            Some((own, number, _)) if own == mark && at <= cut && number == last + 1 => last = number,
            Some((own, number, _)) if own == mark => {
                let is_list = heading(behind.get(at + 1)?).is_some();
                return (number != last + 1 && (number == first || number <= 1) && !is_list).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// The first heading behind the joint, where it has the next number and another word before it, and the old one is gone.
fn headed_otherwise(before: &[&str], behind: &[&str], cut: usize) -> Option<usize> {
    let before: Vec<&str> = known(before, behind, 1).collect();
    let (mark, _, mut last, _) = numbering(&before, 1)?;
    let letter = |mark: &str| mark.find(char::is_alphabetic);
    let start = mark.get(..letter(mark)?)?;
    let mut other = None;
    for (at, line) in new_lines(behind) {
        let Some((own, number, _)) = heading(line) else { continue };
        let is_like = own != mark && letter(own).and_then(|letter| own.get(..letter)) == Some(start);
        if own == mark && at <= cut && number == last + 1 {
            last = number;
        } else if own == mark {
            return None;
        }
        if is_like && number == last + 1 {
            other.get_or_insert(at);
        }
    }
    other
}

/// The first line behind the joint with a typographic quote, where the text had straight ones only, and has none any more.
fn quoted_otherwise(before: &[&str], behind: &[&str]) -> Option<usize> {
    let has = |lines: &[&str], marks: &[char]| lines.iter().any(|line| line.contains(marks));
    let changes = |straight: char, curly: &[char]| {
        let first = behind.iter().position(|line| line.contains(curly))?;
        let at = behind.get(first)?.find(curly)?;
        let is_left = behind.get(first)?.get(at..)?.contains(straight)
            || has(behind.get(first + 1..).unwrap_or_default(), &[straight]);
        // The beginning of the line that was cut may have the first.
        let had = has(before, &[straight]) || has(behind.get(..1).unwrap_or_default(), &[straight]);
        (had && !has(before, curly) && !is_left).then_some(first)
    };
    changes('"', &['“', '”', '„']).or_else(|| changes('\'', &['‘', '’']))
}

/// Blanks at the beginning of a line.
fn indent(line: &str) -> usize {
    line.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// The lines at which rows of a table begin, with their places: no line within a cell in quotes.
fn row_starts<'a>(before: &[&'a str], behind: &[&'a str]) -> Vec<(usize, &'a str)> {
    let mut is_open = false;
    let mut rows = Vec::new();
    for (at, line) in before.iter().chain(behind).enumerate() {
        if !is_open && !line.trim().is_empty() {
            rows.push((at, *line));
        }
        is_open ^= line.matches('"').count() % 2 > 0;
    }
    rows
}

/// The first line behind the joint, where all lines are indented and none was; or where the lines that the text had before, in
/// one indentation each, all have another: those that came twice, or three and more by the same number of blanks.
fn shifted(kind: FileKind, before: &[&str], behind: &[&str], cut: usize) -> Option<usize> {
    let full = |line: &&&str| !line.trim().is_empty();
    let first = lines_behind(behind, cut).next()?.0;
    if matches!(kind, FileKind::Csv | FileKind::Tsv) {
        let rows = row_starts(before, behind);
        let joint = before.len();
        let (old, new): (Vec<_>, Vec<_>) = rows.into_iter().partition(|(at, _)| *at < joint);
        let was_left = old.len() >= NEAR && old.iter().all(|(_, row)| indent(row) == 0);
        let mut new = new.into_iter().skip_while(|(at, _)| *at < joint + first).peekable();
        let at = new.peek()?.0 - joint;
        return (was_left && new.all(|(_, row)| indent(row) > 0)).then_some(at);
    }
    if matches!(kind, FileKind::Markdown | FileKind::Text | FileKind::Docx) {
        let lines = before.iter().rev().filter(full).take(AROUND);
        let was_left =
            before.iter().filter(full).count() >= NEAR && lines.clone().all(|line| indent(line) == 0);
        let is_indented = lines_behind(behind, cut).all(|(_, line)| indent(line) > 0);
        return (was_left && is_indented).then_some(first);
    }
    let means = matches!(kind, FileKind::Yaml | FileKind::Code(super::Language::Python));
    if !means {
        return None;
    }
    // Each text of a line, with its indentation where it had only one, and how often it came.
    let mut known: HashMap<&str, (Option<usize>, usize)> = HashMap::new();
    for line in before.iter().filter(full) {
        let entry = known.entry(line.trim()).or_insert((Some(indent(line)), 0));
        entry.0 = entry.0.filter(|own| *own == indent(line));
        entry.1 += 1;
    }
    let (mut other, mut same, mut all) = (0, 0, 0);
    let mut shifts = Vec::new();
    for (_, line) in lines_behind(behind, cut).take(AROUND) {
        all += 1;
        let Some((Some(own), count)) = known.get(line.trim()) else { continue };
        shifts.push(indent(line).cast_signed() - own.cast_signed());
        match *own == indent(line) {
            _ if *count < 2 => {}
            true => same += 1,
            false => other += 1,
        }
    }
    let is_moved = shifts.first().is_some_and(|shift| *shift != 0 && shifts.iter().all(|own| own == shift));
    let is_other = same == 0 && (other >= 2 || (other == 1 && all <= NEAR));
    (is_other || (is_moved && shifts.len() >= NEAR)).then_some(first)
}

/// A paragraph just behind the joint that has nearly the words of one before it, where no two before have.
fn said_again(before: &[&str], behind: &[&str]) -> Option<usize> {
    let words = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_lowercase).collect() };
    let is_near = |one: &Vec<String>, other: &Vec<String>| {
        let changed: Vec<_> = one.iter().zip(other).filter(|(one, other)| one != other).collect();
        let has_number = changed.iter().any(|(one, other)| {
            one.contains(|c: char| c.is_ascii_digit()) || other.contains(|c: char| c.is_ascii_digit())
        });
        one.len() == other.len() && !changed.is_empty() && !has_number && changed.len() * 5 <= one.len()
    };
    let is_again = |at: usize, line: &str| {
        let all: Vec<&str> = known(before, behind, at).collect();
        let recent = all.get(all.len().saturating_sub(AROUND)..).unwrap_or_default();
        let earlier: Vec<Vec<String>> =
            recent.iter().map(|line| words(line)).filter(|line| line.len() >= WORDS).collect();
        let near = |line: &Vec<String>| earlier.iter().any(|other| is_near(line, other));
        let line = words(line);
        let is_templated = || earlier.iter().any(near);
        line.len() >= WORDS && near(&line) && !is_templated()
    };
    new_lines(behind).take(NEAR).find(|(at, line)| is_again(*at, line)).map(|(at, _)| at)
}

/// The first line behind the joint, where all of them begin with their own number and those before did not; one that the model
/// still wrote without may stand before two and more. A line or another may have its number by chance: a table has numbers of its own.
fn lines_with_numbers(before: &[&str], behind: &[&str], cut: usize) -> Option<usize> {
    let bears = |line: &str, at: usize| own_number(line) == Some(at + 1);
    let new: Vec<(usize, bool)> =
        lines_behind(behind, cut).map(|(at, line)| (at, bears(line, before.len() + at))).collect();
    let without = new.iter().take_while(|(_, bears)| !bears).count();
    let (first, _) = *new.get(without)?;
    let with = new.len() - without;
    let is_all = without <= 1 && with > without && new.iter().skip(without).all(|(_, bears)| *bears);
    let bearing = before.iter().enumerate().filter(|(at, line)| bears(line, *at)).count();
    let was_so = bearing * 2 >= before.iter().filter(|line| !line.trim().is_empty()).count();
    (is_all && !was_so).then_some(first)
}
