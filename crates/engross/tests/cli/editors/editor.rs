//! An editor: it starts the agent, speaks with it, and checks every frame against the protocol's types.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use agent_client_protocol_schema::v1 as schema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::desk::{ENGROSS, TestBench};

/// How long the agent may think.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the editor says when it is asked for permission.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    Once,
    Always,
    No,
    /// An option that was not offered.
    Nonsense,
    /// An error instead of a result.
    Error,
    /// As a cancelled turn asks for.
    Cancelled,
    /// Nothing: the test goes on while the question is open.
    Silent,
}

/// An editor with an agent.
pub struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    frames: Receiver<Value>,
    next: i64,
    /// Method of each request that is open.
    open: Vec<(i64, String)>,
    pub permission: Permission,
    /// Updates and questions, in order.
    pub heard: Vec<Value>,
}

impl Editor {
    /// Starts the agent with a scripted model.
    pub fn start(desk: &TestBench, script: &Value) -> Self {
        desk.put("script.json", script.to_string().as_bytes());
        Self::start_with(desk, &["--model", "script:script.json"])
    }

    pub fn start_with(desk: &TestBench, arguments: &[&str]) -> Self {
        let mut child = desk
            .command(ENGROSS)
            .args(["acp", "--author", "Ada"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, frames) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines() {
                let Ok(line) = line else { return };
                let frame = serde_json::from_str(&line).unwrap_or_else(|_| json!({"not JSON": line}));
                if sender.send(frame).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self {
            child,
            input,
            frames,
            next: 0,
            open: Vec::new(),
            permission: Permission::Once,
            heard: Vec::new(),
        }
    }

    /// The same, greeted, with a session in the bench's folder `work`.
    pub fn with_session(desk: &TestBench, script: &Value) -> (Self, String) {
        let mut editor = Self::start(desk, script);
        editor.greet();
        let session = editor.new_session(desk);
        (editor, session)
    }

    pub fn greet(&mut self) -> Value {
        let greeting = json!({"protocolVersion": 1, "clientCapabilities": {"fs": {"readTextFile": true, "writeTextFile": true}}});
        self.call("initialize", greeting).unwrap()
    }

    pub fn new_session(&mut self, desk: &TestBench) -> String {
        let answer = self.call("session/new", json!({"cwd": work(desk), "mcpServers": []})).unwrap();
        answer["sessionId"].as_str().unwrap().to_owned()
    }

    pub fn send(&mut self, line: &str) {
        // It may have ended.
        let input = self.input.as_mut().unwrap();
        let _ = input
            .write_all(line.as_bytes())
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush());
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        let mut message = json!({"jsonrpc": "2.0", "method": method});
        message["params"] = params;
        self.send(&message.to_string());
    }

    /// Sends a request without waiting.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        self.open.push((self.next, method.to_owned()));
        let mut message = json!({"jsonrpc": "2.0", "id": self.next, "method": method});
        message["params"] = params;
        self.send(&message.to_string());
        self.next
    }

    pub fn ask_prompt(&mut self, session: &str, text: &str) -> i64 {
        self.ask("session/prompt", json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]}))
    }

    /// Sends a request; its result, or its error.
    pub fn call(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    pub fn prompt(&mut self, session: &str, text: &str) -> Result<Value, Value> {
        let id = self.ask_prompt(session, text);
        self.answer(id)
    }

    /// Reads on until the answer to the request `id`.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let frame = self.frame();
            if frame.get("method").is_none() && frame["id"] == id {
                return match frame.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(frame["result"].clone()),
                };
            }
        }
    }

    /// Reads on until a question for permission is open, and leaves it open.
    pub fn wait_for_permission(&mut self) -> Value {
        loop {
            let frame = self.frame();
            if frame["method"] == "session/request_permission" {
                return frame;
            }
        }
    }

    /// The next frame, checked. Questions are answered as the test has set it.
    pub fn frame(&mut self) -> Value {
        let frame =
            self.frames.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("{error}: {:?}", self.heard));
        self.check(&frame);
        if frame.get("method").is_some() {
            self.heard.push(frame.clone());
        }
        if frame["method"] == "session/request_permission" {
            self.answer_permission(&frame["id"], self.permission);
        }
        frame
    }

    pub fn answer_permission(&mut self, id: &Value, permission: Permission) {
        let chosen = |option: &str| json!({"outcome": {"outcome": "selected", "optionId": option}});
        let result = match permission {
            Permission::Once => chosen("once"),
            Permission::Always => chosen("always"),
            Permission::No => chosen("no"),
            Permission::Nonsense => chosen("certainly"),
            Permission::Cancelled => json!({"outcome": {"outcome": "cancelled"}}),
            Permission::Silent => return,
            Permission::Error => {
                let error = json!({"code": -32603, "message": "no window"});
                return self.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string());
            }
        };
        self.send(&json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string());
    }

    /// Updates of one kind, in order.
    pub fn updates(&self, kind: &str) -> Vec<&Value> {
        let updates = self.heard.iter().filter_map(|frame| frame.pointer("/params/update"));
        updates.filter(|update| update["sessionUpdate"] == kind).collect()
    }

    /// What was said so far.
    pub fn text(&self) -> String {
        let chunks = self.updates("agent_message_chunk");
        chunks.iter().filter_map(|chunk| chunk["content"]["text"].as_str()).collect()
    }

    /// How often permission was asked for.
    pub fn questions(&self) -> usize {
        self.heard.iter().filter(|frame| frame["method"] == "session/request_permission").count()
    }

    /// Closes the agent's input; its exit code.
    pub fn leave(mut self) -> Option<i32> {
        drop(self.input.take());
        self.child.wait().unwrap().code()
    }

    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn check(&mut self, frame: &Value) {
        assert_eq!(frame["jsonrpc"], "2.0", "{frame}");
        match frame["method"].as_str() {
            Some("session/update") => same::<schema::SessionNotification>(&frame["params"]),
            Some("session/request_permission") => {
                assert!(frame["id"].is_number(), "{frame}");
                same::<schema::RequestPermissionRequest>(&frame["params"]);
            }
            Some(_) => panic!("a method that editors do not have: {frame}"),
            None if frame.get("error").is_some() => {
                same::<schema::Error>(&frame["error"]);
                assert!(frame.get("result").is_none(), "{frame}");
            }
            None => {
                let at = self.open.iter().position(|(id, _)| frame["id"] == *id);
                let (_, method) = self.open.remove(at.unwrap_or_else(|| panic!("nobody asked: {frame}")));
                check_result(&method, &frame["result"]);
            }
        }
    }
}

fn check_result(method: &str, result: &Value) {
    match method {
        "initialize" => same::<schema::InitializeResponse>(result),
        "authenticate" => same::<schema::AuthenticateResponse>(result),
        "session/new" => same::<schema::NewSessionResponse>(result),
        "session/load" => same::<schema::LoadSessionResponse>(result),
        "session/resume" => same::<schema::ResumeSessionResponse>(result),
        "session/list" => same::<schema::ListSessionsResponse>(result),
        "session/close" => same::<schema::CloseSessionResponse>(result),
        "session/delete" => same::<schema::DeleteSessionResponse>(result),
        "session/set_mode" => same::<schema::SetSessionModeResponse>(result),
        "session/prompt" => same::<schema::PromptResponse>(result),
        other => panic!("{other} was answered: {result}"),
    }
}

/// What the protocol's type does not know would be lost on the way through it.
fn same<T: DeserializeOwned + Serialize>(value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
    assert_eq!(serde_json::to_value(&typed).unwrap(), *value);
}

/// The folder that sessions work in, with the example agreement.
pub fn work(desk: &TestBench) -> String {
    let folder = desk.path("work");
    if !folder.exists() {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(desk.path("nda.docx"), folder.join("nda.docx")).unwrap();
    }
    folder.to_str().unwrap().to_owned()
}

/// The bytes of the agreement in that folder.
pub fn agreement(desk: &TestBench) -> Vec<u8> {
    desk.bytes("work/nda.docx")
}

/// A model that changes the period when it is asked for five years, and else says hello.
pub fn redliner() -> Value {
    let operations = json!([
        {"op": "modify_text", "originalText": "three (3) years", "replacementText": "five (5) years"},
        {"op": "modify_text", "originalText": "no such words at all", "replacementText": "x"},
    ]);
    json!({"turns": [
        {"when": {"last_role": "user", "contains": "five years"}, "times": 0, "text": "I change the period.",
         "tool_calls": [{"name": "apply_redlines", "args": {"operations": operations}}]},
        {"when": {"last_role": "user", "contains": "hang"}, "times": 0, "text": "Well …", "fault": {"kind": "hang", "after": 1}},
        {"when": {"last_role": "user", "contains": "fail"}, "times": 0, "fault": {"kind": "status", "code": 400}},
        {"when": {"last_role": "tool"}, "times": 0, "text": "That is all."},
    ], "default": {"text": "Hello."}})
}
