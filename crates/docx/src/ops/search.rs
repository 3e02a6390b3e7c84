//! What an operation looks for, by which rules, and in which stories.

use serde_json::Value;

use crate::ops::place::Occurrence;
use crate::text::{Finder, LetterCase, MatchRules};

/// What an operation looks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Search {
    /// Words or a pattern.
    pub needle: Needle,
    /// Which of several hits.
    pub occurrence: Option<Occurrence>,
    /// In which stories, when no place says so.
    pub scope: SearchScope,
    /// Whether capital and small letters differ.
    pub match_case: bool,
    /// Whether a hit within a longer word is none.
    pub whole_words: bool,
    /// What becomes of hits that cannot be typed into.
    pub fields: FieldPolicy,
}

/// Words or a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Needle {
    /// Words as they stand in the document.
    Words(String),
    /// A regular expression, which is known to be one.
    Pattern(String),
}

/// In which stories an operation looks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SearchScope {
    /// The story of its place, or the body; hits elsewhere are told.
    #[default]
    Unsaid,
    /// All stories but comments, whose words are somebody's own.
    Everywhere,
    /// Stories by name (`footnote:3`) or kind (`footnotes`), and `body`.
    Stories(Vec<String>),
}

/// What becomes of hits in results of fields, lines of a table of contents and other text that cannot be typed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldPolicy {
    /// They stay, and are told.
    #[default]
    Skip,
    /// The operation is refused.
    Refuse,
}

impl Search {
    /// Looks for words as they stand.
    #[must_use]
    pub fn words(words: impl Into<String>) -> Self {
        Self::of(Needle::Words(words.into()))
    }

    pub(super) fn of(needle: Needle) -> Self {
        Self {
            needle,
            occurrence: None,
            scope: SearchScope::Unsaid,
            match_case: true,
            whole_words: false,
            fields: FieldPolicy::Skip,
        }
    }

    /// What finds it, `words` being read in the way of the caller.
    pub(crate) fn finder(&self, words: impl FnOnce(&str) -> String) -> Result<Finder, String> {
        let case = if self.match_case { LetterCase::Counts } else { LetterCase::Ignored };
        let rules = MatchRules { case, whole_words: self.whole_words };
        match &self.needle {
            Needle::Words(text) => Ok(Finder::words(words(text), rules)),
            Needle::Pattern(pattern) => Finder::pattern(pattern, rules),
        }
    }
}

/// Reads a scope: `"body"`, `"everywhere"`, a story or kind, or a list of them.
pub(super) fn parse_scope(value: &Value) -> Result<SearchScope, String> {
    let wrong = || {
        "'scope' is \"body\", \"everywhere\", a story such as \"footnote:3\", a kind such as \"headers\", or a list of these"
            .to_owned()
    };
    let names: Vec<String> = match value {
        Value::Null => return Ok(SearchScope::Unsaid),
        Value::String(name) => vec![name.trim().to_owned()],
        Value::Array(names) => {
            let name = |name: &Value| name.as_str().map(|name| name.trim().to_owned());
            names.iter().map(name).collect::<Option<_>>().ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    if names.is_empty() || names.iter().any(String::is_empty) {
        return Err(wrong());
    }
    let everywhere = names.iter().any(|name| name == "everywhere" || name == "all");
    Ok(if everywhere { SearchScope::Everywhere } else { SearchScope::Stories(names) })
}
