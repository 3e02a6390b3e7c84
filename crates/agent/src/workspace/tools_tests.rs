use std::collections::BTreeMap;
use std::sync::Arc;

use engross_docx::Tracking;
use engross_llm::{Message, Model, ScriptModel, ToolCall};
use engross_protocol::{CountingIds, SessionId};
use engross_rules::RulesModel;
use engross_store::MemoryStore;
use engross_store::files::Precondition;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use super::all_tests::{NDA, lengthen, path, workspaces};
use engross_documents::{EditWork, Workspace};

use super::{ApprovalFuture, Approver, DocumentTools, ProposedEdits, Workspaces};
use crate::session::{
    AnswerStream, LogEvent, Models, SessionName, Sessions, SessionsConfig, Settings, ToolResult, ToolRound,
    ToolStep, Toolbox, TurnEvent, TurnRequest,
};

struct TestBench {
    _folder: TempDir,
    all: Workspaces,
    workspace: Workspace,
    tools: DocumentTools,
}

fn desk(files: &[&str]) -> TestBench {
    let (folder, all) = workspaces();
    let workspace = all.make("deal").unwrap();
    for file in files {
        workspace.put(&path(file), NDA, &Precondition::Absent).unwrap();
    }
    let tools = DocumentTools::new(workspace.clone());
    TestBench { _folder: folder, all, workspace, tools }
}

pub(super) fn call(id: &str, name: &str, arguments: &Value) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: arguments.to_string() }
}

fn edit(id: &str, file: Option<&str>, to: &str) -> ToolCall {
    let operation = json!({"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": to});
    let mut arguments = json!({ "operations": [operation] });
    if let Some(file) = file {
        arguments["file"] = json!(file);
    }
    call(id, "apply_redlines", &arguments)
}

pub(super) fn round(calls: Vec<ToolCall>, seen: BTreeMap<String, String>) -> ToolRound {
    ToolRound {
        session: SessionId::new(&CountingIds::default(), 0),
        calls,
        seen,
        settings: Settings { author: Some("Ada".to_owned()), ..Settings::default() },
        model: Arc::new(RulesModel),
        cancelled: CancellationToken::new(),
    }
}

pub(super) fn seen(results: &[ToolResult]) -> BTreeMap<String, String> {
    let seen = results.iter().flat_map(|result| &result.seen);
    seen.map(|seen| (seen.file.clone(), seen.revision.clone())).collect()
}

pub(super) fn code(result: &ToolResult) -> String {
    let content: Value = serde_json::from_str(&result.content).unwrap_or_default();
    content["error"]["code"].as_str().unwrap_or("none").to_owned()
}

#[tokio::test]
async fn the_model_sees_the_one_document_before_it_answers() {
    let desk = desk(&["nda.docx"]);
    let briefing = desk.tools.briefing().await;
    assert!(briefing.text.contains("[P1|"), "{}", briefing.text);
    assert_eq!(
        briefing.seen[0].revision,
        desk.workspace.open(&path("nda.docx")).unwrap().document.revision()
    );
    let shown = briefing.seen.iter().map(|seen| (seen.file.clone(), seen.revision.clone())).collect();
    let results = desk.tools.run(round(vec![edit("a", None, "five (5) years")], shown)).await;
    assert!(!results[0].is_error, "{results:?}");
    assert!(desk.tools.briefing().await.text.contains("five (5) years"), "it is shown as it is now");
}

/// contracts/word.md §8 case 165, for a model: each call reaches the document that it names.
#[tokio::test]
async fn several_documents_are_named_read_and_edited_apart() {
    let desk = desk(&["a.docx", "b.docx", "notes.txt"]);
    let briefing = desk.tools.briefing().await;
    assert!(briefing.text.contains("- a.docx (") && briefing.text.contains("- b.docx ("));
    assert!(!briefing.text.contains("notes.txt") && briefing.seen.is_empty());
    let blind = vec![
        edit("a", None, "four (4) years"),
        edit("b", Some("a.docx"), "four (4) years"),
        edit("c", Some("../a.docx"), "four (4) years"),
        call("d", "list_documents", &json!({})),
    ];
    let results = desk.tools.run(round(blind, BTreeMap::new())).await;
    let codes: Vec<String> = results.iter().map(code).collect();
    assert_eq!(codes, ["INVALID_ARGUMENTS", "DOCUMENT_NOT_READ", "PATH_OUTSIDE_ROOT", "none"]);
    let read = vec![
        call("a", "read_document", &json!({"file": "a.docx", "search": "three (3)"})),
        call("b", "read_document", &json!({"file": "b.docx", "limit": 1})),
    ];
    let results = desk.tools.run(round(read, BTreeMap::new())).await;
    let known = seen(&results);
    assert_eq!(known.len(), 2);
    let results = desk.tools.run(round(vec![edit("b", Some("b.docx"), "five (5) years")], known)).await;
    assert!(!results[0].is_error);
    assert_eq!(desk.workspace.read(&path("a.docx")).unwrap().unwrap(), NDA);
    assert_ne!(desk.workspace.read(&path("b.docx")).unwrap().unwrap(), NDA);
    let details = results[0].details.as_ref().unwrap();
    assert_eq!(details["file"], "b.docx");
    assert_eq!(details["operations"][0]["status"], "applied");
    assert!(details["checkpoint"].is_string());
}

#[tokio::test]
async fn a_document_that_a_person_changed_is_read_again_first() {
    let desk = desk(&["nda.docx"]);
    let known =
        seen(&desk.tools.run(round(vec![call("a", "read_document", &json!({}))], BTreeMap::new())).await);
    desk.workspace
        .edit(&path("nda.docx"), None, (Tracking::Tracked, &EditWork::Resolution), lengthen("four (4) years"))
        .unwrap();
    let results = desk
        .tools
        .run(round(
            vec![
                edit("b", None, "five (5) years"),
                call("c", "read_document", &json!({"search": "four (4)"})),
            ],
            known,
        ))
        .await;
    assert_eq!(code(&results[0]), "DOCUMENT_CHANGED");
    assert!(results[1].content.contains("four (4) years"), "reading goes on");
    let again = json!({"operations": [{"op": "modify_text", "paragraphIndex": 50, "originalText": "four (4)", "replacementText": "five (5)"}]});
    let results = desk.tools.run(round(vec![call("d", "apply_redlines", &again)], seen(&results))).await;
    assert!(!results[0].is_error, "{results:?}");
}

/// contracts/word.md §8 case 154: a turn that is stopped begins no further change.
#[tokio::test]
async fn case_154_a_cancelled_round_changes_nothing_more() {
    let desk = desk(&["nda.docx"]);
    let known =
        seen(&desk.tools.run(round(vec![call("a", "read_document", &json!({}))], BTreeMap::new())).await);
    let stopped = round(vec![edit("b", None, "five (5) years")], known);
    stopped.cancelled.cancel();
    let results = desk.tools.run(stopped).await;
    assert_eq!(code(&results[0]), "TURN_CANCELLED");
    assert_eq!(desk.workspace.read(&path("nda.docx")).unwrap().unwrap(), NDA);
}

fn sessions(desk: &TestBench, model: impl Model + 'static) -> (Sessions, Arc<MemoryStore>) {
    let store = Arc::new(MemoryStore::new());
    let config = crate::session::service_support::config(
        &store,
        &crate::session::service_support::ScriptedModel::new([]),
    );
    let sessions = Sessions::new(SessionsConfig {
        models: Models::one(Arc::new(model)),
        toolboxes: Arc::new(desk.all.clone()),
        ..config
    });
    (sessions, store)
}

fn ask(text: &str) -> TurnRequest {
    TurnRequest {
        key: Some(SessionName::Named("doc".to_owned())),
        workspace: Some("deal".to_owned()),
        messages: vec![Message::User { content: text.to_owned(), attachments: Vec::new() }],
        ..TurnRequest::default()
    }
}

async fn events(mut answer: AnswerStream) -> Vec<TurnEvent> {
    let mut events = Vec::new();
    while let Some(placed) = answer.next().await {
        events.push(placed.event);
    }
    events
}

/// contracts/word.md §8 cases 149 and 163: two tools of one turn have two visible outcomes, and the model learns what became
/// of each change.
#[tokio::test]
async fn cases_149_and_163_every_tool_and_every_change_has_its_outcome() {
    let desk = desk(&["nda.docx"]);
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "tool_calls": [
            {"name": "read_document", "args": {"search": "Ireland"}},
            {"name": "apply_redlines", "args": {"operations": [
                {"op": "modify_text", "paragraphIndex": 50, "originalText": "three (3) years", "replacementText": "five (5) years"},
                {"op": "modify_text", "paragraphIndex": 50, "originalText": "nine lives", "replacementText": "ten"}]}}]},
        {"when": {"last_role": "tool", "contains": "TEXT_NOT_FOUND"}, "text": "One of two."}
    ]});
    let (sessions, _) = sessions(&desk, ScriptModel::new("s", &script.to_string()).unwrap());
    let events = events(sessions.submit(ask("go")).await.unwrap()).await;
    let steps: Vec<(&str, ToolStep)> = events
        .iter()
        .filter_map(|event| match event {
            TurnEvent::Status { tool, step, .. } => Some((tool.as_str(), *step)),
            _ => None,
        })
        .collect();
    assert_eq!(
        steps,
        [
            ("read_document", ToolStep::Started),
            ("apply_redlines", ToolStep::Started),
            ("read_document", ToolStep::Done),
            ("apply_redlines", ToolStep::Done)
        ]
    );
    let said: String = events
        .iter()
        .filter_map(|event| if let TurnEvent::Text(text) = event { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(said, "One of two.");
}

/// A call of three operations is cut within the third: two are made, and the model is told of the rest.
#[tokio::test]
async fn operations_that_came_whole_before_a_cut_are_made() {
    let desk = desk(&["nda.docx"]);
    let operation = |from: &str, to: &str| json!({"op": "modify_text", "paragraphIndex": 50, "originalText": from, "replacementText": to});
    let whole = json!({"operations": [operation("three (3) years", "five (5) years"), operation("nine lives", "ten")]});
    let cut = whole
        .to_string()
        .replace("]}", r#",{"op":"insert_paragraph","paragraphIndex":50,"content":"A long te"#);
    let script = json!({"turns": [
        {"when": {"last_role": "user"}, "tool_calls": [{"name": "apply_redlines", "raw_args": cut}], "finish_reason": "length"},
        {"when": {"last_role": "tool", "contains": "name its session_id in contentFrom"}, "text": "Two came."}
    ], "default": {"text": "It was not told."}});
    let (sessions, _) = sessions(&desk, ScriptModel::new("s", &script.to_string()).unwrap());
    let events = events(sessions.submit(ask("go")).await.unwrap()).await;
    let said = |event: &TurnEvent| matches!(event, TurnEvent::Text(text) if text.contains("Two"));
    assert!(events.iter().any(said), "{events:?}");
    let document = desk.workspace.open(&path("nda.docx")).unwrap().document;
    let text =
        crate::reading::text(&document, &engross_docx::read::ReadOptions::default(), 1 << 20).unwrap().text;
    assert!(text.contains("five (5) years") && !text.contains("A long te"), "{text}");
}

/// contracts/word.md §8 cases 150 and 162: the next iteration sees fresh text and numbers, and the document is in the
/// conversation once however long that is.
#[tokio::test]
async fn cases_150_and_162_the_document_is_fresh_and_there_once() {
    let desk = desk(&["nda.docx"]);
    let (sessions, store) = sessions(&desk, RulesModel);
    let mut id = None;
    for n in 0..5 {
        let text = format!("insert \"Clause number {n} of five.\" after paragraph 5");
        let answer = sessions.submit(ask(&text)).await.unwrap();
        id = Some(answer.session);
        let events = events(answer).await;
        assert!(
            events.iter().any(|event| matches!(event, TurnEvent::Text(text) if text.contains("applied: 1"))),
            "{events:?}"
        );
    }
    let briefing = desk.tools.briefing().await.text;
    for n in 0..5 {
        assert_eq!(briefing.matches(&format!("Clause number {n} of five.")).count(), 1);
    }
    let log = crate::session::recorded(&*store, id.unwrap()).await.unwrap();
    let stored: usize = log.iter().map(|event| serde_json::to_string(event).unwrap().len()).sum();
    assert!(stored < 40_000, "the log does not hold the document again and again: {stored} bytes");
    assert!(log.iter().any(|event| matches!(event, LogEvent::Began { .. })));
    assert_eq!(desk.workspace.checkpoints(&path("nda.docx")).unwrap().len(), 5);
}

/// contracts/word.md §8 case 149: two edits of one answer mean the same document, and can be taken back one by one.
#[tokio::test]
async fn case_149_each_call_of_an_answer_can_be_taken_back_by_itself() {
    let desk = desk(&["nda.docx"]);
    let insert = |id: &str, text: &str| {
        call(
            id,
            "apply_redlines",
            &json!({"operations": [{"op": "insert_paragraph", "after": "P5", "content": text}]}),
        )
    };
    let briefing = desk.tools.briefing().await;
    let shown = briefing.seen.into_iter().map(|seen| (seen.file, seen.revision)).collect();
    let calls = vec![
        insert("a", "First."),
        call("b", "read_document", &json!({"search": "three (3)"})),
        edit("c", None, "five (5) years"),
    ];
    let results = desk.tools.run(round(calls, shown)).await;
    assert!(results.iter().all(|result| !result.is_error), "{results:?}");
    let checkpoint =
        |at: usize| results[at].details.as_ref().unwrap()["checkpoint"].as_str().unwrap().to_owned();
    let operations =
        |at: usize| results[at].details.as_ref().unwrap()["operations"].as_array().unwrap().len();
    assert_eq!((operations(0), operations(2)), (1, 1));
    let text = || {
        format!("{:?}", desk.workspace.open(&path("nda.docx")).unwrap().document.read(&Default::default()))
    };
    assert!(text().contains("First.") && text().contains("five"));
    desk.workspace.restore(&path("nda.docx"), &checkpoint(2), &Precondition::Any).unwrap();
    assert!(
        text().contains("First.") && !text().contains("five"),
        "the second is taken back, the first stays"
    );
    desk.workspace.restore(&path("nda.docx"), &checkpoint(0), &Precondition::Any).unwrap();
    assert_eq!(desk.workspace.read(&path("nda.docx")).unwrap().unwrap(), NDA);
}

/// Agrees as it says, and counts what it was asked.
struct TestApprover(bool, std::sync::Mutex<Vec<ProposedEdits>>);

impl Approver for TestApprover {
    fn approve(&self, edits: ProposedEdits) -> ApprovalFuture<'_> {
        self.1.lock().unwrap().push(edits);
        Box::pin(async { self.0 })
    }
}

#[tokio::test]
async fn edits_are_made_only_when_they_were_agreed_to() {
    for agrees in [false, true] {
        let desk = desk(&["nda.docx"]);
        let approver = Arc::new(TestApprover(agrees, std::sync::Mutex::default()));
        let tools = desk.tools.clone().with_approver(Some(approver.clone()));
        let briefing = tools.briefing().await;
        let shown: BTreeMap<String, String> =
            briefing.seen.iter().map(|seen| (seen.file.clone(), seen.revision.clone())).collect();
        let before = desk.workspace.read(&path("nda.docx")).unwrap();
        let calls = vec![edit("a", None, "five (5) years"), call("b", "read_document", &json!({"limit": 1}))];
        let results = tools.run(round(calls, shown)).await;
        let asked = approver.1.lock().unwrap();
        let [edits] = asked.as_slice() else { panic!("asked {} times", asked.len()) };
        assert_eq!((edits.file.as_str(), edits.operations.len()), ("nda.docx", 1));
        assert!(edits.operations[0].after.as_ref().is_some_and(|after| after.contains("five (5) years")));
        let is_changed = desk.workspace.read(&path("nda.docx")).unwrap() != before;
        assert_eq!(is_changed, agrees);
        assert_eq!(code(&results[0]), if agrees { "none" } else { "EDITS_DECLINED" });
        assert!(!results[1].is_error, "reading needs nobody: {results:?}");
    }
}

#[tokio::test]
async fn nobody_is_asked_about_edits_that_would_change_nothing() {
    let desk = desk(&["nda.docx"]);
    let approver = Arc::new(TestApprover(true, std::sync::Mutex::default()));
    let tools = desk.tools.clone().with_approver(Some(approver.clone()));
    let briefing = tools.briefing().await;
    let shown = briefing.seen.iter().map(|seen| (seen.file.clone(), seen.revision.clone())).collect();
    let wrong = json!({"operations": [{"op": "modify_text", "paragraphIndex": 50, "originalText": "no such words", "replacementText": "x"}]});
    let results = tools.run(round(vec![call("a", "apply_redlines", &wrong)], shown)).await;
    assert!(results[0].is_error && approver.1.lock().unwrap().is_empty(), "{results:?}");
}
