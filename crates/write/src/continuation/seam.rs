//! The seam between a file that was cut and its continuation: where it is, what proves it, and where it is in an answer.
//!
//! Must never take a place for the seam that is only likely. The seam is the beginning of the line that was cut; that line is
//! taken back and comes anew. The model is asked to repeat the lines before it and a part of it. What it was not shown of the
//! line is the proof: who writes it knows the place.

use memchr::{memchr, memrchr};

use super::answer::{
    AnswerLine, WORD_BYTES, WORDS, answer_lines, is_preamble, outside_reasoning, plain_lines,
    without_repeated,
};
use super::digest::PlainDigest;
use super::lines::{is_fence, is_same, plain, weight, without_end};
use super::recent::RecentContent;
use crate::cleaning::{is_opening, is_sentence};
use crate::joint::Joint;

/// What the lines that are repeated weigh at least, in bytes that are no blanks.
const WEIGHT: usize = 24;
/// What the shown part of a line that was cut weighs at least, to prove one that comes anew with other words.
const BEGUN: usize = 2;
/// So many lines are repeated at most, and so many bytes.
const LINES: usize = 16;
const BYTES: usize = 1500;
/// What a part of a line weighs that proves a place by itself.
const PROOF: usize = 8;
/// What a line that was cut weighs at least; the lines before it go with it until they do together.
const CUT: usize = 4;
/// The longest line that is taken back.
pub(super) const LINE: usize = 4000;

/// Where a file was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seam<'a> {
    /// The end of the content, up to the line that was cut.
    before: &'a [u8],
    /// Where in it the lines to be repeated begin.
    from: usize,
    /// The line that was cut, and lines before it where it says too little.
    unfinished: &'a [u8],
    /// Bytes of it that the model is shown.
    shown: usize,
    /// The end line of the session.
    marker: &'a str,
}

/// Where an answer goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SeamPlace {
    /// Bytes of the answer that are not content.
    pub(super) skip: usize,
    /// Bytes of the content that the answer has anew.
    pub(super) back: usize,
    /// Whether the place is only as good as the model's word: the end of the file repeats itself.
    pub(super) is_doubtful: bool,
}

/// What the beginning of an answer says about the seam.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeamSearch {
    Found(SeamPlace),
    /// More of the answer may tell.
    Open,
    /// The lines were repeated, but not as they are, or what follows them is not the line that was cut.
    Altered,
}

impl<'a> Seam<'a> {
    /// The seam at the end of `recent`; nothing where the line that was cut is too long to be taken back.
    pub(crate) fn of(recent: &'a RecentContent, marker: &'a str, is_again: bool) -> Option<Self> {
        let tail = recent.tail();
        let line =
            |end: usize| memrchr(b'\n', tail.get(..end).unwrap_or_default()).map_or(0, |newline| newline + 1);
        let mut start = line(tail.len());
        let is_end =
            |cut: &[u8]| cut.len() > 1 && (marker.as_bytes().starts_with(cut) || b"DONE".starts_with(cut));
        // An end line that was cut is no proof of anything.
        let is_weak = |start: usize| {
            tail.get(start..).is_some_and(|cut| weight(cut) < CUT || is_end(cut.trim_ascii_start()))
        };
        while start > 0 && is_weak(start) {
            start = line(start - 1);
        }
        if weight(tail.get(start..).unwrap_or_default()) == 0 {
            start = line(tail.len());
        }
        if (start == 0 && recent.total() > tail.len() as u64) || tail.len() - start > LINE {
            return None;
        }
        let (before, unfinished) = tail.split_at(start);
        // A piece of an end line is not repeated.
        let last = unfinished.len() - (tail.len() - line(tail.len()));
        let (lines, end) = unfinished.split_at(last);
        let text = if is_end(end) { lines } else { unfinished };
        let shown = if is_again { text.len() } else { shown(text) };
        let mut seam = Self { before, from: before.len(), unfinished, shown, marker };
        seam.from = seam.first_repeated(recent.total() == tail.len() as u64);
        Some(seam)
    }

    /// The whole lines that are to be repeated.
    pub(super) fn repeated(&self) -> &'a [u8] {
        self.before.get(self.from..).unwrap_or_default()
    }

    /// The line that was cut.
    pub(crate) fn unfinished(&self) -> &'a [u8] {
        self.unfinished
    }

    /// What the model is asked to repeat.
    pub(crate) fn repeat(&self) -> String {
        let lines = self.repeated();
        let begun = self.unfinished.get(..self.shown).unwrap_or_default();
        format!("{}{}", String::from_utf8_lossy(lines), String::from_utf8_lossy(begun))
    }

    /// Where the lines begin that are to be repeated: enough of them, and such that they stand there once.
    fn first_repeated(&self, is_all: bool) -> usize {
        let mut from = self.before.len();
        let mut lines = 0;
        loop {
            let Some(before) = self.before.get(..from.saturating_sub(1)).filter(|_| from > 0) else {
                return from;
            };
            let next = match memrchr(b'\n', before) {
                Some(newline) => newline + 1,
                // The tail may begin within a line.
                None if is_all => 0,
                None => return from,
            };
            if lines > 0 && (lines >= LINES || self.before.len() - next > BYTES) {
                return from;
            }
            from = next;
            lines += 1;
            let repeated = self.before.get(from..).unwrap_or_default();
            if weight(repeated) >= WEIGHT && !self.stands_twice(from) {
                return from;
            }
        }
    }

    /// Whether the lines from `from` on stand in another place, too.
    fn stands_twice(&self, from: usize) -> bool {
        let lines = plain_lines(self.before.get(from..).unwrap_or_default());
        let mut all = plain_lines(self.before);
        all.extend(plain_lines(self.unfinished));
        // The last line may become any that begins like it.
        let last = all.len().saturating_sub(1);
        let fits = |(at, line): (usize, &Vec<u8>), wanted: &Vec<u8>| {
            line == wanted || (at == last && wanted.starts_with(line))
        };
        let stands = |start: &usize| {
            let found = all.iter().enumerate().skip(*start);
            lines.iter().zip(found).all(|(wanted, found)| fits(found, wanted))
        };
        !lines.is_empty() && (0..(all.len() + 1).saturating_sub(lines.len())).filter(stands).count() > 1
    }

    /// Looks for the seam in the beginning of an answer. `is_whole`: no more of it will come. `digest` is that of the content
    /// before the seam.
    pub(super) fn search(&self, answer: &[u8], is_whole: bool, digest: &PlainDigest) -> SeamSearch {
        let lines = answer_lines(answer, is_whole);
        let wanted: Vec<&[u8]> = self
            .repeated()
            .split_inclusive(|byte| *byte == b'\n')
            .map(without_end)
            .filter(|line| weight(line) > 0)
            .collect();
        let content: Vec<&AnswerLine<'_>> = lines.iter().filter(|line| weight(line.text) > 0).collect();
        let mut altered = false;
        if wanted.is_empty() {
            // Nothing stands before the line that was cut.
            return self.first_line(answer, &content, is_whole);
        }
        let plain_wanted: Vec<Vec<u8>> = wanted.iter().map(|line| plain(line)).collect();
        let plain_content: Vec<Vec<u8>> = content.iter().map(|line| plain(line.text)).collect();
        for at in 0..content.len() {
            let Some(found) = plain_content.get(at..at + wanted.len()) else { break };
            if found != plain_wanted {
                continue;
            }
            let Some(repeated) = content.get(at..at + wanted.len()) else { break };
            let Some(last) = repeated.last().filter(|last| last.is_ended || is_whole) else {
                return SeamSearch::Open;
            };
            if !self.may_precede(content.get(..at).unwrap_or_default(), answer, last.end, digest) {
                altered = true;
                continue;
            }
            // What is repeated twice is no place to go on from.
            let again = plain_content.get(at + wanted.len()..).unwrap_or_default();
            if again.starts_with(&plain_wanted) {
                altered = true;
                continue;
            }
            let is_exact = repeated.iter().zip(&wanted).all(|(line, wanted)| is_same(line.text, wanted));
            match self.behind(answer, last.end, is_exact, is_whole) {
                SeamSearch::Altered => altered = true,
                verdict => return verdict,
            }
        }
        if !is_whole {
            return SeamSearch::Open;
        }
        match self.unanchored(answer, &content) {
            Some(place) => SeamSearch::Found(place),
            None if altered => SeamSearch::Altered,
            None => SeamSearch::Open,
        }
    }

    /// What follows the repeated lines, at `from` of the answer: the line that was cut, behind blank lines perhaps.
    fn behind(&self, answer: &[u8], from: usize, is_exact: bool, is_whole: bool) -> SeamSearch {
        let rest = answer.get(from..).unwrap_or_default();
        if self.unfinished.is_empty() {
            return self.behind_lines(rest, from, is_exact, is_whole);
        }
        let blank = rest
            .split_inclusive(|byte| *byte == b'\n')
            .take_while(|line| weight(line) == 0 && line.ends_with(b"\n"));
        let at = from + blank.map(<[u8]>::len).sum::<usize>();
        let rest = answer.get(at..).unwrap_or_default();
        if rest.trim_ascii().is_empty() {
            // It repeated what it was asked, and no more.
            let nothing = SeamPlace { skip: answer.len(), back: 0, is_doubtful: false };
            return if is_whole { SeamSearch::Found(nothing) } else { SeamSearch::Open };
        }
        if rest.starts_with(self.unfinished) {
            return self.repeated_whole(rest, at, is_whole);
        }
        if self.unfinished.starts_with(rest) && !is_whole {
            return SeamSearch::Open;
        }
        if self.is_cut_end_at(rest) {
            return if is_exact { SeamSearch::Found(self.place(at)) } else { SeamSearch::Altered };
        }
        // The line that was cut comes anew with other words; one that ends before the place of the cut was broken there.
        let begun = self.unfinished.get(..self.shown).unwrap_or_default();
        let end = memchr(b'\n', rest);
        let anew = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let is_ended = end.is_some() || is_whole;
        let is_one = !self.unfinished.trim_ascii_end().contains(&b'\n');
        let is_begun = is_one
            && weight(begun) >= BEGUN
            && rest.starts_with(begun)
            && weight(anew) >= weight(self.unfinished);
        match (is_exact && is_begun, is_ended) {
            (true, true) => SeamSearch::Found(self.place(at)),
            (_, true) => SeamSearch::Altered,
            (_, false) => SeamSearch::Open,
        }
    }

    /// What follows the repeated lines where no line was cut. Blank lines at the end of the file are repeated or not; more of
    /// them are new.
    fn behind_lines(&self, rest: &[u8], from: usize, is_exact: bool, is_whole: bool) -> SeamSearch {
        let known =
            self.before.rsplit(|byte| *byte == b'\n').skip(1).take_while(|line| weight(line) == 0).count();
        let blank = rest.split_inclusive(|byte| *byte == b'\n').take(known);
        let skip: usize =
            blank.take_while(|line| weight(line) == 0 && line.ends_with(b"\n")).map(<[u8]>::len).sum();
        match (skip < rest.len() || is_whole, is_exact) {
            (false, _) => SeamSearch::Open,
            (true, true) => SeamSearch::Found(self.place(from + skip)),
            (true, false) => SeamSearch::Altered,
        }
    }

    /// The line that was cut is repeated at `at`, where `rest` of the answer begins.
    fn repeated_whole(&self, rest: &[u8], at: usize, is_whole: bool) -> SeamSearch {
        let was_shown = self.shown == self.unfinished.len();
        if self.unfinished.ends_with(b"\n") && !was_shown {
            return SeamSearch::Found(self.place(at));
        }
        let next = rest.get(self.unfinished.len()..).unwrap_or_default();
        // A model that ends the line where it was shown to be cut may have put a line end into it.
        match next.first() {
            None if !is_whole => SeamSearch::Open,
            None | Some(b'\n' | b'\r') if was_shown => SeamSearch::Altered,
            _ => SeamSearch::Found(self.place(at)),
        }
    }

    /// Whether an end line stands where one was cut.
    fn is_cut_end_at(&self, rest: &[u8]) -> bool {
        let last = memrchr(b'\n', self.unfinished).map_or(0, |newline| newline + 1);
        let (lines, cut) = self.unfinished.split_at(last);
        let is_end = |end: &[u8]| {
            cut.len() > 1
                && end.starts_with(cut)
                && rest.get(last..).is_some_and(|rest| rest.starts_with(end))
        };
        rest.starts_with(lines) && (is_end(self.marker.as_bytes()) || is_end(b"DONE"))
    }

    /// An answer to a request for a file of which there is nothing but the line that was cut.
    fn first_line(&self, answer: &[u8], content: &[&AnswerLine<'_>], is_whole: bool) -> SeamSearch {
        let begins = |line: &&&AnswerLine<'_>| {
            answer.get(line.start..).is_some_and(|rest| rest.starts_with(self.unfinished))
                || self.unfinished.is_empty()
        };
        match content.iter().take(WORDS + 1).find(begins) {
            Some(line) => SeamSearch::Found(self.place(line.start)),
            None if is_whole || answer.len() > WORD_BYTES + self.unfinished.len() => SeamSearch::Altered,
            None => SeamSearch::Open,
        }
    }

    fn place(&self, skip: usize) -> SeamPlace {
        SeamPlace { skip, back: self.unfinished.len(), is_doubtful: self.stands_twice(self.from) }
    }

    /// Whether what comes before the repeated lines may be left out: a few words to the reader, then perhaps more lines of
    /// the end than were asked for; or the file from its beginning. `end` is where the repeated lines end.
    fn may_precede(
        &self,
        lines: &[&AnswerLine<'_>],
        answer: &[u8],
        end: usize,
        digest: &PlainDigest,
    ) -> bool {
        let earlier = plain_lines(self.before.get(..self.from).unwrap_or_default());
        if is_preamble(without_repeated(lines, &earlier)) {
            return true;
        }
        // The whole file comes once more: it must be the same, but for blanks.
        let is_again = |start: usize| PlainDigest::of(answer.get(start..end).unwrap_or_default()) == *digest;
        lines.iter().take(WORDS + 2).any(|line| is_again(line.start))
    }

    /// A place that is proven by the line that was cut alone.
    fn unanchored(&self, answer: &[u8], content: &[&AnswerLine<'_>]) -> Option<SeamPlace> {
        let unfinished = self.unfinished;
        let withheld = unfinished.get(self.shown..).unwrap_or_default();
        let begun = plain(unfinished.split(|byte| *byte == b'\n').next().unwrap_or_default());
        let before = plain_lines(self.before);
        let is_known = before.iter().any(|line| line.starts_with(&begun));
        let is_here =
            |line: &AnswerLine<'_>| answer.get(line.start..).is_some_and(|rest| rest.starts_with(unfinished));
        let proves = weight(withheld) >= 2 || self.shown == unfinished.len();
        if weight(unfinished) >= PROOF && proves && !is_known {
            for (at, line) in content.iter().enumerate().take(WORDS + LINES) {
                let words =
                    outside_reasoning(without_repeated(content.get(..at).unwrap_or_default(), &before));
                let is_said = |line: &&&AnswerLine<'_>| {
                    let text = String::from_utf8_lossy(line.text);
                    is_sentence(&text)
                        || is_opening(&text)
                        || is_fence(line.text)
                        || plain(line.text).is_empty()
                };
                let rest = answer.get(line.start..).unwrap_or_default();
                if is_here(line)
                    && words.iter().all(|line| is_said(&line))
                    && let SeamSearch::Found(place) = self.repeated_whole(rest, line.start, true)
                {
                    return Some(place);
                }
            }
        }
        // It goes on within the line: from a word that it was shown, or behind what it was shown.
        let most = unfinished.len().min(answer.len());
        let ends = |length: &usize| {
            answer.starts_with(unfinished.get(unfinished.len() - length..).unwrap_or_default())
        };
        let overlap = (1..=most).rev().find(ends)?;
        let is_within = overlap < unfinished.len() || !is_known;
        let proves = overlap >= withheld.len() && weight(withheld) >= 2;
        let is_heavy = weight(answer.get(..overlap)?) >= PROOF;
        (proves && is_heavy && is_within).then_some(SeamPlace { skip: overlap, back: 0, is_doubtful: false })
    }
}

/// The joint within the lines that were taken back, which `new` has anew. Where too little had come of the line that was cut, the
/// whole line before it is the last that is proven; where nothing had, that one is the last that is known.
pub(crate) fn joint_in(taken: &[u8], new: &[u8]) -> Joint {
    let cut = memrchr(b'\n', taken).map_or(0, |newline| newline + 1);
    let (whole, begun) = taken.split_at(cut);
    if !new.starts_with(whole) {
        return Joint::at(0);
    }
    let line_before = memrchr(b'\n', whole.trim_ascii_end()).map_or(0, |newline| newline + 1);
    let (proven, cut) = match weight(begun) {
        0 => (line_before, line_before),
        1..CUT => (line_before, cut),
        _ => (cut, cut),
    };
    Joint { proven: proven as u64, cut: cut as u64 }
}

/// How much of a line that was cut is shown: not its last word, which proves that the model knows the place.
fn shown(line: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte >= 0x80;
    let mut end = line.trim_ascii_end().len();
    let kind = end.checked_sub(1).and_then(|last| line.get(last)).is_some_and(is_word);
    while let Some(byte) = end.checked_sub(1).and_then(|last| line.get(last))
        && is_word(byte) == kind
        && !byte.is_ascii_whitespace()
    {
        end -= 1;
    }
    // At least two bytes are kept back.
    let withheld = line.len() - end;
    if withheld < 3 { shown_before(line, end) } else { end }
}

fn shown_before(line: &[u8], end: usize) -> usize {
    let end = line.get(..end).unwrap_or_default().trim_ascii_end().len();
    let word = line.get(..end).unwrap_or_default().iter().rposition(u8::is_ascii_whitespace);
    word.map_or(0, |blank| blank + 1)
}
