//! Clients whose work is files: written in pieces, documents that are edited, and tasks; each request to any node.
//!
//! Must never send anything on before the last thing is settled, and never take for done what was not said to be.

use std::collections::BTreeMap;
use std::io::{Cursor, Read};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::board::Board;
use super::ledger::Ledger;
use super::speaking::{PASSING, PATIENCE, STUCK};
use crate::faults::Dice;
use crate::faults::server::fetch;
use crate::root;

/// The edits of a document, before another one is begun.
const EDITS: usize = 8;

/// Codes that tell a client to try again when there is room on the disk.
const FULL: [&str; 3] = ["NO_SPACE", "DISK_FULL", "STORE_FULL"];

/// Asks as clients do, in the name of a caller.
fn ask(
    (server, caller): (SocketAddr, &str),
    request: (&str, &str),
    body: &[u8],
    patience: Duration,
) -> Option<(u16, Vec<u8>)> {
    let authorization = format!("Bearer {caller}");
    let headers = [("content-type", "application/json"), ("authorization", authorization.as_str())];
    fetch(server, request, &headers, body, patience)
}

/// The bytes of a file.
const BYTES: u64 = 300_000;

/// One client.
pub(super) struct Worker<'a> {
    pub(super) number: u64,
    /// What stands for its owner in each request.
    pub(super) caller: &'a str,
    pub(super) rest: Duration,
    pub(super) nodes: &'a [SocketAddr],
    pub(super) ledger: &'a Ledger,
    pub(super) board: &'a Board,
    pub(super) over: &'a AtomicBool,
}

/// What a client has in hand.
#[derive(Clone, Copy)]
struct Job<'a> {
    name: &'a str,
    begun: Instant,
}

/// What a client was told, and who that was.
#[derive(Debug)]
pub(super) struct Promise {
    caller: String,
    what: PromisedWork,
}

#[derive(Debug)]
enum PromisedWork {
    /// A file is there with these bytes.
    File { path: String, digest: Vec<u8> },
    /// A document has each of these sentences once.
    Document { path: String, sentences: Vec<String> },
    /// A task has come to an end, as the run of this name, with this text.
    Task { key: String, run: String, text: String },
}

/// A request as it is sent.
struct WorkRequest {
    method: &'static str,
    path: String,
    body: Vec<u8>,
}

impl Worker<'_> {
    /// Works until it is `over`, or something is broken.
    pub(super) fn work(&self) {
        let mut dice = Dice(self.number * 104_729 + 3);
        for job in 0.. {
            if self.is_over() {
                return;
            }
            let name = format!("{}-{job}", self.number);
            let work = Job { name: &name, begun: Instant::now() };
            let done = match self.number % 3 {
                0 => self.write(&mut dice, work),
                1 => self.edit(&mut dice, work),
                _ => self.give_task(&mut dice, work),
            };
            match done {
                Ok(()) => {}
                Err(problem) => return self.ledger.broke(problem),
            }
            std::thread::sleep(self.rest);
        }
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed) || self.ledger.is_broken()
    }

    fn promise(&self, what: PromisedWork) {
        self.ledger.promise(Promise { caller: self.caller.to_owned(), what });
    }

    /// Writes a file in pieces, each of which is told to be kept.
    fn write(&self, dice: &mut Dice, job: Job<'_>) -> Result<(), String> {
        let name = job.name;
        let mut file = String::new();
        let begun = self.settle((dice, job), "writes", &mut |attempt| {
            // Of a session that nobody heard of, nobody knows the name; the file may be taken by it.
            file = format!("f{name}-{attempt}.md");
            let body =
                json!({"target_file": format!("files/{file}"), "operation": "create", "terminator": "none"});
            WorkRequest {
                method: "POST",
                path: "/v1/write-sessions".to_owned(),
                body: body.to_string().into_bytes(),
            }
        })?;
        let (201, begun) = json_of(begun) else { return Err(format!("{name}: no session was begun")) };
        let session = begun["session_id"].as_str().unwrap_or_default().to_owned();
        let content: Vec<u8> = (0..BYTES).map(|_| b"etaoin shrdlu\n"[dice.below(14) as usize % 14]).collect();
        let mut offset = 0;
        while offset < content.len() {
            let piece = usize::try_from(1 + dice.below(60_000)).unwrap_or(1);
            let end = content.len().min(offset + piece);
            let told = self.settle((dice, job), "writes", &mut |_| WorkRequest {
                method: "PATCH",
                path: format!("/v1/write-sessions/{session}?offset={offset}"),
                body: content[offset..end].to_vec(),
            })?;
            let (status, told) = json_of(told);
            if (status, &told["state"]) == (507, &json!("failed")) {
                return Ok(());
            }
            let now = told["offset"].as_u64().and_then(|now| usize::try_from(now).ok());
            match now {
                // One that was cut off may have left a part.
                Some(now) if now >= offset && now <= end && [200, 409].contains(&status) => offset = now,
                _ => {
                    return Err(format!(
                        "{file}: {offset} bytes were acknowledged, and now: {status} {told}"
                    ));
                }
            }
        }
        let told = self.settle((dice, job), "writes", &mut |_| WorkRequest {
            method: "POST",
            path: format!("/v1/write-sessions/{session}/finalize"),
            body: json!({"offset": content.len()}).to_string().into_bytes(),
        })?;
        let (status, told) = json_of(told);
        if (status, &told["state"]) == (507, &json!("failed")) {
            return Ok(());
        }
        if status != 200 || told["state"] != "committed" {
            return Err(format!("{file} is complete, and was not committed: {status} {told}"));
        }
        let path = format!("/v1/workspaces/files/files/{file}");
        self.promise(PromisedWork::File { path, digest: Sha256::digest(&content).to_vec() });
        Ok(())
    }

    /// Puts a document, and adds one sentence after the other.
    #[expect(clippy::disallowed_methods, reason = "a chore reads the example of the repository")]
    fn edit(&self, dice: &mut Dice, job: Job<'_>) -> Result<(), String> {
        let name = job.name;
        let example = std::fs::read(root().join("examples/nda.docx")).map_err(|error| error.to_string())?;
        let path = format!("/v1/workspaces/papers/files/d{name}.docx");
        let put = self.settle((dice, job), "edits", &mut |_| WorkRequest {
            method: "PUT",
            path: path.clone(),
            body: example.clone(),
        })?;
        let (200 | 201, put) = json_of(put) else { return Err(format!("{path} was not put")) };
        let mut revision = put["sha256"].as_str().unwrap_or_default().to_owned();
        let mut sentences: Vec<String> = Vec::new();
        while sentences.len() < EDITS && !self.is_over() {
            let sentence = format!("Sentence {name}x{}x was added.", sentences.len());
            let body = json!({"operations": [{"op": "insert_paragraph", "after": "P3",
                "content": sentence}], "author": "Ada", "expectedRevision": revision});
            let told = self.settle((dice, job), "edits", &mut |_| WorkRequest {
                method: "POST",
                path: format!("{path}/operations"),
                body: body.to_string().into_bytes(),
            })?;
            let (status, told) = json_of(told);
            match (status, told["error"]["code"].as_str()) {
                (200, _) => {
                    revision = told["revision"].as_str().unwrap_or_default().to_owned();
                    sentences.push(sentence);
                }
                // The request before was carried out, and its answer lost.
                (409, Some("STALE_REVISION")) => {
                    let shown = self.settle((dice, job), "edits", &mut |_| WorkRequest {
                        method: "GET",
                        path: format!("{path}?view=accepted&limit=1000"),
                        body: Vec::new(),
                    })?;
                    let (200, shown) = json_of(shown) else { return Err(format!("{path} cannot be read")) };
                    revision = shown["revision"].as_str().unwrap_or_default().to_owned();
                    if shown.to_string().contains(&sentence) {
                        sentences.push(sentence);
                    }
                }
                _ => return Err(format!("{path}: {status} {told}")),
            }
        }
        self.promise(PromisedWork::Document { path, sentences });
        Ok(())
    }

    /// Gives a task, and asks until it has come to its end.
    fn give_task(&self, dice: &mut Dice, job: Job<'_>) -> Result<(), String> {
        let key = format!("t{}", job.name);
        let begun = Instant::now();
        loop {
            let told = self.settle((dice, job), "tasks", &mut |_| WorkRequest {
                method: "POST",
                path: "/acp/rpc".to_owned(),
                body: task(&key).to_string().into_bytes(),
            })?;
            let (_, told) = json_of(told);
            let result = &told["result"];
            let text = text_of_task(result);
            match (result["status"].as_str(), result["runId"].as_str()) {
                (Some("completed"), Some(run)) if text.contains(&prompt(&key)) => {
                    let run = run.to_owned();
                    self.promise(PromisedWork::Task { key, run, text });
                    return Ok(());
                }
                // It was told that there was no room for it.
                (Some("failed"), _)
                    if result["code"].as_str().is_some_and(|code| FULL.contains(&code))
                        && self.board.was_full(job.begun) =>
                {
                    self.ledger.told(&format!("{} of a task", result["code"].as_str().unwrap_or_default()));
                    return Ok(());
                }
                _ if result["terminal"] == false && begun.elapsed() < STUCK => {}
                _ => return Err(format!("the task {key}: {told}")),
            }
        }
    }

    /// Sends a request, to one node after the other, until it is answered; `asked` makes it, and knows how often it was sent.
    fn settle(
        &self,
        (dice, job): (&mut Dice, Job<'_>),
        what: &'static str,
        asked: &mut dyn FnMut(usize) -> WorkRequest,
    ) -> Result<(u16, Vec<u8>), String> {
        let begun = Instant::now();
        let mut trouble: Option<(&'static str, Instant)> = None;
        let mut node = usize::try_from(dice.below(self.nodes.len() as u64)).unwrap_or(0);
        for attempt in 0.. {
            let WorkRequest { method, path, body } = asked(attempt);
            let told = ask((self.nodes[node], self.caller), (method, &path), &body, PATIENCE);
            let code = told.as_ref().map(|(_, body)| code_of(body));
            match (&told, code) {
                (None, _) => self.ledger.told("cut"),
                (Some(_), Some(Some(code))) if PASSING.contains(&code.as_str()) => self.ledger.told(&code),
                (Some(told), Some(Some(code)))
                    if FULL.contains(&code.as_str()) && self.board.was_full(job.begun) =>
                {
                    self.ledger.told(&code);
                    // A write session has failed with it for good, and its sender has been told.
                    if serde_json::from_slice::<Value>(&told.1).is_ok_and(|told| told["state"] == "failed") {
                        return Ok(told.clone());
                    }
                    trouble.get_or_insert_with(|| ("disk full", Instant::now()));
                }
                (Some((status @ 500.., body)), _) => {
                    return Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(body)));
                }
                (Some(told), _) => {
                    if let Some((what, since)) = trouble {
                        self.ledger.waited(what, since.elapsed());
                    }
                    return Ok(told.clone());
                }
            }
            trouble.get_or_insert_with(|| (what, Instant::now()));
            if begun.elapsed() > STUCK {
                return Err(format!("{method} {path} has no answer after {} s: {told:?}", STUCK.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(20 + dice.below(60)));
            node = (node + 1) % self.nodes.len();
        }
        Err("nobody was asked".to_owned())
    }
}

impl Promise {
    /// What is not as it was promised, as a server shows it.
    pub(super) fn problem(&self, server: SocketAddr) -> Option<String> {
        let asked = (server, self.caller.as_str());
        let get = |path: &str| ask(asked, ("GET", path), &[], Duration::from_secs(60));
        match &self.what {
            PromisedWork::File { path, digest } => match get(path) {
                Some((200, bytes)) if Sha256::digest(&bytes).to_vec() == *digest => None,
                other => {
                    Some(format!("the file {path} is another one: {:?}", other.map(|(status, _)| status)))
                }
            },
            PromisedWork::Document { path, sentences } => {
                let Some((200, bytes)) = get(path) else { return Some(format!("{path} is gone")) };
                let text = document_text(bytes).unwrap_or_default();
                let wrong = sentences.iter().find(|sentence| text.matches(sentence.as_str()).count() != 1)?;
                let count = text.matches(wrong.as_str()).count();
                Some(format!("{path} has {wrong:?} {count} times"))
            }
            PromisedWork::Task { key, run, text } => {
                let body = task(key).to_string();
                let told = ask(asked, ("POST", "/acp/rpc"), body.as_bytes(), Duration::from_secs(60));
                let told = told.map(json_of).map(|(_, told)| told).unwrap_or_default();
                let result = &told["result"];
                let is_same = result["runId"] == **run && text_of_task(result) == *text;
                (!is_same).then(|| format!("the task {key} had the run {run}, and now {told}"))
            }
        }
    }

    /// How many there are of each.
    pub(super) fn summary(promises: &[Self]) -> String {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for promise in promises {
            let (what, more) = match &promise.what {
                PromisedWork::File { .. } => ("files written", 1),
                PromisedWork::Document { sentences, .. } => ("edits", sentences.len()),
                PromisedWork::Task { .. } => ("tasks", 1),
            };
            *counts.entry(what).or_default() += more;
        }
        let counts: Vec<String> = counts.iter().map(|(what, count)| format!("{count} {what}")).collect();
        format!("{}: all there, each once", counts.join(", "))
    }
}

fn prompt(key: &str) -> String {
    format!("say that {key} is done")
}

fn task(key: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "1", "method": "session.start", "params": {
        "threadId": key, "taskPrompt": prompt(key), "idempotencyKey": key, "waitMs": 2_000,
        "routing": {"explicitProviderId": "engross"},
    }})
}

/// What a task has said.
fn text_of_task(result: &Value) -> String {
    let said = ["output", "text", "message"].into_iter().find_map(|field| result[field].as_str());
    said.unwrap_or_default().to_owned()
}

fn json_of((status, body): (u16, Vec<u8>)) -> (u16, Value) {
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

/// The code of an error, as routes and as methods have it.
fn code_of(body: &[u8]) -> Option<String> {
    let told: Value = serde_json::from_slice(body).ok()?;
    let code = told["error"]["code"].as_str().or_else(|| told["error"]["data"]["code"].as_str())?;
    Some(code.to_owned())
}

fn document_text(bytes: Vec<u8>) -> Option<String> {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let mut text = String::new();
    archive.by_name("word/document.xml").ok()?.read_to_string(&mut text).ok()?;
    Some(text)
}
