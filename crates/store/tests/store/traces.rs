//! Every payload that made a trace store fail elsewhere is kept, and what comes behind it is healthy.

use engross_protocol::SessionId;
use engross_store::TraceEvent;
use engross_store::{Details, PostgresTraces, Traces};
use serde_json::{Value, json};

use crate::fixture::runtime;
use crate::server::OneSchema;

fn event(kind: &str) -> TraceEvent {
    TraceEvent::new(1_795_294_805_926, SessionId::from_bytes([1; 16]), 3, kind)
}

/// Details of any origin, and what a reader of the table finds.
fn payloads() -> Vec<(Details, Value)> {
    let of = |value: Value| Details::from(value);
    let text = |text: &str| Details::from_json(text.as_bytes());
    let mut deep = json!("end");
    for _ in 0..5_000 {
        deep = Value::Array(vec![deep]);
    }
    let mut cut = json!("[deeper than 32 levels]");
    for _ in 0..31 {
        cut = json!([cut]);
    }
    let big = "x".repeat(270_000_000);
    let mut payloads = vec![
        (of(json!("connection reset")), json!({"message": "connection reset"})),
        (of(json!(["a", {"b": 1}])), json!({"items": ["a", {"b": 1}]})),
        (of(json!([])), json!({"items": []})),
        (of(json!("42")), json!({"message": "42"})),
        (of(json!({"a\u{0}": "b\u{0}c"})), json!({"a\\u0000": "b\\u0000c"})),
        (text(r#"{"a":"\u0000"}"#), json!({"a": "\\u0000"})),
        (of(json!({"a": "\\u0000"})), json!({"a": "\\u0000"})),
        (text(r#"{"a":"\\u0000"}"#), json!({"a": "\\u0000"})),
        (text(r#"{"a":"x\ud83dy"}"#), json!({"a": "x\\ud83dy"})),
        (text(r#"{"a":"x\ude00y"}"#), json!({"a": "x\\ude00y"})),
        (text(r#"{"a":"\ud83d\ude00"}"#), json!({"a": "\u{1f600}"})),
        (of(json!({"a": "\u{fffd}\u{1}\u{7f}"})), json!({"a": "\u{fffd}\u{1}\u{7f}"})),
        (of(deep), json!({ "items": cut })),
        (of(Value::Null), json!({})),
        (text("null"), json!({})),
        (text(r#"{"a":NaN,"b":-Infinity}"#), json!({"message": "{\"a\":NaN,\"b\":-Infinity}"})),
        (text(r#"{"a":1e999}"#), json!({"message": "{\"a\":1e999}"})),
        (of(json!({"a": 12_345_678_901_234_567_890_u64})), json!({"a": 12_345_678_901_234_567_890_u64})),
        (of(json!({"a": 1e308})), json!({"a": 1e308})),
    ];
    let huge = of(json!({ "a": big }));
    let expected: Value = serde_json::from_str(huge.as_str()).unwrap();
    assert_eq!(expected["a"]["bytes"], 270_000_000);
    payloads.push((huge, expected));
    payloads
}

#[test]
fn every_payload_is_kept_and_what_comes_behind_it() {
    let Some(place) = OneSchema::new() else { return };
    let runtime = runtime();
    runtime.block_on(async {
        let traces = PostgresTraces::open(&place.url()).await.unwrap();
        let (client, connection) =
            tokio_postgres::connect(&place.url(), tokio_postgres::NoTls).await.unwrap();
        let reading = runtime.spawn(connection);
        let newest = async || {
            let newest = "SELECT type, tool, call, details::text, error::text, seq,
                extract(epoch FROM at)::text FROM engross_traces ORDER BY id DESC LIMIT 1";
            client.query_one(newest, &[]).await.unwrap()
        };
        for (details, expected) in payloads() {
            let failed = event("tool_result").error(details.clone());
            traces.insert(vec![event("a").details(details), failed]).await.unwrap();
            let row = newest().await;
            let error: Value = serde_json::from_str(row.get(4)).unwrap();
            assert_eq!(error, expected);
            traces.insert(vec![event("healthy")]).await.unwrap();
            assert_eq!(newest().await.get::<_, &str>(0), "healthy");
        }
        // Names and ids are cut by characters, as the columns count.
        let long = event(&"é".repeat(60)).tool(&"é".repeat(300)).call(&format!("a\0{}", "é".repeat(300)));
        traces.insert(vec![long]).await.unwrap();
        let row = newest().await;
        assert_eq!(
            (row.get::<_, String>(0), row.get::<_, String>(1), row.get::<_, String>(2)),
            ("é".repeat(50), "é".repeat(255), format!("a\\u0000{}", "é".repeat(248)))
        );
        assert_eq!((row.get::<_, i64>(5), row.get::<_, &str>(6)), (3, "1795294805.926000"));
        traces.insert(Vec::new()).await.unwrap();
        let count = client.query_one("SELECT count(*) FROM engross_traces", &[]).await.unwrap();
        assert_eq!(count.get::<_, i64>(0), i64::try_from(payloads().len() * 3 + 1).unwrap());
        // Opened again, the table is as it was; sessions have tables of their own.
        PostgresTraces::open(&place.url()).await.unwrap().insert(vec![event("again")]).await.unwrap();
        assert_eq!(newest().await.get::<_, &str>(0), "again");
        drop(client);
        reading.await.unwrap().unwrap();
    });
}
