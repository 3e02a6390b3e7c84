//! What edits broke: rules that a part kept before them and breaks now.

use engross_xml::Document;

use super::{CheckedPart, Checks, Definitions, Finding, Findings, Rule, Severity};
use crate::names::DOCUMENT;

/// The first finding of a kind that `source` has not and `written` has. Both are the part of that name, before and after edits.
///
/// Text that is typed beside other text takes its look, right or wrong, so more of what was wrong already is nothing new.
pub(crate) fn new_fault(
    source: &Document,
    written: &Document,
    part: &str,
    known: &Definitions,
) -> Option<Finding> {
    let found = |tree: &Document| {
        let story = if tree.name(tree.root()) == DOCUMENT { "" } else { part };
        let mut found = Findings::default();
        Checks::of(known).run(&CheckedPart::new(part, tree, story), tree, &mut found);
        found
    };
    let after = found(written);
    let rules: Vec<Rule> =
        after.counts().into_keys().filter(|rule| rule.severity() != Severity::Info).collect();
    if rules.is_empty() {
        return None;
    }
    let before = found(source).counts();
    let new = rules.into_iter().find(|rule| !before.contains_key(rule))?;
    after.first(new).cloned()
}
