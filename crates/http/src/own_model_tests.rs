//! The door to a person's own model: what goes in, and that no key comes out.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use engross_llm::SecretString;
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::{BroughtModel, Error, Limits, OwnModelPlace, own_model_routes};

const KEY: &str = "sk-secret-4711";

/// Notes what it was told.
#[derive(Default)]
struct NotingPlace(Mutex<Vec<BroughtModel>>);

impl OwnModelPlace for NotingPlace {
    fn show(&self) -> Result<Value, Error> {
        Ok(json!({"model": null}))
    }

    fn take(&self, model: BroughtModel) -> Result<Value, Error> {
        self.0.lock().unwrap().push(model);
        self.show()
    }

    fn forget(&self) -> Result<Value, Error> {
        self.show()
    }
}

fn door() -> (Arc<NotingPlace>, Router) {
    let place = Arc::new(NotingPlace::default());
    (Arc::<NotingPlace>::clone(&place), own_model_routes(place, Limits::default()))
}

async fn put(app: &Router, body: impl Into<Body>) -> (StatusCode, String) {
    let request = Request::builder().method(Method::PUT).uri("/v1/own-model").body(body.into()).unwrap();
    let response: Response = app.clone().oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn a_model_is_taken_with_its_key() {
    let (place, app) = door();
    let whole = json!({"provider": "anthropic", "name": "claude", "key": KEY, "remember": true});
    let (status, body) = put(&app, whole.to_string()).await;
    assert_eq!((status, body.contains(KEY)), (StatusCode::OK, false));
    // The key stays that is there, and is not remembered unless somebody says so.
    let bare = json!({"provider": "anthropic", "name": "other", "key": null});
    assert_eq!(put(&app, bare.to_string()).await.0, StatusCode::OK);
    let taken = place.0.lock().unwrap();
    let of = |model: &BroughtModel| (model.name.clone(), model.key.is_some(), model.remember);
    assert_eq!(
        taken.iter().map(of).collect::<Vec<_>>(),
        [("claude".to_owned(), true, true), ("other".to_owned(), false, false)]
    );
    let shown = format!("{:?} {:?}", taken[0], SecretString::from(KEY));
    assert!(!shown.contains(KEY), "{shown}");
}

#[tokio::test]
async fn a_key_at_a_wrong_place_is_not_repeated() {
    let (place, app) = door();
    for body in [
        json!({"provider": "anthropic", "name": "claude", "key": {"value": KEY}}),
        json!({"provider": "anthropic", "name": "claude", "remember": KEY}),
        json!({"provider": "anthropic", "name": "claude", KEY: true}),
        json!({"provider": [KEY], "name": "claude"}),
        json!({"key": KEY, "name": "claude"}),
        json!({"key": KEY, "provider": "openai"}),
        json!([KEY]),
        json!(KEY),
    ] {
        let (status, answer) = put(&app, body.to_string()).await;
        assert_eq!((status, answer.contains(KEY)), (StatusCode::BAD_REQUEST, false), "{answer}");
    }
    for body in [format!("{{\"key\": {KEY}"), KEY.to_owned(), format!("{{\"{KEY}"), String::new()] {
        let (status, answer) = put(&app, body).await;
        assert_eq!((status, answer.contains(KEY)), (StatusCode::BAD_REQUEST, false), "{answer}");
    }
    let large = json!({"provider": "openai", "name": "gpt", "key": "k".repeat(100_000)});
    assert_eq!(put(&app, large.to_string()).await.0, StatusCode::PAYLOAD_TOO_LARGE);
    assert!(place.0.lock().unwrap().is_empty());
}
