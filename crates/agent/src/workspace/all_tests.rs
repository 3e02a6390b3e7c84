//! Workspaces beneath one root, and what tests of their tools need.

use std::sync::Arc;

use engross_docx::ops::{Batch, Status, parse_operations};
use engross_docx::{EditOptions, Error, WordDocument};
use engross_protocol::FixedClock;
use engross_store::files::{Locks, RelPath, Root};
use serde_json::json;
use tempfile::TempDir;

use super::Workspaces;

pub(super) const NDA: &[u8] = include_bytes!("../../../../examples/nda.docx");

pub(super) fn workspaces() -> (TempDir, Workspaces) {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    (folder, Workspaces::new(root, Locks::new(), clock))
}

pub(super) fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// Changes the term of the agreement from its original words to others.
pub(super) fn lengthen(to: &str) -> impl Fn(&mut WordDocument) -> Result<Vec<Status>, Error> + use<> {
    let operation = json!([{"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": to}]);
    let options = EditOptions { author: "Ada".to_owned(), date: "2026-01-31T09:30:00Z".to_owned() };
    move |document| {
        let batch = Batch { operations: parse_operations(&operation).unwrap(), ..Batch::default() };
        Ok(document.apply(&batch, &options)?.into_iter().map(|result| result.status).collect())
    }
}

#[test]
fn names_of_workspaces_are_plain() {
    let (_folder, all) = workspaces();
    for name in ["", ".", "..", "a/b", ".hidden", "a b", "ü", &"x".repeat(65), "a\0"] {
        assert!(all.find(name).is_err(), "{name:?}");
    }
    assert!(all.find("deal").unwrap().is_none(), "asking makes none");
    assert!(all.make("Deal-2026_v1.0").is_ok());
}
