//! The three formats: which turn fits a request, and how its answer is written.
//!
//! Must never do I/O.

use serde_json::{Value, json};

/// Reasons to stop that a script names for all formats; any other is a provider's own word.
const COMMON: [&str; 4] = ["stop", "tool_calls", "length", "content_filter"];

/// A format.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Api {
    Chat,
    Anthropic,
    Gemini,
}

impl Api {
    pub(super) fn of(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default();
        if path.ends_with("/chat/completions") {
            Some(Self::Chat)
        } else if path.ends_with("/messages") {
            Some(Self::Anthropic)
        } else {
            path.ends_with(":streamGenerateContent").then_some(Self::Gemini)
        }
    }

    pub(super) fn error(self, fault: &Value, message: &str) -> Value {
        let message = fault["message"].as_str().unwrap_or(message);
        match self {
            Self::Chat => json!({"error": {"message": message, "type": "server_error"}}),
            Self::Anthropic => json!({"type": "error", "error": {"type": "api_error", "message": message}}),
            Self::Gemini => json!({"error": {"code": 500, "message": message, "status": "INTERNAL"}}),
        }
    }

    /// The answer as server-sent events, one string per piece: words, parts of calls, the reason to stop, the end.
    pub(super) fn pieces(self, turn: &Value, body: &Value, count: usize) -> Vec<String> {
        let calls = calls(turn, body, count);
        match self {
            Self::Chat => chat_pieces(turn, body, &calls),
            Self::Anthropic => anthropic_pieces(turn, &calls),
            Self::Gemini => gemini_pieces(turn, &calls),
        }
    }
}

struct Call {
    id: String,
    name: String,
    arguments: String,
}

fn chat_pieces(turn: &Value, body: &Value, calls: &[Call]) -> Vec<String> {
    let chunk = |delta: Value, finish: Option<&str>| {
        event("", &json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}))
    };
    let call = |index: usize, call: Value| {
        let mut call = call;
        call["index"] = json!(index);
        chunk(json!({"tool_calls": [call]}), None)
    };
    let mut pieces: Vec<String> =
        words(&turn["reasoning"]).map(|it| chunk(json!({"reasoning_content": it}), None)).collect();
    pieces.extend(
        turn["reasoning_details"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| chunk(json!({"reasoning_details": [item]}), None)),
    );
    let likely = |word: &str| {
        let mut choice = json!({"index": 0, "delta": {"content": word}, "finish_reason": null});
        if body["logprobs"] == json!(true) {
            let token =
                json!({"token": word, "logprob": -0.25, "bytes": word.as_bytes(), "top_logprobs": []});
            choice["logprobs"] = json!({"content": [token], "refusal": null});
        }
        event("", &json!({"choices": [choice]}))
    };
    pieces.extend(words(&turn["text"]).map(|it| likely(&it)));
    for (index, Call { id, name, arguments }) in calls.iter().enumerate() {
        let function = json!({"name": name, "arguments": ""});
        pieces.push(call(index, json!({"id": id, "type": "function", "function": function})));
        let halves = halves(arguments).map(|half| call(index, json!({"function": {"arguments": half}})));
        pieces.extend(halves);
    }
    let finish =
        turn["finish_reason"].as_str().unwrap_or(if calls.is_empty() { "stop" } else { "tool_calls" });
    pieces.push(chunk(json!({}), Some(finish)));
    let mut end = String::new();
    if body["stream_options"]["include_usage"] == json!(true) {
        let usage = json!({"prompt_tokens": 10, "completion_tokens": output_tokens(turn)});
        end.push_str(&event("", &json!({"choices": [], "usage": usage})));
    }
    pieces.push(end + "data: [DONE]\n\n");
    let opening = chunk(json!({"role": "assistant", "content": ""}), None);
    pieces[0].insert_str(0, &opening);
    pieces
}

fn anthropic_pieces(turn: &Value, calls: &[Call]) -> Vec<String> {
    let named = |value: Value| event(value["type"].as_str().unwrap_or_default(), &value);
    let start = |index: usize, block: Value| {
        named(json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let delta = |index: usize, delta: Value| {
        named(json!({"type": "content_block_delta", "index": index, "delta": delta}))
    };
    let stop = |index: usize| named(json!({"type": "content_block_stop", "index": index}));
    let mut pieces = Vec::new();
    let mut index = 0;
    let mut before = named(json!({"type": "message_start", "message": {"usage": {"input_tokens": 10}}}))
        + &named(json!({"type": "ping"}));
    for (field, kind, start_of) in
        [("reasoning", "thinking_delta", "thinking"), ("text", "text_delta", "text")]
    {
        if turn[field].as_str().is_none_or(str::is_empty) {
            continue;
        }
        before += &start(index, json!({"type": start_of, start_of: ""}));
        for word in words(&turn[field]) {
            pieces.push(std::mem::take(&mut before) + &delta(index, json!({"type": kind, start_of: word})));
        }
        before = match turn["signature"].as_str().filter(|_| field == "reasoning") {
            Some(signature) => {
                delta(index, json!({"type": "signature_delta", "signature": signature})) + &stop(index)
            }
            None => stop(index),
        };
        index += 1;
    }
    if let Some(sealed) = turn["sealed"].as_str() {
        before += &start(index, json!({"type": "redacted_thinking", "data": sealed}));
        before += &stop(index);
        index += 1;
    }
    for Call { id, name, arguments } in calls {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        pieces.push(std::mem::take(&mut before) + &start(index, block));
        let halves = halves(arguments)
            .map(|half| delta(index, json!({"type": "input_json_delta", "partial_json": half})));
        pieces.extend(halves);
        before = stop(index);
        index += 1;
    }
    let reason = match turn["finish_reason"].as_str() {
        Some("length") => "max_tokens",
        Some("content_filter") => "refusal",
        Some(own) if !COMMON.contains(&own) => own,
        _ if calls.is_empty() => "end_turn",
        _ => "tool_use",
    };
    let usage = json!({"output_tokens": output_tokens(turn)});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage});
    pieces.push(before + &named(end));
    pieces.push(named(json!({"type": "message_stop"})));
    pieces
}

fn gemini_pieces(turn: &Value, calls: &[Call]) -> Vec<String> {
    let response =
        |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]});
    let mut pieces: Vec<String> = words(&turn["reasoning"])
        .map(|it| event("", &response(json!({"text": it, "thought": true}))))
        .collect();
    pieces.extend(words(&turn["text"]).map(|it| event("", &response(json!({"text": it})))));
    for Call { id, name, arguments } in calls {
        let arguments: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
        let call = json!({"id": id, "name": name, "args": arguments});
        pieces.push(event(
            "",
            &response(json!({"functionCall": call, "thoughtSignature": format!("signed-{id}")})),
        ));
    }
    let mut end = response(json!({"text": ""}));
    end["candidates"][0]["finishReason"] = match turn["finish_reason"].as_str() {
        Some("length") => json!("MAX_TOKENS"),
        Some("content_filter") => json!("SAFETY"),
        Some(own) if !COMMON.contains(&own) => json!(own),
        _ => json!("STOP"),
    };
    end["usageMetadata"] = json!({"promptTokenCount": 10, "candidatesTokenCount": output_tokens(turn)});
    pieces.push(event("", &end));
    pieces
}

pub(super) fn event(name: &str, data: &Value) -> String {
    let name = if name.is_empty() { String::new() } else { format!("event: {name}\n") };
    format!("{name}data: {data}\n\n")
}

fn calls(turn: &Value, body: &Value, count: usize) -> Vec<Call> {
    let offered = body["tools"].to_string();
    let scripted = turn["tool_calls"].as_array().map(Vec::as_slice).unwrap_or_default();
    let call = |(index, call): (usize, &Value)| {
        let mut any_of = call["any_of"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let name = any_of.find(|name| offered.contains(&format!("\"name\":\"{name}\"")));
        let name = name.or_else(|| call["name"].as_str()).unwrap_or_default();
        let written = call.get("args").map_or_else(|| "{}".to_owned(), Value::to_string);
        let mut arguments = call["raw_args"].as_str().map_or(written, str::to_owned);
        if turn["fault"]["kind"] == "malformed_json" {
            arguments.pop();
            arguments.push_str(",\"x\":");
        }
        let id = call["id"].as_str().map_or_else(|| format!("call_{count}_{index}"), str::to_owned);
        Call { id, name: name.to_owned(), arguments }
    };
    scripted.iter().enumerate().map(call).collect()
}

/// Cuts text into words, each with the white space before it; the last keeps what follows it.
fn words(text: &Value) -> impl Iterator<Item = String> + use<> {
    let mut words: Vec<String> = Vec::new();
    let text = text.as_str().unwrap_or_default();
    let (text, end) = text.split_at(text.trim_end().len());
    let mut after_word = false;
    for character in text.chars() {
        match words.last_mut() {
            Some(word) if !(after_word && character.is_whitespace()) => word.push(character),
            _ => words.push(character.to_string()),
        }
        after_word = !character.is_whitespace();
    }
    match words.last_mut() {
        Some(word) => word.push_str(end),
        None if end.is_empty() => {}
        None => words.push(end.to_owned()),
    }
    words.into_iter()
}

fn halves(text: &str) -> impl Iterator<Item = &str> {
    let middle = (0..=text.len() / 2).rfind(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (first, second) = text.split_at(middle);
    [first, second].into_iter().filter(|half| !half.is_empty())
}

fn output_tokens(turn: &Value) -> usize {
    words(&turn["text"]).count() + 1
}

pub(super) fn fits(when: &Value, api: Api, body: &Value) -> bool {
    let messages = messages(api, body);
    let last = messages.last().cloned().unwrap_or_default();
    let holds = |name: &str, test: &dyn Fn(&Value) -> bool| when.get(name).is_none_or(test);
    let within = |wanted: &Value, text: &str| text.contains(wanted.as_str().unwrap_or_default());
    let has_tools = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let model = body["model"].as_str().unwrap_or("scripted");
    let api = match api {
        Api::Chat => "chat",
        Api::Anthropic => "anthropic",
        Api::Gemini => "gemini",
    };
    holds("last_role", &|wanted| *wanted == last.0.as_str())
        && holds("contains", &|wanted| within(wanted, &last.1))
        && holds("not_contains", &|unwanted| !within(unwanted, &last.1))
        && holds("anywhere", &|wanted| messages.iter().any(|(_, text)| within(wanted, text)))
        && holds("has_tools", &|wanted| *wanted == json!(has_tools))
        && holds("api", &|wanted| *wanted == api)
        && holds("model", &|wanted| {
            let pattern = regex_lite::Regex::new(wanted.as_str().unwrap_or_default());
            pattern.is_ok_and(|pattern| pattern.is_match(model))
        })
}

/// What the last message says.
pub(super) fn last_text(api: Api, body: &Value) -> String {
    messages(api, body).pop().unwrap_or_default().1
}

/// The conversation as (role, text); the role of a result is `tool` in every format.
fn messages(api: Api, body: &Value) -> Vec<(String, String)> {
    let field = if api == Api::Gemini { "contents" } else { "messages" };
    let message = |message: &Value| {
        let content = if api == Api::Gemini { &message["parts"] } else { &message["content"] };
        let is_result =
            |part: &Value| part["type"] == "tool_result" || part.get("functionResponse").is_some();
        let role = match message["role"].as_str().unwrap_or("user") {
            _ if content.as_array().is_some_and(|parts| parts.iter().any(is_result)) => "tool",
            "model" => "assistant",
            role => role,
        };
        (role.to_owned(), texts(content))
    };
    body[field].as_array().map(|all| all.iter().map(message).collect()).unwrap_or_default()
}

fn texts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(part) => ["text", "content", "functionResponse", "response", "output", "error"]
            .iter()
            .filter_map(|name| part.get(*name))
            .map(texts)
            .collect(),
        _ => String::new(),
    }
}
