//! A person's own key for a provider's model, on a server as it runs: the provider gets it, and nobody and nothing else.

use std::path::{Path, PathBuf};

use engross_testkit::scripted::ModelServer;
use serde_json::{Value, json};

use crate::owners::add_key;
use crate::serve::{SCRIPT, Server};

const KEY: &str = "sk-ant-secret-4711-of-ann";

fn provider() -> ModelServer {
    ModelServer::start(json!({"turns": [
        {"when": {"contains": "refuse"}, "times": 0,
            "fault": {"kind": "status", "code": 401, "message": format!("invalid x-api-key: {KEY}")}},
    ], "default": {"text": "from the provider"}}))
}

fn start(folder: &Path, provider: &ModelServer, more: &[&str]) -> Server {
    let script = folder.join("script.json");
    std::fs::write(&script, SCRIPT).unwrap();
    let (model, log) = (format!("script:{}", script.display()), folder.join("access.log"));
    let (transcripts, log) = (folder.join("transcripts"), log.display().to_string());
    let transcripts = transcripts.display().to_string();
    let arguments = ["--model", &model, "--access-log", &log, "--transcripts", &transcripts];
    // No program of the machine that keeps secrets is asked.
    let variables = [
        ("ANTHROPIC_BASE_URL", provider.url()),
        ("PATH", folder.display().to_string()),
        ("ENGROSS_LOG", "trace".to_owned()),
    ];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    Server::try_start_with(folder, &[&arguments[..], more].concat(), &variables).unwrap()
}

fn send(server: &Server, key: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let authorization = format!("Bearer {key}");
    let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    let (status, body) = server.send(method, path, &headers, body.to_string().as_bytes()).unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

fn ask(server: &Server, key: &str, text: &str) -> (u16, Value) {
    let body = json!({"model": "engross/own", "messages": [{"role": "user", "content": text}]});
    send(server, key, "POST", "/v1/chat/completions", &body)
}

/// The files beneath a folder in which the key is.
fn places_of_key(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(places_of_key(&path));
        } else if std::fs::read(&path)
            .unwrap_or_default()
            .windows(KEY.len())
            .any(|part| part == KEY.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn a_key_goes_to_its_provider_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    let (data, provider) = (folder.path().join("data"), provider());
    std::fs::create_dir_all(&data).unwrap();
    let keys = [("ann", "ann"), ("eve", "eve")].map(|(name, owner)| add_key(&data, name, owner, "write"));
    let [ann, eve] = &keys;
    let admin = add_key(&data, "root", "default", "admin");
    let reader = add_key(&data, "look", "ann", "read");
    let server = start(folder.path(), &provider, &[]);
    assert_eq!(ask(&server, ann, "hello").1["error"]["code"], "MODEL_NOT_OFFERED");

    let brought =
        |remember: bool| json!({"provider": "anthropic", "name": "claude", "key": KEY, "remember": remember});
    assert_eq!(send(&server, &reader, "PUT", "/v1/own-model", &brought(true)).0, 403);
    assert_eq!(
        send(&server, ann, "PUT", "/v1/own-model", &brought(false)).1["model"]["remembered"],
        Value::Null
    );
    assert_eq!(ask(&server, ann, "hello").1["choices"][0]["message"]["content"], "from the provider");
    assert_eq!(provider.requests()[0].headers["x-api-key"], KEY);
    let refused = ask(&server, ann, "refuse").1;
    assert!(refused["error"]["message"].as_str().unwrap().contains("check your own key"), "{refused}");
    assert_eq!(places_of_key(folder.path()), Vec::<PathBuf>::new(), "in memory alone");

    let shown = send(&server, ann, "PUT", "/v1/own-model", &brought(true)).1;
    assert_eq!(shown["model"]["remembered"], "file", "{shown}");
    let file = data.join("owners/ann/own-model.json");
    assert_eq!(places_of_key(folder.path()), std::slice::from_ref(&file));
    // Nobody else has it, sees it, or is told of it; and its owner sees it no more.
    for other in [eve, &admin] {
        assert_eq!(ask(&server, other, "hello").1["error"]["code"], "MODEL_NOT_OFFERED");
        let models = send(&server, other, "GET", "/v1/models", &json!(null)).1.to_string();
        assert!(!models.contains("engross/own"), "{models}");
        assert_eq!(send(&server, other, "GET", "/v1/own-model", &json!(null)).1["model"], Value::Null);
        assert_eq!(send(&server, other, "DELETE", "/v1/own-model", &json!(null)).0, 200);
    }
    let session = send(&server, ann, "GET", "/v1/sessions", &json!(null)).1["data"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    for path in
        ["/v1/own-model", "/v1/models", "/v1/errors", "/openapi.json", "/v1/sessions", "/v1/workspaces"]
    {
        for key in [ann, &admin, &reader] {
            let (status, told) = send(&server, key, "GET", path, &json!(null));
            assert_eq!((status, told.to_string().contains(KEY)), (200, false), "{path}");
        }
    }
    for path in [format!("/v1/sessions/{session}"), format!("/v1/sessions/{session}/events")] {
        let authorization = format!("Bearer {ann}");
        let (_, body) = server.send("GET", &path, &[("authorization", &authorization)], b"").unwrap();
        assert!(!String::from_utf8_lossy(&body).contains(KEY), "{path}");
    }
    assert!(!server.get_text("/metrics").unwrap_or_default().contains(KEY));

    // Killed and begun again it answers as before; and told to take no keys it does not.
    drop(server);
    let server = start(folder.path(), &provider, &[]);
    assert_eq!(ask(&server, ann, "again").1["choices"][0]["message"]["content"], "from the provider");
    drop(server);
    let closed = start(folder.path(), &provider, &["--no-own-keys"]);
    assert_eq!(ask(&closed, ann, "hello").1["error"]["code"], "MODEL_NOT_OFFERED");
    assert_eq!(send(&closed, ann, "PUT", "/v1/own-model", &brought(true)).1["error"]["code"], "OWN_KEYS_OFF");
    assert_eq!(send(&closed, ann, "DELETE", "/v1/own-model", &json!(null)).0, 200);
    assert_eq!((file.exists(), places_of_key(folder.path())), (false, Vec::new()));
}
