//! Required extensions and counts.

use engross_artifacts::Requirements;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::TestBench;

/// How files are judged, on the wire.
fn judged(extensions: &[&str], counts: &[(&str, u64)], names: &[&str]) -> Value {
    let requirements = Requirements::new(extensions.iter().copied(), counts.iter().copied());
    serde_json::to_value(requirements.judge(names.iter().copied())).unwrap()
}

fn told(satisfied: bool, missing: &[&str], counts: &Value) -> Value {
    json!({
        "constraintSatisfied": satisfied,
        "missingRequiredExtensions": missing,
        "missingRequiredFileCounts": counts
    })
}

#[test]
fn cases_007_to_010_and_075_extensions_and_counts() {
    let none = || json!({});
    let table = [
        (judged(&["pdf"], &[], &["a.pdf"]), told(true, &[], &none())),
        (judged(&["pdf"], &[], &["a.PDF"]), told(true, &[], &none())),
        (judged(&[".PDF"], &[], &["a.pdf"]), told(true, &[], &none())),
        (judged(&["md", "pdf"], &[], &["a.md"]), told(false, &["pdf"], &none())),
        (judged(&["pdf", ".pdf", " "], &[], &["apdf", ".pdf", "pdf"]), told(false, &["pdf"], &none())),
        (judged(&["tar.gz"], &[], &["a.tar.gz"]), told(true, &[], &none())),
        (
            judged(&[], &[("png", 2)], &["a.png"]),
            told(false, &[], &json!({"png": {"expected": 2, "actual": 1}})),
        ),
        (judged(&[], &[("png", 2)], &["a.png", "b.PNG"]), told(true, &[], &none())),
        (judged(&["png"], &[("png", 2)], &["a.png", "b.png"]), told(true, &[], &none())),
        (judged(&[], &[], &[]), told(true, &[], &none())),
        (judged(&["pdf"], &[("png", 0)], &[]), told(false, &["pdf"], &none())),
    ];
    for (at, (judged, expected)) in table.into_iter().enumerate() {
        assert_eq!(judged, expected, "row {at}");
    }
}

#[test]
fn case_079_requirements_reach_the_export() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    desk.put(&scope, "reports/brief.md", "# Brief");
    let requirements = Requirements::new(["md", "pdf"], [("md", 2)]);
    let manifest = desk.manifest_of(&scope, &requirements);
    let page = scope.page(&manifest, Default::default(), desk.signer(), desk.hashing()).unwrap();
    let wire = serde_json::to_value(&page).unwrap();
    assert_eq!(wire["constraintSatisfied"], json!(false));
    assert_eq!(wire["missingRequiredExtensions"], json!(["pdf"]));
    assert_eq!(wire["missingRequiredFileCounts"], json!({"md": {"expected": 2, "actual": 1}}));
}

#[test]
fn v7_counts_are_of_all_files_however_many() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    for number in 0..70 {
        desk.put(&scope, &format!("{number}.png"), b"\x89PNG\r\n\x1a\nIEND");
    }
    let manifest = desk.manifest_of(&scope, &Requirements::new([], [("png", 70)]));
    assert_eq!((manifest.files.len(), manifest.outcome.constraint_satisfied), (70, true));
}

#[test]
fn case_076_expected_folders_never_decide() {
    let desk = TestBench::new();
    let scope = desk.scope("s", "r");
    let expected = engross_artifacts::expected_dirs(&[json!("reports/")]).unwrap();
    let page =
        desk.page(&scope, engross_artifacts::PageRequest { expected: &expected, ..Default::default() });
    assert!(page.outcome.constraint_satisfied && !page.expected_artifact_dir_status[0].exists);
}

proptest! {
    /// The same as counting each extension by itself.
    #[test]
    fn judging_counts_what_is_there(names in prop::collection::vec("[ab]\\.(pdf|PDF|md|x)", 0..12), expected in 0_u64..6) {
        let requirements = Requirements::new(["pdf", "md"], [("pdf", expected)]);
        let outcome = requirements.judge(names.iter().map(String::as_str));
        let count = |end: &str| names.iter().filter(|name| name.to_lowercase().ends_with(end)).count() as u64;
        prop_assert_eq!(outcome.missing_required_extensions.contains(&"pdf".to_owned()), count(".pdf") == 0);
        prop_assert_eq!(outcome.missing_required_extensions.contains(&"md".to_owned()), count(".md") == 0);
        let missing = outcome.missing_required_file_counts.get("pdf").map(|count| count.actual);
        prop_assert_eq!(missing, (count(".pdf") < expected).then(|| count(".pdf")));
    }
}
