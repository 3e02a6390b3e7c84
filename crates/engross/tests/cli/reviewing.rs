//! `engross review`: a playbook on the examples, with a recorded model and without one.

use serde_json::{Value, json};

use crate::desk::{TestBench, example, example_argument};

const GUIDE: &str = include_str!("../../../../docs/guide/playbooks.md");

fn bench() -> TestBench {
    let desk = TestBench::new();
    desk.put("services.docx", &std::fs::read(example("services.docx")).unwrap());
    desk
}

fn model() -> String {
    format!("script:{}", example_argument("scripts/services-playbook.json"))
}

#[test]
fn the_example_of_the_guide_is_what_comes_out() {
    let desk = bench();
    let before = desk.bytes("services.docx");
    let (playbook, model) = (example_argument("playbooks/services.md"), model());
    let arguments = ["review", "services.docx", "--playbook", &playbook, "--model", &model];
    let ran = desk.run(&[&arguments[..], &["--html", "r.html", "--markdown", "r.md"]].concat());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(GUIDE.contains(&format!("```\n{}```", ran.stdout)), "{}", ran.stdout);
    assert_eq!(desk.bytes("services.docx"), before);
    let accepted = desk.run(&["read", "services.review.docx"]).stdout;
    for words in [
        "thirty (30) days’ notice",
        "become the property of the Customer",
        "personal data only as the Customer",
    ] {
        assert!(accepted.contains(words), "{words}: {accepted}");
    }
    let comments = desk.run(&["comments", "services.review.docx", "--json"]).json();
    assert_eq!(comments["comments"].as_array().unwrap().len(), 4, "{comments}");
    assert_eq!(desk.run(&["verify", "services.docx", "services.review.docx"]).code, Some(0));
    let page = String::from_utf8(desk.bytes("r.html")).unwrap();
    assert!(
        page.contains("default-src 'none'") && !page.contains("<script") && !page.contains("://"),
        "{page}"
    );
    // Each change once, and with the position that it belongs to.
    assert_eq!(page.matches("<del>").count(), 3, "{page}");
    let missing =
        page.split("<section class=\"missing\">").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(
        missing.contains("<ins>The Supplier processes personal data") && !missing.contains("<del>"),
        "{missing}"
    );
    let report = String::from_utf8(desk.bytes("r.md")).unwrap();
    assert!(report.contains("| Fees | never | P7 |"), "{report}");
    // The first citation of the law was none, so it was asked for once more, and alone.
    let report = desk.run(&[&arguments[..], &["--json", "-o", "again.docx"]].concat()).json();
    assert_eq!(report["rounds"], 2, "{report}");
    assert_eq!(
        report["summary"],
        json!({"standard": 1, "fallback": 2, "deviates": 2, "never": 1, "missing": 1, "unanswered": 0})
    );
    assert_eq!(report["positions"][1]["source"], "words");
    assert_eq!(report["sha256"], desk.sha256("again.docx").as_str());
    assert_eq!(report["proof"]["reject"], "holds", "{report}");
}

#[test]
fn a_model_that_goes_on_inventing_is_not_believed() {
    let desk = bench();
    let invented = json!({"position": "Governing law", "verdict": "standard", "paragraph": "P15", "quote": "the law of Ireland alone"});
    let script = json!({"turns": [{"when": {}, "times": 0, "tool_calls": [{"name": "answer_positions", "args": {"answers": [invented]}}]}]});
    desk.put("script.json", script.to_string().as_bytes());
    desk.put("law.md", b"## Governing law\nStandard: Irish law.\n");
    let ran = desk.run(&[
        "review",
        "services.docx",
        "--playbook",
        "law.md",
        "--model",
        "script:script.json",
        "--json",
    ]);
    let report = ran.json();
    assert_eq!(
        (ran.code, &report["positions"][0]["verdict"], &report["rounds"]),
        (Some(1), &json!("unanswered"), &json!(2))
    );
    assert_eq!(report["positions"][0]["problems"][0]["code"], "CITATION_REFUSED");
    assert_eq!(report["output"], Value::Null);
    assert!(!desk.path("services.review.docx").exists());
    // A model that fails is a failure of the command.
    let fails = json!({"turns": [{"when": {}, "times": 0, "fault": {"kind": "status", "code": 400}}]});
    desk.put("script.json", fails.to_string().as_bytes());
    let ran = desk.run(&[
        "review",
        "services.docx",
        "--playbook",
        "law.md",
        "--model",
        "script:script.json",
        "--json",
    ]);
    assert_eq!(ran.error(), (4, "MODEL_BAD_REQUEST".to_owned()));
}

#[test]
fn without_a_model_words_alone_are_judged() {
    let desk = bench();
    let playbook = example_argument("playbooks/services.md");
    let report = desk.run(&["review", "services.docx", "--playbook", &playbook, "--json"]).json();
    assert_eq!(report["model"], "none");
    let verdict = |name: &str| {
        let positions = report["positions"].as_array().unwrap();
        positions.iter().find(|position| position["position"] == name).unwrap()["verdict"].clone()
    };
    assert_eq!(
        (verdict("Fees"), verdict("Data protection"), verdict("Liability")),
        (json!("never"), json!("missing"), json!("unanswered"))
    );
    // The red line has its comment.
    assert!(
        desk.run(&["comments", "services.review.docx"])
            .stdout
            .contains("Playbook, Fees: “non-refundable” is not acceptable")
    );
    // A playbook that is met is no finding.
    desk.put("met.md", b"## Warranty\nStandard: none\nMissing: acceptable\n");
    let ran = desk.run(&["review", "services.docx", "--playbook", "met.md"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn what_is_wrong_is_said_before_anything_is_written() {
    let desk = bench();
    desk.put("wrong.md", b"# A\n\n## Term\nStandard: x\nFallbacks: y\n");
    desk.put("right.md", b"## Fees\nStandard: x\nNever: \"non-refundable\"\n");
    let with = |more: &[&str]| desk.refuses(&[&["review", "services.docx", "--json"], more].concat());
    assert_eq!(with(&["--playbook", "wrong.md"]), (2, "PLAYBOOK_INVALID".to_owned()));
    let ran = desk.run(&["review", "services.docx", "--playbook", "wrong.md"]);
    assert!(
        ran.stderr.contains("wrong.md: line 5: there is no label 'Fallbacks:'; do you mean 'Fallback:'?"),
        "{ran:?}"
    );
    assert_eq!(with(&["--playbook", "none.md"]).0, 5);
    assert_eq!(with(&["--playbook", "right.md", "-o", "services.docx"]), (2, "OUTPUT_IS_INPUT".to_owned()));
    assert_eq!(
        with(&["--playbook", "right.md", "--html", "services.docx"]),
        (2, "OUTPUT_IS_INPUT".to_owned())
    );
    assert_eq!(desk.refuses(&["review", "right.md", "--playbook", "right.md", "--json"]).0, 3);
    assert_eq!(with(&["--playbook", "right.md", "--model", "nobody/x"]).1, "MODEL_UNKNOWN");
}

#[test]
fn the_examples_are_playbooks_and_the_agreement_is_its_markdown() {
    let desk = bench();
    for playbook in ["playbooks/nda.md", "playbooks/services.md"] {
        let ran = desk.run(&[
            "review",
            "nda.docx",
            "--playbook",
            &example_argument(playbook),
            "--json",
            "-o",
            "out.docx",
        ]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
    }
    // Its clauses are where a reader finds them.
    let report = desk
        .run(&["review", "nda.docx", "--playbook", &example_argument("playbooks/nda.md"), "--json"])
        .json();
    let places: Vec<&Value> =
        report["positions"].as_array().unwrap().iter().map(|position| &position["clause"]["from"]).collect();
    assert_eq!(
        places,
        [
            &json!("P20"),
            &json!("P35"),
            &json!("P49"),
            &json!("P45"),
            &Value::Null,
            &Value::Null,
            &json!("P68")
        ]
    );
    let made = ["from-markdown", &example_argument("services.md"), "-o", "made.docx"];
    assert_eq!(desk.run(&made).code, Some(0));
    let text = |file: &str| desk.run(&["read", file]).stdout;
    assert_eq!(text("made.docx"), text("services.docx"));
}
