//! The rules that a part with text keeps (ECMA-376, ISO/IEC 29500-1), and what breaks them.
//!
//! `engross check` reports every break; the proof of a session asks whether its own edits brought a new one. Must never look at
//! a package: whoever has one says what its other parts define.

mod fields;
mod findings;
mod known;
mod ledger;
mod order;
mod part;
mod properties;
mod references;
mod revisions;
mod rule;
mod schema;
mod structure;
mod walk;

use engross_xml::Document;

use crate::names::DOCUMENT;

pub use findings::Finding;
pub(crate) use findings::{Counts, Findings};
pub(crate) use known::Definitions;
pub(crate) use part::CheckedPart;
pub(crate) use revisions::is_revision;
pub(crate) use rule::Rule;
pub use rule::{CODES, Severity};
pub(crate) use walk::Checks;

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
