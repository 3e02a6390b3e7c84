//! The wire of tasks: access, routes, streams, sockets, downloads; with the product's own agent behind it.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::Method;
use engross_agent::session::{Models, Sessions, SessionsConfig, Settings, TurnRules};
use engross_llm::{Error, ProviderSettings};
use engross_protocol::{RandomIds, SystemClock};
use engross_store::MemoryStore;
use engross_store::files::{Locks, Root};
use engross_testkit::scripted::ModelServer;
use engross_write::runner::{Config, WriteService, WriteSessions};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_tungstenite::tungstenite::Message;

use crate::tasks::{self, Parts, TaskToolboxes};
use engross_http::testing::client::{Got, get, send};
use engross_http::testing::fake::{Fake, documents, server};
use engross_http::testing::with_keepalive;
use engross_http::{Access, Limits, Token, app};

/// A server with tasks.
struct Tasks {
    app: Router,
    folder: TempDir,
    model: ModelServer,
}

fn writes(root: Root, locks: Locks) -> WriteService {
    let config = Config {
        root,
        spool: None,
        reviewer: None,
        locks,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        composer: None,
        keeper: None,
        limits: engross_write::runner::Limits::default(),
    };
    WriteService::new(WriteSessions::new(config).unwrap())
}

fn tasks(script: Value, access: Access) -> Tasks {
    let folder = tempfile::tempdir().unwrap();
    let root = Root::open(folder.path()).unwrap();
    let model = ModelServer::start(script);
    let spec = format!("openai-compatible:{}/v1#m", model.url()).parse().unwrap();
    let opened = engross_llm::open::<Error>(
        &spec,
        &ProviderSettings::default(),
        || Arc::new(engross_rules::RulesModel),
        |_| Ok(String::new()),
    )
    .unwrap();
    let (usual, locks) = (documents(folder.path()).workspaces, Locks::new());
    let sessions = Sessions::new(SessionsConfig {
        store: Arc::new(MemoryStore::new()),
        models: Models::one(opened),
        rules: TurnRules::default(),
        settings: Settings::default(),
        client_tools: Vec::new(),
        toolboxes: Arc::new(TaskToolboxes {
            usual,
            root: root.clone(),
            locks: locks.clone(),
            clock: Arc::new(SystemClock),
            writes: writes(root.clone(), locks),
            content: engross_agent::writing::ContentTools::default(),
            isolation: engross_documents::DocumentIsolation::default(),
        }),
        observers: Vec::new(),
        grace: Duration::from_secs(1),
        queue: 8,
        turns: 100,
        working: 100,
        node: None,
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
    });
    let place = folder.path().to_str().unwrap().to_owned();
    let parts = Parts {
        agents: tasks::agents(
            folder.path(),
            folder.path(),
            "tests".to_owned(),
            &BTreeMap::new(),
            &crate::settings::SandboxSetting::default(),
        )
        .unwrap(),
        root,
        place,
        store: Arc::new(MemoryStore::new()),
        keys: tasks::keys(None).unwrap(),
        blobs: None,
        signer: None,
        frozen: None,
        hashes: Arc::default(),
        gateway: tasks::Gateway::missing(),
        waits_for_viewer: false,
        clock: Arc::new(SystemClock),
    };
    let bridge = tasks::bridge(parts, sessions).unwrap();
    let mut around = server(&Fake::default());
    around.access = access;
    let routes = with_keepalive(bridge, Limits::default(), Duration::from_millis(30));
    Tasks { app: app(Arc::new(around), routes), folder, model }
}

fn open() -> Tasks {
    tasks(json!({ "default": { "text": "Hello" } }), Access::default())
}

fn guarded() -> Tasks {
    let access = Access { token: Some(Token::new("secret")), ..Access::default() };
    tasks(json!({ "default": { "text": "Hello" } }), access)
}

fn body(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": "7", "method": method, "params": params }).to_string()
}

fn start(thread: &str) -> Value {
    json!({ "threadId": thread, "taskPrompt": "hello", "routing": { "explicitProviderId": "engross" } })
}

async fn rpc(tasks: &Tasks, headers: &[(&str, &str)], body: String) -> Got {
    send(&tasks.app, Method::POST, "/acp/rpc", headers, body).await
}

/// Number and code of a refusal.
fn refusal(got: &Got) -> (u16, i64, String) {
    let told = got.json();
    assert_eq!((&told["jsonrpc"], &told["ok"], &told["type"]), (&json!("2.0"), &json!(false), &json!("res")));
    let error = &told["error"];
    (got.status, error["code"].as_i64().unwrap(), error["data"]["code"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn case_58_59_60_access_comes_before_everything() {
    let tasks = guarded();
    let capabilities = || body("acp.capabilities", &json!({}));
    for path in ["/acp/rpc", "/acp", "/acp-server/codex", "/gateway/openclaw"] {
        let got = send(&tasks.app, Method::POST, path, &[], capabilities()).await;
        assert_eq!(refusal(&got), (401, -32001, "UNAUTHORIZED".to_owned()), "{path}");
        let elsewhere = [("origin", "https://evil.example"), ("authorization", "Bearer secret")];
        let got = send(&tasks.app, Method::POST, path, &elsewhere, capabilities()).await;
        assert_eq!(refusal(&got), (403, -32003, "ORIGIN_NOT_ALLOWED".to_owned()), "{path}");
    }
    assert_eq!(get(&tasks.app, "/api/ping", &[]).await.status, 401);
    let got = rpc(&tasks, &[("authorization", "Bearer secret")], capabilities()).await;
    assert_eq!((got.status, &got.json()["ok"]), (200, &json!(true)));
    let got = rpc(&open(), &[], capabilities()).await;
    let providers = got.json()["result"]["providerCatalog"].clone();
    let listed: Vec<(String, bool)> = providers
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["providerId"].as_str().unwrap().to_owned(), entry["enabled"].as_bool().unwrap()))
        .collect();
    let listed: Vec<(&str, bool)> = listed.iter().map(|(id, enabled)| (id.as_str(), *enabled)).collect();
    assert_eq!(
        listed,
        [("codex", false), ("opencode", false), ("gemini", false), ("hermes", false), ("engross", true)]
    );
}

#[tokio::test]
async fn case_61_62_63_methods_and_paths_of_old() {
    let tasks = open();
    let asked = [("origin", "http://localhost:3000"), ("access-control-request-method", "POST")];
    let got = send(&tasks.app, Method::OPTIONS, "/acp/rpc", &asked, "").await;
    let allowed = got.header("access-control-allow-origin");
    assert_eq!((got.status, allowed.as_deref()), (204, Some("http://localhost:3000")));
    assert_eq!(get(&tasks.app, "/acp/rpc", &[]).await.status, 200, "a line says that somebody is here");
    assert_eq!(
        refusal(&send(&tasks.app, Method::PUT, "/acp/rpc", &[], "{}").await),
        (405, -32600, "METHOD_NOT_ALLOWED".to_owned())
    );
    for path in ["/acp-server/codex/rpc", "/acp-server", "/gateway/openclaw"] {
        let got = send(&tasks.app, Method::POST, path, &[], "{}").await;
        assert_eq!(refusal(&got), (410, -32004, "PROVIDER_DIRECT_PATH_DISABLED".to_owned()), "{path}");
    }
    let ping = get(&tasks.app, "/api/ping", &[]).await.json();
    assert_eq!(ping["status"], "ok");
}

/// The tools of a run work in its scope: no argument says whose run it is.
#[tokio::test]
async fn case_51_tools_of_a_run_take_no_ids() {
    let tasks = open();
    let got = rpc(&tasks, &[], body("session.start", &start("t"))).await.json();
    assert_eq!(got["result"]["status"], "completed", "{got}");
    let asked = tasks.model.requests();
    let tools = asked[0].body["tools"].as_array().unwrap();
    assert!(!tools.is_empty());
    let told = serde_json::to_string(tools).unwrap().to_lowercase();
    for name in
        ["sessionkey", "session_key", "runid", "run_id", "artifactscope", "artifact_scope", "principal"]
    {
        assert!(!told.contains(name), "{name} in {told}");
    }
}

#[tokio::test]
async fn bodies_that_are_no_requests() {
    let tasks = open();
    assert_eq!(refusal(&rpc(&tasks, &[], "{".to_owned()).await), (400, -32700, "RPC_INVALID".to_owned()));
    let got = rpc(&tasks, &[], body("x.y", &json!({}))).await;
    assert_eq!(refusal(&got), (200, -32601, "RPC_METHOD_UNKNOWN".to_owned()));
    let silent = json!({ "jsonrpc": "2.0", "method": "health" }).to_string();
    assert_eq!(rpc(&tasks, &[], silent).await.status, 204);
}

#[tokio::test]
async fn case_53_55_a_stream_has_ids_says_that_it_is_alive_and_is_done() {
    let tasks = tasks(json!({ "default": { "text": "Hello", "delay_ms": 200 } }), Access::default());
    let got = rpc(&tasks, &[("accept", "text/event-stream")], body("session.start", &start("t"))).await;
    assert_eq!(got.header("content-type").as_deref(), Some("text/event-stream"));
    assert!(got.text.ends_with("data: [DONE]\n\n"), "{}", got.text);
    let blocks: Vec<&str> = got.text.trim_end().split("\n\n").collect();
    let answer = blocks.get(blocks.len() - 2).unwrap().strip_prefix("data: ").unwrap();
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["output"]), (&json!("7"), &json!("Hello")));
    let alive = got.text.find("xworkmate.bridge.keepalive").unwrap();
    assert!(alive < got.text.find("\"result\"").unwrap());
    let ids: Vec<u64> = got.text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
    assert!(ids.len() > 3 && ids.is_sorted(), "{ids:?}");
}

#[tokio::test]
async fn the_own_agent_works_in_the_scope_of_its_run() {
    let tasks = open();
    let answer = rpc(&tasks, &[], body("session.start", &start("t"))).await.json();
    let result = &answer["result"];
    let seen = json!([
        result["status"],
        result["output"],
        result["resolvedProviderId"],
        result["artifactSyncStatus"]
    ]);
    assert_eq!(seen, json!(["completed", "Hello", "engross", "no-artifacts"]), "{answer}");
    assert!(tasks.folder.path().join(result["artifactScope"].as_str().unwrap()).is_dir());
    let again = rpc(&tasks, &[], body("session.message", &start("t"))).await.json();
    assert_eq!(again["result"]["output"], "Hello", "{again}");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test is the agent that writes and removes the file")]
async fn links_lead_to_the_bytes_in_whole_or_in_part() {
    let tasks = guarded();
    let token = [("authorization", "Bearer secret")];
    let prepare = json!({ "appThreadKey": "t", "openclawSessionKey": "agent:main:t", "runId": "run-9" });
    let told = rpc(&tasks, &token, body("xworkmate.session.prepare", &prepare)).await.json();
    let scope = told["result"]["artifactScope"].as_str().unwrap();
    std::fs::write(tasks.folder.path().join(scope).join("ä b.txt"), "0123456789").unwrap();
    let ids = json!({ "openclawSessionKey": "agent:main:t", "runId": "run-9" });
    let listed = rpc(&tasks, &token, body("xworkmate.artifacts.list", &ids)).await.json();
    let file = &listed["result"]["artifacts"][0];
    let url = file["downloadUrl"].as_str().unwrap();
    let path = url.strip_prefix("http://localhost:8080").unwrap().to_owned();
    let whole = get(&tasks.app, &path, &[]).await;
    assert_eq!((whole.status, whole.text.as_str()), (200, "0123456789"));
    let tag = whole.header("etag").unwrap();
    assert_eq!(tag, format!("\"{}\"", file["sha256"].as_str().unwrap()));
    let part = get(&tasks.app, &path, &[("range", "bytes=4-6")]).await;
    let range = part.header("content-range");
    assert_eq!((part.status, part.text.as_str(), range.as_deref()), (206, "456", Some("bytes 4-6/10")));
    assert_eq!(get(&tasks.app, &path, &[("if-none-match", &tag)]).await.status, 304);
    assert_eq!(get(&tasks.app, &path, &[("range", "bytes=10-")]).await.status, 416);
    let forged = format!("{}0", &path[..path.len() - 1]);
    let forged = if forged == path { format!("{}1", &path[..path.len() - 1]) } else { forged };
    assert_eq!(
        refusal(&get(&tasks.app, &forged, &[]).await),
        (403, -32042, "DOWNLOAD_LINK_INVALID".to_owned())
    );
    std::fs::remove_file(tasks.folder.path().join(scope).join("ä b.txt")).unwrap();
    assert_eq!(get(&tasks.app, &path, &[]).await.status, 404);
}

async fn listen(app: Router) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut running = JoinSet::new();
    running.spawn(async move { axum::serve(listener, app).await.unwrap() });
    (address, running)
}

#[tokio::test]
async fn a_socket_answers_many_requests_at_once_and_pings() {
    let tasks = tasks(json!({ "default": { "text": "Hello", "delay_ms": 300 } }), Access::default());
    let (address, _running) = listen(tasks.app.clone()).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/acp")).await.unwrap();
    let ask = |id: &str, method: &str, params: Value| {
        Message::text(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())
    };
    socket.send(ask("slow", "session.start", start("t"))).await.unwrap();
    socket.send(ask("quick", "health", json!({}))).await.unwrap();
    socket.send(Message::text("{")).await.unwrap();
    let (mut answers, mut pings, mut updates) = (Vec::new(), 0, 0);
    while answers.len() < 3 {
        let message =
            tokio::time::timeout(Duration::from_secs(10), socket.next()).await.unwrap().unwrap().unwrap();
        match message {
            Message::Text(text) => {
                let told: Value = serde_json::from_str(&text).unwrap();
                match told["type"].as_str() {
                    Some("res") => answers.push(told["id"].clone()),
                    _ => updates += 1,
                }
            }
            Message::Ping(_) => pings += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(answers[2], json!("slow"), "the others did not wait for it");
    assert!(answers.contains(&Value::Null) && answers.contains(&json!("quick")));
    assert!(pings > 0 && updates > 2, "{pings} pings, {updates} updates");
}

/// More requests than may be under way do not make a socket deaf: it hears pongs and the end of the other side.
#[tokio::test]
async fn a_full_socket_is_not_taken_for_a_dead_one() {
    let tasks = tasks(json!({ "default": { "text": "Hello", "delay_ms": 1500 } }), Access::default());
    let (address, _running) = listen(tasks.app.clone()).await;
    let (mut socket, _) = tokio_tungstenite::connect_async(format!("ws://{address}/acp")).await.unwrap();
    let asked = 70;
    for n in 0..asked {
        let params = start(&format!("t{n}"));
        let request = json!({ "jsonrpc": "2.0", "id": n, "method": "session.start", "params": params });
        socket.send(Message::text(request.to_string())).await.unwrap();
    }
    let (mut answers, mut pings) = (0, 0);
    while answers < asked {
        let message =
            tokio::time::timeout(Duration::from_secs(60), socket.next()).await.unwrap().unwrap().unwrap();
        match message {
            Message::Text(text) => answers += u32::from(text.contains("\"type\":\"res\"")),
            Message::Ping(_) => pings += 1,
            other => panic!("{other:?} after {answers} answers and {pings} pings"),
        }
    }
    assert!(pings > 4, "{pings} pings: the run was too short to tell");
}
