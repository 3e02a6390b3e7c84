//! Tests of answers that were found in the web: what is asked for, and that every part and source of the answer is kept
//! (case 156).

use serde_json::json;

use super::decoding_tests::{decode, text};
use super::{Anthropic, Dialect, Gemini, OpenAi, TokenLimit};
use crate::{Event, FinishReason, Request, Source};

fn searching() -> Request {
    Request { web_search: true, ..Request::default() }
}

fn source(url: &str, title: &str, quote: Option<&str>) -> Event {
    Event::Source(Source { url: url.to_owned(), title: title.to_owned(), quote: quote.map(str::to_owned) })
}

#[test]
fn case156_anthropic_keeps_all_parts_and_citations() {
    let dialect = Anthropic { name: "m".to_owned() };
    assert!(dialect.searches());
    let tool = json!([{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}]);
    assert_eq!(dialect.body(&searching())["tools"], tool);
    let data = [
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I look."}}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"query\":"}}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"web_search_tool_result","tool_use_id":"s","content":[]}}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example/","title":"A","cited_text":"two years","encrypted_index":"x"}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"citations_delta","citation":{"type":"char_location"}}}"#,
        r#"{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":" Two years."}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"}}"#,
        r#"{"type":"message_stop"}"#,
    ];
    let events =
        vec![text("I look."), source("https://a.example/", "A", Some("two years")), text(" Two years.")];
    assert_eq!(decode(&dialect, &searching(), &data), Ok((events, Some(FinishReason::Stop))));
}

#[test]
fn a_search_that_was_broken_off_is_no_whole_answer() {
    let data =
        [r#"{"type":"message_delta","delta":{"stop_reason":"pause_turn"}}"#, r#"{"type":"message_stop"}"#];
    let dialect = Anthropic { name: "m".to_owned() };
    assert_eq!(decode(&dialect, &searching(), &data), Ok((vec![], Some(FinishReason::Length))));
}

#[test]
fn case156_gemini_keeps_all_parts_and_citations() {
    let dialect = Gemini::default();
    assert!(dialect.searches());
    assert_eq!(dialect.body(&searching())["tools"], json!([{"googleSearch": {}}]));
    let data = [
        r#"{"candidates":[{"content":{"parts":[{"text":"a"},{"text":"b"}]}}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"c"}]},"finishReason":"STOP","groundingMetadata":{"webSearchQueries":["q"],"groundingChunks":[{"web":{"uri":"https://a.example/","title":"A"}},{"retrievedContext":{}},{"web":{"uri":"https://b.example/"}}]}}]}"#,
    ];
    let events = vec![
        text("a"),
        text("b"),
        text("c"),
        source("https://a.example/", "A", None),
        source("https://b.example/", "", None),
    ];
    assert_eq!(decode(&dialect, &searching(), &data), Ok((events, Some(FinishReason::Stop))));
}

#[test]
fn case156_openai_searches_with_models_made_for_it() {
    let dialect = |name: &str, token_limit| OpenAi { name: name.to_owned(), token_limit };
    let own = dialect("gpt-5-search-api", TokenLimit::MaxCompletionTokens);
    let router = dialect("maker/model:online", TokenLimit::MaxTokens);
    assert!(own.searches() && router.searches());
    assert!(!dialect("gpt-5", TokenLimit::MaxCompletionTokens).searches());
    assert_eq!(own.body(&searching())["web_search_options"], json!({}));
    assert_eq!(router.body(&searching()).get("web_search_options"), None);
    let data = [
        r#"{"choices":[{"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"delta":{"annotations":[{"type":"url_citation","url_citation":{"url":"https://a.example/","title":"A","start_index":0,"end_index":1}},{"type":"other"}]},"finish_reason":"stop"}]}"#,
    ];
    let events = vec![text("a"), source("https://a.example/", "A", None)];
    assert_eq!(decode(&own, &searching(), &data), Ok((events, Some(FinishReason::Stop))));
}
