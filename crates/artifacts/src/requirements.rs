//! Checks a manifest against the files that a task requires.
//!
//! Must never guess from what a person wrote, and never judge a part of the files.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

/// What must be among the files. Extensions are without dot and in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Requirements {
    extensions: Vec<String>,
    counts: BTreeMap<String, u64>,
    hidden: bool,
}

/// How many files were asked for, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// How many were asked for.
    pub expected: u64,
    /// How many there are.
    pub actual: u64,
}

/// Whether the files are what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RequirementOutcome {
    /// Whether nothing is missing.
    pub constraint_satisfied: bool,
    /// The required extensions that no file has, in the order of the request.
    pub missing_required_extensions: Vec<String>,
    /// The extensions of which there are too few files.
    pub missing_required_file_counts: BTreeMap<String, Count>,
}

impl Requirements {
    /// Of extensions (`pdf`, `.PDF`, `tar.gz`), and of the least number of files of some. Blank ones are left out.
    #[must_use]
    pub fn new<'a>(
        extensions: impl IntoIterator<Item = &'a str>,
        counts: impl IntoIterator<Item = (&'a str, u64)>,
    ) -> Self {
        let mut requirements = Self::default();
        for extension in extensions.into_iter().filter_map(normal) {
            if !requirements.extensions.contains(&extension) {
                requirements.extensions.push(extension);
            }
        }
        for (extension, expected) in counts {
            if let Some(extension) = normal(extension) {
                let most = requirements.counts.entry(extension).or_default();
                *most = expected.max(*most);
            }
        }
        requirements
    }

    /// The same, with or without the files that agents keep for themselves and those that programs act on.
    #[must_use]
    pub fn with_hidden(self, hidden: bool) -> Self {
        Self { hidden, ..self }
    }

    /// Whether those files are delivered, too.
    pub(super) fn has_hidden(&self) -> bool {
        self.hidden
    }

    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.extensions.is_empty() && self.counts.is_empty()
    }

    /// Whether the file with this name has an extension that is asked for.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        self.extensions.iter().chain(self.counts.keys()).any(|extension| has_extension(name, extension))
    }

    /// Judges all files by their names.
    #[must_use]
    pub fn judge<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> RequirementOutcome {
        let asked: BTreeSet<&str> =
            self.extensions.iter().chain(self.counts.keys()).map(String::as_str).collect();
        let mut found: BTreeMap<&str, u64> = BTreeMap::new();
        if !asked.is_empty() {
            for name in names {
                for extension in asked.iter().filter(|extension| has_extension(name, extension)) {
                    *found.entry(extension).or_default() += 1;
                }
            }
        }
        let actual = |extension: &str| found.get(extension).copied().unwrap_or_default();
        let missing: Vec<String> =
            self.extensions.iter().filter(|extension| actual(extension) == 0).cloned().collect();
        let counts: BTreeMap<String, Count> = self
            .counts
            .iter()
            .map(|(extension, expected)| {
                (extension, Count { expected: *expected, actual: actual(extension) })
            })
            .filter(|(_, count)| count.actual < count.expected)
            .map(|(extension, count)| (extension.clone(), count))
            .collect();
        RequirementOutcome {
            constraint_satisfied: missing.is_empty() && counts.is_empty(),
            missing_required_extensions: missing,
            missing_required_file_counts: counts,
        }
    }
}

fn normal(extension: &str) -> Option<String> {
    let extension = extension.trim().trim_start_matches('.').to_lowercase();
    (!extension.is_empty()).then_some(extension)
}

/// `.pdf` alone is a hidden file without extension.
fn has_extension(name: &str, extension: &str) -> bool {
    let name = name.to_lowercase();
    let stem = name.strip_suffix(extension).and_then(|rest| rest.strip_suffix('.'));
    stem.is_some_and(|stem| !stem.is_empty())
}
