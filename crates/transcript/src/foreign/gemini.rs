//! Gemini CLI: `~/.gemini/tmp/PROJECT/chats/session-*`. Messages hold calls together with their results. Older versions write one object; newer ones
//! a line for each change: a message again with more in it, all messages anew (`$set`), messages taken back (`$rewindTo`).

use std::collections::{HashMap, HashSet};

use serde_json::{Value, json};

use super::lines::{SessionLines, call, text, thinking, words};

pub(super) fn retell(value: &Value) -> Option<SessionLines> {
    let messages = value["messages"].as_array()?;
    value["sessionId"].as_str()?;
    // Nobody else calls the model so.
    let is_kind = |message: &Value| {
        matches!(message["type"].as_str(), Some("user" | "gemini" | "info" | "error" | "warning"))
    };
    if value["projectHash"].is_null() && !messages.iter().all(is_kind) {
        return None;
    }
    let messages: Vec<&Value> = messages.iter().collect();
    Some(told(value, &messages))
}

/// A file with a line for each change.
pub(super) fn of_lines(values: &[Value]) -> Option<SessionLines> {
    let header = values.first()?;
    if !header["sessionId"].is_string() || !header["projectHash"].is_string() {
        return None;
    }
    let mut kept = KeptMessages::default();
    for value in values {
        if let Some(all) = value["$set"]["messages"].as_array() {
            kept = KeptMessages::default();
            all.iter().for_each(|message| kept.put(message));
        } else if let Some(id) = value["$rewindTo"].as_str() {
            kept.take_back(id);
        } else {
            kept.put(value);
        }
    }
    Some(told(header, &kept.messages))
}

/// Messages by their ids.
#[derive(Default)]
struct KeptMessages<'a> {
    messages: Vec<&'a Value>,
    places: HashMap<&'a str, usize>,
}

impl<'a> KeptMessages<'a> {
    /// Adds a message, or puts it in the place of what it was before. What has no id is none.
    fn put(&mut self, message: &'a Value) {
        let Some(id) = message["id"].as_str() else { return };
        let place = *self.places.entry(id).or_insert(self.messages.len());
        match self.messages.get_mut(place) {
            Some(known) => *known = message,
            None => self.messages.push(message),
        }
    }

    /// Takes back a message and all behind it; all, if it is not there.
    fn take_back(&mut self, id: &str) {
        let left = self.places.get(id).copied().unwrap_or_default();
        for message in self.messages.drain(left..) {
            self.places.remove(message["id"].as_str().unwrap_or_default());
        }
    }
}

fn told(session: &Value, messages: &[&Value]) -> SessionLines {
    let mut lines = SessionLines::default();
    lines.header(&session["sessionId"], &Value::Null, &session["startTime"]);
    let mut answered = HashSet::new();
    for message in messages {
        match message["type"].as_str().unwrap_or_default() {
            "user" => user(&mut lines, message, &mut answered),
            "gemini" => model(&mut lines, message, &mut answered),
            _ => {}
        }
    }
    lines
}

/// The parts of a message that call a tool (`functionCall`) or answer (`functionResponse`), as a resumed session has them.
fn parts_of<'a>(message: &'a Value, kind: &'static str) -> impl Iterator<Item = &'a Value> {
    let parts = message["content"].as_array().into_iter().flatten();
    parts.map(move |part| &part[kind]).filter(|part| part.is_object())
}

fn user<'a>(lines: &mut SessionLines, message: &'a Value, answered: &mut HashSet<&'a str>) {
    let (at, said) = (&message["timestamp"], words(&message["content"]));
    for part in parts_of(message, "functionResponse") {
        // Most stand with their calls, too.
        if answered.insert(id_of(part)) {
            let told = told_in(&part["response"]).unwrap_or_default();
            lines.result(
                at,
                (id_of(part), name_of(part)),
                told,
                has_failed(told) || part["response"]["error"].is_string(),
            );
        }
    }
    let begins = said.trim_start();
    if begins.is_empty() {
        return;
    }
    // What the program says about itself, and its own commands.
    if ["<session_context>", "<hook_context>", "/", "?"].iter().any(|begin| begins.starts_with(begin)) {
        return lines.program(at, json!(said));
    }
    lines.message(at, json!({"role": "user", "content": said}));
}

fn model<'a>(lines: &mut SessionLines, message: &'a Value, answered: &mut HashSet<&'a str>) {
    let at = &message["timestamp"];
    let thoughts = message["thoughts"].as_array().into_iter().flatten().map(|thought| {
        let part = |name: &str| thought[name].as_str().unwrap_or_default();
        thinking(format!("{}: {}", part("subject"), part("description")).trim_matches([':', ' ']))
    });
    let mut blocks: Vec<Value> = thoughts.collect();
    let said = words(&message["content"]);
    if !said.is_empty() {
        blocks.push(text(&said));
    }
    for one in parts_of(message, "functionCall") {
        blocks.push(call(id_of(one), name_of(one), &one["args"]));
    }
    let calls = message["toolCalls"].as_array().map(Vec::as_slice).unwrap_or_default();
    for one in calls {
        blocks.push(call(id_of(one), name_of(one), &one["args"]));
    }
    lines.message(at, json!({"role": "assistant", "model": message["model"], "content": blocks}));
    for one in calls.iter().filter(|call| !call["result"].is_null() || call["status"].is_string()) {
        answered.insert(id_of(one));
        let told = result_of(one);
        let is_error = matches!(one["status"].as_str(), Some("error" | "cancelled"));
        lines.result(&one["timestamp"], (id_of(one), name_of(one)), &told, is_error || has_failed(&told));
    }
}

/// Whether a command ended with an exit code that is not 0: its status is `success` all the same.
fn has_failed(told: &str) -> bool {
    let mut tail = told.lines().rev().take(6);
    let code = tail.find_map(|line| line.trim().strip_prefix("Exit Code: "));
    code.is_some_and(|code| code.trim().parse::<i64>().is_ok_and(|code| code != 0))
}

fn id_of(call: &Value) -> &str {
    call["id"].as_str().or_else(|| call["callId"].as_str()).unwrap_or_default()
}

fn name_of(call: &Value) -> &str {
    call["name"].as_str().unwrap_or("tool")
}

/// What came back: `functionResponse.response.output` or `.error` of each part, else what was shown.
fn result_of(call: &Value) -> String {
    let parts = call["result"].as_array().map(Vec::as_slice).unwrap_or_default();
    let told = parts
        .iter()
        .filter_map(|part| told_in(&part["functionResponse"]["response"]).or_else(|| part["text"].as_str()));
    let told: Vec<&str> = told.collect();
    match told.is_empty() {
        false => told.join("\n"),
        true if call["result"].is_string() => words(&call["result"]),
        true => words(&call["resultDisplay"]),
    }
}

/// What a response says.
fn told_in(response: &Value) -> Option<&str> {
    ["error", "output", "result"].iter().find_map(|name| response[*name].as_str())
}
