//! Tasks from the protocol to a gateway and back, across restarts of ours.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engross_artifacts::{ArtifactWorkspace, Keys, MemoryHashes, SigningKey};
use engross_openclaw::media_sources;
use engross_protocol::{Clock, RandomIds, SystemClock};
use engross_store::files::Root;
use engross_store::{SqliteStore, Store};
use engross_tasks::rpc::{Bridge, BridgeConfig, RpcCall, RpcFrame, RpcRequest};
use engross_tasks::runner::{Policy, ProviderId, TaskRunner};
use engross_tasks::runs::{Capacity, RunProvider, Runs, RunsConfig, Target};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::fake::FakeGateway;
use super::{patient, runner};
use engross_testkit::task_requests::{and, gateway, within};

fn call() -> RpcCall {
    RpcCall { base: "http://bridge".to_owned(), path: "/acp/rpc", ..RpcCall::default() }
}

fn request(method: &str, params: Value) -> RpcRequest {
    let Value::Object(params) = params else { panic!("parameters are an object") };
    RpcRequest { id: Some(json!("1")), method: method.to_owned(), params }
}

/// A bridge whose gateway plays.
struct TaskBench {
    folder: TempDir,
    gate: FakeGateway,
    bridge: Bridge,
}

impl TaskBench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("media")).unwrap();
        let gate = FakeGateway::open().await;
        let bridge = open(folder.path(), &gate).await;
        Self { folder, gate, bridge }
    }

    /// What a new start finds: the store, the disk, and a gateway that went on.
    async fn restart(&mut self) {
        self.bridge.runs().drain(Duration::ZERO).await;
        self.bridge.runs().config().store.close().await.unwrap();
        self.bridge = open(self.folder.path(), &self.gate).await;
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let mut frames = self.bridge.open(call(), request(method, params));
        loop {
            if let RpcFrame::Answer(envelope) = within(frames.recv()).await.expect("an answer") {
                return envelope["result"].clone();
            }
        }
    }

    /// A task that the gateway has accepted: its handle, and the name it has there.
    async fn begun(&mut self, thread: &str, more: Value) -> (Value, Value) {
        let params = and(and(gateway(thread, "work"), json!({ "waitMs": 0 })), more);
        let handle = self.call("session.start", params).await;
        self.gate.without_plugin().await;
        let sent = self.gate.accept().await;
        (handle, sent)
    }

    /// Waits until these words of the gateway were heard.
    async fn heard(&self, run: &Value, words: &str) {
        let listening = || RpcCall { stream: true, ..call() };
        let mut is_heard = false;
        while !is_heard {
            let asked = request("xworkmate.tasks.get", json!({ "runId": run, "afterSeq": 0, "waitMs": 100 }));
            let mut frames = self.bridge.open(listening(), asked);
            while let Some(RpcFrame::Event(told, _)) = within(frames.recv()).await {
                is_heard |= told["params"]["delta"] == words;
            }
        }
    }

    fn tell(&self, sent: &Value, state: &str, text: &str) {
        let payload = json!({
            "runId": sent["idempotencyKey"], "sessionKey": sent["sessionKey"], "state": state,
            "message": { "role": "assistant", "content": [{ "type": "text", "text": text }] },
        });
        self.gate.event("chat", payload);
    }

    /// Asks until `wanted` is told.
    async fn until(&self, run: &Value, wanted: impl Fn(&Value) -> bool) -> Value {
        within(async {
            loop {
                let told = self.call("xworkmate.tasks.get", json!({ "runId": run })).await;
                if wanted(&told) {
                    return told;
                }
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        })
        .await
    }

    async fn end(&self, run: &Value) -> Value {
        self.until(run, |told| told["terminal"] == true).await
    }

    fn scope(&self, handle: &Value) -> PathBuf {
        self.folder.path().join("work").join(handle["artifactScope"].as_str().unwrap())
    }
}

async fn open(folder: &Path, gate: &FakeGateway) -> Bridge {
    let runner: Arc<dyn TaskRunner> = Arc::new(runner(gate, folder, patient()));
    let work = folder.join("work");
    let place = work.to_str().unwrap().to_owned();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&folder.join("tasks.sqlite")).unwrap());
    let runs = Runs::new(RunsConfig {
        store,
        workspace: ArtifactWorkspace::new(Root::open(&work).unwrap().top(), &place),
        place,
        keys: Keys::new(vec![SigningKey::new("k1", vec![7; 32], None).unwrap()]),
        hashes: Arc::new(MemoryHashes::new(1000)),
        blobs: None,
        threads: NonZeroUsize::MIN,
        providers: vec![RunProvider {
            id: ProviderId::new("openclaw").unwrap(),
            label: "OpenClaw".to_owned(),
            target: Target::Gateway,
            category: "native",
            runner: Some(runner),
            help: String::new(),
            sources: media_sources(&[folder.join("media"), folder.join("missing")], &[]),
        }],
        waits_for_viewer: false,
        gateway: Capacity::default(),
        grace: Duration::from_millis(50),
        halt: std::sync::atomic::AtomicBool::default(),
        signer: None,
        lifetime: 24 * 3_600_000,
        clock: Arc::new(SystemClock) as Arc<dyn Clock>,
        ids: Arc::new(RandomIds),
    });
    runs.recover().await.unwrap();
    Bridge::new(runs, BridgeConfig { version: "0".to_owned(), permissions: Policy::Ask })
}

fn paths(told: &Value) -> Vec<&str> {
    let files = told["artifacts"].as_array().map(Vec::as_slice).unwrap_or_default();
    files.iter().filter_map(|file| file["relativePath"].as_str()).collect()
}

#[tokio::test]
async fn case_70_80_121_words_alone_are_a_success_at_once() {
    let mut house = TaskBench::new().await;
    let (handle, sent) = house.begun("t", json!({})).await;
    house.tell(&sent, "final", "hello");
    let end = house.end(&handle["runId"]).await;
    let seen = json!([end["status"], end["success"], end["output"], end["successSource"]]);
    assert_eq!(seen, json!(["completed", true, "hello", "inferred"]));
    assert_eq!(end["artifactSyncStatus"], "no-artifacts");
}

#[tokio::test]
async fn case_69_an_end_without_a_word_or_a_file_is_a_failure() {
    let mut house = TaskBench::new().await;
    let (handle, sent) = house.begun("t", json!({})).await;
    house.gate.event("chat", json!({ "runId": sent["idempotencyKey"], "state": "final" }));
    assert_eq!(house.end(&handle["runId"]).await["code"], "OPENCLAW_TERMINAL_WITHOUT_EVIDENCE");
}

#[tokio::test]
async fn case_13_files_that_the_answer_names_are_taken_and_no_others() {
    let mut house = TaskBench::new().await;
    let media = house.folder.path().join("media");
    for name in ["named.png", "url.png", "other.png"] {
        std::fs::write(media.join(name), name).unwrap();
    }
    let (handle, sent) = house.begun("t", json!({})).await;
    std::fs::write(house.scope(&handle).join("a.txt"), "a").unwrap();
    let text = format!("here it is\nMEDIA:{}", media.join("named.png").display());
    let payload = json!({
        "runId": sent["idempotencyKey"], "sessionKey": sent["sessionKey"], "state": "final",
        "message": { "content": text, "mediaUrls": [media.join("url.png")] },
    });
    house.gate.event("chat", payload);
    let end = house.end(&handle["runId"]).await;
    let mut found = paths(&end);
    found.sort_unstable();
    assert_eq!(found, ["a.txt", "artifacts/generated-media/named.png", "artifacts/generated-media/url.png"]);
}

/// OpenClaw 2026.9.6 cuts the line out of the words of the chat, and tells the path while the agent works.
#[tokio::test]
async fn case_13_a_file_that_the_gateway_cut_out_of_the_answer_is_taken() {
    let mut house = TaskBench::new().await;
    let media = house.folder.path().join("media");
    for (name, how) in [("a b.png", "final"), ("lost.png", "error")] {
        std::fs::write(media.join(name), name).unwrap();
        let (handle, sent) = house.begun(how, json!({})).await;
        let data = json!({ "text": "Done", "delta": "", "mediaUrls": [media.join(name)] });
        let told = json!({
            "runId": sent["idempotencyKey"], "sessionKey": sent["sessionKey"], "stream": "assistant", "data": data,
        });
        house.gate.event("agent", told);
        house.tell(&sent, how, "Done");
        let end = house.end(&handle["runId"]).await;
        let expected: &[&str] = if how == "final" { &["artifacts/generated-media/a b.png"] } else { &[] };
        assert_eq!(paths(&end), expected, "{end}");
    }
}

#[tokio::test]
async fn a_named_file_that_cannot_be_had_is_told_and_a_link_is_none() {
    let mut house = TaskBench::new().await;
    let (lost, none) = (json!(["/home/somebody/secret.png"]), Value::Null);
    for (words, expected) in [
        ("see MEDIA:/home/somebody/secret.png", &lost),
        ("see MEDIA:https://elsewhere.example/a.png", &none),
        ("see MEDIA:/gateway/run/a.txt", &none),
    ] {
        let (handle, sent) = house.begun(words.rsplit('/').next().unwrap(), json!({})).await;
        std::fs::write(house.scope(&handle).join("a.txt"), "a").unwrap();
        house.tell(&sent, "final", words);
        let end = house.end(&handle["runId"]).await;
        assert_eq!((&end["status"], &end["namedOnly"]), (&json!("completed"), expected), "{words}: {end}");
        assert_eq!(paths(&end), ["a.txt"], "what can be had is delivered");
        let warnings = end["artifactWarnings"].to_string();
        assert_eq!(warnings.contains("/home/somebody/secret.png"), *expected == lost, "{end}");
    }
}

/// A run that consists of a file which cannot be had, and one that needs it, are failures.
#[tokio::test]
async fn a_named_file_that_cannot_be_had_is_a_failure_where_there_is_nothing_else() {
    let mut house = TaskBench::new().await;
    let required =
        json!({ "metadata": { "xworkmateTaskArtifactContract": { "requiredArtifactExtensions": ["png"] } } });
    for (thread, words, more, code) in [
        ("alone", "", json!({}), "OPENCLAW_ARTIFACT_UNREACHABLE"),
        ("required", "Done", required, "OPENCLAW_REQUIRED_ARTIFACT_MISSING"),
    ] {
        let (handle, sent) = house.begun(thread, more).await;
        let data = json!({ "text": words, "delta": "", "mediaUrls": ["/home/somebody/secret.png"] });
        let told = json!({
            "runId": sent["idempotencyKey"], "sessionKey": sent["sessionKey"], "stream": "assistant", "data": data,
        });
        house.gate.event("agent", told);
        house.tell(&sent, "final", words);
        let end = house.end(&handle["runId"]).await;
        assert_eq!((&end["status"], &end["code"]), (&json!("failed"), &json!(code)), "{end}");
        assert!(end.to_string().contains("/home/somebody/secret.png"), "{end}");
    }
}

#[tokio::test]
async fn case_82_83_a_gateway_that_stays_away_is_interrupted_at_the_deadline() {
    let mut house = TaskBench::new().await;
    let (handle, _) = house.begun("t", json!({ "runBudgetMs": 1500 })).await;
    house.until(&handle["runId"], |told| told["status"] == "running").await;
    house.gate.shut();
    let told = house.until(&handle["runId"], |told| told["transportDegraded"] == true).await;
    assert_eq!((&told["status"], &told["terminal"]), (&json!("running"), &json!(false)));
    assert_eq!(told["transportDegradedCode"], "OPENCLAW_GATEWAY_SOCKET_CLOSED");
    let end = house.end(&handle["runId"]).await;
    let seen = json!([end["status"], end["code"]]);
    assert_eq!(seen, json!(["interrupted", "OPENCLAW_RUN_DEADLINE_EXCEEDED"]));
}

#[tokio::test]
async fn case_84_85_86_an_end_stays_and_is_of_its_own_run() {
    let mut house = TaskBench::new().await;
    let (one, first) = house.begun("one", json!({})).await;
    let (two, second) = house.begun("two", json!({})).await;
    assert_ne!(first["idempotencyKey"], second["idempotencyKey"]);
    house.tell(&first, "final", "first");
    let end = house.end(&one["runId"]).await;
    assert_eq!((&end["status"], &end["output"]), (&json!("completed"), &json!("first")));
    house.tell(&first, "error", "late");
    house.gate.shut();
    let told = house.until(&two["runId"], |told| told["transportDegraded"] == true).await;
    assert_eq!((&told["status"], &told["terminal"]), (&json!("running"), &json!(false)));
    assert_eq!(house.end(&one["runId"]).await["output"], "first");
    let unknown = house.call("xworkmate.tasks.get", json!({ "runId": "run-none" })).await;
    assert_eq!(unknown["status"], "not_found");
}

#[tokio::test]
async fn a_run_goes_on_through_a_restart_of_ours() {
    let mut house = TaskBench::new().await;
    let (handle, sent) = house.begun("t", json!({})).await;
    house.tell(&sent, "delta", "half");
    house.until(&handle["runId"], |told| told["status"] == "running").await;
    std::fs::write(house.scope(&handle).join("a.txt"), "a").unwrap();
    house.restart().await;
    let asked = house.gate.asked("agent.wait").await;
    assert_eq!(asked.params["runId"], sent["idempotencyKey"]);
    house.gate.ok(&asked, json!({ "runId": asked.params["runId"], "status": "timeout" }));
    house.tell(&sent, "final", "half and half");
    house.gate.without_plugin().await;
    let end = house.end(&handle["runId"]).await;
    assert_eq!((&end["status"], &end["output"]), (&json!("completed"), &json!("half and half")));
    assert_eq!(paths(&end), ["a.txt"]);
}

#[tokio::test]
async fn case_88_92_a_cancel_is_told_as_it_was_confirmed_and_ends_with_the_gateways_word() {
    let mut house = TaskBench::new().await;
    let (handle, sent) = house.begun("t", json!({})).await;
    let run = &handle["runId"];
    house.tell(&sent, "delta", "half");
    // Until it was heard, the run is one that has not begun, and is cancelled as such.
    house.heard(run, "half").await;
    let cancel = request("xworkmate.tasks.cancel", json!({ "runId": run }));
    let mut frames = house.bridge.open(call(), cancel);
    let asked = house.gate.asked("chat.abort").await;
    let expected = json!({ "sessionKey": sent["sessionKey"], "runId": sent["idempotencyKey"] });
    assert_eq!(asked.params, expected);
    house.gate.ok(&asked, json!({ "ok": true, "aborted": true, "runIds": [sent["idempotencyKey"]] }));
    let Some(RpcFrame::Answer(envelope)) = within(frames.recv()).await else { panic!("an answer") };
    let receipt = json!({
        "accepted": true, "cancelled": false, "nativeMethod": "chat.abort", "aborted": true, "runIds": [run], "runId": run,
    });
    assert_eq!(envelope["result"], receipt);
    house.tell(&sent, "aborted", "half");
    let end = house.end(run).await;
    assert_eq!((&end["status"], &end["code"]), (&json!("cancelled"), &json!("TASK_CANCELLED")));
    house.tell(&sent, "final", "late");
    assert_eq!(house.end(run).await["status"], "cancelled");
}
