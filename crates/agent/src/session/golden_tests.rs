//! The names that a session's log and snapshot are stored under. A line here was written by 0.1.0 and stays readable; a type
//! may be renamed, what it is stored as may not.

use engross_llm::{Message, ToolCall, ToolSpec};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::idempotency::KeyClaim;
use super::log::LogEvent;
use super::names::name_of;
use super::record::SessionSnapshot;
use super::request::{ClientTool, ClientToolChoice, Parameters, SessionName, TurnRequest};
use super::state::SessionState;

/// One of each entry: its kind in the store, and its body with every field and every word that a field can have.
const ENTRIES: &[(&str, &str)] = &[
    ("opened", r#"{"event":"opened","key":"agent:main:a"}"#),
    (
        "accepted",
        r#"{"event":"accepted","turn":1,"sent_from":0,"parameters":{"tool_choice":"auto"},"background":false}"#,
    ),
    (
        "accepted",
        r#"{"event":"accepted","turn":2,"keep":3,"messages":[{"role":"user","content":"q"},
        {"role":"assistant","content":"","tool_calls":[{"id":"c1","name":"look","arguments":"{}"}]},
        {"role":"tool","tool_call_id":"c1","name":"look","content":"r","is_error":true},
        {"role":"assistant","content":"a"}],
        "sent_from":1,"system":"s","tools":[{"name":"look","description":"d","parameters":{"type":"object"},"read_only":true}],
        "parameters":{"model":"engross/slow","max_output_tokens":9,"temperature":0.5,"tool_choice":{"named":"look"},
        "write_content":true},"background":true,"workspace":"w","retake":true}"#,
    ),
    (
        "accepted",
        r#"{"event":"accepted","turn":1,"sent_from":0,"parameters":{"tool_choice":"none"},"background":false}"#,
    ),
    (
        "accepted",
        r#"{"event":"accepted","turn":1,"sent_from":0,"parameters":{"tool_choice":"required"},"background":false}"#,
    ),
    ("answered", r#"{"event":"answered","text":"t"}"#),
    (
        "answered",
        r#"{"event":"answered","text":"","calls":[{"id":"1","name":"a","arguments":"{}","side":"client"},
        {"id":"2","name":"b","arguments":"{}","side":"server"},{"id":"3","name":"c","arguments":"{}","side":"nobody"}],
        "usage":{"input_tokens":1,"output_tokens":2},"cut":"length","model":"script:s"}"#,
    ),
    ("answered", r#"{"event":"answered","text":"t","cut":"content_filter"}"#),
    ("streamed", r#"{"event":"streamed","text":"t","from":4}"#),
    ("began", r#"{"event":"began","id":"1"}"#),
    ("resulted", r#"{"event":"resulted","id":"1","content":"r","is_error":false,"from":"client"}"#),
    (
        "resulted",
        r#"{"event":"resulted","id":"1","content":"r","is_error":true,"from":"server","details":{"a":1},
        "seen":[{"file":"a.docx","revision":"r1"}],"opens":{"id":"WRITE","file":"a.md"}}"#,
    ),
    ("resulted", r#"{"event":"resulted","id":"1","content":"r","is_error":true,"from":"session"}"#),
    (
        "wrote",
        r#"{"event":"wrote","id":"WRITE","standing":"goes_on","bytes":5,"lines":1,"part":5,"part_sha256":"h","say":"more",
        "code":"C","usage":{"input_tokens":1,"output_tokens":2},"model":"m"}"#,
    ),
    (
        "wrote",
        r#"{"event":"wrote","id":"WRITE","standing":"written","bytes":5,"lines":1,"part":5,"say":"done"}"#,
    ),
    (
        "wrote",
        r#"{"event":"wrote","id":"WRITE","standing":"left","bytes":5,"lines":1,"part":0,"say":"left"}"#,
    ),
    (
        "wrote",
        r#"{"event":"wrote","id":"WRITE","standing":"failed","bytes":0,"lines":0,"part":0,"say":"no","code":"C"}"#,
    ),
    ("configured", r#"{"event":"configured"}"#),
    (
        "configured",
        r#"{"event":"configured","model":"m","author":"A","redlines":true,"system_prompt":"p","history_turns":3,"history_tokens":900,
        "history_summary":true,"max_rounds":4}"#,
    ),
    (
        "summarised",
        r#"{"event":"summarised","until":4,"text":"s","usage":{"input_tokens":1,"output_tokens":2}}"#,
    ),
    ("summarised", r#"{"event":"summarised","until":4,"text":"s"}"#),
    ("suspended", r#"{"event":"suspended","deadline":1750000000000}"#),
    ("ended", r#"{"event":"ended","kind":{"whole":"stop"}}"#),
    ("ended", r#"{"event":"ended","kind":{"whole":"tool_calls"}}"#),
    ("ended", r#"{"event":"ended","kind":"stopped","code":"C","message":"m"}"#),
    ("ended", r#"{"event":"ended","kind":"failed","code":"C","message":"m","retry_after":3}"#),
    ("ended", r#"{"event":"ended","kind":"cancelled","code":"TURN_CANCELLED","message":"m"}"#),
    ("noted", r#"{"event":"noted","code":"C","message":"m"}"#),
];

const SNAPSHOTS: &[&str] = &[
    r#"{"version":3,"session":{"key":"k","messages":[],"turns":0,"tools":[],"turn":null,"settings":{},"workspace":null,"seen":{}}}"#,
    r#"{"version":3,"session":{"key":"k","messages":[{"role":"user","content":"q"}],"turns":1,"tools":[],"turn":{"number":1,
    "phase":{"suspended":{"deadline":5}},"calls":[{"call":{"id":"1","name":"a","arguments":"{}"},"side":"client","began":true,
    "result":["r",false]}],"asked":1,"client_rounds":2,"start":0,"sent_from":0,"system":"s",
    "parameters":{"tool_choice":"auto"},"background":true,"writing":{"id":"WRITE","file":"a.md","call":"1","rounds":1,
    "bytes":2,"lines":3,"asked":["stub","more"]}},"settings":{"author":"A"},"workspace":"w","seen":{"a.docx":"r1"},
    "left":{"b.md":"WRITE"}}}"#,
    r#"{"version":3,"session":{"key":"k","messages":[],"turns":0,"tools":[],"turn":null,"settings":{},"workspace":null,"seen":{},
    "summary":{"until":2,"text":"s"}}}"#,
    r#"{"version":3,"session":{"key":"k","messages":[],"turns":1,"tools":[],"turn":{"number":1,"phase":"asking","calls":[],
    "asked":0,"client_rounds":0,"start":0,"sent_from":0,"system":null,"parameters":{"tool_choice":"auto"},"background":false},
    "settings":{},"workspace":null,"seen":{}}}"#,
    r#"{"version":3,"session":{"key":"k","messages":[],"turns":1,"tools":[],"turn":{"number":1,"phase":"calling","calls":[],
    "asked":0,"client_rounds":0,"start":0,"sent_from":0,"system":null,"parameters":{"tool_choice":"auto"},"background":false},
    "settings":{},"workspace":null,"seen":{}}}"#,
];

fn read_and_written<T: Serialize + DeserializeOwned>(golden: &str) -> T {
    let golden = golden.replace("WRITE", WRITE);
    let value: T = serde_json::from_str(&golden).unwrap_or_else(|error| panic!("{error}: {golden}"));
    let expected: Value = serde_json::from_str(&golden).unwrap();
    assert_eq!(serde_json::to_value(&value).unwrap(), expected);
    value
}

/// The id of a write session.
const WRITE: &str = "wri_00000000000000000000000000000001";

#[test]
fn entries_keep_the_names_they_are_stored_under() {
    for (kind, golden) in ENTRIES {
        let event: LogEvent = read_and_written(golden);
        assert_eq!(event.kind(), *kind, "{golden}");
    }
}

#[test]
fn snapshots_keep_the_names_they_are_stored_under() {
    for golden in SNAPSHOTS {
        let stored: SessionSnapshot<SessionState> = read_and_written(golden);
        assert_eq!(stored.version, 3, "another version: sessions would be read from their logs");
    }
}

#[test]
fn sessions_keep_the_names_they_are_found_by() {
    let name = |principal, key| name_of(principal, &key).unwrap().0.as_str().to_owned();
    assert_eq!(name("p", SessionName::Named("k".to_owned())), "key\u{1}p\u{1}k");
    assert_eq!(name("", SessionName::User("u".to_owned())), "key\u{1}\u{1}agent:main:openai-user:u");
}

/// The digest is made of Rust's own names for a request. It is stored, so a repeated request must have the same one for ever.
#[test]
fn an_idempotency_key_stands_for_the_same_request_as_before() {
    let small = TurnRequest {
        principal: "p".to_owned(),
        idempotency_key: Some("i".to_owned()),
        messages: vec![Message::User { content: "q".to_owned(), attachments: Vec::new() }],
        ..TurnRequest::default()
    };
    let call = ToolCall { id: "1".to_owned(), name: "look".to_owned(), arguments: "{}".to_owned() };
    let spec = ToolSpec {
        name: "look".to_owned(),
        description: "d".to_owned(),
        parameters: json!({"type": "object", "a": [1, 2.5, true, null, "x"]}),
        strict: None,
    };
    let large = TurnRequest {
        key: Some(SessionName::Named("k".to_owned())),
        system: Some("s".to_owned()),
        messages: vec![
            Message::User { content: "q\n".to_owned(), attachments: Vec::new() },
            Message::Assistant { content: String::new(), tool_calls: vec![call], thoughts: Vec::new() },
            Message::Tool {
                tool_call_id: "1".to_owned(),
                name: "look".to_owned(),
                content: "r".to_owned(),
                is_error: true,
                attachments: Vec::new(),
            },
        ],
        tools: Some(vec![ClientTool { spec, read_only: true, idempotent: false }]),
        parameters: Parameters {
            options: engross_llm::AnswerOptions::default(),
            model: Some("m".to_owned()),
            max_output_tokens: Some(9),
            temperature: Some(0.5),
            tool_choice: ClientToolChoice::Named("look".to_owned()),
            write_content: true,
        },
        ..small.clone()
    };
    let user = TurnRequest { key: Some(SessionName::User("u".to_owned())), ..small.clone() };
    let choice = |tool_choice| TurnRequest {
        parameters: Parameters { tool_choice, ..Parameters::default() },
        ..small.clone()
    };
    let (none, required) = (choice(ClientToolChoice::None), choice(ClientToolChoice::Required));
    let digests = [small, large, user, none, required].map(|request| {
        let (name, value) = KeyClaim::of(&request).unwrap().unwrap().name(7);
        assert_eq!(name.as_str(), "once\u{1}p\u{1}i");
        let value: Value = serde_json::from_slice(&value).unwrap();
        assert_eq!(value["answer"], json!(7));
        value["digest"].as_str().unwrap().to_owned()
    });
    assert_eq!(
        digests,
        [
            "99156de75a07ba4a6228d26875a009016ccb1a812840b77eda7608cc435dec85",
            "eea2947256b0b9fecb5110bda5ad104e5f71340366f43e3d5db100be6a623d64",
            "74fef1906a30a9bfee7b1037000c89276434f6ebe68fbdf1ce77468322aad1a1",
            "156ac26cee8c933733abdb4f01de11dc13b88e9dc4e817ed751305ae851b942a",
            "f2b1408c8e7e64f42a1f49c3b9b81c6ecfb279bd44b418ded8dbac4f7dee9f57",
        ]
    );
}
