//! What is looked for in texts, words or a pattern, and what takes its place.
//!
//! Patterns take time linear in the text (the crate `regex`). Must never let a pattern see inline objects: it reads the text as
//! people do.

use std::fmt::Write as _;
use std::ops::Range;

use regex::{Captures, Regex, RegexBuilder};

use super::folding::{Folding, LetterCase, OBJECT, fold};
use super::matching::{Graphemes, Match, MatchRules, find_by, is_whole_word};

/// How long a pattern may be, in bytes, and how large when it is compiled.
const LONGEST_PATTERN: usize = 2_000;
const LARGEST_PATTERN: usize = 1 << 20;

/// Words or a pattern, and the rules by which they are found.
#[derive(Debug, Clone)]
pub(crate) struct Finder {
    needle: Needle,
    rules: MatchRules,
}

#[derive(Debug, Clone)]
enum Needle {
    Words(String),
    Pattern(Box<Regex>),
}

impl Finder {
    /// Finds words.
    pub(crate) fn words(words: impl Into<String>, rules: MatchRules) -> Self {
        Self { needle: Needle::Words(words.into()), rules }
    }

    /// Finds what a regular expression fits; an error says what is wrong with it.
    pub(crate) fn pattern(pattern: &str, rules: MatchRules) -> Result<Self, String> {
        if pattern.is_empty() || pattern.len() > LONGEST_PATTERN {
            return Err(format!("a pattern has between 1 and {LONGEST_PATTERN} bytes"));
        }
        let compiled = RegexBuilder::new(pattern)
            .case_insensitive(rules.case == LetterCase::Ignored)
            .size_limit(LARGEST_PATTERN)
            .build();
        match compiled {
            Ok(pattern) => Ok(Self { needle: Needle::Pattern(Box::new(pattern)), rules }),
            Err(error) => Err(format!("'{pattern}' is no regular expression: {error}")),
        }
    }

    /// Finds other words by the same rules.
    pub(crate) fn with_words(&self, words: impl Into<String>) -> Self {
        Self::words(words, self.rules)
    }

    /// The words, unless it is a pattern.
    pub(crate) fn phrase(&self) -> Option<&str> {
        match &self.needle {
            Needle::Words(words) => Some(words),
            Needle::Pattern(_) => None,
        }
    }

    /// The words or the pattern, for messages.
    pub(crate) fn shown(&self) -> &str {
        match &self.needle {
            Needle::Words(words) => words,
            Needle::Pattern(pattern) => pattern.as_str(),
        }
    }

    /// Every place where it occurs, from left to right, without overlaps; never an empty one.
    pub(crate) fn find(&self, text: &str) -> Vec<Match> {
        match &self.needle {
            Needle::Words(words) => find_by(text, words, self.rules),
            Needle::Pattern(_) => self.hits(text).into_iter().map(|(found, _)| found).collect(),
        }
    }

    /// The same with what takes the place of each: `template` with the groups of the pattern, written by `escape`.
    pub(crate) fn replacements(
        &self,
        text: &str,
        template: &Template,
        escape: fn(&str) -> String,
    ) -> Vec<(Range<usize>, String)> {
        let hits = self.hits(text).into_iter();
        hits.map(|(found, groups)| (found.range, template.fill(&groups, escape))).collect()
    }

    /// The hits of a pattern with the texts of its groups.
    fn hits(&self, text: &str) -> Vec<(Match, Vec<String>)> {
        let Needle::Pattern(pattern) = &self.needle else { return Vec::new() };
        let folded = text.contains(OBJECT).then(|| fold(text, Folding::Objects));
        let plain = folded.as_ref().map_or(text, |folded| folded.text.as_str());
        let graphemes = Graphemes::of(text);
        let hit = |captures: Captures<'_>| {
            let range = captures.get(0)?.range();
            let range = match &folded {
                Some(folded) if !range.is_empty() => folded.source(&range)?,
                _ => range,
            };
            let range = graphemes.whole(range).filter(|range| !range.is_empty())?;
            let fits = !self.rules.whole_words || is_whole_word(text, &range);
            let group = |number| captures.get(number).map_or("", |group| group.as_str()).to_owned();
            fits.then(|| (Match { range, exact: true }, (0..captures.len()).map(group).collect()))
        };
        pattern.captures_iter(plain).filter_map(hit).collect()
    }
}

/// A replacement with `$1` for the first group of a pattern, `$0` for all that was found and `$$` for a dollar.
#[derive(Debug, Clone)]
pub(crate) struct Template(Vec<Piece>);

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Group(usize),
}

impl Template {
    /// Reads a replacement for what `finder` finds; for words it is taken as it stands.
    pub(crate) fn parse(replacement: &str, finder: &Finder) -> Result<Self, String> {
        let Needle::Pattern(pattern) = &finder.needle else {
            return Ok(Self(vec![Piece::Text(replacement.to_owned())]));
        };
        let mut pieces = Vec::new();
        let mut text = String::new();
        let mut rest = replacement;
        while let Some((before, after)) = rest.split_once('$') {
            text.push_str(before);
            rest = after;
            if let Some(after) = rest.strip_prefix('$') {
                text.push('$');
                rest = after;
                continue;
            }
            let (name, after) = match rest.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
                Some(braced) => braced,
                None => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
            };
            let group = match name.parse::<usize>() {
                Ok(number) => Some(number).filter(|number| *number < pattern.captures_len()),
                Err(_) => pattern.capture_names().position(|known| known == Some(name)),
            };
            let Some(group) = group else {
                let mut message = format!("the pattern has no group '${name}'");
                let _ = write!(message, "; its groups are $0 to ${}", pattern.captures_len() - 1);
                return Err(message + ", and $$ is a dollar");
            };
            pieces.push(Piece::Text(std::mem::take(&mut text)));
            pieces.push(Piece::Group(group));
            rest = after;
        }
        text.push_str(rest);
        pieces.push(Piece::Text(text));
        Ok(Self(pieces))
    }

    fn fill(&self, groups: &[String], escape: fn(&str) -> String) -> String {
        let text = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Group(number) => escape(groups.get(*number).map_or("", String::as_str)),
        };
        self.0.iter().map(text).collect()
    }
}
