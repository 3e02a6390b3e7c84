//! Finds the ids of skills in text, with any brackets round them.

use aho_corasick::{AhoCorasick, MatchKind};

/// Finds ids.
#[derive(Debug, Clone, Default)]
pub struct Citations {
    ids: Vec<String>,
    finder: Option<AhoCorasick>,
}

impl Citations {
    /// Finds these ids.
    pub fn of<I: Into<String>>(ids: impl IntoIterator<Item = I>) -> Self {
        let ids: Vec<String> = ids.into_iter().map(Into::into).filter(|id| !id.is_empty()).collect();
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&ids).ok();
        Self { ids, finder }
    }

    /// The ids that stand in `text` for themselves, in order. `err-00001` does not stand in `err-000012`.
    pub fn find<'a>(&'a self, text: &str) -> impl Iterator<Item = &'a str> {
        let found: Vec<usize> = match &self.finder {
            Some(finder) => finder
                .find_iter(text)
                .filter(|found| {
                    let before = text.get(..found.start()).and_then(|before| before.chars().next_back());
                    let after = text.get(found.end()..).and_then(|after| after.chars().next());
                    !before.is_some_and(is_of_id) && !after.is_some_and(is_of_id)
                })
                .map(|found| found.pattern().as_usize())
                .collect(),
            None => Vec::new(),
        };
        found.into_iter().filter_map(|at| self.ids.get(at).map(String::as_str))
    }
}

fn is_of_id(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '/')
}
