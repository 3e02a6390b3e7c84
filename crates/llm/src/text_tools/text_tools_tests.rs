//! Models without tools: what they are asked, and what of their text is a call.

use std::sync::Mutex;

use futures_util::stream::{self, BoxStream, StreamExt};
use serde_json::json;

use super::TextTools;
use crate::{
    Answer, Error, Event, FinishReason, Message, Model, ModelInfo, Request, ToolCall, ToolSpec, collect,
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
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).unwrap();
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
