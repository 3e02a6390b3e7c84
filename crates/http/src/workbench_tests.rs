//! The files of the workbench: what they are sent with, how large they are, and that no request changes them.

use std::io::Read as _;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use flate2::read::GzDecoder;
use tower::ServiceExt as _;

use crate::Token;
use crate::testing::client::{get, with};

/// Most bytes of program and appearance together, packed.
const BUDGET: usize = 90_000;

const SCRIPT: &[u8] = include_bytes!("../assets/workbench.js");
const STYLE: &[u8] = include_bytes!("../assets/workbench.css");
const PAGE: &str = include_str!("../assets/workbench.html");

async fn fetch(path: &str, headers: &[(&str, &str)]) -> (axum::http::response::Parts, Vec<u8>) {
    let (_, app) = with(|server| server.access.token = Some(Token::new("t")));
    let mut request = Request::builder().uri(path).header("host", "localhost:8080");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (parts, body) = app.oneshot(request.body(Body::empty()).unwrap()).await.unwrap().into_parts();
    (parts, to_bytes(body, usize::MAX).await.unwrap().to_vec())
}

#[tokio::test]
async fn each_file_comes_plain_packed_or_not_at_all() {
    for (path, kind, plain) in [
        ("/", "text/html; charset=utf-8", PAGE.as_bytes()),
        ("/assets/workbench.js", "text/javascript; charset=utf-8", SCRIPT),
        ("/assets/workbench.css", "text/css; charset=utf-8", STYLE),
    ] {
        let (parts, body) = fetch(path, &[]).await;
        assert_eq!((parts.status.as_u16(), &body[..]), (200, plain), "{path}");
        assert_eq!(parts.headers["content-type"], kind);
        assert_eq!(parts.headers["x-content-type-options"], "nosniff");
        assert!(!parts.headers.contains_key("content-encoding"));
        let tag = parts.headers["etag"].to_str().unwrap().to_owned();

        let (parts, body) = fetch(path, &[("accept-encoding", "br, gzip;q=0.8")]).await;
        assert_eq!(parts.headers["content-encoding"], "gzip", "{path}");
        let mut unpacked = Vec::new();
        GzDecoder::new(&body[..]).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);
        let (parts, body) = fetch(path, &[("accept-encoding", "gzip;q=0")]).await;
        assert!(!parts.headers.contains_key("content-encoding") && body == plain, "{path}");

        let (parts, body) = fetch(path, &[("if-none-match", &tag)]).await;
        assert_eq!((parts.status.as_u16(), body.len()), (304, 0), "{path}");
    }
}

/// F5 of the contract of the front: the page may load what is here and run nothing else.
#[tokio::test]
async fn the_policy_of_the_page_lets_nothing_in_from_elsewhere() {
    let (parts, _) = fetch("/", &[]).await;
    let policy = parts.headers["content-security-policy"].to_str().unwrap();
    let rules: Vec<&str> = policy.split(';').map(str::trim).collect();
    assert_eq!(
        rules,
        [
            "default-src 'none'",
            "script-src 'self'",
            "style-src 'self'",
            "connect-src 'self'",
            "img-src 'self' data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
            "require-trusted-types-for 'script'",
            "trusted-types engross-document",
        ]
    );
    assert_eq!(parts.headers["referrer-policy"], "no-referrer");
    assert!(!PAGE.contains("<style") && !PAGE.contains(" style=") && !PAGE.contains("://"), "{PAGE}");
    assert_eq!(PAGE.matches("<script").count(), 1, "{PAGE}");
}

#[test]
fn program_and_appearance_keep_within_their_budget() {
    let packed = |bytes: &[u8]| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut encoder, bytes).unwrap();
        encoder.finish().unwrap().len()
    };
    let size = packed(SCRIPT) + packed(STYLE);
    assert!(size <= BUDGET, "the workbench is {size} bytes packed, more than {BUDGET}");
}

#[tokio::test]
async fn failed_requests_are_listed_by_code_and_each_code_is_explained() {
    let (_, app) = with(|_| {});
    assert_eq!(get(&app, "/v1/errors", &[]).await.json()["data"], serde_json::json!([]));
    get(&app, "/v1/sessions?limit=0", &[]).await;
    get(&app, "/v1/workspaces/none/files", &[]).await;
    let data = get(&app, "/v1/errors", &[]).await.json()["data"].clone();
    let codes: Vec<&str> =
        data.as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["WORKSPACE_UNKNOWN", "INVALID_REQUEST"], "{data}");
    assert_eq!(data[0]["route"], "/v1/workspaces");
    for code in codes.iter().chain(&["NOT_A_ZIP", "MODEL_RATE_LIMITED", "STALE_REVISION", "SERVER_BUSY"]) {
        let told = get(&app, &format!("/v1/errors/{code}"), &[]).await.json();
        assert!(told["remedy"].as_str().is_some_and(|remedy| remedy.len() > 10), "{code}: {told}");
    }
    assert_eq!(get(&app, "/v1/errors/NO_SUCH_CODE", &[]).await.status, 404);
}
