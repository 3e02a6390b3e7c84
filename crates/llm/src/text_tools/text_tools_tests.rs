//! Models without tools: what they are asked, and what of their text is a call.

use std::sync::Mutex;

use futures_util::stream::{self, BoxStream, StreamExt};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::TextTools;
use super::reading::CallReader;
use crate::{
    Answer, AnswerText, Error, Event, FinishReason, Message, Model, ModelInfo, Request, ToolCall, ToolSpec,
    collect,
};

/// A server that takes no tools, and answers with the same text.
struct Plain {
    asked: Mutex<Vec<Request>>,
    text: &'static str,
    piece: usize,
}

impl Model for &'static Plain {
    fn info(&self) -> ModelInfo {
        ModelInfo { spec: "plain".to_owned(), language_model: true }
    }

    fn answer(&self, request: Request) -> BoxStream<'static, Result<Event, Error>> {
        let has_tools = !request.tools.is_empty();
        self.asked.lock().unwrap().push(request);
        if has_tools {
            let message = "registry.ollama.ai/library/sim does not support tools".to_owned();
            return stream::iter([Err(Error::BadRequest { provider: "ollama", status: 400, message })])
                .boxed();
        }
        let pieces = self
            .text
            .as_bytes()
            .chunks(self.piece)
            .map(|piece| Ok(Event::Text(String::from_utf8_lossy(piece).into_owned())));
        let pieces: Vec<_> = pieces.chain([Ok(Event::Finish(FinishReason::Stop))]).collect();
        stream::iter(pieces).boxed()
    }
}

fn question() -> Request {
    let spec = ToolSpec {
        name: "write".to_owned(),
        description: "Writes.".to_owned(),
        parameters: json!({"type": "object"}),
        strict: None,
    };
    let call =
        ToolCall { id: "a".to_owned(), name: "write".to_owned(), arguments: "{\"file\":\"x\"}".to_owned() };
    let messages = vec![
        Message::User { content: "Write x.".to_owned(), attachments: Vec::new() },
        Message::Assistant { content: String::new(), tool_calls: vec![call], thoughts: Vec::new() },
        Message::Tool {
            tool_call_id: "a".to_owned(),
            name: "write".to_owned(),
            content: "done".to_owned(),
            is_error: false,
            attachments: Vec::new(),
        },
        Message::User { content: "Now y.".to_owned(), attachments: Vec::new() },
    ];
    Request { system: "Be brief.".to_owned(), messages, tools: vec![spec], ..Request::default() }
}

async fn answered(text: &'static str, piece: usize) -> (Answer, &'static Plain) {
    let plain: &'static Plain = Box::leak(Box::new(Plain { asked: Mutex::default(), text, piece }));
    let model = TextTools::new(plain);
    let first = collect(model.answer(question()), |_| {}).await.unwrap();
    // The second time nobody asks with tools.
    collect(model.answer(question()), |_| {}).await.unwrap();
    assert_eq!(plain.asked.lock().unwrap().len(), 3);
    (first, plain)
}

#[tokio::test]
async fn a_model_without_tools_calls_them_in_text() {
    for piece in [1, 3, 1000] {
        for text in [
            "I will.\nCALL write {\"file\": \"y\"}\n",
            "I will.\nCALL write {\"file\": \"y\"}",
            "I will.\n<tool_call>\n{\"name\": \"write\", \"arguments\": {\"file\": \"y\"}}\n</tool_call>",
        ] {
            let (answer, plain) = answered(text, piece).await;
            assert_eq!((answer.text.trim(), answer.finish), ("I will.", FinishReason::ToolCalls), "{text:?}");
            let call = &answer.tool_calls[0];
            let arguments: Value = serde_json::from_str(&call.arguments).unwrap();
            assert_eq!((call.name.as_str(), arguments), ("write", json!({"file": "y"})));
            let asked = &plain.asked.lock().unwrap()[1];
            assert!(asked.tools.is_empty() && asked.system.contains("- write: Writes."), "{asked:?}");
            let told: Vec<&str> = asked
                .messages
                .iter()
                .map(|message| match message {
                    Message::User { content, .. }
                    | Message::Assistant { content, .. }
                    | Message::Tool { content, .. } => content.as_str(),
                })
                .collect();
            assert_eq!(
                told,
                ["Write x.", "CALL write {\"file\":\"x\"}\n", "Result of write:\ndone\n\nNow y."]
            );
        }
    }
}

#[tokio::test]
async fn what_only_resembles_a_call_is_text() {
    for piece in [1, 5, 1000] {
        for text in [
            "CALL proc(1);\nCALL other {\"a\": 1}\n",
            "CALL write it down\n",
            "<tool_call>\nnothing\n</tool_call>\nmore",
            "He said CALL write {\"a\": 1}\n",
            "CALL",
        ] {
            let (answer, _) = answered(text, piece).await;
            assert_eq!((answer.text.as_str(), answer.finish), (text, FinishReason::Stop));
            assert_eq!(answer.tool_calls, []);
        }
    }
}

const BEGIN: &str = "WritePlanTool_begin";

/// What becomes of an answer that comes in pieces of so many bytes: its text, and its calls.
fn read(text: &str, of: &AnswerText, piece: usize, finish: FinishReason) -> (String, Vec<(String, Value)>) {
    let mut reader = CallReader::new(vec![BEGIN.to_owned(), "read_file".to_owned()], of, 1);
    let characters: Vec<char> = text.chars().collect();
    let mut events = Vec::new();
    for piece in characters.chunks(piece) {
        events.extend(reader.take(Event::Text(piece.iter().collect())));
    }
    events.extend(reader.take(Event::Finish(finish)));
    let (mut text, mut calls) = (String::new(), Vec::new());
    for event in events {
        match event {
            Event::Text(delta) => text.push_str(&delta),
            Event::ToolCallStart { name, .. } => calls.push((name, String::new())),
            Event::ToolCallArguments { delta, .. } => calls.last_mut().unwrap().1.push_str(&delta),
            _ => {}
        }
    }
    let parsed = |(name, arguments): (String, String)| {
        let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
        (name, arguments)
    };
    (text, calls.into_iter().map(parsed).collect())
}

/// The same, however it comes.
fn read_all(text: &str, of: &AnswerText) -> (String, Vec<(String, Value)>) {
    let whole = read(text, of, 100_000, FinishReason::Stop);
    let bare = |(text, calls): (String, Vec<(String, Value)>)| {
        // Blanks around a call are no text.
        if calls.is_empty() { (text, calls) } else { (text.split_whitespace().collect(), calls) }
    };
    for piece in [1, 2, 3, 7, 50] {
        let read = read(text, of, piece, FinishReason::Stop);
        assert_eq!(bare(read), bare(whole.clone()), "in pieces of {piece}: {text}");
    }
    whole
}

/// The forms of templates, of protocols and of models that have seen many of both.
#[test]
fn calls_are_understood_in_the_forms_of_many_models() {
    let arguments = json!({"target_file": "notes/a.md", "operation": "create"});
    let object = arguments.to_string();
    let named = |name: &str, inner: &str| format!("{{\"{name}\": \"{BEGIN}\", \"{inner}\": {object}}}");
    let usual = named("name", "arguments");
    let pretty = serde_json::to_string_pretty(&json!({"name": BEGIN, "arguments": arguments})).unwrap();
    let forms = [
        format!("CALL {BEGIN} {object}"),
        format!("CALL: {BEGIN} {object}"),
        format!("**CALL** {BEGIN} {object}"),
        format!("`CALL {BEGIN} {object}`"),
        format!("> CALL {BEGIN} {object}"),
        format!("CALL {BEGIN}({object})"),
        format!("CALL {BEGIN} {}", serde_json::to_string_pretty(&arguments).unwrap()),
        format!("CALL {BEGIN} {{'target_file': 'notes/a.md', 'operation': 'create',}}"),
        format!("```\nCALL {BEGIN} {object}\n```"),
        format!("<tool_call>\n{usual}\n</tool_call>"),
        format!("<tool_call>{usual}"),
        format!("<tool_call>\n```json\n{usual}\n```\n</tool_call>"),
        format!(
            "<tool_call>\n<function={BEGIN}>\n<parameter=target_file>\nnotes/a.md\n</parameter>\n<parameter=operation>\ncreate\n</parameter>\n</function>\n</tool_call>"
        ),
        format!(
            "<tool_call>{BEGIN}\n<arg_key>target_file</arg_key>\n<arg_value>notes/a.md</arg_value>\n<arg_key>operation</arg_key>\n<arg_value>create</arg_value>\n</tool_call>"
        ),
        format!(
            "<function_calls>\n<invoke name=\"{BEGIN}\">\n<parameter name=\"target_file\">notes/a.md</parameter>\n<parameter name=\"operation\">create</parameter>\n</invoke>\n</function_calls>"
        ),
        format!(
            "<{BEGIN}>\n<target_file>notes/a.md</target_file>\n<operation>create</operation>\n</{BEGIN}>"
        ),
        format!("<function={BEGIN}>{object}</function>"),
        format!("<function_call>{usual}</function_call>"),
        format!("<tools>{usual}</tools>"),
        format!("<|python_tag|>{}", named("name", "parameters")),
        format!("<|tool_call|>[{usual}]<|/tool_call|>"),
        format!("[TOOL_CALLS][{usual}]"),
        format!("[TOOL_CALLS]{BEGIN}[ARGS]{object}"),
        format!(
            "<|tool_calls_section_begin|><|tool_call_begin|>functions.{BEGIN}:0<|tool_call_argument_begin|>{object}<|tool_call_end|><|tool_calls_section_end|>"
        ),
        format!(
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>{BEGIN}\n```json\n{object}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
        ),
        format!("```json\n{usual}\n```"),
        format!("```json\n{pretty}\n```\n"),
        format!("```tool_call\n{usual}\n```"),
        format!("```tool_code\nprint({BEGIN}(target_file=\"notes/a.md\", operation=\"create\"))\n```"),
        format!("```python\n{BEGIN}(target_file='notes/a.md', operation='create')\n```"),
        format!("{BEGIN}(target_file=\"notes/a.md\", operation=\"create\")"),
        usual.clone(),
        pretty,
        named("name", "parameters"),
        named("tool", "args"),
        named("tool_name", "input"),
        named("action", "action_input"),
        format!("{{\"type\": \"function\", \"name\": \"{BEGIN}\", \"parameters\": {object}}}"),
        format!("{{\"type\": \"function\", \"function\": {usual}}}"),
        format!("{{\"tool_calls\": [{usual}]}}"),
        format!("{{\"{BEGIN}\": {object}}}"),
        json!({"name": BEGIN, "arguments": object}).to_string(),
        format!("Action: {BEGIN}\nAction Input: {object}"),
    ];
    for form in forms {
        for before in ["", "I will write it.\n", "Sure — here is the call:\n\n"] {
            for after in ["", "\n", "\n\n"] {
                let (text, calls) = read_all(&format!("{before}{form}{after}"), &AnswerText::Words);
                assert_eq!(calls, [(BEGIN.to_owned(), arguments.clone())], "{before}{form}{after}");
                assert_eq!(text.trim(), before.trim(), "{form}");
            }
        }
    }
}

#[test]
fn several_calls_may_be_printed() {
    let call = |file: &str| format!("{{\"name\": \"read_file\", \"arguments\": {{\"path\": \"{file}\"}}}}");
    let (a, b) = (call("a"), call("b"));
    for text in [
        "CALL read_file {\"path\": \"a\"}\nCALL read_file {\"path\": \"b\"}\n".to_owned(),
        format!("<tool_call>{a}</tool_call>\n<tool_call>{b}</tool_call>"),
        format!("<tool_call>{a}</tool_call><tool_call>{b}</tool_call>"),
        format!("<tool_calls>\n<tool_call>{a}</tool_call>\n<tool_call>{b}</tool_call>\n</tool_calls>"),
        format!("<tool_call>\n{a}\n{b}\n</tool_call>"),
        format!("[TOOL_CALLS][{a}, {b}]"),
        format!("```json\n[{a}, {b}]\n```"),
        format!("```json\n{a}\n{b}\n```"),
        format!("{a}; {b}"),
        format!("{a}\n{b}\n"),
        format!("First the one: <tool_call>{a}</tool_call> and then <tool_call>{b}</tool_call>"),
    ] {
        let (_, calls) = read_all(&text, &AnswerText::Words);
        let paths: Vec<&Value> = calls.iter().map(|(_, arguments)| &arguments["path"]).collect();
        assert_eq!(paths, ["a", "b"], "{text}");
    }
}

/// Words about calls, code, and what a person asked to be shown.
#[test]
fn other_text_stays_as_it_is() {
    let call = format!("{{\"name\": \"{BEGIN}\", \"arguments\": {{}}}}");
    for text in [
        "The call is <tool_call> and then JSON.\n".to_owned(),
        format!("A call looks like this:\n```json\n{call}\n```\nIt begins a file.\n"),
        format!("{call}\nis what I would send.\n"),
        "{\"name\": \"Ann\", \"arguments\": {\"a\": 1}}".to_owned(),
        "{\"name\": \"other_tool\", \"arguments\": {}}".to_owned(),
        "```json\n{\"a\": 1}\n```\n".to_owned(),
        "```sh\nCALL read_file {\"path\": \"a\"}\necho done\n```\n".to_owned(),
        "```python\nread_file(path)\n```\n".to_owned(),
        "read_file(path=\"a\") reads a file.\n".to_owned(),
        "[a link](https://example.org) and [1] and [ ] a box\n- [x] done\n".to_owned(),
        "a < b and b > c; Vec<String> and <b>bold</b> and <tool>\n".to_owned(),
        "Action: I will read the file.\nAction Input: none\n".to_owned(),
        "Callers call.\nCALL\nCALLED\nCALL nobody {}\n".to_owned(),
        "* a\n** b\n> c\n`d`\n``e``\n```f```\n````\n```\n````\n".to_owned(),
        "<|im_start|> and <｜begin｜> and [INST] and [TOOL\n".to_owned(),
        "{".to_owned(),
        "[[[[{".to_owned(),
        "<tool_call>".to_owned(),
        "Umlaut ä, 漢字, 😀\r\n\r\n\t{\n".to_owned(),
    ] {
        let (read, calls) = read_all(&text, &AnswerText::Words);
        assert_eq!((read.as_str(), calls.len()), (text.as_str(), 0), "{text}");
    }
}

/// A file about calls is written as it is; only behind its end is a call one.
#[test]
fn nothing_in_the_content_of_a_file_is_a_call() {
    let content =
        AnswerText::Content { ends: vec!["END-ABC".to_owned(), "DONE".to_owned()], calls: Vec::new() };
    let call = "CALL read_file {\"path\": \"a\"}";
    let tagged = "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    for text in [
        format!(
            "# How it calls\n\n{call}\n\n{tagged}\n```json\n{{\"name\": \"read_file\", \"arguments\": {{}}}}\n```\nEND-ABC\n"
        ),
        format!("{call}\n"),
        tagged.to_owned(),
        format!("DONE\n{call}\nmore\n{tagged}\nEND-ABC\n"),
        format!("DONE\nnot yet\n{call}\n"),
        format!("aDONE\n{call}"),
        format!("{}DONE\n{call}", "x".repeat(200)),
    ] {
        let (read, calls) = read_all(&text, &content);
        assert_eq!((read.as_str(), calls.len()), (text.as_str(), 0), "{text}");
    }
    for end in ["END-ABC", "DONE", "DONE  "] {
        for call in [call, tagged] {
            let (read, calls) = read_all(&format!("text\n{end}\n\n{call}\n"), &content);
            assert_eq!(
                (read.trim_end(), calls.len()),
                (format!("text\n{end}").trim_end(), 1),
                "{end} {call}"
            );
        }
    }
}

/// Where errors are to be mended, a patch may be begun in the place of the content, also behind a few words.
#[test]
fn a_patch_may_be_begun_in_the_place_of_content() {
    let content = AnswerText::Content { ends: vec!["DONE".to_owned()], calls: vec![BEGIN.to_owned()] };
    let call = format!("CALL {BEGIN} {{\"operation\": \"patch\"}}\n");
    for before in ["", "I see the mistake. I patch the line:\n\n"] {
        let (read, calls) = read_all(&format!("{before}{call}"), &content);
        assert_eq!((read.trim(), calls.len()), ("", 1), "{before}");
    }
    let other = "CALL read_file {\"path\": \"a\"}\ntext\nDONE\n";
    let long = format!("{}\n{call}", "words ".repeat(200));
    for text in [other, "a short file\nDONE\n", "{\"name\": 1}", &long] {
        let (read, calls) = read_all(text, &content);
        assert_eq!((read.as_str(), calls.len()), (text, 0), "{text}");
    }
}

#[test]
fn a_call_that_is_cut_is_a_call_that_is_cut() {
    for text in [
        format!("I write.\nCALL {BEGIN} {{\"target_file\": \"a.m"),
        format!("<tool_call>\n{{\"name\": \"{BEGIN}\", \"arguments\": {{\"target_file\": \"a.m"),
    ] {
        let (_, calls) = read(&text, &AnswerText::Words, 3, FinishReason::Length);
        assert_eq!(calls, [(BEGIN.to_owned(), json!("{\"target_file\": \"a.m"))], "{text}");
        let (read, calls) = read(&text, &AnswerText::Words, 3, FinishReason::Stop);
        assert_eq!((read, calls), (text, Vec::new()));
    }
}

/// What a model prints without end is text, and reading it takes time that grows with it and no faster.
#[test]
fn what_never_ends_is_text() {
    for start in [
        "CALL read_file {\"path\": \"",
        "<tool_call>{\"name\": \"read_file\", \"arguments\": {\"a\": [",
        "```json\n[{\"name\": \"read_file\", \"arguments\": {\"a\": [",
    ] {
        let text = format!("{start}{}", "1,\n".repeat(60_000));
        let (read, calls) = read(&text, &AnswerText::Words, 64, FinishReason::Stop);
        assert!(read == text && calls.is_empty(), "{start}");
    }
}

proptest! {
    /// Nothing of a text is lost or changed when there is no call in it.
    #[test]
    fn text_without_calls_is_passed_on(
        parts in proptest::collection::vec(prop_oneof![
            Just("CALL "), Just("read_file"), Just("{"), Just("}"), Just("\""), Just("name"), Just(": "), Just("<tool_call>"),
            Just("</tool_call>"), Just("```"), Just("json"), Just("\n"), Just("["), Just("]"), Just("("), Just(")"), Just("<|"), Just("|>"),
            Just("DONE\n"), Just("é"), Just(" "), Just("Action: "), Just("<function="), Just("parameters"),
        ], 0..40),
        piece in 1_usize..9,
    ) {
        let text: String = parts.concat();
        let (all, calls) = read(&text, &AnswerText::Words, piece, FinishReason::Stop);
        prop_assert!(!calls.is_empty() || all == text, "{text:?} became {all:?}");
        let content = AnswerText::Content { ends: vec!["DONE".to_owned()], calls: Vec::new() };
        let (all, calls) = read(&text, &content, piece, FinishReason::Stop);
        prop_assert!(!calls.is_empty() || all == text, "{text:?} became {all:?}");
    }
}
