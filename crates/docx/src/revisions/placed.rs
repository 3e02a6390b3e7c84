//! The names of revisions, by which people and programs choose them.

use std::collections::HashMap;

use super::list::Revision;

/// A revision with its place, as `revisions` lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedRevision {
    /// `w:id` when unique in the package, else `PART#ID~K`.
    pub id: String,
    /// `P12`, or with the story as `footnote:3/P1`; empty when it is in no paragraph.
    pub address: String,
    /// Name of the part it stands in.
    pub part: String,
    /// The revision.
    pub revision: Revision,
}

/// Names revisions by `w:id` where that is unique in the package, else by part, id and count.
pub(crate) fn name_revisions(found: Vec<(String, String, Revision)>) -> Vec<PlacedRevision> {
    let mut counts = HashMap::new();
    for (_, _, revision) in &found {
        *counts.entry(revision.stamp.id).or_insert(0usize) += 1;
    }
    let mut seen = HashMap::new();
    found
        .into_iter()
        .map(|(part, address, revision)| {
            let number = revision.stamp.id.map_or_else(|| "?".to_owned(), |id| id.to_string());
            let unique = counts.get(&revision.stamp.id) == Some(&1) && revision.stamp.id.is_some();
            let id = if unique {
                number
            } else {
                let count = seen.entry((part.clone(), revision.stamp.id)).or_insert(0usize);
                *count += 1;
                format!("{part}#{number}~{count}")
            };
            PlacedRevision { id, address, part, revision }
        })
        .collect()
}
