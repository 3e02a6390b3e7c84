use engross_store::files::Precondition;
use engross_testkit::docx::DocxBuilder;
use serde_json::{Value, json};

use super::DocumentTools;
use super::all_tests::{path, workspaces};
use super::tools_tests::{call, round, seen};
use crate::session::Toolbox;

const PARAGRAPHS: usize = 4_000;

/// contracts/word.md §8 case 161: a document of 150,000 words is read in pages and found by searching; no part of it is too
/// large for a model, and it can be edited at its end.
#[tokio::test]
async fn case_161_a_large_document_is_served_in_pages() {
    let words = "lorem ".repeat(37);
    let document = (0..PARAGRAPHS)
        .fold(DocxBuilder::new(), |document, n| document.paragraph(&format!("needle{n}x {words}")))
        .build();
    let (_folder, all) = workspaces();
    let workspace = all.make("deal").unwrap();
    workspace.put(&path("long.docx"), &document, &Precondition::Absent).unwrap();
    let tools = DocumentTools::new(workspace);

    let briefing = tools.briefing().await;
    assert!(briefing.text.len() < 64 << 10, "{} bytes", briefing.text.len());
    assert!(
        briefing.text.contains("4000 paragraphs in all; read on from P"),
        "it says how much there is, and how to go on"
    );
    let known = seen_of(&briefing.seen);

    let (mut from, mut pages, mut found) = (Some("P1".to_owned()), 0, 0);
    while let Some(start) = from {
        let results =
            tools.run(round(vec![call("r", "read_document", &json!({"from": start}))], known.clone())).await;
        let page = &results[0].content;
        assert!(!results[0].is_error && page.len() <= 24 << 10, "{} bytes", page.len());
        found += page.matches("needle").count();
        from = page.split_once("read on from ").map(|(_, next)| next.trim().to_owned());
        pages += 1;
        assert!(pages <= PARAGRAPHS, "it comes to an end");
    }
    assert_eq!(found, PARAGRAPHS, "every paragraph is in one page");

    let search = call("s", "read_document", &json!({"search": "needle3999x"}));
    let results = tools.run(round(vec![search], known.clone())).await;
    assert!(results[0].content.contains("[P4000|") && results[0].content.len() < 2_000, "{results:?}");
    let operation = json!({"op": "modify_text", "paragraphIndex": 4000, "originalText": "needle3999x", "replacementText": "pin"});
    let edit = call("e", "apply_redlines", &json!({ "operations": [operation] }));
    let results = tools.run(round(vec![edit], seen(&results))).await;
    let answer: Value = serde_json::from_str(&results[0].content).unwrap();
    assert_eq!((&answer["summary"]["applied"], results[0].is_error), (&json!(1), false), "{answer}");
    assert!(results[0].content.len() <= 24 << 10);
}

fn seen_of(shown: &[crate::session::SeenFile]) -> std::collections::BTreeMap<String, String> {
    shown.iter().map(|shown| (shown.file.clone(), shown.revision.clone())).collect()
}
