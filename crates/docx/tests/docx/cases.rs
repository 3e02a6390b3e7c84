//! Each acceptance case of the document engine has a scenario or a test with its number in its name.
//!
//! Scenarios `001_…` to `038_…` and `caseNNN_…`; functions `case_N_…` and `cases_N_and_M_…`.
#![expect(clippy::disallowed_methods, reason = "reads the names of tests")]

use std::collections::BTreeSet;
use std::path::Path;

/// The cases that are about documents; those between are about talking with a model.
fn wanted() -> BTreeSet<u32> {
    (1..=148).chain(171..=187).collect()
}

/// Where tests of documents are. Other crates number other contracts.
const SOURCES: &[&str] = &[
    "crates/docx",
    "crates/engross/tests/cli/apply.rs",
    "crates/engross/tests/cli/lists.rs",
    "crates/engross/tests/cli/read.rs",
    "crates/engross/tests/cli/resolve.rs",
    "bench/src/bench/edit.rs",
    "xtask/src/office.rs",
];

fn collect(path: &Path, found: &mut BTreeSet<u32>) {
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), found);
        }
    } else if path.extension().is_some_and(|extension| extension == "rs") {
        let text = std::fs::read_to_string(path).unwrap();
        for name in text.split("fn case").skip(1) {
            let name = name.strip_prefix('s').unwrap_or(name);
            let words = name.split('(').next().unwrap_or_default().split('_');
            let numbers = words
                .filter(|word| !word.is_empty() && *word != "and")
                .map_while(|word| word.parse::<u32>().ok());
            found.extend(numbers);
        }
    }
}

#[test]
fn every_case_has_a_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeSet::new();
    for source in SOURCES {
        collect(&root.join(source), &mut found);
    }
    for folder in std::fs::read_dir(root.join("crates/docx/tests/scenarios")).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        let (case, digits) = name.strip_prefix("case").map_or((false, name.as_str()), |rest| (true, rest));
        let number: u32 = digits[..3].parse().unwrap();
        if case || number <= 38 {
            found.insert(number);
        }
    }
    let missing: Vec<u32> = wanted().difference(&found).copied().collect();
    assert_eq!(missing, Vec::<u32>::new());
}
