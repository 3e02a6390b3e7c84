//! Counts of generated files, field by field, against what their generator knows.

use std::collections::BTreeSet;
use std::path::Path;

use engross_transcript::stats::count;
use serde_json::Value;

/// Flags of these two corpora that no byte shows: the generator shuffled two results into the order they had, or planned to
/// use ids again and made no second call.
const INVISIBLE: &[&str] = &["results_out_of_order", "id_reuse", "branch"];

fn check(profile: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn/corpus").join(profile);
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    for (name, wanted) in expected["files"].as_object().unwrap() {
        let file = std::fs::File::open(folder.join(name)).unwrap();
        let mut found = serde_json::to_value(count(file).unwrap()).unwrap();
        let mut wanted = wanted.clone();
        let flags = |value: &mut Value| -> BTreeSet<String> {
            serde_json::from_value(value["flags"].take()).unwrap()
        };
        let (found_flags, wanted_flags) = (flags(&mut found), flags(&mut wanted));
        assert_eq!(found, wanted, "{name}");
        assert_eq!(found_flags.difference(&wanted_flags).next(), None, "{name}: flags too many");
        let missing: Vec<_> = wanted_flags.difference(&found_flags).collect();
        assert!(missing.iter().all(|flag| INVISIBLE.contains(&flag.as_str())), "{name}: {missing:?}");
    }
}

#[test]
fn clean_files_are_counted_exactly() {
    check("clean");
}

#[test]
fn dirty_files_are_counted_exactly() {
    check("dirty");
}
