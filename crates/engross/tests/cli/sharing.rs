//! Several nodes that share what owners have: any of them answers, and another one goes on when one dies.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engross_testkit::object_storage::ObjectStorage;
use engross_testkit::postgres::{PostgresServer, skip};
use serde_json::{Value, json};

use crate::desk::example;
use crate::owners::add_key;
use crate::serve::Server;

/// How long a node may take to have what a dead one had.
const TAKEOVER: Duration = Duration::from_secs(5);

/// So many nodes on a database, and on folders that they share, or object storage and folders of their own.
struct SharedNodes<'a> {
    folder: &'a Path,
    database: &'a PostgresServer,
    storage: Option<&'a ObjectStorage>,
    nodes: Vec<Option<Server>>,
}

impl<'a> SharedNodes<'a> {
    fn start(folder: &'a Path, database: &'a PostgresServer, count: usize) -> Self {
        Self::start_with(folder, database, None, count)
    }

    fn start_with(
        folder: &'a Path,
        database: &'a PostgresServer,
        storage: Option<&'a ObjectStorage>,
        count: usize,
    ) -> Self {
        let mut nodes = Self { folder, database, storage, nodes: Vec::new() };
        for _ in 0..count {
            let node = nodes.node();
            nodes.nodes.push(Some(node));
        }
        nodes
    }

    fn node(&self) -> Server {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        drop(listener);
        let folder = match self.storage {
            // Each start has a disk of its own.
            Some(_) => self.folder.join(address.replace(':', "-")),
            None => self.folder.to_owned(),
        };
        std::fs::create_dir_all(&folder).unwrap();
        let root = folder.join("root");
        let url = self.database.url();
        let script = self.folder.join("script.json");
        let turns = json!({"turns": [
            {"when": {"last_role": "user", "contains": "write it"}, "times": 0,
             "tool_calls": [{"name": "WritePlanTool_begin", "args": {"target_file": "out.md", "operation": "create"}}]},
            {"when": {"last_role": "tool"}, "times": 0, "text": "# Out of the task\nDONE\n"}],
            "default": {"text": "so be it", "delay_ms": 1}});
        std::fs::write(&script, turns.to_string()).unwrap();
        let model = format!("script:{}", script.display());
        let own = format!("http://{address}");
        let arguments = [
            "--listen",
            &address,
            "--store",
            &url,
            "--root",
            root.to_str().unwrap(),
            "--node-address",
            &own,
            "--model",
            &model,
        ];
        let Some(storage) = self.storage else { return Server::try_start(&folder, &arguments).unwrap() };
        let arguments = [&arguments[..], &["--local-folders", "--blobs", "s3://bucket/nodes"]].concat();
        let environment = storage.environment();
        let environment = environment.each_ref().map(|(name, value)| (*name, value.as_str()));
        Server::try_start_with(&folder, &arguments, &environment).unwrap()
    }

    fn at(&self, node: usize) -> &Server {
        self.nodes[node].as_ref().unwrap()
    }

    /// Asks nodes in turn until one answers for good.
    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> (u16, Vec<u8>) {
        let begun = Instant::now();
        loop {
            for node in self.nodes.iter().flatten() {
                match node.send(method, path, headers, body) {
                    Ok((status, answer)) if status != 503 => return (status, answer),
                    other => assert!(begun.elapsed() < 4 * TAKEOVER, "{method} {path}: {other:?}"),
                }
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn json(&self, method: &str, path: &str, body: &Value) -> Value {
        let headers = [("content-type", "application/json")];
        let (status, answer) = self.ask(method, path, &headers, body.to_string().as_bytes());
        assert!(status < 300, "{method} {path}: {status} {}", String::from_utf8_lossy(&answer));
        serde_json::from_slice(&answer).unwrap()
    }

    /// The node that has what the default owner has.
    fn home(&self) -> usize {
        let address = self.database.psql("SELECT address FROM engross_homes WHERE owner = 'default'");
        let address = address.strip_prefix("http://").unwrap().to_owned();
        let is_it = |node: &Option<Server>| node.as_ref().is_some_and(|node| node.address() == address);
        self.nodes.iter().position(is_it).unwrap()
    }
}

#[test]
fn another_node_goes_on_with_files_documents_and_tasks() {
    let Some(database) = PostgresServer::start() else { return skip() };
    let folder = tempfile::tempdir().unwrap();
    goes_on(SharedNodes::start(folder.path(), &database, 3));
}

#[test]
fn another_node_goes_on_with_what_was_on_a_disk_that_is_gone() {
    let Some(database) = PostgresServer::start() else { return skip() };
    let Some(storage) = ObjectStorage::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    goes_on(SharedNodes::start_with(folder.path(), &database, Some(&storage), 3));
}

/// Gives nodes all kinds of work, kills the one that does it, and looks at what the others have.
fn goes_on(mut nodes: SharedNodes<'_>) {
    let document = "/v1/workspaces/deal/files/nda.docx";
    let nda = std::fs::read(example("nda.docx")).unwrap();
    assert_eq!(nodes.ask("PUT", document, &[], &nda).0, 201);
    // Each node shows it, the one who has it.
    for node in 0..3 {
        let (status, bytes) = nodes.at(node).send("GET", document, &[], b"").unwrap();
        assert!(status == 200 && bytes == nda, "node {node}: {status}");
    }
    let task = json!({"jsonrpc": "2.0", "id": "1", "method": "session.start", "params": {
        "threadId": "t", "taskPrompt": "write it", "idempotencyKey": "k",
        "routing": {"explicitProviderId": "engross"}}});
    let before = nodes.json("POST", "/acp/rpc", &task);
    assert_eq!(before["result"]["status"], "completed", "{before}");
    let begun = nodes.json(
        "POST",
        "/v1/write-sessions",
        &json!({"target_file": "notes.md", "operation": "create", "root": "deal", "terminator": "none"}),
    );
    let session = format!("/v1/write-sessions/{}", begun["session_id"].as_str().unwrap());
    assert_eq!(nodes.json("PATCH", &format!("{session}?offset=0"), &json!("half"))["offset"], 6);
    let edit =
        |words: &str| json!({"operations": [{"op": "insert_paragraph", "after": "P3", "content": words}]});
    nodes.json("POST", &format!("{document}/operations"), &edit("Before the death."));

    let home = nodes.home();
    nodes.nodes[home].take().unwrap().kill();
    let died = Instant::now();
    let told = nodes.json("PATCH", &format!("{session}?offset=6"), &json!("whole"));
    let waited = died.elapsed();
    assert_eq!(told["offset"], 13);
    assert!(waited < 2 * TAKEOVER, "another node had it after {waited:?}");
    let told = nodes.json("POST", &format!("{session}/finalize"), &json!({"offset": 13}));
    assert_eq!(told["state"], "committed");
    assert_eq!(nodes.ask("GET", "/v1/workspaces/deal/files/notes.md", &[], b"").1, b"\"half\"\"whole\"");
    nodes.json("POST", &format!("{document}/operations"), &edit("After the death."));
    let shown = nodes.json("GET", &format!("{document}?view=accepted"), &json!(null)).to_string();
    assert!(shown.contains("Before the death.") && shown.contains("After the death."), "{shown}");
    let kept = nodes.json("GET", "/v1/workspaces/deal/checkpoints/nda.docx", &json!(null));
    assert_eq!(kept["data"].as_array().unwrap().len(), 2, "what it was before each edit: {kept}");
    // The task is the one that it was, and its file is there.
    let after = nodes.json("POST", "/acp/rpc", &task);
    assert_eq!(after["result"]["runId"], before["result"]["runId"]);
    let text = after.to_string();
    let at = text.find("/artifacts/openclaw/download?").unwrap();
    let link = text[at..].split('"').next().unwrap();
    for node in nodes.nodes.iter().flatten() {
        let (status, bytes) = node.send("GET", link, &[], b"").unwrap();
        assert_eq!((status, bytes.as_slice()), (200, &b"# Out of the task\n"[..]));
    }
    // A session keeps its workspace, at each node.
    for (number, node) in nodes.nodes.iter().flatten().enumerate() {
        let headers = [("x-engross-session-key", "matter"), ("x-engross-workspace", "deal")];
        let said = json!({"messages": [{"role": "user", "content": "hello"}]});
        let (status, answer) = node.post("/v1/chat/completions", &headers[..2 - number], &said).unwrap();
        assert_eq!(status, 200, "{answer}");
    }
}

/// A node that stood still finds another one in its place: what it still has in hand is refused, and it answers through the other.
#[cfg(target_os = "linux")]
#[test]
fn who_stood_still_writes_nothing_late() {
    let Some(database) = PostgresServer::start() else { return skip() };
    let folder = tempfile::tempdir().unwrap();
    let nodes = SharedNodes::start(folder.path(), &database, 2);
    assert_eq!(nodes.ask("PUT", "/v1/workspaces/deal/files/a.md", &[], b"one").0, 201);
    let home = nodes.home();
    let process = nodes.at(home).child.as_ref().unwrap().id().to_string();
    let signal = |name: &str| {
        assert!(std::process::Command::new("kill").args([name, &process]).status().unwrap().success());
    };
    signal("-STOP");
    let other = nodes.at(1 - home);
    let begun = Instant::now();
    let status = loop {
        match other.send("PUT", "/v1/workspaces/deal/files/a.md", &[("if-match", "*")], b"two") {
            Ok((503, _)) if begun.elapsed() < 4 * TAKEOVER => {}
            told => break told.unwrap().0,
        }
    };
    assert_eq!(status, 200);
    signal("-CONT");
    // At once, when it does not know yet, and later.
    for round in 0..20 {
        let told = nodes.at(home).send("GET", "/v1/workspaces/deal/files/a.md", &[], b"");
        if let Ok((200, bytes)) = &told {
            assert_eq!(bytes, b"two");
        }
        let text = format!("round {round}");
        let put = nodes.at(home).send("PUT", "/v1/workspaces/deal/files/b.md", &[], text.as_bytes());
        if matches!(put, Ok((200 | 201, _))) {
            let seen = other.send("GET", "/v1/workspaces/deal/files/b.md", &[], b"").unwrap();
            assert_eq!(seen, (200, text.into_bytes()), "what was acknowledged is there");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(nodes.home(), 1 - home);
}

/// What people do while homes move: each writes files through one node and reads them through the other one, until it is said that
/// it is enough. A refusal fails the test.
fn at_work(nodes: [&Server; 2], key: &str, is_enough: &AtomicBool, begun: u64) -> (u64, Duration) {
    let authorization = format!("Bearer {key}");
    let headers = [("authorization", authorization.as_str())];
    let (mut number, mut longest) = (begun, Duration::ZERO);
    while !is_enough.load(Ordering::Relaxed) {
        let path = format!("/v1/workspaces/w/files/{number}.txt");
        let body = format!("{key} {number}");
        for (method, status) in [("PUT", 201), ("GET", 200)] {
            let node = nodes[usize::from(method == "GET") ^ usize::from(number % 2 == 0)];
            let asked = Instant::now();
            let sent = if method == "PUT" { body.as_bytes() } else { b"" };
            let (answered, said) = node.send(method, &path, &headers, sent).unwrap();
            longest = longest.max(asked.elapsed());
            assert_eq!(answered, status, "{method} {path}: {}", String::from_utf8_lossy(&said));
            assert!(method == "PUT" || said == body.as_bytes());
        }
        number += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
    (number, longest)
}

/// A node is added, one dies, and another one comes for it, as at an upgrade. People are at work all the time.
#[test]
fn homes_spread_over_the_nodes_and_nobody_who_works_hears_of_it() {
    const OWNERS: usize = 5;
    let Some(database) = PostgresServer::start() else { return skip() };
    let folder = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..OWNERS).map(|number| format!("owner-{number}")).collect();
    let keys: Vec<String> =
        names.iter().map(|name| add_key(&folder.path().join("data"), name, name, "write")).collect();
    let mut nodes = SharedNodes::start(folder.path(), &database, 1);
    let counts = || -> Vec<usize> {
        let counted =
            "SELECT count(*) FROM engross_homes WHERE until > extract(epoch FROM clock_timestamp()) * 1000
            GROUP BY holder ORDER BY 1";
        database.psql(counted).lines().map(|count| count.trim().parse().unwrap()).collect()
    };
    let wait_for = |wanted: &[usize]| {
        let begun = Instant::now();
        while counts() != wanted {
            assert!(begun.elapsed() < Duration::from_secs(40), "{:?}, not {wanted:?}", counts());
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    // The default owner has one, too.
    wait_for(&[OWNERS + 1]);
    let mut made = 0;
    for round in 0..2 {
        let node = nodes.node();
        nodes.nodes.push(Some(node));
        let is_enough = AtomicBool::new(false);
        let servers: Vec<&Server> = nodes.nodes.iter().flatten().collect();
        let both = [servers[0], servers[1]];
        let worked: Vec<(u64, Duration)> = std::thread::scope(|scope| {
            let people: Vec<_> =
                keys.iter().map(|key| scope.spawn(|| at_work(both, key, &is_enough, made))).collect();
            wait_for(&[3, 3]);
            is_enough.store(true, Ordering::Relaxed);
            people.into_iter().map(|person| person.join().unwrap()).collect()
        });
        assert!(worked.iter().all(|(count, longest)| *count > made && *longest < TAKEOVER), "{worked:?}");
        made = worked.iter().map(|(count, _)| *count).max().unwrap();
        // What was written is there, at any node.
        for key in &keys {
            let authorization = format!("Bearer {key}");
            let headers = [("authorization", authorization.as_str())];
            let (status, said) = nodes.ask("GET", "/v1/workspaces/w/files/0.txt", &headers, b"");
            assert_eq!((status, said), (200, format!("{key} 0").into_bytes()));
        }
        if round == 0 {
            nodes.nodes.remove(0).unwrap().kill();
            wait_for(&[OWNERS + 1]);
        }
    }
}

#[test]
fn what_nodes_cannot_share_is_refused_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| Server::try_start(folder.path(), arguments).err().unwrap_or_default();
    let own = ["--node-address", "http://127.0.0.1:1"];
    assert!(refused(&own).contains("--store postgres://"));
    let store = ["--store", "postgres://nobody@127.0.0.1:1/none"];
    assert!(refused(&[&own[..], &store].concat()).contains("--root"));
    let root = ["--root", folder.path().to_str().unwrap(), "--node-address", "10.0.0.3:1"];
    assert!(refused(&[&store[..], &root].concat()).contains("http://10.0.0.3:18789"));
    assert!(refused(&["--local-folders"]).contains("--node-address"));
    let inside = folder.path().join("root");
    let root = ["--root", inside.to_str().unwrap()];
    let nodes = [&store[..], &own, &root, &["--local-folders"]].concat();
    assert!(refused(&nodes).contains("--blobs s3://"));
}
