//! Files of a run through the protocol.

use serde_json::{Value, json};

use super::{TestBench, agent, and};

fn ids(told: &Value) -> Value {
    json!({ "openclawSessionKey": told["openclawSessionKey"], "runId": told["runId"] })
}

#[tokio::test]
async fn case_79_export_takes_requirements_and_lists_the_files_of_the_run() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "write:a.md=hello write:b/c.txt=x")).await;
    let asked = and(
        ids(&told),
        json!({ "requiredArtifactExtensions": ["pdf"], "expectedFileCountByExtension": { "md": 2 } }),
    );
    let page = bench.call("xworkmate.artifacts.export", asked).await;
    assert_eq!(page["missingRequiredExtensions"], json!(["pdf"]));
    assert_eq!(page["missingRequiredFileCounts"], json!({ "md": { "expected": 2, "actual": 1 } }));
    let contents: Vec<&Value> =
        page["artifacts"].as_array().unwrap().iter().map(|file| &file["content"]).collect();
    assert!(contents.contains(&&json!("aGVsbG8=")));
    let list = bench.call("xworkmate.artifacts.list", ids(&told)).await;
    assert!(list["artifacts"].as_array().unwrap().iter().all(|file| file["content"].is_null()));
}

#[tokio::test]
async fn pages_follow_one_another() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "write:a.md=1 write:b.md=2 write:c.md=3")).await;
    let mut cursor = Value::Null;
    let mut seen = Vec::new();
    loop {
        let page = bench
            .call("xworkmate.artifacts.list", and(ids(&told), json!({ "maxFiles": 2, "cursor": cursor })))
            .await;
        let paths = page["artifacts"].as_array().unwrap().iter();
        seen.extend(paths.map(|file| file["relativePath"].as_str().unwrap().to_owned()));
        cursor = page["nextCursor"].clone();
        if cursor.is_null() {
            break;
        }
    }
    seen.sort();
    assert_eq!(seen, ["a.md", "b.md", "c.md"]);
}

#[tokio::test]
async fn case_2_legacy_keys_and_other_scopes_are_refused() {
    let bench = TestBench::new().await;
    let one = bench.call("session.start", agent("a", "write:a.md=1")).await;
    let two = bench.call("session.start", agent("b", "write:b.md=2")).await;
    let legacy = and(ids(&one), json!({ "sessionKey": "a" }));
    assert_eq!(bench.refusal("xworkmate.artifacts.export", legacy).await.0, -32602);
    let foreign = and(ids(&one), json!({ "artifactScope": two["artifactScope"] }));
    assert_eq!(bench.refusal("xworkmate.artifacts.export", foreign).await.1, "SCOPE_MISMATCH");
    let crossed = json!({ "openclawSessionKey": one["openclawSessionKey"], "runId": two["runId"] });
    assert_eq!(bench.refusal("xworkmate.artifacts.export", crossed).await.1, "SCOPE_MISMATCH");
    let bare = and(ids(&one), json!({ "relativePath": "a.md" }));
    assert_eq!(bench.refusal("xworkmate.artifacts.read", bare).await.1, "ARTIFACT_SCOPE_REQUIRED");
}

#[tokio::test]
async fn a_removed_folder_takes_nothing_of_what_was_delivered() {
    let bench = TestBench::new().await;
    let told = bench.call("session.start", agent("t", "say:x write:a.md=1")).await;
    std::fs::remove_dir_all(bench.scope(&told)).unwrap();
    let config = bench.bridge.runs().config();
    bench.watch.forward(config.lifetime);
    let again = bench.call("xworkmate.tasks.get", json!({ "runId": told["runId"] })).await;
    let seen = json!([again["status"], again["artifacts"][0]["sha256"]]);
    assert_eq!(seen, json!(["completed", told["artifacts"][0]["sha256"]]));
    assert!(again["artifacts"][0]["downloadUrl"].is_string(), "its bytes are elsewhere: {again}");
}
