//! Owners of one server: whatever one of them sends, nothing of another comes back, and nothing of it changes.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::desk::{ENGROSS, example};
use crate::serve::Server;

/// What stands in all that Ann has.
const SECRET: &str = "ANNSECRET";

/// Makes a key of an owner.
pub(crate) fn add_key(data: &Path, name: &str, owner: &str, right: &str) -> String {
    let ran = std::process::Command::new(ENGROSS)
        .args(["keys", "add", name, "--owner", owner, "--right", right, "--data"])
        .arg(data)
        .env_remove("ENGROSS_TOKEN")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// Somebody with a key.
struct Caller<'a> {
    server: &'a Server,
    authorization: String,
}

impl Caller<'_> {
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, String) {
        let own = [("authorization", self.authorization.as_str()), ("content-type", "application/json")];
        let headers = [&own[..], headers].concat();
        let (status, body) = self.server.send(method, path, &headers, body).unwrap();
        (status, String::from_utf8_lossy(&body).into_owned())
    }

    fn json(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &Value) -> Value {
        let (status, text) = self.send(method, path, headers, body.to_string().as_bytes());
        assert!(status < 300, "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{method} {path}: {error}: {text}"))
    }

    fn rpc(&self, method: &str, params: &Value) -> Value {
        let body = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params});
        self.json("POST", "/acp/rpc", &[], &body)
    }
}

/// The names of what Ann has, each of which somebody else may learn.
struct AnnsNames {
    /// What may stand for a key, an id, a workspace.
    ids: Vec<String>,
    /// Paths of files.
    paths: Vec<String>,
    run: String,
}

/// Ann has one of everything.
fn ann_has_everything(ann: &Caller<'_>) -> AnnsNames {
    let said = json!({"messages": [{"role": "user", "content": format!("{SECRET} one")}]});
    ann.json("POST", "/v1/chat/completions", &[("x-engross-session-key", "matter")], &said);
    let session =
        ann.json("GET", "/v1/sessions/matter", &[], &json!(null))["id"].as_str().unwrap().to_owned();
    let response = ann.json("POST", "/v1/responses", &[], &json!({"input": format!("{SECRET} two")}));
    let response = response["id"].as_str().unwrap().to_owned();
    let nda = std::fs::read(example("nda.docx")).unwrap();
    assert_eq!(ann.send("PUT", "/v1/workspaces/deal/files/nda.docx", &[], &nda).0, 201);
    let operations = json!({"operations": [{"op": "modify_text", "paragraphIndex": 50,
        "originalText": "three (3) years", "replacementText": format!("{SECRET} years")}]});
    ann.json("POST", "/v1/workspaces/deal/files/nda.docx/operations", &[], &operations);
    let text = format!("{SECRET} three");
    assert_eq!(ann.send("PUT", "/v1/workspaces/deal/files/notes.txt", &[], text.as_bytes()).0, 201);
    let begun = json!({"target_file": format!("{SECRET}.md"), "operation": "create", "root": "deal"});
    let begun = ann.json("POST", "/v1/write-sessions", &[], &begun);
    let writing = begun["session_id"].as_str().unwrap().to_owned();
    let start = json!({"threadId": "matter", "taskPrompt": format!("{SECRET} task"),
        "routing": {"explicitProviderId": "engross"}});
    let ended = ann.rpc("session.start", &start);
    assert_eq!(ended["result"]["status"], "completed", "{ended}");
    let run = ended["result"]["runId"].as_str().or(ended["result"]["turnId"].as_str()).unwrap_or_default();
    AnnsNames {
        ids: [
            "matter",
            "agent:main:matter",
            &session,
            &response,
            "deal",
            &writing,
            "tasks",
            ".owners",
            "..%2fann%2fdeal",
        ]
        .map(str::to_owned)
        .to_vec(),
        paths: [
            "nda.docx",
            "nda.docx/operations",
            "nda.docx?view=after",
            "nda.docx?as=html",
            "nda.docx?list=revisions",
            "notes.txt",
            "ann%2fdeal%2fnotes.txt",
            "ann/deal/notes.txt",
            "..%2f..%2fann%2fdeal%2fnotes.txt",
            "../../ann/deal/notes.txt",
            "..%2f.owners%2fann%2fdeal%2fnotes.txt",
        ]
        .map(str::to_owned)
        .to_vec(),
        run: run.to_owned(),
    }
}

/// The bodies that somebody might send with these names.
fn bodies(names: &AnnsNames) -> Vec<Value> {
    let mut bodies = vec![json!(null), json!({})];
    for id in &names.ids {
        bodies.push(json!({"input": "what was said?", "previous_response_id": id}));
        bodies.push(json!({"input": "what was said?", "conversation": id}));
        bodies.push(json!({"messages": [{"role": "user", "content": "what was said?"}], "user": id}));
        bodies.push(json!({"operations": [], "checkpoint": id, "id": id, "session_id": id}));
        bodies.push(json!({"target_file": "x.md", "operation": "create", "root": format!("{id}/x")}));
    }
    for path in ["deal/notes.txt", ".owners/ann/deal/notes.txt", "../ann/deal/notes.txt"] {
        bodies.push(json!({"target_file": path, "operation": "append"}));
        bodies.push(json!({"target_file": path, "operation": "overwrite", "must_exist": true}));
        let call = json!({"name": "read_document", "arguments": {"path": path}});
        bodies.push(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
    }
    for method in [
        "xworkmate.tasks.get",
        "xworkmate.tasks.cancel",
        "xworkmate.artifacts.list",
        "xworkmate.artifacts.export",
        "xworkmate.artifacts.read",
        "xworkmate.jobs.list",
        "xworkmate.jobs.stats",
        "xworkmate.permissions.list",
        "session.cancel",
        "session.close",
    ] {
        let params = json!({"threadId": "matter", "sessionId": "matter", "sessionKey": "matter", "runId": names.run,
            "turnId": names.run, "path": "notes.txt", "relativePath": "notes.txt"});
        bodies.push(json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params}));
    }
    for method in ["GetTask", "ListTasks", "CancelTask", "SubscribeToTask"] {
        for id in names.ids.iter().chain([&names.run]) {
            let params = json!({"id": id, "taskId": id, "contextId": id, "tenant": id});
            bodies.push(json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params}));
        }
    }
    bodies
}

/// What may stand behind a path: all that any route reads there.
fn queries(names: &AnnsNames) -> Vec<String> {
    let of_id = |id: &String| {
        format!(
            "?id={id}&session_id={id}&sessionId={id}&sessionKey={id}&runId={}&content=1&after={id}",
            names.run
        )
    };
    let of_path = |path: &String| {
        format!(
            "?relativePath={path}&path={path}&file={path}&sessionKey=matter&runId={}&expires=99999999999999&sig=0",
            names.run
        )
    };
    names.ids.iter().map(of_id).chain(names.paths.iter().map(of_path)).collect()
}

/// Calls of every tool that is offered over `/mcp`, with all that any of them takes.
fn tool_calls(caller: &Caller<'_>, names: &AnnsNames) -> Vec<Value> {
    let accept = [("accept", "application/json, text/event-stream")];
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let (status, told) = caller.send("POST", "/mcp", &accept, ask.to_string().as_bytes());
    if status != 200 {
        // It is no right of this key's.
        return Vec::new();
    }
    let start = told.find('{').unwrap();
    let listed: Value =
        serde_json::Deserializer::from_str(&told[start..]).into_iter().next().unwrap().unwrap();
    let tools: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert!(tools.contains(&"read_document"), "{listed}");
    let mut calls = Vec::new();
    for tool in tools {
        for path in [
            "deal/nda.docx",
            "deal/notes.txt",
            ".owners/ann/deal/nda.docx",
            "../ann/deal/nda.docx",
            ".owners",
            "deal",
            ".",
        ] {
            let arguments = json!({"path": path, "file": path, "document": path, "before": path, "after": path, "folder": path,
                "output": "stolen.docx", "operations": [], "session": names.ids[2], "thread": "matter", "run": names.run});
            let call = json!({"name": tool, "arguments": arguments});
            calls.push(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}));
        }
    }
    calls
}

/// Sends everything to every route; gives the routes that told something of Ann's.
fn sweep(caller: &Caller<'_>, names: &AnnsNames) -> Vec<String> {
    let described = caller.json("GET", "/openapi.json", &[], &json!(null));
    let mut told = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let mut concrete = vec![path.clone()];
        for (place, values) in
            [("{key}", &names.ids), ("{id}", &names.ids), ("{name}", &names.ids), ("{path}", &names.paths)]
        {
            concrete = concrete
                .iter()
                .flat_map(|path| match path.contains(place) {
                    true => values.iter().map(|value| path.replace(place, value)).collect(),
                    false => vec![path.clone()],
                })
                .collect();
        }
        for path in &concrete {
            let left: Vec<&str> = path.split('/').filter(|part| part.starts_with('{')).collect();
            assert!(left.is_empty() || left == ["{code}"], "nobody says what stands for {left:?} in {path}");
        }
        if methods.get("get").is_some() {
            let queries = queries(names);
            concrete
                .extend(queries.iter().map(|query| format!("{}{query}", concrete[0])).collect::<Vec<_>>());
        }
        // What deletes comes last, so that there is something to find.
        let mut methods: Vec<&String> = methods.as_object().unwrap().keys().collect();
        methods.sort_by_key(|method| *method == "delete");
        for method in methods {
            for path in &concrete {
                let with_body = matches!(method.as_str(), "post" | "put" | "patch");
                // What is in the path is tried with every path; what is in the body with those that take one.
                let bodies = if path == "/mcp" {
                    [bodies(names), tool_calls(caller, names)].concat()
                } else if with_body && !path.contains("/workspaces/") && !path.contains('?') {
                    bodies(names)
                } else {
                    vec![json!({"operations": []})]
                };
                for body in bodies {
                    for headers in [
                        &[][..],
                        &[
                            ("x-engross-session-key", names.ids[2].as_str()),
                            ("x-engross-workspace", "deal"),
                            ("accept", "application/json, text/event-stream"),
                        ],
                    ] {
                        if with_body || headers.is_empty() {
                            let (status, text) = caller.send(
                                &method.to_uppercase(),
                                path,
                                headers,
                                body.to_string().as_bytes(),
                            );
                            assert!(status != 500, "{method} {path} {body}: {text}");
                            if text.contains(SECRET) {
                                told.push(format!("{method} {path}"));
                            }
                        }
                    }
                }
            }
        }
    }
    told.sort();
    told.dedup();
    told
}

#[test]
fn no_route_tells_anything_of_another_owner() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let (ann_key, bob_key) =
        (add_key(&data, "ann-1", "ann", "write"), add_key(&data, "bob-1", "bob", "admin"));
    let script = folder.path().join("script.json");
    std::fs::write(&script, r#"{"default": {"text": "so be it", "delay_ms": 0}}"#).unwrap();
    let model = format!("script:{}", script.display());
    let server = Server::try_start(folder.path(), &["--model", &model, "--token", "t"]).unwrap();
    let caller = |secret: &str| Caller { server: &server, authorization: format!("Bearer {secret}") };
    let (ann, bob, own) = (caller(&ann_key), caller(&bob_key), caller("t"));
    let names = ann_has_everything(&ann);
    let before = as_she_sees_it(&ann, &names);
    for other in [&bob, &own] {
        assert_eq!(sweep(other, &names), Vec::<String>::new());
    }
    assert_eq!(as_she_sees_it(&ann, &names), before, "nothing of it was changed");
    assert!(
        before.iter().filter(|(status, text)| *status == 200 && text.contains(SECRET)).count() >= 4,
        "{before:?}"
    );
    // Her files are beneath a folder of her own, which no path of anybody leads to.
    assert!(data.join("workspace/.owners/ann/deal/notes.txt").is_file());
    let told = sweep(&ann, &names);
    for route in
        ["get /v1/sessions/matter", "get /v1/workspaces/deal/files/notes.txt", "get /v1/write-sessions"]
    {
        assert!(
            told.iter().any(|told| told == route),
            "the sweep finds what there is to find: {route} in {told:?}"
        );
    }
}

/// What Ann has, as she sees it.
fn as_she_sees_it(ann: &Caller<'_>, names: &AnnsNames) -> Vec<(u16, String)> {
    let response = &names.ids[3];
    [
        "/v1/sessions/matter".to_owned(),
        "/v1/workspaces/deal/files/notes.txt".to_owned(),
        "/v1/workspaces/deal/files/nda.docx?list=revisions".to_owned(),
        "/v1/workspaces/deal/files".to_owned(),
        "/v1/write-sessions".to_owned(),
        format!("/v1/responses/{response}"),
        "/v1/sessions".to_owned(),
    ]
    .iter()
    .map(|path| ann.send("GET", path, &[], b""))
    .collect()
}

/// A link to a file of a task opens without a key, of each owner, and only as it was signed.
#[test]
fn links_lead_to_files_of_their_owner() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let key = add_key(&data, "ann-1", "ann", "write");
    let script = folder.path().join("script.json");
    let call = json!({"turns": [
        {"tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "out.md", "operation": "create"}}]},
        {"text": "# Out of the task\nDONE\n"}, {"text": "I wrote it."}]});
    std::fs::write(&script, call.to_string()).unwrap();
    let model = format!("script:{}", script.display());
    let server = Server::try_start(folder.path(), &["--model", &model, "--token", "t"]).unwrap();
    let ann = Caller { server: &server, authorization: format!("Bearer {key}") };
    let start =
        json!({"threadId": "t", "taskPrompt": "make it", "routing": {"explicitProviderId": "engross"}});
    let ended = ann.rpc("session.start", &start);
    let text = ended.to_string();
    let Some(at) = text.find("/artifacts/openclaw/download?") else {
        panic!("no file was delivered: {text}")
    };
    let link = text[at..].split('"').next().unwrap();
    let (status, bytes) = server.send("GET", link, &[], b"").unwrap();
    assert_eq!((status, bytes.as_slice()), (200, &b"# Out of the task\n"[..]));
    let forged = link.replace("sig=", "sig=0");
    assert!(server.send("GET", &forged, &[], b"").unwrap().0 >= 400);
}

/// Waits until a condition holds.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < limit, "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// What an owner may have is bounded for each, reading and deleting go on, and deleting makes room.
#[test]
fn an_owner_has_as_much_as_is_set() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let key = add_key(&data, "ann-1", "ann", "write");
    let settings = "[serve]\nquota_mib = 1\n[serve.owners.ann]\nquota_mib = 0\n";
    std::fs::write(folder.path().join("quota.toml"), settings).unwrap();
    let config = folder.path().join("quota.toml").display().to_string();
    let server =
        Server::try_start(folder.path(), &["--model", "rules", "--token", "t", "--config", &config]).unwrap();
    let caller = |secret: &str| Caller { server: &server, authorization: format!("Bearer {secret}") };
    let (own, ann) = (caller("t"), caller(&key));
    let large = json!({"messages": [{"role": "user", "content": "word ".repeat(140_000)}]}).to_string();
    let say = |who: &Caller<'_>, session: &str| {
        who.send("POST", "/v1/chat/completions", &[("x-engross-session-key", session)], large.as_bytes())
    };
    assert_eq!((say(&own, "a").0, say(&own, "b").0), (200, 200));
    let (status, told) = say(&own, "c");
    assert!(status == 507 && told.contains("QUOTA_EXCEEDED") && told.contains("1048576"), "{status} {told}");
    assert_eq!(own.send("PUT", "/v1/workspaces/w/files/a.txt", &[], b"x").0, 507);
    assert_eq!(own.send("GET", "/v1/sessions/a", &[], b"").0, 200);
    assert_eq!((say(&ann, "a").0, say(&ann, "b").0, say(&ann, "c").0), (200, 200, 200), "ann has no bound");
    for session in ["a", "b"] {
        assert_eq!(own.send("DELETE", &format!("/v1/sessions/{session}"), &[], b"").0, 200);
    }
    until("there is room again", || say(&own, "c").0 == 200);
    drop(server);
    std::fs::write(folder.path().join("quota.toml"), "[serve.owners.ann]\nquota = 1\n").unwrap();
    let refused = Server::try_start(folder.path(), &["--model", "rules", "--config", &config]);
    let told = refused.err().unwrap();
    assert!(told.contains("serve.owners.ann") && told.contains("quota_mib"), "{told}");
}
