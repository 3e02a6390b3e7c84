//! An agent that speaks ACP and does what the prompt says, line by line.
//!
//! A line of a prompt is a command: see `Agent::carry_out`. Where a line begins with `@ `, only such lines are. What the agent is like from the start comes from its environment:
//! `FAKE_START` is `hang`, `die`, `garbage`, `version`, `login`, `quota` or `noise`; `FAKE_CAN` names `load` and `resume`; `FAKE_STATE` is
//! a folder in which it keeps its sessions.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

const FOR_EVER: Duration = Duration::from_secs(100_000);

/// Serves until the input ends, or it is told to die.
///
/// # Errors
/// When the client does not listen any more, or the agent is told to die.
pub fn serve(input: impl BufRead, output: impl Write) -> io::Result<()> {
    let mut agent = Agent {
        input,
        output,
        start: setting("FAKE_START"),
        can: setting("FAKE_CAN"),
        state: setting("FAKE_STATE").into(),
        sessions: HashMap::new(),
        asked: 0,
        cancelled: false,
    };
    match agent.start.as_str() {
        "hang" => sleep(FOR_EVER),
        "die" => return Err(agent.die("the configuration is broken, key sk-secret-123")),
        "garbage" => {
            for _ in 0..1000 {
                agent.raw("this is not the protocol")?;
            }
        }
        "noise" => agent.raw("Loading models...\n\n[warning]")?,
        _ => {}
    }
    while let Some(message) = agent.hear()? {
        agent.serve(&message)?;
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "how a test tells the process it starts what to do")]
fn setting(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

struct Agent<I, O> {
    input: I,
    output: O,
    start: String,
    can: String,
    state: PathBuf,
    /// By id: the folder, and how many prompts there were.
    sessions: HashMap<String, (PathBuf, usize)>,
    asked: i64,
    cancelled: bool,
}

impl<I: BufRead, O: Write> Agent<I, O> {
    fn raw(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")?;
        self.output.flush()
    }

    fn hear(&mut self) -> io::Result<Option<Value>> {
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let message: Value = serde_json::from_str(&line)?;
        self.cancelled |= message["method"] == "session/cancel";
        Ok(Some(message))
    }

    fn die(&mut self, words: &str) -> io::Error {
        let _ = writeln!(io::stderr(), "{words}");
        io::Error::other("told to die")
    }

    fn serve(&mut self, message: &Value) -> io::Result<()> {
        let (id, params) = (&message["id"], &message["params"]);
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" => Ok(json!({
                "protocolVersion": if self.start == "version" { 2 } else { 1 },
                "agentCapabilities": {
                    "loadSession": self.can.contains("load"),
                    "sessionCapabilities": if self.can.contains("resume") { json!({ "resume": {} }) } else { json!({}) },
                },
                "agentInfo": { "name": "fake", "version": "1" },
                "authMethods": if self.start == "quota" { json!([]) } else { json!([{ "id": "web", "name": "Web login" }]) },
            })),
            "session/new" if self.start == "quota" => {
                Err(json!({ "code": -32000, "message": "disk quota exceeded on /home" }))
            }
            "session/new" if self.start == "login" => {
                Err(json!({ "code": -32000, "message": "Authentication required" }))
            }
            "session/new" => {
                let session = format!("session-{}-{}", std::process::id(), self.sessions.len());
                self.sessions.insert(session.clone(), (folder(params), 0));
                self.store(&session)?;
                Ok(json!({ "sessionId": session, "configOptions": options("small") }))
            }
            "session/set_config_option" => {
                Ok(json!({ "configOptions": options(params["value"].as_str().unwrap_or("small")) }))
            }
            "session/load" | "session/resume" => self.take_up(message)?,
            "session/prompt" => {
                let session = text(&params["sessionId"]);
                self.cancelled = false;
                if let Some((_, turns)) = self.sessions.get_mut(&session) {
                    *turns += 1;
                }
                self.store(&session)?;
                let prompt = text(&params["prompt"][0]["text"]);
                let rest =
                    params["prompt"].as_array().map_or(&[][..], |blocks| blocks.get(1..).unwrap_or_default());
                let mut result = Ok(json!({ "stopReason": "end_turn" }));
                // What stands around the person's words is not for this agent, where those are marked.
                let is_marked = prompt.lines().any(|line| line.starts_with("@ "));
                let lines = prompt.lines().filter_map(|line| match line.strip_prefix("@ ") {
                    None if is_marked => None,
                    marked => Some(marked.unwrap_or(line)),
                });
                for line in lines {
                    if let Some(end) = self.carry_out(&session, line, rest)? {
                        result = end;
                        break;
                    }
                }
                result
            }
            _ => return Ok(()),
        };
        self.answer(id, &result)
    }

    fn answer(&mut self, id: &Value, result: &Result<Value, Value>) -> io::Result<()> {
        let line = match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(error) => json!({ "jsonrpc": "2.0", "id": id, "error": error }),
        };
        self.raw(&line.to_string())
    }

    fn take_up(&mut self, message: &Value) -> io::Result<Result<Value, Value>> {
        let session = text(&message["params"]["sessionId"]);
        #[expect(clippy::disallowed_methods, reason = "a file of the test")]
        let stored = std::fs::read_to_string(self.state.join(&session));
        let Ok(turns) = stored.unwrap_or_default().parse::<usize>() else {
            return Ok(Err(json!({ "code": -32002, "message": "Resource not found" })));
        };
        self.sessions.insert(session.clone(), (folder(&message["params"]), turns));
        if message["method"] == "session/load" {
            self.say(&session, "agent_message_chunk", "what was said before")?;
        }
        Ok(Ok(Value::Null))
    }

    #[expect(clippy::disallowed_methods, reason = "a file of the test")]
    fn store(&self, session: &str) -> io::Result<()> {
        match self.sessions.get(session) {
            Some((_, turns)) if !self.state.as_os_str().is_empty() => {
                std::fs::write(self.state.join(session), turns.to_string())
            }
            _ => Ok(()),
        }
    }

    fn update(&mut self, session: &str, update: &Value) -> io::Result<()> {
        let params = json!({ "sessionId": session, "update": update });
        self.raw(&json!({ "jsonrpc": "2.0", "method": "session/update", "params": params }).to_string())
    }

    fn say(&mut self, session: &str, kind: &str, text: &str) -> io::Result<()> {
        self.update(session, &json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } }))
    }

    fn ask(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        self.asked += 1;
        let id = format!("agent-{}", self.asked);
        self.raw(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())?;
        loop {
            match self.hear()? {
                Some(message) if message["id"] == id.as_str() => return Ok(message),
                Some(_) => {}
                None => return Err(io::Error::other("the client is gone")),
            }
        }
    }

    /// Does what one line says; `Some` ends the turn with that answer.
    ///
    /// `say`, `think`, `tool ID STATUS TITLE`, `plan`, `foreign` tell something · `write`, `fs-write` and `fs-read PATH [CONTENT]`
    /// touch files, the first one by itself · `ask [KIND…]` asks for permission and says the outcome · `terminal` asks for one ·
    /// `env NAME`, `cwd`, `turns`, `pid`, `blocks` say what they name · `fork` starts three processes and says their ids ·
    /// `sleep MS`, `hang`, `wait-cancel`, `late-cancel MS`, `flood` take time · `die WORDS`, `garbage N`, `huge N`, `wrong-id`,
    /// `error TEXT`, `server-error TEXT`, `stop REASON` end it.
    fn carry_out(
        &mut self,
        session: &str,
        line: &str,
        rest: &[Value],
    ) -> io::Result<Option<Result<Value, Value>>> {
        let (command, words) = line.split_once(' ').unwrap_or((line, ""));
        let (cwd, turns) = self.sessions.get(session).cloned().unwrap_or_default();
        let (path, content) = words.split_once(' ').unwrap_or((words, ""));
        let params = |path: &str| json!({ "sessionId": session, "path": cwd.join(path), "content": content });
        match command {
            "say" => self.say(session, "agent_message_chunk", words)?,
            "think" => self.say(session, "agent_thought_chunk", words)?,
            "foreign" => self.say("another", "agent_message_chunk", words)?,
            "tool" => {
                let (status, title) = content.split_once(' ').unwrap_or((content, ""));
                let update = json!({ "sessionUpdate": "tool_call", "toolCallId": path, "title": title, "status": status, "kind": "execute" });
                self.update(session, &update)?;
            }
            "plan" => {
                let entries = json!([{ "content": words, "priority": "high", "status": "in_progress" }]);
                self.update(session, &json!({ "sessionUpdate": "plan", "entries": entries }))?;
            }
            #[expect(clippy::disallowed_methods, reason = "a file of the test")]
            "write" => std::fs::write(cwd.join(path), content)?,
            "fs-write" => {
                let answer = self.ask("fs/write_text_file", &params(path))?;
                self.say(session, "agent_message_chunk", &outcome(&answer, "written"))?;
            }
            "fs-read" => {
                let answer = self.ask("fs/read_text_file", &params(path))?;
                self.say(session, "agent_message_chunk", &outcome(&answer, "content"))?;
            }
            "terminal" => {
                let answer =
                    self.ask("terminal/create", &json!({ "sessionId": session, "command": "ls" }))?;
                self.say(session, "agent_message_chunk", &outcome(&answer, "terminalId"))?;
            }
            "ask" => {
                let options: Vec<Value> = words
                    .split_whitespace()
                    .map(|kind| json!({ "optionId": format!("id-{kind}"), "name": kind, "kind": kind }))
                    .collect();
                let call = json!({ "toolCallId": "t1", "title": "Run make" });
                let asked = json!({ "sessionId": session, "toolCall": call, "options": options });
                let answer = self.ask("session/request_permission", &asked)?;
                let chosen = &answer["result"]["outcome"];
                let said =
                    chosen["optionId"].as_str().or(chosen["outcome"].as_str()).unwrap_or("?").to_owned();
                if self.cancelled {
                    return Ok(Some(Ok(json!({ "stopReason": "cancelled" }))));
                }
                self.say(session, "agent_message_chunk", &said)?;
            }
            "env" => self.say(session, "agent_message_chunk", &format!("[{}]", setting(words)))?,
            "cwd" => self.say(session, "agent_message_chunk", &cwd.to_string_lossy())?,
            "turns" => self.say(session, "agent_message_chunk", &turns.to_string())?,
            "pid" => self.say(session, "agent_message_chunk", &std::process::id().to_string())?,
            "blocks" => self.say(session, "agent_message_chunk", &json!(rest).to_string())?,
            "fork" => {
                let pids = fork()?;
                self.say(session, "agent_message_chunk", &pids)?;
            }
            "sleep" => sleep(Duration::from_millis(words.parse().unwrap_or_default())),
            "hang" => sleep(FOR_EVER),
            "wait-cancel" | "late-cancel" => {
                while !self.cancelled {
                    if self.hear()?.is_none() {
                        return Ok(None);
                    }
                }
                sleep(Duration::from_millis(words.parse().unwrap_or_default()));
                self.say(session, "agent_message_chunk", "too late")?;
                return Ok(Some(Ok(json!({ "stopReason": "cancelled" }))));
            }
            "flood" => loop {
                self.say(session, "agent_message_chunk", "and so on ")?;
            },
            "die" => return Err(self.die(words)),
            "garbage" => {
                for _ in 0..words.parse().unwrap_or(1) {
                    self.raw("}{ this is not the protocol")?;
                }
            }
            "huge" => {
                let text = "x".repeat(words.parse().unwrap_or_default());
                self.say(session, "agent_message_chunk", &text)?;
            }
            "wrong-id" => {
                self.answer(&json!(4711), &Ok(json!({ "stopReason": "end_turn" })))?;
                self.answer(&json!("1"), &Ok(json!({ "stopReason": "end_turn" })))?;
                sleep(FOR_EVER);
            }
            "error" => {
                return Ok(Some(Err(json!({ "code": -32603, "message": "Internal error", "data": words }))));
            }
            "server-error" => return Ok(Some(Err(json!({ "code": -32000, "message": words })))),
            "stop" => return Ok(Some(Ok(json!({ "stopReason": words })))),
            _ => {
                return Ok(Some(Err(
                    json!({ "code": -32602, "message": format!("unknown command {command}") }),
                )));
            }
        }
        Ok(None)
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn folder(params: &Value) -> PathBuf {
    text(&params["cwd"]).into()
}

fn options(model: &str) -> Value {
    let of = |name: &str| json!({ "value": name, "name": name });
    json!([{
        "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": model,
        "options": [of("small"), of("large")],
    }])
}

fn outcome(answer: &Value, field: &str) -> String {
    match answer.get("error") {
        Some(error) => format!("error {} {}", error["code"], text(&error["data"])),
        None => format!("{field}: {}", text(&answer["result"][field])),
    }
}

/// Starts a child, one that leaves the process group, and one whose parent ends.
fn fork() -> io::Result<String> {
    let script = "sleep 1000 >/dev/null & echo $!; setsid sleep 1000 >/dev/null & echo $!; \
                  setsid sh -c 'sleep 1000 >/dev/null & echo $!'; sleep 0.1";
    let started =
        Command::new("sh").args(["-c", script]).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&started.stdout).split_whitespace().collect::<Vec<_>>().join(" "))
}
