//! The changes of a paragraph, as a row of words that took the place of others, with the words around them.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Words on either side by which a change is found again.
const AROUND: usize = 4;

/// Words of the longest change that can show a preference.
const LONGEST: usize = 12;

/// Words that an agent put in the place of others.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeliveredChange {
    /// The words before it.
    pub before: String,
    /// What stood there.
    pub old: String,
    /// What the agent wrote.
    pub new: String,
    /// The words behind it.
    pub after: String,
    /// A person has accepted, rejected or reworded it, and that was taken into account.
    #[serde(default, skip_serializing_if = "is_false")]
    pub decided: bool,
}

/// Who changed a document last, and when, as the document says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DocumentEditor {
    /// Who.
    pub name: String,
    /// When.
    pub at: String,
}

/// A document as an agent delivered it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeliveredDocument {
    /// Its absolute path.
    pub path: String,
    /// The kind of documents that it belongs to.
    pub kind: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// The name under which the agent worked.
    pub author: String,
    /// Who had changed it last.
    pub editor: DocumentEditor,
    /// When it was delivered, in milliseconds since 1970.
    pub at: u64,
    /// What the agent changed.
    pub changes: Vec<DeliveredChange>,
    /// Whether some of it was delivered earlier, so that it may be decided in these very bytes.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_earlier: bool,
}

impl DeliveredDocument {
    /// Keeps what an earlier delivery of the same document still waits for: what a person decided since must not be forgotten
    /// because the agent went on.
    pub fn continue_from(&mut self, before: Self) {
        let is_waiting = |change: &DeliveredChange| {
            let is_same = |now: &DeliveredChange| now.old == change.old && now.new == change.new;
            !change.decided && !self.changes.iter().any(is_same)
        };
        let earlier: Vec<DeliveredChange> = before.changes.into_iter().filter(is_waiting).collect();
        if !earlier.is_empty() {
            // Whoever changed the document since then has changed it since the agent did.
            self.editor = before.editor;
            self.has_earlier = true;
            self.changes.splice(0..0, earlier);
        }
    }
}

/// The changes that make `new` of `old`, which are the texts of one paragraph. Long ones are no matter of taste and are left out.
#[must_use]
pub fn changes_of(old: &str, new: &str) -> Vec<DeliveredChange> {
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_whitespace().collect(), new.split_whitespace().collect());
    let steps = capture_diff_slices(Algorithm::Myers, &old, &new);
    let mut changes = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if step.tag() == DiffTag::Equal {
            continue;
        }
        let (from, to) = (step.old_range(), step.new_range());
        if from.len() > LONGEST || to.len() > LONGEST {
            continue;
        }
        let equal =
            |at: Option<usize>| at.and_then(|at| steps.get(at)).filter(|step| step.tag() == DiffTag::Equal);
        let before = equal(at.checked_sub(1)).and_then(|step| old.get(step.old_range())).unwrap_or_default();
        let after = equal(Some(at + 1)).and_then(|step| old.get(step.old_range())).unwrap_or_default();
        let before = before.get(before.len().saturating_sub(AROUND)..).unwrap_or_default();
        let after = after.get(..after.len().min(AROUND)).unwrap_or_default();
        let words = |words: Option<&[&str]>| words.unwrap_or_default().join(" ");
        changes.push(DeliveredChange {
            before: before.join(" "),
            old: words(old.get(from)),
            new: words(new.get(to)),
            after: after.join(" "),
            decided: false,
        });
    }
    changes
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands references")]
fn is_false(value: &bool) -> bool {
    !value
}
