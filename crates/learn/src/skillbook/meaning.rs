//! Says whether two lessons mean the same, by words alone: stems, synonyms, values, polarity and order.
//!
//! Must never take *use port 80* and *use port 81*, or a lesson and its opposite, for one. What words cannot tell it calls
//! near; a model or a person may know.

use std::collections::BTreeSet;

use super::words::{canonical, is_negation, is_stop, raw_words};

/// How two lessons relate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Likeness {
    /// They say the same.
    Same,
    /// They are about the same matter, and nothing in them disagrees.
    Near,
    /// They are two things.
    Other,
    /// One forbids what the other asks for.
    Opposite,
}

/// How much of the shorter one must stand in the other, without a value that both name.
const SHARE: f64 = 0.6;

/// The same with such a value.
const SHARE_WITH_VALUE: f64 = 0.5;

/// How much of the shorter one makes lessons near.
const SHARE_NEAR: f64 = 0.3;

/// How much of the shorter clause must be shared for two clauses to be opposed.
const OPPOSED: f64 = 0.75;

/// Words that seldom tell two lessons apart.
const WEAK: &[&str] = &[
    "ask", "belong", "file", "folder", "forward", "further", "future", "give", "go", "going", "here", "like",
    "more", "most", "name", "new", "now", "once", "pass", "project", "put", "set", "take", "thing", "time",
    "value", "want", "way", "work",
];

/// Where a new clause begins that says what not to do.
const CONTRASTS: &[&str] = &[", not ", " rather than ", " instead of ", ", never "];

/// Where a reason or an aside begins, which is a clause of its own.
const ASIDES: &[&str] = &[
    ", i ",
    ", we ",
    ", they ",
    ", it ",
    ", you ",
    ", because ",
    " because ",
    ", since ",
    ", as ",
    " so that ",
];

/// A lesson as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Meaning {
    words: Vec<String>,
    clauses: Vec<Clause>,
    earlier: BTreeSet<String>,
    later: BTreeSet<String>,
    /// What stands in quotation marks, word for word.
    quoted: Vec<String>,
    /// The numbers that are the least, not the most.
    least: BTreeSet<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct Clause {
    is_turned: bool,
    words: BTreeSet<String>,
}

/// How two lessons relate.
#[must_use]
pub fn likeness(one: &str, other: &str) -> Likeness {
    Meaning::of(one).likeness(&Meaning::of(other))
}

impl Meaning {
    pub(crate) fn of(text: &str) -> Self {
        let (text, least) = bounded(text);
        let text = text.as_str();
        let clauses = clauses(text);
        // What a lesson warns of is an example, and may be another one each time.
        let asked: Vec<&str> =
            clauses.iter().filter(|(_, is_against)| !is_against).map(|(text, _)| text.as_str()).collect();
        let words = ordered(&asked.join(" "));
        let clauses = clauses
            .into_iter()
            .map(|(text, is_against)| Clause {
                is_turned: is_against || is_turned(&text),
                words: ordered(&text).into_iter().collect(),
            })
            .filter(|clause| !clause.words.is_empty())
            .collect();
        let (earlier, later) = order(text);
        // The odd parts stand between two marks, unless a mark has no other.
        let parts: Vec<&str> = text.split('"').collect();
        let is_paired = parts.len() % 2 == 1;
        let quoted = parts.iter().skip(1).step_by(2).filter(|_| is_paired).map(|part| part.to_lowercase());
        Self { words, clauses, earlier, later, quoted: quoted.collect(), least }
    }

    /// How this lesson and another relate.
    pub(crate) fn likeness(&self, other: &Self) -> Likeness {
        // Who quotes means these very words, in this order.
        let quotes = self.quoted.len();
        if quotes > 0 && quotes == other.quoted.len() && self.quoted != other.quoted {
            let (mut mine, mut theirs) = (self.quoted.clone(), other.quoted.clone());
            mine.sort();
            theirs.sort();
            return if mine == theirs { Likeness::Opposite } else { Likeness::Other };
        }
        if self.is_opposed(other) {
            return Likeness::Opposite;
        }
        if self.has_other_bounds(other)
            || self.has_other_values(other)
            || self.is_exchanged(other)
            || self.is_reversed(other)
        {
            return Likeness::Other;
        }
        let (mine, theirs) = (self.strong(), other.strong());
        let shared: Vec<&&String> =
            mine.iter().filter(|word| theirs.iter().any(|known| is_one_word(word, known))).collect();
        let values = shared.iter().filter(|word| is_value(word)).count();
        let smaller = mine.len().min(theirs.len());
        let share = ratio(shared.len(), smaller);
        let is_same = values >= 2
            || values >= 1 && shared.len() >= 2 && share >= SHARE_WITH_VALUE
            || shared.len() >= 2 && smaller >= 3 && share >= SHARE
            || smaller >= 1 && mine.len() == theirs.len() && shared.len() == smaller;
        match is_same {
            true if self.is_turned_like(other) => Likeness::Same,
            true => Likeness::Near,
            false if !shared.is_empty() && share >= SHARE_NEAR => Likeness::Near,
            false => Likeness::Other,
        }
    }

    /// Whether it can be the opposite of another lesson that is not as this one: it forbids something, or quotes.
    pub(crate) fn may_oppose(&self) -> bool {
        !self.quoted.is_empty() || self.clauses.iter().any(|clause| clause.is_turned)
    }

    fn strong(&self) -> BTreeSet<&String> {
        self.words.iter().filter(|word| WEAK.binary_search(&word.as_str()).is_err()).collect()
    }

    /// Whether a clause of one forbids what a clause of the other asks for.
    fn is_opposed(&self, other: &Self) -> bool {
        self.clauses.iter().any(|mine| {
            other.clauses.iter().any(|theirs| {
                let shared = mine.words.intersection(&theirs.words).count();
                let smaller = mine.words.len().min(theirs.words.len());
                mine.is_turned != theirs.is_turned && shared >= 2 && ratio(shared, smaller) >= OPPOSED
            })
        })
    }

    /// Whether the clauses that are about the same are turned alike.
    fn is_turned_like(&self, other: &Self) -> bool {
        let pairs = self.clauses.iter().flat_map(|mine| {
            other
                .clauses
                .iter()
                .map(move |theirs| (mine.words.intersection(&theirs.words).count(), mine, theirs))
        });
        let best = pairs.max_by_key(|(shared, mine, theirs)| (*shared, mine.is_turned == theirs.is_turned));
        best.is_none_or(|(_, mine, theirs)| mine.is_turned == theirs.is_turned)
    }

    /// Whether each names a value, of the same kind, that the other does not.
    fn has_other_values(&self, other: &Self) -> bool {
        let only = |one: &Self, other: &Self, is: fn(&str) -> bool| {
            one.words.iter().any(|word| is(word) && !other.words.contains(word))
        };
        let differs = |is: fn(&str) -> bool| only(self, other, is) && only(other, self, is);
        differs(is_number) || differs(is_name)
    }

    /// Whether a number is the least in one and the most in the other.
    fn has_other_bounds(&self, other: &Self) -> bool {
        let differs = |one: &Self, other: &Self| {
            one.least.iter().any(|number| other.words.contains(number) && !other.least.contains(number))
        };
        differs(self, other) || differs(other, self)
    }

    /// Whether one has a word in the place where the other has another one.
    fn is_exchanged(&self, other: &Self) -> bool {
        let rest = |one: &Self, other: &Self| -> (Vec<String>, usize) {
            let (mut kept, mut left) = (Vec::new(), 0);
            for word in &one.words {
                match other.words.iter().find(|known| is_one_word(word, known)) {
                    Some(known) => kept.push(word.min(known).clone()),
                    None if WEAK.binary_search(&word.as_str()).is_ok() => {}
                    None => left += 1,
                }
            }
            (kept, left)
        };
        let ((mine, left), (theirs, also_left)) = (rest(self, other), rest(other, self));
        let is_slot = left == also_left && (1..=2).contains(&left);
        is_slot && !mine.is_empty() && (mine == theirs || left == 1 && self.words.len() == other.words.len())
    }

    /// Whether what comes first in one comes last in the other.
    fn is_reversed(&self, other: &Self) -> bool {
        let has = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            one.difference(other).next().is_some() || one.is_empty()
        };
        let crosses = |one: &BTreeSet<String>, there: &BTreeSet<String>, here: &BTreeSet<String>| {
            one.iter().any(|word| there.contains(word) && !here.contains(word))
        };
        has(&self.earlier, &self.later)
            && crosses(&self.earlier, &other.later, &other.earlier)
            && crosses(&self.later, &other.earlier, &other.later)
    }
}

/// How people say that a number is the most, longest first, and that it is the least.
const MOST: &[&str] = &[
    "must not be longer than",
    "must not be more than",
    "not be longer than",
    "not be more than",
    "should not exceed",
    "never longer than",
    "never more than",
    "must not exceed",
    "no longer than",
    "not longer than",
    "no more than",
    "not more than",
    "do not exceed",
    "never exceed",
    "fewer than",
    "not exceed",
    "less than",
    "at most",
    "up to",
    "below",
    "under",
];
const LEAST: &[&str] = &["no fewer than", "no less than", "not less than", "never below", "at least"];

/// What says so too, unless the sentence is turned round: *never more than 50*.
const ABOVE: &[&str] = &["more than", "longer than", "larger than", "above", "over"];

/// A text without the words that bound its numbers, and the numbers that are the least.
fn bounded(text: &str) -> (String, BTreeSet<String>) {
    let mut left = text.to_lowercase();
    let mut least = BTreeSet::new();
    for (phrase, is_least) in
        MOST.iter().map(|most| (most, false)).chain(LEAST.iter().map(|least| (least, true)))
    {
        while let Some((at, number)) = bound_in(&left, phrase) {
            if is_least {
                least.insert(number);
            }
            left.replace_range(at..at + phrase.len(), "");
        }
    }
    for phrase in ABOVE {
        let Some((at, number)) = bound_in(&left, phrase) else { continue };
        let sentence =
            left.get(..at).unwrap_or_default().rsplit(['.', ';', '!', '?']).next().unwrap_or_default();
        if !raw_words(sentence).any(|word| is_negation(&word)) {
            least.insert(number);
        }
    }
    (left, least)
}

/// Where a phrase stands before a number, and the number.
fn bound_in(text: &str, phrase: &str) -> Option<(usize, String)> {
    text.match_indices(phrase).find_map(|(at, _)| {
        let (before, behind) = (text.get(..at)?, text.get(at + phrase.len()..)?.strip_prefix(' ')?);
        let number = canonical(&raw_words(behind).next()?);
        let is_whole = before.is_empty() || before.ends_with([' ', '(', ',']);
        (is_whole && is_number(&number)).then_some((at, number))
    })
}

/// The words that say what a text is about, in order.
fn ordered(text: &str) -> Vec<String> {
    let said = raw_words(text).filter(|word| !is_stop(word) && !is_negation(word));
    let mut words: Vec<String> = Vec::new();
    for word in said.map(|word| canonical(&word)) {
        if !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

/// The clauses of a text, and whether each stands behind *instead of* and the like.
fn clauses(text: &str) -> Vec<(String, bool)> {
    let lower = ASIDES.iter().fold(format!("{} ", text.to_lowercase()), |text, aside| {
        text.replace(aside, &format!("; {}", aside.trim_start_matches([',', ' '])))
    });
    let mut clauses = Vec::new();
    for sentence in
        lower.split([';', '!', '?']).flat_map(|part| part.split(". ")).flat_map(|part| part.split(": "))
    {
        let first = clauses.len();
        let mut rest = sentence;
        let mut is_against = false;
        loop {
            let next = CONTRASTS.iter().filter_map(|words| Some((rest.find(words)?, words.len()))).min();
            let Some((at, length)) = next else { break };
            clauses.push((rest.get(..at).unwrap_or_default().to_owned(), is_against));
            rest = rest.get(at + length..).unwrap_or_default();
            is_against = true;
            // "Use A, not B, in this place": the place is that of A.
            if let Some((against, asked)) =
                rest.split_once(", ").filter(|(against, _)| !against.contains(' '))
            {
                clauses.push((against.to_owned(), true));
                rest = asked;
                is_against = false;
            }
        }
        if is_against || clauses.len() == first {
            clauses.push((rest.to_owned(), is_against));
        } else if let Some((asked, _)) = clauses.iter_mut().rev().find(|(_, is_against)| !is_against) {
            // What goes on behind an aside is one clause with what stood before it.
            asked.push(' ');
            asked.push_str(rest);
        }
    }
    clauses
}

/// Whether an odd number of words turns a clause round. *Never more than 50* allows 50.
fn is_turned(clause: &str) -> bool {
    let words: Vec<String> = raw_words(clause).collect();
    let turns = words.iter().filter(|word| is_negation(word)).count();
    let bounds = words.windows(3).any(|words| match words {
        [first, second, third] => {
            (is_number(&canonical(third)) && second == "than" || is_number(&canonical(second)))
                && matches!(
                    first.as_str(),
                    "more" | "above" | "over" | "beyond" | "larger" | "longer" | "exceed"
                )
        }
        _ => false,
    });
    turns % 2 == 1 && !bounds
}

/// The words of what comes first and of what comes after it, where a text says so.
fn order(text: &str) -> (BTreeSet<String>, BTreeSet<String>) {
    let lower = text.to_lowercase();
    let parts = |words: &str| lower.split_once(words).map(|(left, right)| (ordered(left), ordered(right)));
    let found = [" before ", " ahead of ", ", then "].iter().find_map(|words| parts(words));
    let found = found.or_else(|| parts(" after ").map(|(left, right)| (right, left)));
    let (earlier, later) = found.unwrap_or_default();
    (earlier.into_iter().collect(), later.into_iter().collect())
}

/// Whether two words differ in how they end only: *validate* and *validation*.
fn is_one_word(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    short == long
        || short.len() >= 5 && long.starts_with(short) && long.bytes().all(|byte| byte.is_ascii_lowercase())
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// Whether a word is a name of code: a path, a file, an identifier.
fn is_name(word: &str) -> bool {
    !is_number(word) && word.contains(['_', '/', '.'])
}

/// Whether a word names something that few lessons name: a number of one digit does not.
fn is_value(word: &str) -> bool {
    is_number(word) && word.len() >= 2 || is_name(word)
}

#[expect(clippy::cast_precision_loss, reason = "these are a handful of words")]
fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
