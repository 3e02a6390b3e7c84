//! What a task comes to, as it is told.

use serde_json::{Value, json};

use super::{TestBench, agent, and, gateway};

/// The ten fields that are always there.
const TEN: [&str; 10] = [
    "success",
    "status",
    "turnId",
    "runId",
    "taskId",
    "sessionId",
    "threadId",
    "appThreadKey",
    "openclawSessionKey",
    "artifactScope",
];

fn contract(params: Value, contract: &Value) -> Value {
    and(params, json!({ "metadata": { "xworkmateTaskArtifactContract": contract } }))
}

fn paths(told: &Value) -> Vec<String> {
    let all = told["artifacts"].as_array().unwrap();
    let mut paths: Vec<String> =
        all.iter().map(|file| file["relativePath"].as_str().unwrap().to_owned()).collect();
    paths.sort();
    paths
}

#[tokio::test]
async fn a_result_carries_everything_that_names_it() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("draft:1", "say:Hello")).await;
    for field in TEN {
        assert!(!told[field].is_null(), "{field}");
    }
    assert_eq!(told["openclawSessionKey"], "agent:main:draft:1");
    assert_eq!(told["output"], "Hello");
    assert_eq!((&told["status"], &told["terminal"]), (&json!("completed"), &json!(true)));
    assert_eq!(told["resolvedProviderId"], "codex");
    let again = bench.call("xworkmate.tasks.get", json!({ "runId": told["runId"] })).await;
    assert_eq!(again, told, "the snapshot is the result");
}

#[tokio::test]
async fn case_121_a_turn_with_text_and_no_files_ends_at_once() {
    let bench = TestBench::new().await;
    let asked =
        contract(gateway("t", "say:done unstated"), &json!({ "requiresExportBeforeFinalResponse": true }));
    let handle = bench.call("session.start", asked).await;
    for field in TEN {
        assert!(!handle[field].is_null(), "{field}");
    }
    let end = bench.end(&handle["runId"]).await;
    let seen = json!([
        end["status"],
        end["success"],
        end["output"],
        end["artifactSyncStatus"],
        end["lastResultCode"],
        end["successSource"]
    ]);
    assert_eq!(seen, json!(["completed", true, "done", "no-exported-artifacts", "success", "inferred"]));
}

#[tokio::test]
async fn case_80_a_plain_chat_is_not_made_to_export() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "say:Hello")).await;
    assert_eq!(told["artifactSyncStatus"], "no-artifacts");
}

#[tokio::test]
async fn case_69_to_73_words_and_files_are_the_evidence() {
    let bench = TestBench::new().await;
    for (prompt, status, code, source) in [
        ("unstated", "failed", json!("OPENCLAW_TERMINAL_WITHOUT_EVIDENCE"), Value::Null),
        ("unstated say:Hello", "completed", Value::Null, json!("inferred")),
        ("unstated write:a.md=x", "completed", Value::Null, json!("inferred")),
        ("say:Hello fail:BOOM", "failed", json!("BOOM"), Value::Null),
        ("say:Hello", "completed", Value::Null, Value::Null),
    ] {
        let told = bench.call("session.start", agent(prompt, prompt)).await;
        let seen = (&told["status"], &told["code"], &told["successSource"]);
        assert_eq!(seen, (&json!(status), &code, &source), "{prompt}");
    }
}

#[tokio::test]
async fn case_74_75_77_required_files_decide_and_partial_ones_are_never_listed() {
    let bench = TestBench::new().await;
    let required = json!({ "requiredArtifactExtensions": [".PDF", "md"] });
    let told = bench.call("session.start", contract(agent("a", "say:see write:a.md=x"), &required)).await;
    let seen = json!([
        told["status"],
        told["success"],
        told["code"],
        told["lastResultCode"],
        told["artifactSyncStatus"],
        told["missingRequiredExtensions"]
    ]);
    assert_eq!(
        seen,
        json!(["failed", false, "OPENCLAW_REQUIRED_ARTIFACT_MISSING", "artifact_missing", "failed", ["pdf"]])
    );
    assert_eq!(paths(&told), Vec::<String>::new());
    let told = bench
        .call("session.start", contract(agent("b", "write:a.md=x write:out/B.Pdf=%PDF-%%EOF"), &required))
        .await;
    assert_eq!((&told["status"], &told["artifactSyncStatus"]), (&json!("completed"), &json!("synced")));
    assert_eq!(paths(&told), ["a.md", "out/B.Pdf"]);
    let counted = json!({ "expectedFileCountByExtension": { "png": 2 } });
    let told = bench.call("session.start", contract(agent("c", "png:a.png"), &counted)).await;
    assert_eq!(told["missingRequiredFileCounts"], json!({ "png": { "expected": 2, "actual": 1 } }));
}

#[tokio::test]
async fn case_76_expected_folders_never_hold_an_end_up() {
    let bench = TestBench::new().await;
    let asked = contract(agent("t", "say:Hello"), &json!({ "expectedArtifactDirs": ["reports/"] }));
    assert_eq!(bench.call("session.start", asked).await["status"], "completed");
}

#[tokio::test]
async fn case_85_only_the_files_of_this_run_are_listed() {
    let bench = TestBench::new().await;
    let first = bench.call("session.start", agent("t", "write:one.md=1")).await;
    let second = bench.call("session.message", agent("t", "write:two.md=2")).await;
    assert_eq!((paths(&first), paths(&second)), (vec!["one.md".to_owned()], vec!["two.md".to_owned()]));
    assert_ne!(first["artifactScope"], second["artifactScope"]);
    let again = bench.call("xworkmate.tasks.get", json!({ "runId": first["runId"] })).await;
    assert_eq!(paths(&again), ["one.md"]);
}

#[tokio::test]
async fn case_49_a_lost_agent_is_a_coded_end() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "say:half die")).await;
    let seen = json!([told["status"], told["success"], told["code"], told["output"]]);
    assert_eq!(seen, json!(["interrupted", false, "AGENT_LOST", "half"]));
    let handle = bench.call("session.start", gateway("g", "die")).await;
    assert_eq!(bench.end(&handle["runId"]).await["code"], "OPENCLAW_GATEWAY_LOST");
}

#[tokio::test]
async fn case_82_84_86_a_gateway_out_of_reach_is_still_running_and_an_end_stays() {
    let bench = TestBench::new().await;
    let handle = bench.call("session.start", gateway("t", "degrade hold say:done")).await;
    let run = json!({ "runId": handle["runId"] });
    let told = loop {
        let told = bench.call("xworkmate.tasks.get", run.clone()).await;
        if told["transportDegraded"] == json!(true) {
            break told;
        }
        tokio::task::yield_now().await;
    };
    let seen = json!([told["status"], told["transportDegradedCode"], told["terminal"]]);
    assert_eq!(seen, json!(["running", "OPENCLAW_GATEWAY_SOCKET_CLOSED", false]));
    bench.gateway.go.notify_one();
    let end = bench.end(&handle["runId"]).await;
    bench.watch.forward(7 * 24 * 3_600_000 / 100);
    assert_eq!(bench.call("xworkmate.tasks.get", run).await["status"], end["status"]);
    assert_eq!(end["status"], "completed");
}

#[tokio::test]
async fn a_missing_provider_says_what_would_bring_it() {
    let bench = TestBench::new().await;
    let mut asked = agent("t", "say:Hello");
    asked["routing"]["explicitProviderId"] = json!("gemini");
    let told = bench.call("session.start", asked).await;
    assert_eq!((&told["status"], &told["code"]), (&json!("failed"), &json!("PROVIDER_UNAVAILABLE")));
    assert!(told["message"].as_str().unwrap().contains("install gemini"));
}

#[tokio::test]
async fn the_agent_is_told_where_to_deliver() {
    let bench = TestBench::new().await;
    let inline = json!({ "inlineAttachments": [{ "name": "notes.txt", "mimeType": "text/plain", "content": "aGk=" }] });
    let asked = and(agent("t", "say:$XWORKMATE_ARTIFACT_DIRECTORY hold"), inline);
    let started = bench.call("session.start", and(asked, json!({ "waitMs": 0 }))).await;
    bench.agent.given(1).await;
    let turn = bench.agent.turns.lock().unwrap()[0].clone();
    assert_eq!(turn.directory, bench.scope(&started));
    assert_eq!(turn.prompt, format!("say:{} hold", turn.directory.display()));
    let names: Vec<&str> = turn.environment.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "XWORKMATE_TASK_ARTIFACT_DIR",
            "XWORKMATE_ARTIFACT_DIRECTORY",
            "XWORKMATE_ARTIFACT_SCOPE",
            "XWORKMATE_SESSION_KEY",
            "XWORKMATE_RUN_ID"
        ]
    );
    assert_eq!(read(&turn.attachments[0].path), Some("hi".to_owned()));
    bench.agent.go.notify_one();
    let end = bench.end(&started["runId"]).await;
    assert_eq!(paths(&end), Vec::<String>::new(), "an attachment is no deliverable");
}

fn read(path: &std::path::Path) -> Option<String> {
    std::fs::read_to_string(path).ok()
}
