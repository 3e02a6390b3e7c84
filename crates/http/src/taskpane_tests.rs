//! The files of the pane of Word: what they are sent with, and how large they are.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use tower::ServiceExt as _;

use crate::Token;
use crate::testing::client::with;

/// Most bytes of program and appearance together, packed.
const BUDGET: usize = 60_000;

const SCRIPT: &[u8] = include_bytes!("../assets/taskpane.js");
const POLICY: &[u8] = include_bytes!("../assets/policy.js");
const STYLE: &[u8] = include_bytes!("../assets/taskpane.css");
const PAGE: &str = include_str!("../assets/taskpane.html");

async fn fetch(path: &str) -> (axum::http::response::Parts, Vec<u8>) {
    let (_, app) = with(|server| server.access.token = Some(Token::new("t")));
    let request = Request::builder().uri(path).header("host", "localhost:8080").body(Body::empty()).unwrap();
    let (parts, body) = app.oneshot(request).await.unwrap().into_parts();
    (parts, to_bytes(body, usize::MAX).await.unwrap().to_vec())
}

#[tokio::test]
async fn the_files_of_the_pane_need_no_key() {
    for (path, kind, bytes) in [
        ("/word/", "text/html; charset=utf-8", PAGE.as_bytes()),
        ("/word/policy.js", "text/javascript; charset=utf-8", POLICY),
        ("/word/taskpane.js", "text/javascript; charset=utf-8", SCRIPT),
        ("/word/taskpane.css", "text/css; charset=utf-8", STYLE),
    ] {
        let (parts, body) = fetch(path).await;
        assert_eq!((parts.status.as_u16(), &body[..]), (200, bytes), "{path}");
        assert_eq!(parts.headers["content-type"], kind);
    }
    for size in [16, 32, 64, 80, 192] {
        let (parts, body) = fetch(&format!("/word/icon-{size}.png")).await;
        assert_eq!(
            (parts.headers["content-type"].to_str().unwrap(), &body[1..4]),
            ("image/png", &b"PNG"[..])
        );
    }
    assert_eq!(fetch("/word/other").await.0.status.as_u16(), 404);
}

/// The engine is there with its feature, and a build without it says so by 404.
#[tokio::test]
async fn the_engine_of_the_pane_is_there_with_its_feature_only() {
    let wanted = if cfg!(feature = "word-engine") { 200 } else { 404 };
    for path in ["/word/engine-worker.js", "/word/engross_wasm_bg.wasm"] {
        assert_eq!(fetch(path).await.0.status.as_u16(), wanted, "{path}");
    }
}

/// F5 of the contract of the front: the pane runs its own program, the engine and the vendor's script, and nothing else.
#[tokio::test]
async fn the_policy_of_the_pane_admits_the_vendor_and_nobody_else() {
    let (parts, _) = fetch("/word/").await;
    let policy = parts.headers["content-security-policy"].to_str().unwrap();
    let rules: Vec<&str> = policy.split(';').map(str::trim).collect();
    assert_eq!(
        rules,
        [
            "default-src 'none'",
            "script-src 'self' https://appsforoffice.microsoft.com 'wasm-unsafe-eval'",
            "worker-src 'self'",
            "connect-src 'self' https://appsforoffice.microsoft.com",
            "style-src 'self'",
            "img-src 'self' data:",
            "font-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types default",
        ]
    );
    assert_eq!(PAGE.matches("<script").count(), 3, "{PAGE}");
    assert_eq!(PAGE.matches("://").count(), 1, "{PAGE}");
    assert!(!PAGE.contains("<style") && !PAGE.contains(" style="), "{PAGE}");
}

#[test]
fn the_pane_keeps_within_its_budget() {
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap().len()
    };
    let size = packed(SCRIPT) + packed(POLICY) + packed(STYLE);
    assert!(size <= BUDGET, "the pane is {size} bytes packed, more than {BUDGET}");
}
