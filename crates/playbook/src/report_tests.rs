use engross_docx::ops::Proof;

use super::report::{
    Citation, ClausePlace, ClauseVerdict, PositionProblem, PositionReport, ReviewReport, VerdictCounts,
    VerdictSource, html, markdown,
};

/// What a document or a model could say to be more than text.
const ATTACKS: &[&str] = &[
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "</style><svg onload=alert(1)>",
    "\"><a href=\"javascript:alert(1)\">x</a>",
    "[x](javascript:alert(1))",
    "| a | b |\n# heading",
    "![x](https://evil.example/x.png)",
    "&lt;b&gt;",
];

fn report(text: &str) -> ReviewReport {
    let position = PositionReport {
        position: text.to_owned(),
        line: 1,
        clause: Some(ClausePlace { from: "P1".into(), to: "P2".into(), title: text.to_owned() }),
        verdict: ClauseVerdict::Deviates,
        source: VerdictSource::Model,
        citation: Some(Citation { address: "P1".into(), quote: text.to_owned() }),
        reason: text.to_owned(),
        operations: Vec::new(),
        problems: vec![PositionProblem { code: "CHANGE_REFUSED".into(), message: text.to_owned() }],
    };
    let positions = vec![position];
    ReviewReport {
        document: text.to_owned(),
        playbook: text.to_owned(),
        title: text.to_owned(),
        model: text.to_owned(),
        rounds: 1,
        summary: VerdictCounts::of(&positions),
        positions,
        warnings: vec![text.to_owned()],
        output: Some(text.to_owned()),
        sha256: None,
        proof: Proof::default(),
    }
}

#[test]
fn a_page_can_do_nothing() {
    for attack in ATTACKS {
        let page = html(&report(attack));
        let body = page.split("</style>").nth(1).unwrap();
        for sign in ["<script", "<img", "<svg", "<a ", "<style", "href=", "src=", "url("] {
            let is_markup = body.contains(sign) && sign.starts_with('<');
            assert!(!is_markup, "{attack}: {sign} in {body}");
        }
        assert_eq!(page.matches("</style>").count(), 1, "{attack}");
        assert!(page.contains("default-src 'none'") && !page.contains("http://"), "{attack}");
    }
}

#[test]
fn markdown_keeps_texts_as_texts() {
    for attack in ATTACKS {
        let text = markdown(&report(attack));
        // What is escaped is a letter.
        let bare = ["\\\\", "\\<", "\\[", "\\]", "\\!"]
            .iter()
            .fold(text.clone(), |text, mark| text.replace(mark, ""));
        assert!(!bare.contains('<') && !bare.contains("](") && !bare.contains("!["), "{attack}: {text}");
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
        assert_eq!(rows.len(), 2, "{attack}: {text}");
        assert_eq!(rows[1].replace("\\|", "").matches('|').count(), 5, "{attack}: {}", rows[1]);
        assert_eq!(text.lines().filter(|line| line.starts_with("# ")).count(), 1, "{attack}: {text}");
    }
}

#[test]
fn verdicts_are_counted() {
    let report = report("x");
    assert_eq!(report.summary.sentence(), "1 deviates");
    let json = serde_json::to_value(&report).unwrap();
    assert_eq!(json["positions"][0]["verdict"], "deviates");
    assert_eq!(json["summary"]["deviates"], 1);
}
