//! Recognises a part of a file where all of it was asked for: a model that is to mend a file often sends what it changed, or what it
//! wrote last.
//!
//! Must never count words to the reader, or fences, among the lines that are missing: those were to go.

use std::collections::{HashMap, HashSet};

use super::finding::{ContentFinding, FindingSeverity};
use crate::cleaning::{is_closing, is_end_word, is_opening};
use crate::codes;

/// Fewer lines may be gone without a word.
const FEW: usize = 3;

/// What is missing of `refused`, if `new` is only a part of it: its beginning, its end, or most of its lines.
pub(super) fn missing_part(new: &[u8], refused: &[u8]) -> Option<ContentFinding> {
    let (new_text, old_text) = (String::from_utf8_lossy(new), String::from_utf8_lossy(refused));
    let (new, old) = (lines(&new_text), lines(&old_text));
    let (is_new, is_old): (HashSet<&str>, HashSet<&str>) =
        (new.iter().copied().collect(), old.iter().copied().collect());
    let gone = old.iter().filter(|line| !is_new.contains(*line)).count();
    // Lines that occur more than once tell no place.
    let mut counts: HashMap<&str, usize> = HashMap::new();
    old.iter().for_each(|line| *counts.entry(line).or_default() += 1);
    let tells = |line: &&&str| counts.get(**line) == Some(&1);
    let is_gone = |line: &&&str| !is_new.contains(**line);
    let head = old.iter().filter(tells).take_while(is_gone).count();
    let tail = old.iter().rev().filter(tells).take_while(is_gone).count();
    let many = FEW.max(old.iter().filter(tells).count() / 4);
    // Where the whole was written in other words, it has about as many lines.
    let kept = new.iter().filter(|line| is_old.contains(*line)).count();
    let is_made_of_it = kept * 10 >= new.len() * 7;
    let is_cut = is_made_of_it && (head >= many || tail >= many);
    let is_short = gone >= FEW && gone * 2 > old.len() && new.len() * 2 < old.len();
    (is_cut || is_short).then(|| {
        let message = format!(
            "only a part of the file: {gone} of the {} lines that it had before are not in it",
            old.len()
        );
        let mut finding = ContentFinding::new(codes::ONLY_A_PART.name, FindingSeverity::Warning, message);
        finding.line = 1;
        finding
    })
}

/// The lines that are of a file.
fn lines(text: &str) -> Vec<&str> {
    let is_other = |line: &&str| {
        line.is_empty()
            || line.starts_with("```")
            || line.starts_with("~~~")
            || is_opening(line)
            || is_closing(line)
            || is_end_word(line)
    };
    text.lines().map(str::trim).filter(|line| !is_other(line)).collect()
}
