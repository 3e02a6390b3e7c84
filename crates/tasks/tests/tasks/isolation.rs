//! Who may see what.

use engross_tasks::rpc::RpcCall;
use serde_json::{Value, json};

use super::{TestBench, agent, and, call, gateway};

fn other() -> RpcCall {
    RpcCall { principal: "other".to_owned(), ..call() }
}

#[tokio::test]
async fn foreign_look_ups_find_nothing() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "write:a.md=x ")).await;
    for ids in [
        json!({ "runId": told["runId"] }),
        json!({ "turnId": told["turnId"] }),
        json!({ "sessionId": "t" }),
        json!({ "threadId": "t" }),
        json!({ "openclawSessionKey": told["openclawSessionKey"] }),
        json!({ "runId": told["runId"], "openclawSessionKey": told["openclawSessionKey"] }),
    ] {
        let envelope = bench.envelope(other(), "xworkmate.tasks.get", ids.clone()).await;
        assert_eq!(envelope["result"]["status"], "not_found", "{ids}");
        let envelope = bench.envelope(other(), "xworkmate.tasks.cancel", ids).await;
        assert_eq!(envelope["result"]["code"], "TASK_SCOPE_NOT_OWNED_OR_RECOVERED");
    }
    let ids = json!({
        "runId": told["runId"], "openclawSessionKey": told["openclawSessionKey"],
        "artifactScope": told["artifactScope"], "relativePath": "a.md",
        "artifactRef": told["artifacts"][0]["artifactRef"],
    });
    for method in ["export", "list", "read", "collect-and-snapshot"] {
        let envelope = bench.envelope(other(), &format!("xworkmate.artifacts.{method}"), ids.clone()).await;
        assert_eq!(envelope["error"]["data"]["code"], "TASK_NOT_FOUND", "{method}");
    }
    let envelope = bench.envelope(other(), "session.message", agent("t", "say:2")).await;
    assert_eq!(envelope["error"]["data"]["code"], "SESSION_CONTINUATION_UNAVAILABLE");
}

#[tokio::test]
async fn two_principals_with_one_thread_have_two() {
    let bench = TestBench::new().await;
    let ours = bench.call("session.start", agent("t", "write:a.md=ours")).await;
    let theirs =
        bench.envelope(other(), "session.start", agent("t", "write:b.md=theirs")).await["result"].clone();
    assert_ne!(ours["openclawSessionKey"], theirs["openclawSessionKey"]);
    assert_ne!(ours["artifactScope"], theirs["artifactScope"]);
    assert_eq!(theirs["artifacts"].as_array().unwrap().len(), 1);
    let taken = and(agent("u", "say:x"), json!({ "openclawSessionKey": ours["openclawSessionKey"] }));
    let envelope = bench.envelope(other(), "session.start", taken).await;
    assert_eq!(envelope["error"]["data"]["code"], "TASK_SESSION_CONFLICT");
}

#[tokio::test]
async fn case_122_keys_that_look_alike_have_folders_of_their_own() {
    let bench = TestBench::new().await;
    let mut scopes = Vec::new();
    for thread in ["a/b", "a:b", "a_b", "日本", "日本語"] {
        scopes.push(
            bench.call("session.start", agent(thread, "say:x")).await["artifactScope"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    let sessions: std::collections::BTreeSet<&str> =
        scopes.iter().map(|scope| scope.rsplit_once('/').unwrap().0).collect();
    assert_eq!(sessions.len(), scopes.len());
}

fn preparation() -> Value {
    json!({ "schemaVersion": 1, "appThreadKey": "t", "openclawSessionKey": "agent:main:t", "runId": "run-9", "expectedArtifactDirs": ["reports/"] })
}

#[tokio::test]
async fn case_42_43_44_a_mapping_is_durable_and_never_changed() {
    let mut bench = TestBench::new().await;
    let mut incomplete = preparation();
    incomplete["appThreadKey"] = json!("");
    assert_eq!(bench.refusal("xworkmate.session.prepare", incomplete).await.0, -32602);
    let told = bench.call("xworkmate.session.prepare", preparation()).await;
    assert_eq!(told["expectedArtifactDirStatus"], json!([{ "relativePath": "reports/", "exists": false }]));
    assert!(bench.scope(&told).is_dir());
    bench.restart().await;
    assert_eq!(bench.call("xworkmate.session.prepare", preparation()).await["mapping"], told["mapping"]);
    for wrong in [
        json!({ "appThreadKey": "u", "runId": "run-11" }),
        json!({ "openclawSessionKey": "agent:main:u", "runId": "run-10" }),
        json!({ "appThreadKey": "u" }),
    ] {
        let (_, code) = bench.refusal("xworkmate.session.prepare", and(preparation(), wrong)).await;
        assert_eq!(code, "TASK_SESSION_CONFLICT");
    }
}

/// A run id is its session's: counters of clients meet in ordinary use.
#[tokio::test]
async fn case_28_one_run_id_in_two_threads_is_two_runs() {
    let mut bench = TestBench::new().await;
    let of = |thread: &str, run: &str| json!({ "schemaVersion": 1, "appThreadKey": thread, "openclawSessionKey": format!("agent:main:{thread}"), "runId": run });
    let mut scopes = std::collections::BTreeSet::new();
    for (thread, run) in
        [("thread-a", "turn-1"), ("thread-b", "turn-1"), ("thread-a", "turn-2"), ("thread-c", "turn-1")]
    {
        let told = bench.call("xworkmate.session.prepare", of(thread, run)).await;
        std::fs::write(bench.scope(&told).join("own.txt"), thread).unwrap();
        scopes.insert(told["artifactScope"].as_str().unwrap().to_owned());
        let again = bench.call("xworkmate.session.prepare", of(thread, run)).await;
        assert_eq!(again["artifactScope"], told["artifactScope"], "asking again makes nothing new");
    }
    assert_eq!(scopes.len(), 4);
    bench.restart().await;
    for thread in ["thread-a", "thread-b", "thread-c"] {
        let key = json!({ "openclawSessionKey": format!("agent:main:{thread}"), "runId": "turn-1" });
        let files = bench.call("xworkmate.artifacts.export", key.clone()).await;
        let bytes = files["artifacts"][0]["content"].as_str().unwrap();
        assert_eq!(
            base64::Engine::decode(&base64::engine::general_purpose::STANDARD, bytes).unwrap(),
            thread.as_bytes()
        );
        for ids in [key, json!({ "appThreadKey": thread, "runId": "turn-1" })] {
            let told = bench.call("xworkmate.tasks.get", ids).await;
            assert_eq!((&told["status"], &told["appThreadKey"]), (&json!("running"), &json!(thread)));
        }
    }
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": "turn-1" })).await;
    assert_eq!((&told["status"], &told["code"]), (&json!("not_found"), &json!("RUN_SCOPE_MISMATCH")));
    assert!(told["message"].as_str().unwrap().contains("openclawSessionKey"), "{told}");
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": "turn-2" })).await;
    assert_eq!(told["appThreadKey"], "thread-a", "one that is unique is found alone");
}

#[tokio::test]
async fn case_45_48_50_87_look_ups_go_through_the_mapping() {
    let bench = TestBench::new().await;
    bench.call("xworkmate.session.prepare", preparation()).await;
    let told = bench.call("xworkmate.tasks.get", json!({ "appThreadKey": "t" })).await;
    let seen = json!([
        told["runId"],
        told["status"],
        told["terminal"],
        told["terminalSource"],
        told["openclawSessionKey"]
    ]);
    assert_eq!(seen, json!(["run-9", "running", false, "session_prepare", "agent:main:t"]));
    let told = bench.call("xworkmate.tasks.get", json!({ "appThreadKey": "t", "runId": "run-10" })).await;
    assert_eq!((&told["ok"], &told["code"]), (&json!(false), &json!("no_native_task_record")));
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": "run-11" })).await;
    assert_eq!((&told["status"], &told["code"]), (&json!("not_found"), &json!("TASK_NOT_FOUND")));
}

#[tokio::test]
async fn case_47_files_without_a_record_are_evidence_and_no_success() {
    let bench = TestBench::new().await;
    let told = bench.call("xworkmate.session.prepare", preparation()).await;
    let stray = bench.scope(&told).parent().unwrap().join("run-10");
    std::fs::create_dir_all(&stray).unwrap();
    let ids = json!({ "appThreadKey": "t", "runId": "run-10" });
    let empty = bench.call("xworkmate.tasks.get", ids.clone()).await;
    assert_eq!(empty["code"], "no_native_task_record");
    std::fs::write(stray.join("a.md"), "whose?").unwrap();
    let told = bench.call("xworkmate.tasks.get", ids.clone()).await;
    let seen =
        json!([told["status"], told["success"], told["terminal"], told["evidence"], told["artifacts"]]);
    assert_eq!(seen, json!(["unknown", false, false, "artifacts_present", []]));
    let envelope = bench.envelope(other(), "xworkmate.tasks.get", ids).await;
    assert_eq!(envelope["result"]["code"], "TASK_NOT_FOUND");
}

/// The leases of the contract's own cloud are not taken: nothing that carries one gets past the names of the methods.
#[tokio::test]
async fn case_94_a_lease_is_refused_whatever_it_says() {
    let bench = TestBench::new().await;
    let lease = json!({ "sessionId": "t", "threadId": "t", "lease": { "leaseToken": "x", "expiresAt": 1 } });
    for method in
        ["xworkmate.agent.ingest", "xworkmate.tasks.lease", "xworkmate.lease.start", "gateway.request"]
    {
        let (number, code) = bench.refusal(method, lease.clone()).await;
        assert_eq!((number, code.as_str()), (-32601, "RPC_METHOD_UNKNOWN"), "{method}");
    }
    assert!(bench.agent.prompts().is_empty() && bench.gateway.prompts().is_empty());
}

#[tokio::test]
async fn case_78_83_what_nobody_ends_is_interrupted_at_its_deadline() {
    let bench = TestBench::new().await;
    bench.call("xworkmate.session.prepare", preparation()).await;
    bench.watch.forward(61 * 60_000);
    bench.bridge.runs().look_after(false).await.unwrap();
    let told = bench.call("xworkmate.tasks.get", json!({ "runId": "run-9" })).await;
    assert_eq!(
        (&told["status"], &told["code"]),
        (&json!("interrupted"), &json!("OPENCLAW_RUN_DEADLINE_EXCEEDED"))
    );
    assert_eq!(bench.bridge.runs().counters().overdue(), 1);
}

#[tokio::test]
async fn a_run_past_its_budget_is_interrupted_and_its_agent_asked_to_stop() {
    let bench = TestBench::new().await;
    let told =
        bench.call("session.start", and(gateway("t", "say:half hold"), json!({ "timeoutMs": 40 }))).await;
    let end = bench.end(&told["runId"]).await;
    let seen = json!([end["status"], end["code"], end["output"], end["artifactSyncStatus"]]);
    assert_eq!(seen, json!(["interrupted", "OPENCLAW_RUN_DEADLINE_EXCEEDED", "half", "failed"]));
    assert_eq!(*bench.gateway.cancels.lock().unwrap(), [told["runId"].as_str().unwrap()]);
}
