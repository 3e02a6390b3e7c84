use std::collections::BTreeMap;

use engross_docx::read::View;
use engross_store::files::Precondition;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::all_tests::{NDA, path, workspaces};
use super::tools_tests::{call, code, round, seen};
use super::{DocumentTools, Workspaces};
use crate::session::{ToolResult, Toolbox};
use engross_documents::Workspace;

const PLAYBOOK: &str =
    "# Ours\n\n## Term\nAlso: Term and Termination\nStandard: Five (5) years.\nNever: \"ten (10) years\".\n";

struct Bench {
    _folder: TempDir,
    _all: Workspaces,
    workspace: Workspace,
    tools: DocumentTools,
}

fn bench(playbook: &str) -> Bench {
    let (folder, all) = workspaces();
    let workspace = all.make("deal").unwrap();
    workspace.put(&path("nda.docx"), NDA, &Precondition::Absent).unwrap();
    workspace.put(&path("ours.md"), playbook.as_bytes(), &Precondition::Absent).unwrap();
    let tools = DocumentTools::new(workspace.clone());
    Bench { _folder: folder, _all: all, workspace, tools }
}

impl Bench {
    async fn review(&self, arguments: &Value, known: &BTreeMap<String, String>) -> ToolResult {
        let calls = vec![call("a", "review_playbook", arguments)];
        self.tools.run(round(calls, known.clone())).await.remove(0)
    }

    /// What the model has read, and where the words stand.
    async fn read(&self) -> (BTreeMap<String, String>, String) {
        let calls = vec![call("r", "read_document", &json!({"search": "three (3) years"}))];
        let results = self.tools.run(round(calls, BTreeMap::new())).await;
        let address = results[0].content.split("[P").nth(1).unwrap().split('|').next().unwrap();
        (seen(&results), format!("P{address}"))
    }

    fn text(&self) -> String {
        let document = self.workspace.open(&path("nda.docx")).unwrap().document;
        document.markdown_reading(View::Accepted).unwrap().text
    }
}

fn answer(address: &str, quote: &str) -> Value {
    json!([{
        "position": "Term", "verdict": "deviates", "paragraph": address, "quote": quote,
        "reason": "We want five years.", "original": "three (3)", "replacement": "five (5)",
    }])
}

#[tokio::test]
async fn positions_are_listed_answered_and_become_tracked_changes_with_a_comment() {
    let bench = bench(PLAYBOOK);
    let listed = bench.review(&json!({"playbook": "ours.md"}), &BTreeMap::new()).await;
    assert!(!listed.is_error && listed.content.contains("## Term (P"), "{}", listed.content);
    assert!(listed.content.contains("Standard: Five (5) years."), "{}", listed.content);
    let (known, address) = bench.read().await;
    // A model that paraphrases is told so, and nothing is changed.
    let before = bench.text();
    let arguments =
        json!({"playbook": "ours.md", "answers": answer(&address, "lasts for three years in all")});
    let refused = bench.review(&arguments, &known).await;
    assert!(refused.content.contains("call again") && bench.text() == before, "{}", refused.content);
    // It quotes, and sends its answers as a text, as some do.
    let answers = answer(&address, "three (3) years").to_string();
    let done = bench.review(&json!({"playbook": "ours.md", "answers": answers}), &known).await;
    assert!(!done.is_error && done.content.starts_with("deviates"), "{}", done.content);
    assert!(bench.text().contains("five (5) years"), "{}", done.content);
    let document = bench.workspace.open(&path("nda.docx")).unwrap().document;
    let comments = document.comments().unwrap();
    assert!(
        comments.iter().any(|comment| format!("{comment:?}").contains("Playbook, Term: We want five")),
        "{comments:?}"
    );
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_told_to_the_model() {
    let bench = bench("## Term\nStandart: Five years.\n");
    let known = BTreeMap::new();
    for (arguments, expected) in [
        (json!({}), "INVALID_ARGUMENTS"),
        (json!({"playbook": "theirs.md"}), "TARGET_MISSING"),
        (json!({"playbook": "../ours.md"}), "PATH_OUTSIDE_ROOT"),
        (json!({"playbook": "ours.md"}), "PLAYBOOK_INVALID"),
        (json!({"playbook": "nda.docx"}), "PLAYBOOK_INVALID"),
    ] {
        let result = bench.review(&arguments, &known).await;
        assert_eq!(code(&result), expected, "{arguments}: {}", result.content);
    }
}

/// Words can be judged only by one who has read them as they are now; and one round may hold calls of several kinds.
#[tokio::test]
async fn answers_of_one_who_has_not_read_are_not_carried_out() {
    let bench = bench(PLAYBOOK);
    let (known, address) = bench.read().await;
    let answers = json!({"playbook": "ours.md", "answers": answer(&address, "three (3) years")});
    assert_eq!(code_behind(&bench.review(&answers, &BTreeMap::new()).await), "DOCUMENT_NOT_READ");
    let calls = vec![
        call("a", "review_playbook", &json!({"playbook": "ours.md"})),
        call("b", "read_document", &json!({"limit": 1})),
        call("c", "review_playbook", &answers),
        call("d", "list_documents", &json!({})),
    ];
    let results = bench.tools.run(round(calls, known)).await;
    let begins: Vec<&str> =
        results.iter().map(|result| result.content.split_whitespace().next().unwrap_or("")).collect();
    assert_eq!(results.len(), 4);
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    assert_eq!((begins[0], begins[2]), ("Call", "deviates"), "{results:?}");
    assert!(results[1].content.contains("[P1|") && results[3].content.contains("nda.docx"), "{results:?}");
    assert!(bench.text().contains("five (5) years"));
}

/// The code of the edits, behind what was said of the answers.
fn code_behind(result: &ToolResult) -> String {
    let json = result.content.lines().last().unwrap_or_default();
    let content: Value = serde_json::from_str(json).unwrap_or_default();
    content["error"]["code"].as_str().unwrap_or(json).to_owned()
}
