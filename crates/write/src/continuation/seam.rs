//! The seam between a file that was cut and its continuation: where it is, what proves it, and where it is in an answer.
//!
//! Must never take a place for the seam that is only likely. The seam is the beginning of the line that was cut; that line is
//! taken back and comes anew. The model is asked to repeat the lines before it and a part of it. What it was not shown of the
//! line is the proof: who writes it knows the place.

use memchr::{memchr, memrchr};

use super::digest::PlainDigest;
use super::lines::{is_fence, is_same, plain, weight, without_end};
use super::recent::RecentContent;

/// What the lines that are repeated weigh at least, in bytes that are no blanks.
const WEIGHT: usize = 24;
/// So many lines are repeated at most, and so many bytes.
const LINES: usize = 16;
const BYTES: usize = 1500;
/// What a part of a line weighs that proves a place by itself.
const PROOF: usize = 8;
/// Words before the repeated lines: so many lines at most, and so many bytes.
const WORDS: usize = 8;
const WORD_BYTES: usize = 800;
/// The longest line that is taken back.
pub(super) const LINE: usize = 4000;

/// Where a file was cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seam<'a> {
    /// The end of the content, up to the line that was cut.
    before: &'a [u8],
    /// Where in it the lines to be repeated begin.
    from: usize,
    /// The line that was cut.
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
        let start = memrchr(b'\n', tail).map_or(0, |newline| newline + 1);
        if (start == 0 && recent.total() > tail.len() as u64) || tail.len() - start > LINE {
            return None;
        }
        let (before, unfinished) = tail.split_at(start);
        let shown = if is_again { unfinished.len() } else { shown(unfinished) };
        let mut seam = Self { before, from: before.len(), unfinished, shown, marker };
        seam.from = seam.first_repeated(recent.total() == tail.len() as u64);
        Some(seam)
    }

    /// What the model is asked to repeat.
    pub(crate) fn repeat(&self) -> String {
        let lines = self.before.get(self.from..).unwrap_or_default();
        let begun = self.unfinished.get(..self.shown).unwrap_or_default();
        format!("{}{}", String::from_utf8_lossy(lines), String::from_utf8_lossy(begun))
    }

    /// Bytes of the line that was cut.
    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished.len()
    }

    /// Where the lines begin that are to be repeated: enough of them, and such that they stand there once.
    fn first_repeated(&self, is_all: bool) -> usize {
        let mut from = self.before.len();
        let mut lines = 0;
        loop {
            let Some(before) = self.before.get(..from.saturating_sub(1)).filter(|_| from > 0) else { return from };
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
            if weight(repeated) >= WEIGHT && !self.stands_before(from) {
                return from;
            }
        }
    }

    /// Whether the lines from `from` on stand earlier, too.
    fn stands_before(&self, from: usize) -> bool {
        let lines = plain_lines(self.before.get(from..).unwrap_or_default());
        let earlier = plain_lines(self.before);
        let last = earlier.len().saturating_sub(lines.len());
        earlier.windows(lines.len().max(1)).take(last).any(|window| window == lines)
    }

    /// Looks for the seam in the beginning of an answer. `is_whole`: no more of it will come. `digest` is that of the content
    /// before the seam.
    pub(super) fn search(&self, answer: &[u8], is_whole: bool, digest: &PlainDigest) -> SeamSearch {
        let lines = answer_lines(answer, is_whole);
        let wanted: Vec<&[u8]> = self.before.get(self.from..).unwrap_or_default().split_inclusive(|b| *b == b'\n').collect();
        let wanted: Vec<&[u8]> = wanted.into_iter().map(without_end).filter(|line| weight(line) > 0).collect();
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
            let Some(last) = repeated.last().filter(|last| last.is_ended || is_whole) else { return SeamSearch::Open };
            if !self.may_precede(content.get(..at).unwrap_or_default(), answer, last.end, digest) {
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

    /// What follows the repeated lines, at `from` of the answer.
    fn behind(&self, answer: &[u8], from: usize, is_exact: bool, is_whole: bool) -> SeamSearch {
        let rest = answer.get(from..).unwrap_or_default();
        let blanks = self.before.rsplit(|byte| *byte == b'\n').skip(1).take_while(|line| weight(line) == 0).count();
        if self.is_free() {
            // Blank lines at the end of the file are repeated or not; more of them are new.
            let (mut skip, mut lines) = (from, 0);
            for line in rest.split_inclusive(|byte| *byte == b'\n').take(blanks) {
                if weight(line) > 0 || (!line.ends_with(b"\n") && !is_whole) {
                    break;
                }
                skip += line.len();
                lines += 1;
            }
            let is_open = lines < blanks && answer.len() == skip && !is_whole;
            return match (is_open, is_exact) {
                (true, _) => SeamSearch::Open,
                (false, true) => SeamSearch::Found(self.place(skip, self.unfinished.len())),
                (false, false) => SeamSearch::Altered,
            };
        }
        let blank = rest.split_inclusive(|byte| *byte == b'\n').take_while(|line| weight(line) == 0 && line.ends_with(b"\n"));
        let skip = from + blank.map(<[u8]>::len).sum::<usize>();
        self.unfinished_at(answer, skip, is_exact, is_whole)
    }

    /// Whether the line at `at` of the answer is the one that was cut.
    fn unfinished_at(&self, answer: &[u8], at: usize, is_exact: bool, is_whole: bool) -> SeamSearch {
        let rest = answer.get(at..).unwrap_or_default();
        let end = memchr(b'\n', rest);
        let line = without_end(rest.get(..end.map_or(rest.len(), |end| end + 1)).unwrap_or_default());
        let is_ended = end.is_some() || is_whole;
        if line.starts_with(self.unfinished) {
            // A model that ends the line where it was shown to be cut may have put a line end into it.
            let is_closed = line.len() == self.unfinished.len();
            let was_shown = self.shown == self.unfinished.len();
            return match (is_closed, is_ended) {
                (true, false) => SeamSearch::Open,
                (true, true) if was_shown => SeamSearch::Altered,
                _ => SeamSearch::Found(self.place(at, self.unfinished.len())),
            };
        }
        if !is_ended && self.unfinished.starts_with(line) {
            return SeamSearch::Open;
        }
        if line.is_empty() && is_whole {
            // It repeated what it was asked, and no more.
            return SeamSearch::Found(SeamPlace { skip: answer.len(), back: 0, is_doubtful: false });
        }
        let begun = self.unfinished.get(..self.shown).unwrap_or_default();
        let is_begun = weight(begun) > 3 && line.starts_with(begun) && !is_same(line, begun);
        if is_exact && is_begun && is_ended {
            // The line that was cut comes anew with other words.
            return SeamSearch::Found(self.place(at, self.unfinished.len()));
        }
        if is_ended { SeamSearch::Altered } else { SeamSearch::Open }
    }

    /// An answer that begins the only line anew.
    fn first_line(&self, answer: &[u8], content: &[&AnswerLine<'_>], is_whole: bool) -> SeamSearch {
        let begins = |line: &&&AnswerLine<'_>| line.text.starts_with(self.unfinished) || self.is_free();
        match content.iter().take(WORDS).find(begins) {
            Some(line) => SeamSearch::Found(self.place(line.start, self.unfinished.len())),
            None if is_whole || answer.len() > WORD_BYTES => SeamSearch::Altered,
            None => SeamSearch::Open,
        }
    }

    /// Whether the line that was cut says nothing: it is blank, or may be the end line that was cut.
    fn is_free(&self) -> bool {
        self.unfinished.is_empty() || (self.unfinished.len() > 1 && self.is_cut_end())
    }

    fn is_cut_end(&self) -> bool {
        self.marker.as_bytes().starts_with(self.unfinished) || b"DONE".starts_with(self.unfinished)
    }

    fn place(&self, skip: usize, back: usize) -> SeamPlace {
        SeamPlace { skip, back, is_doubtful: self.stands_before(self.from) }
    }

    /// Whether what comes before the repeated lines may be left out: words to the reader, more lines than were asked for, or
    /// the file from its beginning. `end` is where the repeated lines end.
    fn may_precede(&self, lines: &[&AnswerLine<'_>], answer: &[u8], end: usize, digest: &PlainDigest) -> bool {
        let known = plain_lines(self.before);
        let (mut words, mut bytes, mut thinks, mut last_known) = (0, 0, false, 0);
        for line in lines {
            let text = line.text.trim_ascii();
            thinks |= text.starts_with(b"<think");
            if thinks {
                thinks = memchr::memmem::find(text, b"</think").is_none();
                continue;
            }
            if is_fence(text) {
                continue;
            }
            if known.contains(&plain(text)) {
                last_known += 1;
                continue;
            }
            words += 1;
            bytes += text.len();
        }
        if words <= WORDS && bytes <= WORD_BYTES && last_known <= 64 {
            return true;
        }
        // The whole file comes once more: it must be the same, but for blanks.
        let mut start = 0;
        let starts = lines.iter().map(|line| line.start);
        for line in starts.take(WORDS) {
            start = line;
            let again = PlainDigest::of(answer.get(start..end).unwrap_or_default());
            if again == *digest {
                return true;
            }
        }
        let _ = start;
        false
    }

    /// A place that is proven by the line that was cut alone.
    fn unanchored(&self, answer: &[u8], content: &[&AnswerLine<'_>]) -> Option<SeamPlace> {
        let unfinished = self.unfinished;
        let withheld = unfinished.get(self.shown..).unwrap_or_default();
        let is_known = plain_lines(self.before).iter().any(|line| line.starts_with(&plain(unfinished)));
        if weight(unfinished) >= PROOF && weight(withheld) >= 2 && !is_known {
            let place = content.iter().take(WORDS).find(|line| line.text.starts_with(unfinished));
            if let Some(line) = place {
                return Some(self.place(line.start, unfinished.len()));
            }
        }
        // It goes on within the line: from a word that it was shown, or behind what it was shown.
        let most = unfinished.len().min(answer.len());
        let overlap = (1..=most).rev().find(|length| {
            answer.starts_with(unfinished.get(unfinished.len() - length..).unwrap_or_default())
        })?;
        let repeated = answer.get(..overlap)?;
        let proves = overlap >= withheld.len() && weight(withheld) >= 2 && weight(repeated) >= PROOF;
        proves.then_some(SeamPlace { skip: overlap, back: 0, is_doubtful: false })
    }
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

/// One line of an answer.
#[derive(Debug, Clone, Copy)]
struct AnswerLine<'a> {
    text: &'a [u8],
    start: usize,
    /// Where the next one begins.
    end: usize,
    is_ended: bool,
}

fn answer_lines(answer: &[u8], is_whole: bool) -> Vec<AnswerLine<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in answer.split_inclusive(|byte| *byte == b'\n') {
        let end = start + line.len();
        lines.push(AnswerLine { text: without_end(line), start, end, is_ended: line.ends_with(b"\n") || is_whole });
        start = end;
    }
    lines
}

fn plain_lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split(|byte| *byte == b'\n').map(plain).filter(|line| !line.is_empty()).collect()
}
