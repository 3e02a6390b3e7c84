//! Whether accepting everything, and rejecting everything, leads to a sound document without revisions.

use engross_xml::{Document, NodeId, QName};

use crate::document::WordDocument;
use crate::names::{DEL_INSTR_TEXT, DEL_TEXT, VOCABULARY};
use crate::revisions::{Selection, Side, resolve};

use crate::rules::{CheckedPart, Checks, Counts, Definitions, Findings, Rule, Severity, is_revision};

/// `own` counts what is wrong with the part already.
pub(super) fn check(document: &WordDocument, part: &CheckedPart<'_>, own: &Counts, findings: &mut Findings) {
    let tree = part.document;
    if !tree.descendants(tree.root()).any(|node| is_left_over(tree.name(node))) {
        return;
    }
    for (side, leaves, breaks) in [
        (Side::Accept, Rule::AcceptLeavesRevisions, Rule::AcceptBreaks),
        (Side::Reject, Rule::RejectLeavesRevisions, Rule::RejectBreaks),
    ] {
        let mut resolved = tree.clone();
        let root = resolved.root();
        resolve(&mut resolved, root, side, Selection::All);
        let left: Vec<NodeId> =
            resolved.descendants(root).filter(|node| is_left_over(resolved.name(*node))).collect();
        for node in left {
            let name = resolved.local_name(resolved.name(node));
            findings.add(leaves, || part.address(&resolved, node), || format!("<{name}> stays"));
        }
        if let Some((address, message)) = damage(document, part, &resolved, own) {
            findings.add(breaks, || address, || message);
        }
    }
}

/// The first thing that is wrong with `resolved`, but not with the part it was made from.
fn damage(
    document: &WordDocument,
    part: &CheckedPart<'_>,
    resolved: &Document,
    own: &Counts,
) -> Option<(String, String)> {
    if let Err(error) = Document::parse(resolved.write(), &VOCABULARY, &document.limits.xml) {
        return Some((part.name.clone(), format!("the result cannot be read: {error}")));
    }
    let mut found = Findings::default();
    let known = Definitions::default();
    Checks::of(&known).run(part, resolved, &mut found);
    let counts = found.counts();
    let new = counts.into_iter().find(|(rule, count)| {
        // Only this part was looked at, so that all notes seem to be missing.
        rule.severity() == Severity::Error
            && *rule != Rule::NoteMissing
            && *count > own.get(rule).copied().unwrap_or(0)
    });
    let finding = found.first(new?.0)?;
    Some((finding.address.clone(), format!("{}: {}", finding.code, finding.message)))
}

fn is_left_over(name: QName) -> bool {
    is_revision(name) || matches!(name, DEL_TEXT | DEL_INSTR_TEXT)
}
