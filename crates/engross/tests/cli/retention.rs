//! `keep_days`: what was said, made and kept longer ago is in no file and no storage any more; what is newer stays.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use engross_store::{NewEntry, NewSession, SqliteStore, Store};
use serde_json::{Value, json};

use crate::owners::{add_key, until};
use crate::serve::Server;

/// What stands in all that is to go.
const OLD: &str = "OLDWORDSQZ";

/// What stands in all that stays.
const NEW: &str = "NEWWORDSQZ";

/// How much older everything is made: ten days, in milliseconds.
const AGED: u64 = 10 * 24 * 60 * 60_000;

/// Objects by their paths, each with its bytes and whether it is old.
type Objects = BTreeMap<String, (Vec<u8>, bool)>;

/// A server that keeps objects as S3 does, as far as is asked of it.
#[derive(Clone)]
struct ObjectShelf {
    objects: Arc<Mutex<Objects>>,
    address: String,
}

impl ObjectShelf {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let shelf = Self { objects: Arc::default(), address: listener.local_addr().unwrap().to_string() };
        let serving = shelf.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (serving, stream) = (serving.clone(), stream.unwrap());
                // A client that goes away is none of the test's matters.
                std::thread::spawn(move || serving.answer(stream).ok());
            }
        });
        shelf
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut first, mut length) = (String::new(), 0);
        reader.read_line(&mut first)?;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let mut words = first.split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap_or_default());
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut objects = self.objects.lock().unwrap();
        let (status, told) = match method {
            "PUT" => {
                objects.insert(path.to_owned(), (body, false));
                (200, Vec::new())
            }
            "POST" if query == "delete" => {
                let asked = String::from_utf8_lossy(&body).into_owned();
                for key in asked.split("<Key>").skip(1).filter_map(|rest| rest.split_once("</Key>")) {
                    objects.remove(&format!("{path}/{}", key.0));
                }
                (200, b"<DeleteResult></DeleteResult>".to_vec())
            }
            _ if query.contains("list-type=2") => (200, listing(&objects, path, query)),
            _ => match objects.get(path) {
                Some((bytes, _)) => (200, bytes.clone()),
                None => (404, Vec::new()),
            },
        };
        drop(objects);
        write!(
            stream,
            "HTTP/1.1 {status} Told\r\ncontent-length: {}\r\nlast-modified: Wed, 01 Jan 2025 00:00:00 GMT\r\netag: \"x\"\r\nconnection: close\r\n\r\n",
            told.len()
        )?;
        if method != "HEAD" {
            stream.write_all(&told)?;
        }
        Ok(())
    }

    fn settings(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://{}", self.address);
        let settings = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
        ];
        settings.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec()
    }

    fn holds(&self, words: &str) -> usize {
        let objects = self.objects.lock().unwrap();
        objects.values().filter(|(bytes, _)| has(bytes, words)).count()
    }

    fn age(&self) {
        self.objects.lock().unwrap().values_mut().for_each(|object| object.1 = true);
    }
}

/// The objects beneath a bucket's prefix, in one page.
fn listing(objects: &Objects, bucket: &str, query: &str) -> Vec<u8> {
    let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or_default();
    let beneath = format!("{}/{}", bucket.trim_end_matches('/'), prefix.replace("%2F", "/"));
    let mut told = String::from("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for (path, (bytes, is_old)) in objects.iter().filter(|(path, _)| path.starts_with(&beneath)) {
        let key = path.trim_start_matches('/').split_once('/').unwrap().1;
        let modified = if *is_old { "2025-01-01T00:00:00.000Z" } else { "2199-01-01T00:00:00.000Z" };
        told.push_str(&format!(
            "<Contents><Key>{key}</Key><LastModified>{modified}</LastModified><ETag>x</ETag><Size>{}</Size></Contents>",
            bytes.len()
        ));
    }
    told.push_str("</ListBucketResult>");
    told.into_bytes()
}

fn has(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|part| part == words.as_bytes())
}

/// The files beneath a folder that hold some words, or are called so.
fn holding(folder: &Path, words: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_called = path.file_name().unwrap().to_string_lossy().contains(words);
        if path.is_dir() {
            found.extend(holding(&path, words));
        }
        if is_called || (path.is_file() && has(&std::fs::read(&path).unwrap_or_default(), words)) {
            found.push(path);
        }
    }
    found
}

/// Makes every moment in a JSON text ten days older.
fn aged(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(millis) = number.as_u64().filter(|millis| *millis > 1_600_000_000_000) {
                *value = json!(millis - AGED);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(aged),
        Value::Object(fields) => fields.values_mut().for_each(aged),
        _ => {}
    }
}

fn aged_json(bytes: &[u8]) -> Vec<u8> {
    let Ok(mut value) = serde_json::from_slice(bytes) else { return bytes.to_vec() };
    aged(&mut value);
    serde_json::to_vec(&value).unwrap()
}

/// Makes every log of a store ten days older. Their kinds need not be the same: nobody reads them.
async fn age_store(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    for row in store.list(None, None, 1000).await.unwrap() {
        let entries = store.entries(row.id, 0, 10_000).await.unwrap();
        let names = store.names(row.id).await.unwrap();
        store.delete(row.id).await.unwrap();
        let entries = entries.into_iter().map(|entry| NewEntry {
            kind: kind(&entry.kind),
            at: entry.at - AGED,
            body: aged_json(&entry.body),
        });
        let new = NewSession {
            id: row.id,
            at: row.created_at - AGED,
            key: row.key,
            names,
            entries: entries.collect(),
            snapshot: None,
            wake_at: None,
        };
        store.create(new).await.unwrap();
    }
    store.close().await.unwrap();
}

/// The kind of an entry that was read, for one that is written.
fn kind(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}

/// Makes all files beneath a folder ten days older, and what checkpoints say of their moment.
fn age_files(folder: &Path) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age_files(&path);
            continue;
        }
        if path.parent().is_some_and(|parent| parent.ends_with("lists")) {
            let bytes = std::fs::read(&path).unwrap();
            std::fs::write(&path, aged_json(&bytes)).unwrap();
        }
        let file = std::fs::File::options().append(true).open(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_millis(AGED)).unwrap();
    }
}

/// A server that keeps things for five days, and a script for its model that says some words and writes a file with them.
fn server(folder: &Path, shelf: &ObjectShelf, words: &str) -> Server {
    let script = folder.join("script.json");
    let turns = json!({"turns": [
        {"tool_calls": [{"name": "WritePlanTool_begin",
            "args": {"target_file": "out.md", "operation": "create"}}]},
        {"text": format!("# {words} in a file\nDONE\n")}, {"text": "I wrote it."}],
        "default": {"text": "so be it"}});
    std::fs::write(&script, turns.to_string()).unwrap();
    let model = format!("script:{}", script.display());
    let told = folder.join("data/told").display().to_string();
    let settings = shelf.settings();
    let variables: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let arguments = [
        "--model",
        &model,
        "--token",
        "t",
        "--keep-days",
        "5",
        "--transcripts",
        &told,
        "--blobs",
        "s3://bucket/kept",
    ];
    Server::try_start_with(folder, &arguments, &variables).unwrap()
}

/// Leaves something with the words in every place that a server has.
fn say_everywhere(server: &Server, key: &str, words: &str) {
    let authorization = format!("Bearer {key}");
    let send = |method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]| {
        let own = [("authorization", authorization.as_str()), ("content-type", "application/json")];
        let (status, told) = server.send(method, path, &[&own[..], headers].concat(), body).unwrap();
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!((200..300).contains(&status), "{method} {path}: {status} {told}");
        told
    };
    // The first conversation takes the turns of the script.
    let start = json!({"jsonrpc": "2.0", "id": "1", "method": "session.start", "params": {"threadId": words,
        "taskPrompt": format!("write {words}"), "routing": {"explicitProviderId": "engross"}}});
    let ended = send("POST", "/acp/rpc", &[], start.to_string().as_bytes());
    assert!(ended.contains("\"completed\"") && ended.contains("out.md"), "{ended}");
    let said = json!({"messages": [{"role": "user", "content": words}]}).to_string();
    send("POST", "/v1/chat/completions", &[("x-engross-session-key", words)], said.as_bytes());
    send("POST", "/v1/responses", &[], json!({"input": words}).to_string().as_bytes());
    for text in [format!("{words} first"), format!("{words} second")] {
        send("PUT", "/v1/workspaces/deal/files/gone.txt", &[], text.as_bytes());
    }
    send("DELETE", "/v1/workspaces/deal/files/gone.txt", &[], b"");
    let begun = json!({"target_file": format!("{words}.md"), "operation": "create", "root": "deal"});
    let begun = send("POST", "/v1/write-sessions", &[], begun.to_string().as_bytes());
    let begun: Value = serde_json::from_str(&begun).unwrap();
    let path = format!("/v1/write-sessions/{}", begun["session_id"].as_str().unwrap());
    send("PATCH", &path, &[("upload-offset", "0")], words.as_bytes());
    // Its content waits for a day whether it can be gone on with.
    send("DELETE", &path, &[], b"");
}

#[tokio::test]
async fn what_is_older_than_its_days_is_in_no_file_and_no_storage() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let shelf = ObjectShelf::start();
    let key = add_key(&data, "ann-1", "ann", "write");
    let callers = ["t", key.as_str()];
    for caller in callers {
        let server = server(folder.path(), &shelf, OLD);
        say_everywhere(&server, caller, OLD);
        until("transcripts are written", || !holding(&data.join("told"), OLD).is_empty());
    }
    let (kept, elsewhere) = (holding(&data, OLD), shelf.holds(OLD));
    assert!(kept.len() >= 12 && elsewhere == 2, "{kept:?} {elsewhere}");
    for store in ["sessions.sqlite", "tasks.sqlite", "owners/ann/tasks.sqlite"] {
        age_store(&data.join(store)).await;
    }
    age_files(&data);
    shelf.age();
    // What is newer: of one owner, so that the other one's part is looked at as well.
    let first = server(folder.path(), &shelf, NEW);
    say_everywhere(&first, "t", NEW);
    let news = holding(&data, NEW).len();
    let limit = Instant::now() + Duration::from_secs(60);
    let mut left = (holding(&data, OLD), shelf.holds(OLD));
    while left != (Vec::new(), 0) {
        assert!(Instant::now() < limit, "what is old is not gone: {left:?}");
        std::thread::sleep(Duration::from_millis(100));
        left = (holding(&data, OLD), shelf.holds(OLD));
    }
    drop(first);
    let again = server(folder.path(), &shelf, NEW);
    assert_eq!((holding(&data, OLD), shelf.holds(OLD)), (Vec::<PathBuf>::new(), 0));
    assert_eq!(shelf.holds(NEW), 1);
    assert!(holding(&data, NEW).len() + 2 >= news, "what is new stays");
    let headers = [("authorization", "Bearer t")];
    let (status, told) = again.send("GET", &format!("/v1/sessions/{NEW}"), &headers, b"").unwrap();
    assert!(status == 200 && has(&told, NEW));
    let (_, told) = again.send("GET", "/v1/workspaces/deal/checkpoints/gone.txt", &headers, b"").unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&told).unwrap()["data"].as_array().unwrap().len(), 2);
}
