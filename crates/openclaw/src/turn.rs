//! Folds gateway events into run events (pure).
//!
//! Must never take an event of another session for one of the run, tell an end twice, or make a failure a cancel.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::error::shown;
use super::frame::{GatewayEvent, GatewayEventKind, text};
use crate::codes;
use engross_artifacts::media_references;
use engross_tasks::runner::{AgentEvent, How, TurnEnd};

/// Uses of tools that are remembered.
const TOOLS: usize = 1000;

/// A run as far as it has been heard.
#[derive(Debug, Default)]
pub(super) struct Progress {
    session: String,
    answer: GrowingText,
    thought: GrowingText,
    /// The last word on each use of a tool, and its title.
    tools: HashMap<String, (String, String)>,
    ended: bool,
}

/// How the gateway says that a run stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunStanding {
    /// It is under way, or not known.
    Open,
    /// It is over; the words are with it, or have to be asked for.
    Over(How, Option<String>),
}

impl Progress {
    /// Nothing heard yet of a run of the session `key`.
    pub(super) fn new(key: &str) -> Self {
        Self { session: key.to_owned(), ..Self::default() }
    }

    /// What an event means to the run. After the end nothing means anything.
    pub(super) fn hear(&mut self, told: &GatewayEvent) -> Vec<AgentEvent> {
        let payload = &told.payload;
        let session = text(&payload["sessionKey"]);
        if self.ended || !(session.is_empty() || same_session(session, &self.session)) {
            return Vec::new();
        }
        match told.kind {
            GatewayEventKind::Chat => self.chat(payload),
            GatewayEventKind::Work => self.work(payload).into_iter().collect(),
        }
    }

    fn chat(&mut self, payload: &Value) -> Vec<AgentEvent> {
        let message = &payload["message"];
        let said = Some(words(message)).filter(|words| !words.is_empty());
        let reason = text(&payload["stopReason"]);
        let how = match text(&payload["state"]) {
            "delta" => {
                let grown = match (said, payload["deltaText"].as_str()) {
                    (Some(whole), _) => self.answer.to(&whole),
                    (None, Some(piece)) => self.answer.by(piece),
                    (None, None) => None,
                };
                return grown.map(AgentEvent::Text).into_iter().collect();
            }
            // That it is over does not say that it was done: some gateways put even errors of a model into the words.
            "final" => match payload["success"].as_bool() {
                Some(true) => How::Completed,
                Some(false) => failed(text(&payload["errorMessage"])),
                None => How::Unstated,
            },
            "aborted" => aborted(reason),
            "error" => failed(text(&payload["errorMessage"])),
            _ => return Vec::new(),
        };
        let files = media_references(payload);
        let files = Some(AgentEvent::Files(files)).filter(|_| done(&how)).filter(|files| !is_empty(files));
        self.ended = true;
        files.into_iter().chain([AgentEvent::Ended(TurnEnd { how, text: said })]).collect()
    }

    fn work(&mut self, payload: &Value) -> Option<AgentEvent> {
        let data = &payload["data"];
        match text(&payload["stream"]) {
            "thinking" | "reasoning" => {
                let grown = match data["text"].as_str() {
                    Some(whole) => self.thought.to(whole),
                    None => self.thought.by(text(&data["delta"])),
                };
                grown.map(AgentEvent::Thought)
            }
            "tool" => {
                let status = match text(&data["phase"]) {
                    "start" | "update" => "in_progress",
                    "result" | "end" if data["isError"] == true => "failed",
                    "result" | "end" => "completed",
                    _ => return None,
                };
                self.tool(data, text(&data["name"]), status)
            }
            "assistant" => named(data),
            "item" if text(&data["kind"]) == "tool" => {
                let status = match (text(&data["phase"]), text(&data["status"])) {
                    ("start" | "update", _) => "in_progress",
                    ("end", "failed" | "error") => "failed",
                    ("end", _) => "completed",
                    _ => return None,
                };
                self.tool(data, text(&data["title"]), status)
            }
            _ => None,
        }
    }

    /// A use of a tool, unless that much was told before: two voices tell of each.
    fn tool(&mut self, data: &Value, title: &str, status: &str) -> Option<AgentEvent> {
        let id = data["toolCallId"].as_str().filter(|id| !id.is_empty())?;
        let title = match self.tools.get(id) {
            Some((known, _)) if known == status || known != "in_progress" => return None,
            Some((_, title)) => title.clone(),
            None if self.tools.len() >= TOOLS => return None,
            None => shown(title),
        };
        self.tools.insert(id.to_owned(), (status.to_owned(), title.clone()));
        let kind = kind_of(text(&data["name"])).to_owned();
        Some(AgentEvent::Tool { id: id.to_owned(), title, kind, status: status.to_owned() })
    }
}

/// The files that the gateway took out of the words of a message.
///
/// OpenClaw 2026.9.6 cuts a line `MEDIA:PATH` out of all that a chat shows, the end included, and tells the path here only. The
/// words beside it may be half of what will be said, so that a path in them is not read.
fn named(data: &Value) -> Option<AgentEvent> {
    let files = media_references(&json!({ "mediaUrl": data["mediaUrl"], "mediaUrls": data["mediaUrls"] }));
    Some(AgentEvent::Files(files)).filter(|files| !is_empty(files))
}

/// How a run stands by the answer to `agent.wait`.
pub(super) fn standing(run: &str, answer: &Value) -> RunStanding {
    let named = text(&answer["runId"]);
    if !named.is_empty() && named != run {
        return RunStanding::Open;
    }
    let (error, reason) = (text(&answer["error"]), text(&answer["stopReason"]));
    let reply = answer["terminalReply"]["text"].as_str().filter(|reply| !reply.is_empty());
    let how = match text(&answer["status"]) {
        "ok" => How::Unstated,
        "error" if error == "aborted" || reason == "rpc" => aborted(reason),
        "error" => failed(error),
        // Without an end it is only the question that took too long.
        "timeout" if !answer["endedAt"].is_null() => aborted("timeout"),
        _ => return RunStanding::Open,
    };
    RunStanding::Over(how, reply.map(str::to_owned))
}

/// What a history says of the end of a run: its last words, and the files that they name.
///
/// Where it says which run a message belongs to, no other one counts; elsewhere those behind the last question do.
pub(super) fn last_words(run: &str, history: &Value) -> (Option<String>, Vec<String>) {
    let messages = history["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of_run = |message: &Value| text(&message["__openclaw"]["runId"]) == run;
    let names_runs = messages.iter().any(|message| message["__openclaw"]["runId"].is_string());
    let mut behind: Vec<&Value> = Vec::new();
    for message in messages {
        match text(&message["role"]) {
            "user" if !names_runs => behind.clear(),
            "assistant" if !names_runs || of_run(message) => behind.push(message),
            _ => {}
        }
    }
    let said = behind.iter().rev().map(|message| words(message)).find(|words| !words.is_empty());
    let files = behind.last().map(|message| media_references(message)).unwrap_or_default();
    (said, files)
}

/// The words of a message: those of its blocks of text, as the gateway's own clients join them.
fn words(message: &Value) -> String {
    let content = match message {
        Value::String(text) => return text.clone(),
        message if message["content"].is_null() => &message["text"],
        message => &message["content"],
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let is_text = |block: &&Value| matches!(text(&block["type"]), "text" | "output_text");
            let texts: Vec<&str> = blocks.iter().filter(is_text).map(|block| text(&block["text"])).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Whether two keys mean one session: a gateway writes keys in lower case and puts the agent in front.
pub(super) fn same_session(one: &str, other: &str) -> bool {
    let plain = |key: &str| {
        let key = key.trim().to_lowercase();
        key.strip_prefix("agent:main:").map(str::to_owned).unwrap_or(key)
    };
    plain(one) == plain(other)
}

fn aborted(reason: &str) -> How {
    if matches!(reason, "timeout" | "timed_out") {
        return failed("its own time for the run was over");
    }
    How::Cancelled
}

fn failed(problem: &str) -> How {
    let problem = if problem.trim().is_empty() { "it does not say why" } else { problem };
    How::Failed {
        code: codes::GATEWAY_EXECUTION_FAILED.name.to_owned(),
        message: format!("the run failed at the gateway: {}; see the gateway's log", shown(problem)),
    }
}

fn done(how: &How) -> bool {
    matches!(how, How::Completed | How::Unstated)
}

fn is_empty(files: &AgentEvent) -> bool {
    matches!(files, AgentEvent::Files(files) if files.is_empty())
}

fn kind_of(tool: &str) -> &'static str {
    match tool {
        "exec" | "bash" | "process" => "execute",
        "read" => "read",
        "write" | "edit" | "apply_patch" => "edit",
        "web_search" | "memory_search" => "search",
        "web_fetch" | "browser" => "fetch",
        _ => "other",
    }
}

/// A text that comes whole each time, and is told in pieces.
#[derive(Debug, Default)]
struct GrowingText {
    /// What it was when it was last told.
    now: String,
}

impl GrowingText {
    /// What has to be added for a listener to have `whole`.
    ///
    /// What was told cannot be taken back. A text that only was cleaned up or shortened says nothing until it has grown over what
    /// was told; one that is another text follows after an empty line. The end has the right words in any case.
    fn to(&mut self, whole: &str) -> Option<String> {
        if let Some(more) = whole.strip_prefix(self.now.as_str()) {
            let more = more.to_owned();
            whole.clone_into(&mut self.now);
            return Some(more).filter(|more| !more.is_empty());
        }
        let shared = self.now.bytes().zip(whole.bytes()).take_while(|(one, other)| one == other).count();
        if shared * 2 >= self.now.len() {
            return None;
        }
        whole.clone_into(&mut self.now);
        Some(format!("\n\n{whole}"))
    }

    /// A piece by itself.
    fn by(&mut self, piece: &str) -> Option<String> {
        self.now.push_str(piece);
        Some(piece.to_owned()).filter(|piece| !piece.is_empty())
    }
}
