//! Answers as responses: the order of events, and that stream, body and resumed stream say the same.

use engross_agent::session::{AnswerFinish, TurnEvent};
use engross_llm::Usage;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::answer::{AnswerShape, Item, Place, Whole};
use super::responses_answer::{ResponsesStream, responses_body};
use super::responses_shape::ResponsesShape;
use super::samples::{ReceivedAnswer, answers, call, encode, events, head, hear, place_of};
use crate::testing::fake::place;

/// For a client that keeps what the model thought.
fn shape() -> ResponsesShape {
    ResponsesShape { reasoning: true, ..ResponsesShape::default() }
}

fn stream(behind: Option<Place>) -> ResponsesStream {
    let wanted = AnswerShape { usage: false, events: false, behind };
    ResponsesStream::new(head(), wanted, shape(), Vec::new())
}

fn body_of(whole: &Whole) -> Value {
    serde_json::from_slice(&responses_body(&head(), whole, &shape()).take()).unwrap()
}

/// What a client puts together from the small events, checked against what the large ones say.
fn output_of(heard: &[ReceivedAnswer]) -> Vec<Value> {
    let mut output: Vec<Value> = Vec::new();
    let mut last = None;
    for ReceivedAnswer { event, id, data } in heard {
        let kind = data["type"].as_str().unwrap();
        assert_eq!(event.as_deref(), Some(kind));
        let number = data["sequence_number"].as_u64();
        assert_eq!(id.as_deref().map(|id| place_of(id).position), number);
        assert!(number > last, "{number:?} after {last:?}");
        last = number;
        if let Some(index) = data["output_index"].as_u64() {
            let added = kind == "response.output_item.added";
            assert_eq!(usize::try_from(index).unwrap(), output.len() - usize::from(!added), "{kind}");
        }
        let open = output.last_mut();
        match (kind, open) {
            ("response.output_item.added", _) => output.push(data["item"].clone()),
            ("response.content_part.added", Some(item)) => item["content"] = json!([data["part"]]),
            ("response.output_text.delta", Some(item)) => {
                assert_eq!(data["item_id"], item["id"]);
                let text = item["content"][0]["text"].as_str().unwrap().to_owned();
                item["content"][0]["text"] = json!(text + data["delta"].as_str().unwrap());
            }
            ("response.output_text.done", Some(item)) => assert_eq!(data["text"], item["content"][0]["text"]),
            ("response.content_part.done", Some(item)) => assert_eq!(data["part"], item["content"][0]),
            ("response.function_call_arguments.delta", Some(item)) => {
                item["arguments"] = data["delta"].clone();
            }
            ("response.function_call_arguments.done", Some(item)) => {
                assert_eq!(data["arguments"], item["arguments"]);
            }
            ("response.output_item.done", Some(item)) => {
                item["status"] = json!("completed");
                if item["type"] == "message" {
                    item["phase"] = data["item"]["phase"].clone();
                }
                assert_eq!(data["item"], *item);
            }
            _ => {}
        }
    }
    output
}

#[test]
fn events_come_in_the_order_of_the_api() {
    let told = place(vec![
        TurnEvent::Text("Let ".to_owned()),
        TurnEvent::Text("me".to_owned()),
        TurnEvent::Call { index: 0, id: "c".to_owned(), name: "f".to_owned(), arguments: "{}".to_owned() },
        TurnEvent::Done {
            finish: AnswerFinish::ToolCalls,
            usage: Some(Usage { input_tokens: 1, output_tokens: 2 }),
        },
    ]);
    let written = encode(stream(None), told);
    let heard = hear(&written);
    let kinds: Vec<&str> = heard.iter().map(|heard| heard.event.as_deref().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.output_item.added",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    assert_eq!(
        heard[5].data,
        json!({
            "type": "response.output_text.delta", "sequence_number": 10,
            "item_id": "msg_ses_00000000000000000000000000000007_12_0", "output_index": 0, "content_index": 0,
            "delta": "me", "logprobs": [],
        })
    );
    assert_eq!(
        heard[13].data["response"],
        json!({
            "id": "resp_ses_00000000000000000000000000000007_12",
            "object": "response",
            "created_at": 1_795_293_365,
            "completed_at": null,
            "status": "completed",
            "model": "gpt \"4\"",
            "engross": {"turn": 3},
            "output": [
                {
                    "id": "msg_ses_00000000000000000000000000000007_12_0", "type": "message", "status": "completed",
                    "role": "assistant", "phase": "commentary",
                    "content": [{"type": "output_text", "text": "Let me", "annotations": [], "logprobs": []}],
                },
                {
                    "id": "fc_ses_00000000000000000000000000000007_12_1", "type": "function_call", "status": "completed",
                    "call_id": "c", "name": "f", "arguments": "{}",
                },
            ],
            "error": null,
            "incomplete_details": null,
            "background": false, "frequency_penalty": 0.0, "instructions": null, "max_output_tokens": null,
            "max_tool_calls": null, "metadata": {}, "presence_penalty": 0.0, "previous_response_id": null,
            "prompt_cache_key": null, "reasoning": {"effort": null, "summary": null}, "safety_identifier": null,
            "service_tier": "default", "store": true, "temperature": 1.0, "text": {"format": {"type": "text"}},
            "top_logprobs": 0, "top_p": 1.0, "truncation": "disabled",
            "parallel_tool_calls": true,
            "tool_choice": "auto",
            "tools": [],
            "usage": {
                "input_tokens": 1, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 2, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 3,
            },
        })
    );
}

#[test]
fn ends_that_are_no_success_say_so() {
    let cases = [
        (
            TurnEvent::Done { finish: AnswerFinish::Length, usage: None },
            "response.incomplete",
            json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "error": null}),
        ),
        (
            TurnEvent::Done { finish: AnswerFinish::ContentFilter, usage: None },
            "response.incomplete",
            json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "error": null}),
        ),
        (
            TurnEvent::Failed {
                code: "MODEL_TIMEOUT".to_owned(),
                message: "Too slow.".to_owned(),
                retry_after: None,
            },
            "response.failed",
            json!({
                "status": "failed", "incomplete_details": null,
                "error": {"code": "MODEL_TIMEOUT", "message": "Too slow."},
            }),
        ),
    ];
    for (end, kind, expected) in cases {
        let heard = hear(&encode(stream(None), place(vec![TurnEvent::Text("Hal".to_owned()), end])));
        let last = heard.last().unwrap();
        assert_eq!(last.event.as_deref(), Some(kind));
        for (field, value) in expected.as_object().unwrap() {
            assert_eq!(&last.data["response"][field], value, "{field}");
        }
        assert_eq!(last.data["response"]["output"][0]["content"][0]["text"], "Hal");
        let status = if kind == "response.failed" { "incomplete" } else { "completed" };
        assert_eq!(last.data["response"]["output"][0]["status"], status);
    }
}

#[test]
fn an_answer_without_end_fails() {
    let mut out = super::Out::default();
    super::Encoder::broken(&mut stream(Some(Place { position: 40, in_call: false })), &mut out);
    let heard = hear(str::from_utf8(&out.take()).unwrap());
    assert_eq!(heard[0].data["response"]["error"]["code"], "ANSWER_INTERRUPTED");
}

#[test]
fn calls_go_back_into_their_namespace() {
    let body = br#"{"input":"x","tools":[{"type":"namespace","name":"mcp__s","tools":[{"type":"function","name":"f"}]}]}"#;
    let asked = super::responses_request(body).unwrap();
    let name = asked.request.tools.unwrap()[0].spec.name.clone();
    assert_eq!(name, "mcp__s__f");
    let items = vec![Item::Call(call("c", &name, "{}")), Item::Call(call("d", "g", "{}"))];
    let whole = Whole { items, end: Some((AnswerFinish::ToolCalls, None)), ..Whole::default() };
    let body: Value = serde_json::from_slice(&responses_body(&head(), &whole, &asked.shape).take()).unwrap();
    let of = |index: usize, field: &str| body["output"][index][field].clone();
    assert_eq!((of(0, "namespace"), of(0, "name")), (json!("mcp__s"), json!("f")));
    assert_eq!((of(1, "namespace"), of(1, "name")), (Value::Null, json!("g")));
}

/// As in chat completions: the end that is stored later stands where the failure was told.
#[test]
fn who_goes_on_behind_a_failure_hears_the_end_that_took_its_place() {
    let text = || TurnEvent::Text("Hal".to_owned());
    let failure = TurnEvent::Failed {
        code: "STORE_UNAVAILABLE".to_owned(),
        message: "Away.".to_owned(),
        retry_after: None,
    };
    let mut heard = hear(&encode(stream(None), place(vec![text(), failure])));
    let failed = heard.pop().unwrap();
    assert_eq!((failed.event.as_deref(), failed.id), (Some("response.failed"), None));
    let last = place_of(heard.last().unwrap().id.as_ref().unwrap());
    let end = TurnEvent::Done { finish: AnswerFinish::Stop, usage: None };
    heard.extend(hear(&encode(stream(Some(last)), place(vec![text(), end]))));
    assert_eq!(heard.last().unwrap().event.as_deref(), Some("response.completed"));
    let whole = heard.last().unwrap().data["response"]["output"].clone();
    assert_eq!(json!(output_of(&heard)), whole, "all of it, and nothing twice");
}

/// Clients with types made from the published description insist on every field of what is repeated.
#[test]
fn what_a_response_repeats_is_complete() {
    let body = br#"{"input":"x","reasoning":{"effort":"low"},"text":{"format":{"type":"json_schema","name":"n","schema":{}}},
        "tools":[{"type":"function","name":"f"},{"type":"namespace","name":"s","tools":[{"type":"function","name":"g","strict":true}]}]}"#;
    let asked = super::responses_request(body).unwrap();
    let whole = Whole { end: Some((AnswerFinish::Stop, None)), ..Whole::default() };
    let body: Value = serde_json::from_slice(&responses_body(&head(), &whole, &asked.shape).take()).unwrap();
    assert_eq!(body["reasoning"], json!({"effort": "low", "summary": null}));
    let format =
        json!({"type": "json_schema", "name": "n", "schema": {}, "description": null, "strict": false});
    assert_eq!(body["text"], json!({ "format": format }));
    let function = |name: &str, strict: Value| json!({"type": "function", "name": name, "description": null, "parameters": null, "strict": strict});
    assert_eq!(body["tools"][0], function("f", Value::Null));
    assert_eq!(body["tools"][1]["tools"][0], function("g", json!(true)));
}

proptest! {
    /// However the text comes in pieces, the small events, the last event and the body say the same.
    #[test]
    fn a_stream_adds_up_to_the_body(whole in answers(), cuts in prop::collection::vec(any::<usize>(), 0..6)) {
        let heard = hear(&encode(stream(None), events(&whole, &cuts)));
        let body = body_of(&whole);
        prop_assert_eq!(&heard.last().unwrap().data["response"], &body);
        prop_assert_eq!(json!(output_of(&heard)), body["output"].clone());
    }

    /// A client that goes on behind any event misses nothing and hears nothing twice, even if the text comes in other pieces.
    #[test]
    fn a_stream_goes_on_behind_any_event(
        whole in answers(),
        cuts in prop::collection::vec(any::<usize>(), 0..6),
        others in prop::collection::vec(any::<usize>(), 0..6),
        lost in any::<prop::sample::Index>(),
    ) {
        let mut heard = hear(&encode(stream(None), events(&whole, &cuts)));
        heard.truncate(lost.index(heard.len()) + 1);
        let last = place_of(heard.last().unwrap().id.as_ref().unwrap());
        heard.extend(hear(&encode(stream(Some(last)), events(&whole, &others))));
        let body = body_of(&whole);
        prop_assert_eq!(&heard.last().unwrap().data["response"], &body);
        prop_assert_eq!(json!(output_of(&heard)), body["output"].clone());
    }
}
