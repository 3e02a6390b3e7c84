//! Answers as chat completions: exact bytes, and that stream, body and resumed stream say the same.

use engross_agent::session::{AnswerFinish, TurnEvent};
use engross_llm::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Notice;
use super::answer::{AnswerShape, EventId, Head, Item, Place, Whole, place_of_response};
use super::chat_answer::{ChatStream, chat_body};
use super::samples::{ReceivedAnswer, answers, call, encode, events, head, hear, place_of, reading};
use crate::testing::fake::place;

/// What a client of the OpenAI API keeps of a stream: a body.
fn reassemble(heard: &[ReceivedAnswer]) -> Value {
    let first = &heard.first().unwrap().data;
    let (mut content, mut calls) = (String::new(), Vec::<Value>::new());
    let (mut finish, mut usage, mut about, mut thoughts) = (Value::Null, None, Value::Null, None);
    for ReceivedAnswer { data, .. } in heard {
        for field in ["id", "created", "model"] {
            assert_eq!(data[field], first[field]);
        }
        assert_eq!(data["object"], "chat.completion.chunk");
        assert_eq!(data["engross"]["turn"], first["engross"]["turn"]);
        let Some(choice) = data["choices"].get(0) else {
            usage = Some(data["usage"].clone());
            continue;
        };
        let delta = &choice["delta"];
        content += delta["content"].as_str().unwrap_or_default();
        if let Some(details) = delta.get("reasoning_details") {
            // A message has the last one.
            thoughts = Some(details.clone());
        }
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(piece["index"].as_u64().unwrap()).unwrap();
            if index == calls.len() {
                calls.push(json!({"id": piece["id"], "type": piece["type"], "function": piece["function"]}));
                continue;
            }
            let arguments = calls[index]["function"]["arguments"].as_str().unwrap().to_owned();
            calls[index]["function"]["arguments"] =
                json!(arguments + piece["function"]["arguments"].as_str().unwrap());
        }
        if !choice["finish_reason"].is_null() {
            assert!(finish.is_null(), "two ends");
            finish = choice["finish_reason"].clone();
            about = data["engross"].clone();
        }
    }
    let mut message = json!({"role": "assistant", "content": content});
    if let Some(thoughts) = thoughts {
        message["reasoning_details"] = thoughts;
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let mut body = json!({
        "id": first["id"], "object": "chat.completion", "created": first["created"], "model": first["model"],
        "engross": about,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    });
    if let Some(usage) = usage {
        body["usage"] = usage;
    }
    body
}

fn body_of(whole: &Whole) -> Value {
    serde_json::from_slice(&chat_body(&head(), whole).take()).unwrap()
}

fn wanted(behind: Option<Place>) -> AnswerShape {
    AnswerShape { usage: true, events: false, behind }
}

#[test]
fn a_body_has_the_shape_of_the_api() {
    let whole = Whole {
        items: vec![
            Item::Text("Let me \"see\".".to_owned()),
            Item::Call(call("call_1", "read_document", r#"{"path":"x"}"#)),
            Item::Call(call("call_2", "list", "")),
        ],
        notices: vec![Notice::new("PARAMETER_IGNORED", "`n` has no effect here.")],
        end: Some((AnswerFinish::ToolCalls, Some(Usage { input_tokens: 10, output_tokens: 4 }))),
        ..Whole::default()
    };
    assert_eq!(
        String::from_utf8(chat_body(&head(), &whole).take().to_vec()).unwrap(),
        concat!(
            r#"{"id":"chatcmpl-ses_00000000000000000000000000000007-12","object":"chat.completion","created":1795293365,"#,
            r#""model":"gpt \"4\"","engross":{"turn":3,"warnings":[{"code":"PARAMETER_IGNORED","message":"`n` has no effect here."}]},"#,
            r#""choices":[{"index":0,"message":{"role":"assistant","content":"Let me \"see\".","tool_calls":["#,
            r#"{"id":"call_1","type":"function","function":{"name":"read_document","arguments":"{\"path\":\"x\"}"}},"#,
            r#"{"id":"call_2","type":"function","function":{"name":"list","arguments":""}}]},"finish_reason":"tool_calls"}],"#,
            r#""usage":{"prompt_tokens":10,"completion_tokens":4,"total_tokens":14}}"#,
        )
    );
}

#[test]
fn a_stream_has_the_shape_of_the_api() {
    let short = Head { session: head().session, answer: 2, turn: 1, model: "m".to_owned(), created: 5 };
    let usage = Some(Usage { input_tokens: 1, output_tokens: 2 });
    let told = place(vec![
        reading(),
        TurnEvent::Text("é".to_owned()),
        TurnEvent::Call { index: 0, id: "c".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() },
        TurnEvent::Done { finish: AnswerFinish::ToolCalls, usage },
    ]);
    let head = r#"data: {"id":"chatcmpl-ses_00000000000000000000000000000007-2","object":"chat.completion.chunk","created":5,"model":"m","engross":{"turn":1},"choices":["#;
    let expected = [
        format!(
            "id: 2-0\n{head}{{\"index\":0,\"delta\":{{\"role\":\"assistant\"}},\"finish_reason\":null}}]}}"
        ),
        "event: engross.status\ndata: {\"turn\":1,\"type\":\"status\",\"message\":\"Reading …\",\"tool\":{\"id\":\"c1\",\"name\":\"read_document\",\"state\":\"started\"}}".to_owned(),
        format!("id: 2-2\n{head}{{\"index\":0,\"delta\":{{\"content\":\"é\"}},\"finish_reason\":null}}]}}"),
        format!(
            "id: 2-2+\n{head}{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"c\",\"type\":\"function\",\
             \"function\":{{\"name\":\"f\",\"arguments\":\"\"}}}}]}},\"finish_reason\":null}}]}}"
        ),
        format!(
            "id: 2-3\n{head}{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":0,\
             \"function\":{{\"arguments\":\"{{}}\"}}}}]}},\"finish_reason\":null}}]}}"
        ),
        format!("id: 2-4\n{head}{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"tool_calls\"}}]}}"),
        format!(
            "id: 2-4\n{head}],\"usage\":{{\"prompt_tokens\":1,\"completion_tokens\":2,\"total_tokens\":3}}}}"
        ),
        "data: [DONE]\n\n".to_owned(),
    ];
    let all = AnswerShape { usage: true, events: true, behind: None };
    assert_eq!(encode(ChatStream::new(&short, all, Vec::new()), told.clone()), expected.join("\n\n"));

    let plain = AnswerShape { usage: false, events: false, behind: None };
    let (first, rest) = expected.split_first().unwrap();
    let kept: Vec<&str> =
        [first].into_iter().chain(&rest[1..5]).chain(&rest[6..]).map(String::as_str).collect();
    assert_eq!(encode(ChatStream::new(&short, plain, Vec::new()), told), kept.join("\n\n"));
}

#[test]
fn a_failure_in_a_stream_is_an_error_and_then_the_end() {
    let failure = TurnEvent::Failed {
        code: "MODEL_TRUNCATED".to_owned(),
        message: "The answer broke off.".to_owned(),
        retry_after: None,
    };
    let stream = encode(
        ChatStream::new(&head(), wanted(None), Vec::new()),
        place(vec![TurnEvent::Text("Hal".to_owned()), failure]),
    );
    let heard = hear(&stream);
    assert_eq!(heard.len(), 3);
    assert_eq!(
        heard[2],
        ReceivedAnswer {
            event: None,
            id: Some("12-3".to_owned()),
            data: json!({
                "error": {
                    "code": "MODEL_TRUNCATED", "message": "The answer broke off.", "type": "api_error", "details": {},
                },
                "engross": {"turn": 3},
            }),
        }
    );
}

#[test]
fn an_answer_without_end_is_an_error_unless_the_listener_had_the_end() {
    for (behind, expected) in
        [(None, Some("ANSWER_INTERRUPTED")), (Some(Place { position: 9, in_call: false }), None)]
    {
        let mut out = super::Out::default();
        super::Encoder::broken(&mut ChatStream::new(&head(), wanted(behind), Vec::new()), &mut out);
        let heard = hear(str::from_utf8(&out.take()).unwrap());
        let code = heard.first().map(|heard| heard.data["error"]["code"].as_str().unwrap().to_owned());
        assert_eq!(code.as_deref(), expected);
    }
}

#[test]
fn ids_lead_back() {
    let answer = place_of_response(&head().response_id()).unwrap();
    assert_eq!((answer.session, answer.answer), (head().session, head().answer));
    for id in [
        "",
        "resp_",
        "resp_x_1",
        "resp_ses_7_1",
        "ses_00000000000000000000000000000007_1",
        &head().session.to_string(),
    ] {
        assert!(place_of_response(id).is_err(), "{id}");
    }
    for (id, in_call) in [("12-345", false), ("12-345+", true)] {
        let known = EventId { answer: 12, place: Place { position: 345, in_call } };
        assert_eq!(id.parse(), Ok(known));
    }
    for id in ["", "12", "-", "12-+", "12-1++", "a-1", "1-b", "1-2-3", "18446744073709551616-0"] {
        assert_eq!(id.parse::<EventId>(), Err(()), "{id}");
    }
}

/// A database that was away at the end of a turn: the end is stored later, in the place where the failure was told.
#[test]
fn who_goes_on_behind_a_failure_hears_the_end_that_took_its_place() {
    let text = || TurnEvent::Text("Hal".to_owned());
    let failure = TurnEvent::Failed {
        code: "STORE_UNAVAILABLE".to_owned(),
        message: "Away.".to_owned(),
        retry_after: None,
    };
    let heard =
        hear(&encode(ChatStream::new(&head(), wanted(None), Vec::new()), place(vec![text(), failure])));
    let last = place_of(heard.last().unwrap().id.as_ref().unwrap());
    let end = TurnEvent::Done { finish: AnswerFinish::Stop, usage: None };
    let again =
        hear(&encode(ChatStream::new(&head(), wanted(Some(last)), Vec::new()), place(vec![text(), end])));
    let finish = |heard: &ReceivedAnswer| heard.data["choices"][0]["finish_reason"].clone();
    assert!(again.iter().any(|heard| finish(heard) == "stop"), "{again:?}");
    assert!(
        again.iter().all(|heard| heard.data["choices"][0]["delta"]["content"].is_null()),
        "nothing twice"
    );
}

proptest! {
    /// However the text comes in pieces, a client puts together the body that it would have got at once.
    #[test]
    fn a_stream_adds_up_to_the_body(whole in answers(), cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        let stream = encode(ChatStream::new(&head(), wanted(None), Vec::new()), events(&whole, &cuts));
        prop_assert_eq!(reassemble(&hear(&stream)), body_of(&whole));
    }

    /// A client that loses the connection anywhere, and goes on behind the last id it heard, misses nothing and hears nothing
    /// twice, even if the text then comes in other pieces.
    #[test]
    fn a_stream_goes_on_behind_any_event(
        whole in answers(),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        others in prop::collection::vec(any::<usize>(), 0..6),
        lost in any::<prop::sample::Index>(),
    ) {
        let mut heard = hear(&encode(ChatStream::new(&head(), wanted(None), Vec::new()), events(&whole, &cuts)));
        heard.truncate(lost.index(heard.len()) + 1);
        let last = place_of(heard.last().unwrap().id.as_ref().unwrap());
        let again = encode(ChatStream::new(&head(), wanted(Some(last)), Vec::new()), events(&whole, &others));
        // Events without a place of their own come again: what is known at the end.
        heard.extend(hear(&again));
        if heard.iter().filter(|heard| heard.data["choices"].get(0).is_none()).count() == 2 {
            heard.pop();
        }
        prop_assert_eq!(reassemble(&heard), body_of(&whole));
    }
}

#[test]
fn what_the_model_thinks_is_told_to_those_who_ask_for_events_and_is_in_no_answer() {
    let thinks =
        TurnEvent::Thinking { bytes: 20, latest: "the \"end\"".to_owned(), more: "\"end\"\n".to_owned() };
    let told = || place(vec![thinks.clone(), TurnEvent::Done { finish: AnswerFinish::Stop, usage: None }]);
    let stream = |events| {
        let shape = AnswerShape { usage: false, events, behind: None };
        encode(ChatStream::new(&head(), shape, Vec::new()), told())
    };
    let event = "event: engross.status\ndata: {\"turn\":3,\"type\":\"thinking\",\"bytes\":20,\"text\":\"\\\"end\\\"\\n\"}\n\n";
    assert!(stream(true).contains(event), "{}", stream(true));
    assert_eq!(stream(true).replace(event, ""), stream(false));
}
