//! Real documents are sound, so checks must be silent on them.
//!
//! They lie in the folder named by `ENGROSS_TEST_CORPUS`, or beside the repository.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use engross_docx::{Limits, Severity, WordDocument, check};

#[expect(clippy::disallowed_methods, reason = "a test setting, not one of the program")]
fn corpus() -> PathBuf {
    std::env::var_os("ENGROSS_TEST_CORPUS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus"), PathBuf::from)
}

fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            documents(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "docx") {
            found.push(path);
        }
    }
}

/// The documents of the corpus in order; none where there is no corpus.
pub(crate) fn corpus_documents() -> Vec<PathBuf> {
    let mut found = Vec::new();
    documents(&corpus(), &mut found);
    found.sort();
    found
}

#[test]
#[expect(clippy::disallowed_methods, reason = "reads test documents")]
fn sound_documents_have_no_errors() {
    let found = corpus_documents();
    if found.is_empty() {
        eprintln!("skipped: no documents in {}", corpus().display());
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut errors = Vec::new();
    for path in &found {
        let document = WordDocument::open(std::fs::read(path).unwrap(), &Limits::default()).unwrap();
        for finding in check(&document).unwrap() {
            *counts.entry(finding.code).or_default() += 1;
            if finding.severity == Severity::Error {
                errors.push(format!("{}: {finding:?}", path.display()));
            }
        }
    }
    eprintln!("{} documents: {counts:?}", found.len());
    assert!(errors.is_empty(), "{errors:#?}");
}
