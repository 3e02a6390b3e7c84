//! Keys with owners and rights: what each opens, and that none opens anything of another owner.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Method;

use super::OwnerQuota;
use super::access::{AccessKey, Right, Token};
use super::owners::Owners;
use super::routes::about::ROUTES;
use super::{app_of_owners, routes};
use crate::app::routes as routes_of;
use crate::testing::client::{CHAT, HI, get, post, send};
use crate::testing::fake::{Fake, server, text};

fn key(name: &str, owner: &str, right: Right) -> AccessKey {
    AccessKey { name: name.into(), owner: owner.into(), right, secret: Token::new(name) }
}

/// A server with a token of the default owner and keys of `ann` and of somebody whose things could not be opened.
fn two_owners() -> (Fake, Fake, Router) {
    let (own, anns) = (Fake::default(), Fake::default());
    let mut first = server(&own);
    first.access.token = Some(Token::new("t"));
    first.access.keys.replace(vec![
        key("a-read", "ann", Right::Read),
        key("a-write", "ann", Right::Write),
        key("a-admin", "ann", Right::Admin),
        key("nobody", "nobody", Right::Write),
        key("d-read", "default", Right::Read),
    ]);
    let second = server(&anns);
    let owners = Owners::default();
    let metrics = Arc::new(first.metrics.of_owner());
    let second = super::Server { metrics: Arc::clone(&metrics), ..second };
    owners.add("ann", routes_of(Arc::new(second), Router::new()), metrics, OwnerQuota::new(Some(100)));
    (own, anns, app_of_owners(Arc::new(first), Router::new(), owners))
}

fn bearer(secret: &str) -> String {
    format!("Bearer {secret}")
}

#[tokio::test]
async fn a_key_leads_to_its_owner_alone() {
    let (own, anns, app) = two_owners();
    for (secret, (asked, other)) in [("t", (&own, &anns)), ("a-write", (&anns, &own))] {
        asked.answer(text("ok"));
        let got = post(&app, CHAT, &[("authorization", &bearer(secret))], HI).await;
        assert_eq!(got.status, 200, "{}", got.text);
        assert_eq!((asked.submitted().len(), other.submitted().len()), (1, 0));
    }
    // What stands in a path is read by the owner's own routes.
    let got = post(&app, "/v1/sessions/Doc/cancel", &[("authorization", &bearer("a-write"))], "").await;
    assert_eq!((got.status, anns.listened().len(), own.listened().len()), (200, 1, 0), "{}", got.text);
    let got = post(&app, CHAT, &[("authorization", &bearer("nobody"))], HI).await;
    assert_eq!(got.error().0, 429, "the default owner does not stand in: {}", got.text);
    assert_eq!(get(&app, "/v1/models", &[]).await.error().1, "UNAUTHORIZED");
    assert!(own.submitted().is_empty() && anns.submitted().is_empty());
}

/// Every route that is described asks for a key, and for the right that its row promises.
#[tokio::test]
async fn every_route_asks_for_a_key_with_the_right() {
    let (_, _, app) = two_owners();
    for (method, path, _) in ROUTES {
        let method: Method = method.to_uppercase().parse().unwrap();
        let concrete = path.replace(['{', '}'], "");
        let is_open = routes::about::is_public(path)
            || matches!(*path, "/healthz" | "/readyz" | "/artifacts/openclaw/download")
            || routes::acp::is_liveness(&method, path);
        let got = send(&app, method.clone(), &concrete, &[], Body::empty()).await;
        assert_eq!(got.status != 401, is_open, "{method} {path}: {}", got.status);
        for right in [Right::Read, Right::Write] {
            let needed = Right::needed(&method, path);
            if is_open || right >= needed {
                continue;
            }
            let secret = bearer(&format!("a-{}", right.as_str()));
            let got =
                send(&app, method.clone(), &concrete, &[("authorization", &secret)], Body::empty()).await;
            assert_eq!(got.status, 403, "{method} {path} with {right:?}");
            assert!(got.text.contains("RIGHT_MISSING"), "{}", got.text);
        }
        if needed_to_look(&method, path) {
            assert_eq!(Right::needed(&method, path), Right::Read, "{method} {path}");
        }
    }
}

fn needed_to_look(method: &Method, path: &str) -> bool {
    *method == Method::GET && path.starts_with("/v1/")
}

#[tokio::test]
async fn failed_requests_are_shown_to_their_owner_alone() {
    let (_, _, app) = two_owners();
    let ann = bearer("a-read");
    assert_eq!(get(&app, "/v1/nowhere", &[("authorization", &ann)]).await.status, 404);
    let errors = |secret: &'static str| {
        let app = app.clone();
        async move { get(&app, "/v1/errors", &[("authorization", &bearer(secret))]).await.json()["data"].clone() }
    };
    assert_eq!(errors("a-read").await.as_array().unwrap().len(), 1);
    assert_eq!(errors("d-read").await.as_array().unwrap().len(), 0);
}

#[tokio::test]
async fn keys_that_were_taken_away_open_nothing_and_no_key_is_no_open_door() {
    let fake = Fake::default();
    let first = server(&fake);
    let keys = first.access.keys.clone();
    let app = app_of_owners(Arc::new(first), Router::new(), Owners::default());
    assert_eq!(get(&app, "/v1/models", &[]).await.status, 200, "without any key this machine may come in");
    keys.replace(vec![key("one", "default", Right::Read)]);
    let one = bearer("one");
    assert_eq!(get(&app, "/v1/models", &[]).await.status, 401);
    assert_eq!(get(&app, "/v1/models", &[("authorization", &one)]).await.status, 200);
    keys.replace(Vec::new());
    assert_eq!(
        get(&app, "/v1/models", &[]).await.status,
        401,
        "the last key was revoked, and the door stays shut"
    );
    assert_eq!(get(&app, "/v1/models", &[("authorization", &one)]).await.status, 401);
}
