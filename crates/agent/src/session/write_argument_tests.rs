//! Content that comes as an argument: into the same spool, and gone on with as text when it is cut.

use engross_llm::{Event, FinishReason, Message};
use serde_json::json;

use super::AnswerFinish;
use super::service_support::{Pieces, done};
use super::write_support::{TestBench, again, bye, whole};

/// A call of a tool whose arguments come in pieces of so many bytes, up to `length` of them.
fn call(name: &str, arguments: &str, length: usize, piece: usize, finish: FinishReason) -> Pieces {
    let mut pieces: Pieces =
        vec![Ok(Event::ToolCallStart { index: 0, id: "call_1".to_owned(), name: name.to_owned() })];
    let mut rest = &arguments[..arguments.floor_char_boundary(length.min(arguments.len()))];
    while !rest.is_empty() {
        let (now, later) = rest.split_at(rest.ceil_char_boundary(piece.min(rest.len())));
        pieces.push(Ok(Event::ToolCallArguments { index: 0, delta: now.to_owned() }));
        rest = later;
    }
    pieces.push(Ok(Event::Finish(finish)));
    pieces
}

fn write_file(arguments: &str, length: usize, piece: usize, finish: FinishReason) -> Pieces {
    call("write_file", arguments, length, piece, finish)
}

fn content() -> String {
    (0..2000).map(|line| format!("Line {line}: \"quoted\" \\ back, ünï 漢 😀\n")).collect()
}

fn arguments(content: &str) -> String {
    json!({"content": content, "operation": "create", "target_file": "a.md"}).to_string()
}

#[tokio::test]
async fn a_whole_call_is_a_whole_file_and_the_conversation_keeps_a_stub() {
    let content = format!("{}DONE\nand more\n", content());
    for first in ["content", "operation"] {
        let arguments = match first {
            "content" => arguments(&content),
            _ => format!(r#"{{"operation":"create","target_file":"a.md","content":{}}}"#, json!(content)),
        };
        for piece in [1, 1000] {
            let call = write_file(&arguments, usize::MAX, piece, FinishReason::ToolCalls);
            let desk = TestBench::with_content_tools([call, bye()]);
            let heard = desk.say("write").await;
            assert_eq!(heard.end, done(AnswerFinish::Stop));
            assert_eq!(desk.file("a.md").unwrap(), content);
            let messages = desk.messages(&heard).await;
            let Message::Assistant { tool_calls, .. } = &messages[1] else { panic!("{messages:?}") };
            let stub: serde_json::Value = serde_json::from_str(&tool_calls[0].arguments).unwrap();
            assert_eq!(
                (stub["target_file"].as_str(), stub["content_bytes"].as_u64()),
                (Some("a.md"), Some(content.len() as u64))
            );
            assert_eq!(stub["content"], serde_json::Value::Null);
        }
    }
}

#[tokio::test]
async fn a_call_that_is_cut_in_its_content_is_gone_on_with_as_text() {
    let content = content();
    let whole_file = format!(r#"{{"operation":"create","target_file":"a.md","content":{}}}"#, json!(content));
    let whole_text = json!({ "input": format!("create a.md\n{content}") }).to_string();
    let cuts =
        [(whole_file, 0), (whole_text, "create a.md\n".len())].into_iter().flat_map(|(arguments, head)| {
            let length = arguments.len();
            [100, length / 2, length / 2 + 1, length - 3].map(|cut| (arguments.clone(), head, cut))
        });
    for (arguments, head, cut) in cuts {
        let (name, field) = if head == 0 { ("write_file", "content") } else { ("write_text", "input") };
        let call = call(name, &arguments, cut, 17, FinishReason::Length);
        let desk = TestBench::with_content_tools([call]);
        // What has come is known by its bytes; the rest comes as text.
        let so_far = {
            let mut scanner =
                engross_write::json_field::FieldScanner::new(field, &["target_file", "operation"]);
            let mut so_far = Vec::new();
            let sent = &arguments[..arguments.floor_char_boundary(cut)];
            scanner.push(sent.as_bytes(), &mut |span| so_far.extend_from_slice(span)).unwrap();
            so_far.len() - head
        };
        let rest = format!("{}END", again(&content, so_far));
        let answers = desk.model.clone();
        let marker = move || {
            let asked = answers.asked();
            let text = serde_json::to_string(asked.last().unwrap()).unwrap();
            let at = text.find("END-").unwrap_or_else(|| panic!("{text}"));
            text[at..at + 20].to_owned()
        };
        let writing = desk.say("write");
        let answering = async {
            while desk.model.asked().len() < 2 {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
            assert_eq!(desk.file("a.md"), None);
            marker()
        };
        // The model that has nothing to say never answers: it is stopped, and told anew.
        tokio::select! {
            _ = writing => panic!("nobody has said the rest"),
            marker = answering => {
                let key = super::SessionName::Named("doc".to_owned());
                desk.sessions.cancel("", &key).await.unwrap();
                let id = desk.writes.sessions().list()[0].id;
                let resumed = super::write_support::begin_with("call_2", &json!({"session_id": id.to_string()}));
                let rest = format!("{}{marker}\n", &rest[..rest.len() - 3]);
                desk.model.answers.lock().unwrap().extend([resumed, whole(&rest), bye()]);
                assert_eq!(desk.say("go on").await.end, done(AnswerFinish::Stop));
                assert_eq!(desk.file("a.md").unwrap(), content, "{name} cut at {cut}");
            }
        }
    }
}

#[tokio::test]
async fn arguments_without_content_are_refused_with_a_code() {
    for (sent, code) in [
        (r#"{"operation":"create","target_file":"a.md","cont"#, "CONTENT_MISSING_TRUNCATED"),
        (r#"{"operation":"patch","target_file":"a.md","content":"x"}"#, "INVALID_OPERATION"),
        (r#"{"operation":"create","target_file":"../a.md","content":"x"}"#, "PATH_OUTSIDE_ROOT"),
        (r#"["a.md"]"#, "ARGS_INVALID"),
    ] {
        let call = write_file(sent, usize::MAX, 3, FinishReason::ToolCalls);
        let desk = TestBench::with_content_tools([call, bye()]);
        let heard = desk.say("write").await;
        let (result, is_error) = desk.result(&heard, "call_1").await;
        assert_eq!((result["error"]["code"].as_str(), is_error), (Some(code), true), "{sent}");
    }
}

#[tokio::test]
async fn without_the_setting_there_is_no_such_tool() {
    let call = write_file(&arguments("x"), usize::MAX, 3, FinishReason::ToolCalls);
    let desk = TestBench::new([call, bye()]);
    let heard = desk.say("write").await;
    let (result, _) = desk.result(&heard, "call_1").await;
    assert!(result.as_str().unwrap().contains("There is no tool 'write_file'"), "{result}");
    assert_eq!(desk.file("a.md"), None);
}

/// A call of `write_text` as the providers' part of the program gives it, which has the text as an argument.
fn write_text(text: &str, length: usize, piece: usize, finish: FinishReason) -> Pieces {
    let arguments = json!({ "input": text }).to_string();
    call("write_text", &arguments, length, piece, finish)
}

#[tokio::test]
async fn free_text_is_a_file_behind_its_first_line() {
    let content = format!("{}DONE\nand more\n", content());
    for piece in [1, 1000] {
        let text = format!("create notes/a.md\n{content}");
        let call = write_text(&text, usize::MAX, piece, FinishReason::ToolCalls);
        let desk = TestBench::with_content_tools([call, bye()]);
        let heard = desk.say("write").await;
        assert_eq!(heard.end, done(AnswerFinish::Stop));
        assert_eq!(desk.file("notes/a.md").unwrap(), content);
        let messages = desk.messages(&heard).await;
        let Message::Assistant { tool_calls, .. } = &messages[1] else { panic!("{messages:?}") };
        let stub: serde_json::Value = serde_json::from_str(&tool_calls[0].arguments).unwrap();
        let stub = stub["input"].as_str().unwrap();
        let told = format!("create notes/a.md\n({} bytes of content with the SHA-256 ", content.len());
        assert!(stub.starts_with(&told) && stub.len() < 200, "{stub}");
    }
}

#[tokio::test]
async fn free_text_without_a_file_is_refused_with_a_code() {
    for (text, code) in [
        ("", "INVALID_OPERATION"),
        ("create", "TARGET_REQUIRED"),
        ("create \nx", "TARGET_REQUIRED"),
        ("move a.md\nx", "INVALID_OPERATION"),
        ("patch a.md\nx", "INVALID_OPERATION"),
        ("create ../a.md\nx", "PATH_OUTSIDE_ROOT"),
    ] {
        let desk =
            TestBench::with_content_tools([write_text(text, usize::MAX, 3, FinishReason::ToolCalls), bye()]);
        let heard = desk.say("write").await;
        let (result, is_error) = desk.result(&heard, "call_1").await;
        assert_eq!((result["error"]["code"].as_str(), is_error), (Some(code), true), "{text:?}: {result}");
        assert_eq!(desk.file("a.md"), None);
    }
}
