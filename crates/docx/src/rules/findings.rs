//! The list of findings, bounded: a hostile file has millions of faults.

use std::collections::BTreeMap;

use serde::Serialize;

use super::rule::{Rule, Severity};

/// Something found in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// One of [`super::CODES`].
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// `P12`, `footnote:3/P1`, a story such as `comment:4`, or the name of a part.
    pub address: String,
    /// What is wrong, in one sentence.
    pub message: String,
}

impl Finding {
    /// How many findings of one code are listed.
    pub const MOST: usize = 100;
}

/// How often each rule was broken.
pub(crate) type Counts = BTreeMap<Rule, usize>;

/// Findings in the making.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    counts: Counts,
}

impl Findings {
    /// Adds a finding. Address and message are only made if they will be shown.
    pub(crate) fn add(
        &mut self,
        rule: Rule,
        address: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        let count = self.counts.entry(rule).or_default();
        *count += 1;
        if *count <= Finding::MOST {
            self.list.push(Finding {
                code: rule.code(),
                severity: rule.severity(),
                address: address(),
                message: message(),
            });
        }
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts.clone()
    }

    /// What was added since `before`.
    pub(crate) fn counts_since(&self, before: &Counts) -> Counts {
        let since = |(rule, count): (&Rule, &usize)| (*rule, count - before.get(rule).unwrap_or(&0));
        self.counts.iter().map(since).collect()
    }

    /// The first finding of that rule.
    pub(crate) fn first(&self, rule: Rule) -> Option<&Finding> {
        self.list.iter().find(|finding| finding.code == rule.code())
    }

    /// The findings in the order in which they were made, then the counts of those that were left out.
    pub(crate) fn into_list(self) -> Vec<Finding> {
        let mut list = self.list;
        for (rule, count) in self.counts.into_iter().filter(|(_, count)| *count > Finding::MOST) {
            list.push(Finding {
                code: rule.code(),
                severity: rule.severity(),
                address: String::new(),
                message: format!("there are {} more findings of this kind", count - Finding::MOST),
            });
        }
        list
    }
}
