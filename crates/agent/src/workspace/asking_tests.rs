//! What calls get from elsewhere: the web (case 156), and files that were written.

use std::collections::BTreeMap;
use std::sync::Arc;

use engross_llm::{Model, ScriptModel};
use engross_protocol::{FixedClock, RandomIds};
use engross_rules::RulesModel;
use engross_store::files::{Locks, Precondition, Root};
use engross_write::runner::{Config, Limits, WriteService, WriteSessions};
use engross_write::session::{BeginOptions, WriteOperation};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::all_tests::{NDA, path};
use super::tools_tests::{call, round, seen};
use super::{DocumentTools, Workspaces};
use crate::session::{ToolRound, Toolbox};
use crate::tools::PERFORM_RESEARCH;
use crate::writing::ContentTools;
use crate::writing::Writer;

struct TestBench {
    _folder: TempDir,
    writes: WriteSessions,
    all: Workspaces,
    tools: DocumentTools,
}

fn desk() -> TestBench {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(FixedClock("2026-01-31T09:30:00Z".parse().unwrap()));
    let (root, locks) = (Root::open(folder.path()).unwrap(), Locks::new());
    let writes = WriteSessions::new(Config {
        root: root.clone(),
        spool: None,
        reviewer: None,
        locks: locks.clone(),
        clock: clock.clone(),
        ids: Arc::new(RandomIds),
        composer: None,
        keeper: None,
        limits: Limits::default(),
    })
    .unwrap();
    let service = WriteService::new(writes.clone());
    let all = Workspaces::new(root, locks, clock).with_writes(service.clone(), ContentTools::default());
    let workspace = all.make("deal").unwrap();
    workspace.put(&path("nda.docx"), NDA, &Precondition::Absent).unwrap();
    let writer = Writer::new(service, Some("deal".to_owned()), ContentTools::default());
    let tools = DocumentTools::new(workspace).with_writer(Some(writer));
    TestBench { _folder: folder, writes, all, tools }
}

impl TestBench {
    /// The id of a session that has written `text`.
    fn written(&self, file: &str, text: &str) -> String {
        let options = BeginOptions::new(file, WriteOperation::Create);
        let id = self.writes.begin(&options).unwrap().id;
        self.writes.whole(id, text.as_bytes()).unwrap();
        id.to_string()
    }

    async fn read(&self) -> BTreeMap<String, String> {
        seen(&self.tools.run(round(vec![call("r", "read_document", &json!({}))], BTreeMap::new())).await)
    }

    async fn apply(&self, operations: Value) -> Value {
        let calls = vec![call("a", "apply_redlines", &json!({ "operations": operations }))];
        let results = self.tools.run(round(calls, self.read().await)).await;
        serde_json::from_str(&results[0].content).unwrap()
    }
}

async fn research(desk: &TestBench, model: Arc<dyn Model>) -> Value {
    let calls = vec![call("w", PERFORM_RESEARCH, &json!({"instruction": "How long do such duties last?"}))];
    let results = desk.tools.run(ToolRound { model, ..round(calls, BTreeMap::new()) }).await;
    serde_json::from_str(&results[0].content).unwrap()
}

#[tokio::test]
async fn case156_all_of_an_answer_and_its_sources_are_kept() {
    let script = json!({"turns": [{"when": {"web_search": true}, "text": "Two years.\n\nOr three.", "sources": [
        {"url": "https://a.example/", "title": "A", "quote": "two years"}, {"url": "https://b.example/"},
        {"url": "https://b.example/"}]}]});
    let model = Arc::new(ScriptModel::new("s.json", &script.to_string()).unwrap());
    let expected = json!({"answer": "Two years.\n\nOr three.", "sources": [
        {"url": "https://a.example/", "title": "A", "quote": "two years"}, {"url": "https://b.example/"}]});
    assert_eq!(research(&desk(), model).await, expected);
}

#[tokio::test]
async fn an_answer_without_sources_or_end_is_not_passed_off_as_found() {
    let script = |turn: Value| {
        let sources = json!({"when": {"contains": "never"}, "sources": [{"url": "u"}]});
        let script = json!({"turns": [sources, turn]}).to_string();
        Arc::new(ScriptModel::new("s.json", &script).unwrap())
    };
    let found = research(&desk(), script(json!({"text": "I guess."}))).await;
    assert!(found["note"].as_str().unwrap().contains("names no source"), "{found}");
    let found = research(&desk(), script(json!({"text": "Two", "finish_reason": "length"}))).await;
    assert_eq!(found["error"]["code"], "ANSWER_CUT");
}

#[tokio::test]
async fn a_model_without_a_search_says_so() {
    let found = research(&desk(), Arc::new(RulesModel)).await;
    assert_eq!(found["error"]["code"], "RESEARCH_NOT_AVAILABLE");
}

#[tokio::test]
async fn a_round_searches_four_times_at_most() {
    let script = json!({"default": {"text": "Found.", "sources": [{"url": "https://a.example/"}]}});
    let model = Arc::new(ScriptModel::new("s.json", &script.to_string()).unwrap());
    let search =
        |n: usize| call(&format!("w{n}"), PERFORM_RESEARCH, &json!({"instruction": format!("q{n}")}));
    let asked = ToolRound { model, ..round((0..6).map(search).collect(), BTreeMap::new()) };
    let failed: Vec<bool> = desk().tools.run(asked).await.iter().map(|result| result.is_error).collect();
    assert_eq!(failed, [false, false, false, false, true, true]);
}

#[tokio::test]
async fn an_operation_takes_its_text_from_a_file_that_was_written() {
    let desk = desk();
    let id = desk.written("deal/clause.md", "One **bold** clause.\n\nAnd another.\n");
    let applied = desk.apply(json!([{"op": "insert_paragraph", "after": "P3", "contentFrom": id}])).await;
    assert_eq!(applied["summary"]["applied"], 1, "{applied}");
    assert!(applied["now"].as_str().unwrap().contains("One bold clause."), "{applied}");
    assert!(applied["now"].as_str().unwrap().contains("And another."), "{applied}");
}

#[tokio::test]
async fn a_text_that_is_not_to_be_had_refuses_its_operation_alone() {
    let desk = desk();
    let others = desk.written("other/clause.md", "Not yours.\n");
    let own = desk.written("deal/clause.md", "Yours.\n");
    let long = "x".repeat(70_000);
    let applied = desk
        .apply(json!([
            {"op": "insert_paragraph", "after": "P3", "contentFrom": others},
            {"op": "insert_paragraph", "after": "P3", "contentFrom": "nothing"},
            {"op": "insert_paragraph", "after": "P3", "contentFrom": own, "content": "both"},
            {"op": "delete_paragraph", "paragraphIndex": 9, "contentFrom": own},
            {"op": "insert_paragraph", "after": "P3", "content": long},
            {"op": "insert_paragraph", "after": "P3", "contentFrom": own},
        ]))
        .await;
    let codes: Vec<&str> = applied["operations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["code"].as_str().unwrap_or_else(|| result["status"].as_str().unwrap()))
        .collect();
    let expected = [
        "SESSION_NOT_FOUND",
        "INVALID_OPERATION",
        "INVALID_OPERATION",
        "INVALID_OPERATION",
        "CONTENT_TOO_LONG",
        "applied",
    ];
    assert_eq!(codes, expected);
    let mut operation = json!({"op": "insert_paragraph", "content": "x".repeat(70_000), "contentFrom": null});
    assert_eq!(desk.all.texts("deal").fill(&mut operation), Ok(()), "only what models write is bounded");
}
