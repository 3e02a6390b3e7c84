//! The access log: one line for each request, with its id, and no secret.

use std::sync::{Arc, Mutex};

use axum::http::Method;
use serde_json::Value;

use super::access_log::AccessLog;
use super::{KeyRing, Right, Token};
use crate::access::AccessKey;
use crate::testing::client::{CHAT, HI, HI_STREAMED, get, post, send, with};
use crate::testing::fake::text;

#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl AccessLog for Lines {
    fn write(&self, line: String) {
        assert!(line.ends_with('\n') && line.matches('\n').count() == 1, "{line}");
        self.0.lock().unwrap().push(line);
    }
}

#[tokio::test]
async fn each_request_is_a_line_without_secrets() {
    let lines = Arc::new(Lines::default());
    let (fake, app) = with(|server| {
        server.access_log = Some(Arc::clone(&lines) as Arc<dyn AccessLog>);
        server.access.keys = KeyRing::default();
        server.access.keys.replace(vec![AccessKey {
            name: "pane".into(),
            owner: "default".into(),
            right: Right::Write,
            secret: Token::new("s3cret"),
        }]);
    });
    let key = [("authorization", "Bearer s3cret"), ("x-request-id", "mine-1")];
    fake.answer(text("ok"));
    assert_eq!(post(&app, CHAT, &key, HI).await.header("x-request-id").as_deref(), Some("mine-1"));
    fake.answer(text("ok"));
    assert_eq!(post(&app, CHAT, &key, HI_STREAMED).await.status, 200);
    assert_eq!(get(&app, "/v1/models?x=QUERYSECRET", &[("authorization", "Bearer wr0ng")]).await.status, 401);
    let told = send(&app, Method::GET, "/v1/a\u{202e}b%22%0Ac", &key, "").await;
    assert_eq!(told.status, 404);
    let lines = lines.0.lock().unwrap();
    let all = lines.concat();
    assert!(!all.contains("s3cret") && !all.contains("wr0ng") && !all.contains("QUERYSECRET"), "{all}");
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(
        (&lines[0]["request"], &lines[0]["key"], &lines[0]["owner"], &lines[0]["path"], &lines[0]["status"]),
        (&"mine-1".into(), &"pane".into(), &"default".into(), &CHAT.into(), &200.into())
    );
    assert!(lines[0]["bytes"].as_u64().unwrap() > 50 && lines[0]["whole"] == true, "{}", lines[0]);
    assert!(
        lines[1]["bytes"].as_u64().unwrap() > 50 && lines[1]["whole"] == true,
        "a stream to its end: {}",
        lines[1]
    );
    assert_eq!((&lines[2]["status"], &lines[2]["code"]), (&401.into(), &"UNAUTHORIZED".into()));
    assert_eq!((&lines[2]["key"], &lines[2]["owner"]), (&Value::Null, &Value::Null));
}

#[tokio::test]
async fn durations_are_counted_in_buckets() {
    let (_, app) = with(|_| {});
    assert_eq!(get(&app, "/v1/models", &[]).await.status, 200);
    let text = get(&app, "/metrics", &[]).await.text;
    assert!(text.contains("# TYPE engross_request_duration_seconds histogram"), "{text}");
    assert!(
        text.contains("engross_request_duration_seconds_bucket{route=\"/v1/models\",le=\"+Inf\"} 1"),
        "{text}"
    );
    assert!(text.contains("engross_request_duration_seconds_count{route=\"/v1/models\"} 1"), "{text}");
    let counts: Vec<u64> = text
        .lines()
        .filter(|line| line.starts_with("engross_request_duration_seconds_bucket{route=\"/v1/models\""))
        .map(|line| line.rsplit(' ').next().unwrap().parse().unwrap())
        .collect();
    assert!(counts.is_sorted(), "buckets hold those before them: {counts:?}");
}
