//! What answers say of files, by sentences that agents write.

use engross_artifacts::{Deliverable, Manifest, RequirementOutcome, Sha256Sum};

use super::claims::{KnownNames, named_only};

fn manifest(paths: &[&str]) -> Manifest {
    let file = |path: &&str| Deliverable {
        relative_path: (*path).to_owned(),
        size_bytes: 1,
        sha256: Sha256Sum::from_bytes([0; 32]),
        modified: 0,
        required: false,
    };
    let outcome = RequirementOutcome {
        constraint_satisfied: true,
        missing_required_extensions: Vec::new(),
        missing_required_file_counts: std::collections::BTreeMap::new(),
    };
    Manifest {
        files: paths.iter().map(file).collect(),
        warnings: Vec::new(),
        outcome,
        revision: Sha256Sum::from_bytes([0; 32]),
        frozen: false,
        list: None,
    }
}

#[test]
fn what_is_only_named_is_told_and_what_was_read_is_not() {
    let rows: [(&str, &str, &[&str], &[&str]); 17] = [
        ("Report", "I have written out/report.pdf for you.", &[], &["out/report.pdf"]),
        ("Write report.pdf", "Done: I saved it as **report.pdf**.", &[], &["report.pdf"]),
        ("Write report.pdf", "I saved `out/report.pdf`.", &["out/report.pdf"], &[]),
        ("Write brief.md from lease.docx", "I read lease.docx and wrote brief.md.", &["brief.md"], &[]),
        ("Write brief.md from lease.docx", "I read lease.docx and wrote brief.md.", &[], &["brief.md"]),
        ("Sum up lease.docx", "lease.docx ends in May.", &[], &[]),
        ("Sum up", "Based on `lease.docx` the lease ends in May.", &[], &[]),
        ("Plot", "The result:\n- chart.png\n- data.csv", &["chart.png"], &["data.csv"]),
        ("Plot", "Here is ![the chart](plots/chart.png).", &["plots/chart.png"], &[]),
        ("Plot", "Here is ![the chart](plots/chart.png).", &[], &["plots/chart.png"]),
        ("Say", "See https://example.com/a.pdf and use node.js version 2.0.", &[], &[]),
        ("Say", "Files such as *.pdf are left out.", &[], &[]),
        ("Write", "I created `main.py`, `My Report.docx` and a plan.", &["main.py"], &["My Report.docx"]),
        ("Write", "Brief.MD was created.", &["sub/brief.md"], &[]),
        ("Write", "Everything is done, e.g. the summary. Bye.", &[], &[]),
        ("Look", "The file notes.txt was opened.", &[], &[]),
        ("Attached", "I have updated data.csv.", &[], &["data.csv"]),
    ];
    for (asked, answer, made, expected) in rows {
        let known = KnownNames::of(asked, std::iter::empty());
        assert_eq!(named_only(answer, &known, &manifest(made)), expected, "{answer}");
    }
    let known = KnownNames::of("Sum up", ["data.csv"].into_iter());
    assert!(
        named_only("I have made use of data.csv.", &known, &manifest(&[])).is_empty(),
        "it was sent along"
    );
}
